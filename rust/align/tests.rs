//! Counts, shares, samples and enumeration against the enumeration of all mappings.

use super::problem::soft_cells;
use super::soft::{along_inner_paths, along_outer_paths};
use super::*;
use crate::cost::CostTable;
use crate::distance::{Scratch, Workspace, distance};
use crate::naive::{self, Plain, trees};
use crate::pair::{Costs, Operand, Pair};
use crate::parallel::Cancel;
use crate::tree::{Numbering, Prepared};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::collections::HashSet;

fn prepare(tree: &Plain) -> Prepared {
    Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
}

fn problem<'a, Q: Integer>(x: &'a Prepared, y: &'a Prepared, costs: Costs<'a>) -> Problem<'a, Q> {
    ordered(x, y, costs, Order::Preorder)
}

fn ordered<'a, Q: Integer>(
    x: &'a Prepared,
    y: &'a Prepared,
    costs: Costs<'a>,
    order: Order,
) -> Problem<'a, Q> {
    let (x, y) = (Operand { tree: x, codes: None }, Operand { tree: y, codes: None });
    let (mut scratch, cancel) = (Workspace::default(), Cancel::default());
    Problem::new(
        Pair { x, y, costs },
        None,
        order,
        &mut Scratch { workspace: &mut scratch, cancel: &cancel },
    )
    .unwrap()
}

/// Symmetric or not, with ties, zeros and replacements that nobody should pay.
fn cost_of(seed: u64) -> impl Fn(Option<i32>, Option<i32>) -> i64 {
    move |a, b| {
        let key = |label: Option<i32>| label.map_or(7, |label| label as u64);
        let mixed = (seed ^ (key(a) << 5) ^ (key(b) << 11)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if a.is_none() && b.is_none() { 0 } else { (mixed >> 62) as i64 }
    }
}

fn table(cost: naive::Cost<'_>, unit: f64) -> CostTable {
    let scaled = |a, b| naive::scaled(cost(a, b), unit);
    let replace: Vec<_> = (0..9).map(|k| scaled(Some(k / 3), Some(k % 3))).collect();
    let delete: Vec<_> = (0..3).map(|a| scaled(Some(a), None)).collect();
    let insert: Vec<_> = (0..3).map(|b| scaled(None, Some(b))).collect();
    CostTable::new(&replace, &delete, &insert).unwrap()
}

fn check(x: &Plain, y: &Plain, costs: Costs<'_>, cost: naive::Cost<'_>, unit: f64) {
    check_in::<i64>(x, y, costs, cost, unit);
    check_in::<i128>(x, y, costs, cost, unit);
}

fn check_in<Q: Integer>(x: &Plain, y: &Plain, costs: Costs<'_>, cost: naive::Cost<'_>, unit: f64) {
    let (least, optimal) = naive::optimal_mappings(x, y, cost);
    let (tree_x, tree_y) = (prepare(x), prepare(y));
    let cancel = Cancel::default();
    let one = |ties: Ties| {
        let problem = ordered::<Q>(&tree_x, &tree_y, costs, ties.order());
        one_alignment(&problem, ties, &cancel).unwrap()
    };
    assert!(optimal.contains(&one(Ties::Pair)));
    assert!(optimal.contains(&one(Ties::Delete)));
    let all = CoOptimal::new(problem::<Q>(&tree_x, &tree_y, costs), &cancel).unwrap();
    assert!((all.cost() - least as f64 * unit).abs() < 1e-9);
    assert_eq!(all.count(&cancel).unwrap(), BigUint::from(optimal.len()));
    let listed: Vec<_> = Enumeration::new(&all, &cancel).unwrap().collect();
    assert_eq!(listed.len(), optimal.len());
    assert_eq!(listed.iter().collect::<HashSet<_>>(), optimal.iter().collect());
    for sample in all.sample(5, 3, &cancel).unwrap() {
        assert!(optimal.contains(&sample));
    }
    let (n, m) = (x.codes.len(), y.codes.len());
    let shares = all.expectation(&cancel).unwrap().shares;
    let any = ordered::<Q>(&tree_x, &tree_y, costs, Order::Any);
    let other = CoOptimal::new(any, &cancel).unwrap();
    assert_eq!(other.count(&cancel).unwrap(), BigUint::from(optimal.len()));
    for (a, b) in shares.iter().zip(other.expectation(&cancel).unwrap().shares) {
        assert!((a - b).abs() < 1e-12);
    }
    for i in 0..n {
        for j in 0..m {
            let with = optimal.iter().filter(|pairs| pairs.contains(&(i as u32, j as u32)));
            let share = with.count() as f64 / optimal.len() as f64;
            assert!((shares[i * (m + 1) + j] - share).abs() < 1e-12);
        }
    }
    // At a low temperature soft alignments are the optimal ones.
    let (soft, soft_shares) =
        soft_alignment(&ordered::<Q>(&tree_x, &tree_y, costs, Order::Any), 1e-3 * unit, &cancel)
            .unwrap();
    let entropy = 1e-3 * unit * (optimal.len() as f64).ln();
    assert!((soft - (least as f64 * unit - entropy)).abs() < 1e-8 * unit.max(1.0));
    for (share, soft) in shares.iter().zip(&soft_shares.shares) {
        assert!((share - soft).abs() < 1e-8);
    }
}

proptest! {
    #![proptest_config(naive::cases(1200))]

    #[test]
    fn deleting_first_agrees_with_its_twin(x in trees(16, 2), y in trees(16, 2), seed in any::<u64>()) {
        let (tree_x, tree_y) = (prepare(&x), prepare(&y));
        let cost = cost_of(seed);
        let table = table(&cost, 1.0);
        let cases: [(_, naive::Cost<'_>); 2] = [(Costs::Unit, &naive::unit), (Costs::Table(&table), &cost)];
        for (costs, cost) in cases {
            let problem = ordered::<i64>(&tree_x, &tree_y, costs, Ties::Delete.order());
            let pairs = one_alignment(&problem, Ties::Delete, &Cancel::default()).unwrap();
            prop_assert_eq!(pairs, naive::delete_first_mapping(&x, &y, cost));
        }
    }

    #[test]
    fn unit_costs_agree_with_the_enumeration(x in trees(6, 3), y in trees(6, 3)) {
        check(&x, &y, Costs::Unit, &naive::unit, 1.0);
    }

    #[test]
    fn tables_agree_with_the_enumeration(x in trees(5, 3), y in trees(5, 3), seed in any::<u64>()) {
        let cost = cost_of(seed);
        for unit in [1.0, 1.0 / 3.0] {
            check(&x, &y, Costs::Table(&table(&cost, unit)), &cost, unit);
        }
    }

    /// Some pairs of labels are never made, also of equal labels and where another pair ties.
    #[test]
    fn what_is_never_paired_is_in_no_alignment(
        x in trees(5, 3), y in trees(5, 3), seed in any::<u64>(), never in 0u16..512,
    ) {
        let some = cost_of(seed);
        let cost = |a: Option<i32>, b: Option<i32>| match (a, b) {
            (Some(p), Some(q)) if never >> (3 * p + q) & 1 == 1 => naive::NEVER_COST,
            _ => some(a, b),
        };
        for unit in [1.0, 1.0 / 3.0] {
            check(&x, &y, Costs::Table(&table(&cost, unit)), &cost, unit);
        }
        let table = table(&cost, 1.0);
        let (tree_x, tree_y) = (prepare(&x), prepare(&y));
        let problem = ordered::<i64>(&tree_x, &tree_y, Costs::Table(&table), Order::Free);
        // So hot that costs do not count.
        let (_, soft) = soft_alignment(&problem, 1e60, &Cancel::default()).unwrap();
        for (i, &a) in x.codes.iter().enumerate() {
            for (j, &b) in y.codes.iter().enumerate() {
                let share = soft.shares[i * (y.codes.len() + 1) + j];
                prop_assert!(share > 0.0 || cost(Some(a), Some(b)) == naive::NEVER_COST);
                prop_assert!(share == 0.0 || cost(Some(a), Some(b)) != naive::NEVER_COST);
            }
        }
    }

    #[test]
    fn kinds_of_edits_agree_with_the_enumeration(
        x in trees(5, 3), y in trees(5, 3), kinds in naive::kinds()
    ) {
        let cost = naive::by_kind(kinds);
        for unit in [1.0, 1.0 / 3.0] {
            let costs = naive::operations(kinds, unit);
            check(&x, &y, Costs::Operations(&costs), &cost, unit);
        }
    }

    #[test]
    fn subtrees_have_the_distances_of_subtrees(x in trees(9, 3), y in trees(9, 3)) {
        let (tree_x, tree_y) = (prepare(&x), prepare(&y));
        let (a, b) = (Operand { tree: &tree_x, codes: None }, Operand { tree: &tree_y, codes: None });
        let mut scratch = Workspace::default();
        let cancel = Cancel::default();
        let found = subtree_distances(&Pair { x: a, y: b, costs: Costs::Unit }, &mut Scratch { workspace: &mut scratch, cancel: &cancel }).unwrap();
        for i in 0..x.codes.len() {
            for j in 0..y.codes.len() {
                let (below_x, below_y) = (prepare(&x.subtree(i)), prepare(&y.subtree(j)));
                let (a, b) =
                    (Operand { tree: &below_x, codes: None }, Operand { tree: &below_y, codes: None });
                let expected = distance(&Pair { x: a, y: b, costs: Costs::Unit }, &mut Scratch { workspace: &mut scratch, cancel: &cancel }).unwrap();
                prop_assert_eq!(found[i * y.codes.len() + j], expected);
            }
        }
    }
}

fn chain(n: usize) -> Plain {
    Plain { codes: vec![0; n], parents: (0..n as i32).map(|i| i - 1).collect() }
}

#[test]
fn counts_have_any_size_and_shares_still_sum_to_one() {
    // Choosing 35 of 70 equal nodes, and 600 of 1200: more than any float64 can count.
    for (n, m) in [(70usize, 35usize), (1200, 600)] {
        let (x, y) = (prepare(&chain(n)), prepare(&chain(m)));
        let cancel = Cancel::default();
        let all = CoOptimal::new(problem::<i64>(&x, &y, Costs::Unit), &cancel).unwrap();
        let choices = (0..m).fold(BigUint::from(1u8), |count, k| count * (n - k) / (k + 1));
        assert_eq!(all.count(&cancel).unwrap(), choices);
        let shares = all.expectation(&cancel).unwrap().shares;
        for row in shares.chunks(m + 1).take(n) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        for j in 0..m {
            let column: f64 = (0..=n).map(|i| shares[i * (m + 1) + j]).sum();
            assert!((column - 1.0).abs() < 1e-9);
        }
        assert_eq!(all.sample(1, 0, &cancel).unwrap()[0].len(), m);
    }
}

#[test]
fn alignments_are_counted_not_paths() {
    let star = Plain { codes: vec![0; 3], parents: vec![-1, 0, 0] };
    let (x, y) = (prepare(&star), prepare(&chain(3)));
    let all = CoOptimal::new(problem::<i64>(&x, &y, Costs::Unit), &Cancel::default()).unwrap();
    assert_eq!(all.count(&Cancel::default()).unwrap(), BigUint::from(6u8));
}

/// A spine with leaves alternately left and right of it.
fn zigzag(levels: usize) -> Plain {
    let (mut parents, mut late, mut spine) = (vec![-1], Vec::new(), 0);
    for level in 0..levels {
        if level % 2 == 0 {
            parents.push(spine);
        } else {
            late.push(spine);
        }
        parents.push(spine);
        spine = parents.len() as i32 - 1;
    }
    parents.extend(late.into_iter().rev());
    Plain { codes: (0..parents.len() as i32).map(|i| i * i % 3).collect(), parents }
}

fn assert_soft_paths_agree(x: &Plain, y: &Plain, costs: Costs<'_>) {
    let (tree_x, tree_y) = (prepare(x), prepare(y));
    let problem = ordered::<i64>(&tree_x, &tree_y, costs, Order::Free);
    let cancel = Cancel::default();
    // So cold that weights need more than a float64, warm, so hot that costs do not count.
    for temperature in [1e-3, 0.5, 1e60] {
        let (expected, log_total) = along_outer_paths(&problem, temperature, &cancel).unwrap();
        for swapped in [false, true] {
            let (found, found_total) =
                along_inner_paths(&problem, temperature, swapped, &cancel).unwrap();
            assert!((found_total - log_total).abs() <= 1e-9 * log_total.abs().max(1.0));
            assert_eq!(found.shares.len(), expected.shares.len());
            for (found, expected) in found.shares.iter().zip(&expected.shares) {
                assert!((found - expected).abs() <= 1e-8, "{found} {expected}");
            }
        }
    }
}

#[test]
fn soft_alignments_of_zigzags_agree_along_inner_paths() {
    let (x, y) = (zigzag(40), zigzag(33));
    assert_soft_paths_agree(&x, &y, Costs::Unit);
    assert_soft_paths_agree(&x, &chain(1), Costs::Unit);
    let (tree_x, tree_y) = (prepare(&zigzag(100)), prepare(&zigzag(90)));
    let cells = soft_cells(&tree_x, &tree_y);
    assert!(soft_work(&tree_x, &tree_y) < cells / 2.0);
    assert!(soft_work(&tree_x, &tree_x) < soft_cells(&tree_x, &tree_x));
}

proptest! {
    #![proptest_config(naive::cases(200))]

    #[test]
    fn soft_alignments_agree_along_all_paths(x in trees(24, 3), y in trees(24, 3), seed in any::<u64>()) {
        let table = table(&cost_of(seed), 1.0 / 3.0);
        for costs in [Costs::Unit, Costs::Table(&table)] {
            assert_soft_paths_agree(&x, &y, costs);
        }
    }
}
