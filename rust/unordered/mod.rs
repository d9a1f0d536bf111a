//! Trees without an order of children: the constrained edit distance of Zhang (1996).
//!
//! The edit distance of unordered trees is NP-hard. The constrained distance allows only mappings
//! that send disjoint subtrees to disjoint subtrees, and takes polynomial time: the pairs of
//! children of two nodes form a matching. This room knows the distinct subtrees of trees without
//! order, the recursion over their pairs, the matching, one alignment, and matrices.

mod dag;
mod labels;
mod matching;
mod matrix;
mod pair;
mod quantum;
mod table;
#[cfg(test)]
mod tests;
mod trace;

pub use matrix::compute;
pub use pair::{Workspace, distance, pair_work, subtree_distances};
pub use trace::align;
