//! 128-bit vectors that every x86-64 machine has: 16 bytes, 8 words, 4 ints or 2 doubles.
//!
//! SSE2 has no shuffle by a control from memory. A scan shifts by 1, 2, 4, … lanes, which are
//! constants, and masks what crosses a segment; picks load lane by lane.

#![allow(unsafe_code)] // intrinsics that are part of x86-64 itself, and loads by checked controls

use super::portable::Arrays;
use super::{Simd, Sources, Vectorized, all_lanes, turn_groups};
use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_add_pd, _mm_adds_epu8, _mm_adds_epu16,
    _mm_and_si128, _mm_andnot_si128, _mm_castpd_si128, _mm_castsi128_pd, _mm_cmpgt_epi32,
    _mm_max_epu8, _mm_max_pd, _mm_or_si128, _mm_set_epi64x, _mm_shuffle_epi32, _mm_shufflehi_epi16,
    _mm_slli_si128, _mm_srli_si128, _mm_subs_epu16, _mm_unpackhi_epi8, _mm_unpackhi_epi16,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
    _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

/// The proof of SSE2, which is part of x86-64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse2(());

impl Sse2 {
    #[allow(clippy::unnecessary_wraps)] // as all detectors
    pub(crate) fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

/// A vector in memory and in a register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct V(__m128i);

impl std::fmt::Debug for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.bytes())
    }
}

impl V {
    #[inline(always)]
    fn from_bytes(bytes: [u8; 16]) -> Self {
        // SAFETY: both types are 16 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 16], __m128i>(bytes) })
    }

    #[inline(always)]
    fn bytes(self) -> [u8; 16] {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m128i, [u8; 16]>(self.0) }
    }
}

/// Elements that the lanes are loaded from, all of them below a bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gather<const N: usize> {
    from: [u32; N],
    bound: u32,
}

/// The same in one vector, and the lanes that have a source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick<const N: usize> {
    /// All below `N`.
    from: [u8; N],
    keep: V,
}

macro_rules! lanes {
    ($name:ident, $elem:ty, lanes: $lanes:literal, bits: |$v:ident| $bits:expr,
     last: |$l:ident| $last:expr,
     add: |$a:ident, $b:ident| $add:expr, max: |$c:ident, $d:ident| $max:expr,
     mix: $low:ident, $high:ident) => {
        #[doc = concat!("Lanes of `", stringify!($elem), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(#[allow(dead_code)] pub(crate) Sse2); // no instructions need proof

        impl $name {
            const SIZE: usize = size_of::<$elem>();

            /// The lane among the eight bytes of its half.
            #[inline(always)]
            fn placed(lane: usize, $v: $elem) -> u64 {
                $bits << (8 * Self::SIZE * lane % 64)
            }

            /// A vector from its halves: reading bytes that were just written in parts takes long.
            #[inline(always)]
            fn from_halves([low, high]: [u64; 2]) -> V {
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { _mm_set_epi64x(high as i64, low as i64) })
            }

            /// Every lane or the one that many bytes to the left, where the mask is set.
            #[inline(always)]
            fn step<const BYTES: i32>(self, x: V, mask: V) -> V {
                // SAFETY: SSE2 is part of x86-64.
                self.max(x, self.and(V(unsafe { _mm_slli_si128::<BYTES>(x.0) }), mask))
            }
        }

        impl Simd for $name {
            type Elem = $elem;
            type Vector = V;
            /// For shifts by 8, 4, 2 and 1 bytes, or those of them that are whole lanes: the lanes
            /// whose source is in their segment.
            type Scan = [V; ($lanes as usize).ilog2() as usize];
            type Pick = Pick<$lanes>;
            type Far = Pick<$lanes>;
            type Gather = Gather<$lanes>;
            const LANES: usize = $lanes;
            const PARTS: usize = 1;
            const GATHERS: bool = true;
            const FEW_PORTS: bool = true;

            #[inline(always)]
            fn zero() -> V {
                V::from_bytes([0; 16])
            }
            #[inline(always)]
            fn splat(value: $elem) -> V {
                // SAFETY: both types are 16 plain bytes without invalid values.
                V(unsafe { std::mem::transmute::<[$elem; $lanes], __m128i>([value; $lanes]) })
            }
            #[inline(always)]
            fn elements(vectors: &[V]) -> &[$elem] {
                // SAFETY: a vector is `LANES` plain values of the element type, which is not
                // more strictly aligned.
                unsafe {
                    std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * $lanes)
                }
            }
            #[inline(always)]
            fn elements_mut(vectors: &mut [V]) -> &mut [$elem] {
                // SAFETY: as above; the mutable borrow is passed on, so there is no alias.
                unsafe {
                    std::slice::from_raw_parts_mut(
                        vectors.as_mut_ptr().cast(),
                        vectors.len() * $lanes,
                    )
                }
            }
            fn mask(lanes: impl Fn(usize) -> bool) -> V {
                let keeps = |byte: usize| if lanes(byte / Self::SIZE) { 0xff } else { 0 };
                V::from_bytes(std::array::from_fn(keeps))
            }
            fn scan_control(starts: &[i32]) -> Self::Scan {
                std::array::from_fn(|step| {
                    let by = $lanes >> (step + 1);
                    Self::mask(|q| q >= by && (q - by) as i32 >= starts[q])
                })
            }
            fn pick_control(sources: &Sources) -> Pick<$lanes> {
                Pick {
                    from: std::array::from_fn(|q| sources[q].unwrap_or(0) % $lanes),
                    keep: Self::mask(|q| sources[q].is_some()),
                }
            }
            fn far_control(sources: &Sources) -> Pick<$lanes> {
                Self::pick_control(sources)
            }
            fn gather_control(sources: &[u32]) -> Gather<$lanes> {
                let from: [u32; $lanes] = std::array::from_fn(|q| sources[q]);
                Gather { from, bound: from.iter().max().map_or(0, |&most| most + 1) }
            }
            #[inline(always)]
            fn gather(self, from: &[$elem], control: &Gather<$lanes>) -> V {
                assert!(control.bound as usize <= from.len());
                let mut halves = [0; 2];
                let mut q = 0;
                while q < $lanes {
                    // SAFETY: the sources are below the bound, and so inside of the slice.
                    let value = unsafe { *from.get_unchecked(control.from[q] as usize) };
                    halves[q / ($lanes / 2)] |= Self::placed(q, value);
                    q += 1;
                }
                Self::from_halves(halves)
            }
            #[inline(always)]
            fn add(self, a: V, b: V) -> V {
                let ($a, $b) = (a.0, b.0);
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { $add })
            }
            #[inline(always)]
            fn max(self, a: V, b: V) -> V {
                let ($c, $d) = (a.0, b.0);
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { $max })
            }
            #[inline(always)]
            fn and(self, a: V, mask: V) -> V {
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { _mm_and_si128(a.0, mask.0) })
            }
            #[inline(always)]
            fn shift(self, a: V) -> V {
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { _mm_slli_si128::<{ size_of::<$elem>() as i32 }>(a.0) })
            }
            #[inline(always)]
            fn shift_in(self, before: V, a: V) -> V {
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe {
                    let first = _mm_srli_si128::<{ 16 - size_of::<$elem>() as i32 }>(before.0);
                    _mm_or_si128(self.shift(a).0, first)
                })
            }
            #[inline(always)]
            fn last(self, a: V) -> V {
                let $l = a.0;
                // SAFETY: SSE2 is part of x86-64.
                V(unsafe { $last })
            }
            #[inline(always)]
            fn scan(self, a: V, control: &Self::Scan) -> V {
                // The order of the shifts is free.
                let mut x = self.step::<8>(a, control[0]);
                if Self::SIZE <= 4 {
                    x = self.step::<4>(x, control[1 % control.len()]);
                }
                if Self::SIZE <= 2 {
                    x = self.step::<2>(x, control[2 % control.len()]);
                }
                if Self::SIZE == 1 {
                    x = self.step::<1>(x, control[3 % control.len()]);
                }
                x
            }
            #[inline(always)]
            fn pick(self, a: V, control: &Pick<$lanes>) -> V {
                let lanes = [a];
                let lanes = Self::elements(&lanes);
                let mut halves = [0; 2];
                let mut q = 0;
                while q < $lanes {
                    // SAFETY: all sources are below the number of lanes.
                    let value = unsafe { *lanes.get_unchecked(control.from[q] as usize) };
                    halves[q / ($lanes / 2)] |= Self::placed(q, value);
                    q += 1;
                }
                self.and(Self::from_halves(halves), control.keep)
            }
            #[inline(always)]
            fn pick_far(self, into: V, from: &V, _: usize, control: &Pick<$lanes>) -> V {
                self.max(into, self.pick(*from, control))
            }
            #[inline(always)]
            fn turn(self, from: &[V], into: &mut [V], stride: usize, square: &mut [V]) {
                let square = &mut square[..Self::LANES];
                turn_groups!(from, stride, square, $lanes, $low, $high);
                for (row, &mut vector) in square.iter_mut().enumerate() {
                    into[row * stride] = vector;
                }
            }
            #[inline(always)]
            fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }
    };
}

lanes!(Bytes, u8, lanes: 16, bits: |value| u64::from(value),
    last: |a| {
        let twice = _mm_shufflehi_epi16::<0xff>(_mm_unpackhi_epi8(a, a));
        _mm_shuffle_epi32::<0xff>(twice)
    },
    add: |a, b| _mm_adds_epu8(a, b), max: |a, b| _mm_max_epu8(a, b),
    mix: _mm_unpacklo_epi8, _mm_unpackhi_epi8);
lanes!(Words, u16, lanes: 8, bits: |value| u64::from(value),
    last: |a| _mm_shuffle_epi32::<0xff>(_mm_shufflehi_epi16::<0xff>(a)),
    // A difference that is 0 where it would be negative.
    add: |a, b| _mm_adds_epu16(a, b), max: |a, b| _mm_add_epi16(_mm_subs_epu16(a, b), b),
    mix: _mm_unpacklo_epi16, _mm_unpackhi_epi16);
lanes!(Ints, i32, lanes: 4, bits: |value| u64::from(value.cast_unsigned()),
last: |a| _mm_shuffle_epi32::<0xff>(a),
add: |a, b| _mm_add_epi32(a, b),
max: |a, b| {
    let greater = _mm_cmpgt_epi32(a, b);
    _mm_or_si128(_mm_and_si128(greater, a), _mm_andnot_si128(greater, b))
},
    mix: _mm_unpacklo_epi32, _mm_unpackhi_epi32);
lanes!(Doubles, f64, lanes: 2, bits: |value| value.to_bits(),
    last: |a| _mm_unpackhi_epi64(a, a),
    add: |a, b| _mm_castpd_si128(_mm_add_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b))),
    max: |a, b| _mm_castpd_si128(_mm_max_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b))),
    mix: _mm_unpacklo_epi64, _mm_unpackhi_epi64);
// There is no comparison of longs.
all_lanes!(Sse2, Arrays<i64, 2> => |_| Arrays::new());
