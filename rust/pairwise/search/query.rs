//! One query against all candidates.

use crate::distance::{self, Bounds, Operand, Pricing, Workspace};
use crate::error::Result;
use crate::pairwise::search::best::{Best, Neighbor};
use crate::pairwise::search::{Search, Wanted};
use crate::pairwise::{Local, Prices};
use crate::parallel::Cancel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bounds that are computed between two looks at the cancel flag.
const BOUNDS_PER_CHECK: usize = 1024;
/// Relative error of sums and differences of distances, each of which was rounded twice at most:
/// four times what five roundings of 2⁻⁵³ can do.
const ROUNDING: f64 = 1.0 / (1u64 << 49) as f64;
/// How many times cheaper than a distance, by their estimates, string bounds must be: of unit costs,
/// and of tables, whose cells were measured to take sixteen times as long as those of the kernels.
const STRINGS_PAY_OFF: (f64, f64) = (2.0, 32.0);
const NO_PIVOT: u32 = u32::MAX;

/// Candidates whose distances to all others are known.
///
/// For a pivot p, query q and candidate y the triangle inequality gives
/// d(q, y) ≥ |d(q, p) - d(p, y)|, if labels obey it. They may break it, or symmetry, by a
/// tolerance τ per edit. Every node in the middle of a chain of two edits can cost τ, and so can
/// every edit that is read backwards, at most one per node; so with |·| for numbers of nodes
/// d(q, y) ≥ |d(q, p) - d(p, y)| - 2τ (|q| + |p| + |y|).
#[derive(Debug, Clone, Copy)]
pub struct Pivots<'a> {
    /// Their positions among the candidates.
    pub chosen: &'a [u32],
    /// From each pivot to all candidates, row by row.
    pub distances: &'a [f64],
    /// 2τ.
    pub slack: f64,
}

impl<'a> Pivots<'a> {
    /// The distances from one pivot.
    fn row(&self, pivot: usize) -> &'a [f64] {
        let candidates = self.distances.len() / self.chosen.len();
        &self.distances[pivot * candidates..(pivot + 1) * candidates]
    }
}

/// The answer to one query.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) query: usize,
    pub(super) found: Vec<Neighbor>,
    pub(super) computed: u64,
    /// Candidates that were looked at.
    pub(super) seen: u64,
    /// Whether pairs with earlier trees were left to their queries.
    pub(super) half: bool,
}

/// What one thread reuses from query to query.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    workspace: Workspace,
    bounds: distance::Scratch,
    lower: Vec<f64>,
    queue: Vec<Reverse<Waiting>>,
    to_pivots: Vec<f64>,
}

/// A candidate in the queue, with its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    bound: Neighbor,
    /// Whether the bound is the tight one.
    tight: bool,
}

/// What all queries share.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    pub(super) search: &'a Search<'a>,
    wanted: Wanted,
    bounds: Bounds<'a>,
    /// Queries, the largest trees first: that balances the threads.
    order: Vec<u32>,
    /// The number of the pivot that a candidate is.
    pivot_of: Vec<u32>,
}

/// Distances from one query.
struct Exact<'a> {
    query: usize,
    search: &'a Search<'a>,
    /// The labels of the query, if they have vectors.
    labels: Option<Local>,
    computed: u64,
}

impl<'a> Exact<'a> {
    fn new(search: &'a Search<'a>, query: usize) -> Self {
        let labels = match search.prices {
            Prices::Fixed(_) => None,
            Prices::Vectors(vectors) => {
                let tree = std::iter::once(&search.x.trees[query]);
                Some(Local::new(vectors, tree, search.x.codes))
            }
        };
        Self { query, search, labels, computed: 0 }
    }

    fn to(&mut self, j: usize, workspace: &mut Workspace, cancel: &Cancel) -> Result<f64> {
        let (x, y) = (self.search.x.operand(self.query), self.search.y.operand(j));
        if self.search.prices.costs_nothing(&x, &y) {
            return Ok(0.0);
        }
        self.computed += 1;
        match (self.search.prices, &self.labels) {
            (Prices::Vectors(vectors), Some(source)) => {
                let target = Local::new(vectors, std::iter::once(y.tree), y.codes);
                let table = source.table(vectors, &target);
                let x = Operand { tree: x.tree, codes: Some(&source.codes) };
                let y = Operand { tree: y.tree, codes: Some(&target.codes) };
                distance::distance(x, y, Pricing::Table(&table), workspace, cancel)
            }
            (Prices::Fixed(pricing), _) => distance::distance(x, y, pricing, workspace, cancel),
            (Prices::Vectors(_), None) => Ok(f64::NAN), // `new` has made the labels
        }
    }
}

impl<'a> Searcher<'a> {
    pub(super) fn new(search: &'a Search<'a>, wanted: Wanted, cancel: &Cancel) -> Result<Self> {
        let Search { x, y, prices, .. } = *search;
        let bounds = Bounds::new(x, y, prices, cancel)?;
        let mut order: Vec<_> = (0..x.trees.len() as u32).collect();
        order.sort_by_key(|&i| Reverse(x.trees[i as usize].nodes()));
        let mut pivot_of = Vec::new();
        if let Some(pivots) = search.pivots {
            pivot_of.resize(y.trees.len(), NO_PIVOT);
            for (number, &j) in pivots.chosen.iter().enumerate() {
                pivot_of[j as usize] = number as u32;
            }
        }
        Ok(Self { search, wanted, bounds, order, pivot_of })
    }

    /// Answers the query at a position of the order.
    pub(super) fn row(
        &self,
        position: usize,
        scratch: &mut Scratch,
        cancel: &Cancel,
    ) -> Result<Row> {
        let query = self.order[position] as usize;
        let mut exact = Exact::new(self.search, query);
        self.to_pivots(&mut exact, scratch, cancel)?;
        self.lower_bounds(query, scratch, cancel)?;
        let mut best = Best::new(self.wanted);
        let candidates = self.search.y.trees.len() - usize::from(self.search.inside);
        let (seen, half) = match self.wanted {
            Wanted::Nearest(_) => {
                self.nearest(&mut exact, &mut best, scratch, cancel)?;
                (candidates, false)
            }
            Wanted::Within(_) if self.search.mirrored() => {
                let later = &self.order[position + 1..];
                self.within(later.iter().copied(), &mut exact, &mut best, scratch, cancel)?;
                (later.len(), true)
            }
            Wanted::Within(_) => {
                let others = (0..self.search.y.trees.len() as u32)
                    .filter(|&j| !(self.search.inside && j as usize == query));
                self.within(others, &mut exact, &mut best, scratch, cancel)?;
                (candidates, false)
            }
        };
        let (found, seen) = (best.into_sorted(), seen as u64);
        Ok(Row { query, found, computed: exact.computed, seen, half })
    }

    /// The distances from the query to all pivots.
    fn to_pivots(
        &self,
        exact: &mut Exact<'_>,
        scratch: &mut Scratch,
        cancel: &Cancel,
    ) -> Result<()> {
        scratch.to_pivots.clear();
        let Some(pivots) = self.search.pivots else { return Ok(()) };
        for (number, &j) in pivots.chosen.iter().enumerate() {
            // Inside one set they are known already, unless a way and its return may differ.
            let known = self.search.mirrored() || (self.search.inside && exact.query == j as usize);
            scratch.to_pivots.push(if known {
                pivots.row(number)[exact.query]
            } else {
                exact.to(j as usize, &mut scratch.workspace, cancel)?
            });
        }
        Ok(())
    }

    /// Fills `scratch.lower` with what the pivots tell of the distances to all candidates.
    fn lower_bounds(&self, query: usize, scratch: &mut Scratch, cancel: &Cancel) -> Result<()> {
        let Search { x, y, pivots, .. } = *self.search;
        let lower = &mut scratch.lower;
        lower.clear();
        lower.resize(y.trees.len(), 0.0);
        let Some(pivots) = pivots else { return Ok(()) };
        for (number, &to_pivot) in scratch.to_pivots.iter().enumerate() {
            cancel.check()?;
            let pivot = y.trees[pivots.chosen[number] as usize].nodes();
            let fixed = (x.trees[query].nodes() + pivot) as f64;
            for ((lower, &from_pivot), tree) in
                lower.iter_mut().zip(pivots.row(number)).zip(y.trees)
            {
                let slack = pivots.slack * (fixed + tree.nodes() as f64)
                    + ROUNDING * (to_pivot + from_pivot);
                *lower = lower.max((to_pivot - from_pivot).abs() - slack);
            }
        }
        Ok(())
    }

    /// The cheap lower bound, which is at least the one that is known.
    #[inline]
    fn quick(&self, query: usize, known: Neighbor) -> Neighbor {
        let quanta = self.bounds.quick(query, known.index as usize);
        Neighbor { distance: known.distance.max(self.search.prices.total(quanta)), ..known }
    }

    /// Offers a candidate that is a pivot; its distance is known.
    fn offer_pivot(&self, j: u32, to_pivots: &[f64], best: &mut Best) -> bool {
        let number = self.pivot_of.get(j as usize).copied().unwrap_or(NO_PIVOT);
        let known = to_pivots.get(number as usize);
        if let Some(&distance) = known {
            best.offer(Neighbor { distance, index: j });
        }
        known.is_some()
    }

    /// Whether the tight bound takes a small part of the time of the distance.
    fn strings_pay(&self, query: usize, candidate: usize) -> bool {
        let Search { x, y, .. } = *self.search;
        let cells = distance::pair_work(&x.trees[query], &y.trees[candidate]);
        let times = match self.search.prices {
            Prices::Fixed(Pricing::Unit) => STRINGS_PAY_OFF.0,
            Prices::Fixed(Pricing::Table(_)) | Prices::Vectors(_) => STRINGS_PAY_OFF.1,
        };
        times * self.bounds.cells(query, candidate) < cells
    }

    /// The tight lower bound, which is at least the one that is known. Large trees take a while.
    fn tight(
        &self,
        query: usize,
        known: Neighbor,
        scratch: &mut distance::Scratch,
        cancel: &Cancel,
    ) -> Result<Neighbor> {
        cancel.check()?;
        let quanta = self.bounds.tight(query, known.index as usize, scratch);
        let distance = known.distance.max(self.search.prices.total(quanta));
        Ok(Neighbor { distance, ..known })
    }

    fn nearest(
        &self,
        exact: &mut Exact<'_>,
        best: &mut Best,
        scratch: &mut Scratch,
        cancel: &Cancel,
    ) -> Result<()> {
        let Scratch { workspace, bounds, lower, queue, to_pivots } = scratch;
        queue.clear();
        for (index, &distance) in (0..).zip(lower.iter()) {
            let itself = self.search.inside && index as usize == exact.query;
            if (index as usize).is_multiple_of(BOUNDS_PER_CHECK) {
                cancel.check()?;
            }
            if !itself && !self.offer_pivot(index, to_pivots, best) {
                let bound = self.quick(exact.query, Neighbor { distance, index });
                queue.push(Reverse(Waiting { bound, tight: false }));
            }
        }
        let mut waiting = BinaryHeap::from(std::mem::take(queue));
        while let Some(Reverse(Waiting { bound, tight })) = waiting.pop() {
            if !best.admits(bound) {
                break;
            }
            if tight || !self.strings_pay(exact.query, bound.index as usize) {
                let distance = exact.to(bound.index as usize, workspace, cancel)?;
                best.offer(Neighbor { distance, ..bound });
                continue;
            }
            let bound = self.tight(exact.query, bound, bounds, cancel)?;
            if best.admits(bound) {
                waiting.push(Reverse(Waiting { bound, tight: true }));
            }
        }
        *queue = waiting.into_vec();
        Ok(())
    }

    fn within(
        &self,
        candidates: impl Iterator<Item = u32>,
        exact: &mut Exact<'_>,
        best: &mut Best,
        scratch: &mut Scratch,
        cancel: &Cancel,
    ) -> Result<()> {
        let Scratch { workspace, bounds, lower, to_pivots, .. } = scratch;
        for (count, index) in candidates.enumerate() {
            if count.is_multiple_of(BOUNDS_PER_CHECK) {
                cancel.check()?;
            }
            if self.offer_pivot(index, to_pivots, best) {
                continue;
            }
            let known = Neighbor { distance: lower[index as usize], index };
            let mut bound = self.quick(exact.query, known);
            if best.admits(bound) && self.strings_pay(exact.query, index as usize) {
                bound = self.tight(exact.query, bound, bounds, cancel)?;
            }
            if best.admits(bound) {
                let distance = exact.to(index as usize, workspace, cancel)?;
                best.offer(Neighbor { distance, index });
            }
        }
        Ok(())
    }
}
