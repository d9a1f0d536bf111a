//! How wide a lane must be.

use crate::pair::Costs;

/// What a lane of the vector kernel counts quanta in. All give the same bits where savings fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lanes {
    /// `u8`.
    Bytes,
    /// `u16`.
    Words,
    /// `i32`.
    Ints,
    /// `f64`; only whole numbers are used.
    Doubles,
    /// `i64`.
    Longs,
}

impl Lanes {
    /// From the narrowest to the widest.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Words, Self::Ints, Self::Doubles, Self::Longs];

    /// Bytes of a lane.
    pub fn bytes(self) -> u64 {
        match self {
            Lanes::Bytes => 1,
            Lanes::Words => 2,
            Lanes::Ints => 4,
            Lanes::Doubles | Lanes::Longs => 8,
        }
    }

    /// The largest number up to which a lane counts exactly.
    pub(crate) fn most(self) -> i128 {
        match self {
            Lanes::Bytes => u8::MAX.into(),
            Lanes::Words => u16::MAX.into(),
            Lanes::Ints => i32::MAX.into(),
            Lanes::Doubles => 1 << f64::MANTISSA_DIGITS,
            Lanes::Longs => i64::MAX.into(),
        }
    }

    /// The largest number of nodes of the smaller tree of a pair, up to which no saving outgrows
    /// the lane: every node of it is paired at most once.
    pub(crate) fn most_nodes(self, costs: Costs<'_>) -> usize {
        match costs.largest_saving() {
            // 128-bit tables have no lanes.
            _ if costs.is_wide() => 0,
            0 => usize::MAX,
            largest => usize::try_from(self.most() / largest).unwrap_or(usize::MAX),
        }
    }

    /// Those that may count what these are sure to count, if savings stay below the bound: lanes
    /// whose sums stop at the largest number, so that it shows if one was too large.
    pub(crate) fn hoped(self) -> Option<Self> {
        match self {
            Lanes::Words => Some(Lanes::Bytes),
            Lanes::Ints => Some(Lanes::Words),
            Lanes::Bytes | Lanes::Doubles | Lanes::Longs => None,
        }
    }

    /// The narrowest that serve pairs whose smaller tree has that many nodes, if any do.
    pub(crate) fn narrowest(costs: Costs<'_>, smaller: usize) -> Option<Self> {
        // Not even for the empty tree: lanes are filled from savings that a float64 holds.
        if costs.is_wide() {
            return None;
        }
        Self::ALL.into_iter().find(|lanes| smaller <= lanes.most_nodes(costs))
    }
}
