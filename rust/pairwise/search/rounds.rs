//! One query by all threads: candidates are looked at in rounds, in the order of their bounds.
//!
//! A round takes the first few of the queue and gives each its next bound or its distance, all at
//! once. What a round finds out does not depend on who computes it, so the number of threads does
//! not show. Rounds grow with the number of distances computed so far, so that few of them are
//! computed in vain: a candidate that came second would have been ruled out by the first.

use crate::distance::Scratch;
use crate::error::Result;
use crate::pairwise::search::Wanted;
use crate::pairwise::search::best::{Best, Neighbor};
use crate::pairwise::search::exact::Exact;
use crate::pairwise::search::query::{Answer, Level, Limit, QueryScratch, Searcher, Waiting};
use crate::parallel::Crew;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError};

/// Queries that have the threads for themselves, one after the other.
pub(super) const FEW: usize = 4;
/// Distances of a round: at least, and as a part of those before.
const DISTANCES: (usize, usize) = (4, 4);
/// Most candidates of a round.
const CANDIDATES: usize = 256;
/// Candidates of a part when first bounds are computed.
const PART: usize = 4096;
/// Less time than that (nanoseconds) is not worth waking a thread.
const BRIEF: f64 = 1.5e5;
/// More time than that is too long to do without a look at who is waiting.
const LONG: f64 = 1e7;

/// Buffers of more bytes are not kept for the next round.
const KEEP: usize = 8 << 20;

/// Buffers that threads take and give back. An index keeps them from query to query: making tables
/// takes as long as some distances.
#[derive(Debug, Default)]
pub(super) struct Stash(Mutex<Vec<QueryScratch>>);

impl Stash {
    fn with<T>(&self, work: impl FnOnce(&mut QueryScratch) -> T) -> T {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lock().pop();
        let mut scratch = taken.unwrap_or_default();
        let result = work(&mut scratch);
        if scratch.workspace.bytes_held() <= KEEP {
            lock().push(scratch);
        }
        result
    }
}

/// A candidate and what is next for it: a bound, or its distance.
type Step = (Waiting, Option<Level>);

/// Steps that are taken at once.
struct Round {
    steps: Vec<Step>,
    /// Their time in sum.
    time: f64,
    /// The results that can still be among the answers.
    limit: Limit,
}

/// What a step has found.
enum Outcome {
    Bound(Waiting),
    Distance(Neighbor),
}

impl Searcher<'_> {
    /// Answers the query at a position of the order, with all threads.
    pub(super) fn row_in_rounds(
        &self,
        position: usize,
        stash: &Stash,
        crew: &mut Crew<'_>,
    ) -> Result<Answer> {
        let query = self.query(position);
        let exact = self.exact(query);
        let candidates = self.search.y.trees.len();
        let parts = candidates.div_ceil(PART);
        let first = |part: usize| {
            let others = part * PART..candidates.min((part + 1) * PART);
            let others = others.filter(|&j| !(self.search.inside && j == query));
            let known = |j| Neighbor { distance: 0.0, index: j as u32 };
            Ok(others.map(|j| Reverse(self.first(query, known(j)))).collect::<Vec<_>>())
        };
        let mut best = Best::new(self.wanted);
        let mut waiting: BinaryHeap<_> = crew.map(parts, parts < 4, first)?.concat().into();
        let seen = waiting.len() as u64;
        let mut computed = 0;
        loop {
            crew.ask()?;
            let round = self.round(query, &mut waiting, &best, computed);
            if round.steps.is_empty() {
                break;
            }
            for outcome in self.run(&exact, &round, stash, crew)? {
                match outcome {
                    Outcome::Bound(next) if best.admits(next.bound) => waiting.push(Reverse(next)),
                    Outcome::Bound(_) => {}
                    Outcome::Distance(near) => {
                        best.offer(near);
                        computed += 1;
                    }
                }
            }
        }
        let found = best.into_sorted();
        Ok(Answer { query, found, computed: computed as u64, seen, half: false })
    }

    /// The next round; it has no steps if all answers are found.
    fn round(
        &self,
        query: usize,
        waiting: &mut BinaryHeap<Reverse<Waiting>>,
        best: &Best,
        computed: usize,
    ) -> Round {
        // Those that are among the nearest by their bounds are looked at in any case.
        let least = match self.wanted {
            Wanted::Nearest(k) => k.saturating_sub(computed).max(DISTANCES.0),
            Wanted::Within(_) => CANDIDATES,
        };
        let most = least.max(computed / DISTANCES.1);
        let (mut steps, mut sum, mut distances) = (Vec::new(), 0.0, 0);
        while steps.len() < CANDIDATES && distances < most {
            match waiting.peek() {
                Some(Reverse(first)) if best.admits(first.bound) => {
                    let (level, time) = self.next_level(query, *first);
                    distances += usize::from(level.is_none());
                    sum += time;
                    steps.push((*first, level));
                    waiting.pop();
                }
                _ => break,
            }
        }
        Round { steps, time: sum, limit: self.limit(best) }
    }

    fn run(
        &self,
        exact: &Exact<'_>,
        round: &Round,
        stash: &Stash,
        crew: &mut Crew<'_>,
    ) -> Result<Vec<Outcome>> {
        let Round { ref steps, time, limit } = *round;
        let cancel = crew.cancel.clone();
        let step = |&(waiting, level): &Step, scratch: &mut QueryScratch| {
            let Waiting { bound, .. } = waiting;
            let QueryScratch { workspace, bounds, .. } = scratch;
            if let Some(level) = level {
                return Ok(Outcome::Bound(self.raise(exact.query, bound, level, limit, bounds)));
            }
            let scratch = &mut Scratch { workspace, cancel: &cancel };
            let distance = exact.to(bound.index as usize, scratch)?;
            Ok(Outcome::Distance(self.result(exact.query, Neighbor { distance, ..bound })))
        };
        let parts = ((time / BRIEF) as usize).clamp(1, steps.len());
        let length = steps.len().div_ceil(parts);
        let part = |part: usize| {
            let steps = &steps[part * length..steps.len().min((part + 1) * length)];
            stash.with(|scratch| {
                steps.iter().map(|one| step(one, scratch)).collect::<Result<Vec<_>>>()
            })
        };
        let brief = time < if crew.threads < 2 { LONG } else { 2.0 * BRIEF };
        let outcomes = crew.map(steps.len().div_ceil(length), brief, part)?;
        Ok(outcomes.into_iter().flatten().collect())
    }
}
