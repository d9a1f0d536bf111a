//! The string bound of a table: what the best alignment of two label strings saves.
//!
//! The recursion of strings in the savings form, as that of trees: G[i][j] = max(G[i-1][j],
//! G[i][j-1], G[i-1][j-1] + w(i, j)), all borders 0.

use super::strings::texts;
use crate::cost::CostTable;
use crate::pair::Operand;

/// One row of the dynamic program of each of the two strings.
#[derive(Debug, Default)]
pub(super) struct StringRows {
    rows: Vec<[i64; 2]>,
    /// Both strings of the second tree, in codes.
    codes: Vec<[u32; 2]>,
}

impl StringRows {
    /// What the worse of the two alignments, of the preorder and of the postorder strings, saves.
    pub(super) fn savings(&mut self, x: &Operand<'_>, y: &Operand<'_>, table: &CostTable) -> i64 {
        fn codes<'a>(operand: &'a Operand<'_>) -> impl Iterator<Item = [u32; 2]> + 'a {
            let labels = operand.tree.labels();
            let code = move |label: u32| operand.code(labels[label as usize]);
            let [post, pre] = texts(operand);
            post.iter().zip(pre).map(move |(&a, &b)| [code(a), code(b)])
        }
        self.codes.clear();
        self.codes.extend(codes(y));
        self.rows.clear();
        self.rows.resize(self.codes.len(), [0; 2]);
        for [a, b] in codes(x) {
            // Two at a time: each waits for itself from cell to cell.
            let (mut left, mut diagonal) = ([0; 2], [0; 2]);
            for (&[c, d], cell) in self.codes.iter().zip(&mut self.rows) {
                let savings = [table.saving(a, c) as i64, table.saving(b, d) as i64];
                for side in 0..2 {
                    let paired = (diagonal[side] + savings[side]).max(cell[side]);
                    diagonal[side] = cell[side];
                    left[side] = left[side].max(paired);
                    cell[side] = left[side];
                }
            }
        }
        self.rows.last().map_or(0, |&[post, pre]| post.min(pre))
    }
}
