//! Threads: the process-local pools, the cancel token, the task loop. The only file naming rayon.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
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
    /// [`Error::Cancelled`] after [`Cancel::cancel`].
    #[inline(always)]
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
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

/// As many threads as were asked for, but no more than there are tasks, or than could help.
pub(crate) fn useful_threads(threads: usize, tasks: usize) -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    threads.min(tasks).min(8 * cpus).max(1)
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
    let Tasks { threads, count, cancel } = tasks;
    let threads = useful_threads(threads, count);
    let next = AtomicUsize::new(0);
    // Bounded, so that results do not pile up while the caller is busy.
    let (sender, receiver) = sync_channel(4 * threads);
    let mut outcome = Ok(());
    let borrowed = Borrowed::take(threads)?;
    let Some(pool) = &borrowed.0 else { return Err(Error::Cancelled) };
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (sender, next, scratch, work) = (sender.clone(), &next, &scratch, &work);
            scope.spawn(move |_| {
                let mut state = scratch();
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= count || cancel.check().is_err() {
                        return;
                    }
                    let result = work(&mut state, task);
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut polled = Instant::now();
        loop {
            match receiver.recv_timeout(POLL_EVERY) {
                Ok(Ok(result)) => receive(result),
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
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|k| format!("treemetric-{k}")).build();
        pool.map(|pool| Self(Some(pool)))
            .map_err(|error| Error::Invalid(format!("could not start {threads} threads: {error}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once_whatever_the_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut seen = vec![0; 100];
            let work = |calls: &mut usize, task: usize| {
                *calls += 1;
                Ok(task)
            };
            let cancel = Cancel::default();
            for_each(
                Tasks { threads, count: 100, cancel: &cancel },
                || 0,
                work,
                |task| seen[task] += 1,
                || true,
            )
            .unwrap();
            assert!(seen.iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn the_first_error_stops_the_rest() {
        let cancel = Cancel::default();
        let work = |(): &mut (), task: usize| {
            if task == 3 { Err(Error::Invalid("three".into())) } else { Ok(task) }
        };
        let mut received = 0;
        let result = for_each(
            Tasks { threads: 1, count: 1_000, cancel: &cancel },
            || (),
            work,
            |_| received += 1,
            || true,
        );
        assert_eq!(result, Err(Error::Invalid("three".into())));
        assert_eq!(received, 3);
    }

    #[test]
    fn a_poll_that_says_no_cancels() {
        let cancel = Cancel::default();
        let work = |(): &mut (), _| {
            while cancel.check().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            cancel.check()
        };
        let result = for_each(
            Tasks { threads: 2, count: 8, cancel: &cancel },
            || (),
            work,
            |()| {},
            || false,
        );
        assert_eq!(result, Err(Error::Cancelled));
    }

    #[test]
    fn calls_can_be_made_while_another_waits() {
        let cancel = Cancel::default();
        let inner = || {
            let cancel = Cancel::default();
            for_each(
                Tasks { threads: 2, count: 50, cancel: &cancel },
                || (),
                |(): &mut (), task| Ok(task),
                |_| {},
                || true,
            )
        };
        let mut nested = Ok(());
        let receive = |_| nested = nested.clone().and_then(|()| inner());
        for_each(
            Tasks { threads: 2, count: 50, cancel: &cancel },
            || (),
            |(): &mut (), task| Ok(task),
            receive,
            || true,
        )
        .unwrap();
        assert_eq!(nested, Ok(()));
    }

    #[test]
    fn a_crew_keeps_the_order_and_asks() {
        let cancel = Cancel::default();
        for (threads, brief) in [(1, false), (3, false), (3, true)] {
            let mut asked = 0;
            let mut poll = || {
                asked += 1;
                true
            };
            let mut crew = Crew::new(threads, &cancel, &mut poll);
            let slow = |part: usize| {
                std::thread::sleep(Duration::from_millis(if brief { 0 } else { 10 }));
                Ok(part * part)
            };
            let found = crew.map(20, brief, slow).unwrap();
            assert_eq!(found, (0..20).map(|part| part * part).collect::<Vec<_>>());
            assert_eq!(asked > 0, !brief);
        }
        let mut no = || false;
        let endless = || loop {
            std::thread::sleep(Duration::from_millis(1));
            cancel.check()?;
        };
        let result: Result<()> = Crew::new(2, &cancel, &mut no).one(false, endless);
        assert_eq!(result, Err(Error::Cancelled));
    }

    #[test]
    fn no_tasks_is_no_work() {
        let cancel = Cancel::default();
        let work = |(): &mut (), _| -> Result<()> { unreachable!() };
        assert!(
            for_each(
                Tasks { threads: 4, count: 0, cancel: &cancel },
                || (),
                work,
                |()| {},
                || true
            )
            .is_ok()
        );
    }
}
