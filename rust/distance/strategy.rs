//! The choice of the route: by estimated time, in cells of the packed kernel.

use crate::cost::scale::EXACT_NODES;
use crate::distance::engine::{Decomposition, Operand, Pricing, Route, estimate};
use crate::distance::inner::{self, PathPlan};
use crate::distance::profile;
use crate::distance::savings::{Read, Savings};
use crate::distance::scalar::Number;
#[cfg(target_arch = "x86_64")]
use crate::distance::simd::avx2::Avx2;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Oriented, Prepared};

/// Below this many cells nothing but left and right paths is looked at.
const SMALL: f64 = 4e6;
/// Time of one cell of an inner step, in cells of the packed kernel.
const INNER_CELL: f64 = 0.5;
/// Time of turning one cell, in cells of an inner step.
const TURNED_CELL: f64 = 1.5;
/// Cells that the loop over a row of an inner step takes as long as.
const INNER_ROW: f64 = 60.0;
/// Most nodes of a column tree that meets inner paths: its tables are quadratic.
const LARGEST_COLUMNS: usize = 32_000;
/// The part of the free memory that these tables may take.
const MEMORY_SHARE: u64 = 4;

/// Estimated cells of one decomposition.
fn work(rows: &Oriented, columns: &Oriented) -> f64 {
    estimate(rows.row_work, columns.column_work)
}

/// The cheapest of the left and right paths, and its estimated cells.
fn best_outer(x: &Prepared, y: &Prepared) -> (Route, f64) {
    let outer =
        |orientation, swapped| Route { decomposition: Decomposition::Outer(orientation), swapped };
    let mut best = (outer(Orientation::Left, false), f64::INFINITY);
    for orientation in [Orientation::Left, Orientation::Right] {
        let (a, b) = (x.oriented(orientation), y.oriented(orientation));
        for (swapped, cells) in [(false, work(a, b)), (true, work(b, a))] {
            if cells < best.1 {
                best = (outer(orientation, swapped), cells);
            }
        }
    }
    best
}

/// Cells of a step along an inner path: half of the table of the columns.
fn step_cells(columns: usize) -> f64 {
    let n = columns as f64;
    INNER_CELL * n * (n / 2.0 + INNER_ROW)
}

/// Whether inner paths may pay for one row tree and columns that take so many cells along left
/// or right paths: they would with a row tree that is one long path.
pub(crate) fn inner_may_pay(
    rows: &Prepared,
    columns: impl Iterator<Item = usize>,
    cells: f64,
) -> bool {
    cells > SMALL && rows.nodes() as f64 * columns.map(step_cells).sum::<f64>() < cells
}

/// Estimated cells of a pair along inner paths; none if its tables are too large.
fn inner_work(rows: &Prepared, columns: usize, pricing: Pricing<'_>) -> Option<f64> {
    let plan = plan(rows);
    let bytes = match pricing {
        Pricing::Unit => inner::forest_bytes::<u16>(&plan, columns),
        Pricing::Table(table) if table.is_wide() => inner::forest_bytes::<i128>(&plan, columns),
        Pricing::Table(_) => inner::forest_bytes::<f64>(&plan, columns),
    };
    memory::check("inner paths", bytes.saturating_mul(MEMORY_SHARE)).ok()?;
    let turns = plan.turns as f64 * TURNED_CELL * INNER_CELL * (columns * columns) as f64 / 2.0;
    Some(plan.steps as f64 * step_cells(columns) + turns)
}

fn plan(rows: &Prepared) -> PathPlan {
    PathPlan::new(rows.oriented(Orientation::Left), rows.oriented(Orientation::Right))
}

/// The cheapest way to decompose a pair, and its estimated cells.
pub(crate) fn best_route(x: &Prepared, y: &Prepared, pricing: Pricing<'_>) -> (Route, f64) {
    let mut best = best_outer(x, y);
    if best.1 < SMALL || x.nodes().min(y.nodes()) > most_nodes(pricing) {
        return best;
    }
    for (swapped, rows, columns) in [(false, x, y), (true, y, x)] {
        let nodes = columns.nodes();
        if nodes > LARGEST_COLUMNS || !inner_may_pay(rows, std::iter::once(nodes), best.1) {
            continue;
        }
        if let Some(cells) = inner_work(rows, nodes, pricing).filter(|&cells| cells < best.1) {
            best = (Route { decomposition: Decomposition::Inner, swapped }, cells);
        }
    }
    best
}

/// Estimated cells of a pair on its best route; proportional to its time.
pub fn pair_work(x: &Prepared, y: &Prepared) -> f64 {
    best_route(x, y, Pricing::Unit).1
}

/// Most nodes of the smaller tree whose savings the numbers of inner steps can hold.
fn most_nodes(pricing: Pricing<'_>) -> usize {
    match pricing {
        Pricing::Unit => usize::from(u16::MAX / 2),
        Pricing::Table(table) if table.is_wide() => usize::MAX,
        Pricing::Table(_) => EXACT_NODES,
    }
}

/// Runs one pair along inner paths and hands its savings to `read`.
pub(crate) fn inner_savings(
    rows: &Operand<'_>,
    columns: &Operand<'_>,
    pricing: Pricing<'_>,
    transposed: bool,
    cancel: &Cancel,
    read: &mut impl Read,
) -> Result<()> {
    match pricing {
        Pricing::Unit => in_numbers::<u16>(rows, columns, pricing, transposed, cancel, read),
        Pricing::Table(table) if table.is_wide() => {
            in_numbers::<i128>(rows, columns, pricing, transposed, cancel, read)
        }
        Pricing::Table(_) => in_numbers::<f64>(rows, columns, pricing, transposed, cancel, read),
    }
}

fn in_numbers<N: Number>(
    rows: &Operand<'_>,
    columns: &Operand<'_>,
    pricing: Pricing<'_>,
    transposed: bool,
    cancel: &Cancel,
    read: &mut impl Read,
) -> Result<()> {
    let plan = plan(rows.tree);
    let left = Orientation::Left;
    let (row_tree, column_tree) = (rows.tree.oriented(left), columns.tree.oriented(left));
    let stride = column_tree.len();
    let mut buffers = inner::Buffers::<N>::default();
    let height = profile::height(rows);
    buffers.reserve(&plan, (row_tree.len(), height), stride, cancel)?;
    let mut codes = Vec::new();
    for side in [Orientation::Left, Orientation::Right] {
        codes.clear();
        profile::append_codes(columns, columns.tree.oriented(side), &mut codes);
        let profile = &mut buffers.profile[side as usize];
        profile::fill(pricing, transposed, rows, &codes, stride, profile);
    }
    let pair = inner::Pair { rows: rows.tree, plan: &plan, columns: columns.tree };
    #[cfg(target_arch = "x86_64")]
    let filled = match Avx2::detect() {
        Some(avx2) => avx2.fill_inner(pair, &mut buffers, cancel),
        None => inner::fill(pair, &mut buffers, cancel),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let filled = inner::fill(pair, &mut buffers, cancel);
    filled?;
    let table = &buffers.trees[0];
    read.read(0, Savings { table, stride, start: 0, rows: row_tree, columns: column_tree });
    Ok(())
}
