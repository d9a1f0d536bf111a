//! One task: some rows against a batch of columns, row by row.

use super::plan::{CountPlan, CountTask, CountedPair};
use super::{CountRequest, Counts};
use crate::align::{Integer, Problem, Recycled, in_quanta};
use crate::distance::{Read, Savings, Scratch, copy_savings};
use crate::error::Result;
use crate::pair::{Costs, LocalLabels, Operand, Pair, SetCosts};
use crate::pairwise::batch::{Batch, BatchRow, Way};
use crate::parallel::Cancel;
use crate::simd::Element;
use crate::tree::{Orientation, SubtreeIds};

/// All that the tasks share.
pub(super) struct Counting<'a> {
    pub(super) request: &'a CountRequest<'a>,
    pub(super) plan: &'a CountPlan,
    /// Numbers of equal subtrees of the trees of x, if rows are shared between them.
    pub(super) ids: Option<SubtreeIds>,
}

impl Counting<'_> {
    /// The counts of the pairs of a task, in their order.
    pub(super) fn task(&self, task: &CountTask, scratch: &mut Scratch<'_>) -> Result<Vec<Counts>> {
        let CountRequest { x, y, costs, .. } = *self.request;
        let members = |codes| {
            let member = |&j: &u32| Operand { tree: &y.trees[j as usize], codes };
            task.columns.iter().map(member).collect()
        };
        let pairs = &self.plan.pairs[task.pairs.clone()];
        let rows = pairs.chunk_by(|a, b| a.x == b.x);
        let mut counts = Vec::with_capacity(pairs.len());
        match costs {
            SetCosts::Fixed(costs) => {
                let batch = Batch::new(members(y.codes));
                for pairs in rows {
                    let x = x.operand(pairs[0].x as usize);
                    let row = CountedRow { counting: self, x, batch: &batch, costs, pairs };
                    counts.extend(row.counts(scratch)?);
                }
            }
            SetCosts::Meeting(meeting) => {
                let trees = task.columns.iter().map(|&j| &y.trees[j as usize]);
                let targets = LocalLabels::new(meeting, trees, y.codes);
                let batch = Batch::new(members(Some(&targets.codes)));
                for pairs in rows {
                    let tree = &x.trees[pairs[0].x as usize];
                    let source = LocalLabels::new(meeting, std::iter::once(tree), x.codes);
                    let table = source.table(meeting, &targets);
                    let x = Operand { tree, codes: Some(&source.codes) };
                    let costs = Costs::Table(&table);
                    let row = CountedRow { counting: self, x, batch: &batch, costs, pairs };
                    counts.extend(row.counts(scratch)?);
                }
            }
        }
        Ok(counts)
    }
}

/// One row tree and the columns that it meets.
#[derive(Clone, Copy)]
struct CountedRow<'a> {
    counting: &'a Counting<'a>,
    x: Operand<'a>,
    batch: &'a Batch<'a>,
    costs: Costs<'a>,
    pairs: &'a [CountedPair],
}

impl CountedRow<'_> {
    fn counts(self, scratch: &mut Scratch<'_>) -> Result<Vec<Counts>> {
        let request = self.counting.request;
        let plain = |pair: &CountedPair| {
            let y = &self.batch.members[pair.place as usize];
            pair.plain.then(|| request.plain_counts(&self.x, y))
        };
        let mut found: Vec<_> = self.pairs.iter().map(plain).collect();
        let nodes = self.x.tree.nodes() + self.batch.largest;
        in_quanta!(self.costs, nodes, Q => self.fill::<Q>(&mut found, scratch)?);
        Ok(found.into_iter().flatten().collect())
    }

    /// Counts the pairs that are not counted yet, together if that takes less time.
    fn fill<Q: Integer>(
        self,
        found: &mut [Option<Counts>],
        scratch: &mut Scratch<'_>,
    ) -> Result<()> {
        let Self { counting, x, batch, costs, pairs } = self;
        let cancel = scratch.cancel;
        let request = counting.request;
        let open = pairs.iter().zip(&*found).filter(|(_, found)| found.is_none());
        let open: Vec<_> = open.map(|(pair, _)| pair.place as usize).collect();
        if open.is_empty() {
            return Ok(());
        }
        let (together, alone) = batch.cells(x.tree, &open);
        if open.len() > 1 && together <= alone {
            let ids = counting.ids.as_ref();
            let ids = ids.map(|ids| (ids.orientation(), ids.of(pairs[0].x as usize)));
            if let Way::Together(side, shared) = batch.way(x.tree, ids) {
                let mut read = CountAll::<Q> {
                    row: self,
                    side: Orientation::BOTH[side],
                    found,
                    outcome: Ok(()),
                    quanta: std::marker::PhantomData,
                    cancel,
                };
                let row = BatchRow { x, costs, ids };
                batch.together(&row, side, shared, scratch, &mut read)?;
                return read.outcome;
            }
        }
        for (pair, found) in pairs.iter().zip(found).filter(|(_, found)| found.is_none()) {
            let y = batch.members[pair.place as usize];
            let pair = Pair { x, y, costs };
            let (tolerance, order) = (request.tolerance, request.order());
            let problem = Problem::<Q>::new(pair, tolerance, order, scratch)?;
            *found = Some(request.counts((&x, &y), problem, cancel)?);
        }
        Ok(())
    }
}

/// Counts the edits of each column as soon as the savings of its subtrees are there.
struct CountAll<'a, 'o, Q> {
    row: CountedRow<'a>,
    /// In whose order savings are found.
    side: Orientation,
    found: &'o mut [Option<Counts>],
    outcome: Result<()>,
    quanta: std::marker::PhantomData<Q>,
    cancel: &'o Cancel,
}

impl<Q: Integer> CountAll<'_, '_, Q> {
    fn count<E: Element>(&self, member: usize, savings: Savings<'_, E>) -> Result<Counts> {
        let CountedRow { counting, x, batch, costs, .. } = self.row;
        let (request, y) = (counting.request, batch.members[member]);
        let setting = request.setting(Pair { x, y, costs });
        let mut trees = Recycled::<Q>::default();
        let (sides, nodes) = ((self.side, setting.orientation), (x.tree.nodes(), y.tree.nodes()));
        let saving = copy_savings(savings, sides, nodes, &mut trees, self.cancel)?;
        request.counts((&x, &y), setting.with_savings(trees, saving)?, self.cancel)
    }
}

impl<Q: Integer> Read for CountAll<'_, '_, Q> {
    fn read<E: Element>(&mut self, member: usize, savings: Savings<'_, E>) {
        let pairs = self.row.pairs;
        let Ok(index) = pairs.binary_search_by_key(&(member as u32), |pair| pair.place) else {
            return;
        };
        if self.outcome.is_err() || self.found[index].is_some() {
            return;
        }
        match self.count(member, savings) {
            Ok(counts) => self.found[index] = Some(counts),
            Err(error) => self.outcome = Err(error),
        }
    }
}
