//! Edit distances of tours: strings that name every node of a tree twice.
//!
//! A tour has the letter of a node where its subtree begins, and again, with another mark, where it
//! ends. Deleting or inserting a node changes two letters of the tour, and so does replacing its
//! label. So half the edit distance of the tours, rounded up, is at most that of the trees. A letter
//! is never replaced by one with the other mark, which makes the bound tight: the distance is at least
//! that of the preorder strings and that of the postorder strings in sum.
//!
//! One tour is compared with 64 others, one in each byte of a vector, or of two. Only cells near the
//! diagonal are computed, and values above 255 are cut.

#![allow(unsafe_code)] // loads, stores, and calls of functions that enable instructions after these
// were detected

#[cfg(target_arch = "x86_64")]
use crate::simd::Instructions;

/// Tours that are compared with one.
pub(crate) const TOURS: usize = 64;
/// The same in half a cell of the table.
const HALF: usize = TOURS / 2;
/// Most edits of a distance.
pub(crate) const MOST_TOUR_EDITS: usize = 250;
/// The mark of the end of a subtree.
pub(crate) const END: u8 = 128;
/// Rows between two looks at the limit.
const LOOK_EVERY: usize = 16;

/// A byte for each tour, in two halves.
type Bytes = [[u8; HALF]; 2];

/// Buffers: the letters of all tours, place by place, and a row of the table.
#[derive(Debug, Default)]
pub(crate) struct TourRows {
    letters: Vec<Bytes>,
    row: Vec<Bytes>,
}

/// The diagonals that matter: columns less rows.
#[derive(Debug, Clone, Copy)]
struct Band {
    first: i64,
    last: i64,
    limit: u8,
}

/// Writes the distance of one tour to each of at most [`TOURS`] others where it is at most `limit`,
/// which is at most [`MOST_TOUR_EDITS`], and `limit + 1` where it is not.
pub(crate) fn tour_distances(
    one: &[u8],
    others: &[&[u8]],
    limit: usize,
    rows: &mut TourRows,
    found: &mut [u32],
) {
    let mut band = Band { first: 0, last: 0, limit: limit as u8 };
    let mut columns = 0;
    for other in others {
        let apart = other.len() as i64 - one.len() as i64;
        let beside = (limit as i64 - apart.abs()) / 2;
        if apart.unsigned_abs() as usize <= limit {
            band.first = band.first.min(apart.min(0) - beside);
            band.last = band.last.max(apart.max(0) + beside);
            columns = columns.max(other.len());
        }
    }
    let TourRows { letters, row } = rows;
    letters.clear();
    letters.resize(columns, [[0; HALF]; 2]);
    for (lane, other) in others.iter().enumerate() {
        for (letters, &letter) in letters.iter_mut().zip(*other) {
            letters[lane / HALF][lane % HALF] = letter;
        }
    }
    row.clear();
    let first_row = |column: usize| if column as i64 > band.last { 255 } else { column.min(255) };
    row.extend((0..=columns).map(|column| [[first_row(column) as u8; HALF]; 2]));
    fill(one, (letters, others.len()), row, band);
    for ((found, other), lane) in found.iter_mut().zip(others).zip(0..) {
        let near = other.len().abs_diff(one.len()) <= limit;
        let distance = if near { at(&row[other.len()], lane) } else { limit + 1 };
        *found = distance.min(limit + 1) as u32;
    }
}

fn at(cell: &Bytes, lane: usize) -> usize {
    cell[lane / HALF][lane % HALF].into()
}

/// Fills the table for some of the first lanes.
fn fill(one: &[u8], (letters, tours): (&[Bytes], usize), row: &mut [Bytes], band: Band) {
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx512.is_usable() {
        // SAFETY: AVX-512 F and BW were detected.
        unsafe { fill_by_avx512(one, letters, row, band) };
        return;
    }
    fill_half::<0>(one, letters, row, band);
    if tours > HALF {
        fill_half::<1>(one, letters, row, band);
    }
}

fn fill_half<const SIDE: usize>(one: &[u8], letters: &[Bytes], row: &mut [Bytes], band: Band) {
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx2.is_usable() {
        // SAFETY: AVX2 was detected.
        unsafe { fill_by_avx2::<SIDE>(one, letters, row, band) };
        return;
    }
    fill_plainly::<SIDE>(one, letters, row, band);
}

/// The columns of a row of the table, counted from 1, and what is left of the first one.
#[inline(always)]
fn columns_of(line: usize, columns: usize, band: Band) -> (usize, usize, u8) {
    let first = (line as i64 + band.first).max(1) as usize;
    let last = (line as i64 + band.last).clamp(0, columns as i64) as usize;
    (first, last, if first == 1 { line.min(255) as u8 } else { 255 })
}

/// Whether all cells of a row are above the limit, for the tours of one half.
#[inline(always)]
fn is_above<const SIDE: usize>(cells: &[Bytes], limit: u8) -> bool {
    let mut least = [255; HALF];
    for cell in cells {
        for (least, &cell) in least.iter_mut().zip(&cell[SIDE]) {
            *least = cell.min(*least);
        }
    }
    least.iter().all(|&least| least > limit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn fill_by_avx512(one: &[u8], letters: &[Bytes], row: &mut [Bytes], band: Band) {
    use std::arch::x86_64::{
        _mm512_adds_epu8, _mm512_loadu_si512, _mm512_mask_adds_epu8, _mm512_min_epu8,
        _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
        _mm512_xor_si512,
    };
    // SAFETY: 64 bytes, and loads and stores need not be aligned.
    let load = |bytes: &Bytes| unsafe { _mm512_loadu_si512((&raw const *bytes).cast()) };
    let step = _mm512_set1_epi8(1);
    for (line, &letter) in (1..).zip(one) {
        let (first, last, left) = columns_of(line, letters.len(), band);
        if first > last {
            // The tours end before, or have no letters.
            if let Some(cell) = row.get_mut(first - 1) {
                *cell = [[left; HALF]; 2];
            }
            continue;
        }
        let mine = _mm512_set1_epi8(letter as i8);
        let mut diagonal = load(&row[first - 1]);
        row[first - 1] = [[left; HALF]; 2];
        let mut before = _mm512_set1_epi8(left as i8);
        for (letters, cell) in letters[first - 1..last].iter().zip(&mut row[first..=last]) {
            let above = load(cell);
            let other = _mm512_xor_si512(mine, load(letters));
            // 0 for equal letters, 1 for others with the same mark, 2 for other marks.
            let (differs, marked) =
                (_mm512_test_epi8_mask(other, other), _mm512_movepi8_mask(other));
            let replaced = _mm512_mask_adds_epu8(diagonal, differs, diagonal, step);
            let replaced = _mm512_mask_adds_epu8(replaced, marked, replaced, step);
            let gap = _mm512_adds_epu8(_mm512_min_epu8(above, before), step);
            before = _mm512_min_epu8(replaced, gap);
            diagonal = above;
            // SAFETY: as for loads.
            unsafe { _mm512_storeu_si512((&raw mut *cell).cast(), before) };
        }
        let cells = &row[first - 1..=last];
        let looks = line % LOOK_EVERY == 0;
        if looks && is_above::<0>(cells, band.limit) && is_above::<1>(cells, band.limit) {
            row.fill([[255; HALF]; 2]);
            return;
        }
    }
}

/// The same for one half of the tours.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_by_avx2<const SIDE: usize>(one: &[u8], letters: &[Bytes], row: &mut [Bytes], band: Band) {
    use std::arch::x86_64::{
        _mm256_add_epi8, _mm256_adds_epu8, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
        _mm256_loadu_si256, _mm256_min_epu8, _mm256_set1_epi8, _mm256_setzero_si256,
        _mm256_storeu_si256, _mm256_sub_epi8, _mm256_xor_si256,
    };
    // SAFETY: 32 bytes, and loads and stores need not be aligned.
    let load = |bytes: &Bytes| unsafe { _mm256_loadu_si256((&raw const bytes[SIDE]).cast()) };
    let (zero, step) = (_mm256_setzero_si256(), _mm256_set1_epi8(1));
    for (line, &letter) in (1..).zip(one) {
        let (first, last, left) = columns_of(line, letters.len(), band);
        if first > last {
            if let Some(cell) = row.get_mut(first - 1) {
                cell[SIDE] = [left; HALF];
            }
            continue;
        }
        let mine = _mm256_set1_epi8(letter as i8);
        let mut diagonal = load(&row[first - 1]);
        row[first - 1][SIDE] = [left; HALF];
        let mut before = _mm256_set1_epi8(left as i8);
        for (letters, cell) in letters[first - 1..last].iter().zip(&mut row[first..=last]) {
            let above = load(cell);
            let other = _mm256_xor_si256(mine, load(letters));
            let (equal, marked) = (_mm256_cmpeq_epi8(other, zero), _mm256_cmpgt_epi8(zero, other));
            let price = _mm256_sub_epi8(_mm256_add_epi8(step, equal), marked);
            let replaced = _mm256_adds_epu8(diagonal, price);
            let gap = _mm256_adds_epu8(_mm256_min_epu8(above, before), step);
            before = _mm256_min_epu8(replaced, gap);
            diagonal = above;
            // SAFETY: as for loads.
            unsafe { _mm256_storeu_si256((&raw mut cell[SIDE]).cast(), before) };
        }
        if line % LOOK_EVERY == 0 && is_above::<SIDE>(&row[first - 1..=last], band.limit) {
            for cell in row {
                cell[SIDE] = [255; HALF];
            }
            return;
        }
    }
}

/// The same without any instructions in particular.
fn fill_plainly<const SIDE: usize>(one: &[u8], letters: &[Bytes], row: &mut [Bytes], band: Band) {
    for (line, &letter) in (1..).zip(one) {
        let (first, last, left) = columns_of(line, letters.len(), band);
        if first > last {
            if let Some(cell) = row.get_mut(first - 1) {
                cell[SIDE] = [left; HALF];
            }
            continue;
        }
        let mut diagonal = row[first - 1][SIDE];
        row[first - 1][SIDE] = [left; HALF];
        let mut before = [left; HALF];
        for (letters, cell) in letters[first - 1..last].iter().zip(&mut row[first..=last]) {
            let above = cell[SIDE];
            for lane in 0..HALF {
                let other = letter ^ letters[SIDE][lane];
                let price = u8::from(other != 0) + u8::from(other >= END);
                let gap = above[lane].min(before[lane]).saturating_add(1);
                cell[SIDE][lane] = diagonal[lane].saturating_add(price).min(gap);
            }
            before = cell[SIDE];
            diagonal = above;
        }
        if line % LOOK_EVERY == 0 && is_above::<SIDE>(&row[first - 1..=last], band.limit) {
            for cell in row {
                cell[SIDE] = [255; HALF];
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::priced_string_distance;
    use proptest::prelude::*;

    fn slowly(a: &[u8], b: &[u8]) -> usize {
        let price = |x, y| if x == y { 0 } else { 1 + usize::from((x ^ y) >= END) };
        priced_string_distance(a, b, price)
    }

    fn tours() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![0u8..3, END..END + 3], 0..70)
    }

    proptest! {
        #[test]
        fn distances_are_those_of_all_cells(
            one in tours(),
            others in proptest::collection::vec(tours(), 0..20),
            changes in proptest::collection::vec((0usize..70, 0u8..3), 0..12),
        ) {
            let mut others = others;
            for (place, kind) in changes {
                let mut near = others.last().unwrap_or(&one).clone();
                match kind {
                    0 => near.insert(place.min(near.len()), 2),
                    1 if place < near.len() => drop(near.remove(place)),
                    _ if place < near.len() => near[place] ^= 1,
                    _ => {}
                }
                others.push(near);
            }
            let texts: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
            let mut rows = TourRows::default();
            for limit in [0, 1, 2, 5, 10, 30, 70, MOST_TOUR_EDITS] {
                let mut found = vec![0; texts.len()];
                tour_distances(&one, &texts, limit, &mut rows, &mut found);
                let wanted: Vec<u32> =
                    texts.iter().map(|text| slowly(&one, text).min(limit + 1) as u32).collect();
                prop_assert_eq!(&found, &wanted, "{}", limit);
            }
        }

        #[test]
        fn all_instructions_fill_the_same_rows(
            one in tours(),
            others in proptest::collection::vec(tours(), 1..5),
            places in proptest::collection::vec(any::<proptest::sample::Index>(), TOURS),
            limit in 0usize..90,
        ) {
            let columns = others.iter().map(Vec::len).max().unwrap_or(0);
            let mut letters: Vec<Bytes> = vec![[[0; HALF]; 2]; columns];
            for (lane, place) in places.iter().enumerate() {
                for (letters, &letter) in letters.iter_mut().zip(place.get(&others)) {
                    letters[lane / HALF][lane % HALF] = letter;
                }
            }
            let width = limit as i64;
            let band = Band { first: -width, last: width, limit: limit as u8 };
            let first = |j: usize| [[if j > limit { 255 } else { j as u8 }; HALF]; 2];
            let row: Vec<Bytes> = (0..=columns).map(first).collect();
            // A half may have ended before the other one.
            let last = |row: &[Bytes]| row[columns].map(|half| half.map(|v| v.min(limit as u8 + 1)));
            let (mut plain, mut best, mut halves) = (row.clone(), row.clone(), row);
            fill_plainly::<0>(&one, &letters, &mut plain, band);
            fill_plainly::<1>(&one, &letters, &mut plain, band);
            fill(&one, (&letters, TOURS), &mut best, band);
            prop_assert_eq!(last(&best), last(&plain));
            fill_half::<0>(&one, &letters, &mut halves, band);
            fill_half::<1>(&one, &letters, &mut halves, band);
            prop_assert_eq!(last(&halves), last(&plain));
        }
    }
}
