//! The one door for long calls: GIL released, Ctrl-C seen, progress told, errors mapped.

use crate::error::{Error, Result};
use crate::parallel::Cancel;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Runs short work without the GIL. It cannot be interrupted, so it must end within milliseconds.
pub(super) fn briefly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(PyErr::from)
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
    let cancel = Cancel::default();
    let mut raised = None;
    let mut told = None;
    let mut poll = |done: u64| {
        let outcome = Python::attach(|py| -> PyResult<bool> {
            py.check_signals()?;
            match &progress {
                Some(progress) if told != Some(done) => {
                    told = Some(done);
                    let answer = progress.bind(py).call1((done, total))?;
                    // Only False itself says stop; None, 0 and the like do not.
                    Ok(!answer.is_instance_of::<PyBool>() || answer.is_truthy()?)
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
    match (result, raised) {
        (_, Some(error)) => Err(error),
        (Err(Error::Cancelled), None) => Err(Error::Cancelled.into()),
        (result, None) => result.map_err(PyErr::from),
    }
}
