//! The integers that savings are counted in.

/// An integer type that sums of savings fit.
pub(super) trait Quantum:
    Copy
    + Ord
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
{
    /// The largest value.
    const MAX: i128;
    /// A value that is known to fit.
    fn from_wide(value: i128) -> Self;
    fn wide(self) -> i128;
    /// The product, which is known to fit.
    fn times(self, count: u32) -> Self;
}

macro_rules! quantum {
    ($($type:ty),*) => {$(
        impl Quantum for $type {
            const MAX: i128 = <$type>::MAX as i128;
            #[inline(always)]
            fn from_wide(value: i128) -> Self {
                value as $type
            }
            #[inline(always)]
            fn wide(self) -> i128 {
                i128::from(self)
            }
            #[inline(always)]
            fn times(self, count: u32) -> Self {
                self * (count as $type)
            }
        }
    )*};
}
quantum!(i16, i32, i64);

impl Quantum for i128 {
    const MAX: i128 = i128::MAX;
    #[inline(always)]
    fn from_wide(value: i128) -> Self {
        value
    }
    #[inline(always)]
    fn wide(self) -> i128 {
        self
    }
    #[inline(always)]
    fn times(self, count: u32) -> Self {
        self * i128::from(count)
    }
}

/// Slacks of a matching are at most this many times the savings of two trees.
const SLACKS: i128 = 4;

/// The narrowest type for trees that save at most `most`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Short,
    Int,
    Long,
    Wide,
}

impl Width {
    pub(super) fn of(most: i128) -> Self {
        let needed = most.saturating_mul(SLACKS);
        match needed {
            _ if needed <= <i16 as Quantum>::MAX => Self::Short,
            _ if needed <= <i32 as Quantum>::MAX => Self::Int,
            _ if needed <= <i64 as Quantum>::MAX => Self::Long,
            _ => Self::Wide,
        }
    }

    /// Bytes of a value.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Short => 2,
            Self::Int => 4,
            Self::Long => 8,
            Self::Wide => 16,
        }
    }
}
