//! How often each symbol is edited into each other one, for many pairs of trees.
//!
//! Trees that occur again are found once, and each distinct pair is counted once (`plan.rs`). The
//! pairs are computed as those of a matrix are: columns in batches, rows that share what their
//! subtrees have in common (`task.rs`). What is counted of a pair is in `counts.rs`.

mod counts;
mod plan;
mod task;
#[cfg(test)]
mod tests;

use crate::align::{Problem, in_quanta};
use crate::distance::{Scratch, Workspace};
use crate::error::{Error, Result};
use crate::memory;
use crate::pair::{Costs, Operand, Pair, SetCosts, Side};
use crate::pairwise::batch::subtree_ids;
use crate::parallel::{self, Cancel, Crew, Pace, Tasks};
use plan::CountPlan;
pub use plan::extra_work;
use std::cell::{Cell, RefCell};
use task::Counting;

/// Numbering the subtrees of a set pays if at least this part of its trees is looked at.
const MOST_TREES: usize = 4;
/// Below this much work (cells) the calling thread counts alone: a millisecond or so.
const SMALL_COUNTS: f64 = 1e6;
const ONE_PAIR: &str = "the alignment of one pair of trees";

/// Which alignments are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Script {
    /// One optimal alignment, that of [`one_alignment`](crate::align::one_alignment).
    One,
    /// The average of all optimal alignments.
    Average,
    /// The average of all alignments at a temperature: see [`soft_alignment`](crate::align::soft_alignment).
    Soft(f64),
}

/// What to count.
#[derive(Debug, Clone, Copy)]
pub struct CountRequest<'a> {
    /// Sources of the edits.
    pub x: Side<'a>,
    /// Targets.
    pub y: Side<'a>,
    /// Symbols of the label codes of both sets; all are below `symbols`, which is the gap.
    pub symbol_of: (&'a [u32], &'a [u32]),
    /// Number of symbols.
    pub symbols: u32,
    /// Costs that decide which alignments are optimal.
    pub costs: SetCosts<'a>,
    /// Which of them count.
    pub script: Script,
    /// As for [`Problem::new`](crate::align::Problem::new).
    pub tolerance: Option<f64>,
}

/// Non-zero counts of one pair: `old * (symbols + 1) + new`, ascending, and how often.
pub type Counts = Vec<(u64, f64)>;

/// Counts the edits of all pairs and hands them to `store(position, counts)` on the calling
/// thread, in any order.
///
/// # Errors
/// As [`crate::pairwise::compute`].
pub fn edit_counts(
    request: &CountRequest<'_>,
    pairs: &[(u32, u32)],
    threads: usize,
    cancel: &Cancel,
    mut store: impl FnMut(usize, Counts),
    poll: impl FnMut(u64) -> bool,
) -> Result<()> {
    check_temperature(request)?;
    let plan = CountPlan::new(request, pairs, threads);
    let CountRequest { x, y, costs, .. } = *request;
    let (done, poll, mut pace) = (Cell::new(0), RefCell::new(poll), Pace::new());
    let ids = if MOST_TREES * plan.rows < x.trees.len() {
        None
    } else {
        let mut ask = || poll.borrow_mut()(0);
        subtree_ids(x.trees, y.trees, costs, &mut Crew::new(threads, cancel, &mut ask))?
    };
    let threads = affordable(threads, request, &plan)?;
    let counting = Counting { request, plan: &plan, ids };
    let mut store = |position: u32, counts: Counts| {
        store(position as usize, counts);
        done.set(done.get() + 1);
        // Few pairs can have many copies.
        if pace.is_due() && !poll.borrow_mut()(done.get()) {
            cancel.cancel();
        }
    };
    let work = |workspace: &mut Workspace, task: usize| {
        Ok((task, counting.task(&plan.tasks[task], &mut Scratch { workspace, cancel })?))
    };
    let mut receive = |(task, found): (usize, Vec<Counts>)| {
        for (pair, counts) in plan.tasks[task].pairs.clone().zip(found) {
            if cancel.check().is_err() {
                return;
            }
            if let Some((&last, others)) = plan.positions(pair).split_last() {
                for &position in others {
                    store(position, counts.clone());
                }
                store(last, counts);
            }
        }
    };
    if plan.tasks.iter().map(|task| task.cells).sum::<f64>() < SMALL_COUNTS {
        let mut workspace = Workspace::default();
        for task in 0..plan.tasks.len() {
            receive(work(&mut workspace, task)?);
            cancel.check()?;
        }
    } else {
        let tasks = Tasks { threads, count: plan.tasks.len(), cancel };
        let ask = || poll.borrow_mut()(done.get());
        parallel::for_each(tasks, Workspace::default, work, receive, ask)?;
    }
    if poll.into_inner()(done.get()) { Ok(()) } else { Err(Error::Cancelled) }
}

/// Counts the edits of the only pair of a request under its costs, which are the same for all pairs: what
/// [`edit_counts`] finds, without a plan.
///
/// # Errors
/// As [`edit_counts`].
pub fn count_pair(
    request: &CountRequest<'_>,
    costs: Costs<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<Counts> {
    check_temperature(request)?;
    let (x, y) = (request.x.operand(0), request.y.operand(0));
    if request.is_plain(&x, &y) {
        return Ok(request.plain_counts(&x, &y));
    }
    let (n, m) = (x.tree.nodes() as u64 + 1, y.tree.nodes() as u64 + 1);
    memory::check(ONE_PAIR, counts::bytes(request, n * m, n).0)?;
    let pair = Pair { x, y, costs };
    in_quanta!(costs, pair.nodes(), Q => {
        let problem = Problem::<Q>::new(pair, request.tolerance, request.order(), scratch)?;
        request.counts((&x, &y), problem, scratch.cancel)
    })
}

/// Not more threads than there is memory for; an error if there is not enough for one.
fn affordable(threads: usize, request: &CountRequest<'_>, plan: &CountPlan) -> Result<usize> {
    let (least, most) = counts::bytes(request, plan.most_cells, plan.most_nodes);
    memory::check(ONE_PAIR, least)?;
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    Ok(limit_threads(threads, most, memory::available))
}

/// Not more threads than fit in what is available if each takes that many bytes; one in any case.
fn limit_threads(threads: usize, bytes: u64, available: impl FnOnce() -> u64) -> usize {
    if threads < 2 || bytes.saturating_mul(threads as u64) < memory::SMALL_REQUEST {
        return threads;
    }
    let fit = usize::try_from(available() / bytes.max(1)).unwrap_or(usize::MAX);
    threads.min(fit).max(1)
}

/// Below this the weights of alignments, exp(-cost / temperature), lose their last digits.
fn check_temperature(request: &CountRequest<'_>) -> Result<()> {
    let Script::Soft(temperature) = request.script else {
        return Ok(());
    };
    let CountRequest { x, y, costs, .. } = *request;
    let largest = |side: Side<'_>, cost: &dyn Fn(&Operand<'_>) -> i128| {
        let operand = |tree| Operand { tree, codes: side.codes };
        side.trees.iter().map(|tree| cost(&operand(tree))).max().unwrap_or(0)
    };
    let everything = largest(x, &|x| costs.delete_all(x)) + largest(y, &|y| costs.insert_all(y));
    let least = 1e-10 * costs.total(everything);
    if temperature >= least {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "The 'temperature' parameter of edit_counts must be a float in the range [{least:e}, 1e100] \
         for these trees. Got {temperature:e} instead."
    )))
}
