//! 512-bit vectors: 64 bytes, 32 words, 16 ints, 8 doubles or 8 longs.
//!
//! The byte permutation of AVX-512 VBMI reaches the whole vector, so a pick is one permutation and
//! a far pick serves all lanes that come from one vector. Scans shift by 1, 2, 4, … lanes inside
//! the 16-byte quarters, where shuffles have the shortest delay, and then carry twice: from the
//! even quarters to the odd ones, from the lower half to the upper one.

#![allow(unsafe_code)] // intrinsics; every value of the types below proves that they are there

use super::{Simd, Sources, Vectorized, all_lanes, segments, turn_groups};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_add_epi64, _mm512_add_pd, _mm512_adds_epu8,
    _mm512_adds_epu16, _mm512_alignr_epi8, _mm512_alignr_epi32, _mm512_alignr_epi64,
    _mm512_and_si512, _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_maskz_permutexvar_epi8,
    _mm512_max_epi32, _mm512_max_epi64, _mm512_max_epu8, _mm512_max_epu16, _mm512_max_pd,
    _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_shuffle_epi8, _mm512_shuffle_i32x4,
    _mm512_unpackhi_epi8, _mm512_unpackhi_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi8, _mm512_unpacklo_epi16, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

/// The proof that this machine has AVX-512 F, BW and VBMI; only [`Avx512::detect`] makes one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Self> {
        let all = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vbmi");
        all.then_some(Self(()))
    }
}

/// A vector in memory and in a register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct V(__m512i);

impl std::fmt::Debug for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.bytes())
    }
}

impl V {
    const fn from_bytes(bytes: [u8; 64]) -> Self {
        // SAFETY: both types are 64 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 64], __m512i>(bytes) })
    }

    fn bytes(self) -> [u8; 64] {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m512i, [u8; 64]>(self.0) }
    }

    /// The byte permutation that moves lanes of `SIZE` bytes.
    fn permutation<const SIZE: usize>(source: impl Fn(usize) -> usize) -> Self {
        Self::from_bytes(std::array::from_fn(|byte| {
            (source(byte / SIZE) * SIZE + byte % SIZE) as u8
        }))
    }

    /// The byte permutation that takes every lane from its left neighbour.
    const fn lane_before(size: usize) -> Self {
        let mut bytes = [0; 64];
        let mut byte = size;
        while byte < 64 {
            bytes[byte] = (byte - size) as u8;
            byte += 1;
        }
        Self::from_bytes(bytes)
    }

    /// The byte permutation that puts the last lane everywhere.
    const fn last_lane(size: usize) -> Self {
        let mut bytes = [0; 64];
        let mut byte = 0;
        while byte < 64 {
            bytes[byte] = (64 - size + byte % size) as u8;
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
    ($name:ident, $elem:ty, steps: $steps:literal,
     shift_in: |$before:ident, $here:ident| $shift:expr,
     add: |$a:ident, $b:ident| $add:expr, max: |$c:ident, $d:ident| $max:expr,
     mix: $low:ident, $high:ident) => {
        #[doc = concat!("Lanes of `", stringify!($elem), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(pub(crate) Avx512);

        impl $name {
            const QUARTER: usize = 16 / size_of::<$elem>();

            #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
            fn run_with_avx512<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }

        impl Simd for $name {
            type Elem = $elem;
            type Vector = V;
            /// One shuffle per step inside the quarters, then the two carries between them.
            type Scan = [V; $steps + 2];
            type Pick = Picked;
            type Far = Picked;
            type Gather = ();
            const LANES: usize = 64 / size_of::<$elem>();
            const PARTS: usize = 1;
            const GATHERS: bool = false;
            const FEW_PORTS: bool = true;

            #[inline(always)]
            fn zero() -> V {
                const { V::from_bytes([0; 64]) }
            }
            #[inline(always)]
            fn splat(value: $elem) -> V {
                // SAFETY: both types are 64 plain bytes without invalid values.
                V(unsafe {
                    std::mem::transmute::<[$elem; 64 / size_of::<$elem>()], __m512i>(
                        [value; 64 / size_of::<$elem>()],
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
                const STEPS: [[u8; 64]; $steps + 2] = segments::steps(size_of::<$elem>());
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
            fn gather_control(_: &[u32]) {}
            #[inline(always)]
            fn gather(self, _: &[$elem], (): &()) -> V {
                Self::zero()
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
                V(unsafe { _mm512_and_si512(a.0, mask.0) })
            }
            #[inline(always)]
            fn shift(self, a: V) -> V {
                let before = const { V::lane_before(size_of::<$elem>()) };
                // SAFETY: `self` proves AVX-512.
                V(unsafe {
                    _mm512_maskz_permutexvar_epi8(u64::MAX << size_of::<$elem>(), before.0, a.0)
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
                V(unsafe { _mm512_permutexvar_epi8(last.0, a.0) })
            }
            #[inline(always)]
            fn scan(self, a: V, control: &Self::Scan) -> V {
                let mut x = a;
                for step in &control[..$steps] {
                    // The shuffle looks at the lower four bits only: the byte in the quarter.
                    // SAFETY: `self` proves AVX-512.
                    x = self.max(x, V(unsafe { _mm512_shuffle_epi8(x.0, step.0) }));
                }
                for carry in &control[$steps..] {
                    // SAFETY: `self` proves AVX-512.
                    x = self.max(x, V(unsafe { _mm512_permutexvar_epi8(carry.0, x.0) }));
                }
                x
            }
            #[inline(always)]
            fn pick(self, a: V, control: &Picked) -> V {
                // SAFETY: `self` proves AVX-512.
                V(unsafe {
                    _mm512_and_si512(_mm512_permutexvar_epi8(control.from.0, a.0), control.keep.0)
                })
            }
            #[inline(always)]
            fn pick_far(self, into: V, from: &V, _part: usize, control: &Picked) -> V {
                // SAFETY: `self` proves AVX-512.
                V(unsafe { _mm512_or_si512(into.0, self.pick(*from, control).0) })
            }
            #[inline(always)]
            fn turn(self, from: &[V], into: &mut [V], stride: usize, square: &mut [V]) {
                let square = &mut square[..Self::LANES];
                turn_groups!(from, stride, square, Self::QUARTER, $low, $high);
                for row in 0..Self::QUARTER {
                    let [a, b, c, d] =
                        [0, 1, 2, 3].map(|group| square[group * Self::QUARTER + row].0);
                    // SAFETY: `self` proves AVX-512.
                    let turned = unsafe {
                        let (left, right) = (
                            _mm512_shuffle_i32x4::<0x44>(a, b),
                            _mm512_shuffle_i32x4::<0xee>(a, b),
                        );
                        let (lower_left, lower_right) = (
                            _mm512_shuffle_i32x4::<0x44>(c, d),
                            _mm512_shuffle_i32x4::<0xee>(c, d),
                        );
                        [
                            _mm512_shuffle_i32x4::<0x88>(left, lower_left),
                            _mm512_shuffle_i32x4::<0xdd>(left, lower_left),
                            _mm512_shuffle_i32x4::<0x88>(right, lower_right),
                            _mm512_shuffle_i32x4::<0xdd>(right, lower_right),
                        ]
                    };
                    let mut group = 0;
                    while group < 4 {
                        into[(group * Self::QUARTER + row) * stride] = V(turned[group]);
                        group += 1;
                    }
                }
            }
            #[inline(always)]
            fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                // SAFETY: `self` proves AVX-512.
                unsafe { self.run_with_avx512(kernel) }
            }
        }
    };
}

lanes!(Bytes, u8, steps: 4,
    shift_in: |before, a| _mm512_alignr_epi8::<15>(a, _mm512_alignr_epi64::<6>(a, before)),
    add: |a, b| _mm512_adds_epu8(a, b), max: |a, b| _mm512_max_epu8(a, b),
    mix: _mm512_unpacklo_epi8, _mm512_unpackhi_epi8);
lanes!(Words, u16, steps: 3,
    shift_in: |before, a| _mm512_alignr_epi8::<14>(a, _mm512_alignr_epi64::<6>(a, before)),
    add: |a, b| _mm512_adds_epu16(a, b), max: |a, b| _mm512_max_epu16(a, b),
    mix: _mm512_unpacklo_epi16, _mm512_unpackhi_epi16);
lanes!(Ints, i32, steps: 2,
    shift_in: |before, a| _mm512_alignr_epi32::<15>(a, before),
    add: |a, b| _mm512_add_epi32(a, b), max: |a, b| _mm512_max_epi32(a, b),
    mix: _mm512_unpacklo_epi32, _mm512_unpackhi_epi32);
lanes!(Doubles, f64, steps: 1,
    shift_in: |before, a| _mm512_alignr_epi64::<7>(a, before),
    add: |a, b| _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b))),
    max: |a, b| _mm512_castpd_si512(_mm512_max_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b))),
    mix: _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);
lanes!(Longs, i64, steps: 1,
    shift_in: |before, a| _mm512_alignr_epi64::<7>(a, before),
    add: |a, b| _mm512_add_epi64(a, b), max: |a, b| _mm512_max_epi64(a, b),
    mix: _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);
all_lanes!(Avx512, Longs => Longs);
