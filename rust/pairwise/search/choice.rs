//! Bounds of single pairs, or all pairs in batches?
//!
//! A batch of columns costs less per pair than one pair after the other, the more so the smaller
//! the trees. Times were measured for random trees of 5 to 50 nodes and for syntax trees, unit
//! costs and tables, and fitted by hand. The choice rests on counts, so it is the same on every
//! machine and for every number of threads, and no result depends on it.

use crate::pair::{Costs, SetCosts};
use crate::pairwise::search::Search;
use crate::tree::{Orientation, Oriented, Prepared};

/// What a lower bound and its place in the queue cost, as a share of a pair in a batch, and in cells.
const BOUND: (f64, f64) = (0.1, 500.0);
/// What a pair on its own costs, with its string bound if it has one: in pairs of a batch, and in
/// cells.
const ALONE: (f64, f64) = (2.0, 6000.0);
/// The same in pairs of a batch for tables, which have string bounds for large trees only.
const ALONE_BY_TABLE: f64 = 1.3;
/// Most queries that are tried with bounds first, and of how many queries one is tried: those that
/// were tried in vain are work on top of the batches. Below the last number none is.
const TRIED: (usize, usize, usize) = (16, 64, 8);

/// What is known of the work of a search for the nearest.
#[derive(Debug)]
pub(super) struct Choice {
    /// Mean cells of a pair.
    cells: f64,
    /// What a pair on its own costs, in pairs of a batch.
    alone: f64,
    /// The share of pairs that batches compute.
    batched: f64,
}

impl Choice {
    pub(super) fn new(search: &Search<'_>) -> Self {
        let pairs = search.x.trees.len() as f64 * search.y.trees.len() as f64;
        let cells = (all_cells(search.x.trees, search.y.trees) / pairs).max(1.0);
        let alone = match search.costs {
            SetCosts::Fixed(Costs::Unit | Costs::Operations(_)) => ALONE.0 + ALONE.1 / cells,
            SetCosts::Fixed(Costs::Table(_)) => ALONE_BY_TABLE + ALONE.1 / cells,
            // The costs of labels are computed for every pair, in a batch or not.
            SetCosts::Vectors(_) => 1.0,
        };
        Self { cells, alone, batched: if search.mirrored() { 0.5 } else { 1.0 } }
    }

    /// Whether bounds pay if this share of the pairs must be computed all the same.
    pub(super) fn bounds_pay(&self, computed: f64) -> bool {
        BOUND.0 + BOUND.1 / self.cells + self.alone * computed < self.batched
    }
}

/// How many of the queries are tried with bounds before the choice is made for the others.
pub(super) fn tried(queries: usize) -> usize {
    if queries < TRIED.2 { 0 } else { (queries / TRIED.1).clamp(1, TRIED.0) }
}

/// Work if all distances were computed, in cells.
pub(super) fn all_cells(x: &[Prepared], y: &[Prepared]) -> f64 {
    let sum = |trees: &[Prepared], of: fn(&Oriented) -> u64| -> f64 {
        let least = |tree: &Prepared| {
            of(tree.oriented(Orientation::Left)).min(of(tree.oriented(Orientation::Right)))
        };
        trees.iter().map(|tree| least(tree) as f64).sum()
    };
    sum(x, |tree| tree.row_work) * sum(y, |tree| tree.column_work + 16)
}
