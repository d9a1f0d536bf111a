//! What a tree is: preorder arrays from outside, postorder arrays for the kernels.

pub mod adjacency;
pub mod bracket;
mod copies;
mod ids;
pub mod intern;
pub mod jsonl;
mod oriented;
mod paths;
mod prepared;
mod slot;

pub(crate) use copies::Copies;
pub(crate) use ids::SubtreeIds;
pub use oriented::{Orientation, Oriented};
pub(crate) use paths::{Paths, Span};
pub use prepared::{Numbering, Prepared, check_preorder};
