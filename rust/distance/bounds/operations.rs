//! Bounds of costs by kind of edit, from those of unit costs.
//!
//! An alignment with a pairs of equal and b pairs of different labels saves M a + m b units, with
//! M >= m >= 0. Of trees with n and k nodes, s in the smaller one, it has
//!
//! - a + b <= s pairs, by the sizes;
//! - a <= c equal pairs, where c counts the common labels, a multiset;
//! - 2a + b <= n + k - L, where L is the unit-cost distance of the preorder strings, or of the
//!   postorder strings, since that is what it saves there under unit costs.
//!
//! The most that M a + m b can be under these conditions bounds what an alignment saves. With unit
//! costs, M = 2 and m = 1, these are the bounds of unit costs.

use crate::cost::OperationCosts;

/// Numbers of nodes of two trees, and what edits between them cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes<'a> {
    pub(super) costs: &'a OperationCosts,
    /// Nodes of the source and of the target.
    pub(super) nodes: (u64, u64),
}

impl Sizes<'_> {
    fn smaller(&self) -> u64 {
        self.nodes.0.min(self.nodes.1)
    }

    /// What is left of deleting and inserting everything after these numbers of pairs.
    fn left(&self, equal: u64, different: u64) -> i128 {
        let (n, k) = self.nodes;
        let (of_equal, of_different) = self.costs.savings();
        let saved = of_equal * i128::from(equal) + of_different * i128::from(different);
        self.costs.delete() * i128::from(n) + self.costs.insert() * i128::from(k)
            - self.costs.unit() * saved
    }

    /// The bound by the sizes, in quanta.
    pub(super) fn by_sizes(&self) -> i128 {
        self.left(self.smaller(), 0)
    }

    /// The bound by the number of common labels.
    pub(super) fn by_labels(&self, common: u64) -> i128 {
        self.left(common, self.smaller() - common)
    }

    /// The bound by a unit-cost distance of strings, or by less than that.
    pub(super) fn by_strings(&self, distance: u64) -> i128 {
        let ((n, k), smaller) = (self.nodes, self.smaller());
        let saved = (n + k).saturating_sub(distance.max(n.abs_diff(k)));
        let (of_equal, of_different) = self.costs.savings();
        // Two equal pairs take as much of the unit savings as two pairs and two more nodes.
        let equal =
            if of_equal > 2 * of_different { saved / 2 } else { saved.saturating_sub(smaller) };
        self.left(equal, (smaller - equal).min(saved - 2 * equal))
    }

    /// The largest unit-cost distance of strings whose bound is at most `limit`; all bounds are if
    /// there is none.
    pub(super) fn most_distance(&self, limit: i128) -> i64 {
        let (n, k) = self.nodes;
        let (mut within, mut above) = (n.abs_diff(k), n.max(k) + 1);
        if self.by_strings(within) > limit {
            return within as i64 - 1;
        }
        if self.by_strings(above - 1) <= limit {
            return i64::MAX;
        }
        while above - within > 1 {
            let middle = u64::midpoint(within, above);
            *if self.by_strings(middle) <= limit { &mut within } else { &mut above } = middle;
        }
        within as i64
    }

    /// Whether the bound by strings is at least that by labels: the conditions that give it
    /// include `a <= c` because every label that is not common costs an edit of a string.
    pub(super) fn strings_include_labels(&self) -> bool {
        let (of_equal, of_different) = self.costs.savings();
        of_equal <= 2 * of_different
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The most that the conditions allow, by trying everything.
        #[test]
        fn bounds_are_the_most_that_their_conditions_allow(
            nodes in (0u64..9, 0u64..9),
            costs in (0u8..6, 0u8..6, 0u8..13),
            common in 0u64..9,
            limit in -5i128..60,
        ) {
            let costs = OperationCosts::new(costs.0.into(), costs.1.into(), costs.2.into()).unwrap();
            let sizes = Sizes { costs: &costs, nodes };
            let (n, k) = nodes;
            let smaller = n.min(k);
            let least = |holds: &dyn Fn(u64, u64) -> bool| {
                let pairs = (0..=smaller).flat_map(|a| (0..=smaller - a).map(move |b| (a, b)));
                pairs.filter(|&(a, b)| holds(a, b)).map(|(a, b)| sizes.left(a, b)).min().unwrap()
            };
            prop_assert_eq!(sizes.by_sizes(), least(&|_, _| true));
            let common = common.min(smaller);
            prop_assert_eq!(sizes.by_labels(common), least(&|a, _| a <= common));
            let mut before = i128::MIN;
            for distance in n.abs_diff(k)..=n.max(k) {
                let bound = sizes.by_strings(distance);
                prop_assert_eq!(bound, least(&|a, b| 2 * a + b <= n + k - distance));
                prop_assert!(before <= bound);
                before = bound;
                let above = distance as i64 > sizes.most_distance(limit);
                prop_assert_eq!(above, bound > limit);
            }
        }
    }

    #[test]
    fn unit_costs_have_their_own_bounds() {
        let sizes = Sizes { costs: &OperationCosts::UNIT, nodes: (7, 4) };
        assert_eq!((sizes.by_sizes(), sizes.by_labels(3)), (3, 4));
        assert!((3..=7).all(|distance| sizes.by_strings(distance) == i128::from(distance)));
    }
}
