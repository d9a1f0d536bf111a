//! The answers of a join: chunk by chunk, or row by row.

use crate::error::{Error, Result};
use crate::join::query::{Found, QueryScratch, Stages};
use crate::join::{Input, Join};
use crate::memory;
use crate::pairwise::Neighbor;
use crate::parallel::{self, Cancel, Crew, Tasks};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Tasks of a round for each thread. What they find is held until the round ends.
const ROUND: usize = 32;
/// Most tasks of a round of chunks.
const MOST_TASKS: usize = 1024;
/// Rows that a thread sorts at a time, in neighbours.
const PART: usize = 1 << 16;
/// Bytes of a pair of kinds, of a neighbour, and of a neighbour in the arrays of the caller.
const FOUND_BYTES: u64 = size_of::<Found>() as u64;
const NEIGHBOR_BYTES: u64 = 2 * size_of::<Neighbor>() as u64;
/// Pairs of kinds between two looks at the free memory.
const LOOK_EVERY: u64 = 1 << 20;

/// Some pairs of trees within the radius, in the order in which they were found.
#[derive(Debug, Default, PartialEq)]
pub struct Chunk {
    /// Trees of x.
    pub queries: Vec<u32>,
    /// Trees of y.
    pub others: Vec<u32>,
    /// Their results.
    pub results: Vec<f64>,
}

/// The trees of y near each tree of x.
#[derive(Debug, Default, PartialEq)]
pub struct Rows {
    /// Where the neighbours of each tree begin, and the end of the last.
    pub offsets: Vec<usize>,
    /// Neighbours of tree after tree, by distance, then by index.
    pub neighbors: Vec<Neighbor>,
    /// Number of distances that a kernel computed.
    pub computed: u64,
}

/// How far the chunks of a join have come.
#[derive(Debug)]
pub struct Cursor {
    /// The first task that is left.
    task: usize,
    /// Tasks of the next round.
    tasks: usize,
    /// What the last round has found, and how much of it is in chunks: pairs of kinds, and pairs
    /// of trees of the next one.
    found: Vec<Found>,
    place: usize,
    pairs: usize,
    /// What was reported: tasks that are run again do not count down.
    reported: u64,
}

impl Default for Cursor {
    fn default() -> Self {
        Self { task: 0, tasks: ROUND, found: Vec::new(), place: 0, pairs: 0, reported: 0 }
    }
}

impl Cursor {
    /// Takes what the tasks of a round have found, where `most` pairs are enough.
    fn take(&mut self, round: Round, most: usize) {
        // Rounds grow as long as they find little, so that many threads have something to do.
        let wanted = if round.found.len() > most { self.tasks / 2 } else { self.tasks * 2 };
        self.tasks = wanted.clamp(1, MOST_TASKS);
        self.task += round.tasks;
        (self.found, self.place, self.pairs) = (round.found, 0, 0);
    }

    /// Pairs of kinds that are in memory.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.found.len()
    }
}

/// What some tasks have found, in order.
#[derive(Debug, Default)]
struct Round {
    /// Number of tasks: all, or the first ones if they have found enough.
    tasks: usize,
    found: Vec<Found>,
    stages: Stages,
}

impl Join {
    /// Number of tasks.
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Number of trees of x in the tasks before this one.
    pub fn trees_before(&self, task: usize) -> u64 {
        self.tasks.get(task).map_or_else(
            || self.x.trees_before(self.x.len()),
            |kinds| self.x.trees_before(kinds.start),
        ) as u64
    }

    /// Runs some tasks; none begins after those before it have found more than `most` pairs of
    /// kinds. `poll(done)` is called now and then with the number of trees of x that are done, and
    /// may stop the work by returning `false`.
    fn run(
        &self,
        input: &Input<'_>,
        (tasks, most): (Range<usize>, usize),
        (threads, cancel): (usize, &Cancel),
        poll: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Round> {
        let queries = self.queries(input, cancel);
        let held = AtomicUsize::new(0);
        let work = |scratch: &mut QueryScratch, task: usize| {
            // The first one always begins, so that every round gets on.
            if task > 0 && held.load(Ordering::Relaxed) > most {
                return Ok((task, None));
            }
            let kinds = self.tasks[tasks.start + task].clone();
            let mut round = Round { tasks: 1, ..Round::default() };
            for query in kinds {
                round.stages += queries.answer(query, scratch, &mut round.found)?;
            }
            held.fetch_add(round.found.len(), Ordering::Relaxed);
            Ok((task, Some(round)))
        };
        let mut rounds: Vec<Option<Round>> = tasks.clone().map(|_| None).collect();
        let done = Cell::new(self.trees_before(tasks.start));
        let receive = |(task, round): (usize, Option<Round>)| {
            if round.is_none() {
                return;
            }
            rounds[task] = round;
            let kinds = &self.tasks[tasks.start + task];
            let trees = self.x.trees_before(kinds.end) - self.x.trees_before(kinds.start);
            done.set(done.get() + trees as u64);
        };
        let count = tasks.len();
        let work_of = Tasks { threads, count, cancel };
        parallel::for_each(work_of, QueryScratch::default, work, receive, || poll(done.get()))?;
        let mut all = Round::default();
        // Threads begin tasks in order, but look at what is held in any order: what was found behind a
        // task that did not begin is found again.
        for round in rounds.into_iter().map_while(|round| round) {
            all.tasks += 1;
            all.stages += round.stages;
            if all.found.is_empty() {
                all.found = round.found;
            } else {
                all.found.extend(round.found);
            }
        }
        Ok(all)
    }

    /// The next pairs, at most `most`. Inside one set and with symmetric costs every pair comes once,
    /// the smaller index first. Empty if there are no more. What a chunk holds does not depend on
    /// the number of threads.
    ///
    /// # Errors
    /// [`Error::Memory`] if a chunk does not fit; [`Error::Cancelled`] if `poll` asked to stop.
    pub fn chunk(
        &self,
        input: &Input<'_>,
        cursor: &mut Cursor,
        most: usize,
        (threads, cancel): (usize, &Cancel),
        mut poll: impl FnMut(u64) -> bool,
    ) -> Result<Chunk> {
        let mut chunk = Chunk::default();
        loop {
            while let Some(found) = cursor.found.get(cursor.place) {
                let left = most - chunk.queries.len();
                if left == 0 {
                    return Ok(chunk);
                }
                memory::check("a chunk of the neighbours found", left as u64 * FOUND_BYTES)?;
                let done =
                    self.expand_some(input, found, cursor.pairs..cursor.pairs + left, &mut chunk);
                if done {
                    (cursor.place, cursor.pairs) = (cursor.place + 1, 0);
                } else {
                    cursor.pairs += left;
                }
            }
            if cursor.task == self.tasks.len() {
                return Ok(chunk);
            }
            let end = self.tasks.len().min(cursor.task + cursor.tasks);
            // A round holds little more than a chunk, however many pairs its tasks would find.
            let wanted = (cursor.task..end, most);
            let mut reported = cursor.reported;
            let mut report = |done: u64| {
                reported = reported.max(done);
                poll(reported)
            };
            let round = self.run(input, wanted, (threads, cancel), &mut report)?;
            cursor.reported = reported;
            cursor.take(round, most);
        }
    }

    /// Adds some pairs of trees of two kinds, by number; returns whether these were the last.
    fn expand_some(
        &self,
        input: &Input<'_>,
        found: &Found,
        pairs: Range<usize>,
        chunk: &mut Chunk,
    ) -> bool {
        let (x, y) = (found.query as usize, found.other as usize);
        let (queries, others) = (self.x.trees(x), self.y().trees(y));
        let (mirrored, same) = (input.is_mirrored(), x == y && input.inside);
        let all = queries.len() * others.len();
        for pair in pairs.start..pairs.end.min(all) {
            let (mut query, mut other) =
                (queries[pair / others.len()], others[pair % others.len()]);
            if same && (query == other || (mirrored && query > other)) {
                continue;
            }
            if mirrored && query > other {
                (query, other) = (other, query);
            }
            chunk.queries.push(query);
            chunk.others.push(other);
            chunk.results.push(found.result);
        }
        pairs.end >= all
    }

    /// All pairs, row by row.
    ///
    /// # Errors
    /// [`Error::Memory`] if the neighbours do not fit; [`Error::Cancelled`] if `poll` asked to stop.
    pub fn rows(
        &self,
        input: &Input<'_>,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut(u64) -> bool,
    ) -> Result<Rows> {
        let (mut found, mut computed) = (Vec::new(), 0);
        let (mut pairs, mut checked) = (0, LOOK_EVERY);
        let mut next = 0;
        while next < self.tasks.len() {
            let end = self.tasks.len().min(next + ROUND * threads);
            let wanted = (next..end, usize::MAX);
            let round = self.run(input, wanted, (threads, cancel), &mut poll)?;
            next = end;
            pairs += round.found.iter().map(|found| self.pairs_of(found)).sum::<u64>();
            computed += round.stages.computed;
            if pairs > checked {
                checked = pairs + pairs / 4;
                let sides = 1 + u64::from(input.is_mirrored());
                memory::check("the neighbours found", checked * sides * NEIGHBOR_BYTES)?;
            }
            found.extend(round.found);
        }
        let trees = input.x.flat.len();
        let mut poll = || poll(trees as u64);
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let rows = self.in_rows(input, &found, &mut crew)?;
        drop(found);
        if poll() { Ok(Rows { computed, ..rows }) } else { Err(Error::Cancelled) }
    }

    /// Pairs of trees of two kinds, at least as many as there are.
    fn pairs_of(&self, found: &Found) -> u64 {
        let (x, y) = (found.query as usize, found.other as usize);
        self.x.trees(x).len() as u64 * self.y().trees(y).len() as u64
    }

    /// Calls `pair` with all pairs of trees of two kinds; in one set, once for each.
    #[inline(always)]
    fn expand(&self, input: &Input<'_>, found: &Found, mut pair: impl FnMut(u32, u32)) {
        let (x, y) = (found.query as usize, found.other as usize);
        let same = x == y && input.inside;
        for &query in self.x.trees(x) {
            for &other in self.y().trees(y) {
                if same && (query == other || (input.is_mirrored() && query > other)) {
                    continue;
                }
                pair(query, other);
            }
        }
    }

    fn in_rows(&self, input: &Input<'_>, found: &[Found], crew: &mut Crew<'_>) -> Result<Rows> {
        let trees = input.x.flat.len();
        let mirrored = input.is_mirrored();
        let mut offsets = vec![0usize; trees + 1];
        for found in found {
            self.expand(input, found, |query, other| {
                offsets[query as usize + 1] += 1;
                if mirrored {
                    offsets[other as usize + 1] += 1;
                }
            });
        }
        for tree in 0..trees {
            offsets[tree + 1] += offsets[tree];
        }
        let none = Neighbor { distance: 0.0, index: 0 };
        let mut neighbors = memory::filled("the neighbours found", offsets[trees], none)?;
        let mut ends = offsets.clone();
        for found in found {
            let distance = found.result;
            self.expand(input, found, |query, other| {
                let mut put = |row: u32, index: u32| {
                    neighbors[ends[row as usize]] = Neighbor { distance, index };
                    ends[row as usize] += 1;
                };
                put(query, other);
                if mirrored {
                    put(other, query);
                }
            });
            crew.ask()?;
        }
        drop(ends);
        // Whole rows, with about as many neighbours in each part.
        let mut parts: Vec<(Range<usize>, Mutex<&mut [Neighbor]>)> = Vec::new();
        let (mut rest, mut start) = (&mut neighbors[..], 0);
        while start < trees {
            let end = offsets.partition_point(|&end| end <= offsets[start] + PART) - 1;
            let end = end.clamp(start + 1, trees);
            let (part, others) = rest.split_at_mut(offsets[end] - offsets[start]);
            parts.push((start..end, Mutex::new(part)));
            (rest, start) = (others, end);
        }
        crew.map(parts.len(), parts.len() < 2, |part| {
            let (rows, neighbors) = &parts[part];
            let mut neighbors = neighbors.lock().unwrap_or_else(PoisonError::into_inner);
            for row in rows.clone() {
                let start = offsets[rows.start];
                neighbors[offsets[row] - start..offsets[row + 1] - start].sort_unstable();
            }
            Ok(())
        })?;
        drop(parts);
        Ok(Rows { offsets, neighbors, computed: 0 })
    }
}
