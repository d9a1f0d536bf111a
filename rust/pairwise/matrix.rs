//! All distances of a request, by as many threads as help.

use crate::distance::{Catalogue, Workspace, cell_time};
use crate::error::{Error, Result};
use crate::memory;
use crate::pairwise::account;
use crate::pairwise::filter::FilterMemory;
use crate::pairwise::plan::{Chosen, Plan, Shape, Task};
use crate::pairwise::results::{Results, must_meet_themselves};
use crate::pairwise::task::Matrix;
use crate::pairwise::whole::WholeTable;
use crate::pairwise::{Computed, MatrixRequest};
use crate::parallel::{self, Cancel, Crew, Tasks};
use crate::tree::{Copies, Prepared};
use std::cell::{Cell, RefCell};

/// Below this much work (cells) the calling thread computes alone: a few milliseconds at most.
pub(super) const SMALL_MATRIX: f64 = 2e7;

/// Computes all distances of the request and hands them to `store(i, j, distance)` on the
/// calling thread, in any order, each once.
///
/// `poll(done)` is called now and then with the number of stored distances and may stop the
/// work by returning `false`.
///
/// # Errors
/// [`crate::Error::Memory`] before work starts if the scratch does not fit;
/// [`crate::Error::Cancelled`] if `poll` asked to stop.
pub fn compute<S: FnMut(usize, usize, f64)>(
    request: &MatrixRequest<'_>,
    threads: usize,
    cancel: &Cancel,
    store: S,
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    let whole = WholeTable::new(request);
    let request = whole.as_ref().map_or(*request, |table| table.request(request));
    compute_known(&request, None, threads, cancel, store, poll)
}

/// The same, with the bounds of the targets if they are known already.
pub(super) fn compute_known<S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool>(
    request: &MatrixRequest<'_>,
    catalogue: Option<&Catalogue>,
    threads: usize,
    cancel: &Cancel,
    store: S,
    poll: P,
) -> Result<Computed> {
    let MatrixRequest { x, y, triangle, .. } = *request;
    // Trees that occur again have the distances of the first of their kind.
    let of_rows = Copies::new(x.trees, 0..x.trees.len());
    let other = (!triangle).then(|| Copies::new(y.trees, 0..y.trees.len()));
    let of_columns = other.as_ref().unwrap_or(&of_rows);
    let kinds = Kinds { rows: of_rows.distinct(), columns: of_columns.distinct() };
    let (done, poll) = (Cell::new(0), RefCell::new(poll));
    let mut results = Results::new(request, (&of_rows, of_columns), store, (&done, &poll), cancel);
    let diagonal = triangle && must_meet_themselves(request, &of_rows);
    if triangle && !diagonal {
        for &i in kinds.rows {
            results.store_copies(i as usize, i as usize, 0.0);
        }
    }
    let shape = Shape { triangle, diagonal, costs: request.costs };
    let rows = Chosen { trees: x.trees, indices: kinds.rows };
    let columns = Chosen { trees: y.trees, indices: kinds.columns };
    let plan = Plan::new(rows, columns, shape, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    let scratch = account::scratch_bytes(request, kinds, diagonal, threads);
    memory::check("the scratch of all threads", scratch)?;
    let work_time = plan.cells * cell_time(request.costs, mean_nodes(x.trees));
    let mut ask = || poll.borrow_mut()(done.get());
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let matrix = Matrix::new(request, &plan, diagonal, (catalogue, work_time), &mut crew)?;
    let exact = run(&matrix, work_time / threads as f64, threads, &mut results)?;
    cancel.check()?;
    // The last report: all is done.
    let pairs = done.get();
    if poll.into_inner()(pairs) { Ok(Computed { pairs, exact }) } else { Err(Error::Cancelled) }
}

/// Runs all tasks and returns the number of wanted distances that were computed. `thread_time` is
/// the time that each thread works.
fn run<S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool>(
    matrix: &Matrix<'_>,
    thread_time: f64,
    threads: usize,
    results: &mut Results<'_, S, P>,
) -> Result<u64> {
    let plan = matrix.plan;
    let (done, poll, cancel) = (results.done, results.poll, results.cancel);
    let mut exact = 0;
    let scratch = || (Workspace::default(), FilterMemory::new(thread_time));
    let work = |scratch: &mut (Workspace, FilterMemory), index: usize| {
        Ok((index, matrix.task(&plan.tasks[index], scratch, cancel)?))
    };
    let mut receive = |(index, (distances, computed)): (usize, (Vec<f64>, u64))| {
        store_task(results, matrix, &plan.tasks[index], distances);
        exact += computed;
    };
    if plan.cells < SMALL_MATRIX {
        let mut scratch = scratch();
        for index in 0..plan.tasks.len() {
            receive(work(&mut scratch, index)?);
            cancel.check()?;
        }
    } else {
        let tasks = Tasks { threads, count: plan.tasks.len(), cancel };
        parallel::for_each(tasks, scratch, work, receive, || poll.borrow_mut()(done.get()))?;
    }
    Ok(exact)
}

/// Stores the wanted distances of a task.
fn store_task<S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool>(
    results: &mut Results<'_, S, P>,
    matrix: &Matrix<'_>,
    task: &Task,
    distances: Vec<f64>,
) {
    let plan = matrix.plan;
    let all_differ = results.all_differ();
    let mut distances = distances.into_iter();
    for row in task.rows.clone() {
        let i = plan.row_order[row];
        for (column, &j) in task.columns.clone().zip(&plan.column_order[task.columns.clone()]) {
            let distance = distances.next().unwrap_or(f64::INFINITY);
            if !matrix.wants(row, column) {
                continue;
            }
            if all_differ && (!matrix.request.triangle || row != column) {
                results.store(i, j, distance);
            } else {
                results.store_copies(i, j, distance);
            }
        }
    }
}

/// The mean number of nodes.
pub(super) fn mean_nodes(trees: &[Prepared]) -> usize {
    trees.iter().map(Prepared::nodes).sum::<usize>() / trees.len().max(1)
}

/// One tree of each kind, on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds<'a> {
    pub(super) rows: &'a [u32],
    pub(super) columns: &'a [u32],
}
