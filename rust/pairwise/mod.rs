//! Many pairs: all of one set, or one set against another.

mod filter;
mod plan;
mod prices;
mod search;
mod task;

use crate::distance::{
    Catalogue, ColumnCache, Group, Kernel, Lanes, Operand, Pricing, Rows, Shared, Whole, Workspace,
    append_codes, best_route, cell_time, estimate, group_savings, inner_may_pay, with_savings,
};
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Cancel, Crew};
use crate::tree::{Orientation, Prepared, SubtreeIds};
use filter::{Filter, Memory};
use plan::{Plan, Shape};
pub(crate) use prices::Local;
pub use prices::Prices;
pub use search::{Found, Index, Method, Neighbor, Pivots, Search, Wanted, search};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use task::Matrix;

/// Below this much work (cells) the calling thread computes alone: a few milliseconds at most.
const SMALL_MATRIX: f64 = 2e7;
/// Trees with fewer nodes in sum are prepared within milliseconds.
const BRIEF_NODES: usize = 100_000;
/// How many times cheaper exchanged roles must be before a batch is given up for them.
const EXCHANGE_PAYS_OFF: f64 = 1.5;
/// Most lanes of a vector: rows of lanes are rounded up to it.
const WIDEST_VECTOR: u64 = 64;
/// From this many columns on, rows are shared between the trees along them.
const SHARING_PAYS_OFF: usize = 8;
/// How many times more a row may cost on the side on which rows are shared.
const SAME_SIDE: f64 = 1.25;
/// Numbers the batches; 0 is none.
static BATCHES: AtomicU64 = AtomicU64::new(1);
/// What calling the kernel costs, in cells.
const CALL: f64 = 2000.0;
const SIDES: [Orientation; 2] = [Orientation::Left, Orientation::Right];

/// A set of trees and how its label codes translate to those of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The trees.
    pub trees: &'a [Prepared],
    /// As in [`Operand::codes`].
    pub codes: Option<&'a [u32]>,
}

impl<'a> Side<'a> {
    pub(crate) fn operand(&self, index: usize) -> Operand<'a> {
        Operand { tree: &self.trees[index], codes: self.codes }
    }
}

/// What to compute.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Sources of the edits: rows of the matrix.
    pub x: Side<'a>,
    /// Targets: columns of the matrix.
    pub y: Side<'a>,
    /// What edits cost.
    pub prices: Prices<'a>,
    /// `x` and `y` are the same set and costs are symmetric: compute pairs i <= j only.
    pub triangle: bool,
    /// With `triangle`: whether i = j is wanted too.
    pub diagonal: bool,
    /// Distances above it are infinite, and are not computed where a bound tells.
    pub cutoff: Option<f64>,
}

/// How much work a matrix was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Computed {
    /// Distances that were stored.
    pub pairs: u64,
    /// Distances that were computed; all others were certain to be above the cutoff.
    pub exact: u64,
}

impl Request<'_> {
    /// Number of distances that will be stored.
    pub fn pairs(&self) -> u64 {
        let (n, m) = (self.x.trees.len() as u64, self.y.trees.len() as u64);
        match (self.triangle, self.diagonal) {
            (false, _) => n * m,
            (true, true) => n * (n + 1) / 2,
            (true, false) => n * n.saturating_sub(1) / 2,
        }
    }
}

/// Computes all distances of the request and hands them to `store(i, j, distance)` on the
/// calling thread, in any order, each once.
///
/// `poll(done)` is called now and then with the number of stored distances and may stop the
/// work by returning `false`.
///
/// # Errors
/// [`crate::Error::Memory`] before work starts if the scratch does not fit;
/// [`crate::Error::Cancelled`] if `poll` asked to stop.
pub fn compute(
    request: &Request<'_>,
    threads: usize,
    cancel: &Cancel,
    store: impl FnMut(usize, usize, f64),
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    compute_known(request, None, threads, cancel, store, poll)
}

/// The same, if the bounds of the targets may be known already.
fn compute_known(
    request: &Request<'_>,
    catalogue: Option<&Catalogue>,
    threads: usize,
    cancel: &Cancel,
    mut store: impl FnMut(usize, usize, f64),
    mut poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    let Request { x, y, triangle, .. } = *request;
    let done = Cell::new(0);
    // A tree is at distance 0 from itself, and however large it is, that costs nothing.
    let free_diagonal = triangle && request.prices.is_reflexive();
    if free_diagonal && request.diagonal {
        (0..x.trees.len()).for_each(|i| store(i, i, 0.0));
        done.set(x.trees.len() as u64);
    }
    let diagonal = request.diagonal && !free_diagonal;
    let shape = Shape { triangle, diagonal, prices: request.prices };
    let plan = Plan::new(x.trees, y.trees, shape, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    memory::check("the scratch of all threads", scratch_bytes(request, diagonal, threads))?;
    let work_time = plan.cells * cell_time(request.prices, mean_nodes(x.trees));
    let mut ask = || poll(done.get());
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let matrix = Matrix {
        request,
        plan: &plan,
        diagonal,
        deletes: totals(&x, |operand| request.prices.delete_all(operand)),
        inserts: totals(&y, |operand| request.prices.insert_all(operand)),
        filter: Filter::new(request, catalogue, work_time, &mut crew)?,
        ids: subtree_ids(request, &mut crew)?,
    };
    let exact = Cell::new(0);
    let work = |scratch: &mut (Workspace, Memory), index: usize| {
        Ok((index, matrix.task(&plan.tasks[index], scratch, cancel)?))
    };
    let receive = |(index, (distances, computed)): (usize, (Vec<f64>, u64))| {
        let task = &plan.tasks[index];
        let mut distances = distances.into_iter();
        for row in task.rows.clone() {
            for column in task.columns.clone() {
                let distance = distances.next().unwrap_or(f64::INFINITY);
                if matrix.wants(row, column) {
                    store(plan.row_order[row], plan.column_order[column], distance);
                    done.set(done.get() + 1);
                }
            }
        }
        exact.set(exact.get() + computed);
    };
    let scratch = || (Workspace::default(), Memory::new(work_time / threads as f64));
    if plan.cells < SMALL_MATRIX {
        let mut scratch = scratch();
        let mut receive = receive;
        for index in 0..plan.tasks.len() {
            receive(work(&mut scratch, index)?);
        }
    } else {
        let tasks = plan.tasks.len();
        parallel::for_each(threads, tasks, cancel, scratch, work, receive, || poll(done.get()))?;
    }
    // The last word: all is done.
    let computed = Computed { pairs: done.get(), exact: exact.get() };
    if poll(done.get()) { Ok(computed) } else { Err(crate::Error::Cancelled) }
}

/// The mean number of nodes.
fn mean_nodes(trees: &[Prepared]) -> usize {
    trees.iter().map(Prepared::nodes).sum::<usize>() / trees.len().max(1)
}

fn totals(side: &Side<'_>, of: impl Fn(&Operand<'_>) -> i128) -> Vec<i128> {
    (0..side.trees.len()).map(|i| of(&side.operand(i))).collect()
}

/// Most bytes that the threads take: tables and profiles of the largest pairs.
fn scratch_bytes(request: &Request<'_>, diagonal: bool, threads: usize) -> u64 {
    let two_largest = |side: &Side<'_>| {
        side.trees.iter().fold((0, 0), |(first, second), tree| {
            let nodes = tree.nodes() as u64 + 1;
            (nodes.max(first), nodes.min(first).max(second))
        })
    };
    let (n, m) = if request.triangle && !diagonal {
        two_largest(&request.x)
    } else {
        (two_largest(&request.x).0, two_largest(&request.y).0)
    };
    // The subtree table and the profile, for a smaller tree of that many nodes.
    let pair = |bytes: u64, smaller: u64| {
        (2 * bytes).saturating_mul(smaller.saturating_add(WIDEST_VECTOR)).saturating_mul(n.max(m))
    };
    let smaller = n.min(m);
    let bytes = match request.prices {
        Prices::Vectors(_) => pair(8, smaller),
        Prices::Fixed(pricing) => {
            // Pairs of every size have their own lanes, narrow or wide, and those have buffers.
            let (mut bytes, mut served) = (0u64, 0);
            for lanes in Lanes::ALL {
                if served < smaller {
                    served = smaller.min((lanes.most_nodes(pricing) as u64).saturating_add(1));
                    bytes = bytes.saturating_add(pair(lanes.bytes(), served));
                }
            }
            let scalar = if pricing.is_wide() { 16 } else { 8 };
            if served < smaller { bytes.saturating_add(pair(scalar, smaller)) } else { bytes }
        }
    };
    bytes.saturating_mul(threads as u64)
}

/// Numbers of equal subtrees of the rows, on the side that most work is done on, if sharing what
/// they have in common may pay.
fn subtree_ids(request: &Request<'_>, crew: &mut Crew<'_>) -> Result<Option<SubtreeIds>> {
    let (rows, columns) = (request.x.trees, request.y.trees);
    if rows.len() < 2
        || columns.len() < SHARING_PAYS_OFF
        || matches!(request.prices, Prices::Vectors(_))
    {
        return Ok(None);
    }
    let side = better_side(rows, columns);
    let nodes: usize = rows.iter().map(Prepared::nodes).sum();
    let cancel = crew.cancel.clone();
    crew.one(nodes < BRIEF_NODES, || SubtreeIds::new(rows, side, &cancel)).map(Some)
}

/// The side on which rows and columns are less work.
fn better_side(rows: &[Prepared], columns: &[Prepared]) -> Orientation {
    let sum = |trees: &[Prepared], of: &dyn Fn(&Prepared) -> u64| {
        trees.iter().map(|tree| of(tree) as f64).sum::<f64>()
    };
    let work = SIDES.map(|side| {
        sum(rows, &|tree| tree.oriented(side).row_work)
            * sum(columns, &|tree| tree.oriented(side).column_work)
    });
    if work[1] < work[0] { Orientation::Right } else { Orientation::Left }
}

/// The columns of one task.
struct Batch<'a> {
    members: Vec<Operand<'a>>,
    largest: usize,
    /// Lane codes, column work and row work, by orientation.
    codes: [Vec<u32>; 2],
    column_work: [u64; 2],
    row_work: [u64; 2],
    cache: ColumnCache,
    /// Different from that of any other batch.
    number: u64,
}

impl<'a> Batch<'a> {
    fn new(members: Vec<Operand<'a>>) -> Self {
        let sum = |of: fn(&crate::tree::Oriented) -> u64| {
            SIDES.map(|side| members.iter().map(|member| of(member.tree.oriented(side))).sum())
        };
        Self {
            largest: members.iter().map(|member| member.tree.nodes()).max().unwrap_or(0),
            codes: SIDES.map(|side| {
                let mut codes = Vec::new();
                for member in &members {
                    append_codes(member, member.tree.oriented(side), &mut codes);
                }
                codes
            }),
            column_work: sum(|tree| tree.column_work),
            row_work: sum(|tree| tree.row_work),
            cache: ColumnCache::default(),
            number: BATCHES.fetch_add(1, Ordering::Relaxed),
            members,
        }
    }

    /// Cells of a row along the rows, on one side.
    fn direct(&self, x: &Prepared, side: usize) -> f64 {
        estimate(x.oriented(SIDES[side]).row_work, self.column_work[side])
    }

    /// On which side a row is best computed, whether with exchanged roles, and its cells.
    fn route(&self, x: &Prepared) -> (usize, bool, f64) {
        let direct = |side| self.direct(x, side);
        let exchanged =
            |side: usize| estimate(self.row_work[side], x.oriented(SIDES[side]).column_work);
        let better = |cost: &dyn Fn(usize) -> f64| usize::from(cost(1) < cost(0));
        let (side, other) = (better(&direct), better(&exchanged));
        if exchanged(other) * EXCHANGE_PAYS_OFF < direct(side) {
            (other, true, exchanged(other))
        } else {
            (side, false, direct(side))
        }
    }

    /// Cells of one row with all members together.
    fn row_cells(&self, x: &Prepared) -> f64 {
        CALL + self.route(x).2
    }

    /// Cells of one row with some members, each alone.
    fn single_cells(&self, x: &Prepared, members: &[usize]) -> f64 {
        // These are small, and their best routes need not be known.
        let side = usize::from(self.direct(x, 1) < self.direct(x, 0));
        let row_work = x.oriented(SIDES[side]).row_work;
        let column_work =
            |&member: &usize| self.members[member].tree.oriented(SIDES[side]).column_work;
        let cells: f64 = members.iter().map(|m| estimate(row_work, column_work(m))).sum();
        members.len() as f64 * CALL + cells
    }

    /// Savings of one row with all members. With the numbers of its subtrees in one orientation,
    /// rows are shared with other trees of the same set.
    fn row(
        &self,
        x: &Operand<'_>,
        ids: Option<(Orientation, &[u32])>,
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        let (side, exchanged, cells) = self.route(x.tree);
        let sizes = self.members.iter().map(|member| member.tree.nodes());
        if inner_may_pay(x.tree, sizes, cells) {
            return self.single_pairs(x, pricing, workspace, cancel, out);
        }
        if exchanged {
            return self.exchanged_row(x, side, pricing, workspace, cancel, out);
        }
        let (side, shared) = match ids {
            Some((wanted, ids)) if self.direct(x.tree, wanted as usize) <= SAME_SIDE * cells => {
                (wanted as usize, Some(Shared { ids, columns: self.number }))
            }
            _ => (side, None),
        };
        let group = Group {
            members: &self.members,
            orientation: SIDES[side],
            codes: &self.codes[side],
            largest: self.largest,
            cache: &self.cache,
        };
        let rows = Rows { operand: *x, shared };
        let mut read = Whole(|member: usize, saving| out[member] = saving);
        group_savings(&rows, &group, pricing, false, Kernel::Auto, workspace, cancel, &mut read)
    }

    /// The same, every pair on its own best route: badly shaped trees.
    fn single_pairs(
        &self,
        x: &Operand<'_>,
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        for (&member, out) in self.members.iter().zip(out) {
            let (route, _) = best_route(x.tree, member.tree, pricing);
            let mut read = Whole(|_, saving| *out = saving);
            let kernel = Kernel::Auto;
            with_savings(*x, member, pricing, kernel, route, workspace, cancel, &mut read)?;
        }
        Ok(())
    }

    /// The same with the members along the rows and the row tree as the column.
    fn exchanged_row(
        &self,
        x: &Operand<'_>,
        side: usize,
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        let mut codes = Vec::new();
        append_codes(x, x.tree.oriented(SIDES[side]), &mut codes);
        let cache = ColumnCache::default();
        let group = Group {
            members: &[*x],
            orientation: SIDES[side],
            codes: &codes,
            largest: x.tree.nodes(),
            cache: &cache,
        };
        for (member, out) in self.members.iter().zip(out) {
            let mut read = Whole(|_, saving| *out = saving);
            group_savings(
                &(*member).into(),
                &group,
                pricing,
                true,
                Kernel::Auto,
                workspace,
                cancel,
                &mut read,
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
