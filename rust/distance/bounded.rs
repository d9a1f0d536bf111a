//! The distance of one pair up to a cutoff: bounds first, then a band, then all of it.

use crate::distance::{
    Bounds, Operand, Pricing, Scratch, Workspace, costs_nothing, distance, distance_up_to,
    pair_work,
};
use crate::error::Result;
use crate::pairwise::{Prices, Side};
use crate::parallel::Cancel;

/// Below this much work (cells) the bounds of a pair, whose labels must be sorted and coded first,
/// take about as long as its distance.
const BOUNDS_PAY_OFF: f64 = 3e4;
/// How many times cheaper than the distance string bounds must be: nobody knows if they help.
const STRINGS_PAY_OFF: f64 = 4.0;

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
    let cells = pair_work(x.tree, y.tree);
    if cells < BOUNDS_PAY_OFF || cutoff == f64::INFINITY {
        let found = distance(x, y, pricing, workspace, cancel)?;
        return Ok(if found <= cutoff { found } else { f64::INFINITY });
    }
    let prices = Prices::Fixed(pricing);
    let limit = prices.most_quanta(cutoff);
    let bounds = Bounds::new(alone(x), alone(y), prices, cancel)?;
    let above = if STRINGS_PAY_OFF * bounds.cells(0, 0) < cells {
        bounds.tight_above(0, 0, limit, &mut Scratch::default())
    } else {
        bounds.quick(0, 0) > limit
    };
    if above {
        return Ok(f64::INFINITY);
    }
    distance_up_to(x, y, pricing, limit, workspace, cancel)
}

/// A set of one tree.
fn alone(operand: Operand<'_>) -> Side<'_> {
    Side { trees: std::slice::from_ref(operand.tree), codes: operand.codes }
}
