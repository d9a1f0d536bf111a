//! Neighbours of trees: the k nearest, or all within a radius, exactly, without the matrix.
//!
//! Most distances need not be computed, because a cheap lower bound shows that they are too
//! large. A query looks at its candidates in the order of their lower bounds: the one that comes
//! first gets a tighter bound and queues again, or, if it has that already, its exact distance. When
//! the first in the queue cannot be among the answers any more, neither can the rest (Seidl and
//! Kriegel 1998: no search with these bounds computes fewer distances).
//!
//! Bounds are compared as distances, after the one rounding that turns quanta into a float64. It
//! is monotonic, so a bound in quanta stays a bound, and ties are those that the caller sees.

mod best;
mod exhaustive;
mod query;

pub use best::Neighbor;
pub use query::Pivots;

use crate::error::{Error, Result};
use crate::memory;
use crate::pairwise::{Prices, SMALL_MATRIX, Side};
use crate::parallel::{self, Cancel};
use crate::tree::{Orientation, Oriented, Prepared};
use best::Budget;
use query::{Row, Scratch, Searcher};
use std::cell::Cell;

/// Candidates of one task at least, so that handing over results costs little.
const TASK_CANDIDATES: usize = 4096;
/// Above this many bounds a call may take long, however small the trees.
const SMALL_BOUNDS: usize = 100_000;
/// Bytes of a neighbour while rows are collected and copied to one place.
const BYTES_PER_NEIGHBOR: u64 = 2 * size_of::<Neighbor>() as u64;

/// Which candidates are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// That many, the nearest; of equally distant ones the first.
    Nearest(usize),
    /// All that are at most that far.
    Within(f64),
}

/// Whose neighbours are looked for, and where.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The queries: sources of the edits.
    pub x: Side<'a>,
    /// The candidates: targets.
    pub y: Side<'a>,
    /// What edits cost.
    pub prices: Prices<'a>,
    /// `y` is `x`, and no tree is its own neighbour.
    pub inside: bool,
    /// Edits cost as much as their inverses.
    pub symmetric: bool,
    /// Trees with known distances to all candidates, if the costs are a pseudo-metric.
    pub pivots: Option<Pivots<'a>>,
}

/// The neighbours of all queries.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// Row by row, each by distance, then by index.
    pub rows: Vec<Vec<Neighbor>>,
    /// Number of distances that were computed for it.
    pub computed: u64,
}

impl Search<'_> {
    /// Pairs of a query and a candidate.
    pub fn pairs(&self) -> u64 {
        let (n, m) = (self.x.trees.len() as u64, self.y.trees.len() as u64);
        n * if self.inside { m.saturating_sub(1) } else { m }
    }

    /// Whether every pair of trees is met from both sides, with one result.
    fn mirrored(&self) -> bool {
        self.inside && self.symmetric
    }

    /// Whether nothing could be left out: no bounds, or all candidates wanted.
    fn is_exhaustive(&self, wanted: Wanted) -> bool {
        let all = match wanted {
            Wanted::Nearest(k) => k >= self.y.trees.len() - usize::from(self.inside),
            Wanted::Within(radius) => radius == f64::INFINITY,
        };
        all || (matches!(self.prices, Prices::Vectors(_)) && self.pivots.is_none())
    }
}

/// Finds the neighbours of all queries.
///
/// `poll(done)` is called now and then with the number of queries that are answered and may stop
/// the work by returning `false`.
///
/// # Errors
/// [`Error::Memory`] if a pair of trees or the answers do not fit; [`Error::Cancelled`] if `poll`
/// asked to stop; [`Error::Invalid`] if more neighbours are wanted than there are candidates.
pub fn search(
    search: &Search<'_>,
    wanted: Wanted,
    threads: usize,
    cancel: &Cancel,
    poll: impl FnMut(u64) -> bool,
) -> Result<Found> {
    let candidates = search.y.trees.len().saturating_sub(usize::from(search.inside));
    if let Wanted::Nearest(k) = wanted {
        if k > candidates && !search.x.trees.is_empty() {
            return Err(Error::Invalid(format!(
                "there are {candidates} candidates, fewer than the {k} neighbours wanted"
            )));
        }
        let bytes = (k as u64 * BYTES_PER_NEIGHBOR).saturating_mul(search.x.trees.len() as u64);
        memory::check("the nearest neighbours", bytes)?;
    }
    if search.x.trees.is_empty() || search.y.trees.is_empty() {
        return Ok(Found { rows: vec![Vec::new(); search.x.trees.len()], computed: 0 });
    }
    if search.is_exhaustive(wanted) {
        exhaustive::search(search, wanted, threads, cancel, poll)
    } else {
        by_bounds(search, wanted, threads, cancel, poll)
    }
}

/// Every query on its own, with bounds.
fn by_bounds(
    search: &Search<'_>,
    wanted: Wanted,
    threads: usize,
    cancel: &Cancel,
    mut poll: impl FnMut(u64) -> bool,
) -> Result<Found> {
    let searcher = Searcher::new(search, wanted, cancel)?;
    let (n, m) = (search.x.trees.len(), search.y.trees.len());
    let step = TASK_CANDIDATES.div_ceil(m).min(n.div_ceil(threads)).max(1);
    let tasks = n.div_ceil(step);
    let work = |scratch: &mut Scratch, task: usize| {
        let queries = task * step..n.min((task + 1) * step);
        queries.map(|position| searcher.row(position, scratch, cancel)).collect::<Result<Vec<_>>>()
    };
    let done = Cell::new(0);
    let mut found = Found { rows: vec![Vec::new(); n], computed: 0 };
    let (mut budget, mut full) = (Budget::default(), None);
    let mut receive = |rows: Vec<Row>| {
        for Row { query, found: near, computed, half } in rows {
            done.set(done.get() + 1);
            found.computed += computed;
            if let Err(error) = budget.take(near.len() as u64 * (1 + u64::from(half))) {
                cancel.cancel();
                full.get_or_insert(error);
                return;
            }
            if half {
                for &Neighbor { distance, index } in &near {
                    let back = Neighbor { distance, index: query as u32 };
                    found.rows[index as usize].push(back);
                }
            }
            found.rows[query].extend(near);
        }
    };
    let outcome = if n * m < SMALL_BOUNDS && cells(search) < SMALL_MATRIX {
        let mut scratch = Scratch::default();
        (0..tasks).try_for_each(|task| {
            receive(work(&mut scratch, task)?);
            cancel.check()
        })
    } else {
        let poll = || poll(done.get());
        parallel::for_each(threads, tasks, cancel, Scratch::default, work, receive, poll)
    };
    if let Some(error) = full {
        return Err(error);
    }
    outcome?;
    // Halves of rows have come in from both sides.
    found.rows.iter_mut().for_each(|row| row.sort_unstable());
    if poll(done.get()) { Ok(found) } else { Err(Error::Cancelled) }
}

/// Work if all distances were computed, in cells.
fn cells(search: &Search<'_>) -> f64 {
    let sum = |trees: &[Prepared], of: fn(&Oriented) -> u64| -> f64 {
        let least = |tree: &Prepared| {
            of(tree.oriented(Orientation::Left)).min(of(tree.oriented(Orientation::Right)))
        };
        trees.iter().map(|tree| least(tree) as f64).sum()
    };
    sum(search.x.trees, |tree| tree.row_work) * sum(search.y.trees, |tree| tree.column_work + 16)
}

#[cfg(test)]
mod tests;
