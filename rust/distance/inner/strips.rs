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

use crate::simd::Simd;
use std::ops::Range;

/// Vectors side by side in a strip: few, so that strips stay in the L2 cache and begin where the
/// first of their lanes does.
pub(super) const WIDTH: usize = 2;

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

/// The number of a square of a table between two stretches, strip by strip on one side; on the
/// other side, the same place holds the square turned, so that one table serves both.
pub(super) fn square(count: usize, side: usize, (strip, rows): (usize, usize)) -> usize {
    let (first, second) = if side == 0 { (strip, rows) } else { (rows, strip) };
    first * count + second
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

/// What a step knows of the rows before those that it does next.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepState<S: Simd> {
    /// The row before.
    best: StripRow<S>,
    /// For a crown and the lane of the next row: the cells of the row before without and with the
    /// crown, the latter but for the pair of roots of that row, and the value of that pair.
    below: S::Elem,
    above: S::Elem,
    value: S::Elem,
}

impl<S: Simd> StepState<S> {
    pub(super) fn new() -> Self {
        let zero = S::Elem::default();
        Self { best: [S::zero(); WIDTH], below: zero, above: zero, value: zero }
    }
}

/// Where the table of the row forest is before a node joins it.
pub(super) mod joins {
    /// In the table; that of the forest without the subtree of the node was kept before.
    pub(crate) const TREE: u8 = 0;
    /// In the table, and it is the one to be kept: the node is a leaf.
    pub(crate) const LEAF: u8 = 1;
    /// The same where it is to be kept.
    pub(crate) const FIRST_LEAF: u8 = 2;
}

/// A node joins the row forest. `values` are the savings of its subtree with those of the
/// columns, `apart` is the table of the forest without its subtree.
#[inline(always)]
pub(super) fn join<S: Simd, const KIND: u8>(
    pass: StripPass<'_, S>,
    rows: Range<usize>,
    state: &mut StepState<S>,
    values: &[S::Elem],
    apart: &mut [StripRow<S>],
    table: &mut [StripRow<S>],
) {
    let StripPass { simd, order, strip, masks } = pass;
    let Strip { first_lane, end, first_row } = strip;
    let mut best = state.best;
    let first = rows.start;
    let nodes = order.place[rows.clone()].iter().zip(&order.size[rows.clone()]);
    let pairs = nodes.zip(&values[rows.clone()]);
    for ((row, cells), ((&lane, &size), &value)) in (first..).zip(&mut table[rows]).zip(pairs) {
        let lane = lane as usize;
        let old = if KIND == joins::FIRST_LEAF { apart[row] } else { *cells };
        if KIND == joins::LEAF {
            apart[row] = old;
        }
        if lane < end {
            let mut joined = [S::splat(value); WIDTH];
            let before = row + 1 - size as usize;
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
            for k in 0..WIDTH {
                best[k] = simd.max(simd.max(old[k], joined[k]), best[k]);
            }
        }
        *cells = best;
    }
    state.best = best;
}

/// The root of all the row forest joins it and makes it a tree: `savings` are those of the root
/// with each column in these rows, and `values` takes those of the tree with the subtrees of the
/// columns. Those of earlier lanes are there from earlier strips. The rows go to `home` if there is one.
///
/// A pair of roots saves at least what the cells above and left of it do. The cell above is known
/// one row earlier but for the pair of roots of that row, so that no row waits for the vectors of
/// the row before.
#[inline(always)]
pub(super) fn crown<S: Simd, const HOME: bool>(
    pass: StripPass<'_, S>,
    rows: Range<usize>,
    state: &mut StepState<S>,
    (savings, values): (&[S::Elem], &mut [S::Elem]),
    table: &mut [StripRow<S>],
    home: &mut [StripRow<S>],
) {
    let StripPass { simd, order, strip, masks } = pass;
    let Strip { first_lane, end, .. } = strip;
    let StepState { mut best, mut below, mut above, mut value } = *state;
    let (first, count) = (rows.start, rows.len());
    let places = &order.place[first..];
    let home = if HOME { &mut home[first % lanes::<S>()..][..count] } else { &mut home[..0] };
    let table = &mut table[rows][..count];
    // The place of the row before: whether its pair of roots is in the cell above the next one.
    let mut last = if first == 0 { usize::MAX } else { order.place[first - 1] as usize };
    for row in 0..count {
        let lane = places[row] as usize;
        let cells = table[row];
        let next = places.get(row + 1).map_or(usize::MAX, |&next| next as usize);
        let next = next.wrapping_sub(first_lane);
        let (mut next_below, mut next_above) = (S::Elem::default(), S::Elem::default());
        if next < lanes::<S>() {
            next_below = S::elements(&table[row])[next];
            // From memory, so that the row before stays in registers.
            let before = match row {
                0 => &state.best,
                _ if HOME => &home[row - 1],
                _ => &table[row - 1],
            };
            next_above = S::elements(before)[next];
        }
        if lane < end {
            if lane < first_lane {
                value = values[row];
            } else {
                let here = S::elements(&table[row])[lane - first_lane];
                let mut most = greater(greater(above, here), below + savings[row]);
                if lane > last {
                    most = greater(most, value);
                }
                value = most;
                values[row] = value;
            }
            let mut root = [S::splat(value); WIDTH];
            if lane > first_lane {
                for (root, &mask) in root.iter_mut().zip(&masks[lane - first_lane]) {
                    *root = simd.and(*root, mask);
                }
            }
            for k in 0..WIDTH {
                best[k] = simd.max(simd.max(cells[k], root[k]), best[k]);
            }
        }
        if HOME {
            home[row] = best;
        } else {
            table[row] = best;
        }
        (below, above, last) = (next_below, next_above, lane);
    }
    *state = StepState { best, below, above, value };
}

/// Turns a square of a table: its rows become lanes. `scratch` has room for [`Simd::LANES`] vectors.
#[inline(always)]
pub(super) fn turn<S: Simd>(
    simd: S,
    from: &[StripRow<S>],
    into: &mut [StripRow<S>],
    scratch: &mut [S::Vector],
) {
    let (from, into) = (from.as_flattened(), into.as_flattened_mut());
    let rows = WIDTH * S::LANES;
    for down in 0..WIDTH {
        for right in 0..WIDTH {
            let (from, into) = (&from[down * rows + right..], &mut into[right * rows + down..]);
            simd.turn(from, into, WIDTH, scratch);
        }
    }
}
