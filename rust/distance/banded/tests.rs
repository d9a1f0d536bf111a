use super::*;
use crate::distance::tests::{prepare, shape, some_cost, table};
use crate::distance::{Workspace, distance};
use crate::naive::{self, Plain, trees};
use crate::tree::Prepared;
use proptest::prelude::*;

fn operand(tree: &Prepared) -> Operand<'_> {
    Operand { tree, codes: None }
}

/// Bands of both orientations for a limit, whether they pay or not.
fn check(x: &Prepared, y: &Prepared, costs: Costs<'_>, limits: impl Iterator<Item = i128>) {
    let (x, y) = (operand(x), operand(y));
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
    let pair = &Pair { x, y, costs };
    let plan = &PairPlan::of_unequal(pair);
    let exact = distance(pair, scratch).unwrap();
    for limit in limits {
        let expected = if exact <= costs.total(limit) { exact } else { f64::INFINITY };
        let chosen = distance_up_to(pair, plan, limit, scratch).unwrap();
        assert_eq!(chosen, expected, "limit {limit}");
        let Some(edits) = most_edits(pair, limit) else { continue };
        if x.tree.nodes() == 0 || y.tree.nodes() == 0 {
            continue;
        }
        for side in Orientation::BOTH {
            let band = Band::new(pair, edits, side);
            let found = band.cost(costs, &cancel).unwrap();
            // Above the limit a band may find something more expensive than the distance, or nothing.
            let found = found.map_or(f64::INFINITY, |cost| costs.total(cost.into()));
            assert!(found >= exact, "limit {limit}: {found} < {exact}");
            let cut = if found <= costs.total(limit) { found } else { f64::INFINITY };
            assert_eq!(cut, expected, "limit {limit}, {side:?}");
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(150))]

    #[test]
    fn all_limits_of_any_two_trees(
        x in trees(25, 2), y in trees(25, 2), seed in any::<u64>(), kinds in naive::kinds()
    ) {
        let (a, b) = (prepare(&x), prepare(&y));
        check(&a, &b, Costs::Unit, 0..=(x.codes.len() + y.codes.len()) as i128);
        let table = table(&some_cost(seed), 2, 1.0);
        let all = 15 * (x.codes.len() + y.codes.len()) as i128;
        check(&a, &b, Costs::Table(&table), (0..=all).step_by(7));
        let operations = naive::operations(kinds, 1.0);
        check(&a, &b, Costs::Operations(&operations), (0..=all / 2).step_by(3));
    }

    #[test]
    fn trees_a_few_edits_apart(
        x in trees(120, 3), edits in proptest::collection::vec((0..120usize, 0..3i32), 0..8)
    ) {
        let y = edited(&x, &edits);
        check(&prepare(&x), &prepare(&y), Costs::Unit, 0..20);
        let operations = naive::operations([3, 2, 4], 1.0);
        check(&prepare(&x), &prepare(&y), Costs::Operations(&operations), 0..40);
    }
}

/// Relabels nodes, or takes leaves out.
fn edited(tree: &Plain, edits: &[(usize, i32)]) -> Plain {
    let mut tree = tree.clone();
    for &(place, label) in edits {
        if place >= tree.codes.len() {
            continue;
        }
        if tree.parents.contains(&(place as i32)) {
            tree.codes[place] = label;
            continue;
        }
        tree.codes.remove(place);
        tree.parents.remove(place);
        for parent in &mut tree.parents {
            *parent -= i32::from(*parent > place as i32);
        }
    }
    tree
}

fn zigzag(n: usize) -> Plain {
    // Down the middle, every second step with a leaf to the left, else to the right.
    let mut tree = Plain { codes: Vec::new(), parents: Vec::new() };
    let mut waiting = Vec::new();
    let mut spine = -1;
    while tree.codes.len() + waiting.len() < n {
        let node = tree.codes.len() as i32;
        tree.codes.push(node % 3);
        tree.parents.push(spine);
        spine = node;
        if node % 4 == 0 {
            tree.codes.push(0);
            tree.parents.push(spine);
        } else {
            waiting.push(spine);
        }
    }
    while let Some(parent) = waiting.pop() {
        tree.codes.push(1);
        tree.parents.push(parent);
    }
    tree
}

#[test]
fn large_trees_where_the_band_is_chosen() {
    let comb = shape(400, |i| if i == 0 { -1 } else { (i as i32 - 1) / 2 * 2 });
    let bushy = shape(400, |i| if i == 0 { -1 } else { (i as i32 - 1) / 3 });
    let bushy = in_preorder(&bushy);
    for tree in [comb, bushy, zigzag(300)] {
        crate::tree::check_preorder(&tree.parents).unwrap();
        let other = edited(&tree, &[(7, 2), (90, 1), (150, 2), (299, 0), (200, 1)]);
        let (x, y) = (prepare(&tree), prepare(&other));
        check(&x, &y, Costs::Unit, 0..10);
        let table = table(&|a, b| 3 * i64::from(a != b) - i64::from(b.is_none()), 3, 0.5);
        check(&x, &y, Costs::Table(&table), 0..40);
    }
    // Bad both ways, and near each other.
    let (x, y) = (prepare(&zigzag(600)), prepare(&zigzag(602)));
    let pair = &Pair { x: operand(&x), y: operand(&y), costs: Costs::Unit };
    let cells = PairPlan::new(pair).cells();
    assert!(Band::that_pays(pair, cells, 6).is_some());
    assert!(Band::that_pays(pair, cells, 600).is_none());
}

/// The same tree with its nodes in preorder.
fn in_preorder(tree: &Plain) -> Plain {
    let n = tree.codes.len();
    let mut out = Plain { codes: Vec::new(), parents: Vec::new() };
    let mut open = vec![(0, -1)];
    while let Some((node, parent)) = open.pop() {
        let here = out.codes.len() as i32;
        out.codes.push(tree.codes[node]);
        out.parents.push(parent);
        let children = (0..n).rev().filter(|&i| tree.parents[i] == node as i32);
        open.extend(children.map(|child| (child, here)));
    }
    out
}

#[test]
fn a_cancelled_band_stops() {
    let tree = prepare(&shape(3000, |i| if i == 0 { -1 } else { (i as i32 - 1) / 2 * 2 }));
    let cancel = Cancel::default();
    cancel.cancel();
    let pair = &Pair { x: operand(&tree), y: operand(&tree), costs: Costs::Unit };
    let scratch = &mut Scratch { workspace: &mut Workspace::default(), cancel: &cancel };
    let found = distance_up_to(pair, &PairPlan::of_unequal(pair), 5, scratch);
    assert_eq!(found, Err(crate::Error::Cancelled));
}
