//! One task: a batch of columns against a range of rows, row by row.

use super::MatrixRequest;
use super::batch::{Batch, BatchRow, subtree_ids};
use super::filter::{Filter, FilterMemory};
use super::plan::{Plan, Task};
use crate::distance::{
    Catalogue, PairPlan, Scratch, Workspace, cell_time, distance_in_band, distance_up_to,
};
use crate::error::Result;
use crate::pair::{Costs, LocalLabels, Measure, Measures, Operand, Pair, SetCosts, Side};
use crate::parallel::{Cancel, Crew};
use crate::tree::SubtreeIds;

/// All that the tasks of a matrix share.
pub(super) struct Matrix<'a> {
    pub(super) request: &'a MatrixRequest<'a>,
    pub(super) plan: &'a Plan,
    diagonal: bool,
    /// What deleting all of a tree of x, inserting all of a tree of y costs.
    deletes: Vec<i128>,
    inserts: Vec<i128>,
    measures: Measures<'a>,
    filter: Option<Filter<'a>>,
    /// Numbers of equal subtrees of the trees of x, if rows are shared between them.
    ids: Option<SubtreeIds>,
}

fn totals(side: &Side<'_>, of: impl Fn(&Operand<'_>) -> i128) -> Vec<i128> {
    (0..side.trees.len()).map(|i| of(&side.operand(i))).collect()
}

impl<'a> Matrix<'a> {
    /// Prepares what the tasks share. `work` is the time of all distances.
    pub(super) fn new(
        request: &'a MatrixRequest<'a>,
        plan: &'a Plan,
        diagonal: bool,
        (catalogue, work): (Option<&Catalogue>, f64),
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        let MatrixRequest { x, y, costs, norm, .. } = *request;
        Ok(Self {
            request,
            plan,
            diagonal,
            deletes: totals(&x, |operand| costs.delete_all(operand)),
            inserts: totals(&y, |operand| costs.insert_all(operand)),
            measures: Measures::new(costs, norm),
            filter: Filter::new(request, catalogue, work, crew)?,
            ids: subtree_ids(x.trees, y.trees, costs, crew)?,
        })
    }

    /// How the result of tree `i` of x and tree `j` of y is made from their distance.
    #[inline]
    fn measure(&self, i: usize, j: usize) -> Measure {
        let nodes = (self.request.x.trees[i].nodes(), self.request.y.trees[j].nodes());
        self.measures.of_pair(nodes, || self.deletes[i] + self.inserts[j])
    }

    /// Whether a pair is asked for: within a batch of the triangle (a, b) and (b, a) turn up.
    pub(super) fn wants(&self, row: usize, column: usize) -> bool {
        !self.request.triangle || row < column || (row == column && self.diagonal)
    }

    /// Distances of all rows of a task to all its columns, row by row, those above the cutoff
    /// infinite; and how many of those that are wanted were computed.
    pub(super) fn task(
        &self,
        task: &Task,
        scratch: &mut (Workspace, FilterMemory),
        cancel: &Cancel,
    ) -> Result<(Vec<f64>, u64)> {
        let MatrixRequest { x, y, costs, .. } = *self.request;
        let columns = &self.plan.column_order[task.columns.clone()];
        let members =
            |codes| columns.iter().map(|&j| Operand { tree: &y.trees[j], codes }).collect();
        let mut distances = vec![f64::INFINITY; task.rows.len() * columns.len()];
        let out = task.rows.clone().zip(distances.chunks_exact_mut(columns.len()));
        let mut row = TaskRow::new(self, task);
        let (workspace, memory) = scratch;
        let scratch = &mut Scratch { workspace, cancel };
        match costs {
            SetCosts::Fixed(costs) => {
                let batch = Batch::new(members(y.codes));
                for (position, out) in out {
                    if row.begin(position, &batch, memory, out) {
                        row.fill((x.operand(row.i), costs), &batch, scratch, out)?;
                    }
                }
            }
            SetCosts::Meeting(meeting) => {
                let targets =
                    LocalLabels::new(meeting, columns.iter().map(|&j| &y.trees[j]), y.codes);
                let batch = Batch::new(members(Some(&targets.codes)));
                for (position, out) in out {
                    if row.begin(position, &batch, memory, out) {
                        let tree = &x.trees[row.i];
                        let source = LocalLabels::new(meeting, std::iter::once(tree), x.codes);
                        let table = source.table(meeting, &targets);
                        let tree = Operand { tree, codes: Some(&source.codes) };
                        let costs = Costs::Table(&table);
                        row.fill((tree, costs), &batch, scratch, out)?;
                    }
                }
            }
        }
        Ok((distances, row.exact))
    }
}

/// The rows of a task, one after the other.
struct TaskRow<'a> {
    matrix: &'a Matrix<'a>,
    task: &'a Task,
    /// The trees of the columns.
    columns: &'a [usize],
    /// The tree of the row.
    i: usize,
    wanted: usize,
    /// The columns, by place in the task, that are wanted and may be within the cutoff.
    kept: Vec<usize>,
    /// Whether these are computed one by one.
    alone: bool,
    savings: Vec<i128>,
    /// Wanted distances that were computed, in all rows.
    exact: u64,
}

impl<'a> TaskRow<'a> {
    fn new(matrix: &'a Matrix<'a>, task: &'a Task) -> Self {
        let columns = &matrix.plan.column_order[task.columns.clone()];
        let (kept, savings) = (Vec::new(), vec![0; columns.len()]);
        Self { matrix, task, columns, i: 0, wanted: 0, kept, alone: false, savings, exact: 0 }
    }

    /// Finds the columns of the next row that may be within the cutoff and are not plainly at
    /// distance 0; whether there are any.
    fn begin(
        &mut self,
        position: usize,
        batch: &Batch<'_>,
        memory: &mut FilterMemory,
        out: &mut [f64],
    ) -> bool {
        let Matrix { request, plan, filter, .. } = self.matrix;
        self.i = plan.row_order[position];
        let MatrixRequest { x, y, costs, .. } = *request;
        let (i, columns) = (self.i, self.columns);
        let pattern = x.trees[i].pattern();
        self.kept.clear();
        for (place, &other) in batch.patterns.iter().enumerate() {
            if !self.matrix.wants(position, self.task.columns.start + place) {
                continue;
            }
            let is_free = || costs.costs_nothing(&x.operand(i), &y.operand(columns[place]));
            if pattern == other && is_free() {
                out[place] = 0.0;
            } else {
                self.kept.push(place);
            }
        }
        self.wanted = self.kept.len();
        if let Some(filter) = filter {
            let x = &x.trees[i];
            let together = batch.row_cells(x);
            // All members together are cheaper than one by one.
            let all = batch.members.len();
            let cells = |places: &[usize]| {
                if places.len() == all { together } else { batch.single_cells(x, places) }
            };
            let cell = cell_time(*costs, x.nodes().min(batch.largest));
            let time = |places: &[usize]| cell * together.min(cells(places));
            let tree = |place: usize| columns[place];
            let matrix = self.matrix;
            let plain = matrix.measures.is_plain();
            let measure = |j: usize| if plain { None } else { Some(matrix.measure(i, j)) };
            filter.retain((i, measure), &mut self.kept, tree, time, memory);
            self.alone = cells(&self.kept) < together;
        }
        !self.kept.is_empty()
    }

    /// Computes the distances of the kept columns.
    fn fill(
        &mut self,
        (x, costs): (Operand<'_>, Costs<'_>),
        batch: &Batch<'_>,
        scratch: &mut Scratch<'_>,
        out: &mut [f64],
    ) -> Result<()> {
        let Matrix { request, deletes, inserts, filter, ids, .. } = self.matrix;
        let cutoff = request.cutoff.unwrap_or(f64::INFINITY);
        let cut = |result: f64| if result > cutoff { f64::INFINITY } else { result };
        let measure = |place: usize| self.matrix.measure(self.i, self.columns[place]);
        // A large tree is the only member of its batch: it may profit from a band.
        if let ([y], [0], Some(filter)) = (&batch.members[..], &self.kept[..], filter) {
            let pair = Pair { x, y: *y, costs };
            let plan = PairPlan::of_unequal(&pair);
            let limit = filter.limit_of(measure(0));
            if let Some(found) = distance_in_band(&pair, &plan, limit, scratch.cancel)? {
                out[0] = measure(0).of(found);
                self.exact += 1;
                return Ok(());
            }
        }
        if let Some(filter) = filter
            && self.alone
        {
            for &place in &self.kept {
                let pair = Pair { x, y: batch.members[place], costs };
                let plan = PairPlan::of_unequal(&pair);
                let limit = filter.limit_of(measure(place));
                out[place] = measure(place).of(distance_up_to(&pair, &plan, limit, scratch)?);
            }
            self.exact += self.kept.len() as u64;
            return Ok(());
        }
        let ids = ids.as_ref().map(|ids| (ids.orientation(), ids.of(self.i)));
        let row = BatchRow { x, costs, ids };
        batch.row(&row, &self.kept, scratch, &mut self.savings)?;
        for &place in &self.kept {
            let all = deletes[self.i] + inserts[self.columns[place]];
            out[place] = cut(measure(place).of(request.costs.total(all - self.savings[place])));
        }
        self.exact += self.wanted as u64;
        Ok(())
    }
}
