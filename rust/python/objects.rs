//! Trees from Python objects: each walk visits the objects once, in preorder, without recursion.

use crate::error::Error;
use crate::memory;
use crate::python::tree::{Labels, TreeData};
use crate::tree::adjacency;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple, PyType};
use std::collections::HashSet;

/// Nodes between two looks for Ctrl-C.
const NODES_PER_CHECK: usize = 1 << 14;
/// Nodes between two looks at the memory, and at most the bytes that a node takes while it is walked,
/// with its label.
const NODES_PER_LOOK: usize = 1 << 19;
const NODE_BYTES: u64 = 256;
/// A path this deep is checked for a node that is its own ancestor, and again at twice the depth.
const FIRST_CYCLE_CHECK: usize = 1 << 10;

pub(super) type Object<'py> = Bound<'py, PyAny>;

/// Nodes that have been visited, and those that wait, each with its parent.
pub(super) struct Walk<'py> {
    labels: Labels<'py>,
    codes: Vec<i32>,
    parents: Vec<i32>,
    pub(super) waiting: Vec<(Object<'py>, i32)>,
}

impl<'py> Walk<'py> {
    pub(super) fn new(py: Python<'py>) -> Self {
        let labels = Labels::new(py);
        Self { labels, codes: Vec::new(), parents: Vec::new(), waiting: Vec::new() }
    }

    /// Returns the next object in preorder and its parent.
    pub(super) fn next(&mut self) -> PyResult<Option<(Object<'py>, i32)>> {
        if self.codes.len() % NODES_PER_CHECK == NODES_PER_CHECK - 1 {
            self.labels.index.py().check_signals()?;
        }
        let nodes = self.codes.len();
        if nodes % NODES_PER_LOOK == NODES_PER_LOOK - 1 {
            // Buffers grow by doubling. Objects without end must not end the process.
            memory::check("the nodes of a tree", NODE_BYTES * nodes as u64)?;
        }
        Ok(self.waiting.pop())
    }

    /// Adds a node and returns its index.
    pub(super) fn add(&mut self, label: &Object<'py>, parent: i32) -> PyResult<i32> {
        let node = i32::try_from(self.codes.len()).map_err(|_| too_many())?;
        let code =
            self.labels.code(label).map_err(|error| unhashable(error, label, node as usize))?;
        self.codes.push(code);
        self.parents.push(parent);
        Ok(node)
    }

    /// Lets objects wait, the first one to be visited next.
    fn push(&mut self, objects: &Object<'py>, parent: i32) -> PyResult<()> {
        if let Ok(list) = objects.cast::<PyList>() {
            self.waiting.extend(list.iter().rev().map(|object| (object, parent)));
        } else if let Ok(tuple) = objects.cast::<PyTuple>() {
            self.waiting.extend(tuple.iter().rev().map(|object| (object, parent)));
        } else {
            refuse_set(objects, &|| "children".to_owned())?;
            let first = self.waiting.len();
            for object in objects.try_iter()? {
                self.waiting.push((object?, parent));
            }
            self.waiting[first..].reverse();
        }
        Ok(())
    }

    pub(super) fn finish(self) -> PyResult<TreeData> {
        TreeData::build(self.labels, self.codes, self.parents)
    }
}

/// Replaces Python's error about a label that has no hash by one that names the node.
fn unhashable(error: PyErr, label: &Object<'_>, node: usize) -> PyErr {
    if label.hash().is_ok() || !error.is_instance_of::<PyTypeError>(label.py()) {
        return error;
    }
    let kind = label.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
    PyTypeError::new_err(format!("labels must be hashable; got one of type {kind} at node {node}"))
}

fn too_many() -> PyErr {
    PyValueError::new_err(format!("a tree can have at most {} nodes", i32::MAX))
}

/// Finds labels that are no labels: a function is called with one label of each class.
struct LabelCheck<'a, 'py> {
    refuse: &'a Object<'py>,
    places: HashSet<usize>,
    /// The classes are kept, so that their addresses stay their own.
    classes: Vec<Bound<'py, PyType>>,
}

impl<'a, 'py> LabelCheck<'a, 'py> {
    fn new(refuse: &'a Object<'py>) -> Self {
        Self { refuse, places: HashSet::new(), classes: Vec::new() }
    }

    fn check(&mut self, label: &Object<'py>) -> PyResult<()> {
        if label.is_exact_instance_of::<PyString>() || label.is_exact_instance_of::<PyInt>() {
            return Ok(());
        }
        if self.places.insert(label.get_type_ptr() as usize) {
            self.classes.push(label.get_type());
            self.refuse.call1((label,))?;
        }
        Ok(())
    }

    /// Trees of NLTK are lists.
    fn check_list(&mut self, list: &Object<'py>) -> PyResult<()> {
        if list.is_exact_instance_of::<PyList>() { Ok(()) } else { self.check(list) }
    }
}

/// Explains the error about a list where a node must be.
fn needs_a_label(error: PyErr, object: &Object<'_>) -> PyErr {
    if !object.is_instance_of::<PyList>() {
        return error;
    }
    let text = error.value(object.py()).to_string();
    PyTypeError::new_err(format!("{text}. Children belong to a label: (\"a\", [\"b\", \"c\"])"))
}

/// Builds a tree from nested tuples `(label, [children])` and bare labels; `refuse` raises an
/// error for objects that cannot be meant as labels.
pub(super) fn from_nested<'py>(nested: &Object<'py>, refuse: &Object<'py>) -> PyResult<TreeData> {
    let mut walk = Walk::new(nested.py());
    let mut labels = LabelCheck::new(refuse);
    let mut path = Path::default();
    if nested.is_instance_of::<PyList>() {
        labels.check_list(nested)?;
        walk.push(nested, -1)?;
    } else {
        walk.waiting.push((nested.clone(), -1));
    }
    while let Some((object, parent)) = walk.next()? {
        let Ok(pair) = object.cast::<PyTuple>() else {
            labels.check(&object)?;
            walk.add(&object, parent).map_err(|error| needs_a_label(error, &object))?;
            path.enter(object, parent)?;
            continue;
        };
        let children = if pair.len() == 2 { Some(pair.get_item(1)?) } else { None };
        let Some(children) = children.filter(PyAnyMethods::is_instance_of::<PyList>) else {
            // The tuple may be nested deeper than its repr can go.
            let kinds = pair.iter().map(|item| Ok(item.get_type().name()?.to_string()));
            let kinds = kinds.collect::<PyResult<Vec<_>>>()?.join(", ");
            let lists = pair.len() == 2 && pair.get_item(1)?.is_instance_of::<PyTuple>();
            return Err(PyValueError::new_err(format!(
                "a node must be a bare label or a tuple (label, list of children); got a tuple of \
                 {} items ({kinds}){}",
                pair.len(),
                if lists { ". Children must be in a list: (\"a\", [\"b\", \"c\"])" } else { "" }
            )));
        };
        let label = pair.get_item(0)?;
        labels.check(&label)?;
        labels.check_list(&children)?;
        let node = walk.add(&label, parent)?;
        walk.push(&children, node)?;
        path.enter(object, parent)?;
    }
    walk.finish()
}

/// Builds a tree by calling `children` once for each node, in preorder.
pub(super) fn from_callable(
    root: &Object<'_>,
    children: &Object<'_>,
    label: Option<&Object<'_>>,
) -> PyResult<TreeData> {
    let mut walk = Walk::new(root.py());
    let mut path = Path::default();
    walk.waiting.push((root.clone(), -1));
    while let Some((object, parent)) = walk.next()? {
        let node = match label {
            None => walk.add(&object, parent)?,
            Some(label) => walk.add(&label.call1((&object,))?, parent)?,
        };
        let below = children.call1((&object,))?;
        if !below.is_none() {
            walk.push(&below, node).map_err(|error| not_iterable(error, &below, &object))?;
        }
        path.enter(object, parent)?;
    }
    walk.finish()
}

/// Replaces Python's error about `None` and other values that are no collection of children.
fn not_iterable(error: PyErr, below: &Object<'_>, object: &Object<'_>) -> PyErr {
    let py = below.py();
    if !error.is_instance_of::<PyTypeError>(py) || below.try_iter().is_ok() {
        return error;
    }
    let name = |object: &Object<'_>| {
        object.get_type().name().map_or_else(|_| "object".into(), |n| n.to_string())
    };
    PyTypeError::new_err(format!(
        "children must return an iterable of nodes or None; got {} for a node of type {}",
        name(below),
        name(object)
    ))
}

/// The ancestors of the node that is visited, to find a node that is its own ancestor: without
/// that, a cycle would be walked until memory ends.
#[derive(Default)]
pub(super) struct Path<'py> {
    depths: Vec<u32>,
    objects: Vec<Object<'py>>,
}

impl<'py> Path<'py> {
    /// Notes a node that is visited.
    pub(super) fn enter(&mut self, object: Object<'py>, parent: i32) -> PyResult<()> {
        let depth = usize::try_from(parent).map_or(0, |parent| self.depths[parent] as usize + 1);
        self.depths.push(depth as u32);
        self.objects.truncate(depth);
        self.objects.push(object);
        if depth >= FIRST_CYCLE_CHECK && depth.is_power_of_two() {
            let mut places: Vec<_> = self.objects.iter().map(Bound::as_ptr).collect();
            places.sort_unstable();
            if places.windows(2).any(|two| two[0] == two[1]) {
                return Err(PyValueError::new_err(format!(
                    "the root must be a tree; got an object that contains itself, on a path of {depth} \
                     nodes"
                )));
            }
        }
        Ok(())
    }
}

/// Builds a tree from labels and lists of children.
pub(super) fn from_lists(
    labels: &Object<'_>,
    adj: &Object<'_>,
    roots: Option<&Object<'_>>,
) -> PyResult<TreeData> {
    let nodes = as_objects(labels)?;
    let mut starts = Vec::with_capacity(nodes.len() + 1);
    let mut children = Vec::with_capacity(nodes.len());
    starts.push(0);
    each(adj, &mut |list| {
        let node = starts.len() - 1;
        integers(&list, &mut children, &|| format!("adj[{node}]"))?;
        starts.push(children.len());
        Ok(())
    })?;
    if starts.len() - 1 != nodes.len() {
        return Err(PyValueError::new_err(format!(
            "adj must have one list per node; got {} lists for {} nodes",
            starts.len() - 1,
            nodes.len()
        )));
    }
    let mut listed = Vec::new();
    if let Some(roots) = roots {
        integers(roots, &mut listed, &|| "roots".to_owned())?;
    }
    let listed = roots.map(|_| listed.as_slice());
    let (order, parents) = adjacency::to_preorder(nodes.len(), &starts, &children, listed)?;
    let mut known = Labels::new(labels.py());
    let mut codes = Vec::with_capacity(nodes.len());
    for &node in &order {
        let label = &nodes[node as usize];
        let code = known.code(label);
        codes.push(code.map_err(|error| unhashable(error, label, node as usize))?);
    }
    TreeData::build(known, codes, parents)
}

/// Builds a tree from labels and parents, both as lists; without labels each node is labelled by
/// its index.
pub(super) fn from_parents(
    labels: Option<&Object<'_>>,
    parents: &Object<'_>,
) -> PyResult<TreeData> {
    let py = parents.py();
    let mut found = Vec::new();
    integers(parents, &mut found, &|| "parents".to_owned())?;
    let narrow = |(node, &parent): (usize, &i64)| {
        i32::try_from(parent).map_err(|_| {
            Error::Invalid(format!(
                "parents[{node}] must be -1 or the index of an earlier node, in preorder; got {parent}"
            ))
        })
    };
    let parents = found.iter().enumerate().map(narrow).collect::<Result<Vec<_>, _>>()?;
    let mut known = Labels::new(py);
    let mut codes = Vec::with_capacity(parents.len());
    match labels {
        Some(labels) => each(labels, &mut |label| {
            let code = known.code(&label);
            codes.push(code.map_err(|error| unhashable(error, &label, codes.len()))?);
            Ok(())
        })?,
        None => {
            for node in 0..parents.len() {
                codes.push(known.code(node.into_pyobject(py)?.as_any())?);
            }
        }
    }
    TreeData::build(known, codes, parents)
}

fn as_objects<'py>(objects: &Object<'py>) -> PyResult<Vec<Object<'py>>> {
    // A wrong length is no harm: it is a guess.
    let mut found = Vec::with_capacity(objects.len().unwrap_or(0).min(1 << 16));
    each(objects, &mut |object| {
        found.push(object);
        Ok(())
    })?;
    Ok(found)
}

/// Refuses a set, whose order differs between processes.
fn refuse_set(objects: &Object<'_>, name: &dyn Fn() -> String) -> PyResult<()> {
    if !objects.is_instance_of::<PySet>() && !objects.is_instance_of::<PyFrozenSet>() {
        return Ok(());
    }
    let kind = objects.get_type().name()?;
    Err(PyValueError::new_err(format!(
        "{} must be a list; got a {kind}. The order of a set is arbitrary. Use a list.",
        name()
    )))
}

/// Calls a function with every item of a collection.
fn each<'py>(
    objects: &Object<'py>,
    visit: &mut dyn FnMut(Object<'py>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(list) = objects.cast::<PyList>() {
        list.iter().try_for_each(visit)
    } else if let Ok(tuple) = objects.cast::<PyTuple>() {
        tuple.iter().try_for_each(visit)
    } else {
        objects.try_iter()?.try_for_each(|object| visit(object?))
    }
}

/// Appends integers; bools, floats and texts are refused.
fn integers(values: &Object<'_>, found: &mut Vec<i64>, name: &dyn Fn() -> String) -> PyResult<()> {
    refuse_set(values, name)?;
    each(values, &mut |value| {
        let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
        found.push(number.ok_or_else(|| not_an_integer(&value, &name()))?);
        Ok(())
    })
    .map_err(|error| {
        if error.is_instance_of::<PyTypeError>(values.py()) {
            let kind = values.get_type().name().map_or_else(|_| "object".into(), |n| n.to_string());
            return PyValueError::new_err(format!(
                "{} must be a sequence of ints; got {kind}",
                name()
            ));
        }
        error
    })
}

fn not_an_integer(value: &Object<'_>, name: &str) -> PyErr {
    let shown = value.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string());
    let shown: String = shown.chars().take(80).collect();
    PyValueError::new_err(format!("{name} must hold ints in the range of int64; got {shown}"))
}
