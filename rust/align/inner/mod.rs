//! Sums over all alignments along paths through the first tree: no shape is a bad case.
//!
//! The sweep along left or right paths takes n⁴ steps for zigzags. Here only the first tree is
//! decomposed, along its heaviest paths, and each of its forests meets all subforests
//!
//! ```text
//! C(q, p) = nodes that are at most q in one postorder and at most p in the other one
//! ```
//!
//! of the second tree, as in `distance/inner/`. When a node u joins a forest as its outermost root,
//! an alignment leaves it out, or pairs it with a node v, and nothing else is paired beyond v:
//!
//! ```text
//! W'[q][p] = W[q][p] + sum over v in C(q, p) of P[u][v] A[q_v - size(v)][p]
//! ```
//!
//! W sums the weights of the alignments with each subforest, A is the table of the forest without
//! the subtree of u, and P[u][v] is the weight of all alignments of two subtrees that pair their
//! roots. Every alignment is counted exactly once. Derivatives flow back through the same tables.
//! They need A for every node that joins, so tables are kept at some nodes of the path, and those
//! between two of them are computed again.

mod path;
mod table;
mod walk;

use crate::align::amount::Amount;
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::tree::Prepared;
use path::{Path, Sides, heaviest, tops};
use table::Table;
use walk::Walk;

/// Nodes on all paths of the first tree, which is what the time grows with, and most tables that
/// are there at a time.
fn measure(rows: &Sides<'_>) -> (usize, usize) {
    let heaviest = heaviest(rows.trees[0]);
    let (mut steps, mut tables) = (0, 0);
    for top in tops(rows, &heaviest) {
        let path = Path::new(rows, &heaviest, top);
        steps += path.steps.len();
        tables = tables.max(path.stops.len() + path.most_leaves);
    }
    (steps, tables + 6)
}

/// Cells that sums along inner paths take for a pair, and the bytes of their tables for amounts of
/// that size.
pub(crate) fn inner_work(x: &Prepared, y: &Prepared, bytes: usize) -> (f64, u64) {
    let (steps, tables) = measure(&Sides::new(x));
    let cells = y.nodes() as u64 * y.nodes() as u64;
    // Forests of the second tree are half of the square.
    (steps as f64 * cells as f64 / 2.0, cells.saturating_mul((tables * bytes) as u64))
}

/// The tables and weights of one pair.
pub(crate) struct InnerSums<'a, A: Recycle> {
    rows: Sides<'a>,
    columns: Sides<'a>,
    /// The weight of pairing two nodes, in the left postorders.
    weight: &'a dyn Fn(usize, usize) -> A,
    /// The weight of all alignments of two subtrees that pair their roots, by left postorders.
    paired: Recycled<A>,
    cancel: &'a Cancel,
}

impl<'a, A: Amount> InnerSums<'a, A> {
    /// Sums up, for each pair of nodes, all alignments of their subtrees that pair them, and all
    /// alignments of the two trees.
    pub(crate) fn new(
        (x, y): (&'a Prepared, &'a Prepared),
        weight: &'a dyn Fn(usize, usize) -> A,
        cancel: &'a Cancel,
    ) -> Result<(Self, A)> {
        let (rows, columns) = (Sides::new(x), Sides::new(y));
        let paired = Recycled::filled(rows.trees[0].len() * columns.nodes, A::zero())?;
        let mut sums = Self { rows, columns, weight, paired, cancel };
        let m = sums.columns.nodes;
        let mut total = A::one();
        for i in 0..sums.rows.nodes {
            if sums.rows.trees[0].size[i] == 1 {
                (0..m).for_each(|j| sums.paired[i * m + j] = (sums.weight)(i, j));
            }
        }
        let heaviest = heaviest(sums.rows.trees[0]);
        for top in tops(&sums.rows, &heaviest) {
            let path = Path::new(&sums.rows, &heaviest, top);
            let mut walk = Walk::new(m)?;
            for &step in &path.steps {
                walk.forward(&mut sums, step, true)?;
            }
            if let Some(last) = walk.table.cells.get((m * m).wrapping_sub(1)) {
                total = last.clone();
            }
        }
        if sums.rows.nodes == 1 && sums.rows.trees[0].len() == 1 {
            (0..m).for_each(|j| total.add(&sums.paired[j]));
        }
        Ok((sums, total))
    }

    /// The part of all alignments that pairs each two nodes, by left postorders; `seed` is one over
    /// the sum of all.
    pub(crate) fn shares(mut self, seed: &A) -> Result<Recycled<A>> {
        let m = self.columns.nodes;
        let mut flow = Recycled::filled(self.rows.trees[0].len() * m, A::zero())?;
        let heaviest = heaviest(self.rows.trees[0]);
        let root = self.rows.trees[0].len() - 1;
        if self.rows.trees[0].size[root] == 1 {
            (0..m).for_each(|j| flow[root * m + j] = seed.clone());
        }
        for top in tops(&self.rows, &heaviest).into_iter().rev() {
            let path = Path::new(&self.rows, &heaviest, top);
            let (mut walk, mut kept) = (Walk::new(m)?, Vec::new());
            for stop in 0..path.stops.len() {
                kept.push(walk.table.copy()?);
                if stop + 1 < path.stops.len() {
                    for &step in path.part(stop) {
                        walk.forward(&mut self, step, false)?;
                    }
                    walk.forget();
                }
            }
            let mut back = Table { side: 0, cells: Recycled::filled(m * m, A::zero())? };
            if top == root && m > 0 {
                back.cells[m * m - 1] = seed.clone();
            }
            for stop in (0..path.stops.len()).rev() {
                let Some(table) = kept.pop() else { continue };
                walk.restart(table);
                let part = path.part(stop);
                for &step in part {
                    walk.forward(&mut self, step, false)?;
                }
                for &step in part.iter().rev() {
                    walk.backward(&self, step, &mut back, &mut flow)?;
                }
            }
        }
        for (flow, paired) in flow.iter_mut().zip(self.paired.iter()) {
            *flow = flow.times(paired);
        }
        Ok(flow)
    }
}
