//! No bound ever exceeds the distance, and each is what its slow twin says.

use super::*;
use crate::cost::CostTable;
use crate::cost::MeetingCosts;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::distance::tests::{prepare, shape, some_cost, table};
use crate::distance::{Scratch, Workspace, distance};
use crate::naive::{self, Plain, trees};
use crate::pair::Operand;
use crate::tree::Prepared;
use proptest::prelude::*;

fn side<'a>(trees: &'a [Prepared], codes: Option<&'a [u32]>) -> Side<'a> {
    Side { trees, codes }
}

/// Checks all pairs of two sets and returns the bounds: label bound, larger bound, distance.
fn checked(x: Side<'_>, y: Side<'_>, costs: Costs<'_>) -> Vec<(i128, i128, f64)> {
    let set_costs = SetCosts::Fixed(costs);
    let cancel = Cancel::default();
    let mut crew = Crew::alone(&cancel);
    // With all the time in the world, favourites are looked up in advance.
    let bounds = Bounds::new(x, y, set_costs, None, 1e12, &mut crew).unwrap();
    let hasty = Bounds::new(x, y, set_costs, None, 0.0, &mut crew).unwrap();
    let (mut scratch, mut workspace) = (BoundScratch::default(), Workspace::default());
    let mut found = Vec::new();
    for i in 0..x.trees.len() {
        for j in 0..y.trees.len() {
            let (quick, tight) = (bounds.quick(i, j), bounds.tight(i, j, &mut scratch));
            let d = distance(
                &Pair { x: x.operand(i), y: y.operand(j), costs },
                &mut Scratch { workspace: &mut workspace, cancel: &cancel },
            )
            .unwrap();
            let size = bounds.size(i, j);
            assert!(0 <= quick && size <= quick && quick <= tight, "{size} {quick} {tight}");
            assert!(costs.total(tight) <= d, "{tight} {d}");
            assert_eq!(hasty.quick(i, j), quick);
            let strings = bounds.strings(i, j, i128::MAX, &mut scratch);
            for limit in [0, quick - 1, quick, strings - 1, strings, strings + 1] {
                assert_eq!(bounds.strings(i, j, limit, &mut scratch) > limit, strings > limit);
                if limit >= 0 {
                    let (x, y) = (x.operand(i), y.operand(j));
                    let above =
                        |work| pair_is_above(&Pair { x, y, costs }, limit, work, &cancel).unwrap();
                    assert_eq!(above(f64::INFINITY), tight > limit);
                    assert!(!above(0.0) || size > limit);
                }
            }
            found.push((quick, tight, d));
        }
    }
    found
}

/// The edit distance of two strings, cell by cell, in the savings form turned back.
fn string_distance(a: &[i32], b: &[i32], cost: naive::Cost<'_>) -> i64 {
    let mut row = vec![0];
    row.extend(b.iter().scan(0, |sum, &b| {
        *sum += cost(None, Some(b));
        Some(*sum)
    }));
    for &a in a {
        let mut diagonal = row[0];
        row[0] += cost(Some(a), None);
        for (j, &b) in b.iter().enumerate() {
            let replaced = diagonal + cost(Some(a), Some(b));
            diagonal = row[j + 1];
            let gaps = (row[j + 1] + cost(Some(a), None)).min(row[j] + cost(None, Some(b)));
            row[j + 1] = replaced.min(gaps);
        }
    }
    row[b.len()]
}

fn postorder(tree: &Plain) -> Vec<i32> {
    let mut codes = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (i, &parent) in tree.parents.iter().enumerate() {
        while open.last().is_some_and(|&last| last as i32 != parent) {
            codes.push(tree.codes[open.pop().unwrap()]);
        }
        open.push(i);
    }
    codes.extend(open.iter().rev().map(|&i| tree.codes[i]));
    codes
}

fn strings_twin(x: &Plain, y: &Plain, cost: naive::Cost<'_>) -> i128 {
    let pre = string_distance(&x.codes, &y.codes, cost);
    pre.max(string_distance(&postorder(x), &postorder(y), cost)).into()
}

/// max(n, m) - |common labels|.
fn histogram_twin(x: &Plain, y: &Plain) -> i128 {
    let mut left = y.codes.clone();
    for code in &x.codes {
        if let Some(place) = left.iter().position(|other| other == code) {
            left.remove(place);
        }
    }
    (x.codes.len().max(y.codes.len()) - (y.codes.len() - left.len())) as i128
}

proptest! {
    #![proptest_config(naive::cases(300))]

    #[test]
    fn unit_bounds_are_their_twins(
        x in proptest::collection::vec(trees(150, 5), 1..4),
        y in proptest::collection::vec(trees(150, 5), 1..4),
    ) {
        let (a, b): (Vec<_>, Vec<_>) =
            (x.iter().map(prepare).collect(), y.iter().map(prepare).collect());
        let found = checked(side(&a, None), side(&b, None), Costs::Unit);
        let mut found = found.iter();
        for x in &x {
            for y in &y {
                let &(quick, tight, _) = found.next().unwrap();
                let labels = histogram_twin(x, y);
                prop_assert_eq!(quick, labels);
                prop_assert_eq!(tight, labels.max(strings_twin(x, y, &naive::unit)));
            }
        }
    }

    #[test]
    fn more_labels_than_places(x in trees(250, 120), y in trees(250, 120)) {
        let (a, b) = ([prepare(&x)], [prepare(&y)]);
        let found = checked(side(&a, None), side(&b, None), Costs::Unit);
        prop_assert_eq!(found[0].0, histogram_twin(&x, &y));
    }

    #[test]
    fn table_bounds_hold_for_any_table(
        x in proptest::collection::vec(trees(40, 4), 1..4),
        y in proptest::collection::vec(trees(40, 4), 1..20),
        seed in any::<u64>(),
    ) {
        let cost = some_cost(seed);
        let (a, b): (Vec<_>, Vec<_>) =
            (x.iter().map(prepare).collect(), y.iter().map(prepare).collect());
        for unit in [1.0, 0.1, 1.0 / 3.0] {
            let table = table(&cost, 4, unit);
            let found = checked(side(&a, None), side(&b, None), Costs::Table(&table));
            // One by one nothing is looked up in advance, and nothing changes.
            for (k, &(quick, tight, _)) in found.iter().enumerate() {
                let (i, j) = (k / b.len(), k % b.len());
                let one = (side(&a[i..=i], None), side(&b[j..=j], None));
                let alone = checked(one.0, one.1, Costs::Table(&table))[0];
                prop_assert_eq!((alone.0, alone.1), (quick, tight));
                if unit == 1.0 {
                    let strings = strings_twin(&x[i], &y[j], &cost);
                    prop_assert_eq!(tight, quick.max(strings));
                }
            }
        }
    }

    #[test]
    fn bounds_of_kinds_of_edits_are_those_of_unit_costs(
        x in proptest::collection::vec(trees(60, 4), 1..4),
        y in proptest::collection::vec(trees(60, 4), 1..8),
        kinds in naive::kinds(),
    ) {
        let (a, b): (Vec<_>, Vec<_>) =
            (x.iter().map(prepare).collect(), y.iter().map(prepare).collect());
        for unit in [1.0, 1.0 / 3.0] {
            let costs = naive::operations(kinds, unit);
            let found = checked(side(&a, None), side(&b, None), Costs::Operations(&costs));
            checked(side(&a, None), side(&a, None), Costs::Operations(&costs));
            for (k, &(quick, tight, _)) in found.iter().enumerate() {
                let (x, y) = (&x[k / y.len()], &y[k % y.len()]);
                let nodes = (x.codes.len() as u64, y.codes.len() as u64);
                let sizes = Sizes { costs: &costs, nodes };
                let common = nodes.0.max(nodes.1) - histogram_twin(x, y) as u64;
                prop_assert_eq!(quick, sizes.by_labels(common));
                let strings = strings_twin(x, y, &naive::unit) as u64;
                prop_assert_eq!(tight, quick.max(sizes.by_strings(strings)));
            }
        }
    }

    #[test]
    fn kinds_that_cost_1_have_the_unit_bounds(x in trees(70, 4), y in trees(70, 4)) {
        let (a, b) = ([prepare(&x)], [prepare(&y)]);
        let costs = naive::operations([1, 1, 1], 1.0);
        prop_assert_eq!(costs, OperationCosts::UNIT);
        let found = checked(side(&a, None), side(&b, None), Costs::Operations(&costs));
        prop_assert_eq!(found, checked(side(&a, None), side(&b, None), Costs::Unit));
    }

    #[test]
    fn unit_costs_as_a_table_have_the_unit_bounds(x in trees(70, 4), y in trees(70, 4)) {
        let (a, b) = ([prepare(&x)], [prepare(&y)]);
        let table = table(&naive::unit, 4, 1.0);
        let found = checked(side(&a, None), side(&b, None), Costs::Table(&table));
        prop_assert_eq!(found, checked(side(&a, None), side(&b, None), Costs::Unit));
    }

    #[test]
    fn translated_codes_and_shared_sets(x in proptest::collection::vec(trees(30, 4), 1..5)) {
        let trees: Vec<_> = x.iter().map(prepare).collect();
        let plain = side(&trees, None);
        let expected = checked(plain, plain, Costs::Unit);
        let (codes, same) = ([7, 90, 3, 5], [7, 90, 3, 5]);
        let one = side(&trees, Some(&codes));
        prop_assert_eq!(&checked(one, one, Costs::Unit), &expected);
        prop_assert_eq!(&checked(one, side(&trees, Some(&same)), Costs::Unit), &expected);
        // Two labels that become one.
        let merged = [0, 1, 1, 2];
        checked(side(&trees, Some(&merged)), side(&trees, Some(&merged)), Costs::Unit);
        checked(side(&trees, Some(&merged)), plain, Costs::Unit);
    }

    #[test]
    fn vector_bounds_hold(
        x in proptest::collection::vec(trees(30, 4), 1..4),
        y in proptest::collection::vec(trees(30, 4), 1..4),
        vectors in proptest::collection::vec(-1.0..1.0f64, 9),
    ) {
        let (a, b): (Vec<_>, Vec<_>) =
            (x.iter().map(prepare).collect(), y.iter().map(prepare).collect());
        let length = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
        for kind in [VectorKind::Cosine, VectorKind::Chord, VectorKind::Angle, VectorKind::Euclidean] {
            // Label 3 has no vector, and label 1 the vector 0.
            let mut rows: Vec<_> = vectors.chunks(3).map(<[f64]>::to_vec).collect();
            rows[1].fill(0.0);
            let lengths: Vec<_> = rows.iter().map(|row| length(row)).collect();
            if kind != VectorKind::Euclidean {
                for (row, &length) in rows.iter_mut().zip(&lengths).filter(|(_, l)| **l > 0.0) {
                    for value in row.iter_mut() {
                        *value /= length;
                    }
                }
            }
            let elements = rows.concat();
            let costs = VectorCosts::new(Elements::Double(&elements), &lengths, kind).unwrap();
            let all = costs.gather(&[0, 1, 2, 3]);
            let table = costs.table(&all, &all);
            let cancel = Cancel::default();
            let costs = SetCosts::Meeting(MeetingCosts::Vectors(&costs));
            let mut crew = Crew::alone(&cancel);
            let (x, y) = (side(&a, None), side(&b, None));
            let bounds = Bounds::new(x, y, costs, None, 0.0, &mut crew).unwrap();
            let mut scratch = BoundScratch::default();
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    let (x, y) = (Operand { tree: x, codes: None }, Operand { tree: y, codes: None });
                    let costs = Costs::Table(&table);
                    let d = distance(&Pair { x, y, costs }, &mut Scratch { workspace: &mut Workspace::default(), cancel: &cancel }).unwrap();
                    let (quick, tight) = (bounds.quick(i, j), bounds.tight(i, j, &mut scratch));
                    prop_assert!(0 <= quick && quick <= tight && costs.total(tight) <= d);
                }
            }
        }
    }
}

#[test]
fn many_copies_of_a_label_and_long_strings() {
    // Counts beyond a byte, patterns beyond two words.
    let chain = |n: usize, m: usize| {
        let mut tree = shape(n, |i| i as i32 - 1);
        tree.codes[..m].fill(1);
        tree
    };
    // From one word to four, and more.
    let sizes = [(700, 300), (520, 0), (256, 9), (257, 250), (200, 70), (192, 1), (129, 100)];
    let sizes = sizes.into_iter().chain([(128, 3), (64, 64), (65, 1), (0, 0)]);
    let plain: Vec<_> = sizes.map(|(n, m)| chain(n, m)).collect();
    let trees: Vec<_> = plain.iter().map(prepare).collect();
    let found = checked(side(&trees, None), side(&trees, None), Costs::Unit);
    for (k, &(quick, tight, _)) in found.iter().enumerate() {
        let (x, y) = (&plain[k / plain.len()], &plain[k % plain.len()]);
        let labels = histogram_twin(x, y);
        let strings = strings_twin(x, y, &naive::unit);
        assert_eq!((quick, tight), (labels, labels.max(strings)));
    }
}

#[test]
fn huge_beside_small_costs() {
    let (third, huge) = (1.0 / 3.0, 1e12);
    let table = CostTable::new(&[0.0, third, third, 0.0], &[huge; 2], &[huge; 2]).unwrap();
    assert!(table.is_wide());
    let mut plain = shape(40, |i| i as i32 - 1);
    let mut trees = vec![prepare(&plain)];
    plain.codes[7] = 1;
    trees.push(prepare(&plain));
    trees.push(prepare(&shape(30, |i| i as i32 - 1)));
    let found = checked(side(&trees, None), side(&trees, None), Costs::Table(&table));
    let scale = table.scale();
    assert_eq!(scale.to_cost(found[1].0), third);
    assert_eq!(scale.to_cost(found[2].0), 10.0 * huge);
}

/// Looking up the favourites of many labels takes long enough that somebody may say stop.
#[test]
fn who_prepares_can_be_stopped() {
    let labels = 1000;
    let mut plain = shape(300, |i| i as i32 - 1);
    plain.codes = (0..300).map(|i| i * 3).collect();
    let trees: Vec<_> = (0..labels).map(|_| prepare(&plain)).collect();
    let gaps = vec![1.0; labels];
    let table = CostTable::new(&vec![0.5; labels * labels], &gaps, &gaps).unwrap();
    let (set, cancel) = (side(&trees, None), Cancel::default());
    let mut asked = 0;
    let mut no = || {
        asked += 1;
        false
    };
    let mut crew = Crew::new(1, &cancel, &mut no);
    let costs = SetCosts::Fixed(Costs::Table(&table));
    let made = Bounds::new(set, set, costs, None, 1e12, &mut crew);
    assert_eq!(made.err(), Some(Error::Cancelled));
    assert_eq!(asked, 1);
}
