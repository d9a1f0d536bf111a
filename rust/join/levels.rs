//! One query of a search for the nearest: its candidates, level by level; see `nearest.rs`.

use crate::distance::{Scratch, Workspace};
use crate::error::Result;
use crate::join::nearest::Nearest;
use crate::join::tours::{self, Tours};
use crate::pairwise::{Best, Exact, Neighbor, Wanted};
use crate::simd::bands::{LANES, MOST_EDITS, MOST_LETTERS, Places};
use crate::simd::counts;
use crate::simd::tours::TOURS;
use crate::simd::words::LongPlaces;
use std::ops::Range;

/// Candidates are sought for a first limit when strings of this many times k are known.
const SEEN: usize = 4;

/// Candidates by their lower bounds, one kind of bounds each.
#[derive(Debug, Default)]
pub(super) struct Levels {
    histogram: Vec<Vec<u32>>,
    preorder: Vec<Vec<u32>>,
    both: Vec<Vec<u32>>,
    tours: Vec<Vec<u32>>,
}

impl Levels {
    /// Makes room for levels up to the last one.
    pub(super) fn clear(&mut self, last: usize) {
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
pub(super) struct NearestScratch {
    pub(super) levels: Levels,
    differences: Vec<u16>,
    bands: [Places; 2],
    words: [LongPlaces; 2],
    tours: Tours,
    /// Candidates for tours and the levels of their strings.
    waiting: Vec<(u32, u32)>,
    workspace: Workspace,
}

/// A kind of x, and what is next for its candidates.
pub(super) struct Query<'a> {
    of: &'a Nearest<'a>,
    kind: usize,
    nodes: usize,
    /// The last level: the most edits that strings ask for.
    pub(super) last: usize,
    exact: Exact<'a>,
    pub(super) best: Best,
    pub(super) computed: u64,
    /// Whether the strings of the query are in buffers.
    has_bands: bool,
    has_words: bool,
    has_tour: bool,
}

impl<'a> Query<'a> {
    pub(super) fn new(of: &'a Nearest<'a>, kind: usize) -> Self {
        let x = &of.join.x;
        let nodes = x.nodes(kind);
        Self {
            of,
            kind,
            nodes,
            last: of.join.y().sizes().last().map_or(nodes, |(m, _)| nodes.max(*m)),
            exact: Exact::new(of.search, x.first(kind), of.shares),
            best: Best::new(Wanted::Nearest(of.k)),
            computed: 0,
            has_bands: false,
            has_words: false,
            has_tour: false,
        }
    }
}

impl Query<'_> {
    /// The most edits of a neighbour.
    pub(super) fn limit(&self) -> usize {
        // A distance of unit costs is a number of edits.
        self.best.limit().map_or(usize::MAX, |most| most as usize)
    }

    /// The bounds of the histograms of all kinds of a size.
    pub(super) fn open(
        &self,
        (m, positions): &(usize, Range<usize>),
        scratch: &mut NearestScratch,
    ) {
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
    pub(super) fn advance(&mut self, level: usize, scratch: &mut NearestScratch) -> Result<()> {
        self.by_strings(level, scratch);
        let NearestScratch { levels, tours, waiting, workspace, .. } = scratch;
        self.find_limit(level, &mut levels.both, workspace)?;
        let mut left = std::mem::take(&mut levels.both[level]);
        // Without a limit, or with one that tours do not reach, nobody is ruled out.
        while self.limit() > tours::MOST_EDITS
            && let Some(first) = left.pop()
        {
            self.offer(level, first as usize, workspace)?;
        }
        waiting.clear();
        waiting.extend(left.iter().map(|&other| (other, level as u32)));
        left.clear();
        levels.both[level] = left;
        self.fill_up(level, &mut levels.both, waiting);
        for some in waiting.chunks(TOURS) {
            self.by_tours(some, &mut levels.tours, tours);
        }
        for number in 0..levels.tours[level].len() {
            let other = levels.tours[level][number] as usize;
            self.offer(level, other, workspace)?;
        }
        Ok(())
    }

    /// Compares the strings of the candidates of a level.
    fn by_strings(&mut self, level: usize, scratch: &mut NearestScratch) {
        let NearestScratch { levels, bands, words, .. } = scratch;
        let y = self.of.join.y();
        if level > MOST_EDITS || self.nodes > MOST_LETTERS {
            // Among those of the preorder, and of both at the first of these levels, no band has
            // found out how far they are.
            let mut candidates = std::mem::take(&mut levels.histogram[level]);
            candidates.append(&mut levels.preorder[level]);
            if level == MOST_EDITS + 1 {
                candidates.append(&mut levels.both[level]);
            }
            candidates.sort_unstable();
            for some in candidates.chunks(LANES) {
                self.by_words(some, level, &mut levels.both, words);
            }
            candidates.clear();
            levels.histogram[level] = candidates;
        } else {
            let Levels { histogram, preorder, both, .. } = levels;
            self.prepare_bands(bands);
            let [of_preorder, of_postorder] = bands;
            let text = |other| y.preorder(other);
            // Kinds are sorted by size, and bands of similar sizes are narrow.
            histogram[level].sort_unstable();
            self.by_bands(&histogram[level], level, preorder, of_preorder, text);
            let mut candidates = std::mem::take(&mut preorder[level]);
            candidates.sort_unstable();
            let text = |other| y.postorder(other);
            self.by_bands(&candidates, level, both, of_postorder, text);
            preorder[level] = candidates;
        }
    }

    /// Computes the distances of the candidates with the nearest strings as soon as there are
    /// enough, so that the others have a limit.
    fn find_limit(
        &mut self,
        level: usize,
        both: &mut [Vec<u32>],
        workspace: &mut Workspace,
    ) -> Result<()> {
        let known = both[level..].iter().map(Vec::len).sum::<usize>();
        if self.limit() < usize::MAX || known < SEEN * self.of.k {
            return Ok(());
        }
        for (bound, candidates) in both.iter_mut().enumerate().skip(level) {
            while self.limit() == usize::MAX
                && let Some(other) = candidates.pop()
            {
                self.offer(bound, other as usize, workspace)?;
            }
        }
        Ok(())
    }

    /// Adds candidates of later levels where lanes would be empty.
    fn fill_up(&self, level: usize, both: &mut [Vec<u32>], waiting: &mut Vec<(u32, u32)>) {
        let lanes = waiting.len().next_multiple_of(TOURS);
        let last = self.limit().min(self.last).min(MOST_EDITS);
        for (later, candidates) in both.iter_mut().enumerate().take(last + 1).skip(level + 1) {
            let left = lanes - waiting.len();
            let start = candidates.len().saturating_sub(left);
            waiting.extend(candidates.drain(start..).map(|other| (other, later as u32)));
        }
        waiting.sort_unstable();
    }

    /// Moves candidates to the levels of their tours.
    fn by_tours(&mut self, candidates: &[(u32, u32)], levels: &mut [Vec<u32>], tours: &mut Tours) {
        let (x, y) = (&self.of.join.x, self.of.join.y());
        if !self.has_tour {
            tours.take(x.tour(self.kind));
            self.has_tour = true;
        }
        let mut texts: [&[u8]; TOURS] = [&[]; TOURS];
        for (text, &(other, _)) in texts.iter_mut().zip(candidates) {
            *text = y.tour(other as usize);
        }
        let mut found = [0; TOURS];
        let limit = self.limit();
        tours.bounds_of(&texts[..candidates.len()], limit, &mut found);
        for (&(other, level), &bound) in candidates.iter().zip(&found) {
            let bound = bound.max(level) as usize;
            if bound <= limit {
                // Tours, unlike strings, may ask for more edits than there are levels.
                levels[bound.min(self.last)].push(other);
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

    /// Moves candidates to the levels of both strings, however far they are.
    fn by_words(
        &mut self,
        candidates: &[u32],
        level: usize,
        levels: &mut [Vec<u32>],
        words: &mut [LongPlaces; 2],
    ) {
        let (x, y) = (&self.of.join.x, self.of.join.y());
        if !self.has_words {
            words[0].prepare(x.preorder(self.kind));
            words[1].prepare(x.postorder(self.kind));
            self.has_words = true;
        }
        let limit = self.limit();
        let mut texts: [[&[u8]; LANES]; 2] = [[&[]; LANES]; 2];
        for (lane, &other) in candidates.iter().enumerate() {
            texts[0][lane] = y.preorder(other as usize);
            texts[1][lane] = y.postorder(other as usize);
        }
        let mut found = [[0; LANES]; 2];
        for ((places, texts), found) in words.iter_mut().zip(&texts).zip(&mut found) {
            places.bounds(&texts[..candidates.len()], limit, found);
        }
        for (lane, &other) in candidates.iter().enumerate() {
            let bound = found[0][lane].max(found[1][lane]) as usize;
            let bound = bound.clamp(level, levels.len() - 1);
            if bound <= limit {
                levels[bound].push(other);
            }
        }
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
