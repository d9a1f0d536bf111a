//! Exact tree edit distances, fast and in parallel.
//!
//! A tree is rooted, ordered and labelled; a forest is a list of trees. The edit distance between
//! two of them is the cost of the cheapest way to turn one into the other by deleting, inserting
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
//! The rooms, from the lowest to the highest; each imports only from those before it, which a test
//! checks:
//!
//! - errors, [`memory`] and [`parallel`]: what can go wrong, memory that is counted before it is
//!   taken, threads and cancelling;
//! - `text`: edit distances of texts, many at once;
//! - [`tree`]: what a tree is, from files and arrays to postorder arrays of both orientations;
//! - [`features`]: what a tree contains, as counts of labels, paths, pq-grams and subtrees;
//! - [`gram`]: how similar trees are by what they contain, as matrices of tree kernels;
//! - [`cost`]: what an edit costs, in whole quanta;
//! - [`pair`]: what is compared, two trees or two sets with their costs, and which pairs are equal;
//! - [`simd`]: vector operations, and the one place that chooses instructions and lanes;
//! - [`distance`]: the distance of one pair, by kernels, bounds and bands;
//! - [`align`]: which edits, one optimal alignment of a pair, all of them, or soft ones;
//! - [`pairwise`]: many pairs, as a matrix, as neighbours, or as counts of edits;
//! - [`join`]: all pairs of trees within a radius, without a look at all pairs;
//! - [`unordered`]: trees without an order of children, one pair or many;
//! - `python`, behind the feature of that name: the private module `treemetric._core`.

pub mod align;
pub mod cost;
pub mod distance;
mod error;
pub mod features;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod gram;
pub mod join;
#[cfg(test)]
mod layers;
pub mod memory;
#[cfg(any(test, feature = "fuzzing"))]
mod naive;
pub mod pair;
pub mod pairwise;
pub mod parallel;
#[cfg(feature = "python")]
mod python;
pub mod simd;
mod text;
pub mod tree;
pub mod unordered;

pub use error::{Error, Result};
