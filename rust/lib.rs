//! Exact tree edit distances, fast and in parallel.
//!
//! A tree is rooted, ordered and labelled; a forest is a list of trees. The edit distance between
//! two of them is the price of the cheapest way to turn one into the other by deleting, inserting
//! and replacing nodes. Trees are prepared once and compared many times:
//!
//! ```
//! use treemetric::distance::{Scratch, Workspace, distance};
//! use treemetric::pair::{Operand, Pair, Costs};
//! use treemetric::parallel::Cancel;
//! use treemetric::tree::{Numbering, Prepared};
//!
//! // a(b, c) and a(c), in preorder: label codes and parents.
//! let mut numbering = Numbering::default();
//! let x = Prepared::new(&[0, 1, 2], &[-1, 0, 0], &mut numbering);
//! let y = Prepared::new(&[0, 2], &[-1, 0], &mut numbering);
//! let operand = |tree| Operand { tree, codes: None };
//! let pair = Pair { x: operand(&x), y: operand(&y), costs: Costs::Unit };
//! let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
//! let d = distance(&pair, &mut Scratch { workspace: &mut workspace, cancel: &cancel });
//! assert_eq!(d, Ok(1.0));
//! ```
//!
//! The rooms: [`tree`] what a tree is, [`cost`] what an edit costs, [`distance`] what a pair
//! costs, [`pairwise`] many pairs, [`parallel`] threads and cancelling. The Python face lives
//! behind the feature `python`.

pub mod align;
pub mod cost;
pub mod distance;
mod error;
#[cfg(test)]
mod layers;
pub mod memory;
#[cfg(test)]
mod naive;
pub mod pair;
pub mod pairwise;
pub mod parallel;
#[cfg(feature = "python")]
mod python;
pub mod simd;
pub mod tree;

pub use error::{Error, Result};
