//! The partition index: trees by the segments of their strings.
//!
//! A string that is cut into k + 1 segments and then edited at most k times still contains one of
//! them unchanged. Pass-Join (Li, Deng, Wang and Feng 2011) finds the pairs of strings that share a
//! segment near its place, by a table from (length, number of the segment, hash of the segment) to
//! strings. Its *multi-match-aware* windows are narrow: with e(i) edits in segment i, the sums
//! e(0) + … + e(i - 1) - i start at 0, end below 0, and fall by at most one. So there is a segment i
//! without an edit that has exactly i edits before it, and at most k - i behind it. It is found at
//! most i places from its own when counted from the left, and at most k - i places when counted from
//! the right.

use crate::error::Result;
use crate::join::signatures::Signatures;
use crate::memory;
use crate::parallel::Crew;
use crate::tree::mix;
use std::ops::Range;

/// The base of the rolling hash: odd, without a pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// A slot of the table that is empty.
const EMPTY: u32 = u32::MAX;
/// Entries that a thread sorts at a time.
const PART_ENTRIES: usize = 1 << 17;
/// Bytes of an entry: with its key, sorted, and its slots.
const ENTRY_BYTES: u64 = 44;

/// Flat arrays: sorted entries and a table of open addressing.
#[derive(Debug)]
pub(super) struct SegmentIndex {
    edits: usize,
    /// Keys of all segments, each run of one key together; those of one size are in one place.
    keys: Vec<u64>,
    /// The position that each one belongs to, ascending in a run.
    positions: Vec<u32>,
    /// Where the run of a key begins.
    slots: Vec<u32>,
}

/// Where segment `number` of a string of that many letters lies.
#[inline(always)]
pub(super) fn segment(letters: usize, edits: usize, number: usize) -> Range<usize> {
    // The last segments have the letters that are left over.
    let (short, longer) = (letters / (edits + 1), letters % (edits + 1));
    let before = number.saturating_sub(edits + 1 - longer);
    let start = number * short + before;
    let length = short + usize::from(number >= edits + 1 - longer);
    start..start + length
}

/// Where segment `number` of a string of `m` letters may begin in one of `n` letters.
#[inline(always)]
pub(super) fn window(n: usize, m: usize, edits: usize, number: usize) -> Range<usize> {
    let part = segment(m, edits, number);
    let (start, shift) = (part.start as i64, n as i64 - m as i64);
    let (left, right) = (number as i64, (edits - number) as i64);
    let from = (start - left).max(start + shift - right).max(0);
    let to = (start + left).min(start + shift + right).min(n as i64 - part.len() as i64);
    from as usize..(to + 1).max(from) as usize
}

#[inline(always)]
fn key(hash: u64, size: usize, number: usize) -> u64 {
    mix(hash, (size as u64) << 16 | number as u64)
}

/// Hashes of all prefixes of a string, and the powers of the base.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    hashes: Vec<u64>,
    powers: Vec<u64>,
}

impl Prefixes {
    pub(super) fn prepare(&mut self, string: &[u8]) {
        self.hashes.clear();
        self.hashes.push(0);
        let mut hash = 0u64;
        self.hashes.extend(string.iter().map(|&letter| {
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(letter) + 1);
            hash
        }));
        if self.powers.is_empty() {
            self.powers.push(1);
        }
        while self.powers.len() <= string.len() {
            self.powers.push(self.powers[self.powers.len() - 1].wrapping_mul(BASE));
        }
    }

    #[inline(always)]
    fn hash(&self, part: Range<usize>) -> u64 {
        let before = self.hashes[part.start].wrapping_mul(self.powers[part.len()]);
        self.hashes[part.end].wrapping_sub(before)
    }
}

impl SegmentIndex {
    /// Cuts the strings of some sizes, all of them longer than the number of edits.
    pub(super) fn new(
        of: &Signatures<'_>,
        edits: usize,
        sizes: &[(usize, Range<usize>)],
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        let count: usize = sizes.iter().map(|(_, range)| range.len() * (edits + 1)).sum();
        memory::check("the index of segments", count as u64 * ENTRY_BYTES)?;
        // Sizes of one part are sorted together; their keys meet no others, except by chance.
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut entries = PART_ENTRIES;
        for (place, (_, range)) in sizes.iter().enumerate() {
            if entries >= PART_ENTRIES {
                parts.push(place..place);
                entries = 0;
            }
            entries += range.len() * (edits + 1);
            if let Some(part) = parts.last_mut() {
                part.end = place + 1;
            }
        }
        let sorted = crew.map(parts.len(), count < PART_ENTRIES, |part| {
            let mut found: Vec<(u64, u32)> = Vec::new();
            let mut prefixes = Prefixes::default();
            for (size, range) in &sizes[parts[part].clone()] {
                for position in range.clone() {
                    prefixes.prepare(of.preorder(position));
                    for number in 0..=edits {
                        let hash = prefixes.hash(segment(*size, edits, number));
                        found.push((key(hash, *size, number), position as u32));
                    }
                }
            }
            found.sort_unstable();
            Ok(found)
        })?;
        let (mut keys, mut positions) = (Vec::new(), Vec::new());
        keys.reserve_exact(count);
        positions.reserve_exact(count);
        for part in sorted {
            keys.extend(part.iter().map(|&(key, _)| key));
            positions.extend(part.iter().map(|&(_, position)| position));
        }
        let mut slots = vec![EMPTY; (2 * count).next_power_of_two()];
        let mut start = 0;
        for run in keys.chunk_by(|a, b| a == b) {
            let mut slot = run[0] as usize & (slots.len() - 1);
            while slots[slot] != EMPTY {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = start as u32;
            start += run.len();
        }
        Ok(Self { edits, keys, positions, slots })
    }

    /// The run of a key: its positions, ascending.
    #[inline(always)]
    fn run(&self, key: u64) -> &[u32] {
        let mut slot = key as usize & (self.slots.len() - 1);
        loop {
            let start = self.slots[slot];
            if start == EMPTY {
                return &[];
            }
            let keys = &self.keys[start as usize..];
            if keys[0] == key {
                let length = keys.iter().take_while(|&&other| other == key).count();
                return &self.positions[start as usize..start as usize + length];
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Calls `found` with the positions of all strings of `m` letters that share a segment with a
    /// string of `n` letters, near its place; a position may occur more than once.
    #[inline(always)]
    pub(super) fn probe(
        &self,
        string: &Prefixes,
        (n, m): (usize, usize),
        mut found: impl FnMut(&[u32]),
    ) {
        for number in 0..=self.edits {
            let length = segment(m, self.edits, number).len();
            for start in window(n, m, self.edits, number) {
                found(self.run(key(string.hash(start..start + length), m, number)));
            }
        }
    }

    /// For the strings of one size, the number of entries that a string like them meets, summed over
    /// all its probes.
    pub(super) fn expected(&self, of: &Signatures<'_>, size: usize, range: &Range<usize>) -> f64 {
        let mut prefixes = Prefixes::default();
        // A few of them are enough.
        let step = range.len().div_ceil(SAMPLED);
        let (mut met, mut tried) = (0usize, 0usize);
        for position in range.clone().step_by(step) {
            prefixes.prepare(of.preorder(position));
            self.probe(&prefixes, (size, size), |run| met += run.len());
            tried += 1;
        }
        met as f64 / tried.max(1) as f64
    }
}

/// Strings of a size that are probed to find out how many entries they meet.
const SAMPLED: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn segments_cover_a_string_once() {
        for letters in 1..60 {
            for edits in 0..letters {
                let mut end = 0;
                for number in 0..=edits {
                    let part = segment(letters, edits, number);
                    assert_eq!(part.start, end);
                    assert!(!part.is_empty());
                    end = part.end;
                }
                assert_eq!(end, letters);
            }
        }
    }

    proptest! {
        /// However a string is edited, one of its segments is found in its window.
        #[test]
        fn an_edited_string_keeps_a_segment_near_its_place(
            string in proptest::collection::vec(0u8..4, 6..40),
            changes in proptest::collection::vec((0usize..40, 0u8..3, 0u8..4), 0..6),
            more in 0usize..3,
        ) {
            let mut edited = string.clone();
            let mut edits = more;
            for (place, kind, letter) in changes {
                edits += 1;
                match kind {
                    0 => edited.insert(place.min(edited.len()), letter),
                    1 if place < edited.len() => drop(edited.remove(place)),
                    _ if place < edited.len() => edited[place] = letter,
                    _ => edits -= 1,
                }
            }
            prop_assume!(edits < string.len());
            let (n, m) = (edited.len(), string.len());
            let kept = (0..=edits).any(|number| {
                let part = segment(m, edits, number);
                window(n, m, edits, number)
                    .any(|start| edited[start..start + part.len()] == string[part.clone()])
            });
            prop_assert!(kept);
        }
    }
}
