//! Edit distances of one string and many others, however large.
//!
//! As in `text/words.rs`, a column of the table of prefixes is a row of words of bits, 64 rows each:
//! where the distance rises and where it falls. Eight strings advance side by side, one in each lane.
//! Where distances are small, `bands.rs` is faster.

#![allow(unsafe_code)] // calls of functions that enable instructions after these were detected

#[cfg(target_arch = "x86_64")]
use crate::simd::Instructions;
use crate::simd::bands::LANES;

/// Cells of the table of two strings above which their distance takes too long.
const MOST_CELLS: u64 = 1 << 31;
/// Letters, which are bytes.
const LETTERS: usize = 256;
/// Columns between two looks at the limit.
const LOOK_EVERY: usize = 8;

/// A word for each string.
type Words = [u64; LANES];

/// Where each letter occurs in a string.
#[derive(Debug, Default)]
pub(crate) struct LongPlaces {
    letters: usize,
    /// Words of a column.
    words: usize,
    masks: Vec<u64>,
    /// Rising and falling steps of a column.
    steps: Vec<(Words, Words)>,
}

impl LongPlaces {
    pub(crate) fn prepare(&mut self, string: &[u8]) {
        self.letters = string.len();
        self.words = string.len().div_ceil(64).max(1);
        self.masks.clear();
        self.masks.resize(LETTERS * self.words, 0);
        for (place, &letter) in string.iter().enumerate() {
            self.masks[usize::from(letter) * self.words + place / 64] |= 1 << (place % 64);
        }
    }

    /// Writes the edit distance to each of at most [`LANES`] texts, or a smaller lower bound where it
    /// is above `limit` or where the strings are too long.
    pub(crate) fn bounds(&mut self, texts: &[&[u8]], limit: usize, found: &mut [u32; LANES]) {
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        if self.letters == 0 || self.letters as u64 * longest as u64 > MOST_CELLS {
            for (found, text) in found.iter_mut().zip(texts) {
                *found = self.letters.abs_diff(text.len()) as u32;
            }
            return;
        }
        let mut lanes: [&[u8]; LANES] = [&[]; LANES];
        lanes[..texts.len()].copy_from_slice(texts);
        // A number of edits that fits.
        let limit = limit.min(self.letters + longest) as i64;
        *found = self.run(&lanes, longest, limit);
    }

    fn run(&mut self, texts: &[&[u8]; LANES], columns: usize, limit: i64) -> [u32; LANES] {
        #[cfg(target_arch = "x86_64")]
        {
            if Instructions::Avx512.is_usable() {
                // SAFETY: AVX-512 F and BW were detected.
                return unsafe { advance_by_avx512(self, texts, columns, limit) };
            }
            if Instructions::Avx2.is_usable() {
                // SAFETY: AVX2 was detected.
                return unsafe { advance_by_avx2(self, texts, columns, limit) };
            }
        }
        advance(self, texts, columns, limit)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn advance_by_avx512(
    places: &mut LongPlaces,
    texts: &[&[u8]; LANES],
    columns: usize,
    limit: i64,
) -> [u32; LANES] {
    advance(places, texts, columns, limit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn advance_by_avx2(
    places: &mut LongPlaces,
    texts: &[&[u8]; LANES],
    columns: usize,
    limit: i64,
) -> [u32; LANES] {
    advance(places, texts, columns, limit)
}

#[inline(always)]
fn advance(
    places: &mut LongPlaces,
    texts: &[&[u8]; LANES],
    columns: usize,
    limit: i64,
) -> [u32; LANES] {
    let LongPlaces { letters, words, ref masks, ref mut steps } = *places;
    steps.clear();
    steps.resize(words, ([!0; LANES], [0; LANES]));
    let last = (letters - 1) % 64;
    let mut distances = [letters as i64; LANES];
    let ends = texts.map(|text| text.len() as u64);
    for column in 0..columns {
        let mut starts = [0; LANES];
        for (start, text) in starts.iter_mut().zip(texts) {
            let letter = if column < text.len() { text[column] } else { 0 };
            *start = usize::from(letter) * words;
        }
        // The row above the string rises by one with every column.
        let (mut rises, mut falls) = ([1u64; LANES], [0u64; LANES]);
        let (mut rise, mut fall) = ([0u64; LANES], [0u64; LANES]);
        for (word, (rising, falling)) in steps.iter_mut().enumerate() {
            let mut matches = [0; LANES];
            for (matches, start) in matches.iter_mut().zip(&starts) {
                *matches = masks[start + word];
            }
            for lane in 0..LANES {
                let (up, down) = (rising[lane], falling[lane]);
                let vertical = matches[lane] | down;
                let equal = matches[lane] | falls[lane];
                let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal;
                rise[lane] = down | !(diagonal | up);
                fall[lane] = up & diagonal;
                let rise_down = rise[lane] << 1 | rises[lane];
                let fall_down = fall[lane] << 1 | falls[lane];
                rising[lane] = fall_down | !(vertical | rise_down);
                falling[lane] = rise_down & vertical;
                rises[lane] = rise[lane] >> 63;
                falls[lane] = fall[lane] >> 63;
            }
        }
        for lane in 0..LANES {
            let step = (rise[lane] >> last & 1) as i64 - (fall[lane] >> last & 1) as i64;
            // 1 up to the end of the text; a comparison would be made lane by lane.
            let counts = (column as u64).wrapping_sub(ends[lane]) >> 63;
            distances[lane] += step * counts as i64;
        }
        if column % LOOK_EVERY == LOOK_EVERY - 1 {
            // Every further column lowers it by one at most.
            let left = |lane: usize| texts[lane].len().saturating_sub(column + 1) as i64;
            if (0..LANES).all(|lane| distances[lane] - left(lane) > limit || left(lane) == 0) {
                for (lane, distance) in distances.iter_mut().enumerate() {
                    *distance -= left(lane);
                }
                break;
            }
        }
    }
    distances.map(|distance| distance as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::string_distance;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_are_distances_up_to_the_limit(
            string in proptest::collection::vec(0u8..3, 0..150),
            texts in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..150), 1..=LANES),
            limit in prop_oneof![0usize..160, Just(usize::MAX)],
        ) {
            let mut places = LongPlaces::default();
            places.prepare(&string);
            let lanes: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            let mut found = [0; LANES];
            places.bounds(&lanes, limit, &mut found);
            let least = limit.saturating_add(1);
            for (text, bound) in texts.iter().zip(found) {
                let distance = string_distance(&string, text);
                prop_assert!(bound as usize <= distance);
                prop_assert_eq!((bound as usize).min(least), distance.min(least));
            }
        }
    }
}
