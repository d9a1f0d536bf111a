//! Kernels alone, without Python: pairs by kernel and size, preparation, all pairs.
//!
//! `cargo bench` measures, `cargo bench -- --test` only checks that everything runs. Every
//! measurement asserts its result first.

#![allow(clippy::expect_used)] // a benchmark that cannot be set up should stop

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use treemetric::cost::CostTable;
use treemetric::distance::{
    Decomposition, Kernel, Route, Scratch, Workspace, distance, distance_by, pair_work,
};
use treemetric::pair::{Costs, Operand, Pair, SetCosts, Side};
use treemetric::pairwise::{MatrixRequest, compute};
use treemetric::parallel::Cancel;
use treemetric::tree::{Numbering, Orientation, Prepared};

const LABELS: u64 = 26;

/// A small generator, so that every run sees the same trees (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A random tree: from the last node, climb with probability one half, then add a child.
fn random_tree(nodes: usize, random: &mut Random) -> (Vec<i32>, Vec<i32>) {
    let mut parents = vec![-1i32];
    for i in 1..nodes {
        let mut parent = i as i32 - 1;
        while random.below(2) == 0 && parents[parent as usize] != -1 {
            parent = parents[parent as usize];
        }
        parents.push(parent);
    }
    let codes = (0..nodes).map(|_| random.below(LABELS) as i32).collect();
    (codes, parents)
}

fn prepare((codes, parents): &(Vec<i32>, Vec<i32>)) -> Prepared {
    Prepared::new(codes, parents, &mut Numbering::default())
}

fn cost_table() -> CostTable {
    let mut random = Random(11);
    let mut cost = || 0.5 + random.below(1 << 20) as f64 / (1u64 << 21) as f64 / 3.0;
    let gap: Vec<_> = (0..LABELS).map(|_| cost()).collect();
    let replace: Vec<_> =
        (0..LABELS * LABELS).map(|k| if k / LABELS == k % LABELS { 0.0 } else { cost() }).collect();
    CostTable::new(&replace, &gap, &gap).expect("valid costs")
}

fn pairs(criterion: &mut Criterion) {
    let table = cost_table();
    let cancel = Cancel::default();
    let decomposition = Decomposition::Outer(Orientation::Left);
    let left = Route { decomposition, swapped: false };
    for nodes in [10, 20, 50, 100, 200, 500] {
        let mut random = Random(5);
        let (x, y) = (random_tree(nodes, &mut random), random_tree(nodes, &mut random));
        let (x, y) = (prepare(&x), prepare(&y));
        let operands = (Operand { tree: &x, codes: None }, Operand { tree: &y, codes: None });
        let mut scratch = Workspace::default();
        for (name, costs) in [("unit", Costs::Unit), ("float64", Costs::Table(&table))] {
            let mut group = criterion.benchmark_group(format!("pair/{name}"));
            group.throughput(Throughput::Elements(pair_work(&x, &y) as u64));
            let mut by = |kernel| {
                let (a, b) = operands;
                distance_by(
                    &Pair { x: a, y: b, costs },
                    kernel,
                    left,
                    &mut Scratch { workspace: &mut scratch, cancel: &cancel },
                )
            };
            assert_eq!(by(Kernel::Scalar), by(Kernel::Packed));
            for (kernel, label) in [(Kernel::Scalar, "scalar"), (Kernel::Packed, "packed")] {
                group.bench_function(BenchmarkId::new(label, nodes), |b| b.iter(|| by(kernel)));
            }
            group.bench_function(BenchmarkId::new("auto", nodes), |b| {
                b.iter(|| {
                    distance(
                        &Pair { x: operands.0, y: operands.1, costs },
                        &mut Scratch { workspace: &mut scratch, cancel: &cancel },
                    )
                });
            });
            group.finish();
        }
    }
}

fn preparation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prepare");
    for nodes in [10, 63, 1000] {
        let tree = random_tree(nodes, &mut Random(7));
        assert_eq!(prepare(&tree).nodes(), nodes);
        group.bench_function(BenchmarkId::new("both orientations", nodes), |b| {
            b.iter(|| prepare(&tree));
        });
        group.bench_function(BenchmarkId::new("and first distance", nodes), |b| {
            let cancel = Cancel::default();
            let other = prepare(&random_tree(nodes, &mut Random(8)));
            let mut scratch = Workspace::default();
            b.iter(|| {
                let tree = prepare(&tree);
                let (x, y) =
                    (Operand { tree: &tree, codes: None }, Operand { tree: &other, codes: None });
                distance(
                    &Pair { x: y, y: x, costs: Costs::Unit },
                    &mut Scratch { workspace: &mut scratch, cancel: &cancel },
                )
            });
        });
    }
    group.finish();
}

fn all_pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all pairs");
    group.sample_size(10);
    for (nodes, count) in [(10, 400), (20, 400), (60, 100)] {
        let mut random = Random(3);
        let trees: Vec<_> = (0..count).map(|_| prepare(&random_tree(nodes, &mut random))).collect();
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
        group.throughput(Throughput::Elements(request.pairs()));
        group.bench_function(BenchmarkId::new("unit", nodes), |b| {
            b.iter(|| {
                let mut sum = 0.0;
                let store = |_, _, d: f64| sum += d;
                compute(&request, 1, &Cancel::default(), store, |_| true).expect("computed");
                assert!(sum > 0.0);
                sum
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pairs, preparation, all_pairs);
criterion_main!(benches);
