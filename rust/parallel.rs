//! Threads: the process-local pools, the cancel token, the task loop. The only file naming rayon.

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::memory;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How long the calling thread waits between two looks at its signals.
const POLL_EVERY: Duration = Duration::from_millis(50);
/// Environment variable that bounds the number of threads.
const CEILING: &str = "TREEMETRIC_NUM_THREADS";

/// A flag that long loops look at; once set they return [`Error::Cancelled`].
#[derive(Debug, Default, Clone)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all holders of this token to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] after [`Cancel::cancel`]; [`Error::Exhausted`] if memory ran out.
    #[inline(always)]
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else if memory::is_low() {
            Err(Error::Exhausted)
        } else {
            Ok(())
        }
    }
}

/// The value of `TREEMETRIC_NUM_THREADS`, if it is set to a positive number.
pub fn ceiling() -> usize {
    let text = std::env::var(CEILING).ok();
    text.and_then(|text| text.trim().parse().ok()).filter(|&k| k > 0).unwrap_or(usize::MAX)
}

/// Number of threads that this process may use: its CPUs, or [`ceiling`] if smaller.
pub fn usable_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(ceiling())
}

/// More threads than this per CPU do not help.
const PER_CPU: usize = 8;

/// As many threads as were asked for, but no more than there are tasks, or than could help.
pub(crate) fn useful_threads(threads: usize, tasks: usize) -> usize {
    let threads = threads.min(tasks).max(1);
    if threads <= PER_CPU {
        return threads; // counting the CPUs reads files
    }
    threads.min(PER_CPU * std::thread::available_parallelism().map_or(1, usize::from))
}

/// Tasks that are numbered from 0, and who works on them.
#[derive(Debug, Clone, Copy)]
pub struct Tasks<'a> {
    /// Number of threads; no more than help are used.
    pub threads: usize,
    /// Number of tasks.
    pub count: usize,
    /// Stops all threads.
    pub cancel: &'a Cancel,
}

/// Runs `work` for all tasks and hands the results to `receive` on the calling thread, in any
/// order.
///
/// Every thread makes its own scratch with `scratch` once. While it waits, the calling thread
/// calls `poll` about every 50 ms; if that returns `false`, or `work` fails, the rest is skipped.
///
/// # Errors
/// The first error of `work`, or [`Error::Cancelled`] if `poll` asked to stop.
pub fn for_each<S, T: Send>(
    tasks: Tasks<'_>,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    mut receive: impl FnMut(T),
    mut poll: impl FnMut() -> bool,
) -> Result<()> {
    let results = Mutex::new(VecDeque::new());
    let on_thread = |worker: &Worker<'_>| {
        let mut state = scratch();
        while let Some(task) = worker.next_task() {
            let result = work(&mut state, task);
            if !worker.report(result.map(|result| locked(&results).push_back(result))) {
                return;
            }
        }
    };
    let mut receive_one = || {
        let result = locked(&results).pop_front();
        if let Some(result) = result {
            receive(result);
        }
    };
    on_threads(tasks, &on_thread, &mut receive_one, &mut poll)
}

/// A thread that works on tasks.
struct Worker<'a> {
    tasks: Tasks<'a>,
    next: &'a AtomicUsize,
    reports: SyncSender<Result<()>>,
}

impl Worker<'_> {
    /// The next task that nobody works on, if there is one.
    fn next_task(&self) -> Option<usize> {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task < self.tasks.count && self.tasks.cancel.check().is_ok()).then_some(task)
    }

    /// Reports that a task is done; whether to go on.
    fn report(&self, done: Result<()>) -> bool {
        let failed = done.is_err();
        self.reports.send(done).is_ok() && !failed
    }
}

/// The part of [`for_each`] that is compiled once for all types of results: starts the threads, and
/// calls `receive` for each task that is done.
fn on_threads(
    tasks: Tasks<'_>,
    on_thread: &(dyn Fn(&Worker<'_>) + Sync),
    receive: &mut dyn FnMut(),
    poll: &mut dyn FnMut() -> bool,
) -> Result<()> {
    let Tasks { threads, count, cancel } = tasks;
    let threads = useful_threads(threads, count);
    let next = &AtomicUsize::new(0);
    // Bounded, so that results do not pile up while the caller is busy.
    let (reports, receiver) = sync_channel(4 * threads);
    let mut outcome = Ok(());
    let borrowed = Borrowed::take(threads)?;
    let Some(pool) = &borrowed.0 else { return Err(Error::Cancelled) };
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let worker = Worker { tasks, next, reports: reports.clone() };
            scope.spawn(move |_| on_thread(&worker));
        }
        drop(reports);
        let mut polled = Instant::now();
        loop {
            match receiver.recv_timeout(POLL_EVERY) {
                Ok(Ok(())) => receive(),
                Ok(Err(error)) => {
                    cancel.cancel();
                    if outcome.is_ok() {
                        outcome = Err(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if polled.elapsed() >= POLL_EVERY && outcome.is_ok() {
                if !poll() {
                    cancel.cancel();
                    outcome = Err(Error::Cancelled);
                }
                polled = Instant::now();
            }
        }
    });
    outcome.and_then(|()| cancel.check())
}

/// What a lock protects; also after a panic, which ends the call in any case.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides when a long loop on the calling thread looks at its signals.
#[derive(Debug)]
pub(crate) struct Pace {
    steps: u32,
    polled: Instant,
}

impl Pace {
    /// Steps between two looks at the clock.
    const STEPS: u32 = 1 << 12;

    pub(crate) fn new() -> Self {
        Self { steps: 0, polled: Instant::now() }
    }

    /// Counts a step; whether it is time.
    #[inline(always)]
    pub(crate) fn is_due(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(Self::STEPS) || self.polled.elapsed() < POLL_EVERY {
            return false;
        }
        self.polled = Instant::now();
        true
    }
}

/// The threads that prepare a call, while the calling thread asks `poll` whether to go on.
pub(crate) struct Crew<'a> {
    pub(crate) threads: usize,
    pub(crate) cancel: &'a Cancel,
    poll: Option<&'a mut dyn FnMut() -> bool>,
    polled: Instant,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(
        threads: usize,
        cancel: &'a Cancel,
        poll: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        Self { threads, cancel, poll: Some(poll), polled: Instant::now() }
    }

    /// Only the calling thread, which asks nobody: for work that is short or watched already.
    pub(crate) fn alone(cancel: &'a Cancel) -> Self {
        Self { threads: 1, cancel, poll: None, polled: Instant::now() }
    }

    /// Asks whether to go on, if nobody has for a while: between pieces of work that are brief.
    pub(crate) fn ask(&mut self) -> Result<()> {
        if self.polled.elapsed() >= POLL_EVERY {
            self.polled = Instant::now();
            if self.poll.as_mut().is_some_and(|poll| !poll()) {
                self.cancel.cancel();
            }
        }
        self.cancel.check()
    }

    /// The results of `work` for the parts `0..parts`, in order. What is `brief`, milliseconds at
    /// most, is done by the calling thread.
    pub(crate) fn map<T: Send>(
        &mut self,
        parts: usize,
        brief: bool,
        work: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let poll = match &mut self.poll {
            Some(poll) if !brief => poll,
            _ => return (0..parts).map(work).collect(),
        };
        let mut found: Vec<Option<T>> = (0..parts).map(|_| None).collect();
        let one = |(): &mut (), part: usize| Ok((part, work(part)?));
        let receive = |(part, result): (usize, T)| found[part] = Some(result);
        let tasks = Tasks { threads: self.threads, count: parts, cancel: self.cancel };
        for_each(tasks, || (), one, receive, poll)?;
        found.into_iter().map(|result| result.ok_or(Error::Cancelled)).collect()
    }

    /// The result of work that cannot be divided.
    pub(crate) fn one<T: Send>(
        &mut self,
        brief: bool,
        work: impl Fn() -> Result<T> + Sync,
    ) -> Result<T> {
        self.map(1, brief, |_| work())?.pop().ok_or(Error::Cancelled)
    }
}

/// A pool that no other call uses while this one holds it; given back when dropped.
struct Borrowed(Option<rayon::ThreadPool>);

/// Idle pools and the process that made them.
type Idle = Option<(u32, Vec<rayon::ThreadPool>)>;

static IDLE: Mutex<Idle> = Mutex::new(None);
/// Room that a thread needs to start: its stack of 2 MiB, and what belongs to it.
const THREAD_BYTES: u64 = 4 << 20;
/// Idle pools that are kept; more are closed.
const KEEP_POOLS: usize = 4;

impl Borrowed {
    /// An idle pool with that many threads, or a new one.
    ///
    /// Calls never share a pool: one that waited for another's threads could neither be
    /// interrupted nor be made from inside the other's progress callback.
    fn take(threads: usize) -> Result<Self> {
        if let Some(mut idle) = idle() {
            let of_size = |pool: &rayon::ThreadPool| pool.current_num_threads() == threads;
            if let Some((_, pools)) = idle.as_mut()
                && let Some(position) = pools.iter().position(of_size)
            {
                return Ok(Self(Some(pools.swap_remove(position))));
            }
        }
        // A thread that starts and then cannot have its small stack for signals ends the process.
        if memory::available() < threads as u64 * THREAD_BYTES {
            return Err(Error::Exhausted);
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|k| format!("treemetric-{k}")).build();
        pool.map(|pool| Self(Some(pool)))
            .map_err(|error| Error::Threads { threads, reason: error.to_string() })
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let Some(mut idle) = idle() else { return };
        if let (Some((_, pools)), Some(pool)) = (idle.as_mut(), self.0.take()) {
            pools.push(pool);
            if pools.len() > KEEP_POOLS {
                pools.remove(0);
            }
        }
    }
}

/// The idle pools of this process.
///
/// Threads do not survive `fork`. A child that finds its parent's pools forgets them: dropping
/// them would wait for threads that are not there. Should the lock itself have been held at the
/// moment of the fork, it is never released in the child; then there are no idle pools, and every
/// call makes its own.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    let patience = Instant::now();
    let mut idle = loop {
        match IDLE.try_lock() {
            Ok(idle) => break idle,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if patience.elapsed() > Duration::from_millis(200) => {
                return None;
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let process = std::process::id();
    if idle.as_ref().is_none_or(|(owner, _)| *owner != process) {
        std::mem::forget(idle.replace((process, Vec::new())));
    }
    Some(idle)
}
