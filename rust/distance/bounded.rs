//! The distance of one pair up to a cutoff: bounds first, then a band, then all of it.

use crate::distance::bounds::{cell_time, pair_is_above};
use crate::distance::{Workspace, distance, distance_up_to, pair_work};
use crate::error::Result;
use crate::pair::{Operand, Prices, Pricing, costs_nothing};
use crate::parallel::Cancel;

/// Below this much work (nanoseconds) there is nothing to be spared.
const SMALL: f64 = 2000.0;

/// The edit distance from `x` to `y` if it is at most `cutoff`, infinity if it is not.
///
/// # Errors
/// As [`distance`].
pub fn distance_within(
    x: Operand<'_>,
    y: Operand<'_>,
    pricing: Pricing<'_>,
    cutoff: f64,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<f64> {
    if costs_nothing(&x, &y, pricing) {
        return Ok(if cutoff >= 0.0 { 0.0 } else { f64::INFINITY });
    }
    let prices = Prices::Fixed(pricing);
    let smaller = x.tree.nodes().min(y.tree.nodes());
    let work = pair_work(x.tree, y.tree) * cell_time(prices, smaller);
    if work < SMALL || cutoff == f64::INFINITY {
        let found = distance(x, y, pricing, workspace, cancel)?;
        return Ok(if found <= cutoff { found } else { f64::INFINITY });
    }
    let limit = prices.most_quanta(cutoff);
    if pair_is_above(x, y, pricing, limit, work, cancel)? {
        return Ok(f64::INFINITY);
    }
    distance_up_to(x, y, pricing, limit, workspace, cancel)
}
