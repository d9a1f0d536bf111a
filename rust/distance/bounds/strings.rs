//! The string bound of unit costs: edit distances of label strings, 64 rows at a time.
//!
//! See `text/words.rs` for the step from column to column. Here both strings of a tree advance side
//! by side, and the work stops as soon as the bound is above a limit.

use crate::pair::Operand;
use crate::text::advance;
use crate::tree::Orientation;

/// The labels of a tree, as indices of its distinct labels, in postorder and in reversed preorder.
///
/// The distance of reversed strings is that of the strings.
pub(super) fn texts<'a>(operand: &Operand<'a>) -> [&'a [u32]; 2] {
    let tree = operand.tree;
    // A virtual root stands behind the real nodes.
    Orientation::BOTH.map(|order| &tree.oriented(order).label[..tree.nodes()])
}

/// Columns between two looks at the limit.
const LOOK_EVERY: usize = 8;

/// One tree's strings made ready to be compared with many others.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    len: usize,
    /// Words of a column.
    words: usize,
    /// For every label code the row of masks that says where it occurs; 0 if it does not.
    row: Vec<u32>,
    /// The codes that have a row.
    codes: Vec<u32>,
    /// Rows of `words` words for each of both strings; the first one is empty.
    masks: [Vec<u64>; 2],
    /// The rows of the distinct labels of the tree at hand.
    others: Vec<u32>,
    /// Rising and falling steps of a column of several words.
    steps: Vec<(u64, u64)>,
}

impl Pattern {
    /// Takes a tree.
    pub(super) fn prepare(&mut self, x: &Operand<'_>) {
        for code in self.codes.drain(..) {
            self.row[code as usize] = 0;
        }
        self.len = x.tree.nodes();
        self.words = self.len.div_ceil(64).max(1);
        self.others.clear();
        for &label in x.tree.labels() {
            let code = x.code(label);
            if self.row.len() <= code as usize {
                self.row.resize(code as usize + 1, 0);
            }
            let row = &mut self.row[code as usize];
            if *row == 0 {
                self.codes.push(code);
                *row = self.codes.len() as u32;
            }
            self.others.push(*row);
        }
        for (masks, text) in self.masks.iter_mut().zip(texts(x)) {
            masks.clear();
            masks.resize((self.codes.len() + 1) * self.words, 0);
            for (place, &label) in text.iter().enumerate() {
                let row = self.others[label as usize] as usize * self.words;
                masks[row + place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// The larger distance of both strings, or less if that is above `limit` all the same.
    pub(super) fn bound(&mut self, y: &Operand<'_>, limit: i64) -> i64 {
        let texts = texts(y);
        let longer = texts[0].len().max(self.len);
        if self.len == 0 || texts[0].is_empty() {
            return longer as i64;
        }
        let row = |&label: &u32| self.row.get(y.code(label) as usize).copied().unwrap_or(0);
        self.others.clear();
        self.others.extend(y.tree.labels().iter().map(row));
        match self.words {
            1 => return self.few_words::<1>(texts, limit),
            2 => return self.few_words::<2>(texts, limit),
            3 => return self.few_words::<3>(texts, limit),
            4 => return self.few_words::<4>(texts, limit),
            _ => {}
        }
        let first = self.many_words(0, texts[0], limit);
        if first > limit { first } else { first.max(self.many_words(1, texts[1], limit)) }
    }

    /// Both strings side by side: each waits for itself from column to column.
    fn few_words<const WORDS: usize>(&self, texts: [&[u32]; 2], limit: i64) -> i64 {
        let last = (self.len - 1) % 64;
        let mut columns = [[(!0u64, 0u64); WORDS]; 2];
        let mut distances = [self.len as i64; 2];
        for (done, (&a, &b)) in texts[0].iter().zip(texts[1]).enumerate() {
            for (side, label) in [a, b].into_iter().enumerate() {
                let row = self.others[label as usize] as usize * WORDS;
                let masks = &self.masks[side][row..row + WORDS];
                let (mut carried, mut steps) = ((1, 0), (0, 0));
                for (column, &mask) in columns[side].iter_mut().zip(masks) {
                    (*column, steps) = advance(*column, mask, carried);
                    carried = (steps.0 >> 63, steps.1 >> 63);
                }
                distances[side] += (steps.0 >> last & 1) as i64 - (steps.1 >> last & 1) as i64;
            }
            if done % LOOK_EVERY == LOOK_EVERY - 1 {
                // Every further column lowers it by one at most.
                let least = distances[0].max(distances[1]) - (texts[0].len() - 1 - done) as i64;
                if least > limit {
                    return least;
                }
            }
        }
        distances[0].max(distances[1])
    }

    fn many_words(&mut self, side: usize, text: &[u32], limit: i64) -> i64 {
        self.steps.clear();
        self.steps.resize(self.words, (!0, 0));
        let last = (self.len - 1) % 64;
        let mut distance = self.len as i64;
        for (done, &label) in text.iter().enumerate() {
            let row = self.others[label as usize] as usize * self.words;
            let masks = &self.masks[side][row..row + self.words];
            // The row above the pattern rises by one with every column.
            let mut carried = (1, 0);
            let mut steps = (0, 0);
            for (column, &mask) in self.steps.iter_mut().zip(masks) {
                (*column, steps) = advance(*column, mask, carried);
                carried = (steps.0 >> 63, steps.1 >> 63);
            }
            distance += (steps.0 >> last & 1) as i64 - (steps.1 >> last & 1) as i64;
            // Every further column lowers it by one at most.
            let least = distance - (text.len() - 1 - done) as i64;
            if least > limit {
                return least;
            }
        }
        distance
    }
}
