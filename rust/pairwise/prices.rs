//! What edits between the trees of two sets cost: one table for all, or vectors of labels.

use crate::cost::CostTable;
use crate::cost::vectors::{Gathered, VectorCosts};
use crate::distance::{Operand, Pricing, costs_nothing, delete_all, insert_all, is_same, total};
use crate::tree::Prepared;

/// Costs for many pairs of trees.
#[derive(Debug, Clone, Copy)]
pub enum Prices<'a> {
    /// The same table, or unit costs, for all pairs.
    Fixed(Pricing<'a>),
    /// Tables made from vectors for the labels that meet.
    Vectors(&'a VectorCosts<'a>),
}

impl Prices<'_> {
    /// Whether it is plain to see that the distance of two trees is 0: they are alike node by
    /// node, and replacing each by its counterpart costs nothing.
    #[inline]
    pub(crate) fn costs_nothing(self, x: &Operand<'_>, y: &Operand<'_>) -> bool {
        match self {
            Prices::Fixed(pricing) => costs_nothing(x, y, pricing),
            Prices::Vectors(_) => is_same(x, y),
        }
    }

    /// Quanta as a distance.
    pub(crate) fn total(self, quanta: i128) -> f64 {
        match self {
            Prices::Fixed(pricing) => total(pricing, quanta),
            Prices::Vectors(vectors) => vectors.scale().to_cost(quanta),
        }
    }

    /// The largest number of quanta that, as a distance, is at most `cutoff`.
    pub(crate) fn most_quanta(self, cutoff: f64) -> i128 {
        // Distances grow with their quanta, so there is a last one; division tells about where.
        let fits = |quanta| self.total(quanta) <= cutoff;
        let guess = ((cutoff / self.total(1)) as i128).clamp(0, i128::MAX - 1);
        let (mut within, mut above, mut step) = (guess, guess, 1i128);
        while within > 0 && !fits(within) {
            above = within;
            within = within.saturating_sub(step).max(0);
            step = step.saturating_mul(2);
        }
        while above == within || (above < i128::MAX && fits(above)) {
            within = above;
            above = above.saturating_add(step);
            step = step.saturating_mul(2);
        }
        while above - within > 1 {
            let middle = within + (above - within) / 2;
            *if fits(middle) { &mut within } else { &mut above } = middle;
        }
        within
    }

    /// Quanta for deleting all of a source tree.
    pub(crate) fn delete_all(self, x: &Operand<'_>) -> i128 {
        match self {
            Prices::Fixed(pricing) => delete_all(x, pricing),
            Prices::Vectors(vectors) => all_gaps(vectors, x),
        }
    }

    /// Quanta for inserting all of a target tree.
    pub(crate) fn insert_all(self, y: &Operand<'_>) -> i128 {
        match self {
            Prices::Fixed(pricing) => insert_all(y, pricing),
            Prices::Vectors(vectors) => all_gaps(vectors, y),
        }
    }
}

fn all_gaps(vectors: &VectorCosts<'_>, operand: &Operand<'_>) -> i128 {
    let labels = operand.tree.labels();
    let code = |label: u32| operand.code(labels[label as usize]);
    operand.tree.label_indices().map(|label| vectors.gap(code(label))).sum()
}

/// The labels of some trees, numbered among themselves, with their vectors.
#[derive(Debug)]
pub(crate) struct Local {
    /// The number of each label of the set; only those of the trees mean anything.
    pub(crate) codes: Vec<u32>,
    gathered: Gathered,
}

impl Local {
    /// Numbers the labels of trees whose codes translate to those of the vectors by `codes`.
    pub(crate) fn new<'t>(
        vectors: &VectorCosts<'_>,
        trees: impl Iterator<Item = &'t Prepared>,
        codes: Option<&[u32]>,
    ) -> Self {
        const NEW: u32 = u32::MAX;
        let (mut numbers, mut found) = (Vec::new(), Vec::new());
        for tree in trees {
            for &label in tree.labels() {
                if numbers.len() <= label as usize {
                    numbers.resize(label as usize + 1, NEW);
                }
                if numbers[label as usize] == NEW {
                    numbers[label as usize] = found.len() as u32;
                    found.push(codes.map_or(label, |codes| codes[label as usize]));
                }
            }
        }
        Self { codes: numbers, gathered: vectors.gather(&found) }
    }

    /// The costs from these labels to others, in their numbers.
    pub(crate) fn table(&self, vectors: &VectorCosts<'_>, other: &Self) -> CostTable {
        vectors.table(&self.gathered, &other.gathered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_last_within_the_cutoff() {
        let tables = [[0.3, 0.1], [1.0 / 3.0, 0.1], [1.0 / 3.0, 1e9], [1e-9, 1e-200]]
            .map(|[a, b]| CostTable::new(&[a], &[b], &[a]).unwrap());
        let tables = tables.iter().map(|table| Prices::Fixed(Pricing::Table(table)));
        for prices in tables.chain([Prices::Fixed(Pricing::Unit)]) {
            for cutoff in [0.0, 0.3, 1.0, 7.7, 12.0, 1e7 / 3.0] {
                let limit = prices.most_quanta(cutoff);
                assert!(prices.total(limit) <= cutoff, "{limit}");
                assert!(limit == i128::MAX - 1 || prices.total(limit + 1) > cutoff, "{limit}");
            }
        }
        assert_eq!(Prices::Fixed(Pricing::Unit).most_quanta(3.9), 3);
    }
}
