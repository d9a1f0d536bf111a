//! Who does what next.

use crate::distance::team::plan::Task;
use crate::distance::team::table::Shared;
use crate::parallel::Cancel;
use crate::simd::Simd;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread without a task sleeps between two looks at the cancel flag.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A task for one thread, or one chunk of a task that several threads work on.
pub(super) struct Turn<S: Simd> {
    pub(super) task: usize,
    pub(super) chunk: Option<(usize, Arc<Shared<S>>)>,
}

/// A task that may begin or has begun: the longest way to the root first.
struct Ready<S: Simd> {
    order: (u64, Reverse<usize>),
    /// The next chunk, and what the threads share.
    shared: Option<(usize, Arc<Shared<S>>)>,
}

impl<S: Simd> PartialEq for Ready<S> {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}
impl<S: Simd> Eq for Ready<S> {}
impl<S: Simd> PartialOrd for Ready<S> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<S: Simd> Ord for Ready<S> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

struct State<S: Simd> {
    ready: BinaryHeap<Ready<S>>,
    waits_for: Vec<u32>,
    /// Tasks that are not done.
    left: usize,
}

/// Tasks for all threads, and the number of chunks.
pub(super) struct Queue<'a, S: Simd> {
    tasks: &'a [Task],
    chunks: usize,
    state: Mutex<State<S>>,
    changed: Condvar,
}

impl<'a, S: Simd> Queue<'a, S> {
    pub(super) fn new(tasks: &'a [Task], chunks: usize) -> Self {
        let waits_for: Vec<_> = tasks.iter().map(|task| task.waits_for).collect();
        let state = State { ready: BinaryHeap::new(), waits_for, left: tasks.len() };
        let queue = Self { tasks, chunks, state: Mutex::new(state), changed: Condvar::new() };
        let mut state = queue.locked();
        for task in (0..tasks.len()).filter(|&task| tasks[task].waits_for == 0) {
            state.ready.push(queue.ready(task));
        }
        drop(state);
        queue
    }

    fn locked(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ready(&self, number: usize) -> Ready<S> {
        let task = &self.tasks[number];
        let shared = task.is_shared.then(|| (0, Arc::new(Shared::new(self.chunks))));
        Ready { order: (task.rows_above, Reverse(number)), shared }
    }

    /// The next turn of a thread; none if all is done or the work is to stop.
    ///
    /// The chunks of a task are handed out in order, so whoever waits for an earlier chunk waits for
    /// a thread that is at work.
    pub(super) fn next(&self, cancel: &Cancel) -> Option<Turn<S>> {
        let mut state = self.locked();
        loop {
            if state.left == 0 || cancel.check().is_err() {
                return None;
            }
            if let Some(mut first) = state.ready.peek_mut() {
                let Reverse(task) = first.order.1;
                let mut is_last = true;
                let chunk = first.shared.as_mut().map(|(next, shared)| {
                    let chunk = *next;
                    *next += 1;
                    is_last = *next == self.chunks;
                    (chunk, Arc::clone(shared))
                });
                if is_last {
                    PeekMut::pop(first);
                }
                return Some(Turn { task, chunk });
            }
            let waited = self.changed.wait_timeout(state, LOOK_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The task is done: others may begin.
    pub(super) fn done(&self, task: usize) {
        let mut state = self.locked();
        state.left -= 1;
        let mut begun = 0;
        for &later in &self.tasks[task].next {
            let later = later as usize;
            state.waits_for[later] -= 1;
            if state.waits_for[later] == 0 {
                let ready = self.ready(later);
                state.ready.push(ready);
                begun += 1;
            }
        }
        if begun > 0 || state.left == 0 {
            self.changed.notify_all();
        }
    }
}
