//! Left, right and inner paths, chosen for each subtree of the row tree: no shape is a bad case.
//!
//! Left and right paths decompose both trees, and for trees that turn left and right alternately
//! (zigzags) nearly all pairs of forests are needed. With an inner path only the row tree is
//! decomposed, as in Demaine, Mozes, Rossman and Weimann (2009) and in Pawlik and Augsten's APTED
//! (2016); the column tree meets every row forest in all its subforests, fewer
//! than its size squared. See `paths.rs` for the choice, `strips.rs` for one step along an inner
//! path. Left and right paths go through the level-packed kernel, path by path. All of them leave
//! the savings of subtrees in one table, kept in both postorders of the columns.

mod paths;
mod run;
mod stretch;
mod strips;
#[cfg(test)]
mod tests;
mod walk;

use crate::distance::columns::Columns;
use crate::distance::packed::{self, PackedBuffers};
use crate::distance::sharing::RowLayout;
use crate::distance::team::TeamJob;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::simd::{Simd, Vectorized};
use crate::tree::{Orientation, Oriented, Prepared};
use paths::PathKind;
pub(crate) use paths::{PathPlan, RowTimes};
pub(crate) use run::MixedRun;
use std::sync::Mutex;
use stretch::StripScratch;
use strips::{PostOrder, StripRow};
use walk::PathWalk;

const WHAT: &str = "the dynamic program of one pair of trees";
/// Below this many blocks, one thread is as fast as several on a left or right path: a millisecond.
const LARGE_PATH: u64 = if cfg!(test) { 40 } else { 500_000 };

/// The place of each node of the left postorder in the right one.
pub(crate) fn right_places(left: &Oriented) -> Vec<u32> {
    let n = left.len();
    // The right postorder is the preorder backwards.
    let mut places = vec![n as u32 - 1; n];
    for v in (0..n).rev() {
        let mut place = places[v] + 1 - left.size[v];
        for child in left.children(v) {
            place += left.size[child];
            places[child] = place - 1;
        }
    }
    places
}

/// Inverse of a permutation.
fn inverse(places: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; places.len()];
    for (from, &to) in (0..).zip(places) {
        inverse[to as usize] = from;
    }
    inverse
}

/// Cells and rows of all strips of one step, vectors having that many lanes.
pub(crate) fn step_size(columns: &Prepared, lanes: usize) -> (f64, f64) {
    let columns = columns.oriented(Orientation::Left);
    let places = right_places(columns);
    let n = places.len();
    let strip = strips::WIDTH * lanes;
    // As `PostOrder::strips`, without the vectors.
    let (mut rows, mut first_row) = (0, n);
    for nodes in inverse(&places).chunks(strip) {
        first_row = nodes.iter().map(|&node| node as usize).fold(first_row, usize::min);
        rows += n - first_row;
    }
    ((rows * strip) as f64, rows as f64)
}

/// Cells of the tables that inner paths take for one pair, beside those of the packed kernel.
pub(crate) fn forest_cells(kept: usize, columns: usize, threads: usize, lanes: usize) -> u64 {
    let strip = (strips::WIDTH * lanes) as u64;
    let side = (columns as u64 / strip + 1).saturating_mul(strip);
    let strips =
        side.saturating_mul(strip).saturating_mul(kept as u64 + 1).saturating_mul(threads as u64);
    side.saturating_mul(side).saturating_add(strips)
}

/// A square of the current forest. Nobody waits for it: each belongs to one strip at a time.
type Square<S> = Mutex<Vec<StripRow<S>>>;

/// Scratch of one pair; the profiles of both sides must be filled in.
#[derive(Debug)]
pub(crate) struct MixedBuffers<S: Simd> {
    /// Tables and profiles with the columns in their left and in their right postorder.
    pub(crate) sides: [PackedBuffers<S>; 2],
    /// The current forest between two stretches; see [`strips::square`].
    forest: Vec<Square<S>>,
    /// What the threads need for their strips, as far as they have begun.
    scratch: Vec<StripScratch<S>>,
    /// The row of the tables that holds each node, by the postorders of the row tree.
    row_of: [Vec<u32>; 2],
}

impl<S: Simd> MixedBuffers<S> {
    /// Makes room for a pair whose row tree has that many distinct labels.
    pub(crate) fn new(
        pair: MixedPair<'_>,
        labels: usize,
        tables: &[Option<Columns<S>>; 2],
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Self> {
        let MixedPair { rows, plan, columns } = pair;
        let mut sides = [PackedBuffers::default(), PackedBuffers::default()];
        let columns = columns.oriented(Orientation::Left).len();
        for ((side, table), orientation) in sides.iter_mut().zip(tables).zip(Orientation::BOTH) {
            let rows = rows.oriented(orientation);
            let room = (rows.len(), labels);
            if let Some(table) = table {
                side.reserve(rows, room, table, cancel)?;
            } else {
                side.reserve_tables(room, columns.div_ceil(S::LANES), cancel)?;
            }
        }
        let mut forest = Vec::new();
        if plan.has(PathKind::Inner, rows.oriented(Orientation::Left)) {
            let cells = forest_cells(plan.kept, columns, threads, S::LANES);
            memory::check(WHAT, cells.saturating_mul(size_of::<S::Elem>() as u64))?;
            let side = strips::count::<S>(columns);
            memory::reserve(WHAT, &mut forest, side * side)?;
            for _ in 0..side * side {
                cancel.check()?;
                let zero = [S::zero(); strips::WIDTH];
                forest.push(Mutex::new(memory::filled(WHAT, strips::lanes::<S>(), zero)?));
            }
        }
        let row_of = [(0..rows.oriented(Orientation::Left).len() as u32).collect(), Vec::new()];
        Ok(Self { sides, forest, scratch: Vec::new(), row_of })
    }

    /// The row of the tables that holds each node of the left postorder.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.row_of[0]
    }
}

/// What is computed: the row tree along its paths, the column tree in all its forests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MixedPair<'a> {
    pub(crate) rows: &'a Prepared,
    pub(crate) plan: &'a PathPlan,
    pub(crate) columns: &'a Prepared,
}

/// A pair with its column tables, where paths of that kind are planned, and its scratch.
#[derive(Debug)]
pub(crate) struct MixedJob<'a, S: Simd> {
    pub(crate) pair: MixedPair<'a>,
    pub(crate) tables: &'a [Option<Columns<S>>; 2],
    pub(crate) buffers: &'a mut MixedBuffers<S>,
    pub(crate) threads: usize,
    pub(crate) cancel: &'a Cancel,
}

impl<S: Simd> Vectorized<S> for MixedJob<'_, S> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self, simd: S) -> Result<()> {
        fill(simd, self)
    }
}

/// The two postorders of a tree, and where each node of one is in the other.
#[derive(Debug)]
struct Sides<'a> {
    trees: [&'a Oriented; 2],
    places: [Vec<u32>; 2],
}

impl<'a> Sides<'a> {
    fn new(tree: &'a Prepared) -> Self {
        let trees = Orientation::BOTH.map(|side| tree.oriented(side));
        let places = right_places(trees[0]);
        let origins = inverse(&places);
        Self { trees, places: [places, origins] }
    }

    /// A node of the left postorder in that of a side.
    fn on(&self, side: usize, v: usize) -> usize {
        if side == 0 { v } else { self.places[0][v] as usize }
    }
}

/// Fills the tables of subtree values.
#[inline(always)]
fn fill<S: Simd>(simd: S, job: MixedJob<'_, S>) -> Result<()> {
    let MixedJob { pair, tables, buffers, threads, cancel } = job;
    let rows = Sides::new(pair.rows);
    let columns = Sides::new(pair.columns);
    let orders = [0, 1]
        .map(|side| PostOrder { size: &columns.trees[side].size, place: &columns.places[side] });
    let mut walk = PathWalk {
        simd,
        plan: pair.plan,
        strips: [0, 1].map(|side: usize| orders[side].strips::<S>()),
        masks: strips::masks::<S>(),
        orders,
        stride: columns.trees[0].len().div_ceil(S::LANES) * S::LANES,
        rows: &rows,
        buffers,
        steps: Vec::new(),
        threads,
        cancel,
    };
    let labels = pair.rows.labels().len() as u32 + 1;
    let profile: Vec<_> = (0..labels).collect();
    let row_of = &mut walk.buffers.row_of;
    row_of[1].clone_from(&rows.places[1]);
    for path in &pair.plan.paths {
        cancel.check()?;
        let (top, original) = (path.top as usize, path.original as usize);
        let row_of = &mut walk.buffers.row_of;
        if original != top {
            // Equal subtrees share their rows.
            for v in pair.plan.path(top) {
                row_of[0][v] = row_of[0][original - (top - v)];
                row_of[1][rows.on(1, v)] = row_of[0][v];
            }
            continue;
        }
        if rows.trees[0].size[top] == 1 {
            walk.leaf(top);
            continue;
        }
        let side = match path.kind {
            PathKind::Left => 0,
            PathKind::Right => 1,
            PathKind::Inner => {
                walk.inner_path(top)?;
                continue;
            }
        };
        let Some(columns) = &tables[side] else { continue };
        let MixedBuffers { sides, row_of, .. } = &mut *walk.buffers;
        let layout = RowLayout {
            row: &row_of[side],
            fresh: &[rows.on(side, top) as u32],
            profile: &profile,
        };
        let top = rows.on(side, top);
        let rows = rows.trees[side];
        let buffers = &mut sides[side];
        let blocks = u64::from(rows.size[top]) * columns.blocks.len() as u64;
        if threads > 1 && blocks >= LARGE_PATH {
            let PackedBuffers { table, profile, .. } = buffers;
            let job = TeamJob { rows, layout, columns, profile, lazy: None, threads, cancel };
            job.run_keyroot(simd, table)?;
        } else {
            simd.run(packed::PackedJob { rows, layout, columns, buffers, lazy: None, cancel })?;
        }
        pair.plan.path(path.top as usize).for_each(|v| walk.copy(side, v));
    }
    Ok(())
}
