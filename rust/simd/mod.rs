//! The vector operations that kernels are written in, and the choice between instruction sets.
//!
//! A value of a type that implements `Simd` is a proof that the instructions are there: it can
//! only be had from its detector. The kernel takes the proof as an argument and is safe code; all
//! `unsafe` of the crate is in this folder, where the proof stands behind every intrinsic.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512vl;
pub(crate) mod bands;
pub(crate) mod counts;
mod dispatch;
mod features;
mod lanes;
pub mod limit;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(crate) mod portable;
mod prefetch;
mod processor;
#[cfg(target_arch = "x86_64")]
mod segments;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;
pub(crate) mod tours;
#[cfg(test)]
pub(crate) mod twin;
pub(crate) mod words;

use crate::cost::CostTable;
pub use dispatch::Instructions;
pub(crate) use dispatch::{
    AllLanes, Family, InLanes, InStoredLanes, in_any_lanes, in_stored_lanes,
};
pub use features::features;
pub use lanes::Lanes;
pub(crate) use prefetch::prefetch;

/// A number that lives in a lane.
pub(crate) trait Element:
    Copy + PartialOrd + Default + std::fmt::Debug + Send + Sync + std::ops::Add<Output = Self>
{
    /// A whole number that is known to fit.
    fn of(number: i128) -> Self;
    /// The same of a float that holds a whole number.
    fn of_float(number: f64) -> Self;
    /// A saving of a table in units, at least 0. Exact, since the kernel is chosen so that it fits.
    fn saving(table: &CostTable, row: u32, column: u32) -> Self;
    /// The whole number that the lane holds.
    fn to_whole(self) -> i128;
    /// The same, for all but the elements of wide tables.
    fn to_narrow(self) -> i64;
}

macro_rules! element {
    ($($type:ty),*) => { $(impl Element for $type {
        fn of(number: i128) -> Self { number as $type }
        #[inline(always)]
        fn of_float(number: f64) -> Self { number as $type }
        #[inline(always)]
        fn saving(table: &CostTable, row: u32, column: u32) -> Self {
            table.units(row, column) as $type
        }
        #[allow(clippy::cast_lossless)] // lossless for some types only
        fn to_whole(self) -> i128 { self as i128 }
        #[allow(clippy::cast_lossless)]
        #[inline(always)]
        fn to_narrow(self) -> i64 { self as i64 }
    })* };
}
element!(u8, u16, i32, u32, i64, f64);

impl Element for i128 {
    fn of(number: i128) -> Self {
        number
    }
    fn of_float(number: f64) -> Self {
        number as i128
    }
    fn saving(table: &CostTable, row: u32, column: u32) -> Self {
        table.raw_saving(row, column).max(0) / table.unit()
    }
    fn to_whole(self) -> i128 {
        self
    }
    fn to_narrow(self) -> i64 {
        self as i64
    }
}

/// Lanes of one vector that are fed from another lane of it (or from nothing: 0).
pub(crate) type Sources = [Option<u8>];

/// Vector instructions for lanes of one element type. Savings are never negative.
pub(crate) trait Simd: Copy + Send + Sync + std::fmt::Debug {
    /// What a lane holds.
    type Elem: Element;
    /// A vector, as it lies in memory and in a register.
    type Vector: Copy + Send + Sync + std::fmt::Debug;
    /// Prepared control of a segmented prefix maximum.
    type Scan: Copy + Send + Sync + std::fmt::Debug;
    /// Prepared control of a pick from the same vector.
    type Pick: Copy + Send + Sync + std::fmt::Debug;
    /// Prepared control of a pick from another vector.
    type Far: Copy + Send + Sync + std::fmt::Debug;
    /// Prepared control of a gather from memory.
    type Gather: Copy + Send + Sync + std::fmt::Debug;
    /// Number of lanes.
    const LANES: usize;
    /// Parts of a vector that a far pick can take from, one at a time.
    const PARTS: usize;
    /// Whether lanes from other vectors are better loaded one by one than shuffled in: pays for
    /// few and wide lanes.
    const GATHERS: bool;

    /// Whether fewer operations are better than operations that wait less for each other.
    const FEW_PORTS: bool;

    /// All lanes 0.
    fn zero() -> Self::Vector;
    /// The value in all lanes.
    fn splat(value: Self::Elem) -> Self::Vector;
    /// The lanes of a row of vectors.
    fn elements(vectors: &[Self::Vector]) -> &[Self::Elem];
    /// The same, to write.
    fn elements_mut(vectors: &mut [Self::Vector]) -> &mut [Self::Elem];
    /// All bits set where `lanes` says so, none elsewhere.
    fn mask(lanes: impl Fn(usize) -> bool) -> Self::Vector;
    /// Control for segments: lane `q` belongs to the segment that starts at lane `starts[q]`,
    /// which is negative if it starts in an earlier vector.
    fn scan_control(starts: &[i32]) -> Self::Scan;
    /// Control for picking lanes of the same vector.
    fn pick_control(sources: &Sources) -> Self::Pick;
    /// Control for picking lanes of one part of another vector, numbered from 0 in that part.
    fn far_control(sources: &Sources) -> Self::Far;
    /// Control for loading lane `q` from element `sources[q]`.
    fn gather_control(sources: &[u32]) -> Self::Gather;

    /// Sums; of bytes and words at most the largest number that they hold.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Lanes where the mask is set, 0 elsewhere.
    fn and(self, a: Self::Vector, mask: Self::Vector) -> Self::Vector;
    /// Every lane takes its left neighbour, the first one 0.
    fn shift(self, a: Self::Vector) -> Self::Vector;
    /// Every lane takes its left neighbour, the first one the last lane of `before`.
    fn shift_in(self, before: Self::Vector, a: Self::Vector) -> Self::Vector;
    /// The last lane in all lanes.
    fn last(self, a: Self::Vector) -> Self::Vector;
    /// Prefix maximum inside every segment.
    fn scan(self, a: Self::Vector, control: &Self::Scan) -> Self::Vector;
    /// Lanes rearranged inside one vector.
    fn pick(self, a: Self::Vector, control: &Self::Pick) -> Self::Vector;
    /// Adds (into lanes that are 0) lanes picked from one part of `from`.
    fn pick_far(
        self,
        into: Self::Vector,
        from: &Self::Vector,
        part: usize,
        control: &Self::Far,
    ) -> Self::Vector;
    /// Every lane loaded on its own; only if `GATHERS`.
    fn gather(self, from: &[Self::Elem], control: &Self::Gather) -> Self::Vector;

    /// Turns a square of `LANES` vectors, `stride` apart: rows become columns. `square` is scratch
    /// of as many vectors.
    #[inline(always)]
    fn turn(
        self,
        from: &[Self::Vector],
        into: &mut [Self::Vector],
        stride: usize,
        _square: &mut [Self::Vector],
    ) {
        let (lanes, stride) = (Self::LANES, stride * Self::LANES);
        let (from, into) = (Self::elements(from), Self::elements_mut(into));
        for row in 0..lanes {
            for lane in 0..lanes {
                into[lane * stride + row] = from[row * stride + lane];
            }
        }
    }

    /// Runs a kernel with these instructions enabled.
    fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output;
}

/// Code that is compiled for every instruction set. Its `run` must be inlined always, so that it
/// becomes part of a function that enables the instructions; see [`Simd::run`].
pub(crate) trait Vectorized<S: Simd> {
    type Output;
    fn run(self, simd: S) -> Self::Output;
}

/// The lanes of every element type that one family of instructions has.
pub(crate) trait InstructionSet: Copy + std::fmt::Debug {
    type Bytes: Simd<Elem = u8>;
    type Words: Simd<Elem = u16>;
    type Ints: Simd<Elem = i32>;
    type Doubles: Simd<Elem = f64>;
    type Longs: Simd<Elem = i64>;
    fn bytes(self) -> Self::Bytes;
    fn words(self) -> Self::Words;
    fn ints(self) -> Self::Ints;
    fn doubles(self) -> Self::Doubles;
    fn longs(self) -> Self::Longs;
}

/// Turns the squares of lanes that shuffles stay in: `$rows` vectors at a time, by instructions that
/// mix the lower and the upper lanes of two vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! turn_groups {
    ($from:expr, $stride:expr, $into:expr, $rows:expr, $low:ident, $high:ident) => {
        for (group, turned) in $into.chunks_exact_mut($rows).enumerate() {
            let mut rows = [Self::zero(); $rows];
            for (row, vector) in rows.iter_mut().enumerate() {
                *vector = $from[(group * $rows + row) * $stride];
            }
            let mut done = 1;
            // Each round moves one bit of the row number to the lane number.
            while done < $rows {
                let before = rows;
                let mut row = 0;
                while row < $rows / 2 {
                    let (a, b) = (before[row].0, before[row + $rows / 2].0);
                    // SAFETY: the proof stands behind these instructions.
                    (rows[2 * row], rows[2 * row + 1]) = unsafe { (V($low(a, b)), V($high(a, b))) };
                    row += 1;
                }
                done *= 2;
            }
            turned.copy_from_slice(&rows);
        }
    };
}
#[cfg(target_arch = "x86_64")]
use turn_groups;

/// Implements [`InstructionSet`] for a proof whose lane types wrap it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! all_lanes {
    ($proof:ident, $longs:ty => $make:expr) => {
        impl $crate::simd::InstructionSet for $proof {
            type Bytes = Bytes;
            type Words = Words;
            type Ints = Ints;
            type Doubles = Doubles;
            type Longs = $longs;
            fn bytes(self) -> Bytes {
                Bytes(self)
            }
            fn words(self) -> Words {
                Words(self)
            }
            fn ints(self) -> Ints {
                Ints(self)
            }
            fn doubles(self) -> Doubles {
                Doubles(self)
            }
            fn longs(self) -> $longs {
                ($make)(self)
            }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use all_lanes;
