//! Distances from one query to the candidates that no bound rules out.

use crate::distance::{
    Group, GroupRun, Keeper, Kernel, PairPlan, RowTree, Scratch, Shared, Whole, append_codes,
    estimate, planned_distance,
};
use crate::error::Result;
use crate::pair::{Costs, LocalLabels, Operand, Pair, SetCosts};
use crate::pairwise::batch::{BATCHES, BRIEF_NODES, SHARING_PAYS_OFF, better_side};
use crate::pairwise::search::Search;
use crate::parallel::Crew;
use crate::tree::{Orientation, Prepared, SubtreeIds};
use std::sync::atomic::Ordering;

/// How many times more a pair may cost on the side on which rows are shared.
const SAME_SIDE: f64 = 1.75;

/// Numbers for the subtrees of all candidates. The query lies along the columns; then a subtree
/// that two candidates have in common is compared with it once.
#[derive(Debug)]
pub(crate) enum Shares<'a> {
    /// Made for this call.
    Own(SubtreeIds),
    /// Those of an index.
    Kept(&'a SubtreeIds),
}

impl<'a> Shares<'a> {
    /// `None` if sharing is not likely to pay.
    pub(crate) fn new(search: &Search<'a>, crew: &mut Crew<'_>) -> Result<Option<Self>> {
        if let Some(index) = search.index {
            return Ok(index.ids.as_ref().map(Self::Kept));
        }
        // To number the candidates for a few queries takes longer than these.
        if search.x.trees.len() < SHARING_PAYS_OFF {
            return Ok(None);
        }
        Ok(number(search.y.trees, search.x.trees, search.costs, crew)?.map(Self::Own))
    }

    fn ids(&self) -> &SubtreeIds {
        match self {
            Self::Own(ids) => ids,
            Self::Kept(ids) => ids,
        }
    }
}

/// Numbers the subtrees of candidates that lie along the rows of such queries.
pub(super) fn number(
    candidates: &[Prepared],
    queries: &[Prepared],
    costs: SetCosts<'_>,
    crew: &mut Crew<'_>,
) -> Result<Option<SubtreeIds>> {
    if candidates.len() < SHARING_PAYS_OFF || matches!(costs, SetCosts::Meeting(_)) {
        return Ok(None);
    }
    let side = better_side(candidates, queries);
    let nodes: usize = candidates.iter().map(Prepared::nodes).sum();
    let cancel = crew.cancel.clone();
    crew.one(nodes < BRIEF_NODES, || SubtreeIds::new(candidates, side, &cancel)).map(Some)
}

/// Distances from one query.
pub(crate) struct Exact<'a> {
    pub(super) query: usize,
    search: &'a Search<'a>,
    /// The labels of the query, if costs are computed for labels that meet.
    labels: Option<LocalLabels>,
    shared: Option<Column<'a>>,
}

/// The query as the one column of a batch, on the side on which rows are shared.
struct Column<'a> {
    ids: &'a SubtreeIds,
    side: Orientation,
    codes: Vec<u32>,
    /// Different from that of any other query.
    number: u64,
    /// What deleting the query costs.
    delete: i128,
}

impl<'a> Exact<'a> {
    pub(crate) fn new(
        search: &'a Search<'a>,
        query: usize,
        shares: Option<&'a Shares<'a>>,
    ) -> Self {
        let x = search.x.operand(query);
        let (mut labels, mut shared) = (None, None);
        match search.costs {
            SetCosts::Meeting(meeting) => {
                labels = Some(LocalLabels::new(meeting, std::iter::once(x.tree), x.codes));
            }
            SetCosts::Fixed(costs) => {
                shared = shares.map(|shares| {
                    let ids = shares.ids();
                    let side = ids.orientation();
                    let mut codes = Vec::new();
                    append_codes(&x, x.tree.oriented(side), &mut codes);
                    let number = BATCHES.fetch_add(1, Ordering::Relaxed);
                    Column { ids, side, codes, number, delete: costs.delete_all(&x) }
                });
            }
        }
        Self { query, search, labels, shared }
    }

    /// The distance to a candidate.
    pub(crate) fn to(&self, j: usize, scratch: &mut Scratch<'_>) -> Result<f64> {
        let (x, y) = (self.search.x.operand(self.query), self.search.y.operand(j));
        if self.search.costs.costs_nothing(&x, &y) {
            return Ok(0.0);
        }
        match (self.search.costs, &self.labels) {
            (SetCosts::Meeting(meeting), Some(source)) => {
                let target = LocalLabels::new(meeting, std::iter::once(y.tree), y.codes);
                let table = source.table_for_one(meeting, &target);
                let x = Operand { tree: x.tree, codes: Some(&source.codes) };
                let y = Operand { tree: y.tree, codes: Some(&target.codes) };
                let pair = Pair { x, y, costs: Costs::Table(&table) };
                planned_distance(&pair, &PairPlan::of_unequal(&pair), scratch)
            }
            (SetCosts::Fixed(costs), _) => {
                let pair = Pair { x, y, costs };
                let plan = PairPlan::of_unequal(&pair);
                match &self.shared {
                    Some(column) if column.pays(&pair, plan.cells()) => {
                        column.distance(&pair, j, scratch)
                    }
                    _ => planned_distance(&pair, &plan, scratch),
                }
            }
            (SetCosts::Meeting(_), None) => Ok(f64::NAN), // `new` has made the labels
        }
    }
}

impl Column<'_> {
    /// Whether the pair is about as cheap with the query along the columns, on the shared side;
    /// `cells` are those of its best route.
    fn pays(&self, pair: &Pair<'_>, cells: f64) -> bool {
        let (columns, rows) = (pair.x.tree.oriented(self.side), pair.y.tree.oriented(self.side));
        estimate(rows.row_work, columns.column_work) <= SAME_SIDE * cells
    }

    fn distance(&self, pair: &Pair<'_>, j: usize, scratch: &mut Scratch<'_>) -> Result<f64> {
        let Pair { x, y, costs } = *pair;
        let shared = Some(Shared { ids: self.ids.of(j), columns: self.number });
        let rows = RowTree { operand: y, shared };
        let group = Group {
            members: &[x],
            orientation: self.side,
            codes: &self.codes,
            largest: x.tree.nodes(),
            keeper: Keeper::Tree(x.tree),
        };
        let mut saving = 0;
        let mut read = Whole(|_, whole| saving = whole);
        let cancel = scratch.cancel;
        let run =
            GroupRun { rows: &rows, group: &group, costs, transposed: true, threads: 1, cancel };
        run.savings(Kernel::Auto, scratch.workspace, &mut read)?;
        Ok(costs.total(self.delete + costs.insert_all(&y) - saving))
    }
}
