//! Turning blocks of lanes by 128-bit vectors, which every x86-64 machine has.

#![allow(unsafe_code)] // arrays as vectors; the instructions are part of x86-64 itself

use super::BLOCK;
use std::arch::x86_64::{
    __m128d, __m128i, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpackhi_pd,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm_unpacklo_pd,
};

/// The block with its rows as columns: three rounds that each interleave the rows `r` and
/// `r + 4`, which moves one bit of the row number to the lane number.
#[inline(always)]
pub(super) fn turned_words(block: [[u16; BLOCK]; BLOCK]) -> [[u16; BLOCK]; BLOCK] {
    // SAFETY: both types are 128 plain bytes without invalid values.
    let mut rows = unsafe { std::mem::transmute::<[[u16; 8]; 8], [__m128i; 8]>(block) };
    for _ in 0..3 {
        // SAFETY: SSE2 is part of x86-64.
        rows = std::array::from_fn(|row| unsafe {
            let (upper, lower) = (rows[row / 2], rows[row / 2 + 4]);
            if row % 2 == 0 {
                _mm_unpacklo_epi16(upper, lower)
            } else {
                _mm_unpackhi_epi16(upper, lower)
            }
        });
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[__m128i; 8], [[u16; 8]; 8]>(rows) }
}

/// The same for ints: four rows and four lanes at a time.
#[inline(always)]
pub(super) fn turned_ints(block: [[i32; BLOCK]; BLOCK]) -> [[i32; BLOCK]; BLOCK] {
    // SAFETY: both types are 256 plain bytes without invalid values.
    let rows = unsafe { std::mem::transmute::<[[i32; 8]; 8], [[__m128i; 2]; 8]>(block) };
    let mut turned = rows;
    for down in 0..2 {
        for right in 0..2 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| rows[4 * down + row][right]);
            // SAFETY: SSE2 is part of x86-64.
            let quarter = unsafe {
                let (low, high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
                let (next_low, next_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
                [
                    _mm_unpacklo_epi64(low, next_low),
                    _mm_unpackhi_epi64(low, next_low),
                    _mm_unpacklo_epi64(high, next_high),
                    _mm_unpackhi_epi64(high, next_high),
                ]
            };
            for (lane, cells) in quarter.into_iter().enumerate() {
                turned[4 * right + lane][down] = cells;
            }
        }
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[[__m128i; 2]; 8], [[i32; 8]; 8]>(turned) }
}

/// The same for doubles: two rows and two lanes at a time.
#[inline(always)]
pub(super) fn turned_doubles(block: [[f64; BLOCK]; BLOCK]) -> [[f64; BLOCK]; BLOCK] {
    // SAFETY: both types are 512 plain bytes without invalid values.
    let rows = unsafe { std::mem::transmute::<[[f64; 8]; 8], [[__m128d; 4]; 8]>(block) };
    let mut turned = rows;
    for down in 0..4 {
        for right in 0..4 {
            let (upper, lower) = (rows[2 * down][right], rows[2 * down + 1][right]);
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                turned[2 * right][down] = _mm_unpacklo_pd(upper, lower);
                turned[2 * right + 1][down] = _mm_unpackhi_pd(upper, lower);
            }
        }
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[[__m128d; 4]; 8], [[f64; 8]; 8]>(turned) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::turned;

    #[test]
    fn all_lanes_are_turned_alike() {
        let block = std::array::from_fn(|row| std::array::from_fn(|lane| (row * 8 + lane) as u16));
        assert_eq!(turned_words(block), turned(block));
        let ints = block.map(|row| row.map(i32::from));
        assert_eq!(turned_ints(ints), turned(ints));
        let doubles = block.map(|row| row.map(f64::from));
        assert_eq!(turned_doubles(doubles), turned(doubles));
    }
}
