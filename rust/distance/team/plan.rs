//! The tasks of a team: which key-roots, which of them are shared, and what they wait for.

use crate::tree::Oriented;
use std::ops::Range;

/// Blocks that a task takes at least, if there are others: a tenth of a millisecond.
const SMALL_TASK: u64 = if cfg!(test) { 40 } else { 40_000 };
/// Blocks of a chunk of a key-root, over all of its rows: less is not worth the handing over.
const SMALL_PART: u64 = if cfg!(test) { 10 } else { 10_000 };
/// Tasks for each thread, if they are not too small.
const TASKS_PER_THREAD: u64 = 64;
const NONE: u32 = u32::MAX;

/// Key-roots that are done one after the other by one thread, or one that several threads work on.
#[derive(Debug)]
pub(super) struct Task {
    /// Positions among the fresh key-roots.
    pub(super) keyroots: Range<usize>,
    /// Whether the columns are shared out, chunk by chunk.
    pub(super) is_shared: bool,
    /// Rows from here to the root: longer ways come first.
    pub(super) rows_above: u64,
    /// Number of tasks to wait for.
    pub(super) waits_for: u32,
    /// Tasks that wait for this one.
    pub(super) next: Vec<u32>,
}

impl Task {
    /// A key-root that waits for nothing, for several threads.
    pub(super) fn shared(position: usize) -> Self {
        Self {
            keyroots: position..position + 1,
            is_shared: true,
            rows_above: 0,
            waits_for: 0,
            next: Vec::new(),
        }
    }
}

/// All tasks for a row tree. `chunks` holds the number of blocks of each chunk.
pub(super) fn tasks(rows: &Oriented, chunks: &[usize], threads: usize) -> Vec<Task> {
    let per_row = chunks.iter().sum::<usize>().max(1) as u64;
    let total = rows.row_work * per_row;
    let task_rows = (total / (TASKS_PER_THREAD * threads as u64)).max(SMALL_TASK) / per_row;
    let shared_rows = match chunks.len() {
        0 | 1 => u64::MAX,
        chunks => SMALL_PART * chunks as u64 / per_row,
    };
    Cut { rows, task_rows, shared_rows }.tasks()
}

/// How the fresh key-roots of a tree are cut into tasks.
struct Cut<'a> {
    rows: &'a Oriented,
    /// Rows that a task has at least, if it holds several key-roots.
    task_rows: u64,
    /// Rows that a key-root has at least if its chunks are shared out.
    shared_rows: u64,
}

impl Cut<'_> {
    fn tasks(&self) -> Vec<Task> {
        let rows = self.rows;
        let fresh = &rows.fresh;
        let size = |position: usize| u64::from(rows.size[fresh[position] as usize]);
        // Rows of all fresh key-roots before each.
        let mut before = vec![0];
        for position in 0..fresh.len() {
            before.push(before[position] + size(position));
        }
        let above = self.keyroots_above();
        let rows_above = self.rows_above(&above);
        // Rows of a fresh key-root and of all those below it, which are before it.
        let nested = |position: usize| {
            let first = rows.first(fresh[position] as usize) as u32;
            before[position + 1] - before[fresh.partition_point(|&k| k < first)]
        };
        let mut tasks: Vec<Task> = Vec::new();
        let mut is_open = false;
        for position in 0..fresh.len() {
            let is_large = nested(position) > self.task_rows;
            match tasks.last_mut() {
                // Whole subtrees only, so that tasks do not wait for what comes in between.
                Some(task) if is_open && !is_large => {
                    task.keyroots.end = position + 1;
                    task.rows_above = task.rows_above.max(rows_above[position]);
                }
                _ => tasks.push(Task {
                    keyroots: position..position + 1,
                    is_shared: is_large && size(position) >= self.shared_rows,
                    rows_above: rows_above[position],
                    waits_for: 0,
                    next: Vec::new(),
                }),
            }
            let held =
                tasks.last().map_or(0, |task| before[position + 1] - before[task.keyroots.start]);
            let ends_subtree =
                above[position] == NONE || nested(above[position] as usize) > self.task_rows;
            is_open = !(is_large || ends_subtree && held >= self.task_rows);
        }
        self.connect(&mut tasks);
        tasks
    }

    /// The position of the nearest key-root above each fresh one. It is fresh as well: the subtrees
    /// of copies are copies.
    fn keyroots_above(&self) -> Vec<u32> {
        let Oriented { fresh, .. } = self.rows;
        let mut above = vec![NONE; fresh.len()];
        let mut open: Vec<usize> = Vec::new();
        for position in (0..fresh.len()).rev() {
            let node = fresh[position] as usize;
            // Of those that are still open the last one is the smallest.
            while open.last().is_some_and(|&upper| self.rows.first(fresh[upper] as usize) > node) {
                open.pop();
            }
            above[position] = open.last().map_or(NONE, |&upper| upper as u32);
            open.push(position);
        }
        above
    }

    /// Rows of each fresh key-root and of all those above it.
    fn rows_above(&self, above: &[u32]) -> Vec<u64> {
        let mut sums = vec![0; above.len()];
        for position in (0..above.len()).rev() {
            let upper = above[position];
            let own = u64::from(self.rows.size[self.rows.fresh[position] as usize]);
            sums[position] = own + if upper == NONE { 0 } else { sums[upper as usize] };
        }
        sums
    }

    /// Finds what waits for what: a key-root for those whose rows hold the subtrees right below its
    /// path, its own or earlier copies.
    fn connect(&self, tasks: &mut [Task]) {
        let rows = self.rows;
        let mut task_of = vec![0; rows.fresh.len()];
        for (number, task) in (0..).zip(&*tasks) {
            task_of[task.keyroots.clone()].fill(number);
        }
        // The task that computes each row.
        let mut maker = vec![NONE; rows.distinct_rows];
        for (&keyroot, &task) in rows.fresh.iter().zip(&task_of) {
            for i in rows.left_path_down(keyroot as usize) {
                maker[rows.row[i] as usize] = task;
            }
        }
        for (&keyroot, &task) in rows.fresh.iter().zip(&task_of) {
            for i in rows.left_path_down(keyroot as usize) {
                for child in rows.children(i) {
                    let needed = maker[rows.row[child] as usize];
                    if needed != task {
                        tasks[needed as usize].next.push(task);
                    }
                }
            }
        }
        for number in 0..tasks.len() {
            let next = &mut tasks[number].next;
            next.sort_unstable();
            next.dedup();
            for later in std::mem::take(next) {
                tasks[later as usize].waits_for += 1;
                tasks[number].next.push(later);
            }
        }
    }
}
