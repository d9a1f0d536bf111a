//! Amounts of alignments over the reached cells, and their derivatives.
//!
//! Forward, the inner pairs of spans first: `any` and `mapped` hold the amounts of derivations of
//! every cell. Backward, the outer ones first: the derivative of the total with respect to each
//! amount (reverse mode). The share of alignments with a pair is the product of the two.

use crate::align::Integer;
use crate::align::amount::Amount;
use crate::align::forest::step;
use crate::align::problem::Problem;
use crate::align::reach::{Cell, Reach, Reached, ReachedForest, state};
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;
use crate::parallel::Cancel;
use std::ops::Range;

/// Lists of reached cells are kept between the passes up to this many bytes, then found again.
/// Next to nothing in tests, so that they see both.
pub(crate) const KEEP_LISTS: usize = if cfg!(test) { 100 } else { 64 << 20 };

/// Amounts of derivations of the reached cells of one forest; those of others mean nothing.
#[derive(Debug)]
pub(crate) struct Amounts<A: Recycle> {
    pub(crate) any: Recycled<A>,
    pub(crate) mapped: Recycled<A>,
}

/// The forest of a pair of spans, for amounts.
struct ForestLayout<'p> {
    width: usize,
    height: usize,
    first: (usize, usize),
    /// First nodes of the subtrees of x and of y.
    firsts: (&'p [u32], &'p [u32]),
    /// Number of nodes of y.
    nodes: usize,
}

impl ForestLayout<'_> {
    /// The index of the node pair of a cell among all.
    #[inline(always)]
    fn node(&self, r: usize, c: usize) -> usize {
        (self.first.0 + r - 1) * self.nodes + self.first.1 + c - 1
    }

    /// Where the row begins that is beside the subtree of row `r`.
    #[inline(always)]
    fn row_beside(&self, r: usize) -> usize {
        let i = self.first.0 + r - 1;
        (self.firsts.0[i] as usize - self.first.0) * self.width
    }

    /// The column beside the subtree of column `c`.
    #[inline(always)]
    fn column_beside(&self, c: usize) -> usize {
        self.firsts.1[self.first.1 + c - 1] as usize - self.first.1
    }
}

impl<A: Amount> Amounts<A> {
    pub(crate) fn new() -> Self {
        Self { any: Recycled::default(), mapped: Recycled::default() }
    }

    /// Makes room for a forest and sets its borders.
    fn reset(&mut self, layout: &ForestLayout<'_>) -> Result<()> {
        let cells = layout.width * layout.height;
        self.any.reserve_len(cells, A::zero())?;
        self.mapped.reserve_len(cells, A::zero())?;
        self.any[..layout.width].fill(A::one());
        for r in 1..layout.height {
            self.any[r * layout.width] = A::one();
            self.mapped[r * layout.width] = A::zero();
        }
        Ok(())
    }

    fn fill_row(&mut self, layout: &ForestLayout<'_>, r: usize, cells: &[Cell], pairs: &[A]) {
        let (here, beside) = (r * layout.width, layout.row_beside(r));
        for cell in cells.iter().rev() {
            let (c, bits) = (cell.column as usize, cell.bits);
            let mut mapped = A::zero();
            if bits & step::INSERT != 0 {
                mapped.add(&self.mapped[here + c - 1]);
            }
            if bits & step::PAIR != 0 {
                let beside = &self.any[beside + layout.column_beside(c)];
                mapped.add(&beside.times(&pairs[layout.node(r, c)]));
            }
            if bits & state::ANY != 0 {
                let mut any = A::zero();
                if bits & step::DELETE != 0 {
                    any.add(&self.any[here + c - layout.width]);
                }
                if bits & step::MAPPED != 0 {
                    any.add(&mapped);
                }
                self.any[here + c] = any;
            }
            self.mapped[here + c] = mapped;
        }
    }
}

/// What the two passes share.
pub(crate) struct Sweep<'p, Q: Recycle, A> {
    problem: &'p Problem<'p, Q>,
    reach: &'p Reach,
    /// Adds the reached cells of a pair of spans.
    list: List<'p>,
    /// Weight of pairing two nodes.
    weight: &'p dyn Fn(usize, usize) -> A,
}

/// Adds the reached cells of a pair of spans.
pub(crate) type List<'p> = &'p dyn Fn((usize, usize), &mut Reached) -> Result<()>;

/// Lists of reached cells by position of the pair of spans, as far as they were kept.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    kept: Reached,
    ranges: Vec<Range<usize>>,
    latest: Reached,
}

impl Lists {
    /// The list of the pair of spans at a position; at first they are asked for in order.
    pub(crate) fn get(
        &mut self,
        position: usize,
        list: impl FnOnce(&mut Reached) -> Result<()>,
    ) -> Result<ReachedForest<'_>> {
        if let Some(range) = self.ranges.get(position) {
            return Ok(self.kept.forest(range.clone()));
        }
        if position == self.ranges.len() && self.kept.bytes() < KEEP_LISTS {
            let start = self.kept.len();
            list(&mut self.kept)?;
            self.ranges.push(start..self.kept.len());
            return Ok(self.kept.forest(start..self.kept.len()));
        }
        self.latest.clear();
        list(&mut self.latest)?;
        Ok(self.latest.forest(0..self.latest.len()))
    }
}

impl<'p, Q: Integer, A: Amount> Sweep<'p, Q, A> {
    pub(crate) fn new(
        problem: &'p Problem<'p, Q>,
        reach: &'p Reach,
        list: List<'p>,
        weight: &'p dyn Fn(usize, usize) -> A,
    ) -> Self {
        Self { problem, reach, list, weight }
    }

    fn layout(&self, pair: (usize, usize)) -> ForestLayout<'_> {
        let (a, b) = self.problem.spans(pair);
        ForestLayout {
            width: b.len() + 1,
            height: a.len() + 1,
            first: (a.first, b.first),
            firsts: (&self.problem.x.first, &self.problem.y.first),
            nodes: self.problem.y.nodes,
        }
    }

    /// Amounts of every pair of nodes with what is below them, and of everything.
    pub(crate) fn forward(&self, lists: &mut Lists, cancel: &Cancel) -> Result<(Recycled<A>, A)> {
        let (n, m) = self.problem.shape();
        let mut pairs = Recycled::filled(n * m, A::zero())?;
        for &(i, j) in &self.reach.leaves {
            let (i, j) = (i as usize, j as usize);
            pairs[i * m + j] = (self.weight)(i, j);
        }
        let mut amounts = Amounts::<A>::new();
        let mut total = A::one(); // if one of the two trees is empty
        for (position, &(s, t)) in self.reach.spans.iter().enumerate() {
            cancel.check()?;
            let pair = (s as usize, t as usize);
            let layout = self.layout(pair);
            let reached = lists.get(position, |found| (self.list)(pair, found))?;
            amounts.reset(&layout)?;
            for (r, cells, roots) in reached.rows().rev() {
                cancel.check()?;
                // Pairs on both paths are used in this very forest, after they are found.
                for &c in roots {
                    let (c, i) = (c as usize, layout.first.0 + r - 1);
                    let weight = (self.weight)(i, layout.first.1 + c - 1);
                    let below = &amounts.any[(r - 1) * layout.width + c - 1];
                    pairs[layout.node(r, c)] = below.times(&weight);
                }
                amounts.fill_row(&layout, r, cells, &pairs);
            }
            total = amounts.any[layout.height * layout.width - 1].clone();
        }
        Ok((pairs, total))
    }

    /// Amounts of one forest, given those of all pairs of nodes.
    pub(crate) fn refill(
        &self,
        pair: (usize, usize),
        reached: &ReachedForest<'_>,
        pairs: &[A],
        amounts: &mut Amounts<A>,
        cancel: &Cancel,
    ) -> Result<()> {
        let layout = self.layout(pair);
        amounts.reset(&layout)?;
        for (r, cells, _) in reached.rows().rev() {
            cancel.check()?;
            amounts.fill_row(&layout, r, cells, pairs);
        }
        Ok(())
    }

    /// The share of the total that each pair of nodes takes part in, plainly or scaled.
    pub(crate) fn backward(
        &self,
        lists: &mut Lists,
        pairs: &[A],
        seed: A,
        cancel: &Cancel,
    ) -> Result<Recycled<A>> {
        let (n, m) = self.problem.shape();
        let mut adjoint = Recycled::filled(n * m, A::zero())?;
        let (mut amounts, mut flows) = (Amounts::new(), Amounts::new());
        for (position, &(s, t)) in self.reach.spans.iter().enumerate().rev() {
            cancel.check()?;
            let pair = (s as usize, t as usize);
            let reached = lists.get(position, |found| (self.list)(pair, found))?;
            self.refill(pair, &reached, pairs, &mut amounts, cancel)?;
            let layout = self.layout(pair);
            flows.reset(&layout)?;
            for (r, cells, _) in reached.rows() {
                for cell in cells {
                    flows.any[r * layout.width + cell.column as usize] = A::zero();
                    flows.mapped[r * layout.width + cell.column as usize] = A::zero();
                }
            }
            if position + 1 == self.reach.spans.len() {
                flows.any[layout.height * layout.width - 1] = seed.clone();
            }
            for (r, cells, roots) in reached.rows() {
                cancel.check()?;
                let (amounts, flows, adjoint) = (&amounts, &mut flows, &mut adjoint);
                Flow { layout: &layout, amounts, pairs, flows, adjoint }.row(r, cells);
                for &c in roots {
                    let node = layout.node(r, c as usize);
                    let (i, j) = (layout.first.0 + r - 1, layout.first.1 + c as usize - 1);
                    let flow = adjoint[node].times(&(self.weight)(i, j));
                    flows.any[(r - 1) * layout.width + c as usize - 1].add(&flow);
                }
            }
        }
        for (adjoint, pair) in adjoint.iter_mut().zip(pairs) {
            *adjoint = adjoint.times(pair);
        }
        Ok(adjoint)
    }
}

/// What derivatives flow through in one forest.
struct Flow<'a, A: Recycle> {
    layout: &'a ForestLayout<'a>,
    amounts: &'a Amounts<A>,
    /// Amounts of all pairs of nodes.
    pairs: &'a [A],
    flows: &'a mut Amounts<A>,
    adjoint: &'a mut [A],
}

impl<A: Amount> Flow<'_, A> {
    /// Hands the derivatives of the cells of a row to the cells that they were computed from.
    fn row(self, r: usize, cells: &[Cell]) {
        let Self { layout, amounts, pairs, flows, adjoint } = self;
        let (here, beside) = (r * layout.width, layout.row_beside(r));
        for cell in cells {
            let (c, bits) = (cell.column as usize, cell.bits);
            let here = here + c;
            if bits & state::ANY != 0 {
                let flow = flows.any[here].clone();
                if bits & step::DELETE != 0 {
                    flows.any[here - layout.width].add(&flow);
                }
                if bits & step::MAPPED != 0 {
                    flows.mapped[here].add(&flow);
                }
            }
            if bits & state::MAPPED != 0 {
                let flow = flows.mapped[here].clone();
                if bits & step::INSERT != 0 {
                    flows.mapped[here - 1].add(&flow);
                }
                if bits & step::PAIR != 0 {
                    let (beside, node) = (beside + layout.column_beside(c), layout.node(r, c));
                    flows.any[beside].add(&flow.times(&pairs[node]));
                    adjoint[node].add(&flow.times(&amounts.any[beside]));
                }
            }
        }
    }
}
