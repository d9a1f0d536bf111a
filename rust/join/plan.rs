//! Which sizes are indexed, and which kinds are a task.
//!
//! Times are nanoseconds, measured on the machine of `benches/record/`; only their ratios matter. All
//! estimates rest on counts, so they are the same on every machine and for every number of threads.

use crate::error::Result;
use crate::join::query::{QueryScratch, Stages};
use crate::join::segments::{SegmentIndex, window};
use crate::join::{Input, Join, Way};
use crate::parallel::Crew;
use std::ops::Range;

/// A histogram of a scan.
const SCANNED: f64 = 2.0;
/// A look at the table of segments, and an entry that it returns.
const PROBE: f64 = 25.0;
const ENTRY: f64 = 8.0;
/// Cutting, hashing and sorting a segment.
const INDEXED: f64 = 80.0;
/// The time of a task without its strings and distances, and its most kinds.
const TASK_TIME: f64 = 1e6;
const TASK_KINDS: usize = 128;
/// Kinds that are tried before the choice between the join and batches, and of how many kinds one is
/// tried.
const TRIED: (usize, usize) = (64, 32);
/// Parts in which they are tried.
const TRIED_PARTS: usize = 8;
/// The strings of a candidate for each node; those of a pair that remains for each node, and for each
/// edit, squared.
const STRING_NODE: f64 = 1.5;
const NEAR: (f64, f64) = (10.0, 3.0);
/// A distance of one pair, and for each of its nodes; the same of a pair in a batch for each node.
const ALONE: (f64, f64) = (1000.0, 90.0);
const BATCHED: f64 = 50.0;
/// A pair that batches rule out.
const RULED_OUT: f64 = 30.0;
/// More edits than this leave segments too short.
const MOST_EDITS: usize = 64;

impl Join {
    /// Builds the index where it pays and cuts the kinds of x into tasks.
    pub(super) fn plan(&mut self, input: &Input<'_>, way: Way, crew: &mut Crew<'_>) -> Result<()> {
        let sizes = self.y().sizes().to_vec();
        self.indexed = vec![false; sizes.len()];
        let limits = self.limits(input);
        let edits = limits.most_edits();
        if way != Way::Scan && limits.are_one() && edits <= MOST_EDITS {
            let queries = self.queries_near(&sizes, edits, input.is_mirrored());
            let pays = |place: usize| {
                let (m, range) = &sizes[place];
                let kinds = range.len() as f64;
                let spared = queries[place] * (kinds * SCANNED - probes(*m, edits) * PROBE);
                *m > edits && (way == Way::Index || spared > kinds * (edits + 1) as f64 * INDEXED)
            };
            let chosen: Vec<usize> = (0..sizes.len()).filter(|&place| pays(place)).collect();
            let cut: Vec<_> = chosen.iter().map(|&place| sizes[place].clone()).collect();
            if !cut.is_empty() {
                let index = SegmentIndex::new(self.y(), edits, &cut, crew)?;
                for place in chosen {
                    let (m, range) = &sizes[place];
                    let entries = index.expected(self.y(), *m, range);
                    let time = probes(*m, edits) * PROBE + entries * ENTRY;
                    self.indexed[place] = way == Way::Index || time < range.len() as f64 * SCANNED;
                }
                self.index = self.indexed.contains(&true).then_some(index);
            }
        }
        self.tasks = self.cut(input, &sizes);
        Ok(())
    }

    /// Whether the join is estimated to be faster than all pairs in batches. Some kinds are tried.
    pub(super) fn pays(&self, input: &Input<'_>, crew: &mut Crew<'_>) -> Result<bool> {
        let kinds = self.x.len();
        let tried = ((kinds + TRIED.1 / 2) / TRIED.1).min(TRIED.0);
        if tried == 0 {
            return Ok(true);
        }
        let cancel = crew.cancel.clone();
        let queries = self.queries(input, &cancel);
        let parts = crew.map(TRIED_PARTS, false, |part| {
            let (mut scratch, mut found) = (QueryScratch::default(), Vec::new());
            let mut stages = Stages::default();
            for k in (part..tried).step_by(TRIED_PARTS) {
                // Spread over all, which are sorted by size.
                let query = (2 * k + 1) * kinds / (2 * tried);
                stages += queries.answer(query, &mut scratch, &mut found)?;
            }
            Ok(stages)
        })?;
        let mut all = Stages::default();
        for stages in parts {
            all += stages;
        }
        let nodes = input.x.flat.codes.len() as f64 / input.x.flat.len().max(1) as f64;
        let edits = self.limits(input).most_edits().min(nodes as usize) as f64 + 1.0;
        let own = all.candidates as f64 * STRING_NODE * nodes
            + all.near as f64 * (NEAR.0 * nodes + NEAR.1 * edits * edits)
            + all.computed as f64 * (ALONE.0 + ALONE.1 * nodes);
        let pairs = tried as f64 * self.y().len() as f64;
        let pairs = if input.is_mirrored() { pairs / 2.0 } else { pairs };
        let batches = pairs * RULED_OUT + all.near as f64 * BATCHED * nodes;
        Ok(own <= batches)
    }

    /// For every size of y, the number of kinds of x that look at it.
    fn queries_near(
        &self,
        sizes: &[(usize, Range<usize>)],
        edits: usize,
        mirrored: bool,
    ) -> Vec<f64> {
        let kinds = |range: Range<usize>| {
            let sizes = self.x.sizes();
            let from = sizes.partition_point(|(n, _)| *n < range.start);
            let to = sizes.partition_point(|(n, _)| *n < range.end);
            sizes[from..to].iter().map(|(_, range)| range.len() as f64).sum::<f64>()
        };
        let near = |&(m, _): &(usize, Range<usize>)| {
            let most = m.saturating_add(edits).saturating_add(1);
            kinds(if mirrored { m } else { m.saturating_sub(edits) }..most)
        };
        sizes.iter().map(near).collect()
    }

    /// Ranges of kinds of x that take about as long to look at.
    fn cut(&self, input: &Input<'_>, sizes: &[(usize, Range<usize>)]) -> Vec<Range<usize>> {
        let limits = self.limits(input);
        let mut tasks: Vec<Range<usize>> = Vec::new();
        for (n, kinds) in self.x.sizes() {
            let near = sizes.iter().filter(|(m, _)| {
                (!input.is_mirrored() || m <= n) && limits.edits(*n, *m).is_some()
            });
            let time: f64 = near.map(|(_, range)| range.len() as f64 * SCANNED).sum();
            let step = ((TASK_TIME / time.max(1.0)) as usize).clamp(1, TASK_KINDS);
            let mut start = kinds.start;
            while start < kinds.end {
                let end = kinds.end.min(start + step);
                tasks.push(start..end);
                start = end;
            }
        }
        tasks
    }
}

/// Probes of a query for one size, if it has that size too.
fn probes(m: usize, edits: usize) -> f64 {
    (0..=edits).map(|number| window(m, m, edits, number).len() as f64).sum()
}
