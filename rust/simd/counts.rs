//! Histograms of 64 bytes: which of many are near one.
//!
//! Processors have instructions that sum absolute differences of 16 or 32 bytes, in some parts.

#![allow(unsafe_code)] // loads, and a call of a function that enables AVX2 after it was detected

#[cfg(target_arch = "x86_64")]
use super::Instructions;

/// Bytes of a histogram.
pub(crate) const PLACES: usize = 64;

/// The sum of the differences of two histograms.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn difference(a: &[u8; PLACES], b: &[u8; PLACES]) -> u32 {
    use std::arch::x86_64::{
        _mm_add_epi64, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_sad_epu8, _mm_setzero_si128,
        _mm_unpackhi_epi64,
    };
    // SAFETY: SSE2 is part of x86-64; chunks have 16 bytes, and loads need not be aligned.
    unsafe {
        let load = |chunk: &[u8]| _mm_loadu_si128((&raw const *chunk).cast());
        let chunks = a.chunks_exact(16).zip(b.chunks_exact(16));
        let sums = chunks.fold(_mm_setzero_si128(), |sums, (a, b)| {
            _mm_add_epi64(sums, _mm_sad_epu8(load(a), load(b)))
        });
        _mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))) as u32
    }
}

/// The sum of the differences of two histograms.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[inline(always)]
pub(crate) fn difference(a: &[u8; PLACES], b: &[u8; PLACES]) -> u32 {
    use std::arch::aarch64::{vabdq_u8, vaddlvq_u16, vdupq_n_u16, vld1q_u8, vpadalq_u8};
    // SAFETY: the target has NEON; chunks have 16 bytes, and loads need not be aligned.
    unsafe {
        let chunks = a.chunks_exact(16).zip(b.chunks_exact(16));
        let sums = chunks.fold(vdupq_n_u16(0), |sums, (a, b)| {
            vpadalq_u8(sums, vabdq_u8(vld1q_u8(a.as_ptr()), vld1q_u8(b.as_ptr())))
        });
        vaddlvq_u16(sums)
    }
}

/// The sum of the differences of two histograms.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon"))))]
#[inline(always)]
pub(crate) fn difference(a: &[u8; PLACES], b: &[u8; PLACES]) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

/// Appends the places, counted from `first`, of the histograms whose difference from one is at most
/// `most`.
pub(crate) fn near(
    one: &[u8; PLACES],
    many: &[[u8; PLACES]],
    most: u32,
    first: u32,
    found: &mut Vec<u32>,
) {
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx2.is_usable() {
        // SAFETY: AVX2 was detected.
        unsafe { near_by_avx2(one, many, most, first, found) };
        return;
    }
    near_plainly(one, many, most, first, found);
}

/// Fills `found` with the differences of many histograms from one.
pub(crate) fn differences(one: &[u8; PLACES], many: &[[u8; PLACES]], found: &mut Vec<u16>) {
    found.clear();
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx2.is_usable() {
        // SAFETY: AVX2 was detected.
        unsafe { visit_by_avx2(one, many, |_, sum| found.push(sum as u16)) };
        return;
    }
    found.extend(many.iter().map(|other| difference(one, other) as u16));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn near_by_avx2(
    one: &[u8; PLACES],
    many: &[[u8; PLACES]],
    most: u32,
    first: u32,
    found: &mut Vec<u32>,
) {
    visit_by_avx2(one, many, |place, sum| {
        if sum <= most {
            found.push(first + place);
        }
    });
}

/// Calls `visit` with the place and the difference of every histogram.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn visit_by_avx2(one: &[u8; PLACES], many: &[[u8; PLACES]], mut visit: impl FnMut(u32, u32)) {
    use std::arch::x86_64::{
        _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_add_epi64,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_sad_epu8,
    };
    let halves = |histogram: &[u8; PLACES]| {
        let (low, high) = histogram.split_at(PLACES / 2);
        // SAFETY: a half has 32 bytes, and loads need not be aligned.
        let load = |half: &[u8]| unsafe { _mm256_loadu_si256((&raw const *half).cast()) };
        (load(low), load(high))
    };
    let (low, high) = halves(one);
    for (place, other) in (0..).zip(many) {
        let (a, b) = halves(other);
        let sums = _mm256_add_epi64(_mm256_sad_epu8(low, a), _mm256_sad_epu8(high, b));
        let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        let sum = _mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums)));
        visit(place, sum as u32);
    }
}

/// The same with what all machines of an architecture have.
#[inline(always)]
fn near_plainly(
    one: &[u8; PLACES],
    many: &[[u8; PLACES]],
    most: u32,
    first: u32,
    found: &mut Vec<u32>,
) {
    for (place, other) in (first..).zip(many) {
        if difference(one, other) <= most {
            found.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn near_histograms_are_found(
            bytes in proptest::collection::vec(0u8..6, PLACES * 9),
            large in 0usize..PLACES,
            most in 0u32..260,
        ) {
            let mut all: Vec<[u8; PLACES]> =
                bytes.chunks_exact(PLACES).map(|chunk| chunk.try_into().unwrap()).collect();
            all[3][large] = 255;
            let slow = |a: &[u8; PLACES], b: &[u8; PLACES]| -> i32 {
                (0..PLACES).map(|i| (i32::from(a[i]) - i32::from(b[i])).abs()).sum()
            };
            for one in &all {
                let mut found = vec![7];
                near(one, &all, most, 100, &mut found);
                let mut plain = vec![7];
                near_plainly(one, &all, most, 100, &mut plain);
                prop_assert_eq!(&found, &plain);
                let mut sums = vec![3];
                differences(one, &all, &mut sums);
                let slowly: Vec<u16> = all.iter().map(|other| slow(one, other) as u16).collect();
                prop_assert_eq!(sums, slowly);
                let expected = (0..9).filter(|&i| slow(one, &all[i]) <= most as i32);
                let expected: Vec<u32> = expected.map(|i| 100 + i as u32).collect();
                prop_assert_eq!(&found[1..], &expected[..]);
            }
        }
    }
}
