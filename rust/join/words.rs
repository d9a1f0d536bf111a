//! Edit distances of strings of any length: 64 rows at a time, one string after the other.

use crate::text::advance;

/// Cells of the table of two strings above which their distance takes too long.
const MOST_CELLS: u64 = 1 << 31;
/// Letters, which are bytes.
const LETTERS: usize = 256;

/// Where each letter occurs in a string.
#[derive(Debug, Default)]
pub(super) struct Words {
    letters: usize,
    /// Words of a column.
    width: usize,
    masks: Vec<u64>,
    steps: Vec<(u64, u64)>,
}

impl Words {
    pub(super) fn prepare(&mut self, string: &[u8]) {
        self.letters = string.len();
        self.width = string.len().div_ceil(64).max(1);
        self.masks.clear();
        self.masks.resize(LETTERS * self.width, 0);
        for (place, &letter) in string.iter().enumerate() {
            self.masks[usize::from(letter) * self.width + place / 64] |= 1 << (place % 64);
        }
    }

    /// The distance to a text, or a smaller lower bound if that is above `limit`, or if the strings
    /// are too long.
    pub(super) fn bound(&mut self, text: &[u8], limit: usize) -> usize {
        // A number of edits that fits an i64.
        let limit = limit.min(self.letters + text.len());
        let lengths = self.letters.abs_diff(text.len());
        let cells = self.letters as u64 * text.len() as u64;
        if self.letters == 0 || lengths > limit || cells > MOST_CELLS {
            return lengths;
        }
        self.steps.clear();
        self.steps.resize(self.width, (!0, 0));
        let last = (self.letters - 1) % 64;
        let mut distance = self.letters as i64;
        for (done, &letter) in text.iter().enumerate() {
            let masks = &self.masks[usize::from(letter) * self.width..][..self.width];
            // The row above the string rises by one with every column.
            let (mut carried, mut steps) = ((1, 0), (0, 0));
            for (column, &mask) in self.steps.iter_mut().zip(masks) {
                (*column, steps) = advance(*column, mask, carried);
                carried = (steps.0 >> 63, steps.1 >> 63);
            }
            distance += (steps.0 >> last & 1) as i64 - (steps.1 >> last & 1) as i64;
            // Every further column lowers it by one at most.
            let least = distance - (text.len() - 1 - done) as i64;
            if least > limit as i64 {
                return least as usize;
            }
        }
        distance as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::strings::Diagonals;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_are_distances_up_to_the_limit(
            a in proptest::collection::vec(0u8..3, 0..150),
            b in proptest::collection::vec(0u8..3, 0..150),
            limit in prop_oneof![0usize..160, Just(usize::MAX)],
        ) {
            let (mut words, mut diagonals) = (Words::default(), Diagonals::default());
            words.prepare(&a);
            let distance = diagonals.distance(&a, &b, 200).unwrap();
            let bound = words.bound(&b, limit);
            prop_assert!(bound <= distance);
            prop_assert_eq!(bound.min(limit.saturating_add(1)), distance.min(limit.saturating_add(1)));
        }
    }
}
