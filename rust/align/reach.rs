//! Which cells optimal alignments pass through: few of them, and all that counting looks at.

use crate::align::Integer;
use crate::align::forest::{Forest, step};
use crate::align::problem::Problem;
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::Span;
use std::ops::Range;

/// A state of the grammar in a cell, above the bits of its open steps.
pub(crate) mod state {
    /// Any alignment of the two forests.
    pub(crate) const ANY: u8 = 16;
    /// Those with the last node of the first one paired.
    pub(crate) const MAPPED: u8 = 32;
}

/// A cell that is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) column: u32,
    /// Reached states and their open steps.
    pub(crate) bits: u8,
}

/// The reached cells of one row of a forest: the ends of its parts of two lists.
#[derive(Debug, Clone, Copy)]
struct RowEnds {
    index: usize,
    cells: usize,
    roots: usize,
}

/// The reached cells of forests, each from the last to the first.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    rows: Vec<RowEnds>,
    cells: Vec<Cell>,
    /// Columns of nodes that, paired with the node of the row, are the roots of their subtrees'
    /// alignments. Both lie on the paths of the spans, so what is below them is in this forest.
    roots: Vec<u32>,
}

impl Reached {
    /// Number of rows so far: where the next forest begins.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.cells.clear();
        self.roots.clear();
    }

    fn ends(&self, rows: usize) -> (usize, usize) {
        rows.checked_sub(1).map_or((0, 0), |last| (self.rows[last].cells, self.rows[last].roots))
    }

    fn end_row(&mut self, row: usize) {
        let (cells, roots) = (self.cells.len(), self.roots.len());
        if (cells, roots) != self.ends(self.rows.len()) {
            self.rows.push(RowEnds { index: row, cells, roots });
        }
    }

    /// The reached cells of the forest that lies in this range.
    pub(crate) fn forest(&self, range: Range<usize>) -> ReachedForest<'_> {
        ReachedForest { all: self, range }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + size_of_val(self.cells.as_slice())
            + size_of_val(self.roots.as_slice())
    }

    /// Adds every cell with every step open, for weights under which every alignment counts.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if they do not fit, [`crate::Error::Cancelled`] if asked to stop.
    pub(crate) fn add_all<Q: Integer>(
        &mut self,
        problem: &Problem<'_, Q>,
        pair: (usize, usize),
        cancel: &Cancel,
    ) -> Result<()> {
        let (a, b) = problem.spans(pair);
        let cells = a.len() * b.len();
        memory::reserve("the alignment of one pair of trees", &mut self.cells, cells)?;
        let bits = step::ALL | state::ANY | state::MAPPED;
        for r in (1..=a.len()).rev() {
            self.cells.extend((1..=b.len() as u32).rev().map(|column| Cell { column, bits }));
            if problem.x.first[a.first + r - 1] as usize == a.first {
                let path = problem.y.path(pair.1).iter().rev();
                self.roots.extend(path.map(|&j| j + 1 - b.first as u32));
            }
            self.end_row(r);
            cancel.check()?;
        }
        Ok(())
    }
}

/// The reached cells of one forest.
#[derive(Debug, Clone)]
pub(crate) struct ReachedForest<'a> {
    all: &'a Reached,
    range: Range<usize>,
}

impl<'a> ReachedForest<'a> {
    /// Row number, reached cells and roots, from the last row to the first.
    pub(crate) fn rows(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, &'a [Cell], &'a [u32])> + use<'a> {
        let all = self.all;
        self.range.clone().map(|k| {
            let RowEnds { index, cells, roots } = all.rows[k];
            let from = all.ends(k);
            (index, &all.cells[from.0..cells], &all.roots[from.1..roots])
        })
    }

    /// The open steps of all cells, 0 where none is reached.
    pub(crate) fn steps(&self, width: usize, height: usize) -> Vec<u8> {
        let mut steps = vec![0; width * height];
        for (row, cells, _) in self.rows() {
            for cell in cells {
                steps[row * width + cell.column as usize] = cell.bits & step::ALL;
            }
        }
        steps
    }
}

/// The pairs of nodes that can be paired, and the pairs of spans they lie in.
#[derive(Debug)]
pub(crate) struct Reach {
    /// Whether pairing two nodes is optimal for their subtrees, as far as that matters.
    pub(crate) may_pair: Recycled<bool>,
    /// Pairs with a leaf: there is nothing to find out below them.
    pub(crate) leaves: Vec<(u32, u32)>,
    /// Pairs of spans, as indices, ascending: inner ones come before outer ones.
    pub(crate) spans: Vec<(u32, u32)>,
}

impl Reach {
    /// Everything, for weights under which every alignment counts.
    pub(crate) fn all<Q: Integer>(problem: &Problem<'_, Q>) -> Result<Self> {
        let (rows, columns) = (problem.x.spans.len(), problem.y.spans.len());
        let may_pair = Recycled::filled(0, false)?;
        let mut reach = Self { may_pair, leaves: Vec::new(), spans: Vec::new() };
        for s in 0..rows {
            for t in 0..columns {
                let (a, b) = problem.spans((s, t));
                let whole = (s + 1, t + 1) == (rows, columns);
                if whole || (a.len() > 1 && b.len() > 1) {
                    reach.spans.push((s as u32, t as u32));
                    continue;
                }
                let (path_x, path_y) = (problem.x.path(s), problem.y.path(t));
                for &i in path_x {
                    reach.leaves.extend(path_y.iter().map(|&j| (i, j)));
                }
            }
        }
        Ok(reach)
    }

    /// Walks down from the whole trees. A subtree pair is entered if its saving is needed; its
    /// roots turn out to be paired in an optimal way, or not, when its own forest is computed.
    pub(crate) fn new<Q: Integer>(
        problem: &Problem<'_, Q>,
        scratch: &mut ReachScratch<Q>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let (n, m) = problem.shape();
        let mut reach = Self {
            may_pair: Recycled::filled(n * m, false)?,
            leaves: Vec::new(),
            spans: Vec::new(),
        };
        if problem.is_trivial() {
            return Ok(reach);
        }
        let (rows, columns) = (problem.x.spans.len(), problem.y.spans.len());
        let mut active = vec![false; rows * columns];
        active[rows * columns - 1] = true;
        let mut entered = Recycled::filled(n * m, false)?;
        let ReachScratch { forest, met } = scratch;
        for pair in (0..rows * columns).rev() {
            if !active[pair] {
                continue;
            }
            cancel.check()?;
            let pair = (pair / columns, pair % columns);
            forest.fill(problem, problem.spans(pair), None, cancel)?;
            let mut walk = ReachWalk::new(problem, forest, pair, None, met)?;
            for r in (1..=walk.spans.0.len()).rev() {
                cancel.check()?;
                walk.row(r, |i, j, _, bits| {
                    if bits & step::PAIR == 0 || std::mem::replace(&mut entered[i * m + j], true) {
                        return;
                    }
                    if problem.x.is_leaf(i) || problem.y.is_leaf(j) {
                        let may_pair =
                            problem.pair(i, j) >= problem.trees[i * m + j] - problem.slack;
                        reach.may_pair[i * m + j] = may_pair;
                        if may_pair {
                            reach.leaves.push((i as u32, j as u32));
                        }
                        return;
                    }
                    let (s, t) = (problem.x.span_of[i], problem.y.span_of[j]);
                    active[s as usize * columns + t as usize] = true;
                });
                walk.roots(r, |node, is_optimal| {
                    reach.may_pair[node] = entered[node] && is_optimal();
                    reach.may_pair[node]
                });
            }
            reach.spans.push((pair.0 as u32, pair.1 as u32));
        }
        reach.spans.reverse();
        Ok(reach)
    }

    /// Adds the reached cells of the forest of a pair of spans, given as indices.
    pub(crate) fn list<Q: Integer>(
        &self,
        problem: &Problem<'_, Q>,
        pair: (usize, usize),
        scratch: &mut ReachScratch<Q>,
        found: &mut Reached,
        cancel: &Cancel,
    ) -> Result<()> {
        let may_pair = Some(self.may_pair.as_slice());
        let ReachScratch { forest, met } = scratch;
        forest.fill(problem, problem.spans(pair), may_pair, cancel)?;
        let mut walk = ReachWalk::new(problem, forest, pair, may_pair, met)?;
        let first = walk.spans.1.first;
        for r in (1..=walk.spans.0.len()).rev() {
            cancel.check()?;
            walk.row(r, |_, _, column, bits| {
                found.cells.push(Cell { column: column as u32, bits });
            });
            walk.roots(r, |node, _| {
                if self.may_pair[node] {
                    found.roots.push((node % problem.y.nodes + 1 - first) as u32);
                }
                self.may_pair[node]
            });
            found.end_row(r);
        }
        Ok(())
    }
}

/// What finding reached cells needs besides the trees.
#[derive(Debug)]
pub(crate) struct ReachScratch<Q: Recycle> {
    pub(crate) forest: Forest<Q>,
    /// States in which each cell is reached.
    met: Recycled<u8>,
}

impl<Q: Recycle> Default for ReachScratch<Q> {
    fn default() -> Self {
        Self { forest: Forest::default(), met: Recycled::default() }
    }
}

/// A walk over the reached cells of one filled forest, the last row first.
struct ReachWalk<'w, 'p, Q: Recycle> {
    problem: &'w Problem<'p, Q>,
    forest: &'w Forest<Q>,
    spans: (Span, Span),
    /// The nodes of y on the path of its span.
    path: &'w [u32],
    may_pair: Option<&'w [bool]>,
    met: &'w mut Recycled<u8>,
}

impl<'w, 'p, Q: Integer> ReachWalk<'w, 'p, Q> {
    fn new(
        problem: &'w Problem<'p, Q>,
        forest: &'w Forest<Q>,
        pair: (usize, usize),
        may_pair: Option<&'w [bool]>,
        met: &'w mut Recycled<u8>,
    ) -> Result<Self> {
        let spans = problem.spans(pair);
        let cells = (spans.0.len() + 1) * forest.width;
        met.clear();
        met.reserve_len(cells, 0)?;
        if pair == (problem.x.spans.len() - 1, problem.y.spans.len() - 1) {
            met[cells - 1] = state::ANY;
        }
        Ok(Self { problem, forest, spans, path: problem.y.path(pair.1), may_pair, met })
    }

    /// Goes through the reached cells of a row: `visit(i, j, column, states and steps)`.
    #[inline(always)]
    fn row(&mut self, r: usize, mut visit: impl FnMut(usize, usize, usize, u8)) {
        let (a, b) = self.spans;
        let width = self.forest.width;
        let i = a.first + r - 1;
        let beside = (self.problem.x.first[i] as usize - a.first) * width;
        let mut c = b.len();
        while c > 0 {
            let cell = r * width + c;
            let mut states = self.met[cell];
            if states == 0 {
                c -= 1;
                // Most cells are not reached: look at eight at once.
                while c >= 8 && self.met[r * width + c - 7..][..8] == [0; 8] {
                    c -= 8;
                }
                continue;
            }
            let j = b.first + c - 1;
            let open = self.forest.open(self.problem, self.spans, (r, c), self.may_pair);
            let mut steps = 0;
            if states & state::ANY != 0 {
                steps |= open & (step::DELETE | step::MAPPED);
                if open & step::DELETE != 0 {
                    self.met[cell - width] |= state::ANY;
                }
                if open & step::MAPPED != 0 {
                    states |= state::MAPPED;
                }
            }
            if states & state::MAPPED != 0 {
                steps |= open & (step::INSERT | step::PAIR);
                if open & step::INSERT != 0 {
                    self.met[cell - 1] |= state::MAPPED;
                }
                if open & step::PAIR != 0 {
                    self.met[beside + self.problem.y.first[j] as usize - b.first] |= state::ANY;
                }
            }
            visit(i, j, c, states | steps);
            c -= 1;
        }
    }

    /// Goes through the pairs of a row that are the roots of subtrees of this forest, and enters
    /// what is below them if `enter(node, whether pairing them is optimal)` says so.
    #[inline(always)]
    fn roots(&mut self, r: usize, mut enter: impl FnMut(usize, &dyn Fn() -> bool) -> bool) {
        let (a, b) = self.spans;
        let i = a.first + r - 1;
        if self.problem.x.first[i] as usize != a.first {
            return;
        }
        for &j in self.path.iter().rev() {
            let j = j as usize;
            let node = i * self.problem.y.nodes + j;
            let below = (r - 1) * self.forest.width + j - b.first;
            let optimal = || {
                let paired = self.forest.saving[below] + self.problem.pair(i, j);
                paired >= self.problem.trees[node] - self.problem.slack
            };
            if enter(node, &optimal) {
                self.met[below] |= state::ANY;
            }
        }
    }
}
