//! Costs: tables ready for the kernels, closure and axioms.

use crate::cost::{self, Axiom};
use crate::python::error::own;
use crate::python::run;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Prepared costs between two alphabets.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct CostTable {
    pub(super) table: cost::CostTable,
}

#[pymethods]
impl CostTable {
    #[new]
    fn new(
        py: Python<'_>,
        replace: PyReadonlyArray2<'_, f64>,
        delete: PyReadonlyArray1<'_, f64>,
        insert: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (replace, delete) = (replace.as_slice()?, delete.as_slice()?);
        let insert = insert.as_slice()?;
        let table = run::briefly(py, || cost::CostTable::new(replace, delete, insert))?;
        Ok(Self { table })
    }

    fn is_symmetric(&self) -> bool {
        self.table.is_symmetric()
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
