//! One kernel on neighbouring trees of a file, a number of times. For counting instructions, by an
//! emulator (`benches/count.c`) or by valgrind: the count of three rounds, less that of one, is free of
//! the preparation.
//!
//! `cargo bench --bench rounds -- KERNEL ROUNDS TREES`, with trees in bracket notation, one per line.
//! Kernels are `scalar`, or instructions and lanes: `neon-bytes`. Prints the cells of a round.

#![allow(clippy::expect_used)] // a benchmark that cannot be set up should stop
#![allow(clippy::print_stdout)] // its output is the record

use std::hint::black_box;
use treemetric::distance::{Decomposition, Kernel, Route, Scratch, Workspace, distance_by};
use treemetric::pair::{Costs, Operand, Pair};
use treemetric::parallel::Cancel;
use treemetric::simd::{Instructions, Lanes};
use treemetric::tree::{Numbering, Orientation, Prepared, bracket};

const LEFT: Route =
    Route { decomposition: Decomposition::Outer(Orientation::Left), swapped: false };

fn kernel(name: &str) -> Option<Kernel> {
    if name == "scalar" {
        return Some(Kernel::Scalar);
    }
    let (set, width) = name.split_once('-')?;
    let set = Instructions::usable().into_iter().find(|one| one.name() == set)?;
    let lanes = Lanes::ALL.into_iter().find(|one| format!("{one:?}").to_lowercase() == width)?;
    Some(Kernel::Exactly(set, lanes))
}

/// Nodes in the subtrees of all left key-roots: every node counts once for itself and each ancestor
/// that is one.
fn keyroot_nodes(parents: &[i32]) -> u64 {
    let mut above: Vec<u64> = Vec::with_capacity(parents.len());
    for (i, &parent) in parents.iter().enumerate() {
        let continues = i > 0 && parent == i as i32 - 1;
        let inherited = if parent < 0 { 0 } else { above[parent as usize] };
        above.push(inherited + u64::from(!continues));
    }
    above.iter().sum()
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [name, rounds, path] = &arguments[..] else {
        println!("KERNEL ROUNDS TREES");
        return;
    };
    let kernel = kernel(name).expect("a kernel that this machine has");
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let text = std::fs::read_to_string(path).expect("a readable file");
    let cancel = Cancel::default();
    let parsed = bracket::parse_lines(&text, &cancel).expect("trees in bracket notation");
    let mut numbering = Numbering::default();
    let mut trees = Vec::new();
    let mut nodes = Vec::new();
    for ends in parsed.offsets.windows(2) {
        let range = ends[0] as usize..ends[1] as usize;
        let parents = &parsed.parents[range.clone()];
        trees.push(Prepared::new(&parsed.codes[range], parents, &mut numbering));
        nodes.push(keyroot_nodes(parents));
    }
    let cells: u64 = nodes.windows(2).map(|two| two[0] * two[1]).sum();
    let mut workspace = Workspace::default();
    let mut sum = 0.0;
    for _ in 0..rounds {
        for two in trees.windows(2) {
            let operand = |tree| Operand { tree, codes: None };
            let pair = Pair { x: operand(&two[0]), y: operand(&two[1]), costs: Costs::Unit };
            let mut scratch = Scratch { workspace: &mut workspace, cancel: &cancel };
            sum += distance_by(black_box(&pair), kernel, LEFT, &mut scratch).expect("a distance");
        }
    }
    println!("{cells} cells, {rounds} rounds, sum of distances {sum}");
}
