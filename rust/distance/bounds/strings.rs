//! The string bound of unit costs: edit distances of label strings, 64 rows at a time.
//!
//! A column of the dynamic programme of strings changes by at most one from row to row. Two bits
//! per row hold the changes, and a step to the next column is a dozen word operations (Myers
//! 1999, in the form of Hyyrö 2003); an addition carries runs of matches down the column. Longer
//! patterns take several words, which hand their last row's change on.

use crate::error::Result;
use crate::pairwise::Side;
use crate::parallel::Cancel;
use crate::tree::Orientation;

/// Label codes of all trees of a set, in postorder and in reversed preorder.
///
/// The distance of reversed strings is that of the strings.
#[derive(Debug)]
pub(super) struct Strings {
    starts: Vec<usize>,
    codes: [Vec<u32>; 2],
}

impl Strings {
    pub(super) fn new(side: Side<'_>, cancel: &Cancel) -> Result<Self> {
        let mut strings = Self { starts: vec![0], codes: [Vec::new(), Vec::new()] };
        for index in 0..side.trees.len() {
            cancel.check()?;
            let operand = side.operand(index);
            let labels = operand.tree.labels();
            let orders = [Orientation::Left, Orientation::Right];
            for (order, codes) in orders.into_iter().zip(&mut strings.codes) {
                // A virtual root stands behind the real nodes.
                let nodes = &operand.tree.oriented(order).label[..operand.tree.nodes()];
                codes.extend(nodes.iter().map(|&label| operand.code(labels[label as usize])));
            }
            strings.starts.push(strings.codes[0].len());
        }
        Ok(strings)
    }

    /// Number of nodes of a tree.
    pub(super) fn len(&self, tree: usize) -> usize {
        self.starts[tree + 1] - self.starts[tree]
    }

    /// Both strings of a tree.
    pub(super) fn of(&self, tree: usize) -> [&[u32]; 2] {
        let range = self.starts[tree]..self.starts[tree + 1];
        [&self.codes[0][range.clone()], &self.codes[1][range]]
    }
}

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
    /// Rising and falling steps of a column of several words.
    steps: Vec<(u64, u64)>,
}

impl Pattern {
    /// Takes a tree of a set.
    pub(super) fn prepare(&mut self, strings: &Strings, tree: usize) {
        for code in self.codes.drain(..) {
            self.row[code as usize] = 0;
        }
        let texts = strings.of(tree);
        self.len = texts[0].len();
        self.words = self.len.div_ceil(64).max(1);
        for &code in texts[0] {
            if self.row.len() <= code as usize {
                self.row.resize(code as usize + 1, 0);
            }
            if self.row[code as usize] == 0 {
                self.codes.push(code);
                self.row[code as usize] = self.codes.len() as u32;
            }
        }
        for (masks, text) in self.masks.iter_mut().zip(texts) {
            masks.clear();
            masks.resize((self.codes.len() + 1) * self.words, 0);
            for (place, &code) in text.iter().enumerate() {
                let row = self.row[code as usize] as usize * self.words;
                masks[row + place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// The larger distance of both strings, or less if that is above `limit` all the same.
    pub(super) fn bound(&mut self, strings: &Strings, tree: usize, limit: i64) -> i64 {
        let texts = strings.of(tree);
        let longer = texts[0].len().max(self.len);
        if self.len == 0 || texts[0].is_empty() {
            return longer as i64;
        }
        if self.words == 1 {
            return self.one_word(texts);
        }
        let first = self.many_words(0, texts[0], limit);
        if first > limit { first } else { first.max(self.many_words(1, texts[1], limit)) }
    }

    fn mask_row(&self, code: u32) -> usize {
        self.row.get(code as usize).map_or(0, |&row| row as usize)
    }

    /// Both strings side by side: each waits for itself from column to column.
    fn one_word(&self, texts: [&[u32]; 2]) -> i64 {
        let last = self.len - 1;
        let mut columns = [(!0u64, 0u64); 2];
        let mut distances = [self.len as i64; 2];
        for (&a, &b) in texts[0].iter().zip(texts[1]) {
            for (side, code) in [a, b].into_iter().enumerate() {
                let mask = self.masks[side][self.mask_row(code)];
                let (rise, fall);
                (columns[side], (rise, fall)) = advance(columns[side], mask, (1, 0));
                distances[side] += (rise >> last & 1) as i64 - (fall >> last & 1) as i64;
            }
        }
        distances[0].max(distances[1])
    }

    fn many_words(&mut self, side: usize, text: &[u32], limit: i64) -> i64 {
        self.steps.clear();
        self.steps.resize(self.words, (!0, 0));
        let last = (self.len - 1) % 64;
        let mut distance = self.len as i64;
        for (done, &code) in text.iter().enumerate() {
            let row = self.mask_row(code) * self.words;
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

/// One word of a column moves on by one column.
///
/// Takes the rising and falling steps down the column, where the row labels match, and the step
/// that comes in from above along the row; gives the steps of the new column and those along all
/// rows.
#[inline(always)]
fn advance(
    (rising, falling): (u64, u64),
    matches: u64,
    (rise_in, fall_in): (u64, u64),
) -> ((u64, u64), (u64, u64)) {
    let vertical = matches | falling;
    let matches = matches | fall_in;
    let diagonal = (matches & rising).wrapping_add(rising) ^ rising | matches;
    let rise = falling | !(diagonal | rising);
    let fall = rising & diagonal;
    let (rise_down, fall_down) = (rise << 1 | rise_in, fall << 1 | fall_in);
    ((fall_down | !(vertical | rise_down), rise_down & vertical), (rise, fall))
}
