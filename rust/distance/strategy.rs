//! The choice of the route: by estimated time, in cells of the packed kernel.

use crate::distance::engine::{Decomposition, Operand, Pricing, Route, estimate};
use crate::distance::inner::{self, PathPlan};
use crate::distance::lanes::Lanes;
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
    let cells = inner::forest_cells(&plan, columns);
    let bytes = cells.saturating_mul(Counted::new(pricing, rows.nodes().min(columns))?.bytes());
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
    if best.1 < SMALL {
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

/// What savings along inner paths are counted in.
#[derive(Debug, Clone, Copy)]
enum Counted {
    Words,
    Ints,
    Doubles,
    Wide,
}

impl Counted {
    /// For a pair whose smaller tree has that many nodes; none if no number is wide enough.
    fn new(pricing: Pricing<'_>, smaller: usize) -> Option<Self> {
        match Lanes::narrowest(pricing, smaller) {
            Some(Lanes::Bytes | Lanes::Words) => Some(Self::Words),
            Some(Lanes::Ints) => Some(Self::Ints),
            Some(Lanes::Doubles) => Some(Self::Doubles),
            None => pricing.is_wide().then_some(Self::Wide),
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Self::Words => 2,
            Self::Ints => 4,
            Self::Doubles => 8,
            Self::Wide => 16,
        }
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
    let run = match Counted::new(pricing, rows.tree.nodes().min(columns.tree.nodes())) {
        Some(Counted::Words) => in_numbers::<u16, _>,
        Some(Counted::Ints) => in_numbers::<i32, _>,
        Some(Counted::Doubles) => in_numbers::<f64, _>,
        Some(Counted::Wide) | None => in_numbers::<i128, _>,
    };
    run(rows, columns, pricing, transposed, cancel, read)
}

fn in_numbers<N: Number, R: Read>(
    rows: &Operand<'_>,
    columns: &Operand<'_>,
    pricing: Pricing<'_>,
    transposed: bool,
    cancel: &Cancel,
    read: &mut R,
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
    let savings = Savings {
        table,
        stride,
        start: 0,
        rows: row_tree,
        row_of: &row_tree.row,
        columns: column_tree,
    };
    read.read(0, savings);
    Ok(())
}
