//! The choice of the route: by estimated time, in cells of the packed kernel.

use crate::distance::engine::{Decomposition, Route, estimate};
use crate::distance::inner::{self, PathPlan, RowTimes};
use crate::distance::tables::LARGEST_TABLES;
use crate::memory;
use crate::pair::Costs;
use crate::simd::Lanes;
use crate::tree::{Orientation, Oriented, Prepared};

/// Below this many cells nothing but left and right paths is looked at.
const SMALLEST: f64 = 5e5;
/// Below this many cells nothing but left, right and inner paths alone is looked at: finding the best
/// mixture takes time.
const SMALL: f64 = 4e6;
/// How many times cheaper inner paths alone must be there.
const INNER_MUST_GAIN: f64 = 2.0;
/// How many times cheaper other paths must be at best before they are looked at: branches and
/// stars, on which left or right paths are best, have rows for their leaves besides.
const MAY_GAIN: f64 = 3.0;
/// Time of one cell of an inner step, in cells of the packed kernel.
const INNER_CELL: f64 = 0.2;
/// Time of turning one cell, in cells of the packed kernel.
const TURNED_CELL: f64 = 0.25;
/// Cells that a row of a strip takes as long as, beside its own.
const STRIP_ROW: f64 = 16.0;
/// Cells that copying a saving from one order of the columns to the other takes as long as.
const COPIED_CELL: f64 = 4.0;
/// Most nodes of a column tree that meets inner paths: its tables are quadratic.
const LARGEST_COLUMNS: usize = 32_000;
/// The part of the free memory that these tables may take.
const MEMORY_SHARE: u64 = 4;
/// Tables of row forests that inner paths keep at a time: so their memory is known beforehand.
const MOST_KEPT: u32 = 16;
/// Bytes of a vector, for estimates.
const VECTOR: u64 = 32;

/// Estimated cells of one decomposition.
pub(super) fn work(rows: &Oriented, columns: &Oriented) -> f64 {
    estimate(rows.row_work, columns.column_work)
}

/// The cheapest of the left and right paths, and its estimated cells.
fn best_outer(x: &Prepared, y: &Prepared) -> (Route, f64) {
    let outer =
        |orientation, swapped| Route { decomposition: Decomposition::Outer(orientation), swapped };
    let mut best = (outer(Orientation::Left, false), f64::INFINITY);
    for orientation in Orientation::BOTH {
        let (a, b) = (x.oriented(orientation), y.oriented(orientation));
        for (swapped, cells) in [(false, work(a, b)), (true, work(b, a))] {
            if cells < best.1 {
                best = (outer(orientation, swapped), cells);
            }
        }
    }
    best
}

/// Estimated cells of a row along left or right paths.
fn outer_row(columns: &Oriented) -> f64 {
    estimate(1, columns.column_work)
}

/// At most the estimated cells of a row, whatever its path.
pub(crate) fn least_row(columns: &Prepared) -> f64 {
    let n = columns.nodes() as f64;
    let outer = Orientation::BOTH.map(|side| columns.oriented(side));
    outer_row(outer[0]).min(outer_row(outer[1])).min(INNER_CELL * n * n / 2.0)
}

/// Whether paths chosen for each subtree may pay for one row tree and columns that take that many
/// cells along left or right paths; with the sum of [`least_row`] of the columns.
pub(crate) fn mixing_may_pay(rows: &Prepared, least_rows: f64, cells: f64) -> bool {
    cells > SMALL && MAY_GAIN * rows.nodes() as f64 * least_rows < cells
}

/// The same for one pair that takes that many cells along left or right paths.
pub(crate) fn mixing_may_pay_alone(rows: &Prepared, columns: &Prepared, cells: f64) -> bool {
    let (n, m) = (rows.nodes() as f64, columns.nodes() as f64);
    let inner = INNER_CELL * n * m * m;
    cells > SMALLEST && INNER_MUST_GAIN * inner < cells
        || mixing_may_pay(rows, least_row(columns), cells)
}

/// Bytes of a lane for pairs whose smaller tree has that many nodes.
fn lane_bytes(costs: Costs<'_>, smaller: usize) -> u64 {
    Lanes::narrowest(costs, smaller).map_or(size_of::<i128>() as u64, Lanes::bytes)
}

/// What a row costs along each kind of path.
fn times(columns: &Prepared, lane_bytes: u64) -> RowTimes {
    let sides = Orientation::BOTH.map(|side| columns.oriented(side));
    let [left, right] = sides.map(|side| {
        // Tables of badly shaped columns would be too large.
        if side.column_work > LARGEST_TABLES { f64::INFINITY } else { outer_row(side) }
    });
    let (cells, rows) = inner::step_size(columns, (VECTOR / lane_bytes) as usize);
    RowTimes {
        left,
        right,
        inner: INNER_CELL * (cells + STRIP_ROW * rows),
        turn: TURNED_CELL * cells,
        // Where there is nothing but inner paths, they keep what they must.
        most_kept: if left.min(right).is_finite() { MOST_KEPT } else { u32::MAX },
    }
}

/// The paths of a row tree that meets these columns; only inner ones, if they are all wanted so or
/// if the pair is small: column tables for a few left or right paths take as long as they save.
pub(crate) fn plan(
    rows: &Prepared,
    columns: &Prepared,
    costs: Costs<'_>,
    only_inner: bool,
) -> PathPlan {
    let lane_bytes = lane_bytes(costs, rows.nodes().min(columns.nodes()));
    let mut times = times(columns, lane_bytes);
    if only_inner || best_outer(rows, columns).1 < SMALL {
        (times.left, times.right) = (f64::INFINITY, f64::INFINITY);
        times.most_kept = u32::MAX;
    }
    PathPlan::new(rows.oriented(Orientation::Left), rows.oriented(Orientation::Right), times)
}

/// Estimated cells of a pair along the best paths of each subtree, and the bytes of their tables.
fn mixed_work(rows: &Prepared, columns: &Prepared, costs: Costs<'_>) -> (f64, u64) {
    let plan = plan(rows, columns, costs, false);
    let (n, m) = (rows.nodes(), columns.nodes());
    let lane_bytes = lane_bytes(costs, n.min(m));
    let bytes = table_bytes((n as u64, m as u64), m as u64, plan.kept, lane_bytes);
    (plan.cost + COPIED_CELL * n as f64 * m as f64, bytes)
}

/// Most bytes that the tables of mixed paths take for two trees with these numbers of nodes, whose key-roots
/// have sizes of that sum at most; costs that are computed for every pair are in doubles.
pub(crate) fn most_bytes((n, m): (u64, u64), work: u64, costs: Option<Costs<'_>>) -> u64 {
    // Key-roots without branches are in the work of rows, but not in that of columns.
    if estimate(work.saturating_add(n.max(m)), work) < SMALLEST {
        return 0;
    }
    let smaller = usize::try_from(n.min(m)).unwrap_or(usize::MAX);
    let columns = [n.max(m), n.min(m)].into_iter().find(|&nodes| nodes <= LARGEST_COLUMNS as u64);
    let Some(columns) = columns else {
        return 0;
    };
    let lane_bytes = costs.map_or(Lanes::Doubles.bytes(), |p| lane_bytes(p, smaller));
    table_bytes((n, m), columns, MOST_KEPT as usize, lane_bytes)
}

fn table_bytes((n, m): (u64, u64), columns: u64, kept: usize, lane_bytes: u64) -> u64 {
    let lanes = (VECTOR / lane_bytes) as usize;
    let subtrees = n.saturating_mul(m).saturating_mul(2);
    let forests =
        inner::forest_cells(kept, usize::try_from(columns).unwrap_or(usize::MAX), 1, lanes);
    subtrees.saturating_add(forests).saturating_mul(lane_bytes)
}

/// The cheapest way to decompose a pair, and its estimated cells.
pub(crate) fn best_route(x: &Prepared, y: &Prepared, costs: Costs<'_>) -> (Route, f64) {
    let mut best = best_outer(x, y);
    if best.1 < SMALLEST {
        return best;
    }
    for (swapped, rows, columns) in [(false, x, y), (true, y, x)] {
        if columns.nodes() > LARGEST_COLUMNS || !mixing_may_pay_alone(rows, columns, best.1) {
            continue;
        }
        let (cells, bytes) = mixed_work(rows, columns, costs);
        let fits = || memory::check("inner paths", bytes.saturating_mul(MEMORY_SHARE)).is_ok();
        if cells < best.1 && fits() {
            best = (Route { decomposition: Decomposition::Mixed, swapped }, cells);
        }
    }
    best
}

/// Estimated cells of a pair on its best route; proportional to its time.
pub fn pair_work(x: &Prepared, y: &Prepared) -> f64 {
    best_route(x, y, Costs::Unit).1
}
