//! What this machine has: threads, memory, instructions.

use crate::parallel;
use crate::simd::{self, Instructions};
use pyo3::prelude::*;

/// The number of threads that `n_jobs` (-1: all) stands for.
#[pyfunction]
pub(super) fn threads(n_jobs: i64) -> usize {
    let usable = parallel::usable_threads();
    usize::try_from(n_jobs).map_or(usable, |wanted| wanted.min(parallel::ceiling()).max(1))
}

/// Bytes that the system can still give.
#[pyfunction]
pub(super) fn available_memory() -> u64 {
    crate::memory::available()
}

/// Vector instructions of the processor.
#[pyfunction]
pub(super) fn processor_features() -> Vec<&'static str> {
    simd::features()
}

/// Instruction sets that there is a kernel for: those that the processor has, and those that kernels
/// use; the best first, "scalar" last.
#[pyfunction]
pub(super) fn instructions() -> (Vec<&'static str>, Vec<&'static str>) {
    let names = |sets: Vec<Instructions>| {
        sets.into_iter().map(Instructions::name).chain([simd::limit::SCALAR]).collect()
    };
    (names(Instructions::detected()), names(Instructions::usable()))
}
