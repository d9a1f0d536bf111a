//! The walk along one path, and back.

use crate::align::amount::Amount;
use crate::align::inner::InnerSums;
use crate::align::inner::path::Step;
use crate::align::inner::table::{Order, Table};
use crate::align::recycle::{Recycle, Recycled};
use crate::error::Result;

/// A walk along one path and back.
pub(super) struct Walk<A: Recycle> {
    m: usize,
    pub(super) table: Table<A>,
    /// Tables without some subtrees, by the number of the leaf that the subtree begins with, from
    /// the first one since the last stop; and their derivatives.
    apart: Vec<(Table<A>, Option<Table<A>>)>,
    first_leaf: Option<usize>,
    /// The running sum of a row.
    sums: Vec<A>,
}

impl<A: Amount> Walk<A> {
    pub(super) fn new(m: usize) -> Result<Self> {
        let cells = Recycled::filled(m * m, A::one())?;
        let table = Table { side: 0, cells };
        Ok(Self { m, table, apart: Vec::new(), first_leaf: None, sums: vec![A::zero(); m] })
    }

    /// Goes on from a table that was kept.
    pub(super) fn restart(&mut self, table: Table<A>) {
        self.table = table;
        self.forget();
    }

    /// Drops the tables without subtrees: there are none to join any more.
    pub(super) fn forget(&mut self) {
        self.apart.clear();
        self.first_leaf = None;
    }

    pub(super) fn forward(
        &mut self,
        pair: &mut InnerSums<'_, A>,
        step: Step,
        is_new: bool,
    ) -> Result<()> {
        pair.cancel.check()?;
        let m = self.m;
        match step {
            Step::Join { node, side, apart, is_leaf } => {
                self.table.turn(m, side);
                if is_leaf {
                    self.first_leaf.get_or_insert(apart);
                    self.apart.push((self.table.copy()?, None));
                }
                let apart = &self.apart[apart - self.first_leaf.unwrap_or(0)].0;
                let order = Order::new(&pair.columns, side);
                let paired = &pair.paired[node * m..][..m];
                order.add_up(&mut self.table.cells, &mut self.sums, paired, Some(&apart.cells));
            }
            Step::Crown { node } => {
                let order = Order::new(&pair.columns, self.table.side);
                if is_new && node < pair.rows.nodes {
                    for row in 0..m {
                        let j = order.left(row);
                        let below = match order.below(row) {
                            None => A::one(),
                            Some(cell) => self.table.cells[cell].clone(),
                        };
                        pair.paired[node * m + j] = below.times(&(pair.weight)(node, j));
                    }
                }
                let paired = &pair.paired[node * m..][..m];
                order.add_up(&mut self.table.cells, &mut self.sums, paired, None);
                if is_new {
                    self.forget();
                }
            }
        }
        Ok(())
    }

    pub(super) fn backward(
        &mut self,
        pair: &InnerSums<'_, A>,
        step: Step,
        back: &mut Table<A>,
        flow: &mut [A],
    ) -> Result<()> {
        pair.cancel.check()?;
        let m = self.m;
        match step {
            Step::Join { node, side, apart, is_leaf } => {
                back.turn(m, side);
                let number = apart - self.first_leaf.unwrap_or(0);
                let (known, derived) = &mut self.apart[number];
                if derived.is_none() {
                    let cells = Recycled::filled(m * m, A::zero())?;
                    *derived = Some(Table { side, cells });
                }
                let Some(into) = derived else { return Ok(()) };
                let order = Order::new(&pair.columns, side);
                let (paired, flow) = (&pair.paired[node * m..][..m], &mut flow[node * m..][..m]);
                let apart = Some((&known.cells[..], &mut into.cells[..]));
                order.flow_back(&back.cells, &mut self.sums, (paired, flow), apart);
                if is_leaf {
                    for (cell, derived) in back.cells.iter_mut().zip(into.cells.iter()) {
                        cell.add(derived);
                    }
                    self.apart.truncate(number);
                }
            }
            Step::Crown { node } => {
                let order = Order::new(&pair.columns, back.side);
                let (paired, flow) = (&pair.paired[node * m..][..m], &mut flow[node * m..][..m]);
                order.flow_back(&back.cells, &mut self.sums, (paired, &mut *flow), None);
                if node < pair.rows.nodes {
                    for row in 0..m {
                        let j = order.left(row);
                        if let Some(cell) = order.below(row) {
                            back.cells[cell].add(&flow[j].times(&(pair.weight)(node, j)));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
