//! Many pairs: all of one set, or one set against another.

mod account;
mod filter;
mod plan;
mod search;
mod task;

use crate::distance::{
    Catalogue, ColumnTables, Group, Keeper, Kernel, Read, Rows, Shared, Whole, Workspace,
    append_codes, best_route, cell_time, estimate, group_savings, least_row, mixing_may_pay,
    pair_work, with_savings,
};
use crate::error::Result;
use crate::memory;
use crate::pair::{Operand, Prices, Pricing, Side};
use crate::parallel::{self, Cancel, Crew, Pace};
use crate::tree::{Copies, Orientation, Prepared, SubtreeIds};
pub use account::{Account, Extent, account};
use filter::{Filter, Memory};
pub(crate) use plan::cut_batches;
pub use plan::inner_share;
use plan::{Chosen, Plan, Shape};
pub use search::{Found, Index, Method, Neighbor, Pivots, Search, Wanted, search};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use task::Matrix;

/// Below this much work (cells) the calling thread computes alone: a few milliseconds at most.
const SMALL_MATRIX: f64 = 2e7;
/// Trees with fewer nodes in sum are prepared within milliseconds.
const BRIEF_NODES: usize = 100_000;
/// How many times cheaper exchanged roles must be before a batch is given up for them.
const EXCHANGE_PAYS_OFF: f64 = 1.5;
/// From this many columns on, rows are shared between the trees along them.
const SHARING_PAYS_OFF: usize = 8;
/// How many times more a row may cost on the side on which rows are shared.
const SAME_SIDE: f64 = 1.25;
/// Numbers the batches; 0 is none.
static BATCHES: AtomicU64 = AtomicU64::new(1);
/// What calling the kernel costs, in cells.
const CALL: f64 = 2000.0;
pub(crate) const SIDES: [Orientation; 2] = [Orientation::Left, Orientation::Right];

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
    /// Distances that were computed; the others are those of equal trees, or of trees that occur
    /// again, or were certain to be above the cutoff.
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
pub fn compute<S: FnMut(usize, usize, f64)>(
    request: &Request<'_>,
    threads: usize,
    cancel: &Cancel,
    store: S,
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    compute_known(request, None, threads, cancel, store, poll)
}

/// The same, if the bounds of the targets may be known already.
fn compute_known<S: FnMut(usize, usize, f64)>(
    request: &Request<'_>,
    catalogue: Option<&Catalogue>,
    threads: usize,
    cancel: &Cancel,
    mut store: S,
    poll: impl FnMut(u64) -> bool,
) -> Result<Computed> {
    let Request { x, y, triangle, .. } = *request;
    let done = Cell::new(0);
    // Trees that occur again have the distances of the first of their kind.
    let of_rows = Copies::new(x.trees, 0..x.trees.len());
    let other = (!triangle).then(|| Copies::new(y.trees, 0..y.trees.len()));
    let of_columns = other.as_ref().unwrap_or(&of_rows);
    let (poll, mut pace) = (RefCell::new(poll), Pace::new());
    let all_differ = of_rows.all_differ() && of_columns.all_differ();
    let mut store_copies = |store: &mut S, i: usize, j: usize, distance: f64| {
        for a in of_rows.of(i) {
            if cancel.check().is_err() {
                return;
            }
            for b in of_columns.of(j) {
                // The pairs among the copies of one tree of a triangle are met in both orders.
                if !triangle || i != j || a < b || (a == b && request.diagonal) {
                    store(a, b, distance);
                    done.set(done.get() + 1);
                }
                // Few trees can have many copies.
                if pace.is_due() && !poll.borrow_mut()(done.get()) {
                    cancel.cancel();
                }
            }
        }
    };
    let kinds = Kinds { rows: of_rows.distinct(), columns: of_columns.distinct() };
    let diagonal = triangle && must_meet_themselves(request, &of_rows);
    if triangle && !diagonal {
        kinds.rows.iter().for_each(|&i| {
            store_copies(&mut store, i as usize, i as usize, 0.0);
        });
    }
    let shape = Shape { triangle, diagonal, prices: request.prices };
    let rows = Chosen { trees: x.trees, indices: kinds.rows };
    let columns = Chosen { trees: y.trees, indices: kinds.columns };
    let plan = Plan::new(rows, columns, shape, threads);
    let threads = parallel::useful_threads(threads, plan.tasks.len());
    let scratch = account::scratch_bytes(request, kinds, diagonal, threads);
    memory::check("the scratch of all threads", scratch)?;
    let work_time = plan.cells * cell_time(request.prices, mean_nodes(x.trees));
    let mut ask = || poll.borrow_mut()(done.get());
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let matrix = Matrix {
        request,
        plan: &plan,
        diagonal,
        deletes: totals(&x, |operand| request.prices.delete_all(operand)),
        inserts: totals(&y, |operand| request.prices.insert_all(operand)),
        filter: Filter::new(request, catalogue, work_time, &mut crew)?,
        ids: subtree_ids(x.trees, y.trees, request.prices, &mut crew)?,
    };
    let exact = Cell::new(0);
    let work = |scratch: &mut (Workspace, Memory), index: usize| {
        Ok((index, matrix.task(&plan.tasks[index], scratch, cancel)?))
    };
    let receive = |(index, (distances, computed)): (usize, (Vec<f64>, u64))| {
        let task = &plan.tasks[index];
        let mut distances = distances.into_iter();
        for row in task.rows.clone() {
            let i = plan.row_order[row];
            for (column, &j) in task.columns.clone().zip(&plan.column_order[task.columns.clone()]) {
                let distance = distances.next().unwrap_or(f64::INFINITY);
                if !matrix.wants(row, column) {
                    continue;
                }
                if all_differ && (!triangle || row != column) {
                    store(i, j, distance);
                    done.set(done.get() + 1);
                } else {
                    store_copies(&mut store, i, j, distance);
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
            cancel.check()?;
        }
    } else {
        let tasks = plan.tasks.len();
        parallel::for_each(threads, tasks, cancel, scratch, work, receive, || {
            poll.borrow_mut()(done.get())
        })?;
    }
    cancel.check()?;
    // The last word: all is done.
    let computed = Computed { pairs: done.get(), exact: exact.get() };
    if poll.into_inner()(done.get()) { Ok(computed) } else { Err(crate::Error::Cancelled) }
}

/// The mean number of nodes.
fn mean_nodes(trees: &[Prepared]) -> usize {
    trees.iter().map(Prepared::nodes).sum::<usize>() / trees.len().max(1)
}

fn totals(side: &Side<'_>, of: impl Fn(&Operand<'_>) -> i128) -> Vec<i128> {
    (0..side.trees.len()).map(|i| of(&side.operand(i))).collect()
}

/// Whether paths chosen for each subtree may pay for one pair, however many others it is with.
fn mixing_may_pay_alone(x: &Prepared, y: &Prepared) -> bool {
    let cells = SIDES.map(|side| {
        let (rows, columns) = (x.oriented(side), y.oriented(side));
        estimate(rows.row_work, columns.column_work)
            .min(estimate(columns.row_work, rows.column_work))
    });
    mixing_may_pay(x, least_row(y), cells[0].min(cells[1]))
}

/// One tree of each kind, on both sides.
#[derive(Debug, Clone, Copy)]
struct Kinds<'a> {
    rows: &'a [u32],
    columns: &'a [u32],
}

/// Whether some tree of a triangle, or one that occurs again, is not plainly at distance 0 from
/// itself, and that distance is wanted.
fn must_meet_themselves(request: &Request<'_>, copies: &Copies) -> bool {
    copies.distinct().iter().map(|&i| i as usize).any(|i| {
        let tree = request.x.operand(i);
        let wanted = request.diagonal || copies.has_copies(i);
        wanted && !request.prices.costs_nothing(&tree, &tree)
    })
}

/// Numbers of equal subtrees of the rows, on the side that most work is done on, if sharing what
/// they have in common may pay.
pub(crate) fn subtree_ids(
    rows: &[Prepared],
    columns: &[Prepared],
    prices: Prices<'_>,
    crew: &mut Crew<'_>,
) -> Result<Option<SubtreeIds>> {
    if rows.len() < 2 || columns.len() < SHARING_PAYS_OFF || matches!(prices, Prices::Vectors(_)) {
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

/// How one row tree meets the columns of a task.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way<'a> {
    /// Each column on its own best route: badly shaped trees.
    Alone,
    /// Each column along the rows, and the row tree as the column, on one side.
    Exchanged(usize),
    /// All columns together, on one side, sharing rows with other trees or not.
    Together(usize, Option<Shared<'a>>),
}

/// The columns of one task.
pub(crate) struct Batch<'a> {
    pub(crate) members: Vec<Operand<'a>>,
    /// [`Prepared::pattern`] of each, side by side.
    patterns: Vec<u64>,
    largest: usize,
    /// Lane codes, column work and row work, by orientation.
    codes: [Vec<u32>; 2],
    column_work: [u64; 2],
    row_work: [u64; 2],
    /// Sum of [`least_row`].
    least_rows: f64,
    tables: ColumnTables,
    /// Different from that of any other batch.
    number: u64,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(members: Vec<Operand<'a>>) -> Self {
        let sum = |of: fn(&crate::tree::Oriented) -> u64| {
            SIDES.map(|side| members.iter().map(|member| of(member.tree.oriented(side))).sum())
        };
        Self {
            patterns: members.iter().map(|member| member.tree.pattern()).collect(),
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
            least_rows: members.iter().map(|member| least_row(member.tree)).sum(),
            tables: ColumnTables::default(),
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

    /// Cells of one row with these members: of all members together, or of each alone.
    pub(crate) fn cells(&self, x: &Prepared, members: &[usize]) -> (f64, f64) {
        let alone = |&member: &usize| CALL + pair_work(x, self.members[member].tree);
        (CALL + self.route(x).2, members.iter().map(alone).sum())
    }

    /// Savings of one row with all members, or at least with those at some places. With the numbers of its subtrees in one orientation,
    /// rows are shared with other trees of the same set.
    fn row(
        &self,
        x: &Operand<'_>,
        ids: Option<(Orientation, &[u32])>,
        places: &[usize],
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        match self.way(x.tree, ids) {
            Way::Alone => self.single_pairs(x, places, pricing, workspace, cancel, out),
            Way::Exchanged(side) => {
                self.exchanged_row(x, side, places, pricing, workspace, cancel, out)
            }
            Way::Together(side, shared) => {
                let mut read = Whole(|member: usize, saving| out[member] = saving);
                self.together(x, side, shared, pricing, workspace, cancel, &mut read)
            }
        }
    }

    /// How a row is best computed.
    pub(crate) fn way<'i>(&self, x: &Prepared, ids: Option<(Orientation, &'i [u32])>) -> Way<'i> {
        let (side, exchanged, cells) = self.route(x);
        let mut trees = self.members.iter().map(|member| member.tree);
        if mixing_may_pay(x, self.least_rows, cells)
            && trees.any(|tree| mixing_may_pay_alone(x, tree))
        {
            return Way::Alone;
        }
        if exchanged {
            return Way::Exchanged(side);
        }
        match ids {
            Some((wanted, ids)) if self.direct(x, wanted as usize) <= SAME_SIDE * cells => {
                Way::Together(wanted as usize, Some(Shared { ids, columns: self.number }))
            }
            _ => Way::Together(side, None),
        }
    }

    /// Hands the savings of one row with all members to `read`, on one side.
    #[allow(clippy::too_many_arguments)] // a row, its way, its prices, the scratch
    pub(crate) fn together(
        &self,
        x: &Operand<'_>,
        side: usize,
        shared: Option<Shared<'_>>,
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        read: &mut impl Read,
    ) -> Result<()> {
        let group = Group {
            members: &self.members,
            orientation: SIDES[side],
            codes: &self.codes[side],
            largest: self.largest,
            keeper: Keeper::Batch(&self.tables),
        };
        let rows = Rows { operand: *x, shared };
        group_savings(&rows, &group, pricing, false, Kernel::Auto, workspace, cancel, read)
    }

    /// Savings of one row with some members, every pair on its own best route.
    fn single_pairs(
        &self,
        x: &Operand<'_>,
        places: &[usize],
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        for &place in places {
            let (member, out) = (self.members[place], &mut out[place]);
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
        places: &[usize],
        pricing: Pricing<'_>,
        workspace: &mut Workspace,
        cancel: &Cancel,
        out: &mut [i128],
    ) -> Result<()> {
        let mut codes = Vec::new();
        append_codes(x, x.tree.oriented(SIDES[side]), &mut codes);
        let tables = ColumnTables::default();
        let group = Group {
            members: &[*x],
            orientation: SIDES[side],
            codes: &codes,
            largest: x.tree.nodes(),
            keeper: Keeper::Batch(&tables),
        };
        for &place in places {
            let (member, out) = (self.members[place], &mut out[place]);
            let mut read = Whole(|_, saving| *out = saving);
            group_savings(
                &member.into(),
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
