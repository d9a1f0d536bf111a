//! Fixed workloads whose instructions are counted; see `benches/guard.py`.
//!
//! With the name of a workload it is run once; what callgrind counts is inside [`measured`]. With
//! `--list` the names are printed, and with no argument or `--test` all are run.

#![allow(clippy::expect_used)] // a benchmark that cannot be set up should stop
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use treemetric::align::{Problem, Ties, one_alignment};
use treemetric::cost::vectors::{Elements, VectorCosts, VectorKind};
use treemetric::cost::{CostTable, MeetingCosts};
use treemetric::distance::{Scratch, Workspace, distance};
use treemetric::pair::{Costs, Operand, Pair, SetCosts, Side};
use treemetric::pairwise::{MatrixRequest, compute};
use treemetric::parallel::Cancel;
use treemetric::tree::{Numbering, Prepared};

const LABELS: u64 = 26;
/// Numbers of a vector.
const DIMENSION: u64 = 16;

/// A name, and what it runs.
type Workload = (&'static str, fn() -> f64);

/// All workloads.
const WORKLOADS: [Workload; 12] = [
    ("prepare 100 nodes", prepare_trees),
    ("pair of 20 nodes", || pairs(20, 40, random_tree)),
    ("pair of 100 nodes", || pairs(100, 8, random_tree)),
    ("pair of 400 nodes", || pairs(400, 1, random_tree)),
    ("zigzags of 150 nodes", || pairs(150, 1, zigzag)),
    ("alignment of 100 nodes", alignment),
    ("all pairs of 10 nodes", || matrix(10, 100, SetCosts::Fixed(Costs::Unit))),
    ("all pairs of 60 nodes", || matrix(60, 40, SetCosts::Fixed(Costs::Unit))),
    ("two decimals", || matrix_by_table(|cost| (cost * 100.0).round() / 100.0)),
    ("floats", || matrix_by_table(|cost| cost)),
    ("small beside large costs", || {
        matrix_by_table(|cost| if cost < 0.1 { 1e-5 / 3.0 } else { cost })
    }),
    ("vectors", matrix_by_vectors),
];

/// A small generator, so that every run sees the same trees (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn share(&mut self) -> f64 {
        self.below(1 << 20) as f64 / (1u64 << 20) as f64
    }
}

/// Labels and parents in preorder.
type Plain = (Vec<i32>, Vec<i32>);

/// From the last node, climb with probability one half, then add a child.
fn random_tree(nodes: usize, random: &mut Random) -> Plain {
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

/// A path that turns left and right in turns; at each turn there is a leaf on the other side.
fn zigzag(nodes: usize, random: &mut Random) -> Plain {
    let mut parents = vec![-1i32];
    let (mut spine, mut late) = (0, Vec::new());
    while parents.len() + late.len() + 2 <= nodes {
        // A leaf on the right comes after all that is below the path.
        if (parents.len() + late.len()) % 4 == 1 {
            parents.push(spine);
        } else {
            late.push(spine);
        }
        parents.push(spine);
        spine = parents.len() as i32 - 1;
    }
    parents.extend(late.into_iter().rev());
    let codes = parents.iter().map(|_| random.below(LABELS) as i32).collect();
    (codes, parents)
}

fn prepare((codes, parents): &Plain) -> Prepared {
    Prepared::new(codes, parents, &mut Numbering::default())
}

fn operand(tree: &Prepared) -> Operand<'_> {
    Operand { tree, codes: None }
}

/// All that is counted happens inside this function.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn prepare_trees() -> f64 {
    let plain = random_tree(100, &mut Random(7));
    measured(|| (0..20).map(|_| prepare(black_box(&plain)).nodes()).sum::<usize>()) as f64
}

fn pairs(nodes: usize, count: usize, make: fn(usize, &mut Random) -> Plain) -> f64 {
    let mut random = Random(5);
    let trees: Vec<_> = (0..2 * count).map(|_| prepare(&make(nodes, &mut random))).collect();
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let mut all = || {
        let mut sum = 0.0;
        for pair in trees.chunks(2) {
            let pair = Pair { x: operand(&pair[0]), y: operand(&pair[1]), costs: Costs::Unit };
            let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
            sum += distance(&pair, scratch).expect("a distance");
        }
        sum
    };
    // Tables and buffers are there the second time.
    let first = all();
    let again = measured(all);
    assert_eq!(first, again);
    again
}

fn alignment() -> f64 {
    let mut random = Random(9);
    let [x, y] = [(); 2].map(|()| prepare(&random_tree(100, &mut random)));
    let pair = Pair { x: operand(&x), y: operand(&y), costs: Costs::Unit };
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
    measured(|| {
        let ties = Ties::Pair;
        let problem = Problem::<i64>::new(pair, Some(0.0), ties.order(), scratch).expect("savings");
        one_alignment(&problem, ties, &cancel).expect("an alignment").len() as f64
    })
}

fn matrix(nodes: usize, count: usize, costs: SetCosts<'_>) -> f64 {
    let mut random = Random(3);
    let trees: Vec<_> = (0..count)
        .map(|_| {
            let size = nodes / 2 + random.below(nodes as u64) as usize;
            prepare(&random_tree(size, &mut random))
        })
        .collect();
    let side = Side { trees: &trees, codes: None };
    let request = MatrixRequest {
        x: side,
        y: side,
        costs,
        triangle: true,
        diagonal: false,
        cutoff: None,
        norm: None,
    };
    let mut sum = 0.0;
    let store = |_: usize, _: usize, distance: f64| sum += distance;
    measured(|| compute(&request, 1, &Cancel::default(), store, |_| true)).expect("a matrix");
    sum
}

/// All pairs under a table of metric costs between 0 and 2 that are changed.
fn matrix_by_table(change: impl Fn(f64) -> f64) -> f64 {
    let mut random = Random(11);
    let gap: Vec<_> = (0..LABELS).map(|_| change(0.5 + random.share() / 2.0)).collect();
    let replace = |k: u64, random: &mut Random| match (k / LABELS, k % LABELS) {
        (a, b) if a == b => 0.0,
        _ => change(random.share()),
    };
    let replace: Vec<_> = (0..LABELS * LABELS).map(|k| replace(k, &mut random)).collect();
    let table = CostTable::new(&replace, &gap, &gap).expect("valid costs");
    matrix(60, 30, SetCosts::Fixed(Costs::Table(&table)))
}

fn matrix_by_vectors() -> f64 {
    let mut random = Random(13);
    let mut rows: Vec<_> = (0..LABELS * DIMENSION).map(|_| random.share() as f32 - 0.5).collect();
    for row in rows.chunks_mut(DIMENSION as usize) {
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in row {
            *value /= length;
        }
    }
    let lengths = vec![1.0; LABELS as usize];
    let costs = VectorCosts::new(Elements::Single(&rows), &lengths, VectorKind::Cosine);
    let costs = costs.expect("valid vectors");
    matrix(60, 30, SetCosts::Meeting(MeetingCosts::Vectors(&costs)))
}

fn main() {
    let wanted: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match wanted.first().map(String::as_str) {
        Some("--list") => WORKLOADS.iter().for_each(|(name, _)| println!("{name}")),
        None | Some("--test") => {
            for (name, run) in WORKLOADS {
                println!("{name}: {}", run());
            }
        }
        Some(name) => {
            let found = WORKLOADS.iter().find(|(known, _)| *known == name);
            let (_, run) = found.expect("the name of a workload");
            println!("{}", run());
        }
    }
}
