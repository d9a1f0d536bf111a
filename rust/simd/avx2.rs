//! 256-bit vectors: 32 bytes, 16 words, 8 ints, 4 doubles or 4 longs.
//!
//! Shuffles of AVX2 work inside 16-byte halves. A scan therefore shifts by 1, 2, 4, … lanes inside
//! the halves and then carries the last lane of the lower half into the upper one; a pick takes
//! from both halves with one shuffle each.

#![allow(unsafe_code)] // intrinsics; every value of the types below proves that AVX2 is there

use super::{Simd, Sources, Vectorized, all_lanes, segments, turn_groups};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_load_si128, _mm256_add_epi32, _mm256_add_epi64, _mm256_add_pd,
    _mm256_adds_epu8, _mm256_adds_epu16, _mm256_alignr_epi8, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_cmpgt_epi64,
    _mm256_max_epi32, _mm256_max_epu8, _mm256_max_epu16, _mm256_max_pd, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_shuffle_epi8, _mm256_unpackhi_epi8,
    _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

/// The proof that this machine has AVX2; only [`Avx2::detect`] makes one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
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

const NOTHING: u8 = 0x80; // a shuffle control with the top bit set gives 0

impl V {
    fn from_bytes(bytes: [u8; 32]) -> Self {
        // SAFETY: both types are 32 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 32], __m256i>(bytes) })
    }

    fn bytes(self) -> [u8; 32] {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m256i, [u8; 32]>(self.0) }
    }

    /// A byte shuffle from a lane shuffle inside the halves: lanes of `SIZE` bytes.
    fn shuffle<const SIZE: usize>(source: impl Fn(usize) -> Option<usize>) -> Self {
        Self::from_bytes(std::array::from_fn(|byte| {
            source(byte / SIZE).map_or(NOTHING, |lane| (lane * SIZE + byte % SIZE) as u8)
        }))
    }
}

macro_rules! lanes {
    ($name:ident, $elem:ty, steps: $steps:literal, gathers: $gathers:ty,
     last: |$upper:ident| $last:expr,
     add: |$a:ident, $b:ident| $add:expr, max: |$c:ident, $d:ident| $max:expr,
     mix: $low:ident, $high:ident) => {
        #[doc = concat!("Lanes of `", stringify!($elem), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(pub(crate) Avx2);

        impl $name {
            const SIZE: usize = size_of::<$elem>();
            const HALF: usize = 16 / Self::SIZE;

            #[target_feature(enable = "avx2")]
            fn run_with_avx2<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }

        impl Simd for $name {
            type Elem = $elem;
            type Vector = V;
            /// One shuffle per step inside the halves, then the carry between them.
            type Scan = [V; $steps + 1];
            /// From the lower half, from the upper half.
            type Pick = [V; 2];
            type Far = V;
            type Gather = $gathers;
            const LANES: usize = 32 / size_of::<$elem>();
            const PARTS: usize = 2;
            const GATHERS: bool = size_of::<$gathers>() > 0;
            const FEW_PORTS: bool = false;

            #[inline(always)]
            fn zero() -> V {
                V::from_bytes([0; 32])
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
                V::from_bytes(std::array::from_fn(
                    |byte| {
                        if lanes(byte / Self::SIZE) { 0xff } else { 0 }
                    },
                ))
            }
            fn scan_control(starts: &[i32]) -> Self::Scan {
                const STEPS: [[u8; 32]; $steps + 1] = segments::steps(size_of::<$elem>());
                let mut steps = segments::within(STEPS, size_of::<$elem>(), starts);
                // The carry is shuffled out of the lower half into both.
                for (byte, from) in steps[$steps].iter_mut().enumerate() {
                    *from = if *from == byte as u8 { NOTHING } else { *from };
                }
                steps.map(V::from_bytes)
            }
            fn pick_control(sources: &Sources) -> Self::Pick {
                std::array::from_fn(|half| {
                    V::shuffle::<{ size_of::<$elem>() }>(|q| {
                        let source = sources[q]? as usize;
                        (source / Self::HALF == half).then_some(source % Self::HALF)
                    })
                })
            }
            fn far_control(sources: &Sources) -> V {
                V::shuffle::<{ size_of::<$elem>() }>(|q| sources[q].map(usize::from))
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
                // SAFETY: `self` proves AVX2.
                V(unsafe { $add })
            }
            #[inline(always)]
            fn max(self, a: V, b: V) -> V {
                let ($c, $d) = (a.0, b.0);
                // SAFETY: `self` proves AVX2.
                V(unsafe { $max })
            }
            #[inline(always)]
            fn and(self, a: V, mask: V) -> V {
                // SAFETY: `self` proves AVX2.
                V(unsafe { _mm256_and_si256(a.0, mask.0) })
            }
            #[inline(always)]
            fn shift(self, a: V) -> V {
                // SAFETY: `self` proves AVX2.
                V(unsafe {
                    let below = _mm256_permute2x128_si256::<0x08>(a.0, a.0);
                    _mm256_alignr_epi8::<{ 16 - size_of::<$elem>() as i32 }>(a.0, below)
                })
            }
            #[inline(always)]
            fn shift_in(self, before: V, a: V) -> V {
                // SAFETY: `self` proves AVX2.
                V(unsafe {
                    let below = _mm256_permute2x128_si256::<0x21>(before.0, a.0);
                    _mm256_alignr_epi8::<{ 16 - size_of::<$elem>() as i32 }>(a.0, below)
                })
            }
            #[inline(always)]
            fn last(self, a: V) -> V {
                // SAFETY: `self` proves AVX2.
                V(unsafe {
                    let $upper = _mm256_permute4x64_epi64::<0xff>(a.0);
                    $last
                })
            }
            #[inline(always)]
            fn scan(self, a: V, control: &Self::Scan) -> V {
                let mut x = a;
                for step in &control[..$steps] {
                    // SAFETY: `self` proves AVX2.
                    x = self.max(x, V(unsafe { _mm256_shuffle_epi8(x.0, step.0) }));
                }
                // SAFETY: `self` proves AVX2.
                let carried = V(unsafe {
                    let lower_in_upper = _mm256_permute2x128_si256::<0x08>(x.0, x.0);
                    _mm256_shuffle_epi8(lower_in_upper, control[$steps].0)
                });
                self.max(x, carried)
            }
            #[inline(always)]
            fn pick(self, a: V, control: &Self::Pick) -> V {
                // SAFETY: `self` proves AVX2.
                V(unsafe {
                    let lower = _mm256_permute4x64_epi64::<0x44>(a.0);
                    let upper = _mm256_permute4x64_epi64::<0xee>(a.0);
                    _mm256_or_si256(
                        _mm256_shuffle_epi8(lower, control[0].0),
                        _mm256_shuffle_epi8(upper, control[1].0),
                    )
                })
            }
            #[inline(always)]
            fn pick_far(self, into: V, from: &V, part: usize, control: &V) -> V {
                let halves: *const __m128i = std::ptr::from_ref(from).cast();
                // SAFETY: `self` proves AVX2; a vector is two aligned halves, and the index is 0
                // or 1, whatever the part.
                V(unsafe {
                    let half = _mm_load_si128(halves.add(part % 2));
                    let both = _mm256_broadcastsi128_si256(half);
                    _mm256_or_si256(into.0, _mm256_shuffle_epi8(both, control.0))
                })
            }
            #[inline(always)]
            fn turn(self, from: &[V], into: &mut [V], stride: usize, square: &mut [V]) {
                let square = &mut square[..Self::LANES];
                turn_groups!(from, stride, square, Self::HALF, $low, $high);
                for row in 0..Self::HALF {
                    let (a, b) = (square[row].0, square[Self::HALF + row].0);
                    // SAFETY: `self` proves AVX2.
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
                // SAFETY: `self` proves AVX2.
                unsafe { self.run_with_avx2(kernel) }
            }
        }
    };
}

impl V {
    /// The same eight bytes four times.
    const fn repeat(eight: [u8; 8]) -> Self {
        let mut bytes = [0; 32];
        let mut byte = 0;
        while byte < 32 {
            bytes[byte] = eight[byte % 8];
            byte += 1;
        }
        // SAFETY: both types are 32 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 32], __m256i>(bytes) })
    }
}

/// Where the lanes of a gather come from; `()` if there are no gathers.
pub(super) trait GatherControl: Sized {
    fn new(sources: &[u32]) -> Self;
    fn load<E: Copy + Default, const N: usize>(&self, from: &[E]) -> [E; N];
}

impl GatherControl for () {
    fn new(_: &[u32]) -> Self {}
    fn load<E: Copy + Default, const N: usize>(&self, _: &[E]) -> [E; N] {
        [E::default(); N]
    }
}

impl<const LANES: usize> GatherControl for [u32; LANES] {
    fn new(sources: &[u32]) -> Self {
        std::array::from_fn(|q| sources[q])
    }
    #[inline(always)]
    fn load<E: Copy + Default, const N: usize>(&self, from: &[E]) -> [E; N] {
        std::array::from_fn(|q| from[self[q] as usize])
    }
}

lanes!(Bytes, u8, steps: 4, gathers: (),
    last: |upper| _mm256_shuffle_epi8(upper, const { V::repeat([15; 8]) }.0),
    add: |a, b| _mm256_adds_epu8(a, b), max: |a, b| _mm256_max_epu8(a, b),
    mix: _mm256_unpacklo_epi8, _mm256_unpackhi_epi8);
lanes!(Words, u16, steps: 3, gathers: (),
    last: |upper| _mm256_shuffle_epi8(upper, const { V::repeat([14, 15, 14, 15, 14, 15, 14, 15]) }.0),
    add: |a, b| _mm256_adds_epu16(a, b), max: |a, b| _mm256_max_epu16(a, b),
    mix: _mm256_unpacklo_epi16, _mm256_unpackhi_epi16);
lanes!(Ints, i32, steps: 2, gathers: (),
    last: |upper| _mm256_shuffle_epi8(upper, const { V::repeat([12, 13, 14, 15, 12, 13, 14, 15]) }.0),
    add: |a, b| _mm256_add_epi32(a, b), max: |a, b| _mm256_max_epi32(a, b),
    mix: _mm256_unpacklo_epi32, _mm256_unpackhi_epi32);
lanes!(Doubles, f64, steps: 1, gathers: [u32; 4], last: |upper| upper,
    add: |a, b| _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b))),
    max: |a, b| _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b))),
    mix: _mm256_unpacklo_epi64, _mm256_unpackhi_epi64);
lanes!(Longs, i64, steps: 1, gathers: [u32; 4], last: |upper| upper,
    add: |a, b| _mm256_add_epi64(a, b),
    max: |a, b| _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(b, a)),
    mix: _mm256_unpacklo_epi64, _mm256_unpackhi_epi64);
all_lanes!(Avx2, Longs => Longs);
