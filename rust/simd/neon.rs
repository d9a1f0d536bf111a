//! 128-bit vectors of ARM: 16 bytes, 8 words, 4 ints or 2 doubles.
//!
//! A table look-up moves any byte of a vector to any other; an index outside of the vector gives 0,
//! or keeps what the lane held. So a scan shifts by 1, 2, 4, … lanes with one look-up each, and a pick
//! is one look-up, also from another vector.

#![allow(unsafe_code)] // intrinsics; every value of the types below proves that NEON is there

use super::{Simd, Sources, Vectorized, all_lanes};
use std::arch::aarch64::{
    uint8x16_t, vaddq_f64, vaddq_s32, vaddq_u8, vaddq_u16, vandq_u8, vdupq_laneq_u8,
    vdupq_laneq_u16, vdupq_laneq_u32, vdupq_laneq_u64, vextq_u8, vmaxq_f64, vmaxq_s32, vmaxq_u8,
    vmaxq_u16, vqtbl1q_u8, vqtbx1q_u8, vreinterpretq_f64_u8, vreinterpretq_s32_u8,
    vreinterpretq_u8_f64, vreinterpretq_u8_s32, vreinterpretq_u8_u16, vreinterpretq_u8_u32,
    vreinterpretq_u8_u64, vreinterpretq_u16_u8, vreinterpretq_u32_u8, vreinterpretq_u64_u8,
};

/// The proof that this machine has NEON; only [`Neon::detect`] makes one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

/// A vector in memory and in a register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct V(uint8x16_t);

impl std::fmt::Debug for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: both types are 16 plain bytes without invalid values.
        write!(f, "{:?}", unsafe { std::mem::transmute::<uint8x16_t, [u8; 16]>(self.0) })
    }
}

const NOTHING: u8 = 0xff; // an index outside of the vector

impl V {
    #[inline(always)]
    fn from_bytes(bytes: [u8; 16]) -> Self {
        // SAFETY: both types are 16 plain bytes without invalid values.
        Self(unsafe { std::mem::transmute::<[u8; 16], uint8x16_t>(bytes) })
    }

    /// A look-up of bytes from one of lanes, which have `SIZE` bytes.
    fn look_up<const SIZE: usize>(source: impl Fn(usize) -> Option<usize>) -> Self {
        Self::from_bytes(std::array::from_fn(|byte| {
            source(byte / SIZE).map_or(NOTHING, |lane| (lane * SIZE + byte % SIZE) as u8)
        }))
    }
}

macro_rules! lanes {
    ($name:ident, $elem:ty, steps: $steps:literal, gathers: $gathers:literal,
     last: |$l:ident| $last:expr,
     add: |$a:ident, $b:ident| $add:expr, max: |$c:ident, $d:ident| $max:expr) => {
        #[doc = concat!("Lanes of `", stringify!($elem), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(pub(crate) Neon);

        impl $name {
            #[target_feature(enable = "neon")]
            fn run_with_neon<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }

        impl Simd for $name {
            type Elem = $elem;
            type Vector = V;
            /// One look-up for each step.
            type Scan = [V; $steps];
            type Pick = V;
            type Far = V;
            type Gather = [u32; 16 / size_of::<$elem>()];
            const LANES: usize = 16 / size_of::<$elem>();
            const PARTS: usize = 1;
            const GATHERS: bool = $gathers;
            // Many processors have two vector ports. Those with four wait a little for the carry.
            const FEW_PORTS: bool = true;

            #[inline(always)]
            fn zero() -> V {
                V::from_bytes([0; 16])
            }
            #[inline(always)]
            fn splat(value: $elem) -> V {
                let lanes = [value; 16 / size_of::<$elem>()];
                // SAFETY: both types are 16 plain bytes without invalid values.
                V(unsafe {
                    std::mem::transmute::<[$elem; 16 / size_of::<$elem>()], uint8x16_t>(lanes)
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
                let keeps = |byte: usize| if lanes(byte / size_of::<$elem>()) { 0xff } else { 0 };
                V::from_bytes(std::array::from_fn(keeps))
            }
            fn scan_control(starts: &[i32]) -> Self::Scan {
                std::array::from_fn(|step| {
                    V::look_up::<{ size_of::<$elem>() }>(|q| {
                        let by = 1 << step;
                        let same = q >= by && (q - by) as i32 >= starts[q];
                        Some(if same { q - by } else { q })
                    })
                })
            }
            fn pick_control(sources: &Sources) -> V {
                V::look_up::<{ size_of::<$elem>() }>(|q| sources[q].map(usize::from))
            }
            fn far_control(sources: &Sources) -> V {
                Self::pick_control(sources)
            }
            fn gather_control(sources: &[u32]) -> Self::Gather {
                std::array::from_fn(|q| sources[q])
            }
            #[inline(always)]
            fn gather(self, from: &[$elem], control: &Self::Gather) -> V {
                let lanes = control.map(|source| from[source as usize]);
                // SAFETY: both types are 16 plain bytes without invalid values.
                V(unsafe {
                    std::mem::transmute::<[$elem; 16 / size_of::<$elem>()], uint8x16_t>(lanes)
                })
            }
            #[inline(always)]
            fn add(self, a: V, b: V) -> V {
                let ($a, $b) = (a.0, b.0);
                // SAFETY: `self` proves NEON.
                V(unsafe { $add })
            }
            #[inline(always)]
            fn max(self, a: V, b: V) -> V {
                let ($c, $d) = (a.0, b.0);
                // SAFETY: `self` proves NEON.
                V(unsafe { $max })
            }
            #[inline(always)]
            fn and(self, a: V, mask: V) -> V {
                // SAFETY: `self` proves NEON.
                V(unsafe { vandq_u8(a.0, mask.0) })
            }
            #[inline(always)]
            fn shift(self, a: V) -> V {
                self.shift_in(Self::zero(), a)
            }
            #[inline(always)]
            fn shift_in(self, before: V, a: V) -> V {
                // SAFETY: `self` proves NEON.
                V(unsafe { vextq_u8::<{ 16 - size_of::<$elem>() as i32 }>(before.0, a.0) })
            }
            #[inline(always)]
            fn last(self, a: V) -> V {
                let $l = a.0;
                // SAFETY: `self` proves NEON.
                V(unsafe { $last })
            }
            #[inline(always)]
            fn scan(self, a: V, control: &Self::Scan) -> V {
                control.iter().fold(a, |x, step| self.max(x, self.pick(x, step)))
            }
            #[inline(always)]
            fn pick(self, a: V, control: &V) -> V {
                // SAFETY: `self` proves NEON.
                V(unsafe { vqtbl1q_u8(a.0, control.0) })
            }
            #[inline(always)]
            fn pick_far(self, into: V, from: &V, _: usize, control: &V) -> V {
                // SAFETY: `self` proves NEON.
                V(unsafe { vqtbx1q_u8(into.0, from.0, control.0) })
            }
            #[inline(always)]
            fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
                // SAFETY: `self` proves NEON.
                unsafe { self.run_with_neon(kernel) }
            }
        }
    };
}

lanes!(Bytes, u8, steps: 4, gathers: false,
    last: |a| vdupq_laneq_u8::<15>(a),
    add: |a, b| vaddq_u8(a, b), max: |a, b| vmaxq_u8(a, b));
lanes!(Words, u16, steps: 3, gathers: false,
    last: |a| vreinterpretq_u8_u16(vdupq_laneq_u16::<7>(vreinterpretq_u16_u8(a))),
    add: |a, b| vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b))),
    max: |a, b| vreinterpretq_u8_u16(vmaxq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b))));
lanes!(Ints, i32, steps: 2, gathers: false,
    last: |a| vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(a))),
    add: |a, b| vreinterpretq_u8_s32(vaddq_s32(vreinterpretq_s32_u8(a), vreinterpretq_s32_u8(b))),
    max: |a, b| vreinterpretq_u8_s32(vmaxq_s32(vreinterpretq_s32_u8(a), vreinterpretq_s32_u8(b))));
lanes!(Doubles, f64, steps: 1, gathers: true,
    last: |a| vreinterpretq_u8_u64(vdupq_laneq_u64::<1>(vreinterpretq_u64_u8(a))),
    add: |a, b| vreinterpretq_u8_f64(vaddq_f64(vreinterpretq_f64_u8(a), vreinterpretq_f64_u8(b))),
    max: |a, b| vreinterpretq_u8_f64(vmaxq_f64(vreinterpretq_f64_u8(a), vreinterpretq_f64_u8(b))));
all_lanes!(Neon);
