//! What an edit costs.
//!
//! A cost function lives on labels and a gap: replace, delete, insert. The kernels never see it
//! as such; they see *savings*, `delete + insert - replace`, in whole quanta (see [`scale`]).

mod axioms;
mod meeting;
mod operations;
pub mod scale;
mod table;
pub mod texts;
mod units;
pub mod vectors;

pub use axioms::{Axiom, Violation, closure, violations};
pub use meeting::{GatheredLabels, MeetingCosts};
pub use operations::OperationCosts;
pub use scale::Scale;
pub use table::CostTable;
pub(crate) use table::NEVER;
