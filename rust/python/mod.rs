//! The Python face: the private module `treemetric._core`. Nothing else names pyo3 or numpy.
//!
//! Functions here turn Python objects into the values of the rooms below, release the GIL, and
//! turn results and errors into Python objects. They hold no algorithms.

mod align;
mod allocator;
mod ast;
mod cost;
mod distance;
mod edit_counts;
mod error;
mod features;
mod files;
mod find;
mod join;
mod labels;
mod machine;
mod neighbors;
mod objects;
mod output;
mod plan;
mod run;
mod set;
mod tables;
mod texts;
mod tree;
mod unordered;

use pyo3::prelude::*;

// No GIL is needed: all classes are frozen, scratch is thread-local, and what is shared is behind
// locks or computed once, none of which call Python (see DESIGN.md).
#[pymodule(name = "_core", gil_used = false)]
mod core {
    #[pymodule_export]
    use super::align::{
        Alignments, CoOptimalPair, align_pair, alignment_cost, all_pairs, soft_pair,
        subtree_distances,
    };
    #[pymodule_export]
    use super::cost::{CostTable, VectorTable, closure, encode, violations};
    #[pymodule_export]
    use super::distance::{
        distance_by, is_whole, pair_result, paired, pairwise, table_distance, unit_distance,
    };
    #[pymodule_export]
    use super::edit_counts::{edit_counts, pair_edit_counts};
    #[pymodule_export]
    use super::features::{
        FeatureTrie, count_features, hash_features, self_kernels, shared_pqgrams, tree_kernels,
    };
    #[pymodule_export]
    use super::files::{read_bracket, read_jsonl, write_bracket, write_jsonl};
    #[pymodule_export]
    use super::find::find;
    #[pymodule_export]
    use super::join::{Join, KnownTrees};
    #[pymodule_export]
    use super::machine::{available_memory, instructions, processor_features, threads};
    #[pymodule_export]
    use super::neighbors::{SearchIndex, neighbors};
    #[pymodule_export]
    use super::plan::{inner_shares, matrix_bytes};
    #[pymodule_export]
    use super::set::{PreparedSet, Shapes, check_arrays, pack};
    #[pymodule_export]
    use super::tables::{pair, tree};
    #[pymodule_export]
    use super::texts::TextTable;
    #[pymodule_export]
    use super::tree::TreeData;
    #[pymodule_export]
    use super::unordered::{
        unordered_align_pair, unordered_distance, unordered_pairwise, unordered_subtree_distances,
    };
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // the name that Python expects
    const __version__: &str = env!("CARGO_PKG_VERSION");
    /// Refuses an environment that is not valid, before a result depends on it. Loads NumPy's
    /// interface now: loading it for the first result would fail if a signal waits.
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::simd::limit::check()?;
        super::allocator::prepare()?;
        module.py().import("numpy")?;
        let _ = numpy::PyArray1::<f64>::from_vec(module.py(), vec![0.0]);
        Ok(())
    }
    #[pymodule_export]
    const LARGE_WORK: f64 = crate::pairwise::LARGE_WORK;
    #[pymodule_export]
    const PREPARED_NODE_BYTES: u64 = crate::pairwise::PREPARED_NODE_BYTES;
    #[pymodule_export]
    const PREPARED_TREE_BYTES: u64 = crate::pairwise::PREPARED_TREE_BYTES;
    #[pymodule_export]
    const RETURNED_BYTES: u64 = crate::pairwise::RETURNED_BYTES;
}
