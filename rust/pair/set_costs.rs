//! What edits between the trees of two sets cost: one table for all, or tables for the labels that meet.

use crate::cost::MeetingCosts;
use crate::pair::{Costs, Operand, costs_nothing, is_same};

/// Costs for many pairs of trees.
#[derive(Debug, Clone, Copy)]
pub enum SetCosts<'a> {
    /// The same table, or unit costs, for all pairs.
    Fixed(Costs<'a>),
    /// Tables made for the labels that meet.
    Meeting(MeetingCosts<'a>),
}

impl SetCosts<'_> {
    /// Whether it is plain to see that the distance of two trees is 0: they are alike node by
    /// node, and replacing each by its counterpart costs nothing.
    #[inline]
    pub(crate) fn costs_nothing(self, x: &Operand<'_>, y: &Operand<'_>) -> bool {
        match self {
            SetCosts::Fixed(costs) => costs_nothing(x, y, costs),
            SetCosts::Meeting(_) => is_same(x, y),
        }
    }

    /// Quanta as a distance.
    pub(crate) fn total(self, quanta: i128) -> f64 {
        match self {
            SetCosts::Fixed(costs) => costs.total(quanta),
            SetCosts::Meeting(meeting) => meeting.scale().to_cost(quanta),
        }
    }

    /// The largest number of quanta that, as a distance, is at most `cutoff`.
    pub(crate) fn most_quanta(self, cutoff: f64) -> i128 {
        self.last_quanta(cutoff, |distance| distance <= cutoff)
    }

    /// The largest number of quanta whose distance passes, if all smaller distances do; it is near
    /// the distance `guess`.
    pub(crate) fn last_quanta(self, guess: f64, passes: impl Fn(f64) -> bool) -> i128 {
        // Distances grow with their quanta, so there is a last one; division finds it roughly.
        let fits = |quanta| passes(self.total(quanta));
        let guess = ((guess / self.total(1)) as i128).clamp(0, i128::MAX - 1);
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

    /// Whether all distances are whole numbers because all costs are.
    pub fn is_whole(self) -> bool {
        matches!(self, SetCosts::Fixed(costs) if costs.total(1) == 1.0)
    }

    /// The most quanta that deleting or inserting a label costs, of all labels that have costs.
    pub(crate) fn largest_gap(self) -> i128 {
        match self {
            SetCosts::Fixed(costs) => costs.largest_gap(),
            SetCosts::Meeting(meeting) => meeting.largest_gap(),
        }
    }

    /// Quanta for deleting all of a source tree.
    pub(crate) fn delete_all(self, x: &Operand<'_>) -> i128 {
        match self {
            SetCosts::Fixed(costs) => costs.delete_all(x),
            SetCosts::Meeting(meeting) => x.sum_over_nodes(|code| meeting.gap(code)),
        }
    }

    /// Quanta for inserting all of a target tree.
    pub(crate) fn insert_all(self, y: &Operand<'_>) -> i128 {
        match self {
            SetCosts::Fixed(costs) => costs.insert_all(y),
            SetCosts::Meeting(meeting) => y.sum_over_nodes(|code| meeting.gap(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostTable;

    #[test]
    fn the_limit_is_the_last_within_the_cutoff() {
        let tables = [[0.3, 0.1], [1.0 / 3.0, 0.1], [1.0 / 3.0, 1e9], [1e-9, 1e-200]]
            .map(|[a, b]| CostTable::new(&[a], &[b], &[a]).unwrap());
        let tables = tables.iter().map(|table| SetCosts::Fixed(Costs::Table(table)));
        for costs in tables.chain([SetCosts::Fixed(Costs::Unit)]) {
            for cutoff in [0.0, 0.3, 1.0, 7.7, 12.0, 1e7 / 3.0] {
                let limit = costs.most_quanta(cutoff);
                assert!(costs.total(limit) <= cutoff, "{limit}");
                assert!(limit == i128::MAX - 1 || costs.total(limit + 1) > cutoff, "{limit}");
            }
        }
        assert_eq!(SetCosts::Fixed(Costs::Unit).most_quanta(3.9), 3);
    }
}
