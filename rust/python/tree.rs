//! One tree: labels as Python objects, interned once, and the arrays of the core.

use crate::error::Error;
use crate::python::labels::LabelTable;
use crate::python::{allocator, ast, objects};
use crate::tree::{Numbering, Prepared, Shape, bracket, check_preorder};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Scratch for trees of up to this many nodes is kept.
const KEPT_SCRATCH: usize = 1 << 12;

thread_local! {
    static NUMBERING: RefCell<Numbering> = RefCell::default();
}

/// A tree or forest in preorder; labels are coded in order of first appearance.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct TreeData {
    pub(super) codes: Vec<i32>,
    pub(super) parents: Vec<i32>,
    pub(super) alphabet: Py<PyTuple>,
    /// Code of each label.
    pub(super) index: Py<PyDict>,
    label_table: OnceLock<LabelTable>,
    prepared: OnceLock<Prepared>,
    /// The same with the index of each node as its label; empty if the labels are all different.
    by_node: OnceLock<Box<Prepared>>,
}

/// Most small trees have fewer distinct labels.
const FEW_LABELS: usize = 32;

/// Assigns codes to labels in order of first appearance, by Python's own equality and hashing.
pub(super) struct Labels<'py> {
    pub(super) index: Bound<'py, PyDict>,
    pub(super) alphabet: Vec<Bound<'py, PyAny>>,
}

impl<'py> Labels<'py> {
    pub(super) fn new(py: Python<'py>) -> Self {
        Self { index: PyDict::new(py), alphabet: Vec::with_capacity(FEW_LABELS) }
    }

    pub(super) fn code(&mut self, label: &Bound<'py, PyAny>) -> PyResult<i32> {
        if let Some(code) = self.index.get_item(label)? {
            return code.extract();
        }
        let code = self.alphabet.len() as i32;
        self.index.set_item(label, code)?;
        self.alphabet.push(label.clone());
        Ok(code)
    }
}

impl TreeData {
    pub(super) fn build(labels: Labels<'_>, codes: Vec<i32>, parents: Vec<i32>) -> PyResult<Self> {
        allocator::prepare()?; // trees may be all that is made for a while
        if codes.len() != parents.len() {
            return Err(Error::Invalid(format!(
                "labels and parents must have the same length; got {} labels and {} parents",
                codes.len(),
                parents.len()
            ))
            .into());
        }
        check_preorder(&parents)?;
        let py = labels.index.py();
        Ok(Self {
            codes,
            parents,
            alphabet: PyTuple::new(py, labels.alphabet)?.unbind(),
            index: labels.index.unbind(),
            label_table: OnceLock::new(),
            prepared: OnceLock::new(),
            by_node: OnceLock::new(),
        })
    }

    /// The labels, to be found among by those of other trees; made when first asked for.
    pub(super) fn label_table(&self, py: Python<'_>) -> PyResult<&LabelTable> {
        if let Some(table) = self.label_table.get() {
            return Ok(table);
        }
        let table = LabelTable::new(self.alphabet.bind(py))?;
        Ok(self.label_table.get_or_init(|| table))
    }

    /// The tree ready for the kernels; made when first asked for.
    pub(super) fn prepared(&self) -> &Prepared {
        let prepare = |scratch: &mut _| Prepared::new(&self.codes, &self.parents, scratch);
        self.prepared.get_or_init(|| {
            if self.codes.len() > KEPT_SCRATCH {
                return prepare(&mut Numbering::default());
            }
            NUMBERING.with_borrow_mut(prepare)
        })
    }

    /// The tree with the index of each node, in preorder, as its label code.
    pub(super) fn by_node(&self) -> &Prepared {
        // Codes follow first appearance, so those of different labels are the indices.
        if self.codes.last().is_none_or(|&last| last as usize == self.codes.len() - 1) {
            return self.prepared();
        }
        self.by_node.get_or_init(|| {
            let nodes: Vec<_> = (0..self.codes.len() as i32).collect();
            Box::new(Prepared::new(&nodes, &self.parents, &mut Numbering::default()))
        })
    }

    /// The shape, if the tree was compared before.
    pub(super) fn shape(&self) -> Option<Arc<Shape>> {
        self.prepared.get().map(Prepared::shape)
    }
}

#[pymethods]
impl TreeData {
    #[new]
    fn new(labels: &Bound<'_, PyAny>, parents: PyReadonlyArray1<'_, i32>) -> PyResult<Self> {
        let mut known = Labels::new(labels.py());
        let codes =
            labels.try_iter()?.map(|label| known.code(&label?)).collect::<PyResult<Vec<_>>>()?;
        Self::build(known, codes, parents.as_array().to_vec())
    }

    /// From codes into an alphabet that may hold more labels than the tree uses.
    #[staticmethod]
    fn from_codes(
        alphabet: &Bound<'_, PyTuple>,
        codes: PyReadonlyArray1<'_, i32>,
        parents: PyReadonlyArray1<'_, i32>,
    ) -> PyResult<Self> {
        let mut known = Labels::new(alphabet.py());
        // Each distinct label is looked up once.
        let mut local = std::collections::HashMap::new();
        let mut mapped = Vec::with_capacity(codes.len()?);
        for &code in codes.as_array() {
            if let Some(&own) = local.get(&code) {
                mapped.push(own);
                continue;
            }
            let label = usize::try_from(code)
                .map_err(|_| Error::Invalid(format!("codes must not be negative; got {code}")))?;
            let own = known.code(&alphabet.get_item(label)?)?;
            local.insert(code, own);
            mapped.push(own);
        }
        Self::build(known, mapped, parents.as_array().to_vec())
    }

    #[staticmethod]
    fn from_bracket(py: Python<'_>, text: &str) -> PyResult<Self> {
        let parsed = bracket::parse(text)?;
        let mut known = Labels::new(py);
        for label in &parsed.alphabet {
            known.code(PyString::new(py, label).as_any())?;
        }
        Self::build(known, parsed.codes, parsed.parents)
    }

    /// From labels and lists of children, in any order of nodes; `roots` may list several.
    #[staticmethod]
    #[pyo3(signature = (labels, adj, roots=None))]
    fn from_adjacency(
        labels: &Bound<'_, PyAny>,
        adj: &Bound<'_, PyAny>,
        roots: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        objects::from_lists(labels, adj, roots)
    }

    /// From labels and parents in preorder; without labels, the index of each node is its label.
    #[staticmethod]
    fn from_parents(
        labels: Option<&Bound<'_, PyAny>>,
        parents: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        objects::from_parents(labels, parents)
    }

    /// From nested tuples; `refuse` is called with labels of unusual classes.
    #[staticmethod]
    fn from_nested<'py>(nested: &Bound<'py, PyAny>, refuse: &Bound<'py, PyAny>) -> PyResult<Self> {
        objects::from_nested(nested, refuse)
    }

    /// From any object and a function that returns the children of a node.
    #[staticmethod]
    fn from_callable(
        root: &Bound<'_, PyAny>,
        children: &Bound<'_, PyAny>,
        label: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        objects::from_callable(root, children, label)
    }

    /// From a node of Python's `ast`; see [`ast::AstChoice`].
    #[staticmethod]
    fn from_ast<'py>(
        root: &Bound<'py, PyAny>,
        base: &Bound<'py, PyType>,
        without: &Bound<'py, PyAny>,
        label: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        ast::from_ast(root, &ast::AstChoice { base, without, label })
    }

    /// For the garbage collector: a label may refer to its tree. There is no `__clear__`, as for
    /// tuples: labels exist before their tree, so every such cycle contains an object that was
    /// changed after that, and this object can be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.alphabet)?;
        visit.call(&self.index)
    }

    #[getter]
    fn size(&self) -> usize {
        self.codes.len()
    }

    #[getter]
    fn alphabet(&self, py: Python<'_>) -> Py<PyTuple> {
        self.alphabet.clone_ref(py)
    }

    /// The labels of all nodes, in preorder.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let alphabet: Vec<_> = self.alphabet.bind(py).iter().collect();
        PyTuple::new(py, self.codes.iter().map(|&code| &alphabet[code as usize]))
    }

    fn codes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_slice(py, &self.codes)
    }

    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_slice(py, &self.parents)
    }

    fn to_bracket(&self, py: Python<'_>) -> PyResult<String> {
        let mut labels = Vec::new();
        for (code, label) in self.alphabet.bind(py).iter().enumerate() {
            let Ok(text) = label.cast::<PyString>() else {
                let node = self.codes.iter().position(|&c| c == code as i32).unwrap_or(0);
                return Err(PyTypeError::new_err(format!(
                    "bracket notation holds labels of type str only; node {node} has the label {} \
                     of type {}. Use JSON Lines, or map_labels(str) first",
                    label.repr()?,
                    label.get_type().name()?
                )));
            };
            labels.push(text.to_str()?.to_owned());
        }
        let mut text = String::new();
        bracket::write(&labels, &self.codes, &self.parents, &mut text);
        Ok(text)
    }

    /// Equal structure and equal labels.
    fn equals(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let other = other.get();
        // Codes follow first appearance, so equal trees have equal codes.
        Ok(self.parents == other.parents
            && self.codes == other.codes
            && self.alphabet.bind(py).eq(other.alphabet.bind(py))?)
    }

    fn value_hash(&self, py: Python<'_>) -> PyResult<i64> {
        let mut hasher = DefaultHasher::new();
        (&self.parents, &self.codes, self.alphabet.bind(py).hash()?).hash(&mut hasher);
        Ok(hasher.finish() as i64)
    }
}
