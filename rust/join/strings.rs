//! Edit distances of label strings that are known to be small, and their alignments.
//!
//! Ukkonen's diagonals (1985): for every number of edits and every diagonal of the table, only the
//! furthest row that is reached is kept. From there equal letters are passed for free, eight at a
//! time. The work grows with the square of the limit and hardly with the lengths.

/// No row of a diagonal is reached.
const NONE: i32 = i32::MIN / 2;
/// Diagonals on either side of those that are visited, so that their neighbours can be read.
const MARGIN: i32 = 2;

/// The rows that are reached, for the last pair of strings.
#[derive(Debug, Default)]
pub(super) struct Diagonals {
    /// For each number of edits, `width` diagonals; diagonal 0 is at `middle`.
    rows: Vec<i32>,
    width: usize,
    middle: i32,
}

/// The number of letters that are equal from two places on.
#[inline(always)]
fn equal_letters(a: &[u8], b: &[u8]) -> usize {
    let most = a.len().min(b.len());
    let (a, b) = (&a[..most], &b[..most]);
    let mut done = 0;
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        // Chunks have eight bytes.
        let [a, b] = [a, b].map(|bytes| bytes.try_into().map_or(0, u64::from_le_bytes));
        if a != b {
            return done + (a ^ b).trailing_zeros() as usize / 8;
        }
        done += 8;
    }
    let rest = a[done..].iter().zip(&b[done..]);
    done + rest.take_while(|(a, b)| a == b).count()
}

impl Diagonals {
    /// The edit distance of two strings if it is at most `limit`.
    pub(super) fn distance(&mut self, a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
        let (n, m) = (a.len() as i32, b.len() as i32);
        let last = m - n;
        // More edits than letters are never needed.
        let limit = limit.min(a.len().max(b.len())) as i32;
        if last.abs() > limit {
            return None;
        }
        self.middle = limit + MARGIN;
        self.width = 2 * self.middle as usize + 1;
        let (width, middle) = (self.width, self.middle);
        if self.rows.len() < (limit as usize + 1) * width {
            self.rows.resize((limit as usize + 1) * width, NONE);
        }
        for edits in 0..=limit {
            let (before, here) = self.rows.split_at_mut(edits as usize * width);
            let before = &before[before.len().saturating_sub(width)..];
            let here = &mut here[..width];
            // Diagonals from which the last one can still be reached.
            let left = limit - edits;
            let (from, to) = ((-edits).max(last - left), edits.min(last + left));
            let (first, end) = ((from + middle) as usize, (to + middle) as usize + 1);
            here[first - MARGIN as usize..first].fill(NONE);
            here[end..end + MARGIN as usize].fill(NONE);
            for (place, here) in (first..end).zip(&mut here[first..end]) {
                let diagonal = place as i32 - middle;
                let mut row = if edits == 0 { 0 } else { furthest(before, place) };
                // A row beyond the end was reached with fewer edits at the end.
                row = row.min(n).min(m - diagonal);
                if row < 0 || row + diagonal < 0 {
                    *here = NONE;
                    continue;
                }
                row += equal_letters(&a[row as usize..], &b[(row + diagonal) as usize..]) as i32;
                *here = row;
                if diagonal == last && row == n {
                    return Some(edits as usize);
                }
            }
        }
        None
    }

    /// The pairs of an alignment of the last two strings, of n and m letters and with that distance,
    /// last pair first: `pair(i, j, count)` for a run of them that starts at the letters i and j.
    pub(super) fn alignment(
        &self,
        (n, m): (usize, usize),
        distance: usize,
        mut pair: impl FnMut(usize, usize, usize),
    ) {
        let (mut row, mut diagonal) = (n as i32, m as i32 - n as i32);
        for edits in (1..=distance).rev() {
            let before = &self.rows[(edits - 1) * self.width..][..self.width];
            let place = (diagonal + self.middle) as usize;
            let start = furthest(before, place).min(row);
            if row > start {
                pair(start as usize, (start + diagonal) as usize, (row - start) as usize);
            }
            row = start;
            if before[place] + 1 == start {
                row -= 1;
                pair(row as usize, (row + diagonal) as usize, 1);
            } else if before[place - 1] == start {
                diagonal -= 1;
            } else {
                row -= 1;
                diagonal += 1;
            }
        }
        pair(0, 0, row.max(0) as usize);
    }
}

/// The row of a diagonal after one more edit: a replacement, a letter of b, or a letter of a.
#[inline(always)]
fn furthest(before: &[i32], place: usize) -> i32 {
    (before[place] + 1).max(before[place - 1]).max(before[place + 1] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::string_distance;
    use proptest::prelude::*;

    fn check(diagonals: &mut Diagonals, a: &[u8], b: &[u8]) -> Result<(), TestCaseError> {
        let expected = string_distance(a, b);
        for limit in [0, 1, 2, 3, 5, 9, expected, expected + 1, expected.saturating_sub(1), 70] {
            let found = diagonals.distance(a, b, limit);
            prop_assert_eq!(found, Some(expected).filter(|&d| d <= limit));
            let Some(distance) = found else { continue };
            let mut pairs = Vec::new();
            diagonals.alignment((a.len(), b.len()), distance, |i, j, count| {
                pairs.extend((0..count).rev().map(|k| (i + k, j + k)));
            });
            pairs.reverse();
            prop_assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
            let replaced = pairs.iter().filter(|&&(i, j)| a[i] != b[j]).count();
            prop_assert_eq!(a.len() + b.len() - 2 * pairs.len() + replaced, distance);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn distances_and_alignments_are_those_of_all_cells(
            a in proptest::collection::vec(0u8..3, 0..40),
            b in proptest::collection::vec(0u8..3, 0..40),
            places in proptest::collection::vec((0usize..40, 0u8..3, 0u8..3), 0..6),
        ) {
            let mut diagonals = Diagonals::default();
            check(&mut diagonals, &a, &b)?;
            let mut near = a.clone();
            for (place, kind, letter) in places {
                match kind {
                    0 => near.insert(place.min(near.len()), letter),
                    1 if place < near.len() => drop(near.remove(place)),
                    _ if place < near.len() => near[place] = letter,
                    _ => {}
                }
            }
            check(&mut diagonals, &a, &near)?;
            check(&mut diagonals, &near, &a)?;
        }
    }
}
