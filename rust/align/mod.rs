//! Which edits: one optimal alignment, all of them, how many, how often each pair.
//!
//! An *alignment* is a set of pairs of nodes that keeps ancestry and left-to-right order; nodes
//! without a partner are deleted or inserted. Several can be optimal.
//!
//! Everything here walks the two trees in preorder (the right decomposition, whose postorder is
//! the reversed preorder), or along left paths where [`Ties::Delete`] asks for it, or where the
//! order does not show and that is less work. The grammar has two states, so that every alignment is derived in exactly one way:
//!
//! ```text
//! any     ->  delete the next node of x, then any   |   mapped
//! mapped  ->  insert the next node of y, then mapped
//!          |  pair the two next nodes: any on what is below them, any on what is beside them
//! ```
//!
//! "Insert, then delete" cannot be derived, only "delete, then insert": counting both would count
//! paths through the dynamic program instead of alignments. The smallest pair of trees that
//! shows the difference is a(a, a) and a(a(a)): 6 optimal alignments, 7 paths.
//!
//! The savings of all pairs of subtrees come from the kernels of [`crate::distance`]; the forests
//! between them are recomputed, but only those that optimal alignments pass through, and counting
//! looks only at the cells of these that are reached.

/// Evaluates an expression with `$quanta` as the type of whole numbers that these costs need for
/// pairs with that many nodes in sum.
macro_rules! in_quanta {
    ($costs:expr, $nodes:expr, $quanta:ident => $body:expr) => {
        if $costs.is_wide_for($nodes) {
            type $quanta = i128;
            $body
        } else {
            type $quanta = i64;
            $body
        }
    };
}
pub(crate) use in_quanta;

mod amount;
mod count;
mod enumerate;
mod forest;
mod inner;
mod problem;
mod reach;
mod recycle;
mod sample;
mod soft;
mod sweep;
mod trace;

#[cfg(test)]
mod tests;

pub use count::{CoOptimal, Expectation, Solved};
pub use enumerate::Enumeration;
pub use problem::{Order, Problem, align_work, subtree_distances, walks_in_preorder};
pub(crate) use problem::{Setting, only_counterparts};
pub(crate) use recycle::Recycled;
pub use soft::soft_alignment;
pub(crate) use soft::{soft_table_bytes, soft_work};
pub(crate) use sweep::KEEP_LISTS;
pub use trace::{Ties, one_alignment};

/// Whole numbers of quanta: `i64`, or `i128` for wide tables and large trees.
pub(crate) trait Integer: crate::distance::Quanta + recycle::Recycle {}
impl Integer for i64 {}
impl Integer for i128 {}

/// Pairs of an alignment as preorder indices, ascending.
pub type Pairs = Vec<(u32, u32)>;
