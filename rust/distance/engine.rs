//! From two prepared trees to a distance: choice of orientation, roles and kernel.

use crate::distance::run::GroupRun;
use crate::distance::savings::{Read, Whole};
use crate::distance::sharing::Shared;
use crate::distance::strategy::{self, best_route};
use crate::distance::tables::{Keeper, LARGEST_TABLES, TablesOf};
use crate::distance::workspace::{BuffersOf, Scratch, Workspace};
use crate::distance::{inner, profile};
use crate::error::Result;
use crate::pair::{Costs, Operand, Pair};
use crate::simd::{Family, InStoredLanes, Instructions, Lanes, Simd, in_stored_lanes};
use crate::tree::{Orientation, Prepared};

/// Which kernel may be used. All give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// The fastest that the machine and the pair allow.
    Auto,
    /// One cell at a time.
    Scalar,
    /// The vector kernel, where the machine and the pair allow it, however small the pair.
    Packed,
    /// The same with these instructions, and with these lanes or the narrowest wider ones that the
    /// pair needs.
    Exactly(Instructions, Lanes),
}

impl Kernel {
    /// The lanes for pairs whose smaller tree has that many nodes, if any serve them.
    pub(crate) fn lanes(self, costs: Costs<'_>, smaller: usize) -> Option<Lanes> {
        let narrowest = Lanes::narrowest(costs, smaller)?;
        match self {
            Kernel::Exactly(_, wanted) => Some(narrowest.max(wanted)),
            Kernel::Auto | Kernel::Scalar | Kernel::Packed => Some(narrowest),
        }
    }

    /// Whether the lanes are given.
    fn is_exact(self) -> bool {
        matches!(self, Kernel::Exactly(..))
    }

    /// Whether these instructions may be used.
    pub(crate) fn may_use(self, instructions: Instructions) -> bool {
        match self {
            Kernel::Auto | Kernel::Packed => true,
            Kernel::Scalar => false,
            Kernel::Exactly(wanted, _) => wanted == instructions,
        }
    }
}

/// Along which paths a pair is decomposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decomposition {
    /// Left or right paths in both trees.
    Outer(Orientation),
    /// Left, right and inner paths, the best for each subtree of the row tree (see `inner/`).
    Mixed,
    /// Inner paths only; for tests.
    Inner,
}

/// How a pair is decomposed. All routes give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The paths.
    pub decomposition: Decomposition,
    /// Whether the second tree lies along the rows.
    pub swapped: bool,
}

impl Route {
    /// The order of the nodes in which savings are found.
    pub(crate) fn orientation(self) -> Orientation {
        match self.decomposition {
            Decomposition::Outer(orientation) => orientation,
            Decomposition::Mixed | Decomposition::Inner => Orientation::Left,
        }
    }
}

/// Below this much work (cells) a pair whose column tables are not there yet is left to the
/// scalar kernel: building the tables would take longer.
const TABLES_PAY_OFF: f64 = 1200.0;
/// A small tree that has been a column this often will be one again: its tables are built.
const OFTEN: u32 = 8;
/// The tree along the rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowTree<'a> {
    pub(crate) operand: Operand<'a>,
    /// What it has in common with other trees that meet the same columns.
    pub(crate) shared: Option<Shared<'a>>,
}

impl<'a> From<Operand<'a>> for RowTree<'a> {
    fn from(operand: Operand<'a>) -> Self {
        Self { operand, shared: None }
    }
}

/// Column trees that are computed together, in one orientation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) members: &'a [Operand<'a>],
    pub(crate) orientation: Orientation,
    /// Label codes of all lanes; see [`profile::pad_codes`].
    pub(crate) codes: &'a [u32],
    /// Nodes of the largest member.
    pub(crate) largest: usize,
    pub(crate) keeper: Keeper<'a>,
}

/// Estimated cells of rows and columns with that much work.
pub(crate) fn estimate(row_work: u64, column_work: u64) -> f64 {
    // The constant stands for the overhead of a row, which counts when columns are few.
    row_work as f64 * (column_work + 16) as f64
}

/// The kernel for one pair on that route, with that much work.
pub(crate) fn small_pair_kernel(pair: &Pair<'_>, route: Route, cells: f64) -> Kernel {
    let columns = if route.swapped { pair.x.tree } else { pair.y.tree };
    let small = cells < TABLES_PAY_OFF && uses_as_columns(columns) < OFTEN;
    if small { Kernel::Scalar } else { Kernel::Auto }
}

/// How often a tree that is about to be a column was one before, up to [`OFTEN`].
pub(crate) fn uses_as_columns(columns: &Prepared) -> u32 {
    columns.slot().count_use(OFTEN)
}

/// What is known of a pair before it is computed: whether its distance is plainly 0, and
/// otherwise its route and its estimated work. Made once per pair and handed down.
#[derive(Debug, Clone, Copy)]
pub struct PairPlan {
    /// `None` if the distance is plainly 0.
    route: Option<Route>,
    cells: f64,
}

impl PairPlan {
    /// Looks at a pair.
    #[inline]
    pub fn new(pair: &Pair<'_>) -> Self {
        if pair.costs_nothing() { Self { route: None, cells: 0.0 } } else { Self::of_unequal(pair) }
    }

    /// The plan of a pair whose distance is not plainly 0.
    #[inline]
    pub(crate) fn of_unequal(pair: &Pair<'_>) -> Self {
        let (route, cells) = best_route(pair.x.tree, pair.y.tree, pair.costs);
        Self { route: Some(route), cells }
    }

    /// Estimated cells; proportional to the time of the pair.
    pub fn cells(&self) -> f64 {
        self.cells
    }

    /// The side of the paths of both trees, and whether the second tree lies along the rows; `None` if
    /// the distance is plainly 0, or if the paths are others.
    pub(crate) fn outer(&self) -> Option<(Orientation, bool)> {
        let Route { decomposition, swapped } = self.route?;
        match decomposition {
            Decomposition::Outer(orientation) => Some((orientation, swapped)),
            Decomposition::Mixed | Decomposition::Inner => None,
        }
    }

    /// Whether the distance is plainly 0.
    pub(crate) fn is_free(&self) -> bool {
        self.route.is_none()
    }
}

/// The edit distance of a pair.
///
/// # Errors
/// [`crate::Error::Memory`] if the pair does not fit, [`crate::Error::Cancelled`] if asked to stop.
pub fn distance(pair: &Pair<'_>, scratch: &mut Scratch<'_>) -> Result<f64> {
    planned_distance(pair, &PairPlan::new(pair), scratch)
}

/// The same by the plan of the pair.
///
/// # Errors
/// As [`distance`].
pub fn planned_distance(
    pair: &Pair<'_>,
    plan: &PairPlan,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    let Some(route) = plan.route else { return Ok(0.0) };
    let kernel = small_pair_kernel(pair, route, plan.cells);
    distance_by(pair, kernel, route, scratch)
}

/// The edit distance by a chosen kernel and route; for tests and measurements.
///
/// # Errors
/// As [`distance`].
pub fn distance_by(
    pair: &Pair<'_>,
    kernel: Kernel,
    route: Route,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    let mut saving = 0;
    let mut read = Whole(|_, whole| saving = whole);
    with_savings(pair, kernel, route, scratch, &mut read)?;
    Ok(pair.costs.total(pair.nothing_saved() - saving))
}

/// Runs one pair and hands its savings to `read`.
pub(crate) fn with_savings(
    pair: &Pair<'_>,
    kernel: Kernel,
    route: Route,
    scratch: &mut Scratch<'_>,
    read: &mut impl Read,
) -> Result<()> {
    let Pair { x, y, costs } = *pair;
    let Scratch { workspace, cancel } = scratch;
    let transposed = route.swapped;
    let (rows, columns) = if transposed { (y, x) } else { (x, y) };
    let Decomposition::Outer(orientation) = route.decomposition else {
        let only_inner = route.decomposition == Decomposition::Inner;
        let plan = &strategy::plan(rows.tree, columns.tree, costs, only_inner);
        let (rows, columns, threads) = (&rows, &columns, workspace.threads_for(plan.cost));
        let run = inner::MixedRun { rows, columns, plan, costs, transposed, threads, cancel };
        return run.savings(kernel, read);
    };
    let mut codes = std::mem::take(&mut workspace.codes);
    codes.clear();
    let tree = columns.tree.oriented(orientation);
    profile::append_codes(&columns, tree, &mut codes);
    profile::pad_codes(&mut codes);
    let group = Group {
        members: &[columns],
        orientation,
        codes: &codes,
        largest: columns.tree.nodes(),
        keeper: Keeper::Tree(columns.tree),
    };
    let cells = strategy::work(rows.tree.oriented(orientation), tree);
    let threads = workspace.threads_for(cells);
    let rows = &rows.into();
    let run = GroupRun { rows, group: &group, costs, transposed, threads, cancel };
    let result = run.savings(kernel, workspace, read);
    workspace.codes = codes;
    workspace.shrink(pair.nodes());
    result
}

impl GroupRun<'_> {
    /// Hands the largest savings of the row tree with every member of the group to `read`.
    pub(crate) fn savings(
        &self,
        kernel: Kernel,
        workspace: &mut Workspace,
        read: &mut impl Read,
    ) -> Result<()> {
        let Self { rows, group, costs, .. } = *self;
        let members = group.members.iter();
        let cells_of_a_row: u64 =
            members.map(|member| member.tree.oriented(group.orientation).column_work).sum();
        let kernel = if cells_of_a_row > LARGEST_TABLES { Kernel::Scalar } else { kernel };
        let smaller = rows.operand.tree.nodes().min(group.largest);
        let most = costs.largest_saving().saturating_mul(smaller as i128);
        if kernel != Kernel::Scalar
            && let Some(sure) = kernel.lanes(costs, smaller)
        {
            let Workspace { packed, hopes, .. } = workspace;
            // A single saving always fits, so that no number is cut off but by a sum.
            let fits = |lanes: &Lanes| !kernel.is_exact() && costs.largest_saving() <= lanes.most();
            let hoped = hopes.narrower(sure, most).filter(fits);
            for lanes in hoped.into_iter().chain([sure]) {
                let limit = (lanes != sure).then_some(lanes.most());
                let visitor = Packed { run: self, read, limit };
                let bytes = group.codes.len() as u64 * lanes.bytes();
                let may_use = |instructions: Instructions| {
                    kernel.may_use(instructions)
                        && (kernel.is_exact() || !instructions.is_too_wide(bytes))
                };
                let result = group
                    .keeper
                    .with_tables(|tables| in_stored_lanes(lanes, may_use, tables, packed, visitor));
                let Ok(result) = result else { break };
                let found = result?;
                hopes.learn(found, most);
                if limit.is_none_or(|limit| found < limit) {
                    return Ok(());
                }
            }
        }
        // Savings are small where all that counts of labels is whether they are equal.
        match costs {
            _ if costs.is_wide() || most > i64::MAX.into() => {
                self.scalar(&mut workspace.wide, read)
            }
            Costs::Unit | Costs::Operations(_) if most <= u32::MAX.into() => {
                self.scalar(&mut workspace.counts, read)
            }
            _ => self.scalar(&mut workspace.quanta, read),
        }
    }
}

/// A call of the packed kernel, before its lanes are chosen.
struct Packed<'a, R> {
    run: &'a GroupRun<'a>,
    read: &'a mut R,
    /// The number at which sums stop, if they may.
    limit: Option<i128>,
}

impl<R: Read> InStoredLanes<TablesOf, BuffersOf> for Packed<'_, R> {
    type Output = Result<i128>;

    #[inline(always)]
    fn run<S: Simd>(
        self,
        simd: S,
        tables: &<TablesOf as Family>::Of<S>,
        buffers: &mut <BuffersOf as Family>::Of<S>,
    ) -> Result<i128> {
        self.run.packed(simd, tables, buffers, self.read, self.limit)
    }
}
