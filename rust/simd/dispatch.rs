//! The one place that chooses instructions and lanes.
//!
//! A new instruction set is one file beside this one, with a detector and the five lane types, and
//! one line in the list below. Code above this room is generic over [`Simd`] and never names a set.

use crate::simd::limit;
use crate::simd::portable::Arrays;
use crate::simd::{InstructionSet, Lanes, Simd};

/// Something that is done in lanes that are known only at run time.
pub(crate) trait InLanes {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A type for each kind of lanes; see [`PerLanes`].
pub(crate) trait Family {
    type Of<S: Simd>: std::fmt::Debug + Default;
    fn bytes_held<S: Simd>(of: &Self::Of<S>) -> usize;
}

/// The same with something that is read and something that is written for each kind of lanes.
pub(crate) trait InStoredLanes<R: Family, W: Family> {
    type Output;
    fn run<S: Simd>(self, simd: S, read: &R::Of<S>, write: &mut W::Of<S>) -> Self::Output;
}

/// A value for each kind of lanes of one instruction set.
#[derive(Debug)]
struct PerLanes<I: InstructionSet, F: Family> {
    bytes: F::Of<I::Bytes>,
    words: F::Of<I::Words>,
    ints: F::Of<I::Ints>,
    doubles: F::Of<I::Doubles>,
    longs: F::Of<I::Longs>,
}

impl<I: InstructionSet, F: Family> Default for PerLanes<I, F> {
    fn default() -> Self {
        Self {
            bytes: F::Of::<I::Bytes>::default(),
            words: F::Of::<I::Words>::default(),
            ints: F::Of::<I::Ints>::default(),
            doubles: F::Of::<I::Doubles>::default(),
            longs: F::Of::<I::Longs>::default(),
        }
    }
}

impl<I: InstructionSet, F: Family> PerLanes<I, F> {
    fn bytes_held(&self) -> usize {
        F::bytes_held::<I::Bytes>(&self.bytes)
            + F::bytes_held::<I::Words>(&self.words)
            + F::bytes_held::<I::Ints>(&self.ints)
            + F::bytes_held::<I::Doubles>(&self.doubles)
            + F::bytes_held::<I::Longs>(&self.longs)
    }

    #[inline(always)]
    fn run<W: Family, V: InStoredLanes<F, W>>(
        &self,
        set: I,
        lanes: Lanes,
        write: &mut PerLanes<I, W>,
        visitor: V,
    ) -> V::Output {
        match lanes {
            Lanes::Bytes => visitor.run(set.bytes(), &self.bytes, &mut write.bytes),
            Lanes::Words => visitor.run(set.words(), &self.words, &mut write.words),
            Lanes::Ints => visitor.run(set.ints(), &self.ints, &mut write.ints),
            Lanes::Doubles => visitor.run(set.doubles(), &self.doubles, &mut write.doubles),
            Lanes::Longs => visitor.run(set.longs(), &self.longs, &mut write.longs),
        }
    }
}

#[inline(always)]
fn in_lanes<I: InstructionSet, V: InLanes>(set: I, lanes: Lanes, visitor: V) -> V::Output {
    match lanes {
        Lanes::Bytes => visitor.run(set.bytes()),
        Lanes::Words => visitor.run(set.words()),
        Lanes::Ints => visitor.run(set.ints()),
        Lanes::Doubles => visitor.run(set.doubles()),
        Lanes::Longs => visitor.run(set.longs()),
    }
}

macro_rules! instruction_sets {
    ($($(#[doc = $doc:literal])+ $name:ident in $module:ident if $cfg:meta;)*) => {
        /// Vector instructions that there is a kernel for, the best first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Instructions {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Instructions {
            /// All that there is a kernel for, on any machine, the best first.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Those that this machine has, the best first.
            pub fn detected() -> Vec<Self> {
                Self::ALL.iter().copied().filter(|set| set.is_detected()).collect()
            }

            /// Those that this machine has and that may be used, the best first; see
            /// [`limit`](crate::simd::limit).
            pub fn usable() -> Vec<Self> {
                Self::ALL.iter().copied().filter(|set| set.is_usable()).collect()
            }

            /// Whether this machine has them and they may be used.
            pub(super) fn is_usable(self) -> bool {
                self.is_allowed() && self.is_detected()
            }

            /// The name that users know: `avx2`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($module),)*
                }
            }

            /// Whether the limit allows them.
            #[inline(always)]
            fn is_allowed(self) -> bool {
                self as usize >= limit::first_allowed()
            }

            /// Whether every machine of their kind has them.
            fn is_baseline(self) -> bool {
                matches!(self, Self::Sse2 | Self::Neon | Self::Portable)
            }

            fn is_detected(self) -> bool {
                match self {
                    $(
                        #[cfg($cfg)]
                        Self::$name => super::$module::$name::detect().is_some(),
                        #[cfg(not($cfg))]
                        Self::$name => false,
                    )*
                }
            }

            /// Whether columns of that many bytes fill half a vector at most, and there are vectors of
            /// half the size with the same instructions: their scans have a step less.
            #[inline(always)]
            pub(crate) fn is_too_wide(self, bytes: u64) -> bool {
                self == Self::Avx512 && bytes <= 32 && Self::Avx512vl.is_detected()
            }

            /// Bytes of a vector of the best usable instructions; 32 if there are none.
            pub(crate) fn vector_bytes() -> u64 {
                $(
                    #[cfg($cfg)]
                    if Self::$name.is_usable() {
                        type Bytes = <super::$module::$name as InstructionSet>::Bytes;
                        return size_of::<<Bytes as Simd>::Vector>() as u64;
                    }
                )*
                32
            }
        }

        /// A value for each kind of lanes of every instruction set.
        #[derive(Debug)]
        pub(crate) struct AllLanes<F: Family> {
            $(
                #[cfg($cfg)]
                $module: PerLanes<super::$module::$name, F>,
            )*
            family: std::marker::PhantomData<F>,
        }

        impl<F: Family> Default for AllLanes<F> {
            fn default() -> Self {
                Self {
                    $(
                        #[cfg($cfg)]
                        $module: PerLanes::default(),
                    )*
                    family: std::marker::PhantomData,
                }
            }
        }

        impl<F: Family> AllLanes<F> {
            pub(crate) fn bytes_held(&self) -> usize {
                let mut bytes = 0;
                $(
                    #[cfg($cfg)]
                    {
                        bytes += self.$module.bytes_held();
                    }
                )*
                bytes
            }
        }

        /// Runs the visitor with the best instructions that may be used and that this machine
        /// has, on values that are stored for them. Returns the visitor if there are none.
        #[inline(always)]
        pub(crate) fn in_stored_lanes<R: Family, W: Family, V: InStoredLanes<R, W>>(
            lanes: Lanes,
            may_use: impl Fn(Instructions) -> bool,
            read: &AllLanes<R>,
            write: &mut AllLanes<W>,
            visitor: V,
        ) -> Result<V::Output, V> {
            $(
                #[cfg($cfg)]
                if may_use(Instructions::$name)
                    && Instructions::$name.is_allowed()
                    && let Some(set) = super::$module::$name::detect()
                {
                    return Ok(read.$module.run(set, lanes, &mut write.$module, visitor));
                }
            )*
            Err(visitor)
        }

        /// Runs the visitor with the best instructions that may be used and that this machine
        /// has, or those that every machine has. Without lanes, values are 128-bit integers.
        pub(crate) fn in_any_lanes<V: InLanes>(
            lanes: Option<Lanes>,
            may_use: impl Fn(Instructions) -> bool,
            visitor: V,
        ) -> V::Output {
            let Some(lanes) = lanes else { return visitor.run(Arrays::<i128, 4>::new()) };
            $(
                #[cfg($cfg)]
                if may_use(Instructions::$name)
                    && Instructions::$name.is_allowed()
                    && let Some(set) = super::$module::$name::detect()
                {
                    return in_lanes(set, lanes, visitor);
                }
            )*
            $(
                #[cfg($cfg)]
                if Instructions::$name.is_baseline()
                    && let Some(set) = super::$module::$name::detect()
                {
                    return in_lanes(set, lanes, visitor);
                }
            )*
            visitor.run(Arrays::<i128, 4>::new())
        }
    };
}

instruction_sets! {
    /// 512-bit vectors; AVX-512 F, BW and VBMI are needed.
    Avx512 in avx512 if target_arch = "x86_64";
    /// 256-bit vectors; AVX-512 F, BW, VL and VBMI are needed.
    Avx512vl in avx512vl if target_arch = "x86_64";
    /// 256-bit vectors.
    Avx2 in avx2 if target_arch = "x86_64";
    /// 128-bit vectors that every x86-64 machine has.
    Sse2 in sse2 if target_arch = "x86_64";
    /// 128-bit vectors of ARM.
    Neon in neon if target_arch = "aarch64";
    /// 128-bit vectors on any machine, as far as the compiler finds instructions for them. Machines
    /// that have one of the above never use them; tests do.
    Portable in portable if any(test, feature = "fuzzing", not(any(target_arch = "x86_64", target_arch = "aarch64")));
}
