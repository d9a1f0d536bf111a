//! What edits between two trees cost: 1 each, or as a table says.

use crate::cost::CostTable;
use crate::pair::Operand;

/// What edits cost.
#[derive(Debug, Clone, Copy)]
pub enum Costs<'a> {
    /// 1 for every edit; labels with equal codes match.
    Unit,
    /// By table: source codes are its rows, target codes its columns.
    Table(&'a CostTable),
}

impl Costs<'_> {
    /// Whether savings need more than 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Costs::Table(table) if table.is_wide())
    }

    /// The most quanta that pairing two nodes can save.
    pub(crate) fn largest_saving(self) -> i128 {
        match self {
            Costs::Unit => 2,
            Costs::Table(table) => table.largest_saving(),
        }
    }

    /// Quanta for deleting a node with this label code.
    #[inline(always)]
    pub(crate) fn delete(self, code: u32) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Table(table) => table.delete(code),
        }
    }

    /// Quanta for inserting a node with this label code.
    #[inline(always)]
    pub(crate) fn insert(self, code: u32) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Table(table) => table.insert(code),
        }
    }

    /// Quanta that pairing two nodes with these label codes saves; negative where pairing loses.
    #[inline(always)]
    pub(crate) fn raw_saving(self, from: u32, to: u32) -> i128 {
        match self {
            Costs::Unit => 1 + i128::from(from == to),
            Costs::Table(table) => table.raw_saving(from, to),
        }
    }

    /// The most quanta that deleting or inserting a label costs.
    pub(crate) fn largest_gap(self) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Table(table) => table.largest_gap(),
        }
    }

    /// Quanta for deleting all of a source tree.
    pub(crate) fn delete_all(self, x: &Operand<'_>) -> i128 {
        match self {
            Costs::Unit => x.tree.nodes() as i128,
            Costs::Table(table) => x.sum_over_nodes(|code| table.delete(code)),
        }
    }

    /// Quanta for inserting all of a target tree.
    pub(crate) fn insert_all(self, y: &Operand<'_>) -> i128 {
        match self {
            Costs::Unit => y.tree.nodes() as i128,
            Costs::Table(table) => y.sum_over_nodes(|code| table.insert(code)),
        }
    }

    /// Quanta as a distance.
    pub(crate) fn total(self, quanta: i128) -> f64 {
        match self {
            Costs::Unit => quanta as f64,
            Costs::Table(table) => table.scale().to_cost(quanta),
        }
    }
}
