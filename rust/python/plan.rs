//! What blocks of a matrix take, in memory and in time, before they are computed.

use crate::pairwise::{self as core, Account, Extent};
use crate::python::cost::{GivenCosts, with_set_costs};
use crate::python::run;
use crate::python::set::PreparedSet;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Bytes of a matrix: of all threads, of each tree, of each node, of each node of the rows; and what
/// a tree keeps by its nodes, by its key-root sizes, and at most.
type Bytes = (u64, u64, u64, u64, (u64, u64), u64);

/// Nodes of the largest trees, most work of a tree, number of trees and of labels; see [`Extent`].
type Sizes = ((u64, u64), u64, (u64, u64), (u64, u64));

/// Counts what a matrix takes in memory; see `pairwise/account.rs`.
#[pyfunction]
pub(super) fn matrix_bytes(
    py: Python<'_>,
    sizes: Sizes,
    cutoff: bool,
    costs: Option<GivenCosts<'_>>,
    threads: usize,
) -> PyResult<Bytes> {
    let (nodes, work, trees, labels) = sizes;
    let extent = Extent { nodes, work, trees, labels, cutoff, inner: true };
    with_set_costs(py, costs.as_ref(), |costs| {
        let Account { scratch, tree, node, row_node, kept, most_kept } =
            core::account(&extent, costs, threads);
        Ok((scratch, tree, node, row_node, kept, most_kept))
    })
}

/// The work of each tree with one like it on the best route, as a share of that along left or right
/// paths.
#[pyfunction]
pub(super) fn inner_shares<'py>(
    py: Python<'py>,
    trees: &Bound<'py, PreparedSet>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let trees = &trees.get().trees;
    let shares = run::watched(py, |cancel| {
        let share = |tree| cancel.check().map(|()| core::inner_share(tree));
        trees.iter().map(share).collect::<crate::Result<Vec<_>>>()
    })?;
    Ok(PyArray1::from_vec(py, shares))
}
