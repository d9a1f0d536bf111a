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
    use crate::naive::{Plain, trees};
    use crate::tree::{Numbering, Prepared};
    use proptest::prelude::*;

    fn prepare(tree: &Plain) -> Prepared {
        Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
    }

    proptest! {
        #[test]
        fn trees_of_unit_costs_cost_nothing_if_they_are_equal(x in trees(4, 2), y in trees(4, 2)) {
            let (a, b) = (prepare(&x), prepare(&y));
            let (a, b) = (Operand { tree: &a, codes: None }, Operand { tree: &b, codes: None });
            prop_assert_eq!(costs_nothing(&a, &b, Costs::Unit), x == y);
        }
    }
}
