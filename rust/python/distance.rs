//! Distances of pairs and of sets.

use crate::distance::{self, Decomposition, Kernel, PairPlan, Route, Scratch, Workspace};
use crate::error::Error;
use crate::pair::{Costs, Norm, Operand, Pair, Side};
use crate::pairwise::{self as core, MatrixRequest, PairedRequest};
use crate::parallel::Cancel;
use crate::python::cost::{CostTable, GivenCosts, ResolvedCosts, encode_into, with_set_costs};
use crate::python::output::{Sink, with_values, wrong_shape};
use crate::python::run::{self, Work};
use crate::python::set::{GivenSets, PreparedSet};
use crate::python::tree::TreeData;
use crate::tree::Orientation;
use crate::unordered;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

/// Below this much work (cells) a pair takes microseconds and keeps the GIL.
pub(super) const SMALL_PAIR: f64 = 1e5;
/// Above this much work a pair takes long enough that someone may press Ctrl-C.
pub(super) const LONG_PAIR: f64 = 2e7;
/// The token of work that ends before anyone could stop it: no one sets it.
static NEVER: LazyLock<Cancel> = LazyLock::new(Cancel::default);

thread_local! {
    pub(super) static WORKSPACE: RefCell<Workspace> = RefCell::default();
    /// Taken while labels are compared, which may run Python code and come back here.
    static CODES: Cell<(Vec<u32>, Vec<u32>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// The distance of a pair; of a large one by that many threads.
fn pair_distance(
    py: Python<'_>,
    pair: &Pair<'_>,
    limits: (Option<f64>, Option<Norm>),
    threads: usize,
) -> PyResult<f64> {
    let (cutoff, norm) = limits;
    let plan = PairPlan::new(pair);
    let compute = |workspace: &mut Workspace, cancel: &Cancel| {
        let scratch = &mut Scratch { workspace, cancel };
        match (cutoff, norm) {
            (None, None) => distance::planned_distance(pair, &plan, scratch),
            _ => distance::planned_result(pair, &plan, norm, cutoff, scratch),
        }
    };
    let quick = || WORKSPACE.with_borrow_mut(|scratch| compute(scratch, &NEVER));
    if plan.cells() < SMALL_PAIR {
        return run::at_once(quick);
    }
    if plan.cells() < LONG_PAIR {
        return run::briefly(py, quick);
    }
    run::watched(py, |cancel| compute(&mut Workspace::of_team(threads), cancel))
}

/// Codes under which the labels of `y` can be compared with those of `x`.
pub(super) fn match_labels(
    py: Python<'_>,
    x: &TreeData,
    y: &TreeData,
    codes: &mut Vec<u32>,
) -> PyResult<()> {
    let others = (y.alphabet.bind(py), y.label_table(py)?);
    x.label_table(py)?.match_labels(x.alphabet.bind(py), others, codes)
}

/// The unit-cost distance of two trees, infinite above the cutoff.
#[pyfunction]
#[pyo3(signature = (x, y, cutoff=None, threads=1))]
pub(super) fn unit_distance(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    cutoff: Option<f64>,
    threads: usize,
) -> PyResult<f64> {
    with_pair(py, (x, y, None, None), |pair| pair_distance(py, &pair, (cutoff, None), threads))
}

/// The distance of two trees by table; without an index, the table's alphabets are those of the
/// trees. `how` is the cutoff, above which the distance is infinite, and the number of threads.
#[pyfunction]
#[pyo3(signature = (x, y, table, index, how=(None, 1)))]
pub(super) fn table_distance(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: &Bound<'_, CostTable>,
    index: Option<&Bound<'_, PyDict>>,
    how: (Option<f64>, usize),
) -> PyResult<f64> {
    let (cutoff, threads) = how;
    let given = (x, y, Some(table), index);
    with_pair(py, given, |pair| pair_distance(py, &pair, (cutoff, None), threads))
}

/// The distance of two trees under a norm, infinite above the cutoff; without a table, by unit
/// costs.
#[pyfunction]
pub(super) fn pair_result(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: Option<&Bound<'_, CostTable>>,
    index: Option<&Bound<'_, PyDict>>,
    limits: Limits,
) -> PyResult<f64> {
    let norm = norm_named(limits.1.as_deref())?;
    with_pair(py, (x, y, table, index), |pair| pair_distance(py, &pair, (limits.0, norm), 1))
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
        run::at_once(|| distance::distance_by(&pair, kernel, route, scratch))
    })
}

/// What is returned instead of distances: infinity above a cutoff, and the name of a norm.
pub(super) type Limits = (Option<f64>, Option<String>);

/// The norm of that name.
pub(super) fn norm_named(name: Option<&str>) -> PyResult<Option<Norm>> {
    let unknown = |name| Error::Invalid(format!("there is no norm {name:?}"));
    Ok(name.map(|name| Norm::named(name).ok_or_else(|| unknown(name))).transpose()?)
}

/// Whether all distances under these costs are whole numbers.
#[pyfunction]
pub(super) fn is_whole(py: Python<'_>, costs: Option<GivenCosts<'_>>) -> PyResult<bool> {
    with_set_costs(py, costs.as_ref(), |costs| Ok(costs.is_whole()))
}

/// Fills `out` with all distances from `x` to `y`, or inside `x`; returns the number of those that
/// were computed, the others being certain to be above the cutoff.
#[pyfunction]
pub(super) fn pairwise(
    py: Python<'_>,
    sets: GivenSets<'_>,
    resolved: ResolvedCosts<'_>,
    out: &Bound<'_, PyAny>,
    limits: Limits,
    work: Work,
) -> PyResult<u64> {
    fill_matrix(py, (sets, resolved), out, limits, work, Children::Ordered)
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
    limits: Limits,
    work: Work,
    order: Children,
) -> PyResult<u64> {
    let (x, y) = &sets;
    let ((codes_x, codes_y), costs) = resolved;
    let (cutoff, norm) = limits;
    let (threads, progress) = work;
    let norm = norm_named(norm.as_deref())?;
    let symmetric = costs.as_ref().is_none_or(GivenCosts::is_symmetric);
    let codes_x = codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let codes_y = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let sources = Side { trees: &x.get().trees, codes: codes_x };
    let targets = y.as_ref().map_or(sources, |y| Side { trees: &y.get().trees, codes: codes_y });
    let (n, m) = (sources.trees.len(), targets.trees.len());
    with_values(out, |values| {
        let condensed = values.shape().len() == 1;
        let triangle = y.is_none() && symmetric;
        let fits = if condensed {
            triangle && values.shape() == [n * n.saturating_sub(1) / 2]
        } else {
            values.shape() == [n, m]
        };
        if !fits {
            return Err(wrong_shape(values));
        }
        with_set_costs(py, costs.as_ref(), |costs| {
            let request = MatrixRequest {
                x: sources,
                y: targets,
                costs,
                triangle,
                diagonal: !condensed,
                cutoff,
                norm,
            };
            let computed = run::enter(py, progress, request.pairs(), |cancel, poll| {
                let mut sink = Sink::new(values, cancel);
                let outcome = if condensed {
                    let store = |i: usize, j: usize, d: f64| {
                        let (i, j) = (i.min(j), i.max(j));
                        sink.put(n * i - i * (i + 1) / 2 + j - i - 1, 0, d);
                    };
                    compute(order, &request, threads, cancel, store, poll)
                } else {
                    let store = |i: usize, j: usize, d: f64| {
                        sink.put(i, j, d);
                        if triangle {
                            sink.put(j, i, d);
                        }
                    };
                    compute(order, &request, threads, cancel, store, poll)
                };
                sink.finish(outcome)
            });
            Ok(computed?.exact)
        })
    })
}

/// Computes a matrix with or without the order of children.
fn compute(
    order: Children,
    request: &MatrixRequest<'_>,
    threads: usize,
    cancel: &Cancel,
    store: impl FnMut(usize, usize, f64),
    poll: impl FnMut(u64) -> bool,
) -> crate::error::Result<core::Computed> {
    match order {
        Children::Ordered => core::compute(request, threads, cancel, store, poll),
        Children::Unordered => unordered::compute(request, threads, cancel, store, poll),
    }
}

/// Fills `out` with the distance of the first trees of both sets, of the second trees, and so on.
#[pyfunction]
pub(super) fn paired(
    py: Python<'_>,
    sets: (Bound<'_, PreparedSet>, Bound<'_, PreparedSet>),
    resolved: ResolvedCosts<'_>,
    out: &Bound<'_, PyAny>,
    limits: Limits,
    work: Work,
) -> PyResult<()> {
    let (x, y) = &sets;
    let ((codes_x, codes_y), costs) = resolved;
    let (cutoff, norm) = limits;
    let (threads, progress) = work;
    let norm = norm_named(norm.as_deref())?;
    let codes_x = codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let codes_y = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let x = Side { trees: &x.get().trees, codes: codes_x };
    let y = Side { trees: &y.get().trees, codes: codes_y };
    with_values(out, |values| {
        if values.shape() != [x.trees.len()] {
            return Err(wrong_shape(values));
        }
        with_set_costs(py, costs.as_ref(), |costs| {
            let request = PairedRequest { x, y, costs, cutoff, norm };
            run::enter(py, progress, x.trees.len() as u64, |cancel, poll| {
                let mut sink = Sink::new(values, cancel);
                let mut store = |i: usize, d: f64| sink.put(i, 0, d);
                let outcome = core::paired(&request, threads, cancel, &mut store, poll);
                sink.finish(outcome)
            })
        })
    })
}
