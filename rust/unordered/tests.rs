//! The recursion against enumeration of mappings, orders of children, and matrices.

use crate::cost::{CostTable, OperationCosts};
use crate::naive::{self, Cost, Plain, mapping_cost, trees, unit};
use crate::pair::{Costs, Operand, Pair, SetCosts, Side};
use crate::pairwise::MatrixRequest;
use crate::parallel::Cancel;
use crate::tree::{Numbering, Prepared};
use crate::unordered::dag::Kid;
use crate::unordered::matching::Matching;
use crate::unordered::{Workspace, align, compute, distance, subtree_distances};
use proptest::prelude::*;

fn prepare(tree: &Plain) -> Prepared {
    Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
}

fn operand(tree: &Prepared) -> Operand<'_> {
    Operand { tree, codes: None }
}

/// Ancestors of a node, itself first, the root of all forests (-1) last.
fn path(tree: &Plain, node: u32) -> Vec<i32> {
    let above = |&node: &i32| (node >= 0).then(|| tree.parents[node as usize]);
    std::iter::successors(Some(node as i32), above).collect()
}

fn common_ancestor(tree: &Plain, a: u32, b: u32) -> i32 {
    let of_b = path(tree, b);
    path(tree, a).into_iter().find(|node| of_b.contains(node)).unwrap()
}

fn is_above(tree: &Plain, node: i32, below: u32) -> bool {
    node != below as i32 && path(tree, below).contains(&node)
}

/// Zhang's definition: one to one, ancestors stay ancestors, and the common ancestor of two nodes
/// is above a third one on both sides or on neither.
fn is_constrained(x: &Plain, y: &Plain, pairs: &[(u32, u32)]) -> bool {
    let once = pairs.iter().enumerate().all(|(at, a)| {
        pairs[..at].iter().all(|b| {
            a.0 != b.0
                && a.1 != b.1
                && is_above(x, a.0 as i32, b.0) == is_above(y, a.1 as i32, b.1)
                && is_above(x, b.0 as i32, a.0) == is_above(y, b.1 as i32, a.1)
        })
    });
    once && pairs.iter().all(|a| {
        pairs.iter().all(|b| {
            let (in_x, in_y) = (common_ancestor(x, a.0, b.0), common_ancestor(y, a.1, b.1));
            pairs.iter().all(|c| is_above(x, in_x, c.0) == is_above(y, in_y, c.1))
        })
    })
}

/// The cheapest constrained mapping, by enumeration.
fn enumerated(x: &Plain, y: &Plain, cost: Cost<'_>) -> i64 {
    fn extend(
        (x, y): (&Plain, &Plain),
        i: usize,
        pairs: &mut Vec<(u32, u32)>,
        cost: Cost<'_>,
    ) -> i64 {
        if i == x.codes.len() {
            return mapping_cost(x, y, pairs, cost);
        }
        let mut best = extend((x, y), i + 1, pairs, cost);
        for j in 0..y.codes.len() as u32 {
            pairs.push((i as u32, j));
            if is_constrained(x, y, pairs) {
                best = best.min(extend((x, y), i + 1, pairs, cost));
            }
            pairs.pop();
        }
        best
    }
    extend((x, y), 0, &mut Vec::new(), cost)
}

/// A tree with the children of every node in another order.
fn shuffled(tree: &Plain, seed: u64) -> Plain {
    let mut out = Plain { codes: Vec::new(), parents: Vec::new() };
    let children = |node: i32| -> Vec<usize> {
        let mut found: Vec<_> =
            (0..tree.codes.len()).filter(|&i| tree.parents[i] == node).collect();
        found.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(17) % 1009);
        found
    };
    let mut stack: Vec<(usize, i32)> = children(-1).into_iter().map(|root| (root, -1)).collect();
    while let Some((node, parent)) = stack.pop() {
        let place = out.codes.len() as i32;
        out.codes.push(tree.codes[node]);
        out.parents.push(parent);
        stack.extend(children(node as i32).into_iter().map(|child| (child, place)));
    }
    out
}

/// Costs of three labels from numbers, as a table and as a function.
fn table(costs: &[u8], factor: f64) -> CostTable {
    let costs: Vec<_> = costs.iter().map(|&cost| f64::from(cost) * factor).collect();
    CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap()
}

fn cost_of(costs: &[u8], a: Option<i32>, b: Option<i32>) -> i64 {
    match (a, b) {
        (Some(a), Some(b)) => i64::from(costs[(3 * a + b) as usize]),
        (Some(a), None) => i64::from(costs[9 + a as usize]),
        (None, Some(b)) => i64::from(costs[12 + b as usize]),
        (None, None) => 0,
    }
}

proptest! {
    #![proptest_config(naive::cases(400))]

    #[test]
    fn the_recursion_finds_the_cheapest_constrained_mapping(
        x in trees(5, 3),
        y in trees(5, 3),
        costs in proptest::collection::vec(0u8..6, 15),
    ) {
        let (a, b) = (prepare(&x), prepare(&y));
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let plain = table(&costs, 1.0);
        // The same in quanta that need more than 64 bits.
        let wide = CostTable::new(
            &costs[..9].iter().map(|&c| f64::from(c)).collect::<Vec<_>>(),
            &costs[9..12].iter().map(|&c| f64::from(c) + 1e-12 / 3.0).collect::<Vec<_>>(),
            &costs[12..].iter().map(|&c| f64::from(c)).collect::<Vec<_>>(),
        ).unwrap();
        let function = |from: Option<i32>, to: Option<i32>| cost_of(&costs, from, to);
        let kinds = OperationCosts::new(f64::from(costs[0]), f64::from(costs[1]), f64::from(costs[2])).unwrap();
        let by_kind = |from: Option<i32>, to: Option<i32>| match (from, to) {
            (Some(from), Some(to)) => i64::from(from != to) * i64::from(costs[2]),
            (Some(_), None) => i64::from(costs[0]),
            (None, Some(_)) => i64::from(costs[1]),
            (None, None) => 0,
        };
        // Labels that cost 5 are never paired, which is as if they cost very much.
        let never = |cost: u8| if cost == 5 { f64::INFINITY } else { f64::from(cost) };
        let (apart, gaps): (Vec<_>, Vec<_>) = (
            costs[..9].iter().map(|&cost| never(cost)).collect(),
            costs[9..].iter().map(|&cost| f64::from(cost)).collect(),
        );
        let apart = CostTable::new(&apart, &gaps[..3], &gaps[3..]).unwrap();
        let far = |from: Option<i32>, to: Option<i32>| match (from, to, function(from, to)) {
            (Some(_), Some(_), 5) => 1000,
            (_, _, cost) => cost,
        };
        let cases: [(Costs<'_>, Cost<'_>); 5] = [
            (Costs::Unit, &unit),
            (Costs::Table(&plain), &function),
            (Costs::Table(&wide), &function),
            (Costs::Operations(&kinds), &by_kind),
            (Costs::Table(&apart), &far),
        ];
        for (costs, cost) in cases {
            let pair = Pair { x: operand(&a), y: operand(&b), costs };
            let expected = enumerated(&x, &y, cost);
            let found = distance(&pair, None, &mut workspace, &cancel).unwrap();
            prop_assert!((found - expected as f64).abs() < 1e-9, "{} {}", found, expected);
            let (total, pairs) = align(&pair, &mut workspace, &cancel).unwrap();
            prop_assert_eq!(total, found);
            prop_assert!(is_constrained(&x, &y, &pairs), "{:?}", pairs);
            prop_assert_eq!(mapping_cost(&x, &y, &pairs, cost), expected);
            for cutoff in [expected as f64 + 0.5, (expected as f64 - 0.5).max(0.0)] {
                let within = distance(&pair, Some(cutoff), &mut workspace, &cancel).unwrap();
                prop_assert_eq!(within, if cutoff >= found { found } else { f64::INFINITY });
            }
        }
    }

    #[test]
    fn subtrees_have_the_distances_of_trees(
        x in trees(9, 3),
        y in trees(9, 3),
        costs in proptest::collection::vec(0u8..6, 15),
    ) {
        let (a, b) = (prepare(&x), prepare(&y));
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let table = table(&costs, 0.1);
        for costs in [Costs::Unit, Costs::Table(&table)] {
            let pair = Pair { x: operand(&a), y: operand(&b), costs };
            let found = subtree_distances(&pair, &mut workspace, &cancel).unwrap();
            for i in 0..x.codes.len() {
                for j in 0..y.codes.len() {
                    let (below_x, below_y) = (prepare(&x.subtree(i)), prepare(&y.subtree(j)));
                    let pair = Pair { x: operand(&below_x), y: operand(&below_y), costs };
                    let expected = distance(&pair, None, &mut workspace, &cancel).unwrap();
                    prop_assert_eq!(found[i * y.codes.len() + j], expected);
                }
            }
        }
    }

    #[test]
    fn the_order_of_children_and_of_trees_plays_no_part(
        x in trees(30, 2),
        y in trees(30, 2),
        seed in any::<u64>(),
        costs in proptest::collection::vec(0u8..6, 15),
    ) {
        let other = shuffled(&x, seed);
        let (a, b, c) = (prepare(&x), prepare(&y), prepare(&other));
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let table = table(&costs, 1.0);
        let mut of = |x: &Prepared, y: &Prepared, costs: Costs<'_>| {
            let pair = Pair { x: operand(x), y: operand(y), costs };
            let found = distance(&pair, None, &mut workspace, &cancel).unwrap();
            assert_eq!(align(&pair, &mut workspace, &cancel).unwrap().0, found);
            found
        };
        prop_assert_eq!(of(&a, &b, Costs::Unit), of(&b, &a, Costs::Unit));
        prop_assert_eq!(of(&a, &c, Costs::Unit), 0.0);
        for costs in [Costs::Unit, Costs::Table(&table)] {
            prop_assert_eq!(of(&a, &b, costs), of(&c, &b, costs));
            prop_assert_eq!(of(&b, &a, costs), of(&b, &c, costs));
        }
    }

    #[test]
    fn matrices_hold_the_distances_of_pairs(
        some in proptest::collection::vec(trees(7, 3), 1..12),
        others in proptest::collection::vec(trees(7, 3), 0..6),
        costs in proptest::collection::vec(0u8..4, 15),
        cutoff in proptest::option::of(0.0..9.0f64),
        threads in 1usize..3,
    ) {
        let (x, y): (Vec<_>, Vec<_>) =
            (some.iter().map(prepare).collect(), others.iter().map(prepare).collect());
        let table = table(&costs, 1.0);
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        for costs in [Costs::Unit, Costs::Table(&table)] {
            let symmetric = matches!(costs, Costs::Unit) || table.is_symmetric();
            for (targets, triangle) in [(&y, false), (&x, false), (&x, true)] {
                if triangle && !symmetric {
                    continue;
                }
                let request = MatrixRequest {
                    x: Side { trees: &x, codes: None },
                    y: Side { trees: targets, codes: None },
                    costs: SetCosts::Fixed(costs),
                    triangle,
                    diagonal: true,
                    cutoff,
                    norm: None,
                };
                let mut found = vec![vec![f64::NAN; targets.len()]; x.len()];
                let store = |i: usize, j: usize, d: f64| {
                    found[i][j] = d;
                    if triangle {
                        found[j][i] = d;
                    }
                };
                let computed = compute(&request, threads, &cancel, store, |_| true).unwrap();
                prop_assert_eq!(computed.pairs, request.pairs());
                for (i, row) in found.iter().enumerate() {
                    for (j, &value) in row.iter().enumerate() {
                        let pair = Pair { x: operand(&x[i]), y: operand(&targets[j]), costs };
                        let expected = distance(&pair, cutoff, &mut workspace, &cancel).unwrap();
                        prop_assert_eq!(value, expected, "{} {}", i, j);
                    }
                }
            }
        }
    }

    #[test]
    fn a_transport_saves_as_much_as_the_best_permutation(
        supplies in proptest::collection::vec(1u32..4, 1..4),
        demands in proptest::collection::vec(1u32..4, 1..4),
        savings in proptest::collection::vec(0i32..9, 9),
    ) {
        fn best(left: &[usize], free: &mut Vec<usize>, saving: &dyn Fn(usize, usize) -> i32) -> i32 {
            let Some((&first, rest)) = left.split_first() else { return 0 };
            let mut most = best(rest, free, saving);
            for at in 0..free.len() {
                let taken = free.remove(at);
                most = most.max(saving(first, taken) + best(rest, free, saving));
                free.insert(at, taken);
            }
            most
        }
        let kids = |counts: &[u32]| counts.iter().copied().zip(0..).map(|(c, k)| (k, c)).collect::<Vec<Kid>>();
        let units = |counts: &[u32]| -> Vec<usize> {
            counts.iter().enumerate().flat_map(|(k, &c)| vec![k; c as usize]).collect()
        };
        let saving = |a: usize, b: usize| savings[3 * a + b];
        let (sources, mut sinks) = (units(&supplies), units(&demands));
        prop_assume!(sources.len() <= 6 && sinks.len() <= 6);
        let expected = best(&sources, &mut sinks, &saving);
        let mut matching = Matching::default();
        let (x, y) = (kids(&supplies), kids(&demands));
        let of = |a: u32| &savings[3 * a as usize..][..3];
        let found = matching.solve((&x, &y), of, None, &Cancel::default()).unwrap();
        prop_assert_eq!(found, expected);
        let total: i32 = matching.pairs().map(|(a, b, n)| saving(a, b) * n as i32).sum();
        prop_assert_eq!(total, expected);
        let known = matching.solve((&x, &y), of, Some(expected), &Cancel::default()).unwrap();
        prop_assert_eq!(known, expected);
    }
}

#[test]
fn deep_chains_and_wide_stars_are_compared() {
    let n = 100_000;
    let chain =
        Plain { codes: (0..n).map(|i| i % 3).collect(), parents: (0..n).map(|i| i - 1).collect() };
    let star = Plain {
        codes: (0..n).map(|i| i % 5).collect(),
        parents: (0..n).map(|i| if i == 0 { -1 } else { 0 }).collect(),
    };
    let other = Plain { codes: star.codes.iter().rev().copied().collect(), ..star.clone() };
    let (chain, star, other) = (prepare(&chain), prepare(&star), prepare(&other));
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let mut of = |x, y| {
        let pair = Pair { x: operand(x), y: operand(y), costs: Costs::Unit };
        let found = distance(&pair, None, &mut workspace, &cancel).unwrap();
        let (cost, pairs) = align(&pair, &mut workspace, &cancel).unwrap();
        assert_eq!(cost, found);
        (found, pairs.len())
    };
    // The root of the star and one of its leaves are on the chain, in this order.
    assert_eq!(of(&chain, &star), (f64::from(2 * n - 4), 2));
    assert_eq!(of(&star, &other), (2.0, n as usize));
}
