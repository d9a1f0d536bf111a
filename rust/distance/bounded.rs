//! The distance of one pair up to a cutoff: bounds first, then a band, then all of it.

use crate::distance::banded::distance_up_to;
use crate::distance::bounds::{cell_time, pair_is_above};
use crate::distance::engine::{PairPlan, planned_distance};
use crate::distance::workspace::Scratch;
use crate::error::Result;
use crate::pair::{Measure, Measures, Norm, Pair, SetCosts};

/// Below this much work (nanoseconds) there is nothing to be spared.
const SMALL: f64 = 2000.0;

/// The edit distance of a pair if it is at most `cutoff`, infinity if it is not.
///
/// # Errors
/// As [`distance`](super::distance).
pub fn distance_within(pair: &Pair<'_>, cutoff: f64, scratch: &mut Scratch<'_>) -> Result<f64> {
    measured_within(pair, &PairPlan::new(pair), Measure::Plain, cutoff, scratch)
}

/// The result of a pair under a norm, infinite above the cutoff; both may be missing. The largest
/// cost of a gap is that of the costs of the pair.
///
/// # Errors
/// As [`distance`](super::distance).
pub fn planned_result(
    pair: &Pair<'_>,
    plan: &PairPlan,
    norm: Option<Norm>,
    cutoff: Option<f64>,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    let nodes = (pair.x.tree.nodes(), pair.y.tree.nodes());
    let measures = Measures::new(SetCosts::Fixed(pair.costs), norm);
    let measure = measures.of_pair(nodes, || pair.nothing_saved());
    measured_within(pair, plan, measure, cutoff.unwrap_or(f64::INFINITY), scratch)
}

/// Estimated nanoseconds of the distance of a pair.
fn work(pair: &Pair<'_>, plan: &PairPlan) -> f64 {
    plan.cells() * cell_time(SetCosts::Fixed(pair.costs), pair.smaller())
}

/// Whether a bound of the distance of a pair may take less time than the distance.
pub(crate) fn bounds_may_pay(pair: &Pair<'_>, plan: &PairPlan) -> bool {
    work(pair, plan) >= SMALL
}

/// The result of a measure for the distance of a pair, if it is at most `cutoff`; infinity if it is
/// not.
///
/// # Errors
/// As [`distance`](super::distance).
pub(crate) fn measured_within(
    pair: &Pair<'_>,
    plan: &PairPlan,
    measure: Measure,
    cutoff: f64,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    if plan.is_free() {
        return Ok(if cutoff >= 0.0 { 0.0 } else { f64::INFINITY });
    }
    let (costs, work) = (SetCosts::Fixed(pair.costs), work(pair, plan));
    if work < SMALL || cutoff == f64::INFINITY {
        let found = measure.of(planned_distance(pair, plan, scratch)?);
        return Ok(if found <= cutoff { found } else { f64::INFINITY });
    }
    let limit = measure.most_quanta(costs, cutoff);
    if pair_is_above(pair, limit, work, scratch.cancel)? {
        return Ok(f64::INFINITY);
    }
    Ok(measure.of(distance_up_to(pair, plan, limit, scratch)?))
}
