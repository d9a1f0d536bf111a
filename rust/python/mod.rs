//! The Python face: the private module `treemetric._core`. Nothing else names pyo3 or numpy.
//!
//! Functions here turn Python objects into the values of the rooms below, release the GIL, and
//! turn results and errors into Python objects. They hold no algorithms.

mod align;
mod cost;
mod distance;
mod error;
mod files;
mod neighbors;
mod objects;
mod plan;
mod run;
mod set;
mod tree;

use pyo3::prelude::*;

#[pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use super::align::{
        Alignments, align_pair, alignment_cost, all_pairs, cooptimal_count, cooptimal_expectation,
        cooptimal_sample, edit_counts, soft_pair, subtree_distances,
    };
    #[pymodule_export]
    use super::cost::{CostTable, VectorTable, closure, encode, violations};
    #[pymodule_export]
    use super::distance::{
        available_memory, distance_by, pairwise, table_distance, threads, unit_distance,
    };
    #[pymodule_export]
    use super::files::{read_bracket, read_jsonl, write_bracket, write_jsonl};
    #[pymodule_export]
    use super::neighbors::{SearchIndex, neighbors};
    #[pymodule_export]
    use super::plan::{inner_shares, matrix_bytes};
    #[pymodule_export]
    use super::set::{PreparedSet, check_arrays, pack};
    #[pymodule_export]
    use super::tree::TreeData;
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // the name that Python expects
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
