//! The distance of one pair: the exact tree edit distance of Zhang and Shasha in the savings form.
//! This room knows the kernels, the choice between them, lower bounds, and bands for small cutoffs.
//!
//! The kernels compute the largest *saving* over deleting one tree and inserting the other; the
//! distance is the difference. See `packed.rs` for the recursion.
//!
//! Forests and empty trees get a virtual root whose saving with every node is 0. Pairing it can
//! therefore never beat leaving it alone, and the best saving of the two rooted trees is the
//! best saving of the two forests.

mod banded;
mod bench_hooks;
mod bounded;
mod bounds;
mod columns;
mod engine;
mod hopes;
mod inner;
mod packed;
mod profile;
mod roots;
mod run;
mod savings;
mod scalar;
mod sharing;
mod strategy;
mod tables;
mod team;
mod workspace;

#[cfg(test)]
mod equal_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;

pub(crate) use banded::{distance_in_band, distance_up_to};
#[doc(hidden)]
pub use bench_hooks::{Census, census};
pub(crate) use bounded::{bounds_may_pay, measured_within};
pub use bounded::{distance_within, planned_result};
pub use bounds::Catalogue;
pub(crate) use bounds::{BoundScratch, Bounds, FAVOURITES_BYTES, cell_time, preparation_time};
pub use engine::{Decomposition, Kernel, PairPlan, Route, distance, distance_by, planned_distance};
pub(crate) use engine::{Group, RowTree, estimate, uses_as_columns, with_savings};
pub(crate) use hopes::MOST_TIMES;
pub(crate) use inner::right_places;
pub(crate) use profile::{append_codes, pad_codes};
pub(crate) use roots::root_savings;
pub(crate) use run::GroupRun;
pub(crate) use savings::{Quanta, Read, Savings, Whole, copy_savings, subtree_savings};
pub(crate) use sharing::{KEPT_BYTES, Shared};
pub use strategy::pair_work;
pub(crate) use strategy::{
    best_route, least_row, mixing_may_pay, mixing_may_pay_alone, most_bytes,
};
pub(crate) use tables::{ColumnTables, KEEP_TABLES, Keeper, LARGEST_TABLES};
pub use workspace::{Scratch, Workspace};
