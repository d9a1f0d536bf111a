//! One step of the bit-parallel dynamic program of two texts.
//!
//! A column of the dynamic program changes by at most one from row to row. Two bits per row hold
//! the changes, and a step to the next column is a dozen word operations (Myers 1999, in the form
//! of Hyyrö 2003); an addition carries runs of matches down the column. Longer patterns take
//! several words, which hand their last row's change on.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The bits of some rows of a column.
pub(crate) trait Word:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + std::fmt::Debug
{
    /// Rows of a word.
    const BITS: usize;
    /// No bit is set.
    const ZERO: Self;
    /// The lowest bit is set.
    const ONE: Self;
    /// The sum, without the bit that leaves the word.
    fn plus(self, other: Self) -> Self;
    /// All bits move up by one.
    fn up(self) -> Self;
    /// The highest bit, as the lowest.
    fn top(self) -> Self;
    /// The lowest `count` bits, at most as many as there are.
    fn lowest(count: usize) -> Self;
    /// Number of bits that are set, in a word: whole vectors of words are counted at once.
    fn ones(self) -> Self;
    /// The word as a number; only small ones are asked for.
    fn number(self) -> u32;
    /// The word with this bit.
    fn with(self, bit: usize) -> Self;
}

macro_rules! words {
    ($($type:ty),*) => { $(impl Word for $type {
        const BITS: usize = <$type>::BITS as usize;
        const ZERO: Self = 0;
        const ONE: Self = 1;
        #[inline(always)]
        fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
        #[inline(always)]
        fn up(self) -> Self { self << 1 }
        #[inline(always)]
        fn top(self) -> Self { self >> (<$type>::BITS - 1) }
        #[inline(always)]
        fn lowest(count: usize) -> Self {
            if count >= Self::BITS as usize { !0 } else { !(!0 << count) }
        }
        #[inline(always)]
        #[allow(clippy::cast_lossless)] // lossless for some types only
        fn ones(self) -> Self { self.count_ones() as Self }
        #[inline(always)]
        #[allow(clippy::cast_lossless)] // lossless for some types only
        fn number(self) -> u32 { self as u32 }
        #[inline(always)]
        fn with(self, bit: usize) -> Self { self | 1 << bit }
    })* };
}
words!(u16, u32, u64);

/// One word of a column moves on by one column.
///
/// Takes the rising and falling steps down the column, where the row labels match, and the step
/// that comes in from above along the row; returns the steps of the new column and those along all
/// rows.
#[inline(always)]
pub(crate) fn advance<W: Word>(
    (rising, falling): (W, W),
    matches: W,
    (rise_in, fall_in): (W, W),
) -> ((W, W), (W, W)) {
    let vertical = matches | falling;
    let matches = matches | fall_in;
    let diagonal = ((matches & rising).plus(rising) ^ rising) | matches;
    let rise = falling | !(diagonal | rising);
    let fall = rising & diagonal;
    let (rise_down, fall_down) = (rise.up() | rise_in, fall.up() | fall_in);
    ((fall_down | !(vertical | rise_down), rise_down & vertical), (rise, fall))
}
