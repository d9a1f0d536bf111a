//! What is counted of one pair.

use super::{CountRequest, Counts, Script};
use crate::align::{
    CoOptimal, Integer, KEEP_LISTS, Order, Problem, Setting, Ties, one_alignment,
    only_counterparts, soft_alignment, soft_table_bytes,
};
use crate::error::Result;
use crate::pair::{Operand, Pair, SetCosts};
use crate::parallel::Cancel;

/// Bytes per row of a batch of columns, more than its lanes take.
const ROW_BYTES: u64 = 8 << 10;

/// Bytes that one thread takes at least, and at most, for a pair with that many pairs of nodes.
pub(super) fn bytes(request: &CountRequest<'_>, cells: u64, nodes: u64) -> (u64, u64) {
    let quanta = match request.costs {
        SetCosts::Fixed(costs) if costs.is_wide_for((nodes + cells / nodes.max(1)) as usize) => 16,
        _ => 8,
    };
    // Savings of subtrees and of the largest forest; then for each pair of nodes amounts and
    // their derivatives, of forests and of subtrees, of up to 16 bytes each, and lists.
    let (per_cell, lists) = match request.script {
        Script::One => (3 * quanta, 0),
        Script::Average => (3 * quanta + 116, KEEP_LISTS as u64),
        Script::Soft(_) => (quanta + 136, (KEEP_LISTS as u64).max(soft_table_bytes(cells, nodes))),
    };
    // The kernel has its own table, of the pair or of a batch.
    let kernel = (2 * quanta * cells).max(ROW_BYTES * nodes);
    (2 * quanta * cells, per_cell.saturating_mul(cells).saturating_add(lists + kernel))
}

impl<'a> CountRequest<'a> {
    /// A pair, before the savings of its subtrees are known.
    pub(super) fn setting(&self, pair: Pair<'a>) -> Setting<'a> {
        Setting::new(pair, self.tolerance, self.order())
    }

    /// In which order nodes may be walked.
    pub(super) fn order(&self) -> Order {
        match self.script {
            Script::One => Ties::Pair.order(),
            Script::Average => Order::Any,
            Script::Soft(_) => Order::Free,
        }
    }

    /// Whether it is plain to see what is counted of a pair: every node is paired with its
    /// counterpart.
    pub(super) fn is_plain(&self, x: &Operand<'_>, y: &Operand<'_>) -> bool {
        match self.script {
            // It pairs nodes wherever that is optimal, the first ones first.
            Script::One => self.costs.costs_nothing(x, y),
            Script::Average => only_counterparts(x, y, self.costs),
            Script::Soft(_) => false,
        }
    }

    /// The counts of such a pair.
    pub(super) fn plain_counts(&self, x: &Operand<'_>, y: &Operand<'_>) -> Counts {
        let mut nodes = vec![0.0; x.tree.labels().len()];
        x.tree.label_indices().for_each(|label| nodes[label as usize] += 1.0);
        self.named((x, y), nodes.iter().enumerate().map(|(label, &count)| ((label, label), count)))
    }

    /// Counts the edits of one pair.
    pub(super) fn counts<Q: Integer>(
        &self,
        (x, y): (&Operand<'_>, &Operand<'_>),
        problem: Problem<'_, Q>,
        cancel: &Cancel,
    ) -> Result<Counts> {
        let (n, m) = problem.shape();
        // First by the distinct labels of the two trees, gap last: a small dense matrix.
        let (rows, columns) = (x.tree.labels(), y.tree.labels());
        let width = columns.len() + 1;
        let mut local = vec![0.0; (rows.len() + 1) * width];
        let (row_of, column_of) = problem.labels_in_preorder();
        match self.script {
            Script::One => {
                let (mut deleted, mut inserted) = (vec![true; n], vec![true; m]);
                for (i, j) in one_alignment(&problem, Ties::Pair, cancel)? {
                    let (i, j) = (i as usize, j as usize);
                    (deleted[i], inserted[j]) = (false, false);
                    local[row_of[i] * width + column_of[j]] += 1.0;
                }
                for i in (0..n).filter(|&i| deleted[i]) {
                    local[row_of[i] * width + width - 1] += 1.0;
                }
                for j in (0..m).filter(|&j| inserted[j]) {
                    local[rows.len() * width + column_of[j]] += 1.0;
                }
            }
            Script::Average | Script::Soft(_) => {
                let shares = match self.script {
                    Script::Soft(temperature) => soft_alignment(&problem, temperature, cancel)?.1,
                    _ => CoOptimal::new(problem, cancel)?.expectation(cancel)?,
                }
                .shares;
                let gap = |labels: &[usize], k: usize, last: usize| {
                    labels.get(k).copied().unwrap_or(last)
                };
                for (i, row) in shares.chunks_exact(m + 1).enumerate() {
                    let start = gap(&row_of, i, rows.len()) * width;
                    for (j, &share) in row.iter().enumerate().filter(|(_, share)| **share != 0.0) {
                        local[start + gap(&column_of, j, width - 1)] += share;
                    }
                }
            }
        }
        let cells = local.iter().enumerate().filter(|(_, count)| **count != 0.0);
        let cells = cells.map(|(cell, &count)| ((cell / width, cell % width), count));
        Ok(self.named((x, y), cells))
    }

    /// Counts of pairs of labels of two trees, the gap last, as counts of symbols.
    fn named(
        &self,
        (x, y): (&Operand<'_>, &Operand<'_>),
        local: impl Iterator<Item = ((usize, usize), f64)>,
    ) -> Counts {
        let symbol = |labels: &[u32], symbol_of: &[u32], k: usize| {
            let symbol = labels.get(k).map_or(self.symbols, |&code| symbol_of[code as usize]);
            u64::from(symbol)
        };
        let side = u64::from(self.symbols) + 1;
        let name = |((a, b), count)| {
            let old = symbol(x.tree.labels(), self.symbol_of.0, a);
            (old * side + symbol(y.tree.labels(), self.symbol_of.1, b), count)
        };
        let mut counts: Counts = local.map(name).collect();
        counts.sort_unstable_by_key(|entry| entry.0);
        counts
    }
}
