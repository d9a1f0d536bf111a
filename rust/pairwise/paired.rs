//! Pairs of two lists: the distance of the first trees, of the second trees, and so on.

use super::account::{Extent, account};
use super::matrix::SMALL_MATRIX;
use super::packs::{self, Pack};

use crate::cost::MeetingCosts;
use crate::distance::{PairPlan, Scratch, Workspace, bounds_may_pay, estimate, measured_within};
use crate::error::{Error, Result};
use crate::memory;
use crate::pair::{Costs, LocalLabels, Measure, Measures, Norm, Operand, Pair, SetCosts, Side};
use crate::parallel::{self, Cancel, Tasks};
use crate::tree::{Orientation, Prepared};
use std::cell::Cell;
use std::ops::Range;

/// What a pair takes besides its cells, in cells: the choice of a route, buffers, the result.
const PAIR_CELLS: f64 = 1500.0;
/// Least and most work of a task, in cells.
const TASK_CELLS: (f64, f64) = (2e6, 1e8);
/// Tasks per thread to aim for.
const TASKS_PER_THREAD: f64 = 12.0;

/// Two lists of trees of the same length, and what is asked of their pairs.
#[derive(Debug, Clone, Copy)]
pub struct PairedRequest<'a> {
    /// Sources of the edits.
    pub x: Side<'a>,
    /// Targets, as many.
    pub y: Side<'a>,
    /// What edits cost.
    pub costs: SetCosts<'a>,
    /// Results above it are infinite; pairs excluded by a lower bound are never computed.
    pub cutoff: Option<f64>,
    /// What distances are divided by.
    pub norm: Option<Norm>,
}

/// Computes the distances of all pairs and hands them to `store(i, distance)` on the calling
/// thread, in any order, each once.
///
/// `poll(done)` is called now and then with the number of stored distances and may stop the work by
/// returning `false`.
///
/// # Errors
/// [`Error::Invalid`] if the lists differ in length; [`Error::Memory`] before work starts if the
/// scratch does not fit; [`Error::Cancelled`] if `poll` asked to stop.
pub fn paired(
    request: &PairedRequest<'_>,
    threads: usize,
    cancel: &Cancel,
    store: &mut dyn FnMut(usize, f64),
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<()> {
    let (n, m) = (request.x.trees.len(), request.y.trees.len());
    if n != m {
        return Err(Error::Invalid(format!("{n} trees cannot be paired with {m} trees")));
    }
    let plan = PairsPlan::new(request, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    memory::check("the scratch of all threads", scratch_bytes(request, threads))?;
    let pairs = Pairs { request, measures: Measures::new(request.costs, request.norm) };
    let done = Cell::new(0);
    let work = |buffers: &mut Buffers, task: usize| {
        let places = plan.tasks[task].clone();
        let results = pairs.task(&plan.order[places.clone()], buffers, cancel)?;
        Ok((places, results))
    };
    let mut receive = |(places, results): (Range<usize>, Vec<f64>)| {
        done.set(done.get() + results.len() as u64);
        for (&i, result) in plan.order[places].iter().zip(results) {
            store(i as usize, result);
        }
    };
    if plan.cells < SMALL_MATRIX {
        let mut buffers = Buffers::default();
        for task in 0..plan.tasks.len() {
            receive(work(&mut buffers, task)?);
            cancel.check()?;
        }
    } else {
        let tasks = Tasks { threads, count: plan.tasks.len(), cancel };
        parallel::for_each(tasks, Buffers::default, work, receive, || poll(done.get()))?;
    }
    // The last report: all is done.
    if poll(done.get()) { Ok(()) } else { Err(Error::Cancelled) }
}

/// Which pairs are computed in one task.
#[derive(Debug)]
struct PairsPlan {
    /// The pairs, the largest first, so that no thread is left with one of them at the end.
    order: Vec<u32>,
    /// Ranges of the order with about equal work.
    tasks: Vec<Range<usize>>,
    /// Estimated work in cells.
    cells: f64,
}

impl PairsPlan {
    fn new(request: &PairedRequest<'_>, threads: usize) -> Self {
        let pairs = request.x.trees.iter().zip(request.y.trees);
        let work: Vec<_> = pairs.map(|(x, y)| PAIR_CELLS + cells(x, y)).collect();
        let mut order: Vec<_> = (0..work.len() as u32).collect();
        order.sort_by(|&a, &b| work[b as usize].total_cmp(&work[a as usize]));
        let all: f64 = work.iter().sum();
        let aim = (all / (threads as f64 * TASKS_PER_THREAD)).clamp(TASK_CELLS.0, TASK_CELLS.1);
        let (mut tasks, mut start, mut sum) = (Vec::new(), 0, 0.0);
        for (place, &i) in order.iter().enumerate() {
            sum += work[i as usize];
            if sum >= aim || place + 1 == order.len() {
                tasks.push(start..place + 1);
                (start, sum) = (place + 1, 0.0);
            }
        }
        Self { order, tasks, cells: all }
    }
}

/// Estimated cells of a pair, along left or right paths.
fn cells(x: &Prepared, y: &Prepared) -> f64 {
    let side = |side: Orientation| {
        let (x, y) = (x.oriented(side), y.oriented(side));
        estimate(x.row_work, y.column_work).min(estimate(y.row_work, x.column_work))
    };
    side(Orientation::Left).min(side(Orientation::Right))
}

/// What a thread reuses from pair to pair.
#[derive(Debug, Default)]
struct Buffers {
    workspace: Workspace,
    /// Numbers of the labels of both sets, if they have vectors.
    numbers: [Vec<u32>; 2],
}

/// All that the tasks share.
struct Pairs<'a> {
    request: &'a PairedRequest<'a>,
    measures: Measures<'a>,
}

impl Pairs<'_> {
    /// The results of the pairs at some indices, infinite above the cutoff.
    fn task(&self, indices: &[u32], buffers: &mut Buffers, cancel: &Cancel) -> Result<Vec<f64>> {
        let PairedRequest { x, y, costs, .. } = *self.request;
        let pair = |i: u32| (x.operand(i as usize), y.operand(i as usize));
        match costs {
            SetCosts::Fixed(costs) => {
                let pairs = indices.iter().map(|&i| pair(i)).map(|(x, y)| Pair { x, y, costs });
                self.of_pairs(pairs, &mut Scratch { workspace: &mut buffers.workspace, cancel })
            }
            SetCosts::Meeting(meeting) => {
                let one = |&i: &u32| self.of_meeting(meeting, pair(i), buffers, cancel);
                indices.iter().map(one).collect()
            }
        }
    }

    /// The results of pairs, small ones side by side.
    fn of_pairs<'p>(
        &self,
        pairs: impl ExactSizeIterator<Item = Pair<'p>>,
        scratch: &mut Scratch<'_>,
    ) -> Result<Vec<f64>> {
        let mut results = vec![0.0; pairs.len()];
        let mut packs = Orientation::BOTH.map(Pack::new);
        for (place, pair) in pairs.enumerate() {
            let plan = PairPlan::new(&pair);
            let packed = if self.is_cut(&pair, &plan) { None } else { packs::fits(&pair, &plan) };
            match packed {
                None => results[place] = self.of_pair(&pair, &plan, scratch)?,
                Some((side, swapped)) => {
                    let mut store = |at: usize, pair: &Pair<'_>, saved| {
                        results[at] = self.of_saving(pair, saved);
                    };
                    packs[side as usize].add(place, pair, swapped, scratch, &mut store)?;
                }
            }
        }
        let mut store =
            |at: usize, pair: &Pair<'_>, saved| results[at] = self.of_saving(pair, saved);
        packs.iter_mut().try_for_each(|pack| pack.compute(scratch, &mut store))?;
        Ok(results)
    }

    /// The result of two trees whose costs are computed for their labels.
    fn of_meeting(
        &self,
        meeting: MeetingCosts<'_>,
        (x, y): (Operand<'_>, Operand<'_>),
        buffers: &mut Buffers,
        cancel: &Cancel,
    ) -> Result<f64> {
        if self.request.costs.costs_nothing(&x, &y) {
            return Ok(0.0);
        }
        let Buffers { workspace, numbers } = buffers;
        let scratch = &mut Scratch { workspace, cancel };
        let labels = |tree: &Operand<'_>, numbers: &mut Vec<u32>| {
            let one = std::iter::once(tree.tree);
            LocalLabels::in_buffer(std::mem::take(numbers), meeting, one, tree.codes)
        };
        let [of_x, of_y] = [labels(&x, &mut numbers[0]), labels(&y, &mut numbers[1])];
        let table = of_x.table_for_one(meeting, &of_y);
        let source = Operand { tree: x.tree, codes: Some(&of_x.codes) };
        let target = Operand { tree: y.tree, codes: Some(&of_y.codes) };
        let pair = Pair { x: source, y: target, costs: Costs::Table(&table) };
        let result = self.of_pair(&pair, &PairPlan::new(&pair), scratch);
        *numbers = [of_x.give_back(x.tree), of_y.give_back(y.tree)];
        result
    }

    fn of_pair(&self, pair: &Pair<'_>, plan: &PairPlan, scratch: &mut Scratch<'_>) -> Result<f64> {
        measured_within(pair, plan, self.measure(pair), self.cutoff(), scratch)
    }

    /// The result of a pair by the saving of its alignment.
    fn of_saving(&self, pair: &Pair<'_>, saved: i128) -> f64 {
        let distance = pair.costs.total(pair.nothing_saved() - saved);
        let found = self.measure(pair).of(distance);
        if found <= self.cutoff() { found } else { f64::INFINITY }
    }

    /// Whether bounds may show that a pair is above the cutoff.
    fn is_cut(&self, pair: &Pair<'_>, plan: &PairPlan) -> bool {
        self.cutoff() < f64::INFINITY && bounds_may_pay(pair, plan)
    }

    fn measure(&self, pair: &Pair<'_>) -> Measure {
        let nodes = (pair.x.tree.nodes(), pair.y.tree.nodes());
        self.measures.of_pair(nodes, || pair.nothing_saved())
    }

    fn cutoff(&self) -> f64 {
        self.request.cutoff.unwrap_or(f64::INFINITY)
    }
}

/// Most bytes that the threads take: each has the buffers of one pair.
fn scratch_bytes(request: &PairedRequest<'_>, threads: usize) -> u64 {
    let PairedRequest { x, y, costs, cutoff, .. } = *request;
    let mut extent = Extent { trees: (1, 1), cutoff: cutoff.is_some(), ..Extent::default() };
    for (i, (one, other)) in x.trees.iter().zip(y.trees).enumerate() {
        // One more than there are, as in an account of a matrix.
        let nodes = (one.nodes() as u64 + 1, other.nodes() as u64 + 1);
        let larger = nodes.0.saturating_mul(nodes.1) > extent.nodes.0 * extent.nodes.1;
        if larger && !costs.costs_nothing(&x.operand(i), &y.operand(i)) {
            let work = |side| [one, other].map(|tree| tree.oriented(side).column_work);
            let work = Orientation::BOTH.map(|side| work(side).into_iter().max().unwrap_or(0));
            extent.nodes = nodes;
            extent.work = work[0].min(work[1]);
            extent.labels = (one.labels().len() as u64, other.labels().len() as u64);
        }
    }
    account(&extent, costs, threads).scratch
}

#[cfg(test)]
mod tests;
