//! The one door for long calls: GIL released, Ctrl-C seen, progress reported, errors mapped.

use super::allocator;
use crate::error::{Error, Result};
use crate::parallel::{self, Cancel, Tasks};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::sync::Mutex;

/// Number of threads, and the callback that reports progress.
pub(super) type Work = (usize, Option<Py<PyAny>>);

/// Runs work of microseconds with the GIL.
pub(super) fn at_once<T>(work: impl FnOnce() -> Result<T>) -> PyResult<T> {
    allocator::prepare()?;
    work().map_err(PyErr::from)
}

/// Runs short work without the GIL. It cannot be interrupted, so it must end within milliseconds.
pub(super) fn briefly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    allocator::prepare()?;
    py.detach(work).map_err(PyErr::from)
}

/// Runs long work on one other thread, without the GIL, so that Ctrl-C can stop it.
pub(super) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send,
) -> PyResult<T> {
    watched_while(py, None, work)
}

/// The same, as long as a function of Python does not return `False`: threads of Python other than
/// the main one see no signals. It is called again and again, with numbers that rise.
pub(super) fn watched_while<T: Send>(
    py: Python<'_>,
    go_on: Option<Py<PyAny>>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send,
) -> PyResult<T> {
    enter(py, go_on, u64::MAX, |cancel, poll| {
        let mut looks = 0;
        let work = Mutex::new(Some(work));
        let once = |(): &mut (), _| match work.lock() {
            Ok(mut work) => work.take().map(|work| work(cancel)).transpose(),
            Err(_) => Err(Error::Cancelled),
        };
        let mut found = None;
        let tasks = Tasks { threads: 1, count: 1, cancel };
        let look = || {
            looks += 1;
            poll(looks)
        };
        parallel::for_each(tasks, || (), once, |result| found = result, look)?;
        found.ok_or(Error::Cancelled)
    })
}

/// Runs long work without the GIL.
///
/// `work` gets a cancel token and a function to call now and then, from the calling thread, with
/// the number of steps done. That function looks for signals (Python only delivers them to the
/// main thread, which is the calling one) and calls `progress(done, total)`; a signal handler
/// that raises, an exception in `progress` or `False` from it cancel the work.
pub(super) fn enter<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    total: u64,
    work: impl FnOnce(&Cancel, &mut dyn FnMut(u64) -> bool) -> Result<T> + Send,
) -> PyResult<T> {
    allocator::prepare()?;
    let cancel = Cancel::default();
    let mut raised = None;
    let mut reported = None;
    let mut poll = |done: u64| {
        let outcome = Python::attach(|py| -> PyResult<bool> {
            py.check_signals()?;
            match &progress {
                Some(progress) if reported != Some(done) => {
                    reported = Some(done);
                    let answer = progress.bind(py).call1((done, total))?;
                    // Only False says stop, Python's or NumPy's; None, 0 and the like do not.
                    let name = answer.get_type().name()?;
                    let boolean =
                        answer.is_instance_of::<PyBool>() || name == "bool" || name == "bool_";
                    Ok(!boolean || answer.is_truthy()?)
                }
                _ => Ok(true),
            }
        });
        outcome.unwrap_or_else(|error| {
            raised = Some(error);
            false
        })
    };
    let result = py.detach(|| work(&cancel, &mut poll));
    match raised {
        Some(error) => Err(error),
        None => result.map_err(PyErr::from),
    }
}
