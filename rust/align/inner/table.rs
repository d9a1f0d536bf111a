//! Tables of all subforests of the second tree, and what a node that joins adds to them.

use crate::align::amount::Amount;
use crate::align::inner::path::Sides;
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;
use std::ops::Range;

/// Rows and lanes that are turned at a time.
const TILE: usize = 16;

/// A table of all subforests of the second tree: rows in the postorder of a side, lanes in the other.
#[derive(Debug)]
pub(super) struct Table<A: Recycle> {
    pub(super) side: usize,
    pub(super) cells: Recycled<A>,
}

impl<A: Amount> Table<A> {
    pub(super) fn copy(&self) -> Result<Self> {
        let mut cells = Recycled::filled(self.cells.len(), A::zero())?;
        cells.clone_from_slice(&self.cells);
        Ok(Self { side: self.side, cells })
    }

    /// Exchanges rows and lanes, so that rows are in the postorder of the other side.
    pub(super) fn turn(&mut self, m: usize, side: usize) {
        if self.side == side {
            return;
        }
        self.side = side;
        for down in (0..m).step_by(TILE) {
            for right in (0..=down).step_by(TILE) {
                for row in down..m.min(down + TILE) {
                    for lane in right..row.min(right + TILE) {
                        self.cells.swap(row * m + lane, lane * m + row);
                    }
                }
            }
        }
    }
}

/// The second tree in one of its postorders.
pub(super) struct Order<'a> {
    columns: &'a Sides<'a>,
    pub(super) side: usize,
    m: usize,
}

impl<'a> Order<'a> {
    pub(super) fn new(columns: &'a Sides<'a>, side: usize) -> Self {
        Self { columns, side, m: columns.nodes }
    }

    /// The node of a row in the left postorder.
    pub(super) fn left(&self, row: usize) -> usize {
        self.columns.left(self.side, row)
    }

    /// The place of the node of a row among the lanes.
    pub(super) fn place(&self, row: usize) -> usize {
        self.columns.places[self.side][row] as usize
    }

    /// The cell of the forest below the node of a row; none if it is empty.
    pub(super) fn below(&self, row: usize) -> Option<usize> {
        (self.columns.trees[self.side].size[row] > 1)
            .then(|| (row - 1) * self.m + self.place(row) - 1)
    }

    /// The row of what is beside the node of a row; none if there is nothing.
    pub(super) fn beside(&self, row: usize) -> Option<Range<usize>> {
        let size = self.columns.trees[self.side].size[row] as usize;
        let before = (row + 1).checked_sub(size + 1)?;
        Some(before * self.m..(before + 1) * self.m)
    }

    /// Adds to each cell the alignments that pair the node that joins, with the nodes of all rows so
    /// far. Without a table apart, there is nothing beside it.
    pub(super) fn add_up<A: Amount>(
        &self,
        cells: &mut [A],
        sums: &mut [A],
        paired: &[A],
        apart: Option<&[A]>,
    ) {
        sums.fill(A::zero());
        let mut least = self.m;
        for (row, cells) in cells.chunks_exact_mut(self.m.max(1)).enumerate() {
            let (place, paired) = (self.place(row), &paired[self.left(row)]);
            let known = apart.and_then(|apart| Some(&apart[self.beside(row)?]));
            match known {
                None => sums[place..].iter_mut().for_each(|sum| sum.add(paired)),
                Some(known) => {
                    for (sum, known) in sums[place..].iter_mut().zip(&known[place..]) {
                        sum.add(&known.times(paired));
                    }
                }
            }
            least = least.min(place);
            cells[least..].iter_mut().zip(&sums[least..]).for_each(|(cell, sum)| cell.add(sum));
        }
    }

    /// The derivatives of what [`Order::add_up`] reads, given those of what it writes: of the pairs
    /// and of the table apart, which are added to.
    pub(super) fn flow_back<A: Amount>(
        &self,
        back: &[A],
        sums: &mut [A],
        (paired, flow): (&[A], &mut [A]),
        mut apart: Option<(&[A], &mut [A])>,
    ) {
        sums.fill(A::zero());
        for (row, back) in back.chunks_exact(self.m.max(1)).enumerate().rev() {
            let (place, j) = (self.place(row), self.left(row));
            sums.iter_mut().zip(back).for_each(|(sum, back)| sum.add(back));
            let mut found = A::zero();
            match (&mut apart, self.beside(row)) {
                (Some((known, into)), Some(beside)) => {
                    let (known, into) = (&known[beside.clone()], &mut into[beside]);
                    let known = known[place..].iter().zip(&mut into[place..]);
                    for (sum, (known, into)) in sums[place..].iter().zip(known) {
                        found.add(&sum.times(known));
                        into.add(&sum.times(&paired[j]));
                    }
                }
                _ => sums[place..].iter().for_each(|sum| found.add(sum)),
            }
            flow[j].add(&found);
        }
    }
}
