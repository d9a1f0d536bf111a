//! Distances of pairs and of sets.

use crate::distance::{self, Decomposition, Kernel, PairPlan, Route, Scratch, Workspace};
use crate::error::Error;
use crate::pair::{Costs, Operand, Pair, Side};
use crate::pairwise::{self as core, MatrixRequest};
use crate::parallel::{self, Cancel};
use crate::python::cost::{CostTable, GivenCosts, ResolvedCosts, encode_into, with_set_costs};
use crate::python::run::{self, Work};
use crate::python::set::GivenSets;
use crate::python::tree::TreeData;
use crate::tree::Orientation;
use crate::unordered;
use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray, PyReadwriteArray1,
    PyReadwriteArray2,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::{Cell, RefCell};

/// Below this much work (cells) a pair takes microseconds and keeps the GIL.
pub(super) const SMALL_PAIR: f64 = 1e5;
/// Above this much work a pair takes long enough that someone may press Ctrl-C.
pub(super) const LONG_PAIR: f64 = 2e7;

thread_local! {
    pub(super) static WORKSPACE: RefCell<Workspace> = RefCell::default();
    /// Taken while labels are compared, which may run Python code and come back here.
    static CODES: Cell<(Vec<u32>, Vec<u32>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// The number of threads that `n_jobs` (-1: all) stands for.
#[pyfunction]
pub(super) fn threads(n_jobs: i64) -> usize {
    let usable = parallel::usable_threads();
    usize::try_from(n_jobs).map_or(usable, |wanted| wanted.min(parallel::ceiling()).max(1))
}

/// Bytes that the system can still give.
#[pyfunction]
pub(super) fn available_memory() -> u64 {
    crate::memory::available()
}

fn pair_distance(py: Python<'_>, pair: &Pair<'_>, cutoff: Option<f64>) -> PyResult<f64> {
    let plan = PairPlan::new(pair);
    let compute = |workspace: &mut Workspace, cancel: &Cancel| {
        let scratch = &mut Scratch { workspace, cancel };
        match cutoff {
            None => distance::planned_distance(pair, &plan, scratch),
            Some(cutoff) => distance::planned_distance_within(pair, &plan, cutoff, scratch),
        }
    };
    let quick = |cancel: &Cancel| WORKSPACE.with_borrow_mut(|scratch| compute(scratch, cancel));
    if plan.cells() < SMALL_PAIR {
        return Ok(quick(&Cancel::default())?);
    }
    if plan.cells() < LONG_PAIR {
        return run::briefly(py, || quick(&Cancel::default()));
    }
    run::watched(py, |cancel| compute(&mut Workspace::default(), cancel))
}

/// Codes under which the labels of `y` can be compared with those of `x`.
fn match_labels(py: Python<'_>, x: &TreeData, y: &TreeData, codes: &mut Vec<u32>) -> PyResult<()> {
    let index = x.index.bind(py);
    let mut new = index.len() as u32;
    codes.clear();
    for label in y.alphabet.bind(py).iter() {
        if let Some(code) = index.get_item(label)? {
            codes.push(code.extract()?);
        } else {
            codes.push(new);
            new += 1;
        }
    }
    Ok(())
}

/// The unit-cost distance of two trees, infinite above the cutoff.
#[pyfunction]
#[pyo3(signature = (x, y, cutoff=None))]
pub(super) fn unit_distance(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    cutoff: Option<f64>,
) -> PyResult<f64> {
    with_pair(py, (x, y, None, None), |pair| pair_distance(py, &pair, cutoff))
}

/// The distance of two trees by table, infinite above the cutoff; without an index, the table's
/// alphabets are those of the trees.
#[pyfunction]
#[pyo3(signature = (x, y, table, index, cutoff=None))]
pub(super) fn table_distance(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: &Bound<'_, CostTable>,
    index: Option<&Bound<'_, PyDict>>,
    cutoff: Option<f64>,
) -> PyResult<f64> {
    with_pair(py, (x, y, Some(table), index), |pair| pair_distance(py, &pair, cutoff))
}

/// Two trees and their costs, as they come from Python: without a table unit costs, without an
/// index a table whose alphabets are those of the trees.
pub(super) type GivenPair<'a, 'py> = (
    &'a Bound<'py, TreeData>,
    &'a Bound<'py, TreeData>,
    Option<&'a Bound<'py, CostTable>>,
    Option<&'a Bound<'py, PyDict>>,
);

/// Runs `compute` with both trees coded for their costs: by table, or unit costs.
pub(super) fn with_pair<T>(
    py: Python<'_>,
    (x, y, table, index): GivenPair<'_, '_>,
    compute: impl FnOnce(Pair<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let (x, y) = (x.get(), y.get());
    let (mut of_x, mut of_y) = CODES.take();
    let costs = table.map_or(Costs::Unit, |table| table.get().costs());
    let by_node = table.is_some_and(|table| table.get().is_by_node());
    // Which trees need a translation of their label codes.
    let translated = match (costs, index) {
        (Costs::Unit | Costs::Operations(_), _) => {
            match_labels(py, x, y, &mut of_y)?;
            (false, true)
        }
        (Costs::Table(_), Some(index)) => {
            encode_into(x.alphabet.bind(py), index, &mut of_x)?;
            encode_into(y.alphabet.bind(py), index, &mut of_y)?;
            (true, true)
        }
        (Costs::Table(table), None) => {
            let rows = |tree: &TreeData| {
                if by_node { tree.codes.len() } else { tree.index.bind(py).len() }
            };
            check_shape(table.shape(), (rows(x), rows(y)))?;
            (false, false)
        }
    };
    let prepared = |tree| if by_node { TreeData::by_node(tree) } else { TreeData::prepared(tree) };
    let x = Operand { tree: prepared(x), codes: translated.0.then_some(&of_x[..]) };
    let y = Operand { tree: prepared(y), codes: translated.1.then_some(&of_y[..]) };
    let result = compute(Pair { x, y, costs });
    CODES.set((of_x, of_y));
    result
}

/// Without an index, trees refer to the rows and columns of the table directly.
fn check_shape(table: (usize, usize), labels: (usize, usize)) -> PyResult<()> {
    if labels.0 <= table.0 && labels.1 <= table.1 {
        return Ok(());
    }
    Err(Error::Invalid(format!("a cost table of shape {table:?} cannot serve {labels:?} labels"))
        .into())
}

/// A kernel and a route by name: packed or scalar, the paths, and whether the trees are swapped.
type Way<'a> = (bool, &'a str, bool);

/// The distance of two trees by a chosen kernel and route. All must agree; for tests.
#[pyfunction]
pub(super) fn distance_by(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: Option<&Bound<'_, CostTable>>,
    index: Option<&Bound<'_, PyDict>>,
    way: Way<'_>,
) -> PyResult<f64> {
    let (packed, paths, swapped) = way;
    let kernel = if packed { Kernel::Packed } else { Kernel::Scalar };
    let decomposition = match paths {
        "left" => Decomposition::Outer(Orientation::Left),
        "right" => Decomposition::Outer(Orientation::Right),
        "inner" => Decomposition::Inner,
        _ => Decomposition::Mixed,
    };
    let route = Route { decomposition, swapped };
    with_pair(py, (x, y, table, index), |pair| {
        let scratch =
            &mut Scratch { workspace: &mut Workspace::default(), cancel: &Cancel::default() };
        Ok(distance::distance_by(&pair, kernel, route, scratch)?)
    })
}

/// Where distances go: a square matrix or the condensed upper triangle.
enum Output<'py> {
    Square64(PyReadwriteArray2<'py, f64>),
    Square32(PyReadwriteArray2<'py, f32>),
    Condensed64(PyReadwriteArray1<'py, f64>),
    Condensed32(PyReadwriteArray1<'py, f32>),
}

impl<'py> Output<'py> {
    fn new(out: &Bound<'py, PyAny>) -> PyResult<Self> {
        fn locked<'py, T: Element, D: Dimension>(
            array: &Bound<'py, PyArray<T, D>>,
        ) -> PyResult<PyReadwriteArray<'py, T, D>> {
            let busy = |_| Error::Invalid("out is in use by another call".to_owned());
            Ok(array.try_readwrite().map_err(busy)?)
        }
        if let Ok(array) = out.cast() {
            return locked(array).map(Self::Square64);
        }
        if let Ok(array) = out.cast() {
            return locked(array).map(Self::Square32);
        }
        if let Ok(array) = out.cast() {
            return locked(array).map(Self::Condensed64);
        }
        locked(out.cast()?).map(Self::Condensed32)
    }
}

/// Fills `out` with all distances from `x` to `y`, or inside `x`; returns the number of those that
/// were computed, the others being certain to be above the cutoff.
#[pyfunction]
pub(super) fn pairwise(
    py: Python<'_>,
    sets: GivenSets<'_>,
    resolved: ResolvedCosts<'_>,
    out: &Bound<'_, PyAny>,
    cutoff: Option<f64>,
    work: Work,
) -> PyResult<u64> {
    fill_matrix(py, (sets, resolved), out, cutoff, work, Children::Ordered)
}

/// Whether the order of children counts.
#[derive(Clone, Copy)]
pub(super) enum Children {
    Ordered,
    Unordered,
}

/// Fills `out` as [`pairwise`] does, with or without the order of children.
pub(super) fn fill_matrix(
    py: Python<'_>,
    (sets, resolved): (GivenSets<'_>, ResolvedCosts<'_>),
    out: &Bound<'_, PyAny>,
    cutoff: Option<f64>,
    work: Work,
    order: Children,
) -> PyResult<u64> {
    let (x, y) = &sets;
    let ((codes_x, codes_y), costs) = resolved;
    let (threads, progress) = work;
    let symmetric = costs.as_ref().is_none_or(GivenCosts::is_symmetric);
    let codes_x = codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let codes_y = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let sources = Side { trees: &x.get().trees, codes: codes_x };
    let targets = y.as_ref().map_or(sources, |y| Side { trees: &y.get().trees, codes: codes_y });
    let out = Output::new(out)?;
    let condensed = matches!(out, Output::Condensed64(_) | Output::Condensed32(_));
    let (n, m) = (sources.trees.len(), targets.trees.len());
    let wrong =
        |shape: &[usize]| PyErr::from(Error::Invalid(format!("out has the wrong shape {shape:?}")));
    macro_rules! fill {
        (square $array:ident, $type:ty, $request:ident) => {{
            let mut view = $array.as_array_mut();
            if view.shape() != [n, m] {
                return Err(wrong(view.shape()));
            }
            let triangle = $request.triangle;
            run::enter(py, progress, $request.pairs(), |cancel, poll| {
                let store = |i: usize, j: usize, d: f64| {
                    let d = d as $type;
                    view[[i, j]] = d;
                    if triangle {
                        view[[j, i]] = d;
                    }
                };
                match order {
                    Children::Ordered => core::compute(&$request, threads, cancel, store, poll),
                    Children::Unordered => {
                        unordered::compute(&$request, threads, cancel, store, poll)
                    }
                }
            })
        }};
        (condensed $array:ident, $type:ty, $request:ident) => {{
            let mut view = $array.as_array_mut();
            if !$request.triangle || view.len() != n * n.saturating_sub(1) / 2 {
                return Err(wrong(view.shape()));
            }
            run::enter(py, progress, $request.pairs(), |cancel, poll| {
                let store = |i: usize, j: usize, d: f64| {
                    let (i, j) = (i.min(j), i.max(j));
                    view[n * i - i * (i + 1) / 2 + j - i - 1] = d as $type;
                };
                match order {
                    Children::Ordered => core::compute(&$request, threads, cancel, store, poll),
                    Children::Unordered => {
                        unordered::compute(&$request, threads, cancel, store, poll)
                    }
                }
            })
        }};
    }
    with_set_costs(py, costs.as_ref(), |costs| {
        let request = MatrixRequest {
            x: sources,
            y: targets,
            costs,
            triangle: y.is_none() && symmetric,
            diagonal: !condensed,
            cutoff,
        };
        let computed = match out {
            Output::Square64(mut array) => fill!(square array, f64, request),
            Output::Square32(mut array) => fill!(square array, f32, request),
            Output::Condensed64(mut array) => fill!(condensed array, f64, request),
            Output::Condensed32(mut array) => fill!(condensed array, f32, request),
        };
        Ok(computed?.exact)
    })
}
