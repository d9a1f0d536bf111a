//! Costs: tables ready for the kernels, closure and axioms.

use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::cost::{self, Axiom, MeetingCosts};
use crate::error::Error;
use crate::pair::{Costs, SetCosts};
use crate::python::error::own;
use crate::python::run;
use crate::python::texts::TextTable;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Prepared costs: between two alphabets, between the nodes of two trees, or by kind of edit.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct CostTable {
    kind: TableKind,
}

enum TableKind {
    /// Rows and columns are labels.
    Labels(cost::CostTable),
    /// Rows and columns are nodes in preorder, whatever their labels.
    Nodes(cost::CostTable),
    Operations(cost::OperationCosts),
}

#[pymethods]
impl CostTable {
    #[new]
    #[pyo3(signature = (replace, delete, insert, *, by_node=false))]
    fn new(
        py: Python<'_>,
        replace: PyReadonlyArray2<'_, f64>,
        delete: PyReadonlyArray1<'_, f64>,
        insert: PyReadonlyArray1<'_, f64>,
        by_node: bool,
    ) -> PyResult<Self> {
        let (replace, delete) = (replace.as_slice()?, delete.as_slice()?);
        let insert = insert.as_slice()?;
        let table = run::briefly(py, || cost::CostTable::new(replace, delete, insert))?;
        Ok(Self { kind: if by_node { TableKind::Nodes(table) } else { TableKind::Labels(table) } })
    }

    /// One cost for each kind of edit; keeping a label costs nothing.
    #[staticmethod]
    fn operations(delete: f64, insert: f64, replace: f64) -> PyResult<Self> {
        let costs = cost::OperationCosts::new(delete, insert, replace)?;
        Ok(Self { kind: TableKind::Operations(costs) })
    }

    pub(super) fn is_symmetric(&self) -> bool {
        match &self.kind {
            TableKind::Labels(table) | TableKind::Nodes(table) => table.is_symmetric(),
            TableKind::Operations(costs) => costs.is_symmetric(),
        }
    }
}

impl CostTable {
    /// Costs between labels.
    pub(super) fn of_labels(table: cost::CostTable) -> Self {
        Self { kind: TableKind::Labels(table) }
    }

    pub(super) fn costs(&self) -> Costs<'_> {
        match &self.kind {
            TableKind::Labels(table) | TableKind::Nodes(table) => Costs::Table(table),
            TableKind::Operations(costs) => Costs::Operations(costs),
        }
    }

    /// Whether rows and columns are nodes.
    pub(super) fn is_by_node(&self) -> bool {
        matches!(self.kind, TableKind::Nodes(_))
    }
}

/// The vectors of a vocabulary, as they lie in NumPy's memory. Plain arrays take no part in
/// garbage collection, so this does not either.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct VectorTable {
    vectors: Array,
    lengths: Vec<f64>,
    kind: VectorKind,
}

enum Array {
    Single(Py<PyArray2<f32>>),
    Double(Py<PyArray2<f64>>),
}

#[pymethods]
impl VectorTable {
    /// Vectors of length one, except for the kind "euclidean", and their lengths before that.
    #[new]
    fn new(
        vectors: &Bound<'_, PyAny>,
        lengths: PyReadonlyArray1<'_, f64>,
        kind: &str,
    ) -> PyResult<Self> {
        let kind = match kind {
            "cosine" => VectorKind::Cosine,
            "chord" => VectorKind::Chord,
            "angle" => VectorKind::Angle,
            "euclidean" => VectorKind::Euclidean,
            _ => return Err(Error::Invalid(format!("there is no kind {kind:?}")).into()),
        };
        let vectors = match vectors.cast::<PyArray2<f32>>() {
            Ok(single) => Array::Single(single.clone().unbind()),
            Err(_) => Array::Double(vectors.cast::<PyArray2<f64>>()?.clone().unbind()),
        };
        let table = Self { vectors, lengths: lengths.as_slice()?.to_vec(), kind };
        Python::attach(|py| table.with_costs(py, |_| Ok(())))?;
        Ok(table)
    }

    /// The costs from some labels to others. Codes beyond the vocabulary have no vector.
    fn table(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray1<'_, u32>,
        y: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<CostTable> {
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        self.with_costs(py, |costs| {
            let table = run::briefly(py, || Ok(costs.table(&costs.gather(x), &costs.gather(y))))?;
            Ok(CostTable::of_labels(table))
        })
    }

    #[allow(clippy::unused_self)] // as tables do
    fn is_symmetric(&self) -> bool {
        true
    }
}

impl VectorTable {
    /// Does something with the costs, while nobody may write to the vectors.
    pub(super) fn with_costs<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&VectorCosts<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        let busy = |_| Error::Invalid("the vectors are written to by another call".to_owned());
        match &self.vectors {
            Array::Single(array) => {
                let array = array.bind(py).try_readonly().map_err(busy)?;
                let elements = Elements::Single(array.as_slice()?);
                work(&VectorCosts::new(elements, &self.lengths, self.kind)?)
            }
            Array::Double(array) => {
                let array = array.bind(py).try_readonly().map_err(busy)?;
                let elements = Elements::Double(array.as_slice()?);
                work(&VectorCosts::new(elements, &self.lengths, self.kind)?)
            }
        }
    }
}

/// Costs as they are resolved for two sets: for each label of the sets its code in the costs, and
/// the costs; unit costs without any.
pub(super) type ResolvedCosts<'py> = (
    (Option<PyReadonlyArray1<'py, u32>>, Option<PyReadonlyArray1<'py, u32>>),
    Option<GivenCosts<'py>>,
);

/// Costs for the pairs of two sets, as they come from Python.
#[derive(FromPyObject)]
pub(super) enum GivenCosts<'py> {
    Table(Bound<'py, CostTable>),
    Vectors(Bound<'py, VectorTable>),
    Texts(Bound<'py, TextTable>),
}

impl GivenCosts<'_> {
    pub(super) fn is_symmetric(&self) -> bool {
        match self {
            GivenCosts::Table(table) => table.get().is_symmetric(),
            GivenCosts::Vectors(_) | GivenCosts::Texts(_) => true,
        }
    }
}

/// Does something with costs; without any, every edit costs 1.
pub(super) fn with_set_costs<T>(
    py: Python<'_>,
    list: Option<&GivenCosts<'_>>,
    work: impl FnOnce(SetCosts<'_>) -> PyResult<T>,
) -> PyResult<T> {
    match list {
        None => work(SetCosts::Fixed(Costs::Unit)),
        Some(GivenCosts::Table(table)) => work(SetCosts::Fixed(table.get().costs())),
        Some(GivenCosts::Vectors(vectors)) => {
            let by_vectors =
                |costs: &VectorCosts<'_>| work(SetCosts::Meeting(MeetingCosts::Vectors(costs)));
            vectors.get().with_costs(py, by_vectors)
        }
        Some(GivenCosts::Texts(texts)) => {
            work(SetCosts::Meeting(MeetingCosts::Texts(&texts.get().costs)))
        }
    }
}

/// The codes of labels under an index.
pub(super) fn encode_into(
    alphabet: &Bound<'_, PyTuple>,
    index: &Bound<'_, PyDict>,
    codes: &mut Vec<u32>,
) -> PyResult<()> {
    codes.clear();
    for label in alphabet.iter() {
        let Some(code) = index.get_item(&label)? else {
            return Err(own(
                "UnknownLabelError",
                format!(
                    "The label {} is not in the alphabet of the costs, which has {} labels.",
                    label.repr()?,
                    index.len()
                ),
            ));
        };
        codes.push(code.extract()?);
    }
    Ok(())
}

/// The codes of labels under an index, as an array.
#[pyfunction]
pub(super) fn encode<'py>(
    py: Python<'py>,
    alphabet: &Bound<'py, PyTuple>,
    index: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut codes = Vec::new();
    encode_into(alphabet, index, &mut codes)?;
    Ok(PyArray1::from_vec(py, codes))
}

/// The shortest-path closure of a square matrix.
#[pyfunction]
pub(super) fn closure<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let size = matrix.as_array().nrows();
    let mut costs = matrix.as_slice()?.to_vec();
    run::watched(py, |cancel| cost::closure(&mut costs, size, cancel))?;
    PyArray1::from_vec(py, costs).reshape([size, size])
}

/// The worst violation of each broken axiom: name, witnesses, excess.
#[pyfunction]
pub(super) fn violations(
    py: Python<'_>,
    matrix: PyReadonlyArray2<'_, f64>,
    tolerance: f64,
) -> PyResult<Vec<(&'static str, Vec<usize>, f64)>> {
    let size = matrix.as_array().nrows();
    let costs = matrix.as_slice()?;
    let found = run::watched(py, |cancel| cost::violations(costs, size, tolerance, cancel))?;
    let name = |axiom| match axiom {
        Axiom::SelfIdentity => "self-identity",
        Axiom::Symmetry => "symmetry",
        Axiom::Triangle => "triangle",
    };
    Ok(found.into_iter().map(|v| (name(v.axiom), v.witness, v.excess)).collect())
}
