//! Pairs that cost nothing have distance 0, by every way to compute it.

use super::tests::{operand, prepare};
use super::*;
use crate::cost::CostTable;
use crate::naive::{Plain, trees};
use crate::pair::{Costs, Operand, Pair, costs_nothing, is_same};
use crate::parallel::Cancel;
use proptest::prelude::*;

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
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let x = operand(&tree);
        for codes in [None, Some(&renamed[..])] {
            let y = Operand { tree: &tree, codes };
            for costs in [Costs::Unit, Costs::Table(&table)] {
                let pair = Pair { x, y, costs };
                let (route, _) = best_route(&tree, &tree, costs);
                let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
                let slow = distance_by(&pair, Kernel::Scalar, route, scratch).unwrap();
                prop_assert_eq!(distance(&pair, scratch).unwrap(), slow);
                let free = costs_nothing(&x, &y, costs);
                prop_assert!(!free || slow == 0.0);
                if matches!(costs, Costs::Unit) {
                    prop_assert_eq!(free, slow == 0.0);
                    prop_assert_eq!(is_same(&x, &y), free);
                }
            }
        }
    }
}

/// Their tables would take a hundred gigabytes.
#[test]
fn equal_trees_of_any_size_are_compared_at_once() {
    let n = 300_000;
    let chain = Plain { codes: vec![0; n], parents: (0..n as i32).map(|i| i - 1).collect() };
    let (a, b) = (prepare(&chain), prepare(&chain));
    let pair = Pair { x: operand(&a), y: operand(&b), costs: Costs::Unit };
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
    assert_eq!(distance(&pair, scratch), Ok(0.0));
    assert_eq!(distance_within(&pair, 0.0, scratch), Ok(0.0));
}
