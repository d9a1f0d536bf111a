//! One large pair by several threads.
//!
//! A key-root of the row tree needs the rows of the key-roots below it, and nothing else: key-roots
//! of disjoint subtrees are independent. The largest ones, that of the root before all, are above
//! most others and would leave one thread alone, so several threads share them: each takes the next
//! chunks of columns, and passes over all rows. A chunk needs the chunks before it only in tree
//! rows, so it is enough to be behind them there:
//!
//! ```text
//! rows of a key-root     chunks 0, 1    chunks 2, 3
//! tree row, place 0          1    --->      2'
//! forest rows                2              3'          ' at least one step later
//! tree row, place 1          3    --->      4'
//! ```
//!
//! The row of a key-root in progress is handed from chunk to chunk by a lock that nobody waits for; when
//! the key-root is done it becomes read-only.
//! All of this is the computation of one thread in another order, so all bits are the same.

mod member;
mod passes;
mod plan;
mod progress;
mod queue;
mod table;
#[cfg(test)]
mod tests;

use crate::distance::columns::{Chunk, Columns};
use crate::distance::packed::WHAT;
use crate::distance::profile::{Lazy, longest_path};
use crate::distance::sharing::RowLayout;
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Cancel, Tasks};
use crate::simd::Simd;
use crate::tree::Oriented;
use member::{Member, Plan};
use plan::Task;
pub(super) use progress::Progress;
use queue::Queue;
pub(super) use table::{TeamRoom, TeamTable};

/// Below this much work (cells) one thread is as fast as several. Tests have teams for all pairs.
pub(super) const LARGE: f64 = if cfg!(test) { 0.0 } else { 4e7 };

/// One row tree against prepared columns, for several threads.
#[derive(Debug)]
pub(super) struct TeamJob<'a, S: Simd> {
    pub(super) rows: &'a Oriented,
    pub(super) layout: RowLayout<'a>,
    pub(super) columns: &'a Columns<S>,
    /// The filled profile, unless it is lazy.
    pub(super) profile: &'a [S::Vector],
    pub(super) lazy: Option<Lazy<'a>>,
    pub(super) threads: usize,
    pub(super) cancel: &'a Cancel,
}

impl<S: Simd> TeamJob<'_, S> {
    /// Bytes of a table with this number of rows, and of the state of all threads.
    fn bytes(&self, table_rows: usize, shared: &[Chunk]) -> u64 {
        let Self { rows, columns, .. } = self;
        let (row, stack) = self.scratch_vectors(shared);
        let lazy = if self.lazy.is_some() { longest_path(rows) * columns.vectors } else { 0 };
        let vectors = table_rows * columns.vectors + self.threads * (2 * row + stack + lazy);
        (vectors * size_of::<S::Vector>()) as u64
    }

    /// Vectors of scratch of a thread, for the chunks of the columns and for those that are shared: a
    /// row, the stack of rows.
    fn scratch_vectors(&self, shared: &[Chunk]) -> (usize, usize) {
        let (row, _) = self.columns.scratch_vectors(self.rows);
        let widest = shared.iter().map(|chunk| chunk.blocks.len()).fold(row, usize::max);
        (widest, widest * self.rows.max_depth as usize)
    }

    /// Computes the table of subtree values.
    pub(super) fn run<'t>(&self, simd: S, room: &'t mut TeamRoom<S>) -> Result<TeamTable<'t, S>> {
        let shared = passes::shared_chunks(&self.columns.chunks, self.threads);
        let rows = self.rows.distinct_rows;
        memory::check(WHAT, self.bytes(rows, &shared))?;
        let widths: Vec<_> = shared.iter().map(|chunk| chunk.blocks.len()).collect();
        let tasks = plan::tasks(self.rows, &widths, self.threads);
        let size = (rows, self.columns.vectors);
        let table = TeamTable::new(room, size, self.threads, self.cancel)?;
        self.work(simd, Plan { tasks: &tasks, shared: &shared }, &table)?;
        Ok(table)
    }

    /// Computes the rows of the only key-root of the layout, in a table that has all rows below it.
    pub(super) fn run_keyroot(&self, simd: S, table: &mut [S::Vector]) -> Result<()> {
        let shared = passes::shared_chunks(&self.columns.chunks, self.threads);
        memory::check(WHAT, self.bytes(0, &shared))?;
        let tasks = [Task::shared(0)];
        let path = self.layout.fresh.iter().flat_map(|&top| self.rows.left_path_down(top as usize));
        let path = path.map(|i| self.layout.row[i] as usize);
        let table = TeamTable::of_rows(table, self.columns.vectors, path)?;
        self.work(simd, Plan { tasks: &tasks, shared: &shared }, &table)
    }

    /// Does all tasks.
    fn work(&self, simd: S, plan: Plan<'_>, table: &TeamTable<'_, S>) -> Result<()> {
        let queue = Queue::new(plan.tasks, plan.shared.len());
        let team = Tasks { threads: self.threads, count: self.threads, cancel: self.cancel };
        let work = |(): &mut (), _| {
            let _stop = StopOthers(self.cancel);
            Member::new(simd, self, plan, table)?.work(&queue)
        };
        // The calling thread has nothing to ask: whoever called it watches the token.
        parallel::for_each(team, || (), work, |()| {}, || true)
    }
}

/// Stops the other threads if this one panics: they would wait for its rows.
pub(super) struct StopOthers<'a>(pub(super) &'a Cancel);

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.cancel();
        }
    }
}
