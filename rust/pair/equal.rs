//! Pairs whose distance is 0, seen without computing it.

use crate::pair::{Costs, Operand};

impl Costs<'_> {
    /// Whether replacing one label by another costs nothing.
    pub(crate) fn is_free(self, from: u32, to: u32) -> bool {
        match self {
            Costs::Unit => from == to,
            // Also where keeping a label is never done, and so saves less than anything.
            _ => self.delete(from) + self.insert(to) == self.raw_saving(from, to),
        }
    }
}

/// Whether two trees are alike node by node, and replacing every node by its counterpart costs
/// nothing. No alignment costs less than nothing, so their distance is 0. Under tables in which
/// keeping a label costs something, equal trees are not among them, and the cheapest way from one to
/// the other may be any.
///
/// Trees that differ are distinguished by one comparison of numbers, with few exceptions.
#[inline]
pub(crate) fn costs_nothing(x: &Operand<'_>, y: &Operand<'_>, costs: Costs<'_>) -> bool {
    x.tree.pattern() == y.tree.pattern()
        && all_labels(x, y, |from, to| costs.is_free(from, to))
        && x.tree.has_pattern_of(y.tree)
}

/// Whether two trees have the same label codes in the same places.
#[inline]
pub(crate) fn is_same(x: &Operand<'_>, y: &Operand<'_>) -> bool {
    costs_nothing(x, y, Costs::Unit)
}

fn all_labels(x: &Operand<'_>, y: &Operand<'_>, holds: impl Fn(u32, u32) -> bool) -> bool {
    let (of_x, of_y) = (x.tree.labels(), y.tree.labels());
    of_x.len() == of_y.len() && of_x.iter().zip(of_y).all(|(&a, &b)| holds(x.code(a), y.code(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostTable;
    use crate::distance::{
        Kernel, Scratch, Workspace, best_route, distance, distance_by, distance_within,
    };
    use crate::naive::{Plain, trees};
    use crate::pair::Pair;
    use crate::parallel::Cancel;
    use crate::tree::{Numbering, Prepared};
    use proptest::prelude::*;

    fn prepare(tree: &Plain) -> Prepared {
        Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
    }

    proptest! {
        /// Also where keeping a label costs something, where other labels are free, and where two
        /// trees over different alphabets have one pattern.
        #[test]
        fn pairs_that_cost_nothing_are_at_distance_0(
            x in trees(12, 3),
            costs in proptest::collection::vec(0u8..3, 9 + 6),
            renamed in proptest::collection::vec(0u32..3, 3),
        ) {
            let costs: Vec<_> = costs.iter().map(|&cost| f64::from(cost)).collect();
            let table = CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap();
            let tree = prepare(&x);
            let mut workspace = Workspace::default();
            let cancel = Cancel::default();
            let source = Operand { tree: &tree, codes: None };
            for codes in [None, Some(&renamed[..])] {
                let target = Operand { tree: &tree, codes };
                for costs in [Costs::Unit, Costs::Table(&table)] {
                    let (route, _) = best_route(&tree, &tree, costs);
                    let w = &mut workspace;
                    let slow =
                        distance_by(&Pair { x: source, y: target, costs }, Kernel::Scalar, route, &mut Scratch { workspace: w, cancel: &cancel }).unwrap();
                    prop_assert_eq!(distance(&Pair { x: source, y: target, costs }, &mut Scratch { workspace: w, cancel: &cancel }).unwrap(), slow);
                    let free = costs_nothing(&source, &target, costs);
                    prop_assert!(!free || slow == 0.0);
                    if matches!(costs, Costs::Unit) {
                        prop_assert_eq!(free, slow == 0.0);
                        prop_assert_eq!(is_same(&source, &target), free);
                    }
                }
            }
        }

        #[test]
        fn trees_of_unit_costs_cost_nothing_if_they_are_equal(x in trees(4, 2), y in trees(4, 2)) {
            let (a, b) = (prepare(&x), prepare(&y));
            let (a, b) = (Operand { tree: &a, codes: None }, Operand { tree: &b, codes: None });
            prop_assert_eq!(costs_nothing(&a, &b, Costs::Unit), x == y);
        }
    }

    /// Their tables would take a hundred gigabytes.
    #[test]
    fn equal_trees_of_any_size_are_compared_at_once() {
        let n = 300_000;
        let chain = Plain { codes: vec![0; n], parents: (0..n as i32).map(|i| i - 1).collect() };
        let (a, b) = (prepare(&chain), prepare(&chain));
        let (a, b) = (Operand { tree: &a, codes: None }, Operand { tree: &b, codes: None });
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let costs = Costs::Unit;
        assert_eq!(
            distance(
                &Pair { x: a, y: b, costs },
                &mut Scratch { workspace: &mut workspace, cancel: &cancel }
            ),
            Ok(0.0)
        );
        assert_eq!(
            distance_within(
                &Pair { x: a, y: b, costs },
                0.0,
                &mut Scratch { workspace: &mut workspace, cancel: &cancel }
            ),
            Ok(0.0)
        );
    }
}
