//! How wide a lane must be, and what is kept for each width.

use crate::distance::columns::Columns;
use crate::distance::packed::Buffers;
use crate::distance::simd::InstructionSet;
use crate::pair::Pricing;
use std::sync::OnceLock;

/// What a lane of the vector kernel counts quanta in. All give the same bits where savings fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lanes {
    /// `u8`.
    Bytes,
    /// `u16`.
    Words,
    /// `i32`.
    Ints,
    /// `f64`, of which only whole numbers are used.
    Doubles,
}

impl Lanes {
    /// From the narrowest to the widest.
    pub const ALL: [Self; 4] = [Self::Bytes, Self::Words, Self::Ints, Self::Doubles];

    /// Bytes of a lane.
    pub fn bytes(self) -> u64 {
        match self {
            Lanes::Bytes => 1,
            Lanes::Words => 2,
            Lanes::Ints => 4,
            Lanes::Doubles => 8,
        }
    }

    /// The largest number up to which a lane counts exactly.
    fn most(self) -> i128 {
        match self {
            Lanes::Bytes => u8::MAX.into(),
            Lanes::Words => u16::MAX.into(),
            Lanes::Ints => i32::MAX.into(),
            Lanes::Doubles => 1 << f64::MANTISSA_DIGITS,
        }
    }

    /// The largest number of nodes of the smaller tree of a pair, up to which no saving outgrows
    /// the lane: every node of it is paired at most once.
    pub(crate) fn most_nodes(self, pricing: Pricing<'_>) -> usize {
        match pricing.largest_saving() {
            // 128-bit tables have no lanes.
            _ if pricing.is_wide() => 0,
            0 => usize::MAX,
            largest => usize::try_from(self.most() / largest).unwrap_or(usize::MAX),
        }
    }

    /// The narrowest that serve pairs whose smaller tree has that many nodes, if any do.
    pub(crate) fn narrowest(pricing: Pricing<'_>, smaller: usize) -> Option<Self> {
        // Not even for the empty tree: lanes are filled from savings that a float64 holds.
        if pricing.is_wide() {
            return None;
        }
        Self::ALL.into_iter().find(|lanes| smaller <= lanes.most_nodes(pricing))
    }
}

/// Vector instructions that there is a kernel for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instructions {
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors; F, BW and VBMI are needed.
    Avx512,
}

impl Instructions {
    /// Those that this machine has, the best first.
    pub fn detected() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            use crate::distance::simd::{avx2::Avx2, avx512::Avx512};
            let avx512 = Avx512::detect().map(|_| Self::Avx512);
            let avx2 = Avx2::detect().map(|_| Self::Avx2);
            avx512.into_iter().chain(avx2).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        Vec::new()
    }
}

type Cached<S> = [OnceLock<Box<Columns<S>>>; 2];

/// Column tables by lane type and orientation, built when first used.
#[derive(Debug)]
pub(crate) struct Tables<I: InstructionSet> {
    pub(crate) bytes: Cached<I::Bytes>,
    pub(crate) words: Cached<I::Words>,
    pub(crate) ints: Cached<I::Ints>,
    pub(crate) doubles: Cached<I::Doubles>,
}

impl<I: InstructionSet> Default for Tables<I> {
    fn default() -> Self {
        Self {
            bytes: Cached::default(),
            words: Cached::default(),
            ints: Cached::default(),
            doubles: Cached::default(),
        }
    }
}

/// Buffers of one thread by lane type.
#[derive(Debug)]
pub(crate) struct Scratch<I: InstructionSet> {
    pub(crate) bytes: Buffers<I::Bytes>,
    pub(crate) words: Buffers<I::Words>,
    pub(crate) ints: Buffers<I::Ints>,
    pub(crate) doubles: Buffers<I::Doubles>,
}

impl<I: InstructionSet> Default for Scratch<I> {
    fn default() -> Self {
        Self {
            bytes: Buffers::default(),
            words: Buffers::default(),
            ints: Buffers::default(),
            doubles: Buffers::default(),
        }
    }
}

impl<I: InstructionSet> Scratch<I> {
    pub(crate) fn bytes_held(&self) -> usize {
        self.bytes.bytes_held()
            + self.words.bytes_held()
            + self.ints.bytes_held()
            + self.doubles.bytes_held()
    }
}
