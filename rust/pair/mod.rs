//! What is compared: two trees or two sets of trees, and what edits between them cost.
//!
//! This room knows how label codes of a tree translate to those of a comparison, what deleting or
//! inserting a whole tree costs, and which pairs are at distance 0 without computing anything.

mod costs;
mod equal;
mod local;
mod norm;
mod operand;
mod set_costs;

use crate::cost::NEVER;
pub use costs::Costs;
pub(crate) use equal::{costs_nothing, is_same};
pub(crate) use local::LocalLabels;
pub use norm::Norm;
pub(crate) use norm::{Measure, Measures};
pub use operand::{Operand, Side};
pub use set_costs::SetCosts;

/// Two trees and what edits from the first to the second cost.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The source of the edits.
    pub x: Operand<'a>,
    /// The target.
    pub y: Operand<'a>,
    /// What edits cost.
    pub costs: Costs<'a>,
}

impl Pair<'_> {
    /// Whether it is plain to see that the distance is 0; see [`costs_nothing`].
    #[inline]
    pub(crate) fn costs_nothing(&self) -> bool {
        costs_nothing(&self.x, &self.y, self.costs)
    }

    /// Nodes of both trees.
    pub(crate) fn nodes(&self) -> usize {
        self.x.tree.nodes() + self.y.tree.nodes()
    }

    /// Nodes of the smaller tree.
    pub(crate) fn smaller(&self) -> usize {
        self.x.tree.nodes().min(self.y.tree.nodes())
    }

    /// Quanta for deleting all of one tree and inserting all of the other.
    pub(crate) fn nothing_saved(&self) -> i128 {
        self.costs.delete_all(&self.x) + self.costs.insert_all(&self.y)
    }

    /// The cost of an alignment with these pairs of label codes; infinite if one of them is never
    /// made.
    pub fn cost_of(&self, pairs: &[(u32, u32)]) -> f64 {
        let saving = |&(a, b): &(u32, u32)| {
            Some(self.costs.raw_saving(a, b)).filter(|&saving| saving != NEVER)
        };
        let saved: Option<i128> = pairs.iter().map(saving).sum();
        saved.map_or(f64::INFINITY, |saved| self.costs.total(self.nothing_saved() - saved))
    }
}
