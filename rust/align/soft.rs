//! Soft alignments: every alignment counts, the cheaper the more.
//!
//! At temperature t an alignment of cost d has the weight exp(-d / t). The soft distance
//! -t log(sum of weights) is smooth in the costs, and its derivative with respect to the cost of
//! an edit is the expected number of such edits. As t goes to 0 the expectation becomes the
//! average over the optimal alignments. The sweep is that of [`count`](super::count).

use crate::align::amount::Scaled;
use crate::align::count::{Expectation, Sweep};
use crate::align::forest::Forest;
use crate::align::problem::{Problem, Span};
use crate::align::reach::Reach;
use crate::error::Result;
use crate::parallel::Cancel;

/// The soft distance at a positive temperature, and the expected alignment.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop.
pub fn soft_alignment(
    problem: &Problem<'_>,
    temperature: f64,
    cancel: &Cancel,
) -> Result<(f64, Expectation)> {
    let reach = Reach::all(problem);
    let open = |forest: &mut Forest, spans: (Span, Span)| forest.open_all(spans);
    let weight =
        |i: usize, j: usize| Scaled::exp(problem.quanta_to_cost(problem.pair(i, j)) / temperature);
    let sweep = Sweep { problem, reach: &reach, open: &open, weight: &weight };
    let mut forest = Forest::default();
    let (pairs, total) = sweep.forward(&mut forest, cancel)?;
    let shares = sweep.backward(&mut forest, &pairs, total.inverse(), cancel)?;
    let distance = problem.cost_of_nothing_saved() - temperature * total.ln();
    Ok((distance, Expectation::new(problem, |node| shares[node].value())))
}
