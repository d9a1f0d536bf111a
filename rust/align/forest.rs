//! The forests of one pair of spans: best savings, and which derivation steps keep them.

use crate::align::Integer;
use crate::align::problem::Problem;
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::tree::Span;

/// Steps of the grammar that are open in a cell.
pub(crate) mod step {
    /// any: delete the node of x.
    pub(crate) const DELETE: u8 = 1;
    /// any: go on with the node of x mapped.
    pub(crate) const MAPPED: u8 = 2;
    /// mapped: insert the node of y.
    pub(crate) const INSERT: u8 = 4;
    /// mapped: pair the two nodes.
    pub(crate) const PAIR: u8 = 8;
    /// Everything.
    pub(crate) const ALL: u8 = 15;
}

/// Savings of all prefixes of two spans. Cell `(r, c)` stands for the first r nodes of one span
/// and the first c of the other, hence for the nodes `first + r - 1`, `first + c - 1`.
#[derive(Debug)]
pub(crate) struct Forest<Q: Recycle> {
    pub(crate) width: usize,
    /// The best saving.
    pub(crate) saving: Recycled<Q>,
    /// The best one with the last node of the first span paired.
    pub(crate) mapped: Recycled<Q>,
}

impl<Q: Recycle> Default for Forest<Q> {
    fn default() -> Self {
        Self { width: 0, saving: Recycled::default(), mapped: Recycled::default() }
    }
}

/// One row of the recursion and what it needs.
struct ForestRow<'a, Q> {
    previous: &'a [Q],
    beside: &'a [Q],
    current: &'a mut [Q],
    mapped: &'a mut [Q],
    /// Savings of the subtrees of the row's node.
    trees: &'a [Q],
    /// First nodes of the subtrees of the columns.
    firsts: &'a [u32],
}

impl<Q: Integer> Forest<Q> {
    #[inline(always)]
    pub(crate) fn cell(&self, r: usize, c: usize) -> usize {
        r * self.width + c
    }

    fn reset(&mut self, rows: usize, columns: usize) -> Result<()> {
        self.width = columns + 1;
        let cells = (rows + 1) * self.width;
        self.saving.reserve_len(cells, Q::ZERO)?;
        self.mapped.reserve_len(cells, Q::NEVER)?;
        self.saving[..self.width].fill(Q::ZERO);
        Ok(())
    }

    /// Fills the savings of the first `rows` and `columns` nodes of two spans.
    pub(crate) fn fill_savings(
        &mut self,
        problem: &Problem<'_, Q>,
        (a, b): (Span, Span),
        (rows, columns): (usize, usize),
        cancel: &Cancel,
    ) -> Result<()> {
        self.reset(rows, columns)?;
        for r in 1..=rows {
            cancel.check()?;
            let ForestRow { previous, beside, current, trees, firsts, .. } =
                self.row(problem, (a, b), r);
            let mut best = Q::ZERO;
            let known = previous[1..].iter().zip(trees).zip(firsts);
            for (out, ((&above, &tree), &first)) in current[1..].iter_mut().zip(known) {
                let joined = beside[first as usize - b.first] + tree;
                // In this order only one comparison waits for the cell before.
                best = best.max(above.max(joined));
                *out = best;
            }
        }
        Ok(())
    }

    /// Fills everything; `may_pair` says of all pairs of nodes, row by row, whether pairing them
    /// can be optimal for their subtrees; `None` if that is not known yet.
    ///
    /// Savings of forests use those of subtrees, which are known; going on with the node mapped
    /// additionally needs that the two nodes themselves are paired.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem<'_, Q>,
        (a, b): (Span, Span),
        may_pair: Option<&[bool]>,
        cancel: &Cancel,
    ) -> Result<()> {
        self.reset(a.len(), b.len())?;
        for r in 1..=a.len() {
            cancel.check()?;
            let start = (a.first + r - 1) * problem.y.nodes + b.first;
            let row = self.row(problem, (a, b), r);
            match may_pair {
                Some(may_pair) => {
                    let may_pair = &may_pair[start..][..b.len()];
                    row.fill(b, may_pair.iter().copied());
                }
                None => row.fill(b, std::iter::repeat(true)),
            }
        }
        Ok(())
    }

    /// The parts that row `r` of the recursion works on.
    #[inline(always)]
    fn row<'a>(
        &'a mut self,
        problem: &'a Problem<'_, Q>,
        (a, b): (Span, Span),
        r: usize,
    ) -> ForestRow<'a, Q> {
        let i = a.first + r - 1;
        let (width, columns) = (self.width, self.width - 1);
        let here = r * width;
        let beside = (problem.x.first[i] as usize - a.first) * width;
        let (above, current) = self.saving.split_at_mut(here);
        let (current, mapped) = (&mut current[..width], &mut self.mapped[here..][..width]);
        current[0] = Q::ZERO;
        mapped[0] = Q::NEVER;
        ForestRow {
            previous: &above[here - width..],
            beside: &above[beside..beside + width],
            current,
            mapped,
            trees: &problem.trees[i * problem.y.nodes + b.first..][..columns],
            firsts: &problem.y.first[b.first..][..columns],
        }
    }

    /// The steps that are open in cell `(r, c)` of the filled forest.
    #[inline(always)]
    pub(crate) fn open(
        &self,
        problem: &Problem<'_, Q>,
        (a, b): (Span, Span),
        (r, c): (usize, usize),
        may_pair: Option<&[bool]>,
    ) -> u8 {
        let (i, j) = (a.first + r - 1, b.first + c - 1);
        let (cell, node) = (self.cell(r, c), i * problem.y.nodes + j);
        let (best, mapped, slack) = (self.saving[cell], self.mapped[cell], problem.slack);
        let inserted = self.mapped[cell - 1];
        let bit = |step: u8, open: bool| if open { step } else { 0 };
        let mut steps = bit(step::DELETE, self.saving[cell - self.width] >= best - slack)
            | bit(step::MAPPED, mapped >= best - slack)
            | bit(step::INSERT, inserted >= mapped - slack && inserted > Q::NEVER);
        if may_pair.is_none_or(|may_pair| may_pair[node]) {
            let (r, c) = (problem.x.first[i] as usize, problem.y.first[j] as usize);
            let joined = self.saving[self.cell(r - a.first, c - b.first)] + problem.trees[node];
            steps |= bit(step::PAIR, joined >= mapped - slack);
        }
        steps
    }
}

impl<Q: Integer> ForestRow<'_, Q> {
    #[inline(always)]
    fn fill(self, b: Span, may_pair: impl Iterator<Item = bool>) {
        let ForestRow { previous, beside, current, mapped, trees, firsts } = self;
        let (mut best, mut with_pair) = (Q::ZERO, Q::NEVER);
        let known = previous[1..].iter().zip(trees).zip(firsts).zip(may_pair);
        let out = current[1..].iter_mut().zip(&mut mapped[1..]);
        for ((out, mapped), (((&above, &tree), &first), may_pair)) in out.zip(known) {
            let joined = beside[first as usize - b.first] + tree;
            // In this order only one comparison waits for the cell before.
            best = best.max(above.max(joined));
            with_pair = with_pair.max(if may_pair { joined } else { Q::NEVER });
            *out = best;
            *mapped = with_pair;
        }
    }
}
