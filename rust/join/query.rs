//! The neighbours of one kind of trees: candidates, bounds, distances.

use crate::distance::{Scratch, Workspace};
use crate::error::Result;
use crate::join::edits::Limits;
use crate::join::exact::Sides;
use crate::join::mapping::Mapping;
use crate::join::segments::Prefixes;
use crate::join::sieve::{Near, Sieve};
use crate::join::strings::Diagonals;
use crate::join::tours::{self, Tours};
use crate::join::{Input, Join};
use crate::pair::Costs;
use crate::parallel::Cancel;
use crate::simd::counts;
use crate::simd::tours::TOURS;
use crate::tree::Numbering;

/// Fewer candidates than this are not worth a bound of 64 at a time.
const FEW: usize = 2;

/// Two kinds and the result of their trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Position among the kinds of x.
    pub(super) query: u32,
    /// Position among the kinds of y.
    pub(super) other: u32,
    pub(super) result: f64,
}

/// How many pairs reached which stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stages {
    /// Histograms that are near enough.
    pub(super) candidates: u64,
    /// Strings that are near enough.
    pub(super) near: u64,
    /// Distances by a kernel.
    pub(super) computed: u64,
}

impl std::ops::AddAssign for Stages {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.near += other.near;
        self.computed += other.computed;
    }
}

/// A size of candidates.
#[derive(Debug, Clone, Copy)]
struct Window {
    /// The place of the size among those of y.
    size: usize,
    edits: usize,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct QueryScratch {
    /// Number of nodes for which `windows` were made.
    nodes: Option<usize>,
    windows: Vec<Window>,
    candidates: Vec<u32>,
    /// The last query that met each position of y, one more.
    seen: Vec<u32>,
    prefixes: Prefixes,
    sieve: Sieve,
    /// Candidates whose distances the strings do not show.
    left: Vec<u32>,
    tours: Tours,
    diagonals: Diagonals,
    mapping: Mapping,
    numbering: Numbering,
    workspace: Workspace,
}

/// All that queries share.
pub(super) struct Queries<'a> {
    pub(super) join: &'a Join,
    pub(super) input: &'a Input<'a>,
    pub(super) limits: Limits<'a>,
    pub(super) sides: Sides<'a>,
    pub(super) cancel: &'a Cancel,
}

impl Queries<'_> {
    /// Appends the kinds of y near a kind of x, by position. Inside one set and with symmetric costs,
    /// only those before it and itself.
    pub(super) fn answer(
        &self,
        query: usize,
        scratch: &mut QueryScratch,
        found: &mut Vec<Found>,
    ) -> Result<Stages> {
        self.cancel.check()?;
        let start = found.len();
        let mut stages = Stages::default();
        let join = self.join;
        self.open(query, scratch);
        let windows = std::mem::take(&mut scratch.windows);
        for &window in &windows {
            self.find(query, window, scratch);
            let QueryScratch { candidates, sieve, .. } = scratch;
            stages.candidates += candidates.len() as u64;
            sieve.sift((&join.x, query), (join.y(), candidates), window.edits);
            let near = std::mem::take(&mut sieve.near);
            stages.near += near.len() as u64;
            let mut left = std::mem::take(&mut scratch.left);
            left.clear();
            let mut keep = |other: u32, result: f64| {
                if result <= self.input.radius {
                    found.push(Found { query: query as u32, other, result });
                }
            };
            for (number, near) in near.iter().enumerate() {
                if number % 256 == 255 {
                    self.cancel.check()?;
                }
                match self.by_strings(query, near, scratch) {
                    Some(result) => keep(near.other, result),
                    None => left.push(near.other),
                }
            }
            scratch.sieve.near = near;
            self.retain_by_tours(query, &mut left, window.edits, &mut scratch.tours);
            for &other in &left {
                self.cancel.check()?;
                let pair = (join.x.first(query), join.y().first(other as usize));
                keep(other, self.exact(pair, scratch, &mut stages)?);
            }
            scratch.left = left;
        }
        scratch.windows = windows;
        // The pairs among trees of one kind.
        if self.input.is_mirrored() && join.x.trees(query).len() > 1 {
            let first = join.x.first(query);
            let result = self.exact((first, first), scratch, &mut stages)?;
            if result <= self.input.radius {
                let query = query as u32;
                found.push(Found { query, other: query, result });
            }
        }
        found[start..].sort_unstable_by_key(|found| found.other);
        Ok(stages)
    }

    /// Finds the sizes of y that are near that of a query.
    fn open(&self, query: usize, scratch: &mut QueryScratch) {
        let (join, n) = (self.join, self.join.x.nodes(query));
        if join.index.is_some() {
            scratch.seen.resize(join.y().len(), 0);
            scratch.prefixes.prepare(join.x.preorder(query));
        }
        if scratch.nodes == Some(n) {
            return;
        }
        scratch.nodes = Some(n);
        scratch.windows.clear();
        for (size, (m, _)) in join.y().sizes().iter().enumerate() {
            if self.input.is_mirrored() && *m > n {
                break;
            }
            if let Some(edits) = self.limits.edits(n, *m) {
                scratch.windows.push(Window { size, edits });
            }
        }
    }

    /// Finds the positions of one size whose histograms are near enough.
    fn find(&self, query: usize, window: Window, scratch: &mut QueryScratch) {
        let (join, n) = (self.join, self.join.x.nodes(query));
        let (m, ref positions) = join.y().sizes()[window.size];
        let mut positions = positions.clone();
        if self.input.is_mirrored() {
            positions.end = positions.end.min(query);
        }
        // A replacement changes two counts, any other edit one of the larger tree.
        let most = (2 * window.edits - n.abs_diff(m)).min(u32::MAX as usize) as u32;
        let (one, many) = (&join.x.counts()[query], join.y().counts());
        let QueryScratch { candidates, seen, prefixes, .. } = scratch;
        candidates.clear();
        match &join.index {
            Some(index) if join.indexed[window.size] => {
                let mark = query as u32 + 1;
                index.probe(prefixes, (n, m), |run| {
                    for &other in run {
                        let place = other as usize;
                        if place >= positions.end {
                            break;
                        }
                        if seen[place] != mark {
                            seen[place] = mark;
                            if counts::difference(one, &many[place]) <= most {
                                candidates.push(other);
                            }
                        }
                    }
                });
            }
            _ => {
                let first = positions.start as u32;
                let many = many.get(positions).unwrap_or_default();
                counts::near(one, many, most, first, candidates);
            }
        }
    }

    /// Keeps the kinds whose tours are near enough.
    fn retain_by_tours(&self, query: usize, kinds: &mut Vec<u32>, edits: usize, tours: &mut Tours) {
        if kinds.len() < FEW || edits > tours::MOST_EDITS {
            return;
        }
        let (x, y) = (&self.join.x, self.join.y());
        tours.prepare((self.sides.x.0.flat.tree(x.first(query)), x.preorder(query)));
        let mut kept = 0;
        for start in (0..kinds.len()).step_by(TOURS) {
            let end = kinds.len().min(start + TOURS);
            let lettered = |&kind: &u32| {
                let tree = self.sides.y.0.flat.tree(y.first(kind as usize));
                (tree, y.preorder(kind as usize))
            };
            let mut found = [0; TOURS];
            tours.bounds(kinds[start..end].iter().map(lettered), edits, &mut found);
            for (place, &bound) in (start..end).zip(&found) {
                if bound as usize <= edits {
                    kinds[kept] = kinds[place];
                    kept += 1;
                }
            }
        }
        kinds.truncate(kept);
    }

    /// The result of two kinds if an alignment of their strings is one of their trees.
    fn by_strings(&self, query: usize, near: &Near, scratch: &mut QueryScratch) -> Option<f64> {
        if !matches!(self.input.costs, Costs::Unit) {
            return None;
        }
        let (of_x, of_y, other) = (&self.join.x, self.join.y(), near.other as usize);
        let x = self.sides.x.0.flat.tree(of_x.first(query));
        let y = self.sides.y.0.flat.tree(of_y.first(other));
        let nodes = (x.len(), y.len());
        let [labels_x, labels_y] = self.join.labels();
        let differ = |a: i32, b: i32| labels_x.codes[a as usize] != labels_y.codes[b as usize];
        let QueryScratch { diagonals, mapping, .. } = scratch;
        let bound = near.bound();
        let strings = [
            (of_x.preorder(query), of_y.preorder(other)),
            (of_x.postorder(query), of_y.postorder(other)),
        ];
        let mut found = None;
        for (order, (a, b)) in strings.into_iter().enumerate() {
            if found.is_some() || near.edits[order] as usize != bound {
                continue;
            }
            diagonals.distance(a, b, bound)?;
            mapping.clear(nodes);
            diagonals.alignment(nodes, bound, |i, j, count| mapping.add(i, j, count));
            if order == 1 {
                mapping.turn_to_preorder(x, y);
            }
            found = mapping.edits((x, y), differ).filter(|&edits| edits == bound);
        }
        let distance = self.input.costs.total(found? as i128);
        let all = || (nodes.0 + nodes.1) as i128;
        Some(self.limits.measure(nodes, all).of(distance))
    }

    /// The result of two trees, or infinity if it is above the radius.
    fn exact(
        &self,
        pair: (usize, usize),
        scratch: &mut QueryScratch,
        stages: &mut Stages,
    ) -> Result<f64> {
        let QueryScratch { numbering, workspace, .. } = scratch;
        let scratch = &mut Scratch { workspace, cancel: self.cancel };
        let mut is_computed = false;
        let limit = |pair: &crate::pair::Pair<'_>| {
            is_computed = true;
            self.limits.of_pair(pair)
        };
        let result = self.sides.result(pair, self.input.costs, limit, numbering, scratch)?;
        stages.computed += u64::from(is_computed);
        Ok(result)
    }
}
