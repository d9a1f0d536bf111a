//! Nanoseconds per cell of every kernel, and how near it comes to what the ports allow.
//!
//! `cargo bench --bench cells` prints Markdown. Give it a file of trees in bracket notation, one
//! per line (`cargo bench --bench cells -- trees.txt`), to have neighbouring lines compared too.
//! `cargo bench -- --test` only checks that everything runs.
//!
//! A cell is one of Zhang and Shasha's on left paths, whether or not the kernel computes it. The
//! port limit counts vector operations that need an arithmetic port, block by block, as they stand
//! in `rust/distance/packed.rs` and `rust/simd/`, and divides by the number of such ports:
//! three for 256-bit vectors, two for 512-bit ones. Loads, stores and everything outside blocks are
//! free in it. The clock is measured with a chain of dependent multiplications.

#![allow(clippy::expect_used)] // a benchmark that cannot be set up should stop
#![allow(clippy::print_stdout)] // its output is the record

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};
use treemetric::distance::{
    Census, Decomposition, Kernel, Route, Scratch, Workspace, census, distance_by,
};
use treemetric::pair::{self, Costs, Operand};
use treemetric::parallel::Cancel;
use treemetric::simd::{Instructions, Lanes};
use treemetric::tree::{Numbering, Orientation, Prepared, bracket};

const LABELS: u64 = 26;
const LEFT: Route =
    Route { decomposition: Decomposition::Outer(Orientation::Left), swapped: false };

struct Pair {
    x: Prepared,
    y: Prepared,
    cells: f64,
}

struct Workload {
    name: String,
    pairs: Vec<Pair>,
}

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

/// Parents, in preorder, of a uniformly random ordered tree.
///
/// A walk of n - 1 steps up and n steps down in random order has one rotation that is the depth
/// walk of a tree (cycle lemma, Dvoretzky and Motzkin 1947).
fn random_parents(nodes: usize, random: &mut Random) -> Vec<i32> {
    let mut steps: Vec<i32> =
        (0..2 * nodes - 1).map(|k| if k < nodes - 1 { 1 } else { -1 }).collect();
    for k in (1..steps.len()).rev() {
        steps.swap(k, random.below(k as u64 + 1) as usize);
    }
    let (mut height, mut lowest, mut start) = (0, 0, 0);
    for (k, step) in steps.iter().enumerate() {
        height += step;
        if height < lowest {
            (lowest, start) = (height, k + 1);
        }
    }
    let start = start % steps.len();
    steps.rotate_left(start);
    let mut parents = vec![-1];
    let mut here = 0;
    for &step in &steps[..steps.len() - 1] {
        if step > 0 {
            parents.push(here);
            here = parents.len() as i32 - 1;
        } else {
            here = parents[here as usize];
        }
    }
    parents
}

/// Sizes of the subtrees of all left key-roots, summed: every node counts once for itself and each
/// ancestor that is one.
fn keyroot_sizes(parents: &[i32]) -> f64 {
    let mut above = Vec::with_capacity(parents.len());
    for (i, &parent) in parents.iter().enumerate() {
        let continues = i > 0 && parent == i as i32 - 1;
        let inherited: u32 = if parent < 0 { 0 } else { above[parent as usize] };
        above.push(inherited + u32::from(!continues));
    }
    above.iter().map(|&count| f64::from(count)).sum()
}

fn make_pair(x: &(Vec<i32>, Vec<i32>), y: &(Vec<i32>, Vec<i32>)) -> Pair {
    let mut numbering = Numbering::default();
    let mut prepare = |tree: &(Vec<i32>, Vec<i32>)| Prepared::new(&tree.0, &tree.1, &mut numbering);
    let (a, b) = (prepare(x), prepare(y));
    Pair { x: a, y: b, cells: keyroot_sizes(&x.1) * keyroot_sizes(&y.1) }
}

fn random_workload(nodes: usize) -> Workload {
    let mut random = Random(nodes as u64 * 77 + 5);
    let mut tree = || {
        let parents = random_parents(nodes, &mut random);
        ((0..nodes).map(|_| random.below(LABELS) as i32).collect::<Vec<_>>(), parents)
    };
    let count = (4000 / nodes).clamp(2, 100);
    let pairs = (0..count).map(|_| make_pair(&tree(), &tree())).collect();
    Workload { name: nodes.to_string(), pairs }
}

fn file_workload(path: &str) -> Workload {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let parsed =
        bracket::parse_lines(&text, &Cancel::default()).expect("trees in bracket notation");
    let tree = |ends: &[i64]| {
        let range = ends[0] as usize..ends[1] as usize;
        (parsed.codes[range.clone()].to_vec(), parsed.parents[range].to_vec())
    };
    let trees: Vec<_> = parsed.offsets.windows(2).map(tree).collect();
    let pairs = trees.windows(2).map(|two| make_pair(&two[0], &two[1])).collect();
    Workload { name: "file".into(), pairs }
}

/// Seconds for all pairs once: the least of several rounds.
fn seconds(pairs: &[&Pair], kernel: Kernel, budget: Duration) -> f64 {
    let mut scratch = Workspace::default();
    let cancel = Cancel::default();
    let mut round = || {
        let start = Instant::now();
        for Pair { x, y, .. } in pairs {
            let operands = (Operand { tree: x, codes: None }, Operand { tree: y, codes: None });
            let found = distance_by(
                &pair::Pair { x: operands.0, y: operands.1, costs: Costs::Unit },
                kernel,
                LEFT,
                &mut Scratch { workspace: &mut scratch, cancel: &cancel },
            );
            black_box(found).expect("a distance");
        }
        start.elapsed().as_secs_f64()
    };
    round(); // builds the column tables
    let begin = Instant::now();
    let mut least = round();
    while begin.elapsed() < budget {
        least = least.min(round());
    }
    least
}

/// Cycles per second, from multiplications and exclusive ors that wait for each other: 3 + 1.
fn clock(rounds: u64) -> f64 {
    let (factor, mask) = (black_box(0x9e37_79b9_7f4a_7c15u64), black_box(0x1234_5678_9abc_def1));
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let mut x = black_box(1u64);
        for _ in 0..rounds {
            x = x.wrapping_mul(factor) ^ mask;
        }
        black_box(x);
        least = least.min(start.elapsed().as_secs_f64());
    }
    4.0 * rounds as f64 / least
}

/// The fewest cycles in which the ports can do all blocks of the pairs, where they are known.
fn least_cycles(pairs: &[&Pair], instructions: Instructions, lanes: Lanes) -> Option<f64> {
    let of_pair = |pair: &&Pair| {
        let counts = census(&pair.x, &pair.y, Orientation::Left, instructions, lanes);
        port_limit(&counts.expect("column tables"), instructions, lanes)
    };
    pairs.iter().map(of_pair).sum()
}

/// Vector operations on arithmetic ports for all blocks of a pair, divided by those ports.
fn port_limit(census: &Census, instructions: Instructions, lanes: Lanes) -> Option<f64> {
    // Doubling steps of a scan inside 16 bytes.
    let steps = match lanes {
        Lanes::Bytes => 4,
        Lanes::Words => 3,
        Lanes::Ints => 2,
        Lanes::Doubles | Lanes::Longs => 1,
    };
    let wide = !matches!(lanes, Lanes::Bytes | Lanes::Words);
    let double = matches!(lanes, Lanes::Doubles | Lanes::Longs);
    // (scan, shift, last, pick, far pick, ports)
    let (scan, shift, last, pick, far, ports) = match instructions {
        // Shuffle and maximum per step; the carry is a permutation, a shuffle and a maximum.
        Instructions::Avx2 => (2 * steps + 3, 2, if double { 1 } else { 2 }, 5, 2, 3.0),
        // The carry is a permutation and a maximum.
        Instructions::Avx512vl => (2 * steps + 2, if wide { 1 } else { 2 }, 1, 2, 2, 3.0),
        // Two carries, of a permutation and a maximum each.
        Instructions::Avx512 => (2 * steps + 4, if wide { 1 } else { 2 }, 1, 2, 2, 2.0),
        Instructions::Sse2 | Instructions::Neon | Instructions::Portable => return None,
    };
    // Carry in (and, maximum), carry out (last lane; with narrow vectors also and, maximum).
    let narrow = instructions != Instructions::Avx512;
    let hand_over = last + if narrow { 4 } else { 2 };
    // Gathered lanes are loads; put together they take three shuffles.
    let gathers = narrow && double;
    let expand = shift + 1 + if gathers { 3 } else { pick };
    // Shift, and, add, and, two maxima, scan, and, maximum.
    let tree = shift + 7 + scan;
    // Shift, and, add, maximum, scan.
    let unbranched = shift + 3 + scan;
    // Add, maximum, scan.
    let forest = 2 + scan;
    let operations = census.tree[0] * tree
        + census.tree[1] * (tree + hand_over)
        + census.forest[0] * forest
        + census.forest[1] * (forest + hand_over)
        + 2 * census.joined
        + census.leaf[0] * pick
        + census.leaf[1] * expand
        + census.far * far
        + census.unbranched[0] * unbranched
        + census.unbranched[1] * (unbranched + hand_over)
        + census.merged;
    Some(operations as f64 / ports)
}

/// The distances of all kernels are equal before any is measured.
fn check(workload: &Workload, kernels: &[(String, Kernel)]) {
    let mut scratch = Workspace::default();
    let cancel = Cancel::default();
    let Pair { x, y, .. } = &workload.pairs[0];
    let operands = (Operand { tree: x, codes: None }, Operand { tree: y, codes: None });
    let mut by = |kernel| {
        distance_by(
            &pair::Pair { x: operands.0, y: operands.1, costs: Costs::Unit },
            kernel,
            LEFT,
            &mut Scratch { workspace: &mut scratch, cancel: &cancel },
        )
        .expect("a distance")
    };
    let expected = by(Kernel::Scalar);
    for (name, kernel) in kernels {
        assert_eq!(by(*kernel), expected, "{name}");
    }
}

/// The pairs whose savings fit the lanes of the kernel; all fit lanes wider than bytes.
fn fitting(workload: &Workload, kernel: Kernel) -> Vec<&Pair> {
    let narrow = matches!(kernel, Kernel::Exactly(_, Lanes::Bytes));
    let fits = |pair: &&Pair| !narrow || pair.x.nodes().min(pair.y.nodes()) <= 127;
    workload.pairs.iter().filter(fits).collect()
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let quick = arguments.iter().any(|argument| argument == "--test");
    let budget = Duration::from_millis(if quick { 0 } else { 700 });
    let sizes: &[usize] = if quick { &[10, 150] } else { &[10, 20, 50, 100, 200, 500, 1000] };
    let mut workloads: Vec<_> = sizes.iter().map(|&nodes| random_workload(nodes)).collect();
    let files = arguments.iter().filter(|argument| !argument.starts_with('-'));
    workloads.extend(files.map(|path| file_workload(path)));
    let mut kernels = vec![("scalar".to_string(), Kernel::Scalar)];
    for instructions in Instructions::usable() {
        for lanes in Lanes::ALL {
            let name = format!("{instructions:?} {lanes:?}").to_lowercase();
            kernels.push((name, Kernel::Exactly(instructions, lanes)));
        }
    }
    let hertz = clock(if quick { 1_000_000 } else { 50_000_000 });
    println!(
        "Clock: {:.2} GHz. Unit costs, left paths, column tables built before.\n",
        hertz / 1e9
    );
    let mut times = "## ns per cell\n\n| kernel |".to_string();
    let mut shares = "## share of the port limit\n\n| kernel |".to_string();
    let mut cells = "| cells per pair |".to_string();
    for workload in &workloads {
        check(workload, &kernels);
        let mean =
            workload.pairs.iter().map(|pair| pair.cells).sum::<f64>() / workload.pairs.len() as f64;
        write!(times, " {} |", workload.name).expect("text");
        write!(shares, " {} |", workload.name).expect("text");
        write!(cells, " {mean:.0} |").expect("text");
    }
    let rule = format!("\n|---|{}\n", "---|".repeat(workloads.len()));
    writeln!(times, "{rule}{cells}").expect("text");
    shares.push_str(&rule);
    for (name, kernel) in &kernels {
        write!(times, "| {name} |").expect("text");
        let mut share_row = format!("| {name} |");
        for workload in &workloads {
            let pairs = fitting(workload, *kernel);
            if pairs.is_empty() {
                times.push_str(" – |");
                share_row.push_str(" – |");
                continue;
            }
            let taken = seconds(&pairs, *kernel, budget);
            let all: f64 = pairs.iter().map(|pair| pair.cells).sum();
            write!(times, " {:.3} |", taken / all * 1e9).expect("text");
            if let Kernel::Exactly(instructions, lanes) = *kernel {
                match least_cycles(&pairs, instructions, lanes) {
                    Some(cycles) => {
                        write!(share_row, " {:.0} % |", 100.0 * cycles / hertz / taken)
                    }
                    None => write!(share_row, " – |"),
                }
                .expect("text");
            }
        }
        times.push('\n');
        if *kernel != Kernel::Scalar {
            shares.push_str(&share_row);
            shares.push('\n');
        }
    }
    println!("{times}\n{shares}");
}
