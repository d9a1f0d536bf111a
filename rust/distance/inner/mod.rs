//! Inner paths: a decomposition that has no bad shapes.
//!
//! Left and right paths decompose both trees, and for trees that turn left and right by turns
//! (zigzags) nearly all pairs of forests are needed. With an inner path only the row tree is
//! decomposed along paths, as in Demaine, Mozes, Rossman and Weimann (2009) and, chosen for each
//! pair of subtrees, in Pawlik and Augsten's APTED (2016); the column tree meets every row forest
//! in all its subforests, of which there are less than its size squared. See `dense.rs` for one
//! step and `paths.rs` for the choice of the paths.

mod dense;
mod paths;

use crate::distance::scalar::Number;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Oriented, Prepared};
use dense::Order;
pub(crate) use paths::PathPlan;

const SIDES: [Orientation; 2] = [Orientation::Left, Orientation::Right];
const WHAT: &str = "the dynamic programme of one pair of trees";

/// The place of each node of the left postorder in the right one.
pub(crate) fn right_places(left: &Oriented) -> Vec<u32> {
    let n = left.len();
    // The right postorder is the preorder backwards.
    let mut places = vec![n as u32 - 1; n];
    for v in (0..n).rev() {
        let mut place = places[v] + 1 - left.size[v];
        for child in left.children(v) {
            place += left.size[child];
            places[child] = place - 1;
        }
    }
    places
}

/// Inverse of a permutation.
fn inverse(places: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; places.len()];
    for (from, &to) in (0..).zip(places) {
        inverse[to as usize] = from;
    }
    inverse
}

/// Scratch of one pair; savings by label and column in both postorders must be filled in.
#[derive(Debug, Default)]
pub(crate) struct Buffers<N> {
    /// Savings of each distinct row label with every column, in the two postorders.
    pub(crate) profile: [Vec<N>; 2],
    /// Savings of each row subtree with every column subtree, in the two postorders of the
    /// columns; the rows are in the left one.
    pub(crate) trees: [Vec<N>; 2],
    /// The current forest, one to turn into, and the kept ones.
    forests: Vec<Vec<N>>,
    best: Vec<N>,
}

/// Cells of the forests that one pair takes.
pub(crate) fn forest_cells(plan: &PathPlan, columns: usize) -> u64 {
    let cells = dense::stride(columns) as u64 * dense::stride(columns) as u64;
    cells.saturating_mul(plan.kept as u64 + 2)
}

impl<N: Number> Buffers<N> {
    pub(crate) fn reserve(
        &mut self,
        plan: &PathPlan,
        (rows, labels): (usize, usize),
        columns: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        let bytes = forest_cells(plan, columns).saturating_mul(size_of::<N>() as u64);
        memory::check(WHAT, bytes)?;
        let forest = dense::stride(columns) * dense::stride(columns);
        let zero = N::default();
        for side in 0..2 {
            memory::grow(WHAT, &mut self.profile[side], labels * columns, zero, cancel)?;
            memory::grow(WHAT, &mut self.trees[side], rows * columns, zero, cancel)?;
        }
        self.forests.resize_with(self.forests.len().max(plan.kept + 2), Vec::new);
        for buffer in &mut self.forests[..plan.kept + 2] {
            // All tables of a run have the same size, that of its column tree.
            buffer.truncate(forest);
            memory::grow(WHAT, buffer, forest, zero, cancel)?;
        }
        memory::grow(WHAT, &mut self.best, columns, zero, cancel)
    }
}

/// What is computed: the row tree along its paths, the column tree in all its subforests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) rows: &'a Prepared,
    pub(crate) plan: &'a PathPlan,
    pub(crate) columns: &'a Prepared,
}

/// Fills the tables of subtree values.
#[inline(always)]
pub(crate) fn fill<N: Number>(
    pair: Pair<'_>,
    buffers: &mut Buffers<N>,
    cancel: &Cancel,
) -> Result<()> {
    let Pair { rows, plan, columns } = pair;
    let sides = SIDES.map(|side| rows.oriented(side));
    let row_places = right_places(sides[0]);
    let row_origins = inverse(&row_places);
    let column_places = right_places(columns.oriented(Orientation::Left));
    let column_origins = inverse(&column_places);
    let orders = [
        Order::new(columns.oriented(Orientation::Left), &column_places),
        Order::new(columns.oriented(Orientation::Right), &column_origins),
    ];
    let m = column_places.len();
    let Buffers { profile, trees, forests, best } = buffers;
    let best = &mut best[..m];
    // The row of the table that holds each node: equal subtrees share theirs.
    let mut row_of: Vec<_> = (0..sides[0].len()).collect();
    let mut path = Vec::new();
    for &(top, original) in &plan.tops {
        cancel.check()?;
        let (top, original) = (top as usize, original as usize);
        if original != top {
            plan.path(top).for_each(|v| row_of[v] = row_of[original - (top - v)]);
            continue;
        }
        if sides[0].size[top] == 1 {
            let label = sides[0].label[top] as usize;
            leaf(&orders[0], &profile[0][label * m..][..m], &mut trees[0][top * m..][..m]);
            let (left, right) = trees.split_at_mut(1);
            reorder(&column_places, &left[0][top * m..][..m], &mut right[0][top * m..][..m]);
            continue;
        }
        path.clear();
        path.extend(plan.path(top));
        forests[0].fill(N::default());
        let mut side = 0;
        for &v in path.iter().rev() {
            if let Some(c) = plan.below(v) {
                // What hangs right of the path is an interval of the left postorder, and the
                // other way round.
                let hanging = [
                    (c + 1..v, sides[0].depth[v] + 1),
                    (
                        row_places[c] as usize + 1..row_places[v] as usize,
                        sides[1].depth[row_places[v] as usize] + 1,
                    ),
                ];
                for turn in [side, 1 - side] {
                    let (nodes, level) = &hanging[turn];
                    if nodes.is_empty() {
                        continue;
                    }
                    if turn != side {
                        let (table, turned) = forests.split_at_mut(1);
                        dense::turn(&orders[side], &table[0], &mut turned[0]);
                        forests.swap(0, 1);
                        side = turn;
                    }
                    for u in nodes.clone() {
                        cancel.check()?;
                        let node = if side == 0 { u } else { row_origins[u] as usize };
                        let values = &trees[side][row_of[node] * m..][..m];
                        let is_leaf = sides[side].size[u] == 1;
                        let kept = 2 + (sides[side].depth[u] - level) as usize;
                        if is_leaf {
                            forests.swap(0, kept);
                        }
                        let (table, others) = forests.split_at_mut(1);
                        let apart = &others[kept - 1];
                        dense::join(&orders[side], values, is_leaf, apart, &mut table[0], best);
                    }
                }
            }
            let savings = &profile[side][sides[0].label[v] as usize * m..][..m];
            let values = &mut trees[side][row_of[v] * m..][..m];
            dense::crown(&orders[side], savings, &mut forests[0], best, values);
            let (left, right) = trees.split_at_mut(1);
            let (left, right) =
                (&mut left[0][row_of[v] * m..][..m], &mut right[0][row_of[v] * m..][..m]);
            if side == 0 {
                reorder(&column_places, left, right);
            } else {
                reorder(&column_origins, right, left);
            }
        }
    }
    // Equal subtrees get their rows, so that the table is complete.
    for (v, &row) in row_of.iter().enumerate().filter(|&(v, &row)| v != row) {
        for table in trees.iter_mut() {
            table.copy_within(row * m..(row + 1) * m, v * m);
        }
    }
    Ok(())
}

/// A leaf can be paired with one node of each subtree: with the best.
fn leaf<N: Number>(order: &Order<'_>, savings: &[N], values: &mut [N]) {
    for v in 0..savings.len() {
        let (first, mut next, mut most) = (v + 1 - order.size[v] as usize, v, savings[v]);
        while next != first {
            let child = next - 1;
            if values[child] > most {
                most = values[child];
            }
            next = child + 1 - order.size[child] as usize;
        }
        values[v] = most;
    }
}

fn reorder<N: Copy>(places: &[u32], from: &[N], to: &mut [N]) {
    for (&place, &value) in places.iter().zip(from) {
        to[place as usize] = value;
    }
}
