//! Core errors as Python exceptions, in one place.

use crate::error::Error;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Memory { .. } | Error::Exhausted => PyMemoryError::new_err(message),
            Error::Threads { .. } => PyRuntimeError::new_err(message),
            Error::Cancelled => own("CancelledError", message),
            _ => PyValueError::new_err(message),
        }
    }
}

/// An exception of `treemetric.exceptions`, where users find and read about them.
pub(super) fn own(name: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("treemetric.exceptions")
            .and_then(|module| module.getattr(name)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
