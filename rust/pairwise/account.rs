//! What a matrix takes in memory, counted before it is taken.
//!
//! One account serves two: the check before a matrix is begun, and the plan of blocks for files,
//! which cuts them so that they fit into a budget before any tree of them is prepared. So it is
//! made of sizes. All are upper bounds.

use super::MatrixRequest;
use super::matrix::Kinds;
use super::plan::BATCH_LANES;
use crate::cost::Scale;
use crate::distance::{
    FAVOURITES_BYTES, KEEP_TABLES, KEPT_BYTES, LARGEST_TABLES, MOST_TIMES, most_bytes,
};
use crate::pair::{Costs, SetCosts, Side};
use crate::simd::{Instructions, Lanes};
use crate::tree::Orientation;

/// Most lanes of a vector: rows of lanes are rounded up to it.
const WIDEST_VECTOR: u64 = 64;
/// Most nodes of a column tree that meets inner paths; see `distance/strategy.rs`.
const MOST_INNER_COLUMNS: u64 = 32_000;
/// Vectors of control data of a block of columns, and of state, at most; see `columns.rs`.
const BLOCK_VECTORS: u64 = 15;
/// Vectors of a row of the kernel's state: a chunk of blocks.
const STATE_VECTORS: u64 = 96;
/// What a call takes besides its threads, and a thread besides its tables.
const CALL_BYTES: u64 = 1 << 20;
const THREAD_BYTES: u64 = 1 << 19;
/// Buffers above this size go back to the system when they are freed; of smaller ones allocators
/// (that of glibc) keep some.
const FREED_BYTES: u64 = 32 << 20;
/// For each tree: its place in the plan, its totals, its hash, and what bounds know of it.
const TREE_BYTES: u64 = 400;
const BOUND_TREE_BYTES: u64 = 192;
/// For each node: labels that bounds count.
const BOUND_NODE_BYTES: u64 = 48;
/// For each node of the rows, if they are shared: its number, while it is found; then, for every
/// thread and kind of lanes, where its row is.
const NUMBER_BYTES: u64 = 44;
const PLACE_BYTES: u64 = 24;

/// Of a prepared tree, and of each of its nodes. Measured, rounded up.
pub const PREPARED_TREE_BYTES: u64 = 1024;
/// See [`PREPARED_TREE_BYTES`].
pub const PREPARED_NODE_BYTES: u64 = 64;
/// Of the values that threads return for each pair before they are rounded to the result.
pub const RETURNED_BYTES: u64 = 16;

/// The sizes that decide how much memory a matrix takes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extent {
    /// Nodes, one more than there are, of the largest trees on both sides that must meet.
    pub nodes: (u64, u64),
    /// The sizes of the key-roots of a tree, summed: the most of all trees, on the side on which
    /// that is less.
    pub work: u64,
    /// Number of trees of both sides.
    pub trees: (u64, u64),
    /// Number of labels of both sides, or of the trees with most labels.
    pub labels: (u64, u64),
    /// Whether there is a cutoff.
    pub cutoff: bool,
    /// Whether tables of inner paths count. They are only taken where they fit easily, so nothing
    /// needs to be refused for them.
    pub inner: bool,
}

/// Bytes that a matrix takes besides its result and the prepared trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// All threads and the call itself.
    pub scratch: u64,
    /// For each tree of both sides.
    pub tree: u64,
    /// For each node of both sides.
    pub node: u64,
    /// For each node of the rows.
    pub row_node: u64,
    /// Column tables that a tree may keep, by its nodes and by its key-root sizes: those of trees
    /// that are compared one by one, which are large, or few within a cutoff.
    pub kept: (u64, u64),
    /// The most that one tree keeps of them.
    pub most_kept: u64,
}

/// Kinds of lanes that pairs with a smaller tree of up to that many nodes are computed in, the most
/// nodes of each; and bytes of a cell for those that are left to the scalar kernel.
fn lanes_of(costs: SetCosts<'_>, smaller: u64) -> (Vec<(Lanes, u64)>, u64) {
    let vectors = !Instructions::usable().is_empty();
    let costs = match costs {
        // Costs of 0 and 1.
        SetCosts::Meeting(meeting) if meeting.scale() == Scale::Decimal(0) => Costs::Unit,
        // Of few labels, or of labels without vectors, all of whose savings are small.
        SetCosts::Meeting(_) => {
            return (vec![(Lanes::Bytes, smaller), (Lanes::Doubles, smaller)], 8);
        }
        SetCosts::Fixed(costs) => costs,
    };
    let (mut used, mut served) = (Vec::new(), 0);
    for lanes in Lanes::ALL.into_iter().filter(|_| vectors) {
        let sure = (lanes.most_nodes(costs) as u64).saturating_add(1);
        if served < smaller.min(sure) {
            served = smaller.min(sure);
            // Narrow lanes are tried for larger trees too.
            let times = if lanes <= Lanes::Words { MOST_TIMES as u64 } else { 1 };
            used.push((lanes, smaller.min(sure.saturating_mul(times))));
        }
    }
    let scalar = if costs.is_wide_for(2 * smaller as usize) { 16 } else { 8 };
    (used, if served < smaller { scalar } else { 0 })
}

/// Counts what a matrix of that extent takes.
pub fn account(extent: &Extent, costs: SetCosts<'_>, threads: usize) -> Account {
    let Extent { nodes: (n, m), work, trees, labels, cutoff, .. } = *extent;
    let (smaller, larger) = (n.min(m), n.max(m));
    let (used, scalar) = lanes_of(costs, smaller);
    let shares = !matches!(costs, SetCosts::Meeting(_));
    let product = |factors: &[u64]| factors.iter().fold(1u64, |all, &f| all.saturating_mul(f));
    // Nested key-roots have different sizes, so d of them have d²/2 nodes in sum.
    let depth = (2.0 * work as f64).sqrt() as u64 + 1;
    let mut thread = THREAD_BYTES.saturating_add(64 * larger);
    for &(lanes, served) in &used {
        // Batches may be made for narrower lanes, which are tried first.
        let batch = BATCH_LANES[(lanes as usize).saturating_sub(1)] as u64;
        // A column has as many lanes as its batch, or as itself; either tree may be the column.
        let width = served.max(batch) + WIDEST_VECTOR;
        let row = lanes.bytes() * width;
        let table = product(&[larger, row]);
        let profile = product(&[larger.min(labels.0.max(labels.1) + 1), row]);
        let state = product(&[STATE_VECTORS * Instructions::vector_bytes(), depth + 2]);
        // A block per level and vector; a segment that crosses vectors has one more, and there are
        // half as many segments as nodes at most: each has a leaf of its own. Of a tree, or of a
        // batch of trees that are no larger than the batch. Large tables serve one side. Subtrees
        // without branches, which the work leaves out, take as much as one more level.
        let cells = work.min(LARGEST_TABLES).max(batch * depth.min(batch)) + width;
        let blocks = cells / (Instructions::vector_bytes() / lanes.bytes()) + width / 2;
        let columns = product(&[blocks, BLOCK_VECTORS * Instructions::vector_bytes()]);
        let columns = columns.saturating_add(columns.min(KEEP_TABLES as u64));
        let places = product(&[PLACE_BYTES, labels.0.max(labels.1) + 1]);
        // Rows and labels that are shared are kept beyond one tree.
        let (rows, labels) = if shares { KEPT_BYTES } else { (0, 0) };
        let table = table.max(rows);
        // Threads of other calls may hold on to as much.
        let freed = table.min(FREED_BYTES);
        for part in [table, freed, profile.max(labels), state, columns, places] {
            thread = thread.saturating_add(part);
        }
    }
    let fixed = match costs {
        SetCosts::Meeting(_) => None,
        SetCosts::Fixed(costs) => Some(costs),
    };
    if extent.inner {
        // Larger trees are not the columns of inner paths.
        let nodes = if larger > MOST_INNER_COLUMNS { (smaller, smaller) } else { (n, m) };
        thread = thread.saturating_add(most_bytes(nodes, work, fixed));
    }
    let scalar = if work > LARGEST_TABLES { scalar.max(8) } else { scalar };
    thread = thread.saturating_add(product(&[3 * scalar, n, m]));
    if let SetCosts::Meeting(meeting) = costs {
        let width = smaller.max(BATCH_LANES[0] as u64);
        let gathered = product(&[larger + width, meeting.label_bytes()]);
        thread = thread.saturating_add(gathered).saturating_add(product(&[24, larger, width]));
        thread = thread.saturating_add(8 * (labels.0 + labels.1));
    }
    let mut bytes = Account { tree: TREE_BYTES, ..Account::default() };
    let kinds = used.len() as u64;
    if shares {
        bytes.row_node = NUMBER_BYTES.max(4 + product(&[PLACE_BYTES, kinds, threads as u64]));
    }
    let mut call = CALL_BYTES;
    if cutoff {
        bytes.tree += BOUND_TREE_BYTES;
        bytes.node = BOUND_NODE_BYTES;
        // Bit patterns of the labels of a tree, two bits a node; and a band, of subtrees and of a
        // forest, that is at most a quarter of the larger tree wide, which must not be larger by
        // more than that (`banded.rs`).
        let patterns = product(&[larger.min(labels.0.max(labels.1) + 1), larger]) / 4;
        let banded = larger.min(smaller + smaller / 3 + 1);
        thread = thread.saturating_add(patterns).saturating_add(product(&[4, banded, banded]));
        if let SetCosts::Fixed(Costs::Table(table)) = costs {
            let known =
                |trees: u64, labels: usize| product(&[FAVOURITES_BYTES.0, trees, labels as u64]);
            let (rows, columns) = table.shape();
            let both = [known(trees.0, columns), known(trees.1, rows)];
            call += both.into_iter().map(|bytes| bytes.min(FAVOURITES_BYTES.1)).sum::<u64>();
        }
    }
    let per_block = 2 * BLOCK_VECTORS;
    let of_segments: u64 = used.iter().map(|_| per_block / 2 * Instructions::vector_bytes()).sum();
    let of_work: u64 = used.iter().map(|(lanes, _)| per_block * lanes.bytes()).sum();
    bytes.kept = (of_segments + of_work, of_work);
    bytes.most_kept = 2 * kinds * KEEP_TABLES as u64;
    bytes.scratch = call.saturating_add(product(&[thread, threads as u64]));
    bytes
}

/// Most bytes that the threads take.
pub(super) fn scratch_bytes(
    request: &MatrixRequest<'_>,
    kinds: Kinds<'_>,
    diagonal: bool,
    threads: usize,
) -> u64 {
    let nodes = largest_pair(request, kinds, diagonal);
    let trees = || request.x.trees.iter().chain(request.y.trees);
    let work =
        Orientation::BOTH.map(|side| trees().map(|tree| tree.oriented(side).column_work).max());
    let labels = |side: &Side<'_>| side.trees.iter().map(|tree| tree.labels().len()).max();
    let labels = [labels(&request.x), labels(&request.y)].map(|most| most.unwrap_or(0) as u64);
    let extent = Extent {
        nodes,
        work: work[0].min(work[1]).unwrap_or(0),
        trees: (request.x.trees.len() as u64, request.y.trees.len() as u64),
        labels: (labels[0], labels[1]),
        cutoff: request.cutoff.is_some(),
        inner: false,
    };
    account(&extent, request.costs, threads).scratch
}

/// Nodes, one more than there are, of the largest pair of trees that must meet.
fn largest_pair(request: &MatrixRequest<'_>, kinds: Kinds<'_>, diagonal: bool) -> (u64, u64) {
    let two_largest = |side: &Side<'_>, kinds: &[u32]| {
        kinds.iter().fold((None, None), |(first, second), &i| {
            let tree = Some((side.trees[i as usize].nodes() as u64 + 1, i as usize));
            (tree.max(first), tree.min(first).max(second))
        })
    };
    let nodes = |tree: Option<(u64, usize)>| tree.map_or(0, |(nodes, _)| nodes);
    let (first, second) = two_largest(&request.x, kinds.rows);
    if request.triangle {
        return (nodes(first), nodes(if diagonal { first } else { second }));
    }
    let (other_first, other_second) = two_largest(&request.y, kinds.columns);
    let MatrixRequest { x, y, costs, .. } = request;
    match (first, other_first) {
        // Equal trees do not meet; then one of them meets the next one of the other side.
        (Some((_, i)), Some((_, j))) if costs.costs_nothing(&x.operand(i), &y.operand(j)) => {
            let pairs = [(first, other_second), (second, other_first)];
            let pairs = pairs.map(|(a, b)| (nodes(a), nodes(b)));
            if pairs[0].0 * pairs[0].1 < pairs[1].0 * pairs[1].1 { pairs[1] } else { pairs[0] }
        }
        _ => (nodes(first), nodes(other_first)),
    }
}
