//! Counts in bulk against those of one pair after the other.

use super::plan::CountPlan;
use super::*;
use crate::align::{Integer, Problem, in_quanta};
use crate::cost::CostTable;
use crate::cost::MeetingCosts;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::naive::{self, Plain, trees};
use crate::pair::{Costs, Pair};
use crate::tree::{Numbering, Prepared};
use proptest::prelude::*;

fn prepare(trees: &[Plain]) -> Vec<Prepared> {
    let mut numbering = Numbering::default();
    trees.iter().map(|t| Prepared::new(&t.codes, &t.parents, &mut numbering)).collect()
}

/// Every pair on its own, however often it occurs.
fn one_by_one(request: &CountRequest<'_>, pairs: &[(u32, u32)], costs: Costs<'_>) -> Vec<Counts> {
    fn count<Q: Integer>(
        request: &CountRequest<'_>,
        (x, y): (Operand<'_>, Operand<'_>),
        costs: Costs<'_>,
    ) -> Counts {
        let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
        let (tolerance, order) = (request.tolerance, request.order());
        let problem = Problem::<Q>::new(
            Pair { x, y, costs },
            tolerance,
            order,
            &mut Scratch { workspace: &mut workspace, cancel: &cancel },
        )
        .unwrap();
        request.counts((&x, &y), problem, &cancel).unwrap()
    }
    let of = |&(i, j): &(u32, u32)| {
        let pair = (request.x.operand(i as usize), request.y.operand(j as usize));
        in_quanta!(costs, pair.0.tree.nodes() + pair.1.tree.nodes(), Q => count::<Q>(request, pair, costs))
    };
    pairs.iter().map(of).collect()
}

fn in_bulk(request: &CountRequest<'_>, pairs: &[(u32, u32)], threads: usize) -> Vec<Counts> {
    let mut found = vec![None; pairs.len()];
    let store = |position: usize, counts| assert!(found[position].replace(counts).is_none());
    edit_counts(request, pairs, threads, &Cancel::default(), store, |_| true).unwrap();
    found.into_iter().flatten().collect()
}

const SYMBOLS: [u32; 3] = [0, 1, 2];

fn request<'a>(x: &'a [Prepared], y: &'a [Prepared], costs: SetCosts<'a>) -> CountRequest<'a> {
    let side = |trees| Side { trees, codes: None };
    CountRequest {
        x: side(x),
        y: side(y),
        symbol_of: (&SYMBOLS, &SYMBOLS),
        symbols: 3,
        costs,
        script: Script::One,
        tolerance: None,
    }
}

fn first(side: Side<'_>) -> Side<'_> {
    Side { trees: &side.trees[..1], ..side }
}

const SCRIPTS: [Script; 3] = [Script::One, Script::Average, Script::Soft(0.7)];

proptest! {
    #![proptest_config(naive::cases(60))]

    /// Trees and pairs that occur again, all pairs or few of them; tables with free labels, free
    /// gaps, and a cost for keeping a label, exact, rounded and wide.
    #[test]
    fn nothing_that_is_shared_shows(
        some in proptest::collection::vec(trees(14, 3), 1..8),
        again in proptest::collection::vec(any::<proptest::sample::Index>(), 1..30),
        chosen in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>()), 0..40),
        costs in proptest::collection::vec(0u8..4, 9 + 6),
        keep in any::<bool>(),
        kinds in naive::kinds(),
    ) {
        let all: Vec<_> = again.iter().map(|index| index.get(&some).clone()).collect();
        let (x, y) = (prepare(&all), prepare(&some));
        let few: Vec<_> =
            chosen.iter().map(|(i, j)| (i.index(x.len()) as u32, j.index(y.len()) as u32)).collect();
        let every: Vec<_> =
            (0..(x.len() * y.len()) as u32).map(|k| (k / y.len() as u32, k % y.len() as u32)).collect();
        let table = |unit: f64, extra: f64| {
            let mut costs: Vec<_> = costs.iter().map(|&cost| f64::from(cost) * unit).collect();
            costs[14] += extra;
            if keep {
                for cell in [0, 4, 8] {
                    costs[cell] = 0.0;
                }
            }
            CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap()
        };
        let tables = [table(1.0, 0.0), table(1.0 / 3.0, 0.0), table(1.0 / 3.0, 1e9)];
        let operations = [1.0, 1.0 / 3.0].map(|unit| naive::operations(kinds, unit));
        let by_kind = operations.iter().map(Costs::Operations);
        let by_table = tables.iter().map(Costs::Table);
        for costs in [Costs::Unit].into_iter().chain(by_kind).chain(by_table) {
            for script in SCRIPTS {
                // Temperatures must not be too low for the costs.
                if matches!(script, Script::Soft(_)) && costs.is_wide() {
                    continue;
                }
                let request = CountRequest { script, ..request(&x, &y, SetCosts::Fixed(costs)) };
                for pairs in [&few, &every] {
                    prop_assert_eq!(in_bulk(&request, pairs, 2), one_by_one(&request, pairs, costs));
                }
                let only = CountRequest { x: first(request.x), y: first(request.y), ..request };
                let scratch =
                    &mut Scratch { workspace: &mut Workspace::default(), cancel: &Cancel::default() };
                let counts = count_pair(&only, costs, scratch).unwrap();
                prop_assert_eq!(vec![counts], in_bulk(&only, &[(0, 0)], 1));
            }
        }
    }

    #[test]
    fn vectors_are_counted_like_a_table(
        some in proptest::collection::vec(trees(14, 3), 1..8),
        vectors in proptest::collection::vec(-1.0..1.0f64, 3 * 4),
        zero in 0..6usize,
    ) {
        let trees = prepare(&some);
        let mut rows: Vec<_> = vectors.chunks(4).map(<[f64]>::to_vec).collect();
        if let Some(row) = rows.get_mut(zero) {
            row.fill(0.0);
        }
        let length = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>().sqrt();
        let lengths: Vec<_> = rows.iter().map(length).collect();
        let elements = rows.concat();
        let costs = VectorCosts::new(Elements::Double(&elements), &lengths, VectorKind::Euclidean).unwrap();
        let all = costs.gather(&SYMBOLS);
        let table = costs.table(&all, &all);
        let n = trees.len() as u32;
        let pairs: Vec<_> = (0..n * n).map(|k| (k / n, k % n)).collect();
        for script in SCRIPTS {
            let request = CountRequest { script, ..request(&trees, &trees, SetCosts::Meeting(MeetingCosts::Vectors(&costs))) };
            let expected = one_by_one(&request, &pairs, Costs::Table(&table));
            prop_assert_eq!(in_bulk(&request, &pairs, 1), expected);
        }
    }
}

fn chain(n: i32) -> Plain {
    Plain { codes: vec![0; n as usize], parents: (0..n).map(|i| i - 1).collect() }
}

/// Their tables would take a hundred gigabytes.
#[test]
fn equal_trees_of_any_size_are_counted_at_once() {
    let (x, y) = (prepare(&[chain(300_000), chain(2)]), prepare(&[chain(300_000), chain(1)]));
    let request = request(&x, &y, SetCosts::Fixed(Costs::Unit));
    for script in [Script::One, Script::Average] {
        let request = CountRequest { script, ..request };
        let counts = in_bulk(&request, &[(0, 0), (1, 1)], 1);
        assert_eq!(counts, [vec![(0, 300_000.0)], vec![(0, 1.0), (3, 1.0)]]);
    }
}

#[test]
fn every_pair_is_planned_once_and_copies_follow() {
    let lengths = [5, 9, 5, 200, 9, 300, 5];
    let trees = prepare(&lengths.map(chain));
    let request = request(&trees, &trees, SetCosts::Fixed(Costs::Unit));
    let pairs: Vec<_> = (0..2 * 49u32).map(|k| (k % 7, k / 7 % 7)).collect();
    let plan = CountPlan::new(&request, &pairs, 2);
    // Four trees differ.
    assert_eq!((plan.pairs.len(), plan.rows), (16, 4));
    assert_eq!(plan.pairs.iter().filter(|pair| pair.plain).count(), 4);
    assert_eq!((plan.most_cells, plan.most_nodes), (201 * 301, 301));
    let mut seen = vec![0; pairs.len()];
    let mut tasks: Vec<_> = plan.tasks.iter().map(|task| task.pairs.clone()).collect();
    tasks.sort_by_key(|range| range.start);
    assert_eq!(
        tasks.iter().flat_map(Clone::clone).collect::<Vec<_>>(),
        (0..16).collect::<Vec<_>>()
    );
    for task in &plan.tasks {
        for pair in task.pairs.clone() {
            let planned = plan.pairs[pair];
            assert_eq!(task.columns[planned.place as usize], planned.y);
            for &position in plan.positions(pair) {
                let (i, j) = pairs[position as usize];
                let wanted = (lengths[planned.x as usize], lengths[planned.y as usize]);
                assert_eq!((lengths[i as usize], lengths[j as usize]), wanted);
                seen[position as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count == 1));
}

#[test]
fn no_more_threads_than_memory() {
    let limit = |threads, bytes| limit_threads(threads, bytes, || 1 << 30);
    assert_eq!(limit(8, 1 << 20), 8); // small enough not to ask
    assert_eq!(limit(8, 1 << 28), 4);
    assert_eq!(limit(8, 1 << 40), 1);
    assert_eq!(limit(1, 1 << 40), 1);
}
