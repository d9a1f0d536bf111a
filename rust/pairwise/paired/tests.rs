//! Pairs of lists against one pair after another, and matrices of one pair.

use super::*;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::cost::{CostTable, MeetingCosts};
use crate::naive::{self, Plain, normalised, norms, trees};
use crate::pairwise::{MatrixRequest, compute};
use crate::tree::Numbering;
use proptest::prelude::*;

fn prepare(trees: &[Plain]) -> Vec<Prepared> {
    let mut numbering = Numbering::default();
    trees.iter().map(|t| Prepared::new(&t.codes, &t.parents, &mut numbering)).collect()
}

fn run(request: &PairedRequest<'_>, threads: usize) -> Vec<f64> {
    let mut out = vec![f64::NAN; request.x.trees.len()];
    let mut store = |i: usize, d: f64| {
        assert!(out[i].is_nan(), "stored twice");
        out[i] = d;
    };
    paired(request, threads, &Cancel::default(), &mut store, &mut |_| true).unwrap();
    out
}

/// The results of all pairs one by one, and those of a matrix of each pair.
fn one_by_one(request: &PairedRequest<'_>, gap: f64) -> Vec<f64> {
    let PairedRequest { x, y, costs, norm, .. } = *request;
    let mut out = Vec::new();
    for i in 0..x.trees.len() {
        let matrix = |norm| {
            let [x, y] = [x, y].map(|s| Side { trees: &s.trees[i..=i], codes: s.codes });
            let (triangle, diagonal, cutoff) = (false, true, None);
            let request = MatrixRequest { x, y, costs, triangle, diagonal, cutoff, norm };
            let mut found = f64::NAN;
            compute(&request, 1, &Cancel::default(), |_, _, d| found = d, |_| true).unwrap();
            found
        };
        let (x, y) = (x.operand(i), y.operand(i));
        let all = costs.total(costs.delete_all(&x) + costs.insert_all(&y));
        let nodes = (x.tree.nodes(), y.tree.nodes());
        let slow = normalised(matrix(None), norm, nodes, all, gap);
        let found = matrix(norm);
        assert!((found - slow).abs() <= 1e-11 * slow, "{found} {slow} {norm:?}");
        out.push(found);
    }
    out
}

/// All cutoffs at, below and above results that occur.
fn check(request: &PairedRequest<'_>, gap: f64) {
    let expected = one_by_one(request, gap);
    assert_eq!(run(request, 2), expected);
    let near = |&d: &f64| [d, d.next_down().max(0.0), d.next_up()];
    for cutoff in expected.iter().flat_map(near).chain([0.0, 0.9, 1.7, f64::INFINITY]) {
        let cut = |&d: &f64| if d <= cutoff { d } else { f64::INFINITY };
        let expected: Vec<_> = expected.iter().map(cut).collect();
        let request = PairedRequest { cutoff: Some(cutoff), ..*request };
        assert_eq!(run(&request, 1), expected, "{cutoff}");
    }
}

proptest! {
    #![proptest_config(naive::cases(60))]

    #[test]
    fn pairs_are_those_of_a_matrix(
        pairs in proptest::collection::vec((trees(60, 4), trees(60, 4)), 0..12),
        costs in proptest::collection::vec(0u8..30, 16 + 8),
        vectors in proptest::collection::vec(-1.0..1.0f64, 6),
        norm in norms(),
    ) {
        let (x, y): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let (x, y) = (prepare(&x), prepare(&y));
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) / 7.0).collect();
        let table = CostTable::new(&costs[..16], &costs[16..20], &costs[20..]).unwrap();
        // Without a vector for the last label.
        let lengths: Vec<_> = vectors.chunks(2).map(|v| v[0].hypot(v[1])).collect();
        let elements = Elements::Double(&vectors);
        let vectors = VectorCosts::new(elements, &lengths, VectorKind::Euclidean).unwrap();
        let side = |trees| Side { trees, codes: None };
        let largest = |gaps: &[f64]| gaps.iter().copied().fold(0.0, f64::max);
        for (costs, gap) in [
            (SetCosts::Fixed(Costs::Unit), 1.0),
            (SetCosts::Fixed(Costs::Table(&table)), largest(&costs[16..])),
            (SetCosts::Meeting(MeetingCosts::Vectors(&vectors)), largest(&lengths)),
        ] {
            check(&PairedRequest { x: side(&x), y: side(&y), costs, cutoff: None, norm }, gap);
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(30))]

    /// Many pairs that share vectors, along both sides and in both roles.
    #[test]
    fn small_pairs_side_by_side_are_those_of_a_matrix(
        pairs in proptest::collection::vec((trees(24, 5), trees(24, 5)), 20..40),
        costs in proptest::collection::vec(0u8..30, 25 + 10),
        norm in norms(),
    ) {
        let (x, y): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let (x, y) = (prepare(&x), prepare(&y));
        let side = |trees| Side { trees, codes: None };
        for quantum in [1.0, 0.25, 1.0 / 7.0] {
            let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) * quantum).collect();
            let table = CostTable::new(&costs[..25], &costs[25..30], &costs[30..]).unwrap();
            let gap = costs[25..].iter().copied().fold(0.0, f64::max);
            for (costs, gap) in [(Costs::Unit, 1.0), (Costs::Table(&table), gap)] {
                let costs = SetCosts::Fixed(costs);
                let request =
                    PairedRequest { x: side(&x), y: side(&y), costs, cutoff: None, norm };
                let expected = one_by_one(&request, gap);
                prop_assert_eq!(run(&request, 1), &expected[..]);
                let cutoff = expected[0];
                let cut = |&d: &f64| if d <= cutoff { d } else { f64::INFINITY };
                let expected: Vec<_> = expected.iter().map(cut).collect();
                let request = PairedRequest { cutoff: Some(cutoff), ..request };
                prop_assert_eq!(run(&request, 2), expected);
            }
        }
    }
}

/// Pairs that are large enough for bounds of single pairs and for a band.
#[test]
fn large_pairs_have_bounds_and_bands() {
    let comb = |n: i32, step: i32| Plain {
        codes: (0..n).map(|i| i % step % 3).collect(),
        parents: (0..n).map(|i| if i % 2 == 1 { i - 1 } else { i - 2 }.max(-1)).collect(),
    };
    let x = prepare(&[comb(300, 7), comb(260, 5), comb(300, 11)]);
    let y = prepare(&[comb(304, 7), comb(300, 4), comb(300, 97)]);
    let side = |trees| Side { trees, codes: None };
    let replace: Vec<_> = (0..9).map(|i| f64::from(u8::from(i % 4 != 0)) / 3.0).collect();
    let table = CostTable::new(&replace, &[1.0; 3], &[0.5; 3]).unwrap();
    for costs in [Costs::Unit, Costs::Table(&table)].map(SetCosts::Fixed) {
        for norm in [None, Some(Norm::Weight), Some(Norm::Max), Some(Norm::LiZhang)] {
            check(&PairedRequest { x: side(&x), y: side(&y), costs, cutoff: None, norm }, 1.0);
        }
    }
}

#[test]
fn every_pair_is_in_one_task_and_large_ones_come_first() {
    let chain = |n: usize| Plain { codes: vec![0; n], parents: (-1..n as i32 - 1).collect() };
    let trees = prepare(&(0..3000).map(|k| chain(k * 7 % 90)).collect::<Vec<_>>());
    let side = Side { trees: &trees, codes: None };
    let costs = SetCosts::Fixed(Costs::Unit);
    let request = PairedRequest { x: side, y: side, costs, cutoff: None, norm: None };
    let plan = PairsPlan::new(&request, 2);
    assert!(plan.tasks.len() > 1);
    let covered: Vec<_> = plan.tasks.iter().cloned().flatten().collect();
    assert_eq!(covered, (0..3000).collect::<Vec<_>>());
    let work = |&i: &u32| cells(&trees[i as usize], &trees[i as usize]);
    assert!(plan.order.iter().map(work).is_sorted_by(|a, b| a >= b));
}

#[test]
fn lists_of_different_lengths_are_refused() {
    let trees = prepare(&[Plain { codes: vec![0], parents: vec![-1] }]);
    let (x, y) = (Side { trees: &trees, codes: None }, Side { trees: &[], codes: None });
    let costs = SetCosts::Fixed(Costs::Unit);
    let request = PairedRequest { x, y, costs, cutoff: None, norm: None };
    let found = paired(&request, 1, &Cancel::default(), &mut |_, _| {}, &mut |_| true);
    assert!(found.unwrap_err().to_string().contains("1 trees cannot be paired with 0"));
}
