//! 256-bit vectors with the instructions of AVX-512: 32 bytes, 16 words, 8 ints, 4 doubles or 4
//! longs.
//!
//! Some processors have the instructions of AVX-512 and units of 256 bits, which take two steps for
//! a vector of 512: there, these vectors are faster, because fewer of their lanes are idle. As in
//! `avx512.rs` a permutation reaches the whole vector. A scan has one carry, from the lower half to
//! the upper one.

#![allow(unsafe_code)] // intrinsics; every value of the types below proves that they are there

use super::avx2::GatherControl;
use super::{Simd, Sources, Vectorized, all_lanes, segments, turn_groups};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_epi64, _mm256_add_pd, _mm256_adds_epu8,
    _mm256_adds_epu16, _mm256_alignr_epi8, _mm256_alignr_epi32, _mm256_alignr_epi64,
    _mm256_and_si256, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_maskz_permutexvar_epi8,
    _mm256_max_epi32, _mm256_max_epi64, _mm256_max_epu8, _mm256_max_epu16, _mm256_max_pd,
    _mm256_or_si256, _mm256_permute2x128_si256, _mm256_permutexvar_epi8, _mm256_shuffle_epi8,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

/// The proof that this machine has AVX-512 F, BW, VL and VBMI; only [`Avx512vl::detect`] makes one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512vl(());

impl Avx512vl {
    pub(crate) fn detect() -> Option<Self> {
        let all = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vl")
            && std::arch::is_x86_feature_detected!("avx512vbmi");
        all.then_some(Self(()))
    }
}

/// A vector in memory and in a register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct V(__m256i);

impl std::fmt::Debug for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.bytes())
    }
}

impl V {
    const fn from_bytes(bytes: [u8; 32]) -> Self {
        // SAFETY: both types are 32 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 32], __m256i>(bytes) })
    }

    fn bytes(self) -> [u8; 32] {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m256i, [u8; 32]>(self.0) }
    }

    /// The byte permutation that moves lanes of `SIZE` bytes.
    fn permutation<const SIZE: usize>(source: impl Fn(usize) -> usize) -> Self {
        Self::from_bytes(std::array::from_fn(|byte| {
            (source(byte / SIZE) * SIZE + byte % SIZE) as u8
        }))
    }

    /// The byte permutation that takes every lane from its left neighbour.
    const fn lane_before(size: usize) -> Self {
        let mut bytes = [0; 32];
        let mut byte = size;
        while byte < 32 {
            bytes[byte] = (byte - size) as u8;
            byte += 1;
        }
        Self::from_bytes(bytes)
    }

    /// The byte permutation that puts the last lane everywhere.
    const fn last_lane(size: usize) -> Self {
        let mut bytes = [0; 32];
        let mut byte = 0;
        while byte < 32 {
            bytes[byte] = (32 - size + byte % size) as u8;
            byte += 1;
        }
        Self::from_bytes(bytes)
    }
}

/// Where lanes come from, and which of them come from anywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picked {
    from: V,
    keep: V,
}

macro_rules! lanes {
    ($name:ident, $elem:ty, steps: $steps:literal, gathers: $gathers:ty,
     shift_in: |$before:ident, $here:ident| $shift:expr,
     add: |$a:ident, $b:ident| $add:expr, max: |$c:ident, $d:ident| $max:expr,
     mix: $low:ident, $high:ident) => {
        #[doc = concat!("Lanes of `", stringify!($elem), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(pub(crate) Avx512vl);

        impl $name {
            const HALF: usize = 16 / size_of::<$elem>();

            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
            fn run_with_avx512vl<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }

        impl Simd for $name {
            type Elem = $elem;
            type Vector = V;
            /// One shuffle per step inside the halves, then the carry between them.
            type Scan = [V; $steps + 1];
            type Pick = Picked;
            type Far = Picked;
            type Gather = $gathers;
            const LANES: usize = 32 / size_of::<$elem>();
            const PARTS: usize = 1;
            const GATHERS: bool = size_of::<$gathers>() > 0;
            const FEW_PORTS: bool = false;

            #[inline(always)]
            fn zero() -> V {
                const { V::from_bytes([0; 32]) }
            }
            #[inline(always)]
            fn splat(value: $elem) -> V {
                // SAFETY: both types are 32 plain bytes without invalid values.
                V(unsafe {
                    std::mem::transmute::<[$elem; 32 / size_of::<$elem>()], __m256i>(
                        [value; 32 / size_of::<$elem>()],
                    )
                })
            }
            #[inline(always)]
            fn elements(vectors: &[V]) -> &[$elem] {
                // SAFETY: a vector is `LANES` plain values of the element type, which is not
                // more strictly aligned.
                unsafe {
                    std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * Self::LANES)
                }
            }
            #[inline(always)]
            fn elements_mut(vectors: &mut [V]) -> &mut [$elem] {
                // SAFETY: as above; the mutable borrow is passed on, so there is no alias.
                unsafe {
                    std::slice::from_raw_parts_mut(
                        vectors.as_mut_ptr().cast(),
                        vectors.len() * Self::LANES,
                    )
                }
            }
            fn mask(lanes: impl Fn(usize) -> bool) -> V {
                V::from_bytes(std::array::from_fn(|byte| {
                    if lanes(byte / size_of::<$elem>()) { 0xff } else { 0 }
                }))
            }
            fn scan_control(starts: &[i32]) -> Self::Scan {
                const STEPS: [[u8; 32]; $steps + 1] = segments::steps(size_of::<$elem>());
                segments::within(STEPS, size_of::<$elem>(), starts).map(V::from_bytes)
            }
            fn pick_control(sources: &Sources) -> Picked {
                Picked {
                    from: V::permutation::<{ size_of::<$elem>() }>(|q| {
                        sources[q].map_or(0, usize::from)
                    }),
                    keep: Self::mask(|q| sources[q].is_some()),
                }
            }
            fn far_control(sources: &Sources) -> Picked {
                Self::pick_control(sources)
            }
            fn gather_control(sources: &[u32]) -> $gathers {
                <$gathers as GatherControl>::new(sources)
            }
            #[inline(always)]
            fn gather(self, from: &[$elem], control: &$gathers) -> V {
                let lanes = control.load(from);
                // SAFETY: both types are 32 plain bytes without invalid values.
                V(unsafe {
                    std::mem::transmute::<[$elem; 32 / size_of::<$elem>()], __m256i>(lanes)
                })
            }
            #[inline(always)]
            fn add(self, a: V, b: V) -> V {
                let ($a, $b) = (a.0, b.0);
                // SAFETY: `self` proves AVX-512.
                V(unsafe { $add })
            }
            #[inline(always)]
            fn max(self, a: V, b: V) -> V {
                let ($c, $d) = (a.0, b.0);
                // SAFETY: `self` proves AVX-512.
                V(unsafe { $max })
            }
            #[inline(always)]
            fn and(self, a: V, mask: V) -> V {
                // SAFETY: `self` proves AVX-512.
                V(unsafe { _mm256_and_si256(a.0, mask.0) })
            }
            #[inline(always)]
            fn shift(self, a: V) -> V {
                let before = const { V::lane_before(size_of::<$elem>()) };
                // SAFETY: `self` proves AVX-512.
                V(unsafe {
                    _mm256_maskz_permutexvar_epi8(u32::MAX << size_of::<$elem>(), before.0, a.0)
                })
            }
            #[inline(always)]
            fn shift_in(self, before: V, a: V) -> V {
                let ($before, $here) = (before.0, a.0);
                // SAFETY: `self` proves AVX-512.
                V(unsafe { $shift })
            }
            #[inline(always)]
            fn last(self, a: V) -> V {
                let last = const { V::last_lane(size_of::<$elem>()) };
                // SAFETY: `self` proves AVX-512.
                V(unsafe { _mm256_permutexvar_epi8(last.0, a.0) })
            }
            #[inline(always)]
            fn scan(self, a: V, control: &Self::Scan) -> V {
                let mut x = a;
                for step in &control[..$steps] {
                    // The shuffle looks at the lower four bits only: the byte in the half.
                    // SAFETY: `self` proves AVX-512.
                    x = self.max(x, V(unsafe { _mm256_shuffle_epi8(x.0, step.0) }));
                }
                // SAFETY: `self` proves AVX-512.
                self.max(x, V(unsafe { _mm256_permutexvar_epi8(control[$steps].0, x.0) }))
            }
            #[inline(always)]
            fn pick(self, a: V, control: &Picked) -> V {
                // SAFETY: `self` proves AVX-512.
                V(unsafe {
                    _mm256_and_si256(_mm256_permutexvar_epi8(control.from.0, a.0), control.keep.0)
                })
            }
            #[inline(always)]
            fn pick_far(self, into: V, from: &V, _part: usize, control: &Picked) -> V {
                // SAFETY: `self` proves AVX-512.
                V(unsafe { _mm256_or_si256(into.0, self.pick(*from, control).0) })
            }
            #[inline(always)]
            fn turn(self, from: &[V], into: &mut [V], stride: usize, square: &mut [V]) {
                let square = &mut square[..Self::LANES];
                turn_groups!(from, stride, square, Self::HALF, $low, $high);
                for row in 0..Self::HALF {
                    let (a, b) = (square[row].0, square[Self::HALF + row].0);
                    // SAFETY: `self` proves AVX-512.
                    (into[row * stride], into[(Self::HALF + row) * stride]) = unsafe {
                        (
                            V(_mm256_permute2x128_si256::<0x20>(a, b)),
                            V(_mm256_permute2x128_si256::<0x31>(a, b)),
                        )
                    };
                }
            }
            #[inline(always)]
            fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                // SAFETY: `self` proves AVX-512.
                unsafe { self.run_with_avx512vl(kernel) }
            }
        }
    };
}

lanes!(Bytes, u8, steps: 4, gathers: (),
    shift_in: |before, a| _mm256_alignr_epi8::<15>(a, _mm256_alignr_epi64::<2>(a, before)),
    add: |a, b| _mm256_adds_epu8(a, b), max: |a, b| _mm256_max_epu8(a, b),
    mix: _mm256_unpacklo_epi8, _mm256_unpackhi_epi8);
lanes!(Words, u16, steps: 3, gathers: (),
    shift_in: |before, a| _mm256_alignr_epi8::<14>(a, _mm256_alignr_epi64::<2>(a, before)),
    add: |a, b| _mm256_adds_epu16(a, b), max: |a, b| _mm256_max_epu16(a, b),
    mix: _mm256_unpacklo_epi16, _mm256_unpackhi_epi16);
lanes!(Ints, i32, steps: 2, gathers: (),
    shift_in: |before, a| _mm256_alignr_epi32::<7>(a, before),
    add: |a, b| _mm256_add_epi32(a, b), max: |a, b| _mm256_max_epi32(a, b),
    mix: _mm256_unpacklo_epi32, _mm256_unpackhi_epi32);
lanes!(Doubles, f64, steps: 1, gathers: [u32; 4],
    shift_in: |before, a| _mm256_alignr_epi64::<3>(a, before),
    add: |a, b| _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b))),
    max: |a, b| _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b))),
    mix: _mm256_unpacklo_epi64, _mm256_unpackhi_epi64);
lanes!(Longs, i64, steps: 1, gathers: [u32; 4],
    shift_in: |before, a| _mm256_alignr_epi64::<3>(a, before),
    add: |a, b| _mm256_add_epi64(a, b), max: |a, b| _mm256_max_epi64(a, b),
    mix: _mm256_unpacklo_epi64, _mm256_unpackhi_epi64);
all_lanes!(Avx512vl, Longs => Longs);
