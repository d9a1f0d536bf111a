//! Edit distances of texts: sequences of tokens, such as characters and tags.
//!
//! This room knows one step of the bit-parallel dynamic program, and how one text is compared with
//! many others at once.

mod batch;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use batch::{TextBatch, levenshtein};
pub(crate) use words::advance;
