//! What a tree is: preorder arrays from outside, postorder arrays for the kernels.
//!
//! This room reads and writes trees as text, checks that arrays describe a tree, prepares trees
//! once for many comparisons, and finds equal trees and equal subtrees.

pub mod adjacency;
pub mod bracket;
mod copies;
mod ids;
pub mod intern;
pub mod jsonl;
pub mod markup;
mod oriented;
mod paths;
mod prepared;
mod slot;

pub(crate) use copies::Copies;
pub(crate) use ids::{ONCE, SubtreeIds};
pub(crate) use oriented::mix;
pub use oriented::{Orientation, Oriented};
pub(crate) use paths::{Paths, Span};
pub use prepared::{Numbering, Prepared, Shape, check_preorder};
