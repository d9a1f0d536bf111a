use super::*;
use crate::cost::CostTable;
use crate::features::Flat;
use crate::naive::{self, Plain, norms, trees};
use crate::pair::{SetCosts, Side};
use crate::pairwise::{Index, MatrixRequest, Neighbor, compute};
use crate::tree::{Numbering, Prepared};
use proptest::prelude::*;

/// Flat arrays and prepared trees.
struct Set {
    codes: Vec<i32>,
    parents: Vec<i32>,
    offsets: Vec<i64>,
    prepared: Vec<Prepared>,
}

impl Set {
    fn new(trees: &[Plain]) -> Self {
        let mut numbering = Numbering::default();
        let mut set = Self { codes: vec![], parents: vec![], offsets: vec![0], prepared: vec![] };
        for tree in trees {
            set.codes.extend(&tree.codes);
            set.parents.extend(&tree.parents);
            set.offsets.push(set.codes.len() as i64);
            set.prepared.push(Prepared::new(&tree.codes, &tree.parents, &mut numbering));
        }
        set
    }

    fn source(&self, prepared: bool) -> Source<'_> {
        let flat = Flat { codes: &self.codes, parents: &self.parents, offsets: &self.offsets };
        Source { flat, codes: None, prepared: prepared.then_some(&self.prepared[..]) }
    }
}

/// All distances, sorted, and cut.
fn slowly(x: &Set, y: &Set, input: &Input<'_>) -> Vec<Vec<Neighbor>> {
    let mut rows = vec![Vec::new(); x.prepared.len()];
    let request = MatrixRequest {
        x: Side { trees: &x.prepared, codes: None },
        y: Side { trees: &y.prepared, codes: None },
        costs: SetCosts::Fixed(input.costs),
        triangle: false,
        diagonal: true,
        cutoff: None,
        norm: input.norm,
    };
    let store = |i: usize, j: usize, distance: f64| {
        if distance <= input.radius && !(input.inside && i == j) {
            rows[i].push(Neighbor { distance, index: j as u32 });
        }
    };
    compute(&request, 1, &Cancel::default(), store, |_| true).unwrap();
    for row in &mut rows {
        row.sort();
    }
    rows
}

fn check_rows(rows: &Rows, expected: &[Vec<Neighbor>]) -> std::result::Result<(), TestCaseError> {
    prop_assert_eq!(rows.offsets.len(), expected.len() + 1);
    for (i, expected) in expected.iter().enumerate() {
        let found = &rows.neighbors[rows.offsets[i]..rows.offsets[i + 1]];
        prop_assert_eq!(found, &expected[..]);
    }
    Ok(())
}

fn check(x: &Set, y: &Set, input: &Input<'_>) -> std::result::Result<(), TestCaseError> {
    let all = slowly(x, y, &Input { radius: f64::INFINITY, ..*input });
    let met = all.first().and_then(|row| row.get(row.len() / 2)).map_or(0.3, |near| near.distance);
    let cancel = Cancel::default();
    // At, below and above a distance that occurs.
    for radius in [0.0, met, met.next_down().max(0.0), met.next_up(), 1.0, 2.5, 9.0, 1e6] {
        let input = Input { radius, ..*input };
        let expected = slowly(x, y, &input);
        for (way, threads) in [(Way::Auto, 1), (Way::Scan, 2), (Way::Index, 1), (Way::Index, 2)] {
            if !input.inside {
                let known = Known::new(&input.y, threads, &cancel, || true).unwrap();
                let join = Join::among(&input, &known, way, threads, &cancel, || true).unwrap();
                if let Some(join) = join {
                    let rows = join.rows(&input, threads, &cancel, |_| true).unwrap();
                    check_rows(&rows, &expected)?;
                }
            }
            let Some(join) = Join::new(&input, way, threads, &cancel, || true).unwrap() else {
                continue;
            };
            let rows = join.rows(&input, threads, &cancel, |_| true).unwrap();
            check_rows(&rows, &expected)?;
            // The same pairs in chunks, each pair of a set once.
            let (mut cursor, mut pairs) = (Cursor::default(), Vec::new());
            loop {
                let work = (threads, &cancel);
                let chunk = join.chunk(&input, &mut cursor, 7, work, |_| true).unwrap();
                prop_assert!(chunk.queries.len() <= 7);
                if chunk.queries.is_empty() {
                    break;
                }
                let both = chunk.queries.iter().zip(&chunk.others).zip(&chunk.results);
                pairs.extend(both.map(|((&i, &j), &result)| (i, j, result.to_bits())));
            }
            pairs.sort_unstable();
            let mut wanted = Vec::new();
            for (i, row) in (0u32..).zip(&expected) {
                let keep = |near: &&Neighbor| !input.is_mirrored() || i < near.index;
                let pair = |near: &Neighbor| (i, near.index, near.distance.to_bits());
                wanted.extend(row.iter().filter(keep).map(pair));
            }
            wanted.sort_unstable();
            prop_assert_eq!(&pairs, &wanted);
        }
    }
    Ok(())
}

/// Many tasks that find nothing, then many that find a lot.
#[test]
fn chunks_hold_little_more_than_what_is_asked_for() {
    let chain = |label: i32, nodes: i32| Plain {
        codes: vec![label; nodes as usize],
        parents: (-1..nodes - 1).collect(),
    };
    let far = (0..60).map(|k| chain(k, 3 * k + 5));
    let near = (0..40).map(|k| chain(60, 200 + k));
    let x = Set::new(&far.chain(near).collect::<Vec<_>>());
    let radius = 4.0;
    let source = x.source(false);
    let input = Input {
        x: source,
        y: source,
        costs: Costs::Unit,
        norm: None,
        radius,
        inside: true,
        symmetric: true,
    };
    let cancel = Cancel::default();
    for threads in [1, 2] {
        let join = Join::new(&input, Way::Scan, threads, &cancel, || true).unwrap().unwrap();
        let (mut cursor, mut pairs, mut reported) = (Cursor::default(), 0, 0);
        loop {
            let in_order = |done: u64| {
                assert!(done >= reported);
                reported = done;
                true
            };
            let chunk = join.chunk(&input, &mut cursor, 7, (threads, &cancel), in_order).unwrap();
            if chunk.queries.is_empty() {
                break;
            }
            pairs += chunk.queries.len();
            // Every task finds four pairs; each thread may have begun one when there were enough.
            assert!(cursor.held() <= 7 + 4 * (threads + 1));
        }
        assert_eq!(pairs, 39 + 38 + 37 + 36);
    }
}

proptest! {
    #![proptest_config(naive::cases(48))]

    #[test]
    fn joins_are_those_of_all_pairs(
        x in proptest::collection::vec(trees(14, 3), 0..14),
        y in proptest::collection::vec(trees(14, 3), 0..10),
        again in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
        costs in proptest::collection::vec(0u8..30, 9 + 6),
        norm in norms(),
        kinds in naive::kinds(),
        prepared in any::<bool>(),
    ) {
        let mut x = x;
        if !x.is_empty() {
            let copies: Vec<_> = again.iter().map(|index| index.get(&x).clone()).collect();
            x.extend(copies);
        }
        let (x, y) = (Set::new(&x), Set::new(&y));
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) / 7.0).collect();
        let table = CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap();
        // Symmetric, with free and cheap replacements.
        let even = [0.0, 0.1, 2.0, 0.1, 0.0, 1.5, 2.0, 1.5, 0.0];
        let even = CostTable::new(&even, &[1.0, 2.0, 1.0], &[1.0, 2.0, 1.0]).unwrap();
        let operations = naive::operations(kinds, 0.5);
        let all = [Costs::Unit, Costs::Operations(&operations), Costs::Table(&table), Costs::Table(&even)];
        for costs in all {
            let symmetric = match costs {
                Costs::Unit => true,
                Costs::Operations(costs) => costs.is_symmetric(),
                Costs::Table(table) => table.is_symmetric(),
            };
            for norm in [None, norm] {
                let (of_x, of_y) = (x.source(prepared), y.source(prepared));
                let input = Input { x: of_x, y: of_y, costs, norm, radius: 0.0, inside: false, symmetric };
                check(&x, &y, &input)?;
                check(&x, &x, &Input { y: of_x, inside: true, ..input })?;
            }
        }
    }

    /// Trees that are copies of one tree with a few changes.
    #[test]
    fn near_trees_are_found(
        first in trees(30, 4),
        changes in proptest::collection::vec((0usize..40, 0i32..4), 1..30),
    ) {
        let mut near = vec![first];
        for (place, label) in changes {
            let mut tree = near[near.len() / 2].clone();
            let nodes = tree.codes.len();
            match place % 3 {
                0 if nodes > 0 => tree.codes[place % nodes] = label,
                // A new last root, or the last node is gone.
                1 => {
                    tree.codes.push(label);
                    tree.parents.push(if nodes > 0 && place % 2 == 0 { nodes as i32 - 1 } else { -1 });
                }
                _ => {
                    tree.codes.pop();
                    tree.parents.pop();
                }
            }
            near.push(tree);
        }
        let set = Set::new(&near);
        let x = set.source(false);
        let costs = Costs::Unit;
        check(&set, &set, &Input { x, y: x, costs, norm: None, radius: 0.0, inside: true, symmetric: true })?;
    }
}

/// The nearest of all distances, level by level.
fn check_nearest(x: &Set, y: &Set, inside: bool) -> std::result::Result<(), TestCaseError> {
    let (of_x, of_y) = (x.source(true), y.source(true));
    let costs = Costs::Unit;
    let radius = f64::INFINITY;
    let input = Input { x: of_x, y: of_y, costs, norm: None, radius, inside, symmetric: true };
    let all = slowly(x, y, &input);
    let candidates = y.prepared.len().saturating_sub(usize::from(inside));
    let cancel = Cancel::default();
    for k in [1, 2, 5, candidates] {
        let Some(join) = Join::for_nearest(&input, 2, &cancel, || true).unwrap() else { continue };
        let found = join.nearest(&input, (k, None), (2, &cancel), |_| true).unwrap();
        if k == 0 || k > candidates || x.prepared.is_empty() {
            prop_assert!(found.is_none() || k == 0);
            continue;
        }
        let found = found.unwrap();
        for (row, all) in found.rows.iter().zip(&all) {
            prop_assert_eq!(&row[..], &all[..k]);
        }
        if !inside {
            // The same with what was made before of the trees of y.
            let known = Known::new(&input.y, 1, &cancel, || true).unwrap();
            let side = Side { trees: &y.prepared, codes: None };
            let index = Index::new(side, SetCosts::Fixed(costs), 1, &cancel, || true).unwrap();
            let join =
                Join::for_nearest_among(&input, &known, 1, &cancel, || true).unwrap().unwrap();
            let among = join.nearest(&input, (k, Some(&index)), (1, &cancel), |_| true).unwrap();
            prop_assert_eq!(among.unwrap().rows, found.rows);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(naive::cases(48))]

    #[test]
    fn levels_find_the_nearest(
        x in proptest::collection::vec(trees(14, 3), 0..14),
        y in proptest::collection::vec(trees(90, 3), 1..10),
        again in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
    ) {
        let copies: Vec<_> = again.iter().map(|index| index.get(&y).clone()).collect();
        let y: Vec<_> = y.into_iter().chain(copies).collect();
        let all: Vec<_> = x.iter().chain(&y).cloned().collect();
        check_nearest(&Set::new(&x), &Set::new(&y), false)?;
        check_nearest(&Set::new(&y), &Set::new(&x), false)?;
        let all = Set::new(&all);
        check_nearest(&all, &all, true)?;
    }
}

/// Neighbours that are farther than a band is wide.
#[test]
fn far_neighbours_are_found() {
    let chain = |n: i32, label: i32| Plain {
        codes: (0..n).map(|i| if i % 5 == 0 { i % 3 } else { label }).collect(),
        parents: (-1..n - 1).collect(),
    };
    let some: Vec<_> = (0..12).map(|i| chain(60 + 17 * i, i % 4)).collect();
    let set = Set::new(&some);
    check_nearest(&set, &set, true).unwrap();
    let few = Set::new(&some[..3]);
    check_nearest(&few, &set, false).unwrap();
    check_nearest(&set, &few, false).unwrap();
}

/// Chains and stars of three nodes are four edits apart if they share no label: more than both have
/// nodes.
#[test]
fn trees_may_be_farther_than_their_sizes() {
    let tree = |labels: Vec<i32>, chain: bool| Plain {
        parents: (0..labels.len() as i32)
            .map(|i| if chain { i - 1 } else { 0.min(i - 1) })
            .collect(),
        codes: labels,
    };
    let far = [tree(vec![1, 0, 1], false), tree(vec![0, 0, 1], false), tree(vec![0], true)];
    check_nearest(&Set::new(&[tree(vec![2; 3], true)]), &Set::new(&far), false).unwrap();
    // Labels are the digits of a number. There are too few kinds for a trial of batches.
    let labels = |nodes: u32, number: i32| (0..nodes).map(|i| number >> i & 1).collect();
    let mut all = Vec::new();
    for nodes in 1..4 {
        for number in 0..1 << nodes {
            all.extend([true, false].map(|chain| tree(labels(nodes, number), chain)));
        }
    }
    let set = Set::new(&all);
    check_nearest(&set, &set, true).unwrap();
    check_nearest(&Set::new(&far), &set, false).unwrap();
}

#[test]
fn a_join_can_be_stopped() {
    let tree = Plain { codes: vec![0, 1], parents: vec![-1, 0] };
    let set = Set::new(&vec![tree; 50]);
    let x = set.source(false);
    let (costs, cancel) = (Costs::Unit, Cancel::default());
    let input = Input { x, y: x, costs, norm: None, radius: 1.0, inside: true, symmetric: true };
    let join = Join::new(&input, Way::Auto, 1, &cancel, || true).unwrap().unwrap();
    assert_eq!(join.rows(&input, 1, &cancel, |_| true).unwrap().neighbors.len(), 50 * 49);
    assert_eq!(join.rows(&input, 1, &cancel, |_| false), Err(crate::Error::Cancelled));
}
