//! The walk along the paths of one row tree.

use crate::distance::inner::stretch::{Crowns, Lent, Stretch, StripJob, StripScratch};
use crate::distance::inner::strips::{self, PostOrder, Strip, StripRow};
use crate::distance::inner::{MixedBuffers, PathPlan, Sides};
use crate::distance::packed::PackedBuffers;
use crate::distance::team::{Progress, StopOthers};
use crate::error::Result;
use crate::parallel::{self, Cancel, Tasks};
use crate::simd::Simd;
use std::sync::{Mutex, PoisonError};

/// Below this many cells one thread is as fast as several.
const LARGE_STRETCH: usize = if cfg!(test) { 1 } else { 1 << 24 };

/// What happens to the row forest along an inner path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A node of this row of the tables joins, the forest without its subtree being kept there.
    Join { row: usize, kept: usize, is_leaf: bool },
    /// This node of the path, in the left postorder, joins above all others.
    Crown { node: usize },
}

/// Plan, trees, tables and scratch of the walk.
pub(super) struct PathWalk<'a, 'b, S: Simd> {
    pub(super) simd: S,
    pub(super) plan: &'a PathPlan,
    pub(super) rows: &'a Sides<'a>,
    pub(super) orders: [PostOrder<'a>; 2],
    pub(super) strips: [Vec<Strip>; 2],
    pub(super) masks: Vec<StripRow<S>>,
    /// Lanes of a row of the tables.
    pub(super) stride: usize,
    pub(super) buffers: &'b mut MixedBuffers<S>,
    pub(super) steps: Vec<Step>,
    pub(super) threads: usize,
    pub(super) cancel: &'a Cancel,
}

impl<S: Simd> PathWalk<'_, '_, S> {
    /// A leaf can be paired with one node of each subtree: with the best.
    pub(super) fn leaf(&mut self, v: usize) {
        let label = self.rows.trees[0].label[v] as usize;
        let left = &mut self.buffers.sides[0];
        let savings = &S::elements(&left.profile)[label * self.stride..][..self.stride];
        let values = &mut S::elements_mut(&mut left.table)[v * self.stride..][..self.stride];
        let size = self.orders[0].size;
        for (j, &subtree) in size.iter().enumerate() {
            let (first, mut next, mut most) = (j + 1 - subtree as usize, j, savings[j]);
            while next != first {
                let child = next - 1;
                if values[child] > most {
                    most = values[child];
                }
                next = child + 1 - size[child] as usize;
            }
            values[j] = most;
        }
        self.copy(0, v);
    }

    /// Copies the row of a node from the table of one side to that of the other.
    pub(super) fn copy(&mut self, side: usize, v: usize) {
        let MixedBuffers { sides: [left, right], row_of, .. } = &mut *self.buffers;
        let (from, into) = if side == 0 { (left, right) } else { (right, left) };
        let start = row_of[0][v] as usize * self.stride;
        let from = &S::elements(&from.table)[start..][..self.stride];
        let into = &mut S::elements_mut(&mut into.table)[start..][..self.stride];
        for (&place, &value) in self.orders[side].place.iter().zip(from) {
            into[place as usize] = value;
        }
    }

    /// All nodes of a path, from the leaf upwards, with what hangs off it.
    pub(super) fn inner_path(&mut self, top: usize) -> Result<()> {
        let path: Vec<_> = self.plan.path(top).collect();
        let (mut side, mut is_first) = (0, true);
        self.steps.clear();
        for &v in path.iter().rev() {
            if let Some(c) = self.plan.below(v) {
                // What hangs right of the path is an interval of the left postorder, and the
                // other way round.
                for turn in [side, 1 - side] {
                    let tree = self.rows.trees[turn];
                    let (from, to) = (self.rows.on(turn, c) + 1, self.rows.on(turn, v));
                    if from == to {
                        continue;
                    }
                    if turn != side {
                        self.stretch(side, is_first, false)?;
                        (side, is_first) = (turn, false);
                    }
                    let level = tree.depth[to] + 1;
                    for u in from..to {
                        let row = self.buffers.row_of[side][u] as usize;
                        let kept = 1 + (tree.depth[u] - level) as usize;
                        self.steps.push(Step::Join { row, kept, is_leaf: tree.size[u] == 1 });
                    }
                }
            }
            self.steps.push(Step::Crown { node: v });
        }
        self.stretch(side, is_first, true)
    }

    /// Takes the steps that are waiting, all on one side.
    fn stretch(&mut self, side: usize, is_first: bool, is_last: bool) -> Result<()> {
        let (simd, stride) = (self.simd, self.stride);
        let squares = strips::count::<S>(self.orders[side].size.len());
        let MixedBuffers { sides, forest, scratch, row_of } = &mut *self.buffers;
        let PackedBuffers { profile, table, .. } = &mut sides[side];
        let crowns = self.steps.iter().filter(|step| matches!(step, Step::Crown { .. })).count();
        let found = Crowns::new(crowns, squares)?;
        let stretch = Stretch {
            order: &self.orders[side],
            strips: &self.strips[side],
            masks: &self.masks,
            steps: &self.steps,
            labels: &self.rows.trees[0].label,
            profile: S::elements(profile),
            table: S::elements(table),
            stride,
            forest,
            side,
            is_first,
            is_last,
            crowns: &found,
            done: self.strips[side].iter().map(|_| Progress::default()).collect(),
            cancel: self.cancel,
        };
        let kept = self.plan.kept;
        let new_scratch = || StripScratch::new(kept, stretch.order.size.len());
        let cells = squares * squares * strips::lanes::<S>().pow(2) / 2 * stretch.steps.len();
        let one = |scratch: &mut Vec<StripScratch<S>>, number: usize| {
            if scratch.is_empty() {
                scratch.push(new_scratch()?);
            }
            simd.run(StripJob { stretch: &stretch, number, scratch: &mut scratch[0] })
        };
        if self.threads == 1 || cells < LARGE_STRETCH {
            (0..stretch.strips.len()).try_for_each(|number| one(scratch, number))?;
        } else {
            let idle = Mutex::new(std::mem::take(scratch));
            let (threads, count, cancel) = (self.threads, stretch.strips.len(), self.cancel);
            let lent = || Lent::new(&idle);
            let work = |lent: &mut Lent<'_, S>, number| {
                let _stop = StopOthers(cancel);
                one(&mut lent.scratch, number)
            };
            parallel::for_each(Tasks { threads, count, cancel }, lent, work, |()| {}, || true)?;
            *scratch = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        let table = S::elements_mut(table);
        let nodes = self.steps.iter().filter_map(|step| match *step {
            Step::Crown { node } => Some(node),
            Step::Join { .. } => None,
        });
        for (crown, node) in nodes.enumerate() {
            let n = self.orders[side].size.len();
            found.copy(crown, &mut table[row_of[0][node] as usize * stride..][..n]);
        }
        for step in std::mem::take(&mut self.steps) {
            if let Step::Crown { node } = step {
                self.copy(side, node);
            }
        }
        Ok(())
    }
}
