//! What is compared: two trees or two sets of trees, and what edits between them cost.
//!
//! This room knows how label codes of a tree translate to those of a comparison, what deleting or
//! inserting a whole tree costs, and which pairs are at distance 0 without computing anything.

mod equal;
mod local;
mod operand;
mod prices;
mod pricing;

pub(crate) use equal::{costs_nothing, is_same};
pub(crate) use local::Local;
pub use operand::{Operand, Side};
pub use prices::Prices;
pub use pricing::{Pricing, cost_of_pairs};
