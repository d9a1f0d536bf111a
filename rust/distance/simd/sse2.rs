//! 128-bit vectors, which every x86-64 machine has: turning blocks of words.

#![allow(unsafe_code)] // arrays as vectors; the instructions are part of x86-64 itself

use super::BLOCK;
use std::arch::x86_64::{__m128i, _mm_unpackhi_epi16, _mm_unpacklo_epi16};

/// The block with its rows as columns: three rounds that each interleave the rows `r` and
/// `r + 4`, which moves one bit of the row number to the lane number.
#[inline(always)]
pub(super) fn turned(block: [[u16; BLOCK]; BLOCK]) -> [[u16; BLOCK]; BLOCK] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_turned_like_any_other_lanes() {
        let block = std::array::from_fn(|row| std::array::from_fn(|lane| (row * 8 + lane) as u16));
        assert_eq!(turned(block), crate::distance::simd::turned(block));
    }
}
