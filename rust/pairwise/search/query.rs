//! One query against all candidates.

use crate::distance::{self, Bounds, Scratch};
use crate::error::Result;
use crate::pair::{Measure, Measures};
use crate::pairwise::search::best::{Best, Neighbor};
use crate::pairwise::search::exact::{Exact, Shares};
use crate::pairwise::search::{Search, Wanted};
use crate::parallel::{Cancel, Crew};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bounds that are computed between two looks at the cancel flag.
const BOUNDS_PER_CHECK: usize = 1024;
/// Relative error of sums and differences of distances that were rounded twice at most:
/// four times what five roundings of 2⁻⁵³ can do.
const ROUNDING: f64 = 1.0 / (1u64 << 49) as f64;
/// How many times cheaper than a distance bounds must be, by labels and by strings.
const LABELS_PAY_OFF: f64 = 8.0;
const STRINGS_PAY_OFF: f64 = 2.0;
/// About the time of a place in the queue: cheaper label bounds are computed for all candidates.
const PLACE: f64 = 40.0;
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
pub(super) struct Answer {
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
pub(super) struct QueryScratch {
    pub(super) workspace: distance::Workspace,
    pub(super) bounds: distance::BoundScratch,
    lower: Vec<f64>,
    queue: Vec<Reverse<Waiting>>,
    to_pivots: Vec<f64>,
}

/// A candidate in the queue, with its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    pub(super) bound: Neighbor,
    level: Level,
}

/// What the lower bound of a candidate rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Size,
    Labels,
    Strings,
}

/// The results that can still be among the answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// The largest of them, if there is one.
    most: Option<f64>,
    /// Most quanta of a distance that is not normalised.
    quanta: i128,
}

/// What all queries share.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) wanted: Wanted,
    bounds: Bounds<'a>,
    /// Queries, the largest trees first: that balances the threads.
    order: Vec<u32>,
    /// The number of the pivot that a candidate is.
    pivot_of: Vec<u32>,
    measures: Measures<'a>,
    /// Quanta for deleting each query and for inserting each candidate, if there is a norm.
    deletes: Vec<i128>,
    inserts: Vec<i128>,
    /// What the candidates have in common.
    shares: Option<Shares<'a>>,
}

impl<'a> Searcher<'a> {
    /// `work` is the time of all distances.
    pub(super) fn new(
        search: &'a Search<'a>,
        wanted: Wanted,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        let Search { x, y, costs, index, .. } = *search;
        let catalogue = index.map(|index| &index.catalogue);
        let bounds = Bounds::new(x, y, costs, catalogue, work, crew)?;
        let shares = Shares::new(search, crew)?;
        let mut order: Vec<_> = (0..x.trees.len() as u32).collect();
        order.sort_by_key(|&i| Reverse(x.trees[i as usize].nodes()));
        let mut pivot_of = Vec::new();
        if let Some(pivots) = search.pivots {
            pivot_of.resize(y.trees.len(), NO_PIVOT);
            for (number, &j) in pivots.chosen.iter().enumerate() {
                pivot_of[j as usize] = number as u32;
            }
        }
        let measures = Measures::new(costs, search.norm);
        let (mut deletes, mut inserts) = (Vec::new(), Vec::new());
        if !measures.is_plain() {
            deletes.extend((0..x.trees.len()).map(|i| costs.delete_all(&x.operand(i))));
            inserts.extend((0..y.trees.len()).map(|j| costs.insert_all(&y.operand(j))));
        }
        Ok(Self { search, wanted, bounds, order, pivot_of, measures, deletes, inserts, shares })
    }

    /// How the result of a query and a candidate is made from their distance.
    #[inline]
    fn measure(&self, query: usize, j: usize) -> Measure {
        if self.measures.is_plain() {
            return Measure::Plain;
        }
        let nodes = (self.search.x.trees[query].nodes(), self.search.y.trees[j].nodes());
        self.measures.of_pair(nodes, || self.deletes[query] + self.inserts[j])
    }

    /// A candidate with its result, or a lower bound of that, instead of its distance.
    #[inline]
    pub(super) fn result(&self, query: usize, near: Neighbor) -> Neighbor {
        let measure = self.measure(query, near.index as usize);
        Neighbor { distance: measure.of(near.distance), ..near }
    }

    /// Answers the query at a position of the order.
    pub(super) fn row(
        &self,
        position: usize,
        scratch: &mut QueryScratch,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let query = self.order[position] as usize;
        let exact = self.exact(query);
        let mut computed = self.to_pivots(&exact, scratch, cancel)?;
        self.lower_bounds(query, scratch, cancel)?;
        let mut best = Best::new(self.wanted);
        let candidates = self.search.y.trees.len() - usize::from(self.search.inside);
        let (seen, half) = match self.wanted {
            Wanted::Nearest(_) => {
                computed += self.nearest(&exact, &mut best, scratch, cancel)?;
                (candidates, false)
            }
            Wanted::Within(_) if self.search.mirrored() => {
                let later = &self.order[position + 1..];
                let later = later.iter().copied();
                computed += self.within(later, &exact, &mut best, scratch, cancel)?;
                (self.order.len() - position - 1, true)
            }
            Wanted::Within(_) => {
                let others = (0..self.search.y.trees.len() as u32)
                    .filter(|&j| !(self.search.inside && j as usize == query));
                computed += self.within(others, &exact, &mut best, scratch, cancel)?;
                (candidates, false)
            }
        };
        let (found, seen) = (best.into_sorted(), seen as u64);
        Ok(Answer { query, found, computed, seen, half })
    }

    /// The query at a position of the order.
    pub(super) fn query(&self, position: usize) -> usize {
        self.order[position] as usize
    }

    pub(super) fn exact(&self, query: usize) -> Exact<'_> {
        Exact::new(self.search, query, self.shares.as_ref())
    }

    /// The distances from the query to all pivots; returns how many were computed.
    fn to_pivots(
        &self,
        exact: &Exact<'_>,
        scratch: &mut QueryScratch,
        cancel: &Cancel,
    ) -> Result<u64> {
        scratch.to_pivots.clear();
        let mut computed = 0;
        let Some(pivots) = self.search.pivots else { return Ok(computed) };
        for (number, &j) in pivots.chosen.iter().enumerate() {
            // Inside one set they are known already, unless a way and its return may differ.
            let known = self.search.mirrored() || (self.search.inside && exact.query == j as usize);
            scratch.to_pivots.push(if known {
                pivots.row(number)[exact.query]
            } else {
                computed += 1;
                exact.to(j as usize, &mut Scratch { workspace: &mut scratch.workspace, cancel })?
            });
        }
        Ok(computed)
    }

    /// Fills `scratch.lower` with the bounds by the pivots on the distances to all candidates, which
    /// are not normalised.
    fn lower_bounds(
        &self,
        query: usize,
        scratch: &mut QueryScratch,
        cancel: &Cancel,
    ) -> Result<()> {
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

    /// A lower bound of that many quanta, which is at least the one that is known.
    #[inline]
    fn raised(&self, query: usize, known: Neighbor, quanta: i128) -> Neighbor {
        let distance = self.search.costs.total(quanta);
        let bound = self.result(query, Neighbor { distance, ..known });
        Neighbor { distance: known.distance.max(bound.distance), ..known }
    }

    /// The first lower bound, cheap enough for all candidates.
    #[inline]
    pub(super) fn first(&self, query: usize, known: Neighbor) -> Waiting {
        let j = known.index as usize;
        if self.bounds.label_time(query, j) <= PLACE {
            let bound = self.raised(query, known, self.bounds.quick(query, j));
            return Waiting { bound, level: Level::Labels };
        }
        Waiting { bound: self.raised(query, known, self.bounds.size(query, j)), level: Level::Size }
    }

    /// The next lower bound of a candidate that is worth its time, if there is one; and the time
    /// of that, or of its distance.
    pub(super) fn next_level(
        &self,
        query: usize,
        Waiting { bound, level }: Waiting,
    ) -> (Option<Level>, f64) {
        let j = bound.index as usize;
        let Search { x, y, costs, .. } = *self.search;
        let (tree, other) = (&x.trees[query], &y.trees[j]);
        let work = distance::pair_work(tree, other)
            * distance::cell_time(costs, tree.nodes().min(other.nodes()));
        if level < Level::Labels {
            let time = self.bounds.label_time(query, j);
            if time * LABELS_PAY_OFF < work {
                return (Some(Level::Labels), time);
            }
        }
        if level < Level::Strings {
            let time = self.bounds.string_time(query, j);
            if time > 0.0 && time * STRINGS_PAY_OFF < work {
                return (Some(Level::Strings), time);
            }
        }
        (None, work)
    }

    /// The lower bound of that level. A string bound above the limit may be less than it could be,
    /// but is above it.
    pub(super) fn raise(
        &self,
        query: usize,
        bound: Neighbor,
        level: Level,
        limit: Limit,
        scratch: &mut distance::BoundScratch,
    ) -> Waiting {
        let j = bound.index as usize;
        let quanta = match level {
            Level::Size => self.bounds.size(query, j),
            Level::Labels => self.bounds.quick(query, j),
            Level::Strings => {
                let quanta = match (self.measure(query, j), limit.most) {
                    (Measure::Plain, _) | (_, None) => limit.quanta,
                    (measure, Some(most)) => measure.most_quanta(self.search.costs, most),
                };
                self.bounds.strings(query, j, quanta, scratch)
            }
        };
        Waiting { bound: self.raised(query, bound, quanta), level }
    }

    /// The results that can still be among the answers.
    pub(super) fn limit(&self, best: &Best) -> Limit {
        let most = best.limit();
        let quanta = most.map_or(i128::MAX, |most| self.search.costs.most_quanta(most));
        Limit { most, quanta }
    }

    /// Offers a candidate that is a pivot; its distance is known.
    fn offer_pivot(&self, query: usize, j: u32, to_pivots: &[f64], best: &mut Best) -> bool {
        let number = self.pivot_of.get(j as usize).copied().unwrap_or(NO_PIVOT);
        let known = to_pivots.get(number as usize);
        if let Some(&distance) = known {
            best.offer(self.result(query, Neighbor { distance, index: j }));
        }
        known.is_some()
    }

    fn nearest(
        &self,
        exact: &Exact<'_>,
        best: &mut Best,
        scratch: &mut QueryScratch,
        cancel: &Cancel,
    ) -> Result<u64> {
        let QueryScratch { workspace, bounds, lower, queue, to_pivots } = scratch;
        queue.clear();
        for (index, &distance) in (0..).zip(lower.iter()) {
            let itself = self.search.inside && index as usize == exact.query;
            if (index as usize).is_multiple_of(BOUNDS_PER_CHECK) {
                cancel.check()?;
            }
            if !itself && !self.offer_pivot(exact.query, index, to_pivots, best) {
                let known = self.result(exact.query, Neighbor { distance, index });
                queue.push(Reverse(self.first(exact.query, known)));
            }
        }
        let mut waiting = BinaryHeap::from(std::mem::take(queue));
        let (mut limit, mut computed) = (self.limit(best), 0);
        while let Some(Reverse(first)) = waiting.pop() {
            if !best.admits(first.bound) {
                break;
            }
            cancel.check()?;
            if let (Some(level), _) = self.next_level(exact.query, first) {
                let next = self.raise(exact.query, first.bound, level, limit, bounds);
                if best.admits(next.bound) {
                    waiting.push(Reverse(next));
                }
                continue;
            }
            let index = first.bound.index;
            let distance = exact.to(index as usize, &mut Scratch { workspace, cancel })?;
            best.offer(self.result(exact.query, Neighbor { distance, index }));
            computed += 1;
            limit = self.limit(best);
        }
        *queue = waiting.into_vec();
        Ok(computed)
    }

    fn within(
        &self,
        candidates: impl Iterator<Item = u32>,
        exact: &Exact<'_>,
        best: &mut Best,
        scratch: &mut QueryScratch,
        cancel: &Cancel,
    ) -> Result<u64> {
        let QueryScratch { workspace, bounds, lower, to_pivots, .. } = scratch;
        let (limit, mut computed) = (self.limit(best), 0);
        for (count, index) in candidates.enumerate() {
            if count.is_multiple_of(BOUNDS_PER_CHECK) {
                cancel.check()?;
            }
            if self.offer_pivot(exact.query, index, to_pivots, best) {
                continue;
            }
            let distance = lower[index as usize];
            let known = self.result(exact.query, Neighbor { distance, index });
            let mut waiting = self.first(exact.query, known);
            while best.admits(waiting.bound) {
                let (Some(level), _) = self.next_level(exact.query, waiting) else {
                    let distance = exact.to(index as usize, &mut Scratch { workspace, cancel })?;
                    best.offer(self.result(exact.query, Neighbor { distance, index }));
                    computed += 1;
                    break;
                };
                waiting = self.raise(exact.query, waiting.bound, level, limit, bounds);
            }
        }
        Ok(computed)
    }
}
