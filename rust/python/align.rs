//! Alignments: one, all, and soft.

use crate::align::{
    CoOptimal, Enumeration, Integer, Order, Problem, Solved, Ties, align_work, in_quanta,
    one_alignment, soft_alignment, subtree_distances as core_subtree_distances, walks_in_preorder,
};
use crate::distance::{Scratch, Workspace, pair_work};
use crate::error::{Error, Result};
use crate::pair::Pair;
use crate::parallel::Cancel;
use crate::python::cost::CostTable;
use crate::python::distance::{GivenPair, LONG_PAIR, SMALL_PAIR, WORKSPACE, with_pair};
use crate::python::run;
use crate::python::tree::TreeData;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::any::Any;
use std::sync::Mutex;

/// Runs work on two trees: at once if they are small, otherwise so that Ctrl-C can stop it. Large
/// ones may be worked on by that many threads.
fn on_pair<T: Send>(
    py: Python<'_>,
    pair: GivenPair<'_, '_>,
    threads: usize,
    work: impl FnOnce(Solver<'_, '_>) -> Result<T> + Send,
) -> PyResult<T> {
    on_pair_with(py, pair, (threads, 0.0), work)
}

/// The same, if there is more to do than the cells of the pair.
pub(super) fn on_pair_with<T: Send>(
    py: Python<'_>,
    pair: GivenPair<'_, '_>,
    (threads, more): (usize, f64),
    work: impl FnOnce(Solver<'_, '_>) -> Result<T> + Send,
) -> PyResult<T> {
    with_pair(py, pair, |pair| {
        let (x, y) = (pair.x.tree, pair.y.tree);
        let cells = pair_work(x, y) + align_work(x, y) + more;
        let solve = |workspace: &mut Workspace, cancel: &Cancel| {
            work(Solver { pair, scratch: Scratch { workspace, cancel } })
        };
        if cells > LONG_PAIR {
            return run::watched(py, |cancel| solve(&mut Workspace::of_team(threads), cancel));
        }
        let quick = || WORKSPACE.with_borrow_mut(|scratch| solve(scratch, &Cancel::default()));
        if cells < SMALL_PAIR { run::at_once(quick) } else { run::briefly(py, quick) }
    })
}

/// A pair, and what is needed to align it.
pub(super) struct Solver<'a, 's> {
    pub(super) pair: Pair<'a>,
    pub(super) scratch: Scratch<'s>,
}

impl<'a> Solver<'a, '_> {
    fn cancel(&self) -> &Cancel {
        self.scratch.cancel
    }

    fn problem<Q: Integer>(
        &mut self,
        tolerance: Option<f64>,
        order: Order,
    ) -> Result<Problem<'a, Q>> {
        Problem::new(self.pair, tolerance, order, &mut self.scratch)
    }

    fn cooptimal<Q: Integer>(
        &mut self,
        tolerance: Option<f64>,
        order: Order,
    ) -> Result<CoOptimal<'a, Q>> {
        CoOptimal::new(self.problem(tolerance, order)?, self.scratch.cancel)
    }
}

fn matrix(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// Pairs of an alignment as they are kept: small, and made into tuples when asked for.
pub(super) fn pack<'py>(py: Python<'py>, pairs: &[(u32, u32)]) -> Bound<'py, PyBytes> {
    let bytes = pairs.iter().flat_map(|&(i, j)| [i.to_le_bytes(), j.to_le_bytes()]);
    PyBytes::new(py, &bytes.flatten().collect::<Vec<_>>())
}

fn unpack(pairs: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    pairs.chunks_exact(8).map(move |pair| (number(&pair[..4]), number(&pair[4..])))
}

/// Every node of x with its partner or `None`, then the nodes of y without one.
#[pyfunction]
pub(super) fn all_pairs<'py>(
    py: Python<'py>,
    pairs: &[u8],
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (n, m) = (x.get().codes.len() as u32, y.get().codes.len() as u32);
    let mut all = Vec::with_capacity((n + m) as usize);
    let mut inserted = vec![true; m as usize];
    let mut next = unpack(pairs).peekable();
    for i in 0..n {
        all.push(match next.next_if(|pair| pair.0 == i) {
            Some((_, j)) => {
                if let Some(inserted) = inserted.get_mut(j as usize) {
                    *inserted = false;
                }
                (i, j).into_pyobject(py)?
            }
            None => (i, py.None()).into_pyobject(py)?,
        });
    }
    for j in (0..m).filter(|&j| inserted[j as usize]) {
        all.push((py.None(), j).into_pyobject(py)?);
    }
    PyTuple::new(py, all)
}

/// The cost of an alignment and its pairs.
type Aligned<'py> = (f64, Bound<'py, PyBytes>);

/// One optimal alignment; `how` is whether, among several, to take one that pairs only where nothing
/// else is optimal, in place of one that pairs as early as possible; and the number of threads.
#[pyfunction]
pub(super) fn align_pair<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
    how: (bool, usize),
) -> PyResult<Aligned<'py>> {
    let (delete_first, threads) = how;
    let ties = if delete_first { Ties::Delete } else { Ties::Pair };
    let (cost, pairs) = on_pair(py, (x, y, table, index), threads, |mut solver| {
        in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
            let problem = solver.problem::<Q>(Some(0.0), ties.order())?;
            Ok((problem.optimal_cost(), one_alignment(&problem, ties, solver.cancel())?))
        })
    })?;
    Ok((cost, pack(py, &pairs)))
}

/// The cost of an alignment that is given by its pairs, which must be in range.
#[pyfunction]
pub(super) fn alignment_cost(
    py: Python<'_>,
    x: &Bound<'_, TreeData>,
    y: &Bound<'_, TreeData>,
    table: Option<&Bound<'_, CostTable>>,
    index: Option<&Bound<'_, PyDict>>,
    pairs: &[u8],
) -> PyResult<f64> {
    let (labels_x, labels_y) = (&x.get().codes, &y.get().codes);
    let by_node = table.is_some_and(|table| table.get().is_by_node());
    with_pair(py, (x, y, table, index), |pair| {
        let labels = |(i, j): (u32, u32)| {
            let (a, b) = (*labels_x.get(i as usize)? as u32, *labels_y.get(j as usize)? as u32);
            Some(if by_node { (i, j) } else { (pair.x.code(a), pair.y.code(b)) })
        };
        let labels: Option<Vec<_>> = unpack(pairs).map(labels).collect();
        let labels = labels.ok_or_else(|| Error::Invalid("a pair is out of range".to_owned()))?;
        Ok(pair.cost_of(&labels))
    })
}

/// All optimal alignments of two trees. The pair is solved at the first question and kept.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct CoOptimalPair {
    x: Py<TreeData>,
    y: Py<TreeData>,
    table: Option<Py<CostTable>>,
    index: Option<Py<PyDict>>,
    tolerance: Option<f64>,
    solved: KeptSolution,
}

#[pymethods]
#[allow(clippy::redundant_closure_for_method_calls)] // methods are bound to one lifetime
impl CoOptimalPair {
    #[new]
    fn new(
        x: Py<TreeData>,
        y: Py<TreeData>,
        table: Option<Py<CostTable>>,
        index: Option<Py<PyDict>>,
        tolerance: Option<f64>,
    ) -> Self {
        Self { x, y, table, index, tolerance, solved: KeptSolution::default() }
    }

    /// For the garbage collector; see `TreeData`.
    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        visit.call(&self.x)?;
        visit.call(&self.y)?;
        visit.call(&self.table)?;
        visit.call(&self.index)
    }

    /// The number of optimal alignments as little-endian bytes.
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let count = self.ask(py, 0.0, |solver| {
            in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
                self.solved.ask::<Q, _>(solver, self.tolerance, |pair, cancel| pair.count(cancel))
            })
        })?;
        Ok(PyBytes::new(py, &count.to_bytes_le()))
    }

    /// The share of optimal alignments with each pair, deletion and insertion.
    fn expectation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let expectation = self.ask(py, 0.0, |solver| {
            in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
                self.solved.ask::<Q, _>(solver, self.tolerance, |pair, cancel| pair.expectation(cancel))
            })
        })?;
        matrix(py, expectation.shares, self.y.get().codes.len() + 1)
    }

    /// Optimal alignments drawn uniformly.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: u32,
        seed: u64,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        // A walk takes about as many steps as there are nodes, each as long as a few cells.
        let nodes = self.x.get().codes.len() + self.y.get().codes.len();
        let samples = self.ask(py, 10.0 * f64::from(count) * nodes as f64, |solver| {
            in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
                self.solved.ask::<Q, _>(solver, self.tolerance, |pair, cancel| {
                    pair.sample(count, seed, cancel)
                })
            })
        })?;
        Ok(samples.iter().map(|pairs| pack(py, pairs)).collect())
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Alignments> {
        let enumeration = self.ask(py, 0.0, |mut solver| {
            in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
                if walks_in_preorder(solver.pair, self.tolerance) {
                    self.solved.ask::<Q, _>(solver, self.tolerance, Enumeration::new)
                } else {
                    let pair = solver.cooptimal::<Q>(self.tolerance, Order::Preorder)?;
                    Enumeration::new(&pair, solver.cancel())
                }
            })
        })?;
        Ok(Alignments { enumeration: Mutex::new(enumeration) })
    }
}

impl CoOptimalPair {
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        more: f64,
        work: impl FnOnce(Solver<'_, '_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let table = self.table.as_ref().map(|table| table.bind(py));
        let index = self.index.as_ref().map(|index| index.bind(py));
        on_pair_with(py, (self.x.bind(py), self.y.bind(py), table, index), (1, more), work)
    }
}

/// The solution of a pair between two questions; its type depends on the costs.
#[derive(Default)]
struct KeptSolution(Mutex<Option<Box<dyn Any + Send>>>);

impl KeptSolution {
    /// Answers a question with the solution, which is found if there is none. Nobody waits: while
    /// another thread has the solution, this one finds its own.
    fn ask<Q: Integer + Send, T>(
        &self,
        mut solver: Solver<'_, '_>,
        tolerance: Option<f64>,
        question: impl FnOnce(&CoOptimal<'_, Q>, &Cancel) -> Result<T>,
    ) -> Result<T> {
        let kept = self.0.try_lock().ok().and_then(|mut kept| kept.take());
        let pair = match kept.and_then(|kept| kept.downcast::<Solved<Q>>().ok()) {
            Some(solved) => CoOptimal::resume(solver.pair, tolerance, Order::Any, *solved)?,
            None => solver.cooptimal(tolerance, Order::Any)?,
        };
        let answer = question(&pair, solver.cancel());
        if let Ok(mut kept) = self.0.try_lock() {
            *kept = Some(Box::new(pair.into_solved()));
        }
        answer
    }
}

/// An iterator over the pairs of all optimal alignments.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct Alignments {
    enumeration: Mutex<Enumeration>,
}

#[pymethods]
impl Alignments {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        // Waiting attached would stop the garbage collection of free-threaded Python.
        let pairs = self.enumeration.lock_py_attached(py).ok()?.next()?;
        Some(pack(py, &pairs))
    }
}

/// The soft distance and the expected alignment at a temperature.
#[pyfunction]
pub(super) fn soft_pair<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
    temperature: f64,
) -> PyResult<(f64, Bound<'py, PyArray2<f64>>)> {
    let (cost, expectation) = on_pair(py, (x, y, table, index), 1, |mut solver| {
        in_quanta!(solver.pair.costs, solver.pair.nodes(), Q => {
            soft_alignment(&solver.problem::<Q>(Some(0.0), Order::Free)?, temperature, solver.cancel())
        })
    })?;
    Ok((cost, matrix(py, expectation.shares, y.get().codes.len() + 1)?))
}

/// The distances of all pairs of subtrees.
#[pyfunction]
pub(super) fn subtree_distances<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let distances = on_pair(py, (x, y, table, index), threads, |mut solver| {
        core_subtree_distances(&solver.pair, &mut solver.scratch)
    })?;
    PyArray1::from_vec(py, distances).reshape([x.get().codes.len(), y.get().codes.len()])
}
