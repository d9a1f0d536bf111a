//! Similar subtrees inside large trees.

use crate::error::{Error, Result};
use crate::pair::Operand;
use crate::pairwise::{Documents, FindRequest, FoundMatches, find as core_find};
use crate::python::cost::{ResolvedCosts, with_set_costs};
use crate::python::run::{self, Work};
use crate::python::tree::TreeData;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Flat arrays of a set of trees: codes, parents, offsets.
type Arrays<'py> =
    (PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i64>);

/// Where to look: in one tree, where it is, or in a set of trees.
#[derive(FromPyObject)]
pub(super) enum Haystack<'py> {
    Tree(Bound<'py, TreeData>),
    Set(Arrays<'py>),
}

/// Trees, nodes, sizes and distances of all matches, and how many distances were computed.
type Matches<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    u64,
);

/// The subtrees of some trees that are most similar to a query; `alphabet` is the number of labels
/// of these trees.
#[pyfunction]
pub(super) fn find<'py>(
    py: Python<'py>,
    query: &Bound<'py, TreeData>,
    trees: (Haystack<'py>, usize),
    resolved: ResolvedCosts<'py>,
    wanted: (Option<usize>, f64),
    work: Work,
) -> PyResult<Matches<'py>> {
    let ((codes_x, codes_y), costs) = resolved;
    let (threads, progress) = work;
    let (haystack, alphabet) = trees;
    let (most, radius) = wanted;
    let query = Operand {
        tree: query.get().prepared(),
        codes: codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?,
    };
    let labels = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let whole;
    let documents = match &haystack {
        Haystack::Tree(tree) => {
            let tree = tree.get();
            whole = [0, tree.codes.len() as i64];
            Documents { codes: &tree.codes, parents: &tree.parents, offsets: &whole }
        }
        Haystack::Set((codes, parents, offsets)) => Documents {
            codes: codes.as_slice()?,
            parents: parents.as_slice()?,
            offsets: offsets.as_slice()?,
        },
    };
    if u32::try_from(documents.offsets.len()).is_err() {
        let message = format!("there are {} trees, which are too many", documents.offsets.len());
        return Err(Error::Invalid(message).into());
    }
    let found = with_set_costs(py, costs.as_ref(), |costs| {
        let request = FindRequest { query, documents, alphabet, labels, costs, most, radius };
        let nodes = documents.parents.len() as u64;
        run::enter(py, progress, nodes, |cancel, poll| -> Result<_> {
            core_find(&request, threads, cancel, poll)
        })
    })?;
    Ok(in_arrays(py, &found))
}

fn in_arrays<'py>(py: Python<'py>, found: &FoundMatches) -> Matches<'py> {
    let FoundMatches { matches, computed } = found;
    (
        PyArray1::from_iter(py, matches.iter().map(|found| i64::from(found.tree))),
        PyArray1::from_iter(py, matches.iter().map(|found| i64::from(found.node))),
        PyArray1::from_iter(py, matches.iter().map(|found| i64::from(found.size))),
        PyArray1::from_iter(py, matches.iter().map(|found| found.distance)),
        *computed,
    )
}
