//! Features of trees: counts of labels, paths, pq-grams and subtrees, in linear time.
//!
//! Every feature is a string that starts with its family and goes on with labels or with other
//! features. A `Book` names such strings step by step: exactly, by a `Trie` that grows or by
//! one that is complete, or by hashes that need no memory of earlier trees. `walk` lists the
//! features of one tree, [`count`] counts those of many trees in parallel.

mod book;
mod count;
mod flat;
#[cfg(test)]
mod tests;
mod trie;
mod walk;

pub use book::{Hashing, LabelHashes};
pub use count::{Counted, Rows, count, count_hashed, count_known};
pub use flat::{Flat, Nodes};
pub use trie::{Family, Trie};
pub use walk::{Kinds, PqGrams};

pub(crate) use walk::{complete_subtrees, production};
