//! Trees with the translation of their label codes.

use crate::tree::Prepared;

/// A tree and how its label codes translate to those of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    /// The tree.
    pub tree: &'a Prepared,
    /// Code of the comparison for each label code of the tree; `None` if they are the same.
    pub codes: Option<&'a [u32]>,
}

impl Operand<'_> {
    pub(crate) fn code(&self, label: u32) -> u32 {
        self.codes.map_or(label, |codes| codes[label as usize])
    }

    /// The sum of a cost of label codes over all nodes.
    pub(super) fn sum_over_nodes(&self, cost: impl Fn(u32) -> i128) -> i128 {
        let labels = self.tree.labels();
        self.tree.label_indices().map(|label| cost(self.code(labels[label as usize]))).sum()
    }
}

/// A set of trees and how its label codes translate to those of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The trees.
    pub trees: &'a [Prepared],
    /// As in [`Operand::codes`].
    pub codes: Option<&'a [u32]>,
}

impl<'a> Side<'a> {
    pub(crate) fn operand(&self, index: usize) -> Operand<'a> {
        Operand { tree: &self.trees[index], codes: self.codes }
    }
}
