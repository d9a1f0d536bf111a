//! Paths of every kind, mixed in every way, against left and right paths alone.

use super::paths::RowTimes;
use super::*;
use crate::distance::profile::{self, Source};
use crate::distance::strategy::best_route;
use crate::distance::tests::{all_ways, operand, prepare, some_cost, table};
use crate::distance::{
    Decomposition, Kernel, Scratch, Whole, Workspace, append_codes, scalar, subtree_savings,
};
use crate::naive::{self, Plain, nodes, trees};
use crate::pair::{self, Costs};
use proptest::prelude::*;

/// A spine with leaves alternately left and right of it, in preorder.
fn zigzag(nodes: usize, seed: usize) -> Plain {
    let mut parents = vec![-1];
    // Leaves right of the spine come after all that is below.
    let mut leaves_below = Vec::new();
    let (mut spine, mut left) = (0, true);
    while parents.len() + leaves_below.len() + 2 <= nodes {
        if left {
            parents.push(spine);
        } else {
            leaves_below.push(spine);
        }
        parents.push(spine);
        spine = parents.len() as i32 - 1;
        left = !left;
    }
    parents.extend(leaves_below.into_iter().rev());
    let codes = (0..parents.len()).map(|i| ((i * i + seed) % 5) as i32).collect();
    Plain { codes, parents }
}

#[test]
fn zigzags_are_decomposed_along_inner_paths() {
    for (n, m, inner) in [(60, 60, false), (230, 180, true), (180, 230, true)] {
        let (x, y) = (prepare(&zigzag(n, 1)), prepare(&zigzag(m, 2)));
        let (route, cells) = best_route(&x, &y, Costs::Unit);
        assert_eq!(route.decomposition == Decomposition::Mixed, inner, "{n} x {m}: {cells}");
        let found = all_ways(&x, &y, Costs::Unit);
        assert!(found.iter().all(|&d| d == found[0]), "{found:?}");
    }
}

#[test]
fn subtrees_have_the_same_savings_along_inner_paths() {
    let (x, y) = (prepare(&zigzag(230, 1)), prepare(&zigzag(180, 2)));
    let table = table(&some_cost(3), 5, 0.25);
    for costs in [Costs::Unit, Costs::Table(&table)] {
        assert_eq!(best_route(&x, &y, costs).0.decomposition, Decomposition::Mixed);
        for (source, target) in [(&x, &y), (&y, &x)] {
            for side in Orientation::BOTH {
                let (mut found, mut workspace) = (Vec::<i64>::new(), Workspace::default());
                let (a, b) = (operand(source), operand(target));
                let cancel = Cancel::default();
                let pair = &pair::Pair { x: a, y: b, costs };
                let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
                subtree_savings(pair, side, &mut found, scratch).unwrap();
                let (rows, columns) = (source.oriented(side), target.oriented(side));
                let (mut buffers, mut codes) =
                    (scalar::ScalarBuffers::<i64>::default(), Vec::new());
                let height = profile::height(&a);
                buffers.reserve(rows, height, columns, &cancel).unwrap();
                append_codes(&b, columns, &mut codes);
                let source = Source { costs, transposed: false, codes: &codes };
                source.fill(&a, codes.len(), &mut buffers.profile);
                scalar::fill(rows, columns, &mut buffers, &cancel).unwrap();
                let m = columns.len();
                for i in 0..rows.len() {
                    let row = rows.row[i] as usize;
                    let unit = costs.unit() as i64;
                    let expected = buffers.table[row * m..][..m].iter().map(|&units| units * unit);
                    assert!(found[i * m..][..m].iter().copied().eq(expected));
                }
            }
        }
    }
}

/// A root over several trees.
fn under_one_root(parts: &[Plain]) -> Plain {
    let mut whole = Plain { codes: vec![0], parents: vec![-1] };
    for part in parts {
        let start = whole.codes.len() as i32;
        whole.codes.extend(&part.codes);
        whole.parents.extend(part.parents.iter().map(|&p| if p < 0 { 0 } else { p + start }));
    }
    whole
}

#[test]
fn zigzags_side_by_side_take_little_memory() {
    let twice = |seed| under_one_root(&[zigzag(600, seed), zigzag(600, seed + 7)]);
    let (x, y) = (prepare(&twice(1)), prepare(&twice(2)));
    assert_eq!(best_route(&x, &y, Costs::Unit).0.decomposition, Decomposition::Mixed);
    let plan = crate::distance::strategy::plan(&x, &y, Costs::Unit, false);
    let kinds: Vec<_> = plan.paths.iter().map(|path| path.kind).collect();
    assert!(
        kinds.contains(&PathKind::Inner) && kinds.last() != Some(&PathKind::Inner),
        "{kinds:?}"
    );
    assert!(plan.kept < 8, "{}", plan.kept);
}

#[test]
fn no_more_tables_are_kept_than_allowed() {
    let tree = prepare(&under_one_root(&[zigzag(80, 1), zigzag(80, 2)]));
    let [left, right] = Orientation::BOTH.map(|side| tree.oriented(side));
    let mut kept = Vec::new();
    for most_kept in [0, 1, 2, 4, 8, 100] {
        let times = RowTimes { left: 9.0, right: 9.0, inner: 1.0, turn: 0.1, most_kept };
        let plan = PathPlan::new(left, right, times);
        assert!(plan.kept <= most_kept as usize, "{} > {most_kept}", plan.kept);
        assert!(plan.cost.is_finite());
        kept.push(plan.kept);
    }
    assert!(kept[0] == 0 && kept[5] > 2, "{kept:?}");
}

/// The distance along the paths that are best at these times.
fn at_times(
    (x, y): (&Prepared, &Prepared),
    costs: Costs<'_>,
    times: RowTimes,
    kernel: Kernel,
    threads: usize,
) -> f64 {
    let [left, right] = Orientation::BOTH.map(|side| x.oriented(side));
    let plan = &PathPlan::new(left, right, times);
    let (rows, columns, cancel) = (&operand(x), &operand(y), &Cancel::default());
    let run = MixedRun { rows, columns, plan, costs, transposed: false, threads, cancel };
    let mut saving = 0;
    run.savings(kernel, &mut Whole(|_, whole| saving = whole)).unwrap();
    costs.total(costs.delete_all(rows) + costs.insert_all(columns) - saving)
}

proptest! {
    #![proptest_config(naive::cases(300))]

    #[test]
    fn any_mixture_of_paths_gives_the_distance(
        x in trees(nodes(120), 3),
        y in trees(nodes(120), 3),
        seed in any::<u64>(),
        times in proptest::array::uniform4(0.1f64..10.0),
        most_kept in 0u32..6,
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let table = table(&some_cost(seed), 3, 0.7);
        for costs in [Costs::Unit, Costs::Table(&table)] {
            let expected = all_ways(&x, &y, costs)[1];
            let [left, right, inner, turn] = times;
            let times = RowTimes { left, right, inner, turn, most_kept };
            for (kernel, threads) in [(Kernel::Scalar, 1), (Kernel::Auto, 1), (Kernel::Auto, 3)] {
                prop_assert_eq!(at_times((&x, &y), costs, times, kernel, threads), expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(20))]

    /// More nodes than a strip of any vectors has lanes.
    #[test]
    fn large_trees_have_the_same_distance_along_inner_paths(
        x in trees(nodes(60), 3),
        y in trees(nodes(500), 3),
        seed in any::<u64>(),
        turn in 0.1f64..10.0,
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let table = table(&some_cost(seed), 3, 1.0 / 3.0);
        let times = RowTimes { left: 9.0, right: 9.0, inner: 1.0, turn, most_kept: u32::MAX };
        for costs in [Costs::Unit, Costs::Table(&table)] {
            for (x, y) in [(&x, &y), (&y, &x)] {
                let expected = all_ways(x, y, costs)[1];
                for threads in 1..4 {
                    let found = at_times((x, y), costs, times, Kernel::Auto, threads);
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
