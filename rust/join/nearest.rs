//! The k nearest trees, level by level.
//!
//! Level b holds the candidates whose lower bound is b edits. At each level
//!
//! 1. the trees with b nodes more or fewer get the bound of their histograms (`simd/counts.rs`);
//! 2. those whose histograms ask for b edits get the bound of their preorder strings, eight at a
//!    time (`simd/bands.rs`), those whose preorder asks for b edits that of their postorder;
//! 3. those whose strings ask for b edits get the bound of their tours, 64 at a time
//!    (`simd/tours.rs`);
//! 4. those whose tours ask for b edits get their distance.
//!
//! A bound that is larger than b moves a candidate to its level. So candidates get distances in the
//! order of their bounds (Seidl and Kriegel 1998), and a query with near neighbours never looks at
//! trees of other sizes. The search ends at the level of the farthest neighbour. Equal trees are one
//! kind, and equal queries are answered once.

use crate::error::{Error, Result};
use crate::join::levels::{NearestScratch, Query};
use crate::join::signatures::Signatures;
use crate::join::{Input, Join, Known};
use crate::memory;
use crate::pair::{Costs, SetCosts, Side};
use crate::pairwise::{Found, Index, Neighbor, Search, Shares};
use crate::parallel::{self, Cancel, Crew, Tasks};
use std::cell::Cell;

/// Kinds of a task.
const TASK_KINDS: usize = 4;
/// Kinds that are tried before the choice between levels and batches, and of how many one is tried.
const TRIED: (usize, usize) = (16, 32);
/// If a larger share of the distances must be computed, batches are faster.
const MOST_SHARE: f64 = 0.1;
/// Levels are kept for all numbers of edits, so trees have a largest size.
const MOST_NODES: usize = 1 << 16;
/// Tours of fewer nodes take milliseconds at most.
const BRIEF_NODES: usize = 1 << 17;
/// Bytes of a neighbour while rows are collected and copied to one place.
const NEIGHBOR_BYTES: u64 = 2 * size_of::<Neighbor>() as u64;

/// The answer of the trees of one kind.
struct Answer {
    kind: usize,
    near: Vec<Neighbor>,
    computed: u64,
}

/// What all queries share.
pub(super) struct Nearest<'a> {
    pub(super) join: &'a Join,
    pub(super) input: &'a Input<'a>,
    pub(super) search: &'a Search<'a>,
    pub(super) shares: Option<&'a Shares<'a>>,
    /// With the tree itself, inside one set.
    pub(super) k: usize,
    pub(super) cancel: &'a Cancel,
}

impl Join {
    /// Looks at all trees for a search of the nearest. `None` if costs or norm are not served, or if
    /// trees are not prepared.
    ///
    /// # Errors
    /// As [`Join::new`].
    pub fn for_nearest(
        input: &Input<'_>,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Option<Self>> {
        let served = is_served(input);
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let made = if served { Self::unplanned(input, &mut crew)? } else { None };
        Ok(made.filter(Self::has_levels))
    }

    /// The same, with what is known of `input.y`.
    ///
    /// # Errors
    /// As [`Join::new`].
    pub fn for_nearest_among(
        input: &Input<'_>,
        known: &Known,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Option<Self>> {
        let served = is_served(input);
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let made = if served { Self::unplanned_among(input, known, &mut crew)? } else { None };
        Ok(made.filter(Self::has_levels))
    }

    fn has_levels(&self) -> bool {
        let largest = |of: &Signatures<'_>| of.sizes().last().map_or(0, |(nodes, _)| *nodes);
        largest(&self.x).max(largest(self.y())) <= MOST_NODES
    }

    /// The k nearest trees of y for every tree of x; `None` if batches are estimated to be faster, or
    /// if there are fewer candidates. An index has numbers for the subtrees of y.
    ///
    /// # Errors
    /// [`Error::Memory`] if the answers do not fit; [`Error::Cancelled`] if `poll` asked to stop.
    pub fn nearest(
        &self,
        input: &Input<'_>,
        (k, index): (usize, Option<&Index>),
        (threads, cancel): (usize, &Cancel),
        mut poll: impl FnMut(u64) -> bool,
    ) -> Result<Option<Found>> {
        let (n, m) = (input.x.flat.len(), input.y.flat.len());
        let (Some(x), Some(y)) = (input.x.prepared, input.y.prepared) else { return Ok(None) };
        if k + usize::from(input.inside) > m || n == 0 {
            return Ok(None);
        }
        let bytes = (k as u64 * NEIGHBOR_BYTES).saturating_mul(n as u64);
        memory::check("the nearest neighbours", bytes)?;
        let search = Search {
            x: Side { trees: x, codes: input.x.codes },
            y: Side { trees: y, codes: input.y.codes },
            costs: SetCosts::Fixed(input.costs),
            norm: None,
            inside: input.inside,
            symmetric: input.symmetric,
            pivots: None,
            index,
        };
        let mut ask = || poll(0);
        let mut crew = Crew::new(threads, cancel, &mut ask);
        let shares = Shares::new(&search, &mut crew)?;
        self.make_tours(input, &mut crew)?;
        // A tree is not its own neighbour, but is among the nearest of its kind.
        let k = k + usize::from(input.inside);
        let nearest =
            Nearest { join: self, input, search: &search, shares: shares.as_ref(), k, cancel };
        let mut found = Found { rows: vec![Vec::new(); n], computed: 0 };
        // The largest first: that balances the threads.
        let mut kinds: Vec<usize> = (0..self.x.len()).rev().collect();
        let tried = (kinds.len() / TRIED.1).min(TRIED.0);
        // Spread over all, which are sorted by size.
        for place in 0..tried {
            kinds.swap(place, (2 * place + 1) * self.x.len() / (2 * tried));
        }
        let rest = kinds.split_off(tried);
        let done = Cell::new(0);
        nearest.run(&kinds, threads, &mut found, &done, &mut poll)?;
        if found.computed as f64 > MOST_SHARE * tried as f64 * self.y().len() as f64 {
            return Ok(None);
        }
        nearest.run(&rest, threads, &mut found, &done, &mut poll)?;
        if poll(n as u64) { Ok(Some(found)) } else { Err(Error::Cancelled) }
    }
}

impl Join {
    fn make_tours(&self, input: &Input<'_>, crew: &mut Crew<'_>) -> Result<()> {
        let nodes = input.x.flat.codes.len() + input.y.flat.codes.len();
        memory::check("the tours of the trees", 2 * nodes as u64)?;
        crew.one(nodes < BRIEF_NODES, || {
            self.x.make_tours(input.x.flat);
            self.y().make_tours(input.y.flat);
            Ok(())
        })
    }
}

/// Whether levels serve costs, norm and trees.
fn is_served(input: &Input<'_>) -> bool {
    let prepared = input.x.prepared.is_some() && input.y.prepared.is_some();
    matches!(input.costs, Costs::Unit) && input.norm.is_none() && prepared
}

impl Nearest<'_> {
    /// Answers some kinds.
    fn run(
        &self,
        kinds: &[usize],
        threads: usize,
        found: &mut Found,
        done: &Cell<u64>,
        poll: &mut impl FnMut(u64) -> bool,
    ) -> Result<()> {
        let work = |scratch: &mut NearestScratch, task: usize| {
            let part = task * TASK_KINDS..kinds.len().min((task + 1) * TASK_KINDS);
            let answer = |&kind: &usize| self.answer(kind, scratch);
            kinds[part].iter().map(answer).collect::<Result<Vec<_>>>()
        };
        let receive = |answers: Vec<Answer>| {
            for answer in answers {
                found.computed += answer.computed;
                for &tree in self.join.x.trees(answer.kind) {
                    let itself = |near: &&Neighbor| self.input.inside && near.index == tree;
                    let others = answer.near.iter().filter(|near| !itself(near));
                    let most = self.k - usize::from(self.input.inside);
                    found.rows[tree as usize] = others.take(most).copied().collect();
                    done.set(done.get() + 1);
                }
            }
        };
        let count = kinds.len().div_ceil(TASK_KINDS);
        let tasks = Tasks { threads, count, cancel: self.cancel };
        parallel::for_each(tasks, NearestScratch::default, work, receive, || poll(done.get()))
    }

    fn answer(&self, kind: usize, scratch: &mut NearestScratch) -> Result<Answer> {
        let (x, y) = (&self.join.x, self.join.y());
        let nodes = x.nodes(kind);
        let mut query = Query::new(self, kind);
        let sizes = y.sizes();
        // Sizes below `below` have fewer nodes than the query and are left, those from `above` on
        // have as many or more.
        let mut above = sizes.partition_point(|(m, _)| *m < nodes);
        let mut below = above;
        scratch.levels.clear(query.last);
        for level in 0..=query.last {
            self.cancel.check()?;
            if level > query.limit() {
                break;
            }
            while below > 0 && nodes - sizes[below - 1].0 <= level {
                below -= 1;
                query.open(&sizes[below], scratch);
            }
            while above < sizes.len() && sizes[above].0 - nodes <= level {
                query.open(&sizes[above], scratch);
                above += 1;
            }
            query.advance(level, scratch)?;
        }
        Ok(Answer { kind, near: query.best.into_sorted(), computed: query.computed })
    }
}
