//! Soft alignments: every alignment counts, the cheaper the more.
//!
//! At temperature t an alignment of cost d has the weight exp(-d / t). The soft distance
//! -t log(sum of weights) is smooth in the costs, and its derivative with respect to the cost of
//! an edit is the expected number of such edits. As t goes to 0 the expectation becomes the
//! average over the optimal alignments. The sweep is that of [`count`](super::count), over all cells.

use crate::align::Integer;
use crate::align::count::{Expectation, expectation};
use crate::align::problem::Problem;
use crate::align::reach::{Reach, Reached};
use crate::align::sweep::Lists;
use crate::error::Result;
use crate::parallel::Cancel;

/// The soft distance at a positive temperature, and the expected alignment.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop.
#[allow(private_bounds)]
pub fn soft_alignment<Q: Integer>(
    problem: &Problem<'_, Q>,
    temperature: f64,
    cancel: &Cancel,
) -> Result<(f64, Expectation)> {
    let reach = Reach::all(problem)?;
    let list = |pair: (usize, usize), found: &mut Reached| found.add_all(problem, pair, cancel);
    let weight = |i: usize, j: usize| match problem.pair(i, j) {
        never if never == Q::NEVER => f64::NEG_INFINITY,
        saving => problem.quanta_to_cost(saving) / temperature,
    };
    let (expected, log_total) =
        expectation(problem, &reach, (&list, &mut Lists::default()), &weight, cancel)?;
    Ok((problem.cost_of_nothing_saved() - temperature * log_total, expected))
}
