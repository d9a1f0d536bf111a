//! Many pairs: all of one set, or one set against another.
//!
//! This room knows how pairs are cut into tasks and batches, which pairs a cutoff rules out, what
//! a call takes in memory, and how neighbours are found without a matrix.

mod account;
mod batch;
pub mod edits;
mod filter;
mod find;
mod matrix;
mod packs;
mod paired;
mod plan;
mod request;
mod results;
mod search;
mod task;
#[cfg(test)]
mod tests;
mod whole;

pub use account::{
    Account, Extent, PREPARED_NODE_BYTES, PREPARED_TREE_BYTES, RETURNED_BYTES, account,
};
pub use find::{Documents, FindRequest, FoundMatches, Match, find};
pub use matrix::compute;
pub use paired::{PairedRequest, paired};
pub use plan::{LARGE_WORK, inner_share};
pub use request::{Computed, MatrixRequest};
pub(crate) use results::{Results, must_meet_themselves};
pub(crate) use search::{Best, Exact, Shares};
pub use search::{Found, Index, Method, Neighbor, Pivots, Search, Wanted, search};
