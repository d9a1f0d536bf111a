//! What bounds cost beside distances, so that no bound is computed where it cannot pay.
//!
//! Nanoseconds, measured on the machine of `benches/record/`; only their ratios matter.

use crate::pair::{Costs, SetCosts};
use crate::simd::Lanes;

/// The labels of two trees under unit costs, and each label that has no place of its own.
pub(super) const HISTOGRAM: f64 = 12.0;
pub(super) const WITHOUT_PLACE: f64 = 2.0;
/// The labels of two trees by table: the call, a label with its favourite known, and a pair of
/// labels that must be looked up.
pub(super) const LABELS: f64 = 15.0;
pub(super) const KNOWN: f64 = 2.5;
pub(super) const LOOK_UP: f64 = 1.5;
/// Both strings of unit costs: a word of a column, and the column.
pub(super) const WORD: f64 = 7.0;
pub(super) const COLUMN: f64 = 5.0;
/// The same for a node of the pattern when it is made ready.
pub(super) const PATTERN_NODE: f64 = 5.0;
/// Counting the labels of trees, for every node.
pub(super) const PREPARED_NODE: f64 = 6.0;
/// A cell of both strings by table.
pub(super) const STRING_CELL: f64 = 4.0;

/// About the time of preparing trees with that many nodes in sum, before any bound.
pub(crate) fn preparation_time(nodes: usize) -> f64 {
    PREPARED_NODE * nodes as f64
}

/// The time of a cell of the kernel that serves pairs whose smaller tree has that many nodes.
pub(crate) fn cell_time(costs: SetCosts<'_>, smaller: usize) -> f64 {
    let lanes = match costs {
        SetCosts::Fixed(costs) => lanes_time(costs, smaller),
        SetCosts::Meeting(_) => None,
    };
    lanes.unwrap_or(match costs {
        SetCosts::Fixed(costs) if costs.is_wide() => 4.0,
        SetCosts::Fixed(_) => 1.8,
        // With the product of vectors that comes before.
        SetCosts::Meeting(_) => 1.5,
    })
}

fn lanes_time(costs: Costs<'_>, smaller: usize) -> Option<f64> {
    Lanes::narrowest(costs, smaller).map(|lanes| match lanes {
        Lanes::Bytes => 0.25,
        Lanes::Words => 0.35,
        Lanes::Ints => 0.57,
        Lanes::Doubles => 0.9,
        Lanes::Longs => 1.0,
    })
}
