//! The table of one forest of the row tree against every subforest of the column tree.
//!
//! Taking root after root from the left or from the right of a tree leaves the forests
//!
//! ```text
//! C(q, p) = nodes that are at most q in the right postorder and at most p in the left one,
//! ```
//!
//! and the table holds the largest saving of the current row forest with each of them: a row per
//! q, a lane per p, or the other way round. When a node u joins the row forest from the left, the
//! recursion of Zhang and Shasha says, for the leftmost root v of C(q, p), which is q,
//!
//! ```text
//! G'[q][p] = max(G[q][p], G'[q-1][p], A[q - size(v)][p] + T[u][v])     if p >= place of v,
//! G'[q][p] = G'[q-1][p]                                                otherwise,
//! ```
//!
//! where A is the table of the row forest without the subtree of u. All lanes do the same, and
//! nothing passes from lane to lane. For a node that joins from the right the same holds with the
//! two orders exchanged, so the table is turned when the side changes.

use crate::distance::scalar::Number;
use crate::distance::simd::BLOCK;
use crate::tree::Oriented;

/// The column tree in one of its two postorders.
#[derive(Debug)]
pub(super) struct Order<'a> {
    /// Subtree sizes.
    pub(super) size: &'a [u32],
    /// The place of each node in the other postorder.
    pub(super) place: &'a [u32],
}

impl Order<'_> {
    pub(super) fn new<'a>(tree: &'a Oriented, place: &'a [u32]) -> Order<'a> {
        Order { size: &tree.size, place }
    }

    /// First lane of a row that counts: the forests before it are empty, since the nodes of these
    /// lanes lie on the other side of that of the row. Nothing reads them.
    fn first_lane(&self, row: usize) -> usize {
        self.place[row] as usize + 1 - self.size[row] as usize
    }
}

/// Entries of a row: lanes, and padding up to whole blocks.
pub(super) fn stride(nodes: usize) -> usize {
    nodes.next_multiple_of(BLOCK)
}

#[inline(always)]
fn greater<N: PartialOrd>(a: N, b: N) -> N {
    if b > a { b } else { a }
}

/// A node joins the row forest. `values` are the savings of its subtree with those of the
/// columns, `apart` is the table of the forest without its subtree. The table is changed in
/// place, or, if the node is a leaf, made from `apart`.
#[inline(always)]
pub(super) fn join<N: Number>(
    order: &Order<'_>,
    values: &[N],
    is_leaf: bool,
    apart: &[N],
    table: &mut [N],
    best: &mut [N],
) {
    let n = order.size.len();
    let stride = stride(n);
    best.fill(N::default());
    let rows = table.chunks_exact_mut(stride).zip(apart.chunks_exact(stride));
    for (row, (cells, same_row)) in rows.enumerate().take(n) {
        let lane = order.place[row] as usize;
        let first = order.first_lane(row);
        let before = row + 1 - order.size[row] as usize;
        let value = values[row];
        let (cells, best) = (&mut cells[first..n], &mut best[first..n]);
        if is_leaf {
            cells.copy_from_slice(&same_row[first..n]);
        }
        let (copied, cells) = cells.split_at_mut(lane - first);
        let (above, best) = best.split_at_mut(lane - first);
        copied.copy_from_slice(above);
        // What lies right of the node begins with these lanes.
        let alone = if before == 0 { n } else { order.first_lane(before - 1) } - lane;
        let (cells, joined_cells) = cells.split_at_mut(alone);
        let (best, joined_best) = best.split_at_mut(alone);
        for (cell, best) in cells.iter_mut().zip(best) {
            *best = greater(greater(*best, *cell), value);
            *cell = *best;
        }
        if before > 0 {
            let rest = &apart[(before - 1) * stride..][lane + alone..n];
            for ((cell, best), &rest) in joined_cells.iter_mut().zip(joined_best).zip(rest) {
                *best = greater(greater(*best, *cell), rest + value);
                *cell = *best;
            }
        }
    }
}

/// The root of all the row forest joins it and makes it a tree: `savings` are those of the root
/// with each column, and `values` takes those of the tree with the subtrees of the columns.
#[inline(always)]
pub(super) fn crown<N: Number>(
    order: &Order<'_>,
    savings: &[N],
    table: &mut [N],
    best: &mut [N],
    values: &mut [N],
) {
    let n = order.size.len();
    let stride = stride(n);
    best.fill(N::default());
    // The two forests below the next pair of roots, before the row is overwritten.
    let mut below = N::default();
    for (row, cells) in table.chunks_exact_mut(stride).enumerate().take(n) {
        let lane = order.place[row] as usize;
        let first = order.first_lane(row);
        let paired = if order.size[row] == 1 { savings[row] } else { below + savings[row] };
        let value = greater(greater(best[lane], cells[lane]), paired);
        values[row] = value;
        if let Some(&next) = order.place.get(row + 1) {
            below = cells[next as usize];
        }
        let (cells, best) = (&mut cells[first..n], &mut best[first..n]);
        let (copied, cells) = cells.split_at_mut(lane - first);
        let (above, best) = best.split_at_mut(lane - first);
        copied.copy_from_slice(above);
        for (cell, best) in cells.iter_mut().zip(best) {
            *best = greater(greater(*best, *cell), value);
            *cell = *best;
        }
    }
}

/// Turns a table: its rows become the lanes of the other. Cells of empty forests, which are
/// never read, are not moved.
#[inline(always)]
pub(super) fn turn<N: Number>(order: &Order<'_>, table: &[N], turned: &mut [N]) {
    let n = order.size.len();
    let stride = stride(n);
    for (down, rows) in table.chunks_exact(stride * BLOCK).enumerate() {
        let in_block = down * BLOCK..n.min((down + 1) * BLOCK);
        let first = in_block.map(|row| order.first_lane(row)).min().unwrap_or(n);
        let lines = turned.chunks_exact_mut(stride * BLOCK).enumerate();
        for (right, lines) in lines.skip(first / BLOCK) {
            let block = N::turned(std::array::from_fn(|row| {
                let cells = &rows[row * stride + right * BLOCK..][..BLOCK];
                std::array::from_fn(|lane| cells[lane])
            }));
            for (line, cells) in lines.chunks_exact_mut(stride).zip(&block) {
                line[down * BLOCK..][..BLOCK].copy_from_slice(cells);
            }
        }
    }
}
