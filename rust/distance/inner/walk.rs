//! The walk along the paths of one row tree.

use crate::distance::inner::strips::{
    self, PostOrder, StepState, Strip, StripPass, StripRow, joins,
};
use crate::distance::inner::{MixedBuffers, PathPlan, Sides};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::simd::{Simd, prefetch};
use std::ops::Range;

/// Most steps that are taken together: their states stay in the cache.
const MOST_TOGETHER: usize = 16;

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
    pub(super) states: Vec<StepState<S>>,
    /// Room for a square that is turned.
    pub(super) square: Vec<S::Vector>,
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
    #[inline(always)]
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

    /// Takes the steps that are waiting, all on one side, strip by strip. Steps that can be taken
    /// together are done square by square, which stays in the cache from the table that it is turned
    /// from to the one that it is stored in.
    #[inline(always)]
    fn stretch(&mut self, side: usize, is_first: bool, is_last: bool) -> Result<()> {
        let Self { simd, stride, .. } = *self;
        let n = self.orders[side].size.len();
        let (width, count) = (strips::lanes::<S>(), strips::count::<S>(n));
        let labels = &self.rows.trees[0].label;
        let MixedBuffers { sides, forest, strips, row_of } = &mut *self.buffers;
        let (profile, table) =
            (S::elements(&sides[side].profile), S::elements_mut(&mut sides[side].table));
        let (current, kept_strips) = strips.split_at_mut(1);
        let current = &mut current[0][..];
        for (number, &strip) in self.strips[side].iter().enumerate() {
            let pass = StripPass { simd, order: &self.orders[side], strip, masks: &self.masks };
            let mut steps = &self.steps[..];
            let mut is_new = true;
            while !steps.is_empty() {
                let (group, later) = steps.split_at(together(steps));
                let is_stored = later.is_empty() && !is_last;
                self.states.clear();
                self.states.resize(group.len(), StepState::new());
                for square in strip.first_row / width..count {
                    self.cancel.check()?;
                    let all = square * width..(square + 1) * width;
                    let rows = all.start.max(strip.first_row)..all.end.min(n);
                    if is_new && square + 1 < count {
                        prefetch(strips::square::<S>(forest, count, side, (number, square + 1)));
                    }
                    let home = strips::square::<S>(forest, count, side, (number, square));
                    let mut kind = joins::LEAF;
                    if is_new {
                        let into;
                        (into, kind) = place::<S>(group[0], &all, current, kept_strips);
                        if is_first {
                            into.fill([S::zero(); strips::WIDTH]);
                        } else {
                            strips::turn(simd, home, into, &mut self.square);
                        }
                    }
                    let last = group.len() - 1;
                    for (position, (&step, state)) in group.iter().zip(&mut self.states).enumerate()
                    {
                        let rows = rows.clone();
                        match step {
                            Step::Join { row, kept, is_leaf } => {
                                let values = &table[row * stride..][..stride];
                                let apart = &mut kept_strips[kept - 1];
                                // No calls by pointers: these are compiled into this function.
                                macro_rules! join {
                                    ($kind:expr) => {
                                        strips::join::<S, { $kind }>(
                                            pass, rows, state, values, apart, current,
                                        )
                                    };
                                }
                                match if is_leaf { kind } else { joins::TREE } {
                                    joins::TREE => join!(joins::TREE),
                                    joins::LEAF => join!(joins::LEAF),
                                    _ => join!(joins::FIRST_LEAF),
                                }
                            }
                            Step::Crown { node } => {
                                let savings = &profile[labels[node] as usize * stride..][..stride];
                                let row = row_of[0][node] as usize;
                                let pairs = (savings, &mut table[row * stride..][..stride]);
                                if is_stored && position == last {
                                    strips::crown::<S, true>(
                                        pass, rows, state, pairs, current, home,
                                    );
                                } else {
                                    strips::crown::<S, false>(
                                        pass, rows, state, pairs, current, home,
                                    );
                                }
                            }
                        }
                        kind = joins::LEAF;
                    }
                    if is_stored {
                        // Cells beside the rows are 0.
                        let (before, after) = (rows.start - all.start, rows.end - all.start);
                        if matches!(group[last], Step::Join { .. }) {
                            home[before..after].copy_from_slice(&current[rows]);
                        }
                        home[..before].fill([S::zero(); strips::WIDTH]);
                        home[after..].fill([S::zero(); strips::WIDTH]);
                    }
                }
                (steps, is_new) = (later, false);
            }
        }
        for step in std::mem::take(&mut self.steps) {
            if let Step::Crown { node } = step {
                self.copy(side, node);
            }
        }
        Ok(())
    }
}

/// Where the first step finds a square, and the kind of join if it is one.
fn place<'t, S: Simd>(
    first: Step,
    square: &Range<usize>,
    current: &'t mut [StripRow<S>],
    kept_strips: &'t mut [Vec<StripRow<S>>],
) -> (&'t mut [StripRow<S>], u8) {
    match first {
        Step::Join { kept, is_leaf: true, .. } => {
            (&mut kept_strips[kept - 1][square.clone()], joins::FIRST_LEAF)
        }
        _ => (&mut current[square.clone()], joins::LEAF),
    }
}

/// How many of these steps can be taken together: no table is kept where there is one that a step
/// before still needs.
fn together(steps: &[Step]) -> usize {
    let kept_of = |step: &Step| match *step {
        Step::Join { kept, is_leaf, .. } => Some((kept, is_leaf)),
        Step::Crown { .. } => None,
    };
    let clashes = |&count: &usize| {
        kept_of(&steps[count]).is_some_and(|(kept, is_leaf)| {
            let mut before = steps[..count].iter().filter_map(kept_of);
            is_leaf && before.any(|(other, _)| other == kept)
        })
    };
    let most = steps.len().min(MOST_TOGETHER);
    (1..most).find(clashes).unwrap_or(most)
}
