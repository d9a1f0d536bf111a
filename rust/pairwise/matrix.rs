//! All distances of a request, by as many threads as help.

use crate::distance::{Catalogue, Workspace, cell_time};
use crate::error::Result;
use crate::memory;
use crate::pair::{Operand, Side};
use crate::pairwise::account;
use crate::pairwise::batch::subtree_ids;
use crate::pairwise::filter::{Filter, Memory};
use crate::pairwise::plan::{Chosen, Plan, Shape};
use crate::pairwise::task::Matrix;
use crate::pairwise::{Computed, Request};
use crate::parallel::{self, Cancel, Crew, Pace};
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
    request: &Request<'_>,
    threads: usize,
    cancel: &Cancel,
    store: S,
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    compute_known(request, None, threads, cancel, store, poll)
}

/// The same, if the bounds of the targets may be known already.
pub(super) fn compute_known<S: FnMut(usize, usize, f64)>(
    request: &Request<'_>,
    catalogue: Option<&Catalogue>,
    threads: usize,
    cancel: &Cancel,
    mut store: S,
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    let Request { x, y, triangle, .. } = *request;
    let done = Cell::new(0);
    // Trees that occur again have the distances of the first of their kind.
    let of_rows = Copies::new(x.trees, 0..x.trees.len());
    let other = (!triangle).then(|| Copies::new(y.trees, 0..y.trees.len()));
    let of_columns = other.as_ref().unwrap_or(&of_rows);
    let (poll, mut pace) = (RefCell::new(poll), Pace::new());
    let all_differ = of_rows.all_differ() && of_columns.all_differ();
    let mut store_copies = |store: &mut S, i: usize, j: usize, distance: f64| {
        for a in of_rows.of(i) {
            if cancel.check().is_err() {
                return;
            }
            for b in of_columns.of(j) {
                // The pairs among the copies of one tree of a triangle are met in both orders.
                if !triangle || i != j || a < b || (a == b && request.diagonal) {
                    store(a, b, distance);
                    done.set(done.get() + 1);
                }
                // Few trees can have many copies.
                if pace.is_due() && !poll.borrow_mut()(done.get()) {
                    cancel.cancel();
                }
            }
        }
    };
    let kinds = Kinds { rows: of_rows.distinct(), columns: of_columns.distinct() };
    let diagonal = triangle && must_meet_themselves(request, &of_rows);
    if triangle && !diagonal {
        kinds.rows.iter().for_each(|&i| {
            store_copies(&mut store, i as usize, i as usize, 0.0);
        });
    }
    let shape = Shape { triangle, diagonal, prices: request.prices };
    let rows = Chosen { trees: x.trees, indices: kinds.rows };
    let columns = Chosen { trees: y.trees, indices: kinds.columns };
    let plan = Plan::new(rows, columns, shape, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    let scratch = account::scratch_bytes(request, kinds, diagonal, threads);
    memory::check("the scratch of all threads", scratch)?;
    let work_time = plan.cells * cell_time(request.prices, mean_nodes(x.trees));
    let mut ask = || poll.borrow_mut()(done.get());
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let matrix = Matrix {
        request,
        plan: &plan,
        diagonal,
        deletes: totals(&x, |operand| request.prices.delete_all(operand)),
        inserts: totals(&y, |operand| request.prices.insert_all(operand)),
        filter: Filter::new(request, catalogue, work_time, &mut crew)?,
        ids: subtree_ids(x.trees, y.trees, request.prices, &mut crew)?,
    };
    let exact = Cell::new(0);
    let work = |scratch: &mut (Workspace, Memory), index: usize| {
        Ok((index, matrix.task(&plan.tasks[index], scratch, cancel)?))
    };
    let receive = |(index, (distances, computed)): (usize, (Vec<f64>, u64))| {
        let task = &plan.tasks[index];
        let mut distances = distances.into_iter();
        for row in task.rows.clone() {
            let i = plan.row_order[row];
            for (column, &j) in task.columns.clone().zip(&plan.column_order[task.columns.clone()]) {
                let distance = distances.next().unwrap_or(f64::INFINITY);
                if !matrix.wants(row, column) {
                    continue;
                }
                if all_differ && (!triangle || row != column) {
                    store(i, j, distance);
                    done.set(done.get() + 1);
                } else {
                    store_copies(&mut store, i, j, distance);
                }
            }
        }
        exact.set(exact.get() + computed);
    };
    let scratch = || (Workspace::default(), Memory::new(work_time / threads as f64));
    if plan.cells < SMALL_MATRIX {
        let mut scratch = scratch();
        let mut receive = receive;
        for index in 0..plan.tasks.len() {
            receive(work(&mut scratch, index)?);
            cancel.check()?;
        }
    } else {
        let tasks = plan.tasks.len();
        parallel::for_each(threads, tasks, cancel, scratch, work, receive, || {
            poll.borrow_mut()(done.get())
        })?;
    }
    cancel.check()?;
    // The last word: all is done.
    let computed = Computed { pairs: done.get(), exact: exact.get() };
    if poll.into_inner()(done.get()) { Ok(computed) } else { Err(crate::Error::Cancelled) }
}

/// The mean number of nodes.
pub(super) fn mean_nodes(trees: &[Prepared]) -> usize {
    trees.iter().map(Prepared::nodes).sum::<usize>() / trees.len().max(1)
}

fn totals(side: &Side<'_>, of: impl Fn(&Operand<'_>) -> i128) -> Vec<i128> {
    (0..side.trees.len()).map(|i| of(&side.operand(i))).collect()
}

/// One tree of each kind, on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds<'a> {
    pub(super) rows: &'a [u32],
    pub(super) columns: &'a [u32],
}

/// Whether some tree of a triangle, or one that occurs again, is not plainly at distance 0 from
/// itself, and that distance is wanted.
fn must_meet_themselves(request: &Request<'_>, copies: &Copies) -> bool {
    copies.distinct().iter().map(|&i| i as usize).any(|i| {
        let tree = request.x.operand(i);
        let wanted = request.diagonal || copies.has_copies(i);
        wanted && !request.prices.costs_nothing(&tree, &tree)
    })
}
