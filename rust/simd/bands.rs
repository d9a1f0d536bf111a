//! Edit distances of one string and many others, where they are small.
//!
//! Myers (1999) keeps a column of the table of prefixes as two words of bits: the rows where the
//! distance rises, and those where it falls. Hyyrö (2003) keeps only the rows near the diagonal, so
//! that the word moves down one row with every column. A path of at most k edits from the first
//! corner to the last one, which is d diagonals away, leaves the diagonals between them by at most
//! (k - |d|) / 2 on either side: k + 1 rows are enough. Eight strings advance side by side, one in
//! each lane.
//!
//! The distance is read off along the last diagonal, where it never falls. So a string is ruled out as
//! soon as it is above the limit.

#![allow(unsafe_code)] // reads without a second check of their bounds, and calls of functions that
// enable instructions after these were detected

#[cfg(target_arch = "x86_64")]
use crate::simd::Instructions;

/// Strings that advance side by side.
pub(crate) const LANES: usize = 8;
/// Rows of a band. Bits are read at the byte where they begin, so up to seven are lost.
const ROWS: usize = 57;
/// Most edits of a distance.
pub(crate) const MOST_EDITS: usize = ROWS - 1;
/// Most letters of the string: the places of longer ones do not stay in the cache.
pub(crate) const MOST_LETTERS: usize = 4096;
/// Bits in front of the first letter: a band begins above the table.
const FRONT: usize = 64;
/// Letters, which are bytes.
const LETTERS: usize = 256;
/// Columns between two looks at the limit.
const LOOK_EVERY: usize = 8;

/// Where each letter occurs in a string.
#[derive(Debug, Default)]
pub(crate) struct Places {
    string: Vec<u8>,
    /// Bytes of the bits of one letter.
    stride: usize,
    /// The bits of all letters.
    bits: Vec<u8>,
}

impl Places {
    /// Takes a string of at most [`MOST_LETTERS`] letters.
    pub(crate) fn prepare(&mut self, string: &[u8]) {
        // Bits of the last column that a band reaches, and a word behind.
        let stride = ((FRONT + string.len() + MOST_EDITS) / 8 + 9).next_power_of_two();
        if stride == self.stride {
            for &letter in &self.string {
                self.bits[usize::from(letter) * stride..][..stride].fill(0);
            }
        } else {
            self.stride = stride;
            self.bits.clear();
            self.bits.resize(LETTERS * stride, 0);
        }
        self.string.clear();
        self.string.extend_from_slice(string);
        for (place, &letter) in string.iter().enumerate() {
            let bit = FRONT + place;
            self.bits[usize::from(letter) * stride + bit / 8] |= 1 << (bit % 8);
        }
    }

    /// Writes the edit distance to each text where it is at most `limit`, which is at most
    /// [`MOST_EDITS`], and `limit + 1` where it is not. There are at most [`LANES`] texts.
    pub(crate) fn distances(&self, texts: &[&[u8]], limit: usize, found: &mut [u32]) {
        let n = self.string.len();
        let mut lanes = Lanes::default();
        for (lane, text) in texts.iter().enumerate() {
            let (n, m) = (n as i64, text.len() as i64);
            let beside = (limit as i64 - (n - m).abs()) / 2;
            if (n - m).unsigned_abs() as usize <= limit {
                lanes.above = lanes.above.max((beside + (m - n).max(0)) as usize);
                lanes.below = lanes.below.max((beside + (n - m).max(0)) as usize);
                lanes.texts[lane] = text;
            }
        }
        if lanes.above + lanes.below >= ROWS && texts.len() > 1 {
            // Lengths that are too different for one band.
            let (first, last) = texts.split_at(texts.len() / 2);
            let (found, others) = found.split_at_mut(first.len());
            self.distances(first, limit, found);
            self.distances(last, limit, others);
            return;
        }
        let scores = self.run(&lanes, limit);
        for ((found, text), score) in found.iter_mut().zip(texts).zip(scores) {
            let near = text.len().abs_diff(n) <= limit && score <= limit as u64;
            *found = if near { score as u32 } else { limit as u32 + 1 };
        }
    }

    fn run(&self, lanes: &Lanes<'_>, limit: usize) -> [u64; LANES] {
        #[cfg(target_arch = "x86_64")]
        {
            if Instructions::Avx512.is_usable() {
                // SAFETY: AVX-512 F and BW are there.
                return unsafe { advance_by_avx512(self, lanes, limit) };
            }
            if Instructions::Avx2.is_usable() {
                // SAFETY: AVX2 is there.
                return unsafe { advance_by_avx2(self, lanes, limit) };
            }
        }
        advance(self, lanes, limit)
    }
}

/// Texts of similar length, and the rows of their band above and below the first diagonal.
#[derive(Debug, Default)]
struct Lanes<'a> {
    texts: [&'a [u8]; LANES],
    above: usize,
    below: usize,
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn advance_by_avx512(places: &Places, lanes: &Lanes<'_>, limit: usize) -> [u64; LANES] {
    advance(places, lanes, limit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn advance_by_avx2(places: &Places, lanes: &Lanes<'_>, limit: usize) -> [u64; LANES] {
    advance(places, lanes, limit)
}

/// The distances along the last diagonals, or something above the limit.
#[inline(always)]
fn advance(places: &Places, lanes: &Lanes<'_>, limit: usize) -> [u64; LANES] {
    let (n, above) = (places.string.len() as i64, lanes.above);
    let mut columns = 0;
    let (mut scores, mut shifts, mut ends) = ([0u64; LANES], [0u64; LANES], [0u64; LANES]);
    for (lane, text) in lanes.texts.iter().enumerate() {
        let down = n - text.len() as i64;
        // Empty lanes end before the first column.
        scores[lane] = down.max(0) as u64;
        shifts[lane] = (above as i64 + down).clamp(0, 63) as u64;
        ends[lane] = text.len() as u64;
        columns = columns.max(text.len());
    }
    // A letter is read where a lane has one, its bits where a row of them has a word.
    let stride = places.stride;
    assert!(above <= FRONT && places.bits.len() == LETTERS * stride);
    assert!((FRONT + columns) / 8 + 8 <= stride);
    let read = |column: usize, byte: usize| {
        let mut words = [0u64; LANES];
        for (word, text) in words.iter_mut().zip(&lanes.texts) {
            let letter = if column < text.len() { text[column] } else { 0 };
            let at = usize::from(letter) * stride + byte;
            // SAFETY: `at + 8` is at most `LETTERS * stride`, which is the number of bytes: there
            // are 256 letters, and `byte` is at most `(FRONT + columns) / 8`.
            let bytes = unsafe { places.bits.get_unchecked(at..at + 8) };
            *word = bytes.try_into().map_or(0, u64::from_le_bytes);
        }
        words
    };
    let (mut rising, mut falling) = ([!0u64 << above; LANES], [0u64; LANES]);
    for column in 0..columns {
        let bit = FRONT + column - above;
        let words = read(column, bit / 8);
        let shift = bit % 8;
        for lane in 0..LANES {
            let equal = words[lane] >> shift;
            let (up, down) = (rising[lane], falling[lane]);
            // Cells that are equal to the one before on their diagonal.
            let same = (((equal & up).wrapping_add(up)) ^ up) | equal | down;
            let (right_up, right_down) = (down | !(same | up), same & up);
            let next = same >> 1;
            rising[lane] = right_down | !(next | right_up);
            falling[lane] = next & right_up;
            // 1 up to the end of the text; a comparison would be made lane by lane.
            let counts = (column as u64).wrapping_sub(ends[lane]) >> 63;
            scores[lane] += !(same >> shifts[lane]) & counts;
        }
        if column % LOOK_EVERY == LOOK_EVERY - 1 {
            let mut done = true;
            for lane in 0..LANES {
                done &= scores[lane] > limit as u64 || ends[lane] <= column as u64;
            }
            if done && columns > column + 1 {
                break;
            }
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::string_distance;
    use proptest::prelude::*;

    fn check(places: &Places, string: &[u8], texts: &[&[u8]]) -> Result<(), TestCaseError> {
        let expected: Vec<usize> = texts.iter().map(|text| string_distance(string, text)).collect();
        for limit in [0, 1, 2, 3, 5, 8, 13, 30, MOST_EDITS] {
            let mut found = vec![0; texts.len()];
            places.distances(texts, limit, &mut found);
            let wanted = expected.iter().map(|&distance| distance.min(limit + 1) as u32);
            prop_assert_eq!(&found, &wanted.collect::<Vec<_>>(), "{}", limit);
            for (text, found) in texts.iter().zip(found) {
                let mut alone = [0];
                places.distances(&[text], limit, &mut alone);
                prop_assert_eq!(alone[0], found);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn distances_are_those_of_all_cells(
            strings in proptest::collection::vec(proptest::collection::vec(0u8..4, 0..90), 2..10),
            changes in proptest::collection::vec((0usize..90, 0u8..3, 0u8..4), 0..40),
        ) {
            let mut strings = strings;
            // Near copies of the first one.
            for (count, (place, kind, letter)) in changes.into_iter().enumerate() {
                let mut near = strings[count / 4 % strings.len()].clone();
                match kind {
                    0 => near.insert(place.min(near.len()), letter * 80),
                    1 if place < near.len() => drop(near.remove(place)),
                    _ if place < near.len() => near[place] = letter,
                    _ => {}
                }
                strings.push(near);
            }
            let mut places = Places::default();
            for string in &strings[..2] {
                places.prepare(string);
                for texts in strings.chunks(LANES) {
                    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
                    check(&places, string, &texts)?;
                }
            }
        }
    }

    #[test]
    fn long_strings_have_places_too() {
        let string: Vec<u8> = (0..MOST_LETTERS).map(|i| (i * i % 251) as u8).collect();
        let mut other = string.clone();
        other.drain(100..130);
        other[3000] = 255;
        other.extend([7; 20]);
        let mut places = Places::default();
        places.prepare(&string);
        let mut found = [0; 2];
        places.distances(&[&other, &string], MOST_EDITS, &mut found);
        assert_eq!(found, [51, 0]);
    }
}
