//! Trees without an order of children.

use crate::error::Result;
use crate::pair::Pair;
use crate::parallel::Cancel;
use crate::python::align::pack;
use crate::python::cost::{CostTable, ResolvedCosts};
use crate::python::distance::{
    Children, GivenPair, LONG_PAIR, Limits, SMALL_PAIR, fill_matrix, with_pair,
};
use crate::python::run::{self, Work};
use crate::python::set::GivenSets;
use crate::python::tree::TreeData;
use crate::unordered::{self, Workspace, pair_work};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::cell::RefCell;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// A cell takes longer than one of the kernels for ordered trees, above all if nodes have many
/// children.
const CELL: f64 = 8.0;

/// Runs work on two trees: at once if they are small, otherwise so that Ctrl-C can stop it.
fn on_pair<T: Send>(
    py: Python<'_>,
    pair: GivenPair<'_, '_>,
    work: impl FnOnce(&Pair<'_>, &mut Workspace, &Cancel) -> Result<T> + Send,
) -> PyResult<T> {
    with_pair(py, pair, |pair| {
        let cells = CELL * pair_work(&pair.x, &pair.y);
        if cells > LONG_PAIR {
            return run::watched(py, |cancel| work(&pair, &mut Workspace::default(), cancel));
        }
        let quick =
            || WORKSPACE.with_borrow_mut(|scratch| work(&pair, scratch, &Cancel::default()));
        if cells < SMALL_PAIR { run::at_once(quick) } else { run::briefly(py, quick) }
    })
}

/// The constrained distance of two trees without order, infinite above the cutoff.
#[pyfunction]
#[pyo3(signature = (x, y, table, index, cutoff=None))]
pub(super) fn unordered_distance(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: Option<&Bound<'_, CostTable>>,
    index: Option<&Bound<'_, PyDict>>,
    cutoff: Option<f64>,
) -> PyResult<f64> {
    on_pair(py, (x, y, table, index), |pair, scratch, cancel| {
        unordered::distance(pair, cutoff, scratch, cancel)
    })
}

/// The cost of one optimal alignment of two trees without order, and its pairs.
#[pyfunction]
pub(super) fn unordered_align_pair<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
) -> PyResult<(f64, Bound<'py, PyBytes>)> {
    let (cost, pairs) = on_pair(py, (x, y, table, index), unordered::align)?;
    Ok((cost, pack(py, &pairs)))
}

/// The distances of all pairs of subtrees, without order.
#[pyfunction]
pub(super) fn unordered_subtree_distances<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let distances = on_pair(py, (x, y, table, index), unordered::subtree_distances)?;
    PyArray1::from_vec(py, distances).reshape([x.get().codes.len(), y.get().codes.len()])
}

/// Fills `out` with all distances without order from `x` to `y`, or inside `x`; returns the number
/// of those that were computed.
#[pyfunction]
pub(super) fn unordered_pairwise(
    py: Python<'_>,
    sets: GivenSets<'_>,
    resolved: ResolvedCosts<'_>,
    out: &Bound<'_, PyAny>,
    limits: Limits,
    work: Work,
) -> PyResult<u64> {
    fill_matrix(py, (sets, resolved), out, limits, work, Children::Unordered)
}
