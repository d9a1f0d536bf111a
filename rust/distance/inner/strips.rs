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
//!
//! Until then the lanes are done strip by strip: one strip of the table, and of every table A that
//! is still needed, fits into a cache and takes little memory. A strip is turned while it is
//! loaded. Cells of empty forests are 0 and stay so; for a lane they are those of the first rows.

use crate::simd::{BLOCK, Element, Simd};

/// Vectors side by side in a strip: few, so that strips stay in the L2 cache and begin where the
/// first of their lanes does.
pub(super) const WIDTH: usize = 4;

/// One row of a strip.
pub(super) type StripRow<S> = [<S as Simd>::Vector; WIDTH];

/// Lanes of a strip.
pub(super) const fn lanes<S: Simd>() -> usize {
    WIDTH * S::LANES
}

/// Strips of a table with that many columns; it has as many rows as lanes.
pub(super) const fn count<S: Simd>(nodes: usize) -> usize {
    nodes.div_ceil(lanes::<S>())
}

/// Rows of a strip of such a table.
pub(super) const fn height<S: Simd>(nodes: usize) -> usize {
    count::<S>(nodes) * lanes::<S>()
}

/// The column tree in one of its two postorders.
#[derive(Debug)]
pub(super) struct PostOrder<'a> {
    /// Subtree sizes.
    pub(super) size: &'a [u32],
    /// The place of each node in the other postorder.
    pub(super) place: &'a [u32],
}

/// The lanes that are done now, and the first row that is not empty in all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strip {
    pub(super) first_lane: usize,
    pub(super) end: usize,
    pub(super) first_row: usize,
}

impl PostOrder<'_> {
    /// All strips. C(q, p) is empty if no node is at most q and at most p.
    pub(super) fn strips<S: Simd>(&self) -> Vec<Strip> {
        let width = lanes::<S>();
        let mut first_row = vec![self.place.len(); count::<S>(self.place.len())];
        for (row, &place) in self.place.iter().enumerate() {
            let first = &mut first_row[place as usize / width];
            *first = (*first).min(row);
        }
        let mut least = usize::MAX;
        let strip = |(number, row): (usize, usize)| {
            least = least.min(row);
            Strip { first_lane: number * width, end: (number + 1) * width, first_row: least }
        };
        first_row.into_iter().enumerate().map(strip).collect()
    }
}

/// For each lane of a strip, all bits of it and of those after it.
pub(super) fn masks<S: Simd>() -> Vec<StripRow<S>> {
    let row = |first| std::array::from_fn(|k| S::mask(|lane| k * S::LANES + lane >= first));
    (0..lanes::<S>()).map(row).collect()
}

#[inline(always)]
fn greater<N: PartialOrd>(a: N, b: N) -> N {
    if b > a { b } else { a }
}

/// One strip of the columns in one of their postorders, with the masks of [`masks`].
#[derive(Clone, Copy)]
pub(super) struct StripPass<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) order: &'a PostOrder<'a>,
    pub(super) strip: Strip,
    pub(super) masks: &'a [StripRow<S>],
}

/// A node joins the row forest. `values` are the savings of its subtree with those of the
/// columns, `apart` is the table of the forest without its subtree. The table is changed in
/// place, or, if the node is a leaf, made from `apart`.
#[inline(always)]
pub(super) fn join<S: Simd, const LEAF: bool>(
    pass: StripPass<'_, S>,
    values: &[S::Elem],
    apart: &[StripRow<S>],
    table: &mut [StripRow<S>],
) {
    let StripPass { simd, order, strip, masks } = pass;
    let Strip { first_lane, end, first_row } = strip;
    let n = order.size.len();
    let mut best = [S::zero(); WIDTH];
    for row in first_row..n {
        let lane = order.place[row] as usize;
        if lane < end {
            let value = S::splat(values[row]);
            let before = row + 1 - order.size[row] as usize;
            let mut joined = [value; WIDTH];
            if before > first_row {
                let rest = &apart[before - 1];
                for (joined, &rest) in joined.iter_mut().zip(rest) {
                    *joined = simd.add(*joined, rest);
                }
            }
            if lane > first_lane {
                for (joined, &mask) in joined.iter_mut().zip(&masks[lane - first_lane]) {
                    *joined = simd.and(*joined, mask);
                }
            }
            let cells = if LEAF { apart[row] } else { table[row] };
            for k in 0..WIDTH {
                best[k] = simd.max(simd.max(cells[k], joined[k]), best[k]);
            }
        }
        table[row] = best;
    }
}

/// The root of all the row forest joins it and makes it a tree: `savings` are those of the root
/// with each column, and `values` takes those of the tree with the subtrees of the columns. Those
/// of earlier lanes are there from earlier strips.
#[inline(always)]
pub(super) fn crown<S: Simd>(
    pass: StripPass<'_, S>,
    savings: &[S::Elem],
    table: &mut [StripRow<S>],
    values: &mut [S::Elem],
) {
    let StripPass { simd, order, strip, masks } = pass;
    let Strip { first_lane, end, first_row } = strip;
    let n = order.size.len();
    let mut best = [S::zero(); WIDTH];
    // The two forests below the next pair of roots, before the row is overwritten, and the cell
    // above that pair.
    let zero = S::Elem::default();
    let (mut below, mut above) = (zero, zero);
    for row in first_row..n {
        let lane = order.place[row] as usize;
        let here = S::elements(&table[row]);
        let next = order.place.get(row + 1).map_or(usize::MAX, |&next| next as usize);
        let next = next.wrapping_sub(first_lane);
        let next_below = here.get(next).copied().unwrap_or_default();
        if lane < end {
            let mut root = if lane < first_lane {
                [S::splat(values[row]); WIDTH]
            } else {
                let best_here = greater(above, here[lane - first_lane]);
                let value = greater(best_here, below + savings[row]);
                values[row] = value;
                [S::splat(value); WIDTH]
            };
            if lane > first_lane {
                for (root, &mask) in root.iter_mut().zip(&masks[lane - first_lane]) {
                    *root = simd.and(*root, mask);
                }
            }
            for k in 0..WIDTH {
                best[k] = simd.max(simd.max(table[row][k], root[k]), best[k]);
            }
        }
        table[row] = best;
        below = next_below;
        above = S::elements(&table[row]).get(next).copied().unwrap_or_default();
    }
}

/// Loads a strip from the table of the other side: its rows become the lanes.
#[inline(always)]
pub(super) fn turn<S: Simd>(
    strip: Strip,
    nodes: usize,
    from: &[StripRow<S>],
    into: &mut [StripRow<S>],
) {
    let (width, height) = (lanes::<S>(), height::<S>(nodes));
    let from = S::elements(from.as_flattened());
    let into = S::elements_mut(into.as_flattened_mut());
    for other in strip.first_row / width..count::<S>(nodes) {
        // A square of cells: rows of this strip, lanes of the other one.
        let square = &from[(other * height + strip.first_lane) * width..][..width * width];
        let turned = &mut into[other * width * width..][..width * width];
        for down in (0..width).step_by(BLOCK) {
            for right in (0..width).step_by(BLOCK) {
                let mut block = [[S::Elem::default(); BLOCK]; BLOCK];
                for (row, cells) in block.iter_mut().enumerate() {
                    cells.copy_from_slice(&square[(down + row) * width + right..][..BLOCK]);
                }
                let block = Element::turned(block);
                for (row, cells) in block.iter().enumerate() {
                    turned[(right + row) * width + down..][..BLOCK].copy_from_slice(cells);
                }
            }
        }
    }
}
