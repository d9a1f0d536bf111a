//! Every operation of every instruction set against its twin, on random lanes.

use super::portable::Lane;
use super::twin::Twin;
use super::*;
use crate::naive;
use proptest::prelude::*;

/// Most lanes of a vector.
const MOST: usize = 64;

#[derive(Debug)]
struct Case {
    a: Vec<u8>,
    b: Vec<u8>,
    keep: Vec<bool>,
    /// Whether a segment starts at the lane.
    starts: Vec<bool>,
    sources: Vec<Option<u8>>,
}

fn cases() -> impl Strategy<Value = Case> {
    use proptest::collection::vec;
    // Sums of bytes and words stop at the largest number; two of the largest ints fit.
    let lanes = || vec(any::<u8>(), MOST);
    let source = proptest::option::of(0..MOST as u8);
    (lanes(), lanes(), vec(any::<bool>(), MOST), vec(proptest::bool::weighted(0.15), MOST), {
        vec(source, MOST)
    })
        .prop_map(|(a, b, keep, starts, sources)| Case { a, b, keep, starts, sources })
}

/// A lane all of whose bytes matter.
fn spread<E: Element>(value: u8) -> E {
    let factor = match size_of::<E>() {
        1 => 1,
        2 => 257,
        4 => 4_210_752,
        _ => 1_000_000_007,
    };
    E::of(i128::from(value) * factor)
}

fn vector<S: Simd>(values: &[u8]) -> S::Vector {
    let mut vector = [S::zero()];
    for (lane, &value) in S::elements_mut(&mut vector).iter_mut().zip(values) {
        *lane = spread(value);
    }
    vector[0]
}

/// What all operations give for a case.
fn results<S: Simd>(simd: S, case: &Case, gathers: bool) -> Vec<(&'static str, Vec<S::Elem>)> {
    let lanes = S::LANES;
    let (a, b) = (vector::<S>(&case.a), vector::<S>(&case.b));
    let mut segment_starts = vec![-3i32; lanes];
    for q in 0..lanes {
        let before = if q == 0 { -3 } else { segment_starts[q - 1] };
        segment_starts[q] = if case.starts[q] { q as i32 } else { before };
    }
    let within = |lanes: usize| -> Vec<_> {
        case.sources.iter().map(|source| source.map(|lane| lane % lanes as u8)).collect()
    };
    let mut found = Vec::new();
    let mut note = |what, vector: S::Vector| found.push((what, S::elements(&[vector]).to_vec()));
    note("zero", S::zero());
    note("splat", S::splat(S::elements(&[a])[1]));
    note("add", simd.add(a, b));
    note("max", simd.max(a, b));
    note("and", simd.and(a, S::mask(|q| case.keep[q])));
    note("shift", simd.shift(a));
    note("shift_in", simd.shift_in(b, a));
    note("last", simd.last(a));
    note("scan", simd.scan(a, &S::scan_control(&segment_starts)));
    note("pick", simd.pick(a, &S::pick_control(&within(lanes)[..lanes])));
    let part = within(lanes / S::PARTS);
    let control = S::far_control(&part[..lanes]);
    // Only lanes that are 0 are picked into.
    let into = simd.and(b, S::mask(|q| part[q].is_none()));
    for number in 0..S::PARTS {
        note("pick_far", simd.pick_far(into, &a, number, &control));
    }
    // Every row different, and every second vector of no account.
    let rotated = |by: usize| vector::<S>(&[&case.a[by % MOST..], &case.a[..by % MOST]].concat());
    let square: Vec<_> = (0..2 * lanes).map(rotated).collect();
    let mut turned = vec![b; 2 * lanes];
    simd.turn(&square, &mut turned, 2, &mut vec![S::zero(); lanes]);
    for row in turned {
        note("turn", row);
    }
    if gathers {
        let sources: Vec<_> = case.sources.iter().map(|s| s.unwrap_or(0).into()).collect();
        let all = [a, b].repeat(MOST / lanes);
        note("gather", simd.gather(S::elements(&all), &S::gather_control(&sources[..lanes])));
    }
    found
}

fn agree<S: Simd, const N: usize>(simd: S, case: &Case)
where
    S::Elem: Lane,
{
    agree_in_parts::<S, N, true>(simd, case);
}

/// The same with vectors of 32 bytes in halves, or not.
fn agree_in_parts<S: Simd, const N: usize, const HALVES: bool>(simd: S, case: &Case)
where
    S::Elem: Lane,
{
    assert_eq!(S::LANES, N);
    let twin = Twin::<S::Elem, N, HALVES>::new();
    assert_eq!(results(simd, case, S::GATHERS), results(twin, case, S::GATHERS));
}

proptest! {
    #![proptest_config(naive::cases(1000))]

    #[test]
    fn portable_vectors_agree_with_the_twin(case in cases()) {
        agree::<_, 16>(portable::Portable.bytes(), &case);
        agree::<_, 8>(portable::Portable.words(), &case);
        agree::<_, 4>(portable::Portable.ints(), &case);
        agree::<_, 2>(portable::Portable.doubles(), &case);
        agree::<_, 2>(portable::Portable.longs(), &case);
        agree::<_, 4>(portable::Arrays::<i128, 4>::new(), &case);
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
proptest! {
    #![proptest_config(naive::cases(1000))]

    #[test]
    fn neon_agrees_with_the_twin(case in cases()) {
        if let Some(neon) = neon::Neon::detect() {
            agree::<_, 16>(neon.bytes(), &case);
            agree::<_, 8>(neon.words(), &case);
            agree::<_, 4>(neon.ints(), &case);
            agree::<_, 2>(neon.doubles(), &case);
            agree::<_, 2>(neon.longs(), &case);
        }
    }
}

// Miri does not know the instructions.
#[cfg(all(target_arch = "x86_64", not(miri)))]
proptest! {
    #![proptest_config(naive::cases(1000))]

    #[test]
    fn avx2_agrees_with_the_twin(case in cases()) {
        if let Some(avx2) = avx2::Avx2::detect() {
            agree::<_, 32>(avx2.bytes(), &case);
            agree::<_, 16>(avx2.words(), &case);
            agree::<_, 8>(avx2.ints(), &case);
            agree::<_, 4>(avx2.doubles(), &case);
            agree::<_, 4>(avx2.longs(), &case);
        }
    }

    #[test]
    fn sse2_agrees_with_the_twin(case in cases()) {
        if let Some(sse2) = sse2::Sse2::detect() {
            agree::<_, 16>(sse2.bytes(), &case);
            agree::<_, 8>(sse2.words(), &case);
            agree::<_, 4>(sse2.ints(), &case);
            agree::<_, 2>(sse2.doubles(), &case);
        }
    }

    #[test]
    fn avx512_agrees_with_the_twin(case in cases()) {
        if let Some(avx512) = avx512::Avx512::detect() {
            agree::<_, 64>(avx512.bytes(), &case);
            agree::<_, 32>(avx512.words(), &case);
            agree::<_, 16>(avx512.ints(), &case);
            agree::<_, 8>(avx512.doubles(), &case);
            agree::<_, 8>(avx512.longs(), &case);
        }
    }

    #[test]
    fn avx512vl_agrees_with_the_twin(case in cases()) {
        if let Some(avx512vl) = avx512vl::Avx512vl::detect() {
            agree_in_parts::<_, 32, false>(avx512vl.bytes(), &case);
            agree_in_parts::<_, 16, false>(avx512vl.words(), &case);
            agree_in_parts::<_, 8, false>(avx512vl.ints(), &case);
            agree_in_parts::<_, 4, false>(avx512vl.doubles(), &case);
            agree_in_parts::<_, 4, false>(avx512vl.longs(), &case);
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(200))]

    /// The twin itself, against the words of the trait.
    #[test]
    fn the_twin_does_what_the_trait_says(case in cases()) {
        const N: usize = 16;
        let results = results(Twin::<u16, N>::new(), &case, true);
        let result = |what| &results.iter().find(|(name, _)| *name == what).unwrap().1;
        let a: Vec<u16> = case.a.iter().map(|&value| spread(value)).collect();
        let b: Vec<u16> = case.b.iter().map(|&value| spread(value)).collect();
        let mut best = 0;
        for q in 0..N {
            prop_assert_eq!(result("add")[q], a[q].saturating_add(b[q]));
            prop_assert_eq!(result("max")[q], a[q].max(b[q]));
            prop_assert_eq!(result("and")[q], if case.keep[q] { a[q] } else { 0 });
            prop_assert_eq!(result("shift")[q], if q == 0 { 0 } else { a[q - 1] });
            prop_assert_eq!(result("shift_in")[q], if q == 0 { b[N - 1] } else { a[q - 1] });
            prop_assert_eq!(result("last")[q], a[N - 1]);
            // The first row of the turned square: the first lanes of all rows.
            prop_assert_eq!(result("turn")[q], a[2 * q]);
            best = if case.starts[q] { a[q] } else { a[q].max(best) };
            prop_assert_eq!(result("scan")[q], best);
            let picked = case.sources[q].map_or(0, |source| a[source as usize % N]);
            prop_assert_eq!(result("pick")[q], picked);
        }
    }
}
