//! The distance of one pair up to a cutoff: bounds first, then a band, then all of it.

use crate::distance::banded::distance_up_to;
use crate::distance::bounds::{cell_time, pair_is_above};
use crate::distance::engine::{PairPlan, planned_distance};
use crate::distance::workspace::Scratch;
use crate::error::Result;
use crate::pair::{Pair, SetCosts};

/// Below this much work (nanoseconds) there is nothing to be spared.
const SMALL: f64 = 2000.0;

/// The edit distance of a pair if it is at most `cutoff`, infinity if it is not.
///
/// # Errors
/// As [`distance`](super::distance).
pub fn distance_within(pair: &Pair<'_>, cutoff: f64, scratch: &mut Scratch<'_>) -> Result<f64> {
    planned_distance_within(pair, &PairPlan::new(pair), cutoff, scratch)
}

/// The same by the plan of the pair.
///
/// # Errors
/// As [`distance`](super::distance).
pub fn planned_distance_within(
    pair: &Pair<'_>,
    plan: &PairPlan,
    cutoff: f64,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    if plan.is_free() {
        return Ok(if cutoff >= 0.0 { 0.0 } else { f64::INFINITY });
    }
    let costs = SetCosts::Fixed(pair.costs);
    let work = plan.cells() * cell_time(costs, pair.smaller());
    if work < SMALL || cutoff == f64::INFINITY {
        let found = planned_distance(pair, plan, scratch)?;
        return Ok(if found <= cutoff { found } else { f64::INFINITY });
    }
    let limit = costs.most_quanta(cutoff);
    if pair_is_above(pair, limit, work, scratch.cancel)? {
        return Ok(f64::INFINITY);
    }
    distance_up_to(pair, plan, limit, scratch)
}
