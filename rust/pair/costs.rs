//! What edits between two trees cost: 1 each, as much as their kind says, or as a table says.

use crate::cost::{CostTable, OperationCosts, Scale};
use crate::pair::Operand;

/// What edits cost.
#[derive(Debug, Clone, Copy)]
pub enum Costs<'a> {
    /// 1 for every edit; labels with equal codes match.
    Unit,
    /// By the kind of edit; labels with equal codes match.
    Operations(&'a OperationCosts),
    /// By table: source codes are its rows, target codes its columns.
    Table(&'a CostTable),
}

impl<'a> Costs<'a> {
    /// The costs by kind of edit, if all that counts of labels is whether they are equal.
    #[inline(always)]
    pub(crate) fn operations(self) -> Option<&'a OperationCosts> {
        match self {
            Costs::Unit => Some(&OperationCosts::UNIT),
            Costs::Operations(costs) => Some(costs),
            Costs::Table(_) => None,
        }
    }

    /// How quanta become costs again.
    pub fn scale(self) -> Scale {
        match self {
            Costs::Unit => Scale::Decimal(0),
            Costs::Operations(costs) => costs.scale(),
            Costs::Table(table) => table.scale(),
        }
    }

    /// Whether single savings need more than 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        self.scale().is_wide()
    }

    /// Whether sums of costs over that many nodes need more than 62 bits.
    pub(crate) fn is_wide_for(self, nodes: usize) -> bool {
        const MOST: i128 = 1 << 61;
        let largest = match self {
            Costs::Unit => 1,
            Costs::Operations(costs) => costs.largest_cost(),
            Costs::Table(table) => table.largest_cost(),
        };
        self.is_wide() || largest.saturating_mul(nodes as i128) > MOST
    }

    /// The most that pairing two nodes can save, in what kernels count: [`Costs::unit`] quanta.
    pub(crate) fn largest_saving(self) -> i128 {
        match self {
            Costs::Unit => 2,
            Costs::Operations(costs) => costs.savings().0,
            Costs::Table(table) => table.largest_saving() / table.unit(),
        }
    }

    /// How many quanta kernels count as one.
    #[inline(always)]
    pub(crate) fn unit(self) -> i128 {
        match self {
            Costs::Operations(costs) => costs.unit(),
            Costs::Table(table) => table.unit(),
            Costs::Unit => 1,
        }
    }

    /// Quanta for deleting a node with this label code.
    #[inline(always)]
    pub(crate) fn delete(self, code: u32) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Operations(costs) => costs.delete(),
            Costs::Table(table) => table.delete(code),
        }
    }

    /// Quanta for inserting a node with this label code.
    #[inline(always)]
    pub(crate) fn insert(self, code: u32) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Operations(costs) => costs.insert(),
            Costs::Table(table) => table.insert(code),
        }
    }

    /// Quanta that pairing two nodes with these label codes saves; negative where pairing loses,
    /// [`NEVER`](crate::cost::NEVER) if they are never paired.
    #[inline(always)]
    pub(crate) fn raw_saving(self, from: u32, to: u32) -> i128 {
        match self {
            Costs::Unit => 1 + i128::from(from == to),
            Costs::Operations(costs) => costs.raw_saving(from == to),
            Costs::Table(table) => table.raw_saving(from, to),
        }
    }

    /// The most quanta that deleting or inserting a label costs.
    pub(crate) fn largest_gap(self) -> i128 {
        match self {
            Costs::Unit => 1,
            Costs::Operations(costs) => costs.delete().max(costs.insert()),
            Costs::Table(table) => table.largest_gap(),
        }
    }

    /// Quanta for deleting all of a source tree.
    pub(crate) fn delete_all(self, x: &Operand<'_>) -> i128 {
        match self {
            Costs::Unit => x.tree.nodes() as i128,
            Costs::Operations(costs) => costs.delete() * x.tree.nodes() as i128,
            Costs::Table(table) => x.sum_over_nodes(|code| table.delete(code)),
        }
    }

    /// Quanta for inserting all of a target tree.
    pub(crate) fn insert_all(self, y: &Operand<'_>) -> i128 {
        match self {
            Costs::Unit => y.tree.nodes() as i128,
            Costs::Operations(costs) => costs.insert() * y.tree.nodes() as i128,
            Costs::Table(table) => y.sum_over_nodes(|code| table.insert(code)),
        }
    }

    /// Quanta as a distance.
    pub(crate) fn total(self, quanta: i128) -> f64 {
        self.scale().to_cost(quanta)
    }
}
