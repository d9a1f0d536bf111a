//! Pairs that a cutoff rules out before their distance is computed.

use super::MatrixRequest;
use crate::distance::{BoundScratch, Bounds, Catalogue, preparation_time};
use crate::error::Result;
use crate::pair::{Measure, SetCosts, Side};
use crate::parallel::Crew;
use crate::tree::Prepared;

/// The part of the work that bounds may take without sparing any: at once, and row by row.
const CREDIT: f64 = 0.005;
/// After a good time, bounds are computed for at most this number of rows that save nothing.
const RICH: f64 = 16.0;
/// Bounds that take more than this part of what they may spare are not looked at.
const MOST_SHARE: f64 = 0.5;

/// Looking at all trees may take this part of the work; else there are no bounds.
const PREPARATION: f64 = 0.04;

/// The bounds of all pairs against one cutoff.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    /// `None` if there are too few pairs to look at the trees for them.
    bounds: Option<Bounds<'a>>,
    cutoff: f64,
    costs: SetCosts<'a>,
    /// Most quanta that are not above the cutoff, of a distance that is not normalised.
    limit: i128,
}

/// What a kind of bounds has spared, less what it has cost, as far as that still counts. Time, as
/// estimated.
#[derive(Debug, Default)]
struct TimeCredit(f64);

impl TimeCredit {
    /// Whether bounds that take this time are computed for a row that takes `work` without them.
    fn affords(&mut self, bound_time: f64, work: f64) -> bool {
        self.0 += CREDIT * work;
        bound_time > 0.0 && bound_time < MOST_SHARE * work && bound_time <= self.0
    }

    fn book(&mut self, bound_time: f64, spared: f64) {
        let most = self.0.max(RICH * bound_time);
        self.0 = (self.0 + spared - bound_time).min(most);
    }
}

/// What a thread remembers from row to row.
#[derive(Debug)]
pub(super) struct FilterMemory {
    scratch: BoundScratch,
    labels: TimeCredit,
    strings: TimeCredit,
}

impl FilterMemory {
    /// For a thread that will do so much work.
    pub(super) fn new(work: f64) -> Self {
        let [labels, strings] = [(); 2].map(|()| TimeCredit(CREDIT * work));
        Self { scratch: BoundScratch::default(), labels, strings }
    }
}

impl<'a> Filter<'a> {
    /// `None` if there is no cutoff, or an infinite one. `work` is the time of all distances.
    pub(super) fn new(
        request: &MatrixRequest<'a>,
        catalogue: Option<&Catalogue>,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Option<Self>> {
        let MatrixRequest { x, y, costs, cutoff, .. } = *request;
        let Some(cutoff) = cutoff.filter(|&cutoff| cutoff < f64::INFINITY) else {
            return Ok(None);
        };
        let nodes = |side: Side<'_>| side.trees.iter().map(Prepared::nodes).sum::<usize>();
        let mut unknown = nodes(x);
        if catalogue.is_none() && !std::ptr::eq(x.trees, y.trees) {
            unknown += nodes(y);
        }
        let bounds = if preparation_time(unknown) < PREPARATION * work {
            Some(Bounds::new(x, y, costs, catalogue, work, crew)?)
        } else {
            None
        };
        Ok(Some(Self { bounds, cutoff, costs, limit: costs.most_quanta(cutoff) }))
    }

    /// Most quanta of a distance whose result is not above the cutoff.
    pub(super) fn limit_of(&self, measure: Measure) -> i128 {
        if measure == Measure::Plain {
            self.limit
        } else {
            measure.most_quanta(self.costs, self.cutoff)
        }
    }

    /// Whether a lower bound in quanta lets a pair pass.
    #[inline]
    fn passes(&self, quanta: i128, measure: Option<Measure>) -> bool {
        match measure {
            None => quanta <= self.limit,
            Some(measure) => measure.of(self.costs.total(quanta)) <= self.cutoff,
        }
    }

    /// Takes out of `columns` those that are certainly above the cutoff from tree `i`.
    ///
    /// `measure` returns how the result of a tree is made from its distance, `None` if they are the
    /// same; `tree` returns the tree of a column, by rising size, `time` the estimated time that some
    /// columns ask for. Sizes are always compared. The bounds by labels and by strings are used
    /// where they have lately spared more than they cost.
    pub(super) fn retain(
        &self,
        (i, measure): (usize, impl Fn(usize) -> Option<Measure>),
        columns: &mut Vec<usize>,
        tree: impl Fn(usize) -> usize,
        time: impl Fn(&[usize]) -> f64,
        memory: &mut FilterMemory,
    ) {
        let Some(bounds) = &self.bounds else { return };
        // Where the smallest and the largest tree pass, those between them do, or are computed in
        // vain.
        let passes = |column: &usize| {
            let j = tree(*column);
            self.passes(bounds.size(i, j), measure(j))
        };
        if [columns.first(), columns.last()].into_iter().flatten().any(|column| !passes(column)) {
            columns.retain(passes);
        }
        let FilterMemory { scratch, labels, strings } = memory;
        let mut work = time(columns);
        let bound_time = about(columns, |column| bounds.label_time(i, tree(column)));
        if labels.affords(bound_time, work) {
            columns.retain(|&column| {
                let j = tree(column);
                self.passes(bounds.quick(i, j), measure(j))
            });
            let left = time(columns);
            labels.book(bound_time, work - left);
            work = left;
        }
        let bound_time = about(columns, |column| bounds.string_time(i, tree(column)));
        if strings.affords(bound_time, work) {
            columns.retain(|&column| {
                let j = tree(column);
                let limit = self.limit_of(measure(j).unwrap_or(Measure::Plain));
                bounds.strings(i, j, limit, scratch) <= limit
            });
            strings.book(bound_time, work - time(columns));
        }
    }
}

/// About the sum of a time over some columns, whose trees are of similar size.
fn about(columns: &[usize], bound_time: impl Fn(usize) -> f64) -> f64 {
    match *columns {
        [] => 0.0,
        [only] => bound_time(only),
        [first, .., last] => {
            let middle = columns[columns.len() / 2];
            columns.len() as f64 * (bound_time(first) + bound_time(middle) + bound_time(last)) / 3.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds that spare nothing are given up before they cost a few per cent; bounds that spare
    /// something are computed for every row.
    #[test]
    fn an_account_ends_what_does_not_pay() {
        for (bound_time, spared, used) in
            [(0.1, 0.0, 50..101), (0.1, 0.5, 990..1001), (0.6, 1.0, 0..1)]
        {
            let mut account = TimeCredit(CREDIT * 1000.0);
            let mut count = 0;
            for _ in 0..1000 {
                if account.affords(bound_time, 1.0) {
                    account.book(bound_time, spared);
                    count += 1;
                }
            }
            assert!(used.contains(&count), "{bound_time} {spared} {count}");
            assert!(f64::from(count) * (bound_time - spared) <= 2.1 * CREDIT * 1000.0);
        }
    }
}
