//! Many pairs: all of one set, or one set against another.

mod filter;
mod plan;
mod prices;
mod search;
mod task;

use crate::distance::{
    ColumnCache, Group, Kernel, Operand, Pricing, Whole, Workspace, append_codes, best_route,
    estimate, group_savings, inner_may_pay, pair_work, with_savings,
};
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Cancel};
use crate::tree::{Orientation, Prepared};
use filter::{Filter, Memory};
use plan::{Plan, Shape};
pub(crate) use prices::Local;
pub use prices::Prices;
pub use search::{Found, Method, Neighbor, Pivots, Search, Wanted, search};
use std::cell::Cell;
use task::Matrix;

/// Below this much work (cells) the calling thread computes alone: a few milliseconds at most.
const SMALL_MATRIX: f64 = 2e7;
/// How many times cheaper exchanged roles must be before a batch is given up for them.
const EXCHANGE_PAYS_OFF: f64 = 1.5;
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
    mut store: impl FnMut(usize, usize, f64),
    poll: impl FnMut(u64) -> bool,
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
    let lanes = match request.prices {
        Prices::Fixed(Pricing::Unit) => plan::UNIT_LANES,
        _ => plan::TABLE_LANES,
    };
    let plan = Plan::new(x.trees, y.trees, Shape { triangle, diagonal, lanes }, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    memory::check("the scratch of all threads", scratch_bytes(request, diagonal, threads))?;
    let matrix = Matrix {
        request,
        plan: &plan,
        diagonal,
        deletes: totals(&x, |operand| request.prices.delete_all(operand)),
        inserts: totals(&y, |operand| request.prices.insert_all(operand)),
        filter: Filter::new(request, cancel)?,
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
    let mut poll = poll;
    if plan.cells < SMALL_MATRIX {
        let mut scratch = <(Workspace, Memory)>::default();
        let mut receive = receive;
        for index in 0..plan.tasks.len() {
            receive(work(&mut scratch, index)?);
        }
    } else {
        let tasks = plan.tasks.len();
        parallel::for_each(threads, tasks, cancel, Default::default, work, receive, || {
            poll(done.get())
        })?;
    }
    // The last word: all is done.
    let computed = Computed { pairs: done.get(), exact: exact.get() };
    if poll(done.get()) { Ok(computed) } else { Err(crate::Error::Cancelled) }
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
    let lane = match request.prices {
        Prices::Fixed(Pricing::Unit) if n.min(m) <= 128 => 1,
        Prices::Fixed(Pricing::Unit) => 2,
        prices if prices.is_wide() => 16,
        _ => 8,
    };
    // The subtree table and the profile.
    (2 * lane * threads as u64).saturating_mul(n.saturating_mul(m + 32))
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
            members,
        }
    }

    /// On which side a row is best computed, whether with exchanged roles, and its cells.
    fn route(&self, x: &Prepared) -> (usize, bool, f64) {
        let direct =
            |side: usize| estimate(x.oriented(SIDES[side]).row_work, self.column_work[side]);
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

    /// Cells of one row with these members: of all members together, or of each alone.
    fn cells(&self, x: &Prepared, members: &[usize]) -> (f64, f64) {
        let alone = |&member: &usize| CALL + pair_work(x, self.members[member].tree);
        (CALL + self.route(x).2, members.iter().map(alone).sum())
    }

    /// Savings of one row with all members.
    fn row(
        &self,
        x: &Operand<'_>,
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
        let group = Group {
            members: &self.members,
            orientation: SIDES[side],
            codes: &self.codes[side],
            largest: self.largest,
            cache: &self.cache,
        };
        let mut read = Whole(|member: usize, saving| out[member] = saving);
        group_savings(x, &group, pricing, false, Kernel::Auto, workspace, cancel, &mut read)
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
                member,
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
