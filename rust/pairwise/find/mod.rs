//! The subtrees of large trees that are most similar to a query (top-k approximate subtree
//! matching).
//!
//! The table of a query and a tree contains the distances of the query to all subtrees of the
//! tree. But most subtrees are too heavy or have too few labels of the query (`labels.rs`). A tree
//! is therefore a stream of small candidates (`stream.rs`), of which only those parts are compared
//! that no bound rules out (`compare.rs`). The limit of both falls with the k-th best distance so
//! far, which all threads share (`best.rs`). Besides the answers, a thread holds one candidate
//! and its table, whatever the size of the trees.

mod best;
mod compare;
mod labels;
mod pieces;
mod stream;
#[cfg(test)]
mod tests;

pub use best::Match;

use crate::error::{Error, Result};
use crate::memory;
use crate::pair::{LocalLabels, Operand, SetCosts};
use crate::parallel::{self, Cancel, Crew, Tasks};
use best::{Best, MATCH_BYTES};
use compare::Comparer;
use labels::{Prices, Survey};
use pieces::{Piece, pieces};
use std::cell::Cell;
use std::collections::BinaryHeap;
use std::ops::Range;
use stream::{Visitor, stream};

/// Trees with fewer nodes are looked at within milliseconds.
const FEW_NODES: usize = 100_000;
/// Pairs of nodes that are compared within milliseconds.
const FEW_PAIRS: usize = 1 << 17;

/// Trees in flat arrays.
#[derive(Debug, Clone, Copy)]
pub struct Documents<'a> {
    /// Label codes of all nodes, tree after tree, each in preorder.
    pub codes: &'a [i32],
    /// Parents of the nodes within their trees; -1 for roots.
    pub parents: &'a [i32],
    /// The start of each tree, and the end of the last.
    pub offsets: &'a [i64],
}

impl<'a> Documents<'a> {
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Codes and parents of a tree.
    fn tree(&self, tree: usize) -> (&'a [i32], &'a [i32]) {
        let nodes = self.offsets[tree] as usize..self.offsets[tree + 1] as usize;
        (&self.codes[nodes.clone()], &self.parents[nodes])
    }
}

/// What is looked for, and where.
#[derive(Debug, Clone, Copy)]
pub struct FindRequest<'a> {
    /// The source of the edits.
    pub query: Operand<'a>,
    /// The trees whose subtrees are the targets.
    pub documents: Documents<'a>,
    /// Number of label codes of these trees.
    pub alphabet: usize,
    /// Code of the comparison for each of these codes; `None` if they are the same.
    pub labels: Option<&'a [u32]>,
    /// What edits cost.
    pub costs: SetCosts<'a>,
    /// Most matches; `None` for all.
    pub most: Option<usize>,
    /// The largest distance of a match.
    pub radius: f64,
}

/// Matches in order, and the number of subtrees whose distances were computed.
#[derive(Debug, Default)]
pub struct FoundMatches {
    /// By distance, then by tree, then by node.
    pub matches: Vec<Match>,
    /// How many distances were computed. With a number of matches and several threads it depends
    /// on who is first.
    pub computed: u64,
}

/// Finds the subtrees that are most similar to the query.
///
/// `poll(done)` is called now and then with the number of nodes that were looked at and may stop
/// the work by returning `false`.
///
/// # Errors
/// [`Error::Memory`] if a candidate or the answers do not fit; [`Error::Cancelled`] if `poll` asked
/// to stop.
pub fn find(
    request: &FindRequest<'_>,
    threads: usize,
    cancel: &Cancel,
    mut poll: impl FnMut(u64) -> bool,
) -> Result<FoundMatches> {
    let FindRequest { query, documents, costs, most, radius, .. } = *request;
    let all = documents.parents.len();
    if all == 0 || most == Some(0) {
        return Ok(FoundMatches::default());
    }
    memory::check("the matches", most.unwrap_or(0).min(all) as u64 * MATCH_BYTES)?;
    let mut ask = || poll(0);
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let prices = Prices::new(request, &mut crew)?;
    let first_limit = match most {
        None => radius,
        Some(k) => {
            let brief = all < FEW_NODES;
            let quanta = crew.one(brief, || reachable(&documents, &prices, k, cancel))?;
            quanta.map_or(radius, |quanta| costs.total(quanta).min(radius))
        }
    };
    let source = match costs {
        SetCosts::Meeting(meeting) => {
            Some(LocalLabels::new(meeting, std::iter::once(query.tree), query.codes))
        }
        SetCosts::Fixed(_) => None,
    };
    let best = Best::new(most.unwrap_or(usize::MAX), first_limit);
    let finder = Finder { request, prices, source, best, cancel };
    let heaviest = finder.prices.most_weight(finder.quanta(first_limit));
    let pieces = pieces(documents, |code| finder.prices.of(code).insert, heaviest);
    let done = Cell::new(0);
    let mut computed = 0;
    let work = |searcher: &mut Buffers, piece: usize| finder.search(&pieces[piece], searcher);
    let mut receive = |(nodes, compared): (u64, u64)| {
        done.set(done.get() + nodes);
        computed += compared;
    };
    if all.saturating_mul(query.tree.nodes()) < FEW_PAIRS {
        let mut buffers = Buffers::default();
        for piece in 0..pieces.len() {
            receive(work(&mut buffers, piece)?);
        }
    } else {
        let tasks = Tasks { threads, count: pieces.len(), cancel };
        parallel::for_each(tasks, Buffers::default, work, receive, || poll(done.get()))?;
    }
    if !poll(done.get()) {
        return Err(Error::Cancelled);
    }
    Ok(FoundMatches { matches: finder.best.into_sorted(), computed })
}

/// A distance, in quanta, that at least `k` subtrees do not exceed; none if there are fewer.
///
/// The distance of a leaf is known: the best partner of its label.
fn reachable(
    documents: &Documents<'_>,
    prices: &Prices,
    k: usize,
    cancel: &Cancel,
) -> Result<Option<i128>> {
    let mut nearest = BinaryHeap::new();
    for tree in 0..documents.len() {
        cancel.check()?;
        let (codes, parents) = documents.tree(tree);
        for (i, &code) in codes.iter().enumerate() {
            if parents.get(i + 1) == Some(&(i as i32)) {
                continue;
            }
            let price = prices.of(code);
            let distance = prices.delete + price.insert - price.saved;
            if nearest.len() < k {
                nearest.push(distance);
            } else if nearest.peek().is_some_and(|&worst| distance < worst) {
                nearest.pop();
                nearest.push(distance);
            }
        }
    }
    if nearest.len() == k {
        return Ok(nearest.peek().copied());
    }
    // The subtrees of the last nodes contain nothing but these.
    let last = documents.codes.len().checked_sub(k).map(|start| &documents.codes[start..]);
    Ok(last.map(|codes| prices.delete + codes.iter().map(|&c| prices.of(c).insert).sum::<i128>()))
}

/// What one thread reuses.
#[derive(Debug, Default)]
struct Buffers {
    survey: Survey,
    comparer: Comparer,
    found: Vec<Match>,
}

/// All that the threads share.
struct Finder<'a> {
    request: &'a FindRequest<'a>,
    prices: Prices,
    /// The labels of the query, if costs are computed for labels that meet.
    source: Option<LocalLabels>,
    best: Best,
    cancel: &'a Cancel,
}

impl Finder<'_> {
    /// The most quanta that are within a limit.
    fn quanta(&self, limit: f64) -> i128 {
        if limit == f64::INFINITY { i128::MAX } else { self.request.costs.most_quanta(limit) }
    }

    /// Searches a piece; returns the number of its nodes, and of the distances computed.
    fn search(&self, piece: &Piece, buffers: &mut Buffers) -> Result<(u64, u64)> {
        let documents = &self.request.documents;
        let mut computed = 0;
        for tree in piece.trees.clone() {
            self.cancel.check()?;
            let (codes, parents) = documents.tree(tree);
            let nodes = if piece.trees.len() == 1 { piece.nodes.clone() } else { 0..codes.len() };
            let limit = self.best.limit();
            let limit = (limit, self.quanta(limit));
            let mut search =
                TreeSearch { finder: self, tree, codes, parents, limit, buffers, computed };
            stream(parents, nodes, &mut search)?;
            computed = search.computed;
        }
        Ok((piece.nodes.len() as u64, computed))
    }
}

/// The search in one tree.
struct TreeSearch<'a> {
    finder: &'a Finder<'a>,
    tree: usize,
    codes: &'a [i32],
    parents: &'a [i32],
    /// The largest distance of an answer, and its quanta.
    limit: (f64, i128),
    buffers: &'a mut Buffers,
    computed: u64,
}

impl Visitor for TreeSearch<'_> {
    fn weight(&self, node: usize) -> i128 {
        self.finder.prices.of(self.codes[node]).insert
    }

    fn most(&self) -> i128 {
        self.finder.prices.most_weight(self.limit.1)
    }

    fn check(&self) -> Result<()> {
        self.finder.cancel.check()
    }

    /// Compares those parts of a candidate that no bound rules out.
    fn candidate(&mut self, nodes: Range<usize>) -> Result<()> {
        let prices = &self.finder.prices;
        self.look_at_limit();
        self.buffers.survey.look(prices, self.codes, self.parents, &nodes);
        let codes = &self.codes[nodes.clone()];
        let mut i = 0;
        while i < codes.len() {
            if self.buffers.survey.is_above(prices, codes, i, self.limit.1) {
                i += 1;
                continue;
            }
            let size = self.buffers.survey.of[i].nodes as usize;
            self.compare(nodes.start + i..nodes.start + i + size, i)?;
            i += size;
        }
        Ok(())
    }
}

impl TreeSearch<'_> {
    /// Sees whether the limit has fallen.
    fn look_at_limit(&mut self) {
        let limit = self.finder.best.limit();
        if limit < self.limit.0 {
            self.limit = (limit, self.finder.quanta(limit));
        }
    }

    /// Compares a subtree of the candidate, the one at the position `place` of the survey, with all
    /// that is below it.
    fn compare(&mut self, nodes: Range<usize>, place: usize) -> Result<()> {
        let Finder { request, prices, source, best, cancel } = self.finder;
        let Buffers { survey, comparer, found } = &mut *self.buffers;
        let arrays = (&self.codes[nodes.clone()], &self.parents[nodes.clone()]);
        comparer.compare(request, source.as_ref(), arrays, nodes.start, cancel)?;
        self.computed += nodes.len() as u64;
        for ((node, &saving), below) in nodes.zip(&comparer.savings).zip(&survey.of[place..]) {
            let quanta = prices.delete + below.weight - saving;
            if quanta <= self.limit.1 {
                let distance = request.costs.total(quanta);
                let (tree, node) = (self.tree as u32, node as u32);
                found.push(Match { distance, tree, node, size: below.nodes });
            }
        }
        best.offer(found)?;
        self.look_at_limit();
        Ok(())
    }
}
