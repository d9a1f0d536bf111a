//! The k nearest trees, level by level.
//!
//! Level b holds the candidates whose lower bound is b edits. At each level
//!
//! 1. the trees with b nodes more or fewer get the bound of their histograms (`simd/counts.rs`);
//! 2. those whose histograms ask for b edits get the bound of their preorder strings, eight at a
//!    time (`simd/bands.rs`), those whose preorder asks for b edits that of their postorder;
//! 3. those whose strings ask for b edits get the bound of their tours, 32 at a time
//!    (`simd/tours.rs`);
//! 4. those whose tours ask for b edits get their distance.
//!
//! A bound that is larger than b moves a candidate to its level. So candidates get distances in the
//! order of their bounds (Seidl and Kriegel 1998), and a query with near neighbours never looks at
//! trees of other sizes. The search ends at the level of the farthest neighbour. Equal trees are one
//! kind, and equal queries are answered once.

use crate::distance::{Scratch, Workspace};
use crate::error::{Error, Result};
use crate::join::signatures::Signatures;
use crate::join::tours::{self, Tours};
use crate::join::words::Words;
use crate::join::{Input, Join};
use crate::memory;
use crate::pair::{Costs, SetCosts, Side};
use crate::pairwise::{Best, Exact, Found, Neighbor, Search, Shares, Wanted};
use crate::parallel::{self, Cancel, Crew, Tasks};
use crate::simd::bands::{LANES, MOST_EDITS, MOST_LETTERS, Places};
use crate::simd::counts;
use crate::simd::tours::TOURS;
use std::cell::Cell;

/// Kinds of a task.
const TASK_KINDS: usize = 4;
/// Kinds that are tried before the choice between levels and batches, and of how many one is tried.
const TRIED: (usize, usize) = (16, 32);
/// If a larger share of the distances must be computed, batches are faster.
const MOST_SHARE: f64 = 0.1;
/// Levels are kept for all numbers of edits, so trees have a largest size.
const MOST_NODES: usize = 1 << 16;
/// Bytes of a neighbour while rows are collected and copied to one place.
const NEIGHBOR_BYTES: u64 = 2 * size_of::<Neighbor>() as u64;

/// Candidates by their lower bounds, one kind of bounds each.
#[derive(Debug, Default)]
struct Levels {
    histogram: Vec<Vec<u32>>,
    preorder: Vec<Vec<u32>>,
    both: Vec<Vec<u32>>,
    tours: Vec<Vec<u32>>,
}

impl Levels {
    /// Makes room for levels up to the last one.
    fn clear(&mut self, last: usize) {
        let Self { histogram, preorder, both, tours } = self;
        for level in [histogram, preorder, both, tours] {
            level.iter_mut().for_each(Vec::clear);
            if level.len() <= last {
                level.resize(last + 1, Vec::new());
            }
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct NearestScratch {
    levels: Levels,
    differences: Vec<u16>,
    bands: [Places; 2],
    words: [Words; 2],
    tours: Tours,
    workspace: Workspace,
}

/// The answer of the trees of one kind.
struct Answer {
    kind: usize,
    near: Vec<Neighbor>,
    computed: u64,
}

/// What all queries share.
struct Nearest<'a> {
    join: &'a Join,
    input: &'a Input<'a>,
    search: &'a Search<'a>,
    shares: Option<&'a Shares<'a>>,
    k: usize,
    cancel: &'a Cancel,
}

/// A kind of x, and what is next for its candidates.
struct Query<'a> {
    of: &'a Nearest<'a>,
    kind: usize,
    nodes: usize,
    exact: Exact<'a>,
    best: Best,
    computed: u64,
    /// Whether the strings of the query are in buffers.
    has_bands: bool,
    has_words: bool,
    has_tour: bool,
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
        let prepared = input.x.prepared.is_some() && input.y.prepared.is_some();
        if !matches!(input.costs, Costs::Unit) || input.norm.is_some() || !prepared {
            return Ok(None);
        }
        let made = Self::unplanned(input, &mut Crew::new(threads, cancel, &mut poll))?;
        let largest = |of: &Signatures<'_>| of.sizes().last().map_or(0, |(nodes, _)| *nodes);
        Ok(made.filter(|join| largest(&join.x).max(largest(join.y())) <= MOST_NODES))
    }

    /// The k nearest trees of y for every tree of x; `None` if batches are estimated to be faster, or
    /// if there are fewer candidates.
    ///
    /// # Errors
    /// [`Error::Memory`] if the answers do not fit; [`Error::Cancelled`] if `poll` asked to stop.
    pub fn nearest(
        &self,
        input: &Input<'_>,
        k: usize,
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
            index: None,
        };
        let mut ask = || poll(0);
        let shares = Shares::new(&search, &mut Crew::new(threads, cancel, &mut ask))?;
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
        let mut query = Query {
            of: self,
            kind,
            nodes,
            exact: Exact::new(self.search, x.first(kind), self.shares),
            best: Best::new(Wanted::Nearest(self.k)),
            computed: 0,
            has_bands: false,
            has_words: false,
            has_tour: false,
        };
        let sizes = y.sizes();
        // Sizes below `below` have fewer nodes than the query and are left, those from `above` on
        // have as many or more.
        let mut above = sizes.partition_point(|(m, _)| *m < nodes);
        let mut below = above;
        let last = nodes.max(sizes.last().map_or(0, |(m, _)| *m));
        scratch.levels.clear(last);
        for level in 0..=last {
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

impl Query<'_> {
    /// The most edits of a neighbour.
    fn limit(&self) -> usize {
        // A distance of unit costs is a number of edits.
        self.best.limit().map_or(usize::MAX, |most| most as usize)
    }

    /// The bounds of the histograms of all kinds of a size.
    fn open(&self, (m, positions): &(usize, std::ops::Range<usize>), scratch: &mut NearestScratch) {
        let (x, y) = (&self.of.join.x, self.of.join.y());
        let NearestScratch { levels, differences, .. } = scratch;
        let many = y.counts().get(positions.clone()).unwrap_or_default();
        counts::differences(&x.counts()[self.kind], many, differences);
        let (gap, limit) = (self.nodes.abs_diff(*m), self.limit());
        for (position, &difference) in positions.clone().zip(&*differences) {
            // A replacement changes two counts, any other edit one of the larger tree.
            let edits = (usize::from(difference) + gap).div_ceil(2).max(gap);
            if edits <= limit {
                levels.histogram[edits].push(position as u32);
            }
        }
    }

    /// Moves the candidates of a level on.
    fn advance(&mut self, level: usize, scratch: &mut NearestScratch) -> Result<()> {
        let NearestScratch { levels, bands, words, tours, workspace, .. } = scratch;
        let y = self.of.join.y();
        if level > MOST_EDITS || self.nodes > MOST_LETTERS {
            // Among those of the preorder, and of both at the first of these levels, no band has
            // found out how far they are.
            let mut candidates = std::mem::take(&mut levels.histogram[level]);
            candidates.append(&mut levels.preorder[level]);
            if level == MOST_EDITS + 1 {
                candidates.append(&mut levels.both[level]);
            }
            for &other in &candidates {
                let bound = self.by_words(other as usize, words);
                let bound = bound.clamp(level, levels.both.len() - 1);
                if bound <= self.limit() {
                    levels.both[bound].push(other);
                }
            }
            candidates.clear();
            levels.histogram[level] = candidates;
        } else {
            let Levels { histogram, preorder, both, .. } = levels;
            self.prepare_bands(bands);
            let [of_preorder, of_postorder] = bands;
            let text = |other| y.preorder(other);
            self.by_bands(&histogram[level], level, preorder, of_preorder, text);
            let candidates = std::mem::take(&mut preorder[level]);
            let text = |other| y.postorder(other);
            self.by_bands(&candidates, level, both, of_postorder, text);
            preorder[level] = candidates;
        }
        let candidates = std::mem::take(&mut levels.both[level]);
        let mut left = &candidates[..];
        // Without a limit, or with one that tours do not reach, nobody is ruled out.
        while let [first, others @ ..] = left
            && self.limit() > tours::MOST_EDITS
        {
            self.offer(level, *first as usize, workspace)?;
            left = others;
        }
        for some in left.chunks(TOURS) {
            self.by_tours(some, level, &mut levels.tours, tours);
        }
        levels.both[level] = candidates;
        for number in 0..levels.tours[level].len() {
            let other = levels.tours[level][number] as usize;
            self.offer(level, other, workspace)?;
        }
        Ok(())
    }

    /// Moves candidates to the levels of their tours.
    fn by_tours(
        &mut self,
        candidates: &[u32],
        level: usize,
        levels: &mut [Vec<u32>],
        tours: &mut Tours,
    ) {
        let (x, y) = (&self.of.join.x, self.of.join.y());
        let (flat_x, flat_y) = (self.of.input.x.flat, self.of.input.y.flat);
        if !self.has_tour {
            tours.prepare((flat_x.tree(x.first(self.kind)), x.preorder(self.kind)));
            self.has_tour = true;
        }
        let lettered =
            |&kind: &u32| (flat_y.tree(y.first(kind as usize)), y.preorder(kind as usize));
        let mut found = [0; TOURS];
        let limit = self.limit();
        tours.bounds(candidates.iter().map(lettered), limit, &mut found);
        for (&other, &bound) in candidates.iter().zip(&found) {
            let bound = (bound as usize).max(level);
            if bound <= limit {
                levels[bound].push(other);
            }
        }
    }

    fn prepare_bands(&mut self, bands: &mut [Places; 2]) {
        if !self.has_bands {
            let x = &self.of.join.x;
            bands[0].prepare(x.preorder(self.kind));
            bands[1].prepare(x.postorder(self.kind));
            self.has_bands = true;
        }
    }

    /// Moves candidates to the levels of their strings in one order.
    fn by_bands<'t>(
        &self,
        candidates: &[u32],
        level: usize,
        levels: &mut [Vec<u32>],
        places: &Places,
        text: impl Fn(usize) -> &'t [u8],
    ) {
        let limit = self.limit();
        let most = limit.min(MOST_EDITS);
        for some in candidates.chunks(LANES) {
            let mut texts: [&[u8]; LANES] = [&[]; LANES];
            let mut found = [0; LANES];
            for (text_of, &other) in texts.iter_mut().zip(some) {
                *text_of = text(other as usize);
            }
            places.distances(&texts[..some.len()], most, &mut found);
            for (&other, &edits) in some.iter().zip(&found) {
                let bound = (edits as usize).max(level);
                // One above the most may be any number of edits.
                if bound <= limit && bound < levels.len() {
                    levels[bound].push(other);
                }
            }
        }
    }

    /// The larger bound of both strings.
    fn by_words(&mut self, other: usize, words: &mut [Words; 2]) -> usize {
        let (x, y) = (&self.of.join.x, self.of.join.y());
        if !self.has_words {
            words[0].prepare(x.preorder(self.kind));
            words[1].prepare(x.postorder(self.kind));
            self.has_words = true;
        }
        let limit = self.limit();
        let first = words[0].bound(y.preorder(other), limit);
        if first > limit { first } else { first.max(words[1].bound(y.postorder(other), limit)) }
    }

    /// Computes the distance to a kind, unless it cannot be among the answers.
    fn offer(&mut self, level: usize, other: usize, workspace: &mut Workspace) -> Result<()> {
        let y = self.of.join.y();
        let trees = y.trees(other);
        if !self.best.admits(Neighbor { distance: level as f64, index: trees[0] }) {
            return Ok(());
        }
        let cancel = self.of.cancel;
        cancel.check()?;
        let distance = self.exact.to(y.first(other), &mut Scratch { workspace, cancel })?;
        self.computed += 1;
        for &index in trees {
            let near = Neighbor { distance, index };
            if !self.best.admits(near) {
                break;
            }
            self.best.offer(near);
        }
        Ok(())
    }
}
