//! Threads: the process-local pools, the cancel token, the task loop. The only file naming rayon.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, TryLockError};
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

/// Runs `work` for the tasks `0..tasks` on `threads` threads and hands the results to `receive`
/// on the calling thread, in any order.
///
/// Every thread makes its own scratch with `scratch` once. While it waits, the calling thread
/// calls `poll` about every 50 ms; if that returns `false`, or `work` fails, the rest is skipped.
///
/// # Errors
/// The first error of `work`, or [`Error::Cancelled`] if `poll` asked to stop.
pub fn for_each<S, T: Send>(
    threads: usize,
    tasks: usize,
    cancel: &Cancel,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    mut receive: impl FnMut(T),
    mut poll: impl FnMut() -> bool,
) -> Result<()> {
    let threads = threads.clamp(1, tasks.max(1));
    let next = AtomicUsize::new(0);
    // Bounded, so that results do not pile up while the caller is busy.
    let (sender, receiver) = sync_channel(4 * threads);
    let mut outcome = Ok(());
    pool(threads)?.in_place_scope(|scope| {
        for _ in 0..threads {
            let (sender, next, scratch, work) = (sender.clone(), &next, &scratch, &work);
            scope.spawn(move |_| {
                let mut state = scratch();
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks || cancel.check().is_err() {
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

type Pools = Vec<(usize, Arc<rayon::ThreadPool>)>;

/// The pools of the process that made them.
static POOLS: Mutex<Option<(u32, Pools)>> = Mutex::new(None);

/// A pool with that many threads that belongs to this process.
///
/// Threads do not survive `fork`. A child that finds its parent's pools forgets them (dropping
/// them would wait for threads that are not there) and builds its own. Should the lock itself
/// have been held at the moment of the fork, it is never released in the child; then every call
/// makes a pool of its own.
fn pool(threads: usize) -> Result<Arc<rayon::ThreadPool>> {
    let build = || {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|k| format!("treemetric-{k}")).build();
        pool.map(Arc::new)
            .map_err(|error| Error::Invalid(format!("could not start {threads} threads: {error}")))
    };
    let patience = Instant::now();
    let mut pools = loop {
        match POOLS.try_lock() {
            Ok(pools) => break pools,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if patience.elapsed() > Duration::from_secs(1) => {
                return build();
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let process = std::process::id();
    if pools.as_ref().is_none_or(|(owner, _)| *owner != process) {
        std::mem::forget(pools.replace((process, Vec::new())));
    }
    let Some((_, pools)) = pools.as_mut() else { return build() };
    if let Some((_, pool)) = pools.iter().find(|(size, _)| *size == threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = build()?;
    pools.push((threads, Arc::clone(&pool)));
    Ok(pool)
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
            for_each(threads, 100, &cancel, || 0, work, |task| seen[task] += 1, || true).unwrap();
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
        let result = for_each(1, 1_000, &cancel, || (), work, |_| received += 1, || true);
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
        let result = for_each(2, 8, &cancel, || (), work, |()| {}, || false);
        assert_eq!(result, Err(Error::Cancelled));
    }

    #[test]
    fn no_tasks_is_no_work() {
        let cancel = Cancel::default();
        let work = |(): &mut (), _| -> Result<()> { unreachable!() };
        assert!(for_each(4, 0, &cancel, || (), work, |()| {}, || true).is_ok());
    }
}
