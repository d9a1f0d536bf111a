//! The columns of one task, computed together, and what their rows share.

use crate::distance::{
    ColumnTables, Group, GroupRun, Keeper, Kernel, Read, RowTree, Scratch, Shared, Whole,
    append_codes, best_route, estimate, least_row, mixing_may_pay, mixing_may_pay_alone, pad_codes,
    pair_work, with_savings,
};
use crate::error::Result;
use crate::pair::{Costs, Operand, Pair, SetCosts};
use crate::parallel::Crew;
use crate::tree::{Orientation, Oriented, Prepared, SubtreeIds};
use std::sync::atomic::{AtomicU64, Ordering};

/// Trees with fewer nodes in sum are prepared within milliseconds.
pub(super) const BRIEF_NODES: usize = 100_000;
/// How many times cheaper exchanged roles must be before a batch is given up for them.
const EXCHANGE_PAYS_OFF: f64 = 1.5;
/// From this many columns on, rows are shared between the trees along them.
pub(super) const SHARING_PAYS_OFF: usize = 8;
/// How many times more a row may cost on the side on which rows are shared.
const SAME_SIDE: f64 = 1.25;
/// Numbers the batches; 0 is none.
pub(super) static BATCHES: AtomicU64 = AtomicU64::new(1);
/// What calling the kernel costs, in cells.
const CALL: f64 = 2000.0;

/// Whether paths chosen for each subtree may pay for one pair, however many others it is with.
fn is_better_alone(x: &Prepared, y: &Prepared) -> bool {
    let cells = Orientation::BOTH.map(|side| {
        let (rows, columns) = (x.oriented(side), y.oriented(side));
        estimate(rows.row_work, columns.column_work)
            .min(estimate(columns.row_work, rows.column_work))
    });
    mixing_may_pay_alone(x, y, cells[0].min(cells[1]))
}

/// Numbers of equal subtrees of the rows, on the side that most work is done on, if sharing what
/// they have in common may pay.
pub(super) fn subtree_ids(
    rows: &[Prepared],
    columns: &[Prepared],
    costs: SetCosts<'_>,
    crew: &mut Crew<'_>,
) -> Result<Option<SubtreeIds>> {
    if rows.len() < 2 || columns.len() < SHARING_PAYS_OFF || matches!(costs, SetCosts::Meeting(_)) {
        return Ok(None);
    }
    let side = better_side(rows, columns);
    let nodes: usize = rows.iter().map(Prepared::nodes).sum();
    let cancel = crew.cancel.clone();
    crew.one(nodes < BRIEF_NODES, || SubtreeIds::new(rows, side, &cancel)).map(Some)
}

/// The side on which rows and columns are less work.
pub(super) fn better_side(rows: &[Prepared], columns: &[Prepared]) -> Orientation {
    let sum = |trees: &[Prepared], of: &dyn Fn(&Prepared) -> u64| {
        trees.iter().map(|tree| of(tree) as f64).sum::<f64>()
    };
    let work = Orientation::BOTH.map(|side| {
        sum(rows, &|tree| tree.oriented(side).row_work)
            * sum(columns, &|tree| tree.oriented(side).column_work)
    });
    if work[1] < work[0] { Orientation::Right } else { Orientation::Left }
}

/// How one row tree meets the columns of a task.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    /// Each column on its own best route: badly shaped trees.
    Alone,
    /// Each column along the rows, and the row tree as the column, on one side.
    Exchanged(usize),
    /// All columns together, on one side, sharing rows with other trees or not.
    Together(usize, Option<Shared<'a>>),
}

/// A row tree that meets the columns of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchRow<'a> {
    pub(super) x: Operand<'a>,
    /// What edits between the row tree and the columns cost.
    pub(super) costs: Costs<'a>,
    /// Numbers of its subtrees in one orientation, if rows are shared with other trees of the set.
    pub(super) ids: Option<(Orientation, &'a [u32])>,
}

/// The columns of one task.
pub(super) struct Batch<'a> {
    pub(super) members: Vec<Operand<'a>>,
    /// [`Prepared::pattern`] of each, side by side.
    pub(super) patterns: Vec<u64>,
    pub(super) largest: usize,
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
    pub(super) fn new(members: Vec<Operand<'a>>) -> Self {
        let sum = |of: fn(&Oriented) -> u64| {
            Orientation::BOTH
                .map(|side| members.iter().map(|member| of(member.tree.oriented(side))).sum())
        };
        Self {
            patterns: members.iter().map(|member| member.tree.pattern()).collect(),
            largest: members.iter().map(|member| member.tree.nodes()).max().unwrap_or(0),
            codes: Orientation::BOTH.map(|side| {
                let mut codes = Vec::new();
                for member in &members {
                    append_codes(member, member.tree.oriented(side), &mut codes);
                }
                pad_codes(&mut codes);
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
        estimate(x.oriented(Orientation::BOTH[side]).row_work, self.column_work[side])
    }

    /// On which side a row is best computed, whether with exchanged roles, and its cells.
    fn route(&self, x: &Prepared) -> (usize, bool, f64) {
        let direct = |side| self.direct(x, side);
        let exchanged = |side: usize| {
            estimate(self.row_work[side], x.oriented(Orientation::BOTH[side]).column_work)
        };
        let better = |cost: &dyn Fn(usize) -> f64| usize::from(cost(1) < cost(0));
        let (side, other) = (better(&direct), better(&exchanged));
        if exchanged(other) * EXCHANGE_PAYS_OFF < direct(side) {
            (other, true, exchanged(other))
        } else {
            (side, false, direct(side))
        }
    }

    /// Cells of one row with all members together.
    pub(super) fn row_cells(&self, x: &Prepared) -> f64 {
        CALL + self.route(x).2
    }

    /// Cells of one row with some members, each alone.
    pub(super) fn single_cells(&self, x: &Prepared, members: &[usize]) -> f64 {
        // These are small, and their best routes need not be known.
        let side = usize::from(self.direct(x, 1) < self.direct(x, 0));
        let row_work = x.oriented(Orientation::BOTH[side]).row_work;
        let column_work = |&member: &usize| {
            self.members[member].tree.oriented(Orientation::BOTH[side]).column_work
        };
        let cells: f64 = members.iter().map(|m| estimate(row_work, column_work(m))).sum();
        members.len() as f64 * CALL + cells
    }

    /// Cells of one row with these members: of all members together, or of each alone.
    pub(super) fn cells(&self, x: &Prepared, members: &[usize]) -> (f64, f64) {
        let alone = |&member: &usize| CALL + pair_work(x, self.members[member].tree);
        (CALL + self.route(x).2, members.iter().map(alone).sum())
    }

    /// Savings of one row with all members, or at least with those at some places.
    pub(super) fn row(
        &self,
        row: &BatchRow<'_>,
        places: &[usize],
        scratch: &mut Scratch<'_>,
        out: &mut [i128],
    ) -> Result<()> {
        match self.way(row.x.tree, row.ids) {
            Way::Alone => self.single_pairs(row, places, scratch, out),
            Way::Exchanged(side) => self.exchanged_row(row, side, places, scratch, out),
            Way::Together(side, shared) => {
                let mut read = Whole(|member: usize, saving| out[member] = saving);
                self.together(row, side, shared, scratch, &mut read)
            }
        }
    }

    /// How a row is best computed.
    pub(super) fn way<'i>(&self, x: &Prepared, ids: Option<(Orientation, &'i [u32])>) -> Way<'i> {
        let (side, exchanged, cells) = self.route(x);
        let mut trees = self.members.iter().map(|member| member.tree);
        if mixing_may_pay(x, self.least_rows, cells) && trees.any(|tree| is_better_alone(x, tree)) {
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
    pub(super) fn together(
        &self,
        row: &BatchRow<'_>,
        side: usize,
        shared: Option<Shared<'_>>,
        scratch: &mut Scratch<'_>,
        read: &mut impl Read,
    ) -> Result<()> {
        let group = Group {
            members: &self.members,
            orientation: Orientation::BOTH[side],
            codes: &self.codes[side],
            largest: self.largest,
            keeper: Keeper::Batch(&self.tables),
        };
        let rows = RowTree { operand: row.x, shared };
        let (costs, cancel) = (row.costs, scratch.cancel);
        let run =
            GroupRun { rows: &rows, group: &group, costs, transposed: false, threads: 1, cancel };
        run.savings(Kernel::Auto, scratch.workspace, read)
    }

    /// Savings of one row with some members, every pair on its own best route.
    fn single_pairs(
        &self,
        row: &BatchRow<'_>,
        places: &[usize],
        scratch: &mut Scratch<'_>,
        out: &mut [i128],
    ) -> Result<()> {
        for &place in places {
            let (y, out) = (self.members[place], &mut out[place]);
            let pair = Pair { x: row.x, y, costs: row.costs };
            let (route, _) = best_route(row.x.tree, y.tree, row.costs);
            let mut read = Whole(|_, saving| *out = saving);
            with_savings(&pair, Kernel::Auto, route, scratch, &mut read)?;
        }
        Ok(())
    }

    /// The same with the members along the rows and the row tree as the column.
    fn exchanged_row(
        &self,
        row: &BatchRow<'_>,
        side: usize,
        places: &[usize],
        scratch: &mut Scratch<'_>,
        out: &mut [i128],
    ) -> Result<()> {
        let BatchRow { x, costs, .. } = *row;
        let orientation = Orientation::BOTH[side];
        let mut codes = Vec::new();
        append_codes(&x, x.tree.oriented(orientation), &mut codes);
        let tables = ColumnTables::default();
        let group = Group {
            members: &[x],
            orientation,
            codes: &codes,
            largest: x.tree.nodes(),
            keeper: Keeper::Batch(&tables),
        };
        for &place in places {
            let (member, out) = (self.members[place], &mut out[place]);
            let mut read = Whole(|_, saving| *out = saving);
            let (rows, cancel) = (member.into(), scratch.cancel);
            let run = GroupRun {
                rows: &rows,
                group: &group,
                costs,
                transposed: true,
                threads: 1,
                cancel,
            };
            run.savings(Kernel::Auto, scratch.workspace, &mut read)?;
        }
        Ok(())
    }
}
