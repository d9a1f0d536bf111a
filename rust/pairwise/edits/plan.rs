//! Which pairs are counted, which are counted together, and in which order.

use super::{CountRequest, Script};
use crate::align::soft_work;
use crate::distance::pair_work;
use crate::pairwise::plan::cut_batches;
use crate::tree::{Copies, Prepared};
use std::ops::Range;

/// Least and most work of a task, in cells: from a millisecond or so to a part of a second.
const TASK_CELLS: (f64, f64) = (3e5, 1e7);
/// Tasks per thread to aim for.
const TASKS_PER_THREAD: f64 = 32.0;
/// What a pair takes besides its cells.
const PAIR_CELLS: f64 = 1e3;
/// Time of a pair of nodes once savings are known, and of a cell of the forests of soft alignments,
/// in cells of the kernel.
const NODES_CELLS: f64 = 8.0;
const SOFT_CELLS: f64 = 20.0;

/// Some rows against one batch of columns.
#[derive(Debug)]
pub(super) struct CountTask {
    /// Indices of trees, ascending in size.
    pub(super) columns: Vec<u32>,
    /// Positions in [`CountPlan::pairs`]; pairs of one row are side by side.
    pub(super) pairs: Range<usize>,
    pub(super) cells: f64,
}

/// A pair of trees; every other pair like it is a copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedPair {
    pub(super) x: u32,
    pub(super) y: u32,
    /// Where the column is in its batch.
    pub(super) place: u32,
    /// See [`CountRequest::is_plain`].
    pub(super) plain: bool,
    /// Where its copies begin.
    first: u32,
}

/// All distinct pairs, by batch of columns and by row.
#[derive(Debug)]
pub(super) struct CountPlan {
    pub(super) pairs: Vec<CountedPair>,
    /// Positions of pairs in the request, copies side by side.
    positions: Vec<u32>,
    /// Largest first.
    pub(super) tasks: Vec<CountTask>,
    /// Number of distinct row trees.
    pub(super) rows: usize,
    /// Most pairs of nodes of a pair of trees, and most nodes of a row tree.
    pub(super) most_cells: u64,
    pub(super) most_nodes: u64,
}

impl CountPlan {
    pub(super) fn new(request: &CountRequest<'_>, pairs: &[(u32, u32)], threads: usize) -> Self {
        let (x, y) = (request.x.trees, request.y.trees);
        let of_x = Copies::new(x, pairs.iter().map(|pair| pair.0 as usize));
        let of_y = Copies::new(y, pairs.iter().map(|pair| pair.1 as usize));
        let mut columns: Vec<_> = of_y.distinct().iter().map(|&j| j as usize).collect();
        columns.sort_by_key(|&j| y[j].nodes());
        let batches = cut_batches(y, &columns, request.costs);
        // Batch and place of every column.
        let mut places = vec![(0, 0); y.len()];
        for (batch, range) in (0u32..).zip(&batches) {
            for (place, &j) in (0u32..).zip(&columns[range.clone()]) {
                places[j] = (batch, place);
            }
        }
        let key = |&position: &u32| {
            let (i, j) = pairs[position as usize];
            let (i, j) = (of_x.first(i as usize), of_y.first(j as usize));
            (places[j].0, x[i].nodes(), i, places[j].1)
        };
        let mut positions: Vec<_> = (0..pairs.len() as u32).collect();
        positions.sort_by_cached_key(key);
        let mut plan = Self {
            pairs: Vec::new(),
            positions: Vec::new(),
            tasks: Vec::new(),
            rows: of_x.distinct().len(),
            most_cells: 0,
            most_nodes: 0,
        };
        let mut work = Vec::new();
        for (at, &position) in (0u32..).zip(&positions) {
            let (i, j) = pairs[position as usize];
            let (i, j) = (of_x.first(i as usize) as u32, of_y.first(j as usize) as u32);
            if plan.pairs.last().is_some_and(|last| (last.x, last.y) == (i, j)) {
                continue;
            }
            let (a, b) = (request.x.operand(i as usize), request.y.operand(j as usize));
            let plain = request.is_plain(&a, &b);
            plan.pairs.push(CountedPair {
                x: i,
                y: j,
                place: places[j as usize].1,
                plain,
                first: at,
            });
            if plain {
                work.push(0.0);
                continue;
            }
            let (n, m) = (x[i as usize].nodes() as u64 + 1, y[j as usize].nodes() as u64 + 1);
            plan.most_cells = plan.most_cells.max(n * m);
            plan.most_nodes = plan.most_nodes.max(n);
            work.push(pair_cells(request, i as usize, j as usize));
        }
        plan.positions = positions;
        plan.cut_tasks(&work, &batches, &columns, |j| places[j as usize].0, threads);
        plan
    }

    /// Cuts the pairs between rows into tasks of about equal work.
    fn cut_tasks(
        &mut self,
        work: &[f64],
        batches: &[Range<usize>],
        columns: &[usize],
        batch_of: impl Fn(u32) -> u32,
        threads: usize,
    ) {
        let all: f64 = work.iter().sum();
        let aim = (all / (threads as f64 * TASKS_PER_THREAD)).clamp(TASK_CELLS.0, TASK_CELLS.1);
        let mut from = 0;
        while from < self.pairs.len() {
            let batch = batch_of(self.pairs[from].y);
            let (mut to, mut cells) = (from, 0.0);
            while let Some(pair) = self.pairs.get(to)
                && batch_of(pair.y) == batch
                && (cells < aim || self.pairs[to - 1].x == pair.x)
            {
                cells += work[to];
                to += 1;
            }
            let columns = columns[batches[batch as usize].clone()].iter().map(|&j| j as u32);
            self.tasks.push(CountTask { columns: columns.collect(), pairs: from..to, cells });
            from = to;
        }
        self.tasks.sort_by(|a, b| b.cells.total_cmp(&a.cells));
    }

    /// Positions in the request of a pair and of its copies.
    pub(super) fn positions(&self, pair: usize) -> &[u32] {
        let end = self.pairs.get(pair + 1).map_or(self.positions.len(), |next| next.first as usize);
        &self.positions[self.pairs[pair].first as usize..end]
    }
}

/// Estimated work of one pair.
fn pair_cells(request: &CountRequest<'_>, i: usize, j: usize) -> f64 {
    let (x, y) = (&request.x.trees[i], &request.y.trees[j]);
    PAIR_CELLS + pair_work(x, y) + extra_work(x, y, request.script)
}

/// Estimated work of counting the edits of a pair whose savings are known, in cells of the kernel.
pub fn extra_work(x: &Prepared, y: &Prepared, script: Script) -> f64 {
    match script {
        Script::Soft(_) => SOFT_CELLS * soft_work(x, y),
        Script::One | Script::Average => NODES_CELLS * (x.nodes() * y.nodes()) as f64,
    }
}
