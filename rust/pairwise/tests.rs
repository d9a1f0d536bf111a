use super::*;
use crate::cost::CostTable;
use crate::cost::MeetingCosts;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::distance::{PairPlan, Scratch, Workspace, distance, planned_result};
use crate::naive::{self, Plain, norms, trees};
use crate::pair::{Costs, Operand, Pair, SetCosts, Side};
use crate::parallel::Cancel;
use crate::tree::{Numbering, Prepared};
use proptest::prelude::*;

fn prepare(trees: &[Plain]) -> Vec<Prepared> {
    let mut numbering = Numbering::default();
    trees.iter().map(|t| Prepared::new(&t.codes, &t.parents, &mut numbering)).collect()
}

fn matrix(request: &MatrixRequest<'_>, threads: usize) -> Vec<f64> {
    let m = request.y.trees.len();
    let mut out = vec![f64::NAN; request.x.trees.len() * m];
    let mut stored = 0;
    let store = |i: usize, j: usize, d| {
        assert!(out[i * m + j].is_nan(), "stored twice");
        out[i * m + j] = d;
        stored += 1;
        if request.triangle {
            out[j * m + i] = d;
        }
    };
    let computed = compute(request, threads, &Cancel::default(), store, |_| true).unwrap();
    assert_eq!((stored, stored), (request.pairs(), computed.pairs));
    assert!(computed.exact <= computed.pairs);
    out
}

/// The matrix for some cutoffs, against a matrix without.
fn check_cutoffs(request: &MatrixRequest<'_>, uncut: &[f64]) {
    let mut cutoffs = uncut.to_vec();
    cutoffs.sort_by(f64::total_cmp);
    let quarter = cutoffs.len() / 4;
    let some = [0, quarter, 2 * quarter, 3 * quarter].map(|place| cutoffs.get(place).copied());
    let near = |d: f64| [d, d.next_down().max(0.0), d.next_up()];
    let some = some.into_iter().flatten().flat_map(near);
    for cutoff in some.chain([0.0, 0.6, 1.7, f64::INFINITY]) {
        let cut = |&d: &f64| if d <= cutoff { d } else { f64::INFINITY };
        let expected: Vec<_> = uncut.iter().map(cut).collect();
        let request = MatrixRequest { cutoff: Some(cutoff), ..*request };
        assert_eq!(matrix(&request, 1), expected, "{cutoff}");
    }
}

fn pair_by_pair(request: &MatrixRequest<'_>) -> Vec<f64> {
    let mut scratch = Workspace::default();
    let mut out = Vec::new();
    for i in 0..request.x.trees.len() {
        for j in 0..request.y.trees.len() {
            let (x, y) = (request.x.operand(i), request.y.operand(j));
            let d = match request.costs {
                SetCosts::Fixed(costs) => distance(
                    &Pair { x, y, costs },
                    &mut Scratch { workspace: &mut scratch, cancel: &Cancel::default() },
                ),
                SetCosts::Meeting(meeting) => {
                    // One table of the whole vocabulary, and a label without a vector.
                    let all: Vec<_> = (0..4).collect();
                    let table = meeting.table(&meeting.gather(&all), &meeting.gather(&all));
                    distance(
                        &Pair { x, y, costs: Costs::Table(&table) },
                        &mut Scratch { workspace: &mut scratch, cancel: &Cancel::default() },
                    )
                }
            };
            out.push(d.unwrap());
        }
    }
    out
}

proptest! {
    #![proptest_config(naive::cases(60))]

    #[test]
    fn a_matrix_is_its_pairs(
        x in proptest::collection::vec(trees(60, 3), 0..12),
        y in proptest::collection::vec(trees(60, 3), 0..12),
        costs in proptest::collection::vec(0u8..30, 9 + 6),
        kinds in naive::kinds(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) / 7.0).collect();
        let table = CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap();
        let operations = [1.0, 1.0 / 7.0].map(|unit| naive::operations(kinds, unit));
        let side = |trees| Side { trees, codes: None };
        let all = [
            Costs::Unit,
            Costs::Table(&table),
            Costs::Operations(&operations[0]),
            Costs::Operations(&operations[1]),
        ];
        for costs in all {
            let request =
                MatrixRequest { x: side(&x), y: side(&y), costs: SetCosts::Fixed(costs), triangle: false, diagonal: true, cutoff: None, norm: None };
            prop_assert_eq!(matrix(&request, 2), pair_by_pair(&request));
            check_cutoffs(&request, &pair_by_pair(&request));
        }
        let (triangle, diagonal) = (true, true);
        let request =
            MatrixRequest { x: side(&x), y: side(&x), costs: SetCosts::Fixed(Costs::Unit), triangle, diagonal, cutoff: None, norm: None };
        prop_assert_eq!(matrix(&request, 1), pair_by_pair(&request));
        check_cutoffs(&request, &pair_by_pair(&request));
    }
}

proptest! {
    #![proptest_config(naive::cases(60))]

    /// Normalised distances are those of single pairs, with and without a cutoff.
    #[test]
    fn a_normalised_matrix_is_its_pairs(
        x in proptest::collection::vec(trees(60, 3), 0..12),
        y in proptest::collection::vec(trees(60, 3), 0..12),
        costs in proptest::collection::vec(0u8..30, 9 + 6),
        norm in norms(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) / 7.0).collect();
        let table = CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap();
        let side = |trees| Side { trees, codes: None };
        for (costs, y, triangle) in [
            (Costs::Unit, &y, false),
            (Costs::Table(&table), &y, false),
            (Costs::Unit, &x, true),
        ] {
            let request = MatrixRequest {
                x: side(&x),
                y: side(y),
                costs: SetCosts::Fixed(costs),
                triangle,
                diagonal: true,
                cutoff: None,
                norm,
            };
            let mut expected = Vec::new();
            let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
            for x in &x {
                for y in y {
                    let operand = |tree| Operand { tree, codes: None };
                    let pair = Pair { x: operand(x), y: operand(y), costs };
                    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
                    let plan = PairPlan::new(&pair);
                    expected.push(planned_result(&pair, &plan, norm, None, scratch).unwrap());
                }
            }
            prop_assert_eq!(&matrix(&request, 2), &expected);
            check_cutoffs(&request, &expected);
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(60))]

    /// Whole trees occur again, and trees with two labels share most of their subtrees.
    #[test]
    fn shared_rows_do_not_show(
        some in proptest::collection::vec(trees(40, 2), 1..12),
        again in proptest::collection::vec(any::<proptest::sample::Index>(), 8..40),
        costs in proptest::collection::vec(0u8..30, 4 + 4),
        kinds in naive::kinds(),
    ) {
        let all: Vec<_> = again.iter().map(|index| index.get(&some).clone()).collect();
        let trees = prepare(&all);
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c)).collect();
        let scaled: Vec<_> = costs.iter().map(|c| c / 7.0).collect();
        let table = |costs: &[f64]| CostTable::new(&costs[..4], &costs[4..6], &costs[6..]).unwrap();
        let (whole, scaled) = (table(&costs), table(&scaled));
        let side = Side { trees: &trees, codes: None };
        let operations = naive::operations(kinds, 1.0);
        let all = [
            Costs::Unit,
            Costs::Table(&whole),
            Costs::Table(&scaled),
            Costs::Operations(&operations),
        ];
        for costs in all {
            let costs = SetCosts::Fixed(costs);
            let request = MatrixRequest { x: side, y: side, costs, triangle: false, diagonal: true, cutoff: None, norm: None };
            prop_assert_eq!(matrix(&request, 2), pair_by_pair(&request));
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(40))]

    /// Also: which labels are gathered together does not show in the result.
    #[test]
    fn vectors_give_what_a_table_of_all_labels_gives(
        x in proptest::collection::vec(trees(40, 4), 0..9),
        y in proptest::collection::vec(trees(40, 4), 0..9),
        vectors in proptest::collection::vec(-1.0..1.0f64, 3 * 7),
        zero in 0..4usize,
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let side = |trees| Side { trees, codes: None };
        for kind in [VectorKind::Cosine, VectorKind::Chord, VectorKind::Angle, VectorKind::Euclidean] {
            let mut rows: Vec<_> = vectors.chunks(7).map(<[f64]>::to_vec).collect();
            if let Some(row) = rows.get_mut(zero) {
                row.fill(0.0);
            }
            let length = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>().sqrt();
            let lengths: Vec<_> = rows.iter().map(length).collect();
            if kind != VectorKind::Euclidean {
                for (row, &length) in rows.iter_mut().zip(&lengths).filter(|(_, l)| **l > 0.0) {
                    for value in row.iter_mut() {
                        *value /= length;
                    }
                }
            }
            let double = rows.concat();
            let single: Vec<_> = double.iter().map(|&value| value as f32).collect();
            for elements in [Elements::Double(&double), Elements::Single(&single)] {
                let costs = VectorCosts::new(elements, &lengths, kind).unwrap();
                let costs = SetCosts::Meeting(MeetingCosts::Vectors(&costs));
                let request =
                    MatrixRequest { x: side(&x), y: side(&y), costs, triangle: false, diagonal: true, cutoff: None, norm: None };
                prop_assert_eq!(matrix(&request, 2), pair_by_pair(&request));
                check_cutoffs(&request, &pair_by_pair(&request));
                let request =
                    MatrixRequest { x: side(&x), y: side(&x), costs, triangle: true, diagonal: true, cutoff: None, norm: None };
                prop_assert_eq!(matrix(&request, 1), pair_by_pair(&request));
            }
        }
    }
}

/// Every kind of exchange and lane: stars of equal leaves against deep trees, small and large.
#[test]
fn mixed_shapes_agree_for_every_number_of_threads() {
    let chain = |n: i32, c: i32| Plain {
        codes: (0..n).map(|i| (i * c) % 5).collect(),
        parents: (0..n).map(|i| i - 1).collect(),
    };
    let star = |n: i32| Plain {
        codes: vec![1; n as usize],
        parents: (0..n).map(|i| if i == 0 { -1 } else { 0 }).collect(),
    };
    let comb = |n: i32, c: i32| Plain {
        codes: (0..n).map(|i| (i * c) % 3).collect(),
        parents: (0..n).map(|i| if i == 0 { -1 } else { (i - 1) / 2 * 2 }).collect(),
    };
    let mut plain = vec![chain(0, 1), chain(1, 1), star(400), star(130), chain(300, 3)];
    for k in 1..30 {
        plain.push(comb(11 * k, k));
        plain.push(star(k * 9));
        plain.push(chain(k * 5, k));
    }
    let trees = prepare(&plain);
    let side = Side { trees: &trees, codes: None };
    let request = MatrixRequest {
        x: side,
        y: side,
        costs: SetCosts::Fixed(Costs::Unit),
        triangle: true,
        diagonal: true,
        cutoff: None,
        norm: None,
    };
    let expected = pair_by_pair(&request);
    for threads in [1, 2, 3] {
        assert_eq!(matrix(&request, threads), expected);
    }
    check_cutoffs(&request, &expected);
    let whole = MatrixRequest { triangle: false, ..request };
    assert_eq!(matrix(&whole, 2), expected);
}

#[test]
fn a_poll_that_says_no_stops_the_matrix() {
    let tree = Plain { codes: vec![0; 50], parents: (0..50).map(|i| i - 1).collect() };
    let trees = prepare(&vec![tree; 40]);
    let side = Side { trees: &trees, codes: None };
    let request = MatrixRequest {
        x: side,
        y: side,
        costs: SetCosts::Fixed(Costs::Unit),
        triangle: true,
        diagonal: false,
        cutoff: None,
        norm: None,
    };
    let result = compute(&request, 1, &Cancel::default(), |_, _, _| {}, |_| false);
    assert_eq!(result, Err(crate::Error::Cancelled));
}

#[test]
fn what_bounds_rule_out_is_not_computed() {
    let chain = |n: i32, label: i32| Plain {
        codes: vec![label; n as usize],
        parents: (0..n).map(|i| i - 1).collect(),
    };
    let plain: Vec<_> = (0..200).map(|k| chain(20 + k / 2, k % 2)).collect();
    let trees = prepare(&plain);
    let side = Side { trees: &trees, codes: None };
    let costs = SetCosts::Fixed(Costs::Unit);
    let (triangle, diagonal) = (true, false);
    let request = MatrixRequest {
        x: side,
        y: side,
        costs,
        triangle,
        diagonal,
        cutoff: Some(0.0),
        norm: None,
    };
    let count = |request: &MatrixRequest<'_>| {
        compute(request, 1, &Cancel::default(), |_, _, _| {}, |_| true).unwrap()
    };
    // No two of them are equal, and their labels show it.
    assert_eq!(count(&request), Computed { pairs: 200 * 199 / 2, exact: 0 });
    let all = MatrixRequest { cutoff: None, ..request };
    assert_eq!(count(&all), Computed { pairs: 200 * 199 / 2, exact: 200 * 199 / 2 });
    // To look at the labels of a few chains would take longer than to compare them.
    let few = Side { trees: &trees[..4], codes: None };
    let few = MatrixRequest { x: few, y: few, ..request };
    assert_eq!(count(&few), Computed { pairs: 6, exact: 6 });
}

/// Trees whose tables would take a hundred gigabytes, and who occur again, in the same set and in
/// another one with other codes; with few columns, so that nothing is shared.
#[test]
fn equal_trees_of_any_size_cost_nothing() {
    let chain = |n: i32, label: i32| Plain {
        codes: vec![label; n as usize],
        parents: (0..n).map(|i| i - 1).collect(),
    };
    let x = prepare(&[chain(300_000, 1), chain(3, 0), chain(300_000, 1)]);
    let y = prepare(&[chain(2, 0), chain(300_000, 0)]);
    let codes = [1u32, 0];
    let costs = SetCosts::Fixed(Costs::Unit);
    let side = Side { trees: &x, codes: None };
    let count = |request: &MatrixRequest<'_>| {
        let mut found = Vec::new();
        let store = |i, j, d| found.push((i, j, d));
        let exact = compute(request, 1, &Cancel::default(), store, |_| true).unwrap().exact;
        found.sort_by_key(|pair| (pair.0, pair.1));
        (found, exact)
    };
    for cutoff in [None, Some(1e6)] {
        let request = MatrixRequest {
            x: side,
            y: side,
            costs,
            triangle: true,
            diagonal: false,
            cutoff,
            norm: None,
        };
        let (mut found, exact) = count(&request);
        for pair in &mut found {
            *pair = (pair.0.min(pair.1), pair.0.max(pair.1), pair.2);
        }
        found.sort_by_key(|pair| (pair.0, pair.1));
        assert_eq!(found, [(0, 1, 300_000.0), (0, 2, 0.0), (1, 2, 300_000.0)]);
        assert_eq!(exact, 1);
        let other = Side { trees: &y, codes: Some(&codes) };
        let request = MatrixRequest {
            x: side,
            y: other,
            costs,
            triangle: false,
            diagonal: true,
            cutoff,
            norm: None,
        };
        let (found, exact) = count(&request);
        let (large, small) = (299_998.0, 300_000.0);
        let expected = [large, 0.0, 3.0, small, large, 0.0];
        let expected: Vec<_> = (0..6).map(|k| (k / 2, k % 2, expected[k])).collect();
        assert_eq!(found, expected);
        assert_eq!(exact, 3);
    }
}

proptest! {
    #![proptest_config(naive::cases(60))]

    /// Under tables that charge for keeping a label equal trees are not at distance 0.
    #[test]
    fn copies_do_not_show(
        some in proptest::collection::vec(trees(12, 2), 1..5),
        again in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
        costs in proptest::collection::vec(0u8..3, 4),
        replace in prop_oneof![0..5i64, Just(naive::NEVER_COST)],
        never in proptest::bool::weighted(0.3),
    ) {
        let all: Vec<_> = again.iter().map(|index| index.get(&some).clone()).collect();
        let trees = prepare(&all);
        let gap = costs[2].into();
        let operations = naive::operations([gap, gap, replace], 1.0);
        let mut costs: Vec<_> = costs.iter().map(|&c| f64::from(c)).collect();
        if never {
            // A label that is never kept.
            costs[0] = f64::INFINITY;
        }
        let replace = [costs[0], costs[1], costs[1], costs[0]];
        let table = CostTable::new(&replace, &costs[2..], &costs[2..]).unwrap();
        let side = Side { trees: &trees, codes: None };
        for costs in [Costs::Unit, Costs::Operations(&operations), Costs::Table(&table)] {
            let costs = SetCosts::Fixed(costs);
            for triangle in [false, true] {
                let request = MatrixRequest { x: side, y: side, costs, triangle, diagonal: true, cutoff: None, norm: None };
                let expected = pair_by_pair(&request);
                prop_assert_eq!(matrix(&request, 2), &expected[..]);
                check_cutoffs(&request, &expected);
                let condensed = MatrixRequest { diagonal: false, ..request };
                let n = trees.len();
                for (k, (&d, found)) in expected.iter().zip(matrix(&condensed, 1)).enumerate() {
                    prop_assert!(found == d || (triangle && k / n == k % n && found.is_nan()));
                }
            }
        }
    }
}
