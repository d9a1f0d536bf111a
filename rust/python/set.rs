//! Sets of trees: flat arrays on the Python side, prepared trees on this one.

use crate::error::{Error, Result};
use crate::parallel::{Cancel, Crew};
use crate::python::run;
use crate::python::tree::{Labels, TreeData};
use crate::tree::{Numbering, Prepared, Shape, check_preorder};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::sync::Arc;

/// Sets below this number of nodes are prepared within milliseconds.
const SMALL_SET: usize = 100_000;
/// Nodes that one thread prepares at a time, at least.
const PART_NODES: i64 = 10_000;

/// Flat arrays: codes, parents, offsets.
type Arrays<'py> =
    (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>);

/// The shapes of those trees of a list that were compared before; see [`Prepared::shape`].
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct Shapes {
    of_trees: Vec<Option<Arc<Shape>>>,
}

/// Trees over their common alphabet, in flat arrays, and the shapes of those that were compared
/// before.
#[pyfunction]
pub(super) fn pack<'py>(
    py: Python<'py>,
    trees: Vec<Bound<'py, TreeData>>,
) -> PyResult<(Bound<'py, PyTuple>, Arrays<'py>, Option<Shapes>)> {
    let nodes = trees.iter().map(|tree| tree.get().codes.len()).sum();
    let mut known = Labels::new(py);
    let (mut codes, mut parents) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
    let mut offsets = vec![0];
    let mut local = Vec::new();
    for tree in &trees {
        let tree = tree.get();
        local.clear();
        for label in tree.alphabet.bind(py).iter() {
            local.push(known.code(&label)?);
        }
        codes.extend(tree.codes.iter().map(|&code| local[code as usize]));
        parents.extend_from_slice(&tree.parents);
        offsets.push(codes.len() as i64);
    }
    let alphabet = PyTuple::new(py, known.alphabet)?;
    let of_trees: Vec<_> = trees.iter().map(|tree| tree.get().shape()).collect();
    let shapes = of_trees.iter().any(Option::is_some).then_some(Shapes { of_trees });
    let array = |values| PyArray1::from_vec(py, values);
    Ok((alphabet, (array(codes), array(parents), PyArray1::from_vec(py, offsets)), shapes))
}

/// Checks flat arrays that come from outside.
#[pyfunction]
pub(super) fn check_arrays(
    labels: usize,
    codes: PyReadonlyArray1<'_, i32>,
    parents: PyReadonlyArray1<'_, i32>,
    offsets: PyReadonlyArray1<'_, i64>,
) -> PyResult<()> {
    let (codes, parents, offsets) = (codes.as_slice()?, parents.as_slice()?, offsets.as_slice()?);
    let fail = |message| Err(Error::Invalid(message).into());
    if codes.len() != parents.len() {
        let (codes, parents) = (codes.len(), parents.len());
        return fail(format!(
            "codes and parents must have the same length; got {codes} codes and {parents} parents"
        ));
    }
    let ends = (offsets.first(), offsets.last());
    if ends != (Some(&0), Some(&(codes.len() as i64))) || !offsets.is_sorted() {
        return fail(format!(
            "offsets must rise from 0 to the number of nodes, {}; got {} offsets from {:?} to {:?}",
            codes.len(),
            offsets.len(),
            offsets.first().unwrap_or(&0),
            offsets.last().unwrap_or(&0)
        ));
    }
    if let Some(bad) = codes.iter().find(|&&code| code < 0 || code as usize >= labels) {
        return fail(format!("codes must be in the range [0, {labels}); got {bad}"));
    }
    for (index, bounds) in offsets.windows(2).enumerate() {
        if let Err(error) = check_preorder(&parents[bounds[0] as usize..bounds[1] as usize]) {
            return fail(format!("tree {index}: {error}"));
        }
    }
    Ok(())
}

/// Trees to go from, and trees to go to; without the latter, inside the former.
pub(super) type GivenSets<'py> = (Bound<'py, PreparedSet>, Option<Bound<'py, PreparedSet>>);

/// Trees ready for the kernels.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct PreparedSet {
    pub(super) trees: Vec<Prepared>,
}

#[pymethods]
impl PreparedSet {
    /// Prepares all trees of flat arrays that are known to be valid. Trees with a shape are only
    /// given their codes.
    #[new]
    #[pyo3(signature = (codes, parents, offsets, shapes=None, threads=1))]
    fn new(
        py: Python<'_>,
        codes: PyReadonlyArray1<'_, i32>,
        parents: PyReadonlyArray1<'_, i32>,
        offsets: PyReadonlyArray1<'_, i64>,
        shapes: Option<&Bound<'_, Shapes>>,
        threads: usize,
    ) -> PyResult<Self> {
        let (codes, parents) = (codes.as_slice()?, parents.as_slice()?);
        let offsets = offsets.as_slice()?;
        let shapes = shapes.map_or(&[][..], |shapes| &shapes.get().of_trees);
        let prepare = |trees: Range<usize>, cancel: &Cancel| {
            let mut numbering = Numbering::default();
            let prepare = |tree: usize| {
                cancel.check()?;
                let nodes = offsets[tree] as usize..offsets[tree + 1] as usize;
                let arrays = (codes.get(nodes.clone()), parents.get(nodes));
                let (Some(codes), Some(parents)) = arrays else {
                    return Err(Error::Invalid(format!("the nodes of tree {tree} are missing")));
                };
                if let Some(Some(shape)) = shapes.get(tree) {
                    return Ok(Prepared::with_shape(Arc::clone(shape), codes, &mut numbering));
                }
                Ok(Prepared::new(codes, parents, &mut numbering))
            };
            trees.map(prepare).collect::<Result<Vec<_>>>()
        };
        if codes.len() < SMALL_SET {
            let all = 0..offsets.len().saturating_sub(1);
            let trees = run::briefly(py, || prepare(all, &Cancel::default()))?;
            return Ok(Self { trees });
        }
        let parts = parts(offsets);
        let trees = run::enter(py, None, 1, |cancel, poll| {
            let mut ask = || poll(0);
            let mut crew = Crew::new(threads, cancel, &mut ask);
            let part = |part: usize| prepare(parts[part].clone(), cancel);
            crew.map(parts.len(), false, part)
        })?;
        Ok(Self { trees: trees.into_iter().flatten().collect() })
    }

    fn __len__(&self) -> usize {
        self.trees.len()
    }
}

/// Ranges of trees with enough nodes for a thread.
fn parts(offsets: &[i64]) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for end in 1..offsets.len() {
        if offsets[end] - offsets[start] >= PART_NODES || end + 1 == offsets.len() {
            parts.push(start..end);
            start = end;
        }
    }
    parts
}
