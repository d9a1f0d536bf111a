//! Matrices of similarities by features: tree kernels, and shared pq-grams.
//!
//! [`explicit`] compares rows of counted features, [`fragments`] counts the common fragments of
//! two trees without listing them. `fill` runs either over all pairs.

mod dag;
pub mod explicit;
mod fill;
pub mod fragments;
#[cfg(test)]
mod tests;

pub use fill::Extent;
