//! The walk along the paths of one row tree.

use crate::distance::inner::strips::{self, PostOrder, Strip, StripPass, StripRow};
use crate::distance::inner::{MixedBuffers, PathPlan, Sides};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::simd::Simd;

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

    /// Takes the steps that are waiting, all on one side, strip by strip.
    #[inline(always)]
    fn stretch(&mut self, side: usize, is_first: bool, is_last: bool) -> Result<()> {
        let Self { simd, rows, stride, cancel, .. } = *self;
        let (order, masks) = (&self.orders[side], &self.masks);
        let n = order.size.len();
        let MixedBuffers { sides, forests, strips, row_of } = &mut *self.buffers;
        let (profile, table) =
            (S::elements(&sides[side].profile), S::elements_mut(&mut sides[side].table));
        let [left, right] = forests;
        let (forest, other) = if side == 0 { (left, right) } else { (right, left) };
        for (number, &strip) in self.strips[side].iter().enumerate() {
            if is_first {
                strips[0][strip.first_row..n].fill([S::zero(); strips::WIDTH]);
            } else {
                strips::turn::<S>(strip, n, other, &mut strips[0]);
            }
            let pass = StripPass { simd, order, strip, masks };
            for &step in &self.steps {
                cancel.check()?;
                match step {
                    Step::Join { row, kept, is_leaf } => {
                        let values = &table[row * stride..][..stride];
                        if is_leaf {
                            strips.swap(0, kept);
                        }
                        let (current, kept_strips) = strips.split_at_mut(1);
                        let (current, apart) = (&mut current[0], &kept_strips[kept - 1]);
                        if is_leaf {
                            strips::join::<S, true>(pass, values, apart, current);
                        } else {
                            strips::join::<S, false>(pass, values, apart, current);
                        }
                    }
                    Step::Crown { node } => {
                        let label = rows.trees[0].label[node] as usize;
                        let savings = &profile[label * stride..][..stride];
                        let row = row_of[0][node] as usize;
                        let values = &mut table[row * stride..][..stride];
                        let current = &mut strips[0];
                        strips::crown(pass, savings, current, values);
                    }
                }
            }
            if !is_last {
                let height = strips::height::<S>(n);
                let home = &mut forest[number * height..][strip.first_row..n];
                home.copy_from_slice(&strips[0][strip.first_row..n]);
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
