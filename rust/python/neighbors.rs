//! Neighbours of trees.

use crate::error::Error;
use crate::pair::Side;
use crate::pairwise::{self as core, Found, Index, Method, Pivots, Search, Wanted};
use crate::python::cost::{GivenCosts, ResolvedCosts, with_set_costs};
use crate::python::distance::norm_named;
use crate::python::run::{self, Work};
use crate::python::set::{GivenSets, PreparedSet};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Offsets of rows, indices and distances of neighbours, and how many distances were computed.
type Rows<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, u64);
/// Positions of pivots, their distances to all candidates, and the slack per node.
type PivotTable<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, f64);

/// Pivots, the index of the trees to choose from, and the name of the method.
type How<'py> = (Option<PivotTable<'py>>, Option<Bound<'py, SearchIndex>>, String);

/// What searches keep of the trees of an index, for its codes and its costs.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct SearchIndex {
    pub(super) index: Index,
}

#[pymethods]
impl SearchIndex {
    #[new]
    fn new(
        py: Python<'_>,
        y: &Bound<'_, PreparedSet>,
        codes: Option<PyReadonlyArray1<'_, u32>>,
        costs: Option<GivenCosts<'_>>,
        threads: usize,
    ) -> PyResult<Self> {
        let codes = codes.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let targets = Side { trees: &y.get().trees, codes };
        let index = with_set_costs(py, costs.as_ref(), |costs| {
            run::enter(py, None, 1, |cancel, poll| {
                Index::new(targets, costs, threads, cancel, || poll(0))
            })
        })?;
        Ok(Self { index })
    }
}

/// The `k` nearest trees of `y`, or those within a radius, for all trees of `x`; inside `x`
/// without a `y`.
#[pyfunction]
pub(super) fn neighbors<'py>(
    py: Python<'py>,
    sets: GivenSets<'py>,
    resolved: ResolvedCosts<'py>,
    wanted: (Option<usize>, Option<f64>, Option<String>),
    how: How<'py>,
    work: Work,
) -> PyResult<Rows<'py>> {
    let (x, y) = &sets;
    let ((codes_x, codes_y), costs) = resolved;
    let (k, radius, norm) = wanted;
    let norm = norm_named(norm.as_deref())?;
    let (pivots, index, method) = how;
    let (threads, progress) = work;
    let wanted = match (k, radius) {
        (Some(k), None) => Wanted::Nearest(k),
        (None, Some(radius)) => Wanted::Within(radius),
        _ => return Err(Error::Invalid("either k or radius must be given".to_owned()).into()),
    };
    let method = match method.as_str() {
        "auto" => Method::Auto,
        "bounds" => Method::Bounds,
        "batches" => Method::Batches,
        _ => return Err(Error::Invalid(format!("there is no method {method:?}")).into()),
    };
    let symmetric = costs.as_ref().is_none_or(GivenCosts::is_symmetric);
    let codes_x = codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let codes_y = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let sources = Side { trees: &x.get().trees, codes: codes_x };
    let targets = y.as_ref().map_or(sources, |y| Side { trees: &y.get().trees, codes: codes_y });
    let pivots = match &pivots {
        None => None,
        Some((chosen, distances, slack)) => {
            let (chosen, distances) = (chosen.as_slice()?, distances.as_slice()?);
            Some(check_pivots(chosen, distances, *slack, targets.trees.len())?)
        }
    };
    let found = with_set_costs(py, costs.as_ref(), |costs| {
        let index = index.as_ref().map(|index| &index.get().index);
        let inside = y.is_none();
        let (x, y) = (sources, targets);
        let search = Search { x, y, costs, norm, inside, symmetric, pivots, index };
        let total = sources.trees.len() as u64;
        run::enter(py, progress, total, |cancel, poll| {
            core::search(&search, wanted, method, threads, cancel, poll)
        })
    })?;
    Ok(in_arrays(py, &found))
}

/// Pivots that came from outside must fit the candidates.
fn check_pivots<'a>(
    chosen: &'a [u32],
    distances: &'a [f64],
    slack: f64,
    candidates: usize,
) -> PyResult<Pivots<'a>> {
    let inside = chosen.iter().all(|&pivot| (pivot as usize) < candidates);
    if chosen.is_empty() || !inside || distances.len() != chosen.len() * candidates {
        let (pivots, count) = (chosen.len(), distances.len());
        return Err(Error::Invalid(format!(
            "{pivots} pivots with {count} distances do not fit {candidates} candidates"
        ))
        .into());
    }
    Ok(Pivots { chosen, distances, slack })
}

pub(super) fn in_arrays<'py>(py: Python<'py>, found: &Found) -> Rows<'py> {
    let mut offsets = Vec::with_capacity(found.rows.len() + 1);
    offsets.push(0);
    let mut end = 0;
    for row in &found.rows {
        end += row.len() as i64;
        offsets.push(end);
    }
    let all = || found.rows.iter().flatten();
    let indices = all().map(|near| i64::from(near.index)).collect();
    let distances = all().map(|near| near.distance).collect();
    (
        PyArray1::from_vec(py, offsets),
        PyArray1::from_vec(py, indices),
        PyArray1::from_vec(py, distances),
        found.computed,
    )
}
