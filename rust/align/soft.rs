//! Soft alignments: every alignment counts, the cheaper the more.
//!
//! At temperature t an alignment of cost d has the weight exp(-d / t). The soft distance
//! -t log(sum of weights) is smooth in the costs, and its derivative with respect to the cost of
//! an edit is the expected number of such edits. As t goes to 0 the expectation becomes the
//! average over the optimal alignments. The sweep is that of [`count`](super::count), over all
//! cells, or that of [`inner`](super::inner) where there are too many of them.

use crate::align::Integer;
use crate::align::amount::Scaled;
use crate::align::count::{Expectation, LARGEST_PLAIN, expectation};
use crate::align::inner::{InnerSums, inner_work};
use crate::align::problem::{Problem, soft_cells};
use crate::align::reach::{Reach, Reached};
use crate::align::sweep::Lists;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Prepared};

/// Below this many cells nothing but left and right paths is looked at.
const SMALL: f64 = 3e5;
/// Time of a cell of a table along inner paths, in cells of left and right paths.
const INNER_CELL: f64 = 0.5;
/// The part of the free memory that the tables of inner paths may take.
const MEMORY_SHARE: u64 = 4;
/// Most bytes of these tables.
const MOST_BYTES: u64 = 2 << 30;

/// Whether inner paths take less time, and then, whether the second tree is the one that they
/// decompose; and the cells of the better sweep, in those of left and right paths.
fn choice(x: &Prepared, y: &Prepared) -> (Option<bool>, f64) {
    let mut best = (None, soft_cells(x, y));
    if best.1 < SMALL {
        return best;
    }
    for (swapped, rows, columns) in [(false, x, y), (true, y, x)] {
        let (cells, bytes) = inner_work(rows, columns, size_of::<Scaled>());
        let fits = || {
            bytes <= MOST_BYTES
                && memory::check("inner paths", bytes.saturating_mul(MEMORY_SHARE)).is_ok()
        };
        if INNER_CELL * cells < best.1 && fits() {
            best = (Some(swapped), INNER_CELL * cells);
        }
    }
    best
}

/// What the soft alignment of a pair takes, in cells of left and right paths.
pub(crate) fn soft_work(x: &Prepared, y: &Prepared) -> f64 {
    choice(x, y).1
}

/// Most bytes that the tables of inner paths take for trees with that many pairs of nodes, if none of
/// them has more nodes than `nodes`.
pub(crate) fn soft_table_bytes(cells: u64, nodes: u64) -> u64 {
    // A table for each leaf at most.
    MOST_BYTES.min(cells.saturating_mul(nodes).saturating_mul(size_of::<Scaled>() as u64))
}

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
    let (expected, log_total) = match choice(problem.trees().0, problem.trees().1).0 {
        Some(swapped) => along_inner_paths(problem, temperature, swapped, cancel)?,
        None => along_outer_paths(problem, temperature, cancel)?,
    };
    Ok((problem.cost_of_nothing_saved() - temperature * log_total, expected))
}

/// The logarithm of the weight of a pair that saves so much.
fn log_weight<Q: Integer>(problem: &Problem<'_, Q>, saving: Q, temperature: f64) -> f64 {
    if saving == Q::NEVER {
        f64::NEG_INFINITY
    } else {
        problem.quanta_to_cost(saving) / temperature
    }
}

/// The expected alignment and the logarithm of the sum of all weights, by the sweep over the forests
/// of left or right paths.
pub(super) fn along_outer_paths<Q: Integer>(
    problem: &Problem<'_, Q>,
    temperature: f64,
    cancel: &Cancel,
) -> Result<(Expectation, f64)> {
    let reach = Reach::all(problem)?;
    let list = |pair: (usize, usize), found: &mut Reached| found.add_all(problem, pair, cancel);
    let weight = |i: usize, j: usize| log_weight(problem, problem.pair(i, j), temperature);
    expectation(problem, &reach, (&list, &mut Lists::default()), &weight, cancel)
}

/// The same by inner paths of the first tree, or of the second one.
pub(super) fn along_inner_paths<Q: Integer>(
    problem: &Problem<'_, Q>,
    temperature: f64,
    swapped: bool,
    cancel: &Cancel,
) -> Result<(Expectation, f64)> {
    let (x, y) = problem.trees();
    let trees = if swapped { (y, x) } else { (x, y) };
    let labels = [x, y].map(|tree| &tree.oriented(Orientation::Left).label);
    let weight = |i: usize, j: usize| {
        let (i, j) = if swapped { (j, i) } else { (i, j) };
        log_weight(problem, problem.label_pair(labels[0][i], labels[1][j]), temperature)
    };
    let stride = trees.1.nodes();
    let place = |i: usize, j: usize| if swapped { j * stride + i } else { i * stride + j };
    let plain = |i, j| weight(i, j).exp();
    let (sums, total) = InnerSums::new(trees, &plain, cancel)?;
    // Also not so if it is infinite or, from infinite weights, not a number.
    if total < LARGEST_PLAIN {
        let shares = sums.shares(&(1.0 / total))?;
        return Ok((Expectation::of(x, y, |i, j| shares[place(i, j)]), total.ln()));
    }
    drop(sums);
    let scaled = |i, j| Scaled::exp(weight(i, j));
    let (sums, total) = InnerSums::new(trees, &scaled, cancel)?;
    let shares = sums.shares(&total.inverse())?;
    Ok((Expectation::of(x, y, |i, j| shares[place(i, j)].value()), total.ln()))
}
