//! A pair of trees and costs: all kernels, routes and roles, bounded distances and alignments.

use super::Bytes;
use crate::align::{Problem, Ties, one_alignment};
use crate::cost::{CostTable, OperationCosts};
use crate::distance::{
    Decomposition, Kernel, Route, Scratch, Workspace, distance, distance_by, distance_within,
};
use crate::naive::{self, Plain};
use crate::pair::{Costs, Operand, Pair};
use crate::parallel::Cancel;
use crate::simd::{Instructions, Lanes};
use crate::tree::{Numbering, Orientation, Prepared, check_preorder};

/// Nodes of a tree at most.
const NODES: u8 = 48;
/// Of pairs with more cells than this, fuzzing checks one in [`SHARE`] of the ways, as the bytes of
/// the input say: many small checks find more than few complete ones. `cargo test` checks all.
const FEW_CELLS: usize = 64;
const SHARE: usize = 12;
/// In the slow twins: what is never done, more than all sums.
const NEVER: i64 = 1 << 50;
/// Whole numbers are divided by one of these.
const DIVISORS: [f64; 4] = [1.0, 100.0, 1024.0, 1e6];
const WIDTHS: [u32; 4] = [3, 8, 16, 32];

/// Costs of label codes.
enum Given {
    Unit,
    Operations([i64; 3]),
    Table(Table<i64>),
    /// Any numbers, for which there is no twin.
    Floats(Table<f64>),
}

struct Table<T> {
    replace: Vec<T>,
    delete: Vec<T>,
    insert: Vec<T>,
}

impl<T> Table<T> {
    fn read(labels: usize, mut next: impl FnMut() -> T) -> Self {
        let mut list = |length: usize| (0..length).map(|_| next()).collect();
        Self { replace: list(labels * labels), delete: list(labels), insert: list(labels) }
    }
}

/// The costs as numbers; infinite for [`NEVER`].
fn cost(whole: i64, divisor: f64) -> f64 {
    if whole >= NEVER { f64::INFINITY } else { whole as f64 / divisor }
}

/// A tree or forest of that many nodes; one byte for each of them.
fn tree(bytes: &mut Bytes<'_>, nodes: u8, labels: usize, forest: bool) -> Plain {
    let mut tree = Plain { codes: Vec::new(), parents: Vec::new() };
    for i in 0..i32::from(nodes) {
        let byte = bytes.next();
        let mut parent = i - 1;
        for _ in 0..byte >> 4 {
            let above = if parent == -1 { -1 } else { tree.parents[parent as usize] };
            if above == -1 && !forest {
                break;
            }
            parent = above;
        }
        tree.codes.push(i32::from(byte & 15) % labels as i32);
        tree.parents.push(parent);
    }
    tree
}

/// Checks one pair against the slow twins, bit for bit.
///
/// The first byte has the kind, the divisor and the width of the costs; then come the numbers of
/// nodes, the number of labels and whether there are forests, the costs, and the nodes.
pub fn kernels(data: &[u8]) {
    let mut bytes = Bytes(data);
    let kind = bytes.next();
    let (n, m) = (bytes.next() % (NODES + 1), bytes.next() % (NODES + 1));
    let more = bytes.next();
    let (labels, forest) = (usize::from(more & 7) + 1, more & 8 != 0);
    let divisor = DIVISORS[usize::from(kind >> 2 & 3)];
    let most = (1 << WIDTHS[usize::from(kind >> 4 & 3)]) - 1;
    let whole = |bytes: &mut Bytes<'_>| {
        let wide = most > 255;
        let number = if wide { bytes.number() } else { u64::from(bytes.next()) };
        (number & most) as i64
    };
    // The largest number stands for what is never done.
    let never = |number: i64| if number == most as i64 { NEVER } else { number };
    let given = match kind & 3 {
        0 => Given::Unit,
        1 => {
            let [delete, insert, replace] = [0; 3].map(|_| whole(&mut bytes));
            Given::Operations([delete, insert, never(replace)])
        }
        2 => {
            let mut table = Table::read(labels, || whole(&mut bytes));
            table.replace.iter_mut().for_each(|number| *number = never(*number));
            Given::Table(table)
        }
        _ => Given::Floats(Table::read(labels, || f64::from_bits(bytes.number()).abs())),
    };
    let x = tree(&mut bytes, n, labels, forest);
    let y = tree(&mut bytes, m, labels, forest);
    let at = |a: i32, b: i32| a as usize * labels + b as usize;
    let costs = |table: &Table<i64>| {
        let [replace, delete, insert] = [&table.replace, &table.delete, &table.insert]
            .map(|list| list.iter().map(|&whole| cost(whole, divisor)).collect::<Vec<_>>());
        CostTable::new(&replace, &delete, &insert).unwrap()
    };
    let sum = data.iter().fold(0, |sum: usize, &byte| sum.wrapping_mul(31) + usize::from(byte));
    let all = cfg!(test) || x.codes.len() * y.codes.len() <= FEW_CELLS;
    let part = (!all).then_some(sum % SHARE);
    let check = |costs: Costs<'_>, twin: Option<naive::Cost<'_>>, divisor: f64| {
        check(&x, &y, costs, twin, divisor, part);
    };
    match &given {
        Given::Unit => check(Costs::Unit, Some(&naive::unit), 1.0),
        Given::Operations(kinds) => {
            let [delete, insert, replace] = kinds.map(|whole| cost(whole, divisor));
            let costs = OperationCosts::new(delete, insert, replace).unwrap();
            let twin = naive::by_kind(*kinds);
            check(Costs::Operations(&costs), Some(&twin), divisor);
        }
        Given::Table(table) => {
            let twin = |a: Option<i32>, b: Option<i32>| match (a, b) {
                (Some(a), Some(b)) => table.replace[at(a, b)],
                (Some(a), None) => table.delete[a as usize],
                (None, Some(b)) => table.insert[b as usize],
                (None, None) => 0,
            };
            check(Costs::Table(&costs(table)), Some(&twin), divisor);
        }
        Given::Floats(table) => {
            // Negative, huge or missing numbers are refused.
            if let Ok(table) = CostTable::new(&table.replace, &table.delete, &table.insert) {
                check(Costs::Table(&table), None, 1.0);
            }
        }
    }
}

/// All ways to the distance, or a part of them, are the same, and that of the twin where there is
/// one.
fn check(
    x: &Plain,
    y: &Plain,
    costs: Costs<'_>,
    twin: Option<naive::Cost<'_>>,
    divisor: f64,
    part: Option<usize>,
) {
    let prepared = [x, y].map(|tree| {
        check_preorder(&tree.parents).unwrap();
        Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
    });
    let [px, py] = &prepared;
    let operand = |tree| Operand { tree, codes: None };
    let pair = Pair { x: operand(px), y: operand(py), costs };
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
    let found = distance(&pair, scratch).unwrap();
    if let Some(twin) = twin {
        let expected = naive::table_distance(x, y, twin);
        if x.codes.len() * y.codes.len() <= 64 {
            assert_eq!(expected, naive::distance(x, y, twin), "twins differ");
        }
        assert_eq!(found, expected as f64 / divisor, "the twin differs");
    }
    let ways = ways().into_iter().enumerate();
    for (_, (kernel, route)) in ways.filter(|(k, _)| part.is_none_or(|part| k % SHARE == part)) {
        let other = distance_by(&pair, kernel, route, scratch).unwrap();
        assert_eq!(found.to_bits(), other.to_bits(), "{kernel:?} {route:?}: {other}, not {found}");
    }
    assert_eq!(distance_within(&pair, found, scratch), Ok(found));
    let above = distance_within(&pair, found.next_up(), scratch);
    assert_eq!(above, Ok(found));
    if found > 0.0 {
        assert_eq!(distance_within(&pair, found.next_down(), scratch), Ok(f64::INFINITY));
        assert_eq!(distance_within(&pair, found / 2.0, scratch), Ok(f64::INFINITY));
    }
    for ties in [Ties::Pair, Ties::Delete] {
        let problem = Problem::<i128>::new(pair, None, ties.order(), scratch).unwrap();
        assert_eq!(problem.optimal_cost(), found);
        let pairs = one_alignment(&problem, ties, &cancel).unwrap();
        let code = |tree: &Plain, node: u32| tree.codes[node as usize] as u32;
        let labels: Vec<_> = pairs.iter().map(|&(a, b)| (code(x, a), code(y, b))).collect();
        let cost = pair.cost_of(&labels);
        let exact = twin.is_some();
        assert!(
            cost == found || !exact && (cost - found).abs() <= 1e-6 * found,
            "{ties:?}: {cost}"
        );
    }
}

/// All kernels that this machine can run, with all routes.
fn ways() -> Vec<(Kernel, Route)> {
    let exactly = |instructions| Lanes::ALL.map(|lanes| Kernel::Exactly(instructions, lanes));
    let mut kernels = vec![Kernel::Scalar, Kernel::Packed, Kernel::Auto];
    kernels.extend(Instructions::usable().into_iter().flat_map(exactly));
    let mut ways = Vec::new();
    for swapped in [false, true] {
        for orientation in Orientation::BOTH {
            let route = Route { decomposition: Decomposition::Outer(orientation), swapped };
            ways.extend(kernels.iter().map(|&kernel| (kernel, route)));
        }
        for decomposition in [Decomposition::Mixed, Decomposition::Inner] {
            let portable = Kernel::Exactly(Instructions::Portable, Lanes::Bytes);
            let route = Route { decomposition, swapped };
            ways.extend([Kernel::Auto, Kernel::Scalar, portable].map(|kernel| (kernel, route)));
        }
    }
    ways
}
