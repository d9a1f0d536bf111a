//! Neighbours of trees: the k nearest, or all within a radius, exactly, without the matrix.
//!
//! Most distances need not be computed, because a cheap lower bound shows that they are too
//! large. A query looks at its candidates in the order of their lower bounds: the one that comes
//! first gets a tighter bound and queues again, or, if it has that already, its exact distance. When
//! the first in the queue cannot be among the answers any more, neither can the rest (Seidl and
//! Kriegel 1998: no search with these bounds computes fewer distances).
//!
//! The distances that are left are computed with the query along the columns, so that candidates
//! share what they have in common (`exact.rs`).
//!
//! Bounds are compared as distances, after the one rounding that turns quanta into a float64. It
//! is monotonic, so a bound in quanta stays a bound, and ties are those that the caller sees. So is
//! a norm: bounds are normalised as distances are, and the triangle inequality is applied before.
//!
//! Where bounds exclude little or trees are tiny, batches of pairs are faster; `choice.rs` decides.

mod best;
mod choice;
mod exact;
mod matrix;
mod query;
mod rounds;

pub(crate) use best::Best;
pub use best::Neighbor;
pub(crate) use exact::{Exact, Shares};
pub use query::Pivots;

use crate::distance::{Catalogue, cell_time};
use crate::error::{Error, Result};
use crate::memory;
use crate::pair::{Norm, SetCosts, Side};
use crate::pairwise::batch::SHARING_PAYS_OFF;
use crate::pairwise::matrix::{SMALL_MATRIX, mean_nodes};
use crate::parallel::{self, Cancel, Crew, Tasks};
use crate::tree::{Prepared, SubtreeIds};
use best::Budget;
use choice::{Choice, all_cells};
use query::{Answer, QueryScratch, Searcher};
use rounds::Stash;
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

/// How neighbours are found. All ways give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The way that is likely to be the fastest.
    Auto,
    /// Every query on its own, with lower bounds.
    Bounds,
    /// All pairs, in batches.
    Batches,
}

/// Whose neighbours are looked for, and where.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The queries: sources of the edits.
    pub x: Side<'a>,
    /// The candidates: targets.
    pub y: Side<'a>,
    /// What edits cost.
    pub costs: SetCosts<'a>,
    /// What distances are divided by.
    pub norm: Option<Norm>,
    /// `y` is `x`, and no tree is its own neighbour.
    pub inside: bool,
    /// Edits cost as much as their inverses.
    pub symmetric: bool,
    /// Trees with known distances to all candidates, if the costs are a pseudo-metric.
    pub pivots: Option<Pivots<'a>>,
    /// What is known of the candidates at these costs.
    pub index: Option<&'a Index>,
}

/// What searches need of their candidates, made once for many searches among the same trees, with
/// the same codes, at the same costs.
#[derive(Debug)]
pub struct Index {
    catalogue: Catalogue,
    ids: Option<SubtreeIds>,
    stash: Stash,
}

impl Index {
    /// Looks at all candidates. `poll` is called now and then and may stop the work by returning
    /// `false`.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if it was stopped.
    pub fn new(
        y: Side<'_>,
        costs: SetCosts<'_>,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Self> {
        let mut crew = Crew::new(threads, cancel, &mut poll);
        // Nobody knows yet what it will meet: trees like its own, about as many.
        let work = work_time(all_cells(y.trees, y.trees), y.trees, costs);
        let catalogue = Catalogue::new(y, costs, work, &mut crew)?;
        let ids = exact::number(y.trees, y.trees, costs, &mut crew)?;
        Ok(Self { catalogue, ids, stash: Stash::default() })
    }
}

/// The time of that many cells.
fn work_time(cells: f64, trees: &[Prepared], costs: SetCosts<'_>) -> f64 {
    cells * cell_time(costs, mean_nodes(trees))
}

/// The neighbours of all queries.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// Answer by row, each by distance, then by index.
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

    /// Whether all distances must be looked at in batches, or are by the nature of the question.
    fn is_for_batches(&self, wanted: Wanted) -> bool {
        let all = match wanted {
            Wanted::Nearest(k) => k >= self.y.trees.len() - usize::from(self.inside),
            Wanted::Within(radius) => radius == f64::INFINITY,
        };
        // With a radius, batches have bounds of their own; but a few queries do not pay for them.
        let batches_pay = || match wanted {
            Wanted::Within(_) => self.x.trees.len() >= SHARING_PAYS_OFF,
            Wanted::Nearest(_) => !Choice::new(self).bounds_pay(0.0),
        };
        all || (self.pivots.is_none() && batches_pay())
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
    method: Method,
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
    match method {
        Method::Batches => matrix::search(search, wanted, threads, cancel, poll),
        Method::Auto if search.is_for_batches(wanted) => {
            matrix::search(search, wanted, threads, cancel, poll)
        }
        Method::Auto | Method::Bounds => by_bounds(search, wanted, method, threads, cancel, poll),
    }
}

/// Every query on its own, with bounds; or the first few, if they do not pay.
fn by_bounds(
    search: &Search<'_>,
    wanted: Wanted,
    method: Method,
    threads: usize,
    cancel: &Cancel,
    mut poll: impl FnMut(u64) -> bool,
) -> Result<Found> {
    let n = search.x.trees.len();
    let cells = all_cells(search.x.trees, search.y.trees);
    let work = work_time(cells, search.x.trees, search.costs);
    let mut ask = || poll(0);
    let searcher = Searcher::new(search, wanted, work, &mut Crew::new(threads, cancel, &mut ask))?;
    let mut collected = Collected::new(n);
    if n < rounds::FEW && !search.inside && search.pivots.is_none() {
        let own = Stash::default();
        let stash = search.index.map_or(&own, |index| &index.stash);
        for position in 0..n {
            let mut ask = || poll(position as u64);
            let mut crew = Crew::new(threads, cancel, &mut ask);
            collected.take(searcher.row_in_rounds(position, stash, &mut crew)?)?;
        }
        return if poll(n as u64) { Ok(collected.finish()) } else { Err(Error::Cancelled) };
    }
    let mut positions: Vec<_> = (0..n).collect();
    if method == Method::Auto && search.pivots.is_none() {
        let tried = choice::tried(n);
        // Spread over all, which are sorted by size.
        for k in 0..tried {
            positions.swap(k, (2 * k + 1) * n / (2 * tried));
        }
        let rest = positions.split_off(tried);
        collected.run(&searcher, &positions, threads, cancel, &mut poll)?;
        if tried > 0 && !Choice::new(search).bounds_pay(collected.share()) {
            let answered = tried as u64;
            let found =
                matrix::search(search, wanted, threads, cancel, |done| poll(done.max(answered)))?;
            return Ok(Found { computed: found.computed + collected.computed, ..found });
        }
        positions = rest;
    }
    collected.run(&searcher, &positions, threads, cancel, &mut poll)?;
    if poll(n as u64) { Ok(collected.finish()) } else { Err(Error::Cancelled) }
}

/// The answers so far.
#[derive(Debug)]
struct Collected {
    rows: Vec<Vec<Neighbor>>,
    done: u64,
    computed: u64,
    /// Candidates that were looked at.
    seen: u64,
    budget: Budget,
}

impl Collected {
    fn new(queries: usize) -> Self {
        let rows = vec![Vec::new(); queries];
        Self { rows, done: 0, computed: 0, seen: 0, budget: Budget::default() }
    }

    /// The share of distances that had to be computed.
    fn share(&self) -> f64 {
        self.computed as f64 / self.seen.max(1) as f64
    }

    /// Answers the queries at some positions of the searcher's order.
    fn run(
        &mut self,
        searcher: &Searcher<'_>,
        positions: &[usize],
        threads: usize,
        cancel: &Cancel,
        poll: &mut impl FnMut(u64) -> bool,
    ) -> Result<()> {
        let candidates = searcher.search.y.trees.len();
        let fair = positions.len().div_ceil(threads);
        let step = TASK_CANDIDATES.div_ceil(candidates).min(fair).max(1);
        let tasks = positions.len().div_ceil(step);
        let work = |scratch: &mut QueryScratch, task: usize| {
            let part = task * step..positions.len().min((task + 1) * step);
            let row = |&position: &usize| searcher.row(position, scratch, cancel);
            positions[part].iter().map(row).collect::<Result<Vec<_>>>()
        };
        let done = Cell::new(self.done);
        let mut full = None;
        let mut receive = |rows: Vec<Answer>| {
            for row in rows {
                if let Err(error) = self.take(row) {
                    cancel.cancel();
                    full.get_or_insert(error);
                }
            }
            done.set(self.done);
        };
        let bounds = positions.len().saturating_mul(candidates);
        let outcome = if bounds < SMALL_BOUNDS
            && all_cells(searcher.search.x.trees, searcher.search.y.trees) < SMALL_MATRIX
        {
            let mut scratch = QueryScratch::default();
            (0..tasks).try_for_each(|task| {
                receive(work(&mut scratch, task)?);
                cancel.check()
            })
        } else {
            let poll = || poll(done.get());
            let tasks = Tasks { threads, count: tasks, cancel };
            parallel::for_each(tasks, QueryScratch::default, work, receive, poll)
        };
        full.map_or(outcome, Err)
    }

    fn take(&mut self, row: Answer) -> Result<()> {
        let Answer { query, found, computed, seen, half } = row;
        self.done += 1;
        self.computed += computed;
        self.seen += seen;
        self.budget.take(found.len() as u64 * (1 + u64::from(half)))?;
        if half {
            for &Neighbor { distance, index } in &found {
                self.rows[index as usize].push(Neighbor { distance, index: query as u32 });
            }
        }
        self.rows[query].extend(found);
        Ok(())
    }

    fn finish(mut self) -> Found {
        // Halves of rows have come in from both sides.
        self.rows.iter_mut().for_each(|row| row.sort_unstable());
        Found { rows: self.rows, computed: self.computed }
    }
}

#[cfg(test)]
mod tests;
