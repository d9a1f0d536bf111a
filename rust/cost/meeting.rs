//! Costs that are computed for the labels that meet: by vectors or by texts.
//!
//! The labels of a tree, or of a few, are gathered; two gatherings give a [`CostTable`] of just
//! these labels. All tables of one vocabulary have the same quantum, and every entry is computed in
//! the same way, so distances do not depend on which labels are taken together.

use crate::cost::scale::Scale;
use crate::cost::table::CostTable;
use crate::cost::texts::{GatheredTexts, TextCosts};
use crate::cost::vectors::{Gathered, VectorCosts};
use std::sync::Arc;

/// Costs of a vocabulary, without a table of all its labels. All kinds are symmetric.
#[derive(Debug, Clone, Copy)]
pub enum MeetingCosts<'a> {
    /// Labels have vectors.
    Vectors(&'a VectorCosts<'a>),
    /// Labels have texts.
    Texts(&'a TextCosts),
}

/// What is known of a few labels, side by side.
#[derive(Debug)]
pub enum GatheredLabels {
    /// Their vectors.
    Vectors(Gathered),
    /// Their texts.
    Texts(Arc<GatheredTexts>),
}

impl MeetingCosts<'_> {
    /// How quanta become costs.
    pub fn scale(self) -> Scale {
        match self {
            MeetingCosts::Vectors(vectors) => vectors.scale(),
            MeetingCosts::Texts(texts) => texts.scale(),
        }
    }

    /// What deleting or inserting a label costs, in quanta.
    pub fn gap(self, code: u32) -> i128 {
        match self {
            MeetingCosts::Vectors(vectors) => vectors.gap(code),
            MeetingCosts::Texts(texts) => texts.gap(),
        }
    }

    /// The largest of these, of all labels.
    pub(crate) fn largest_gap(self) -> i128 {
        match self {
            MeetingCosts::Vectors(vectors) => vectors.largest_gap(),
            MeetingCosts::Texts(texts) => texts.gap(),
        }
    }

    /// Puts some labels side by side.
    pub fn gather(self, codes: &[u32]) -> GatheredLabels {
        match self {
            MeetingCosts::Vectors(vectors) => GatheredLabels::Vectors(vectors.gather(codes)),
            MeetingCosts::Texts(texts) => GatheredLabels::Texts(Arc::new(texts.gather(codes))),
        }
    }

    /// The costs between two gatherings of labels, both of these costs.
    pub fn table(self, x: &GatheredLabels, y: &GatheredLabels) -> CostTable {
        match (self, x, y) {
            (MeetingCosts::Vectors(c), GatheredLabels::Vectors(x), GatheredLabels::Vectors(y)) => {
                c.table(x, y)
            }
            (MeetingCosts::Texts(c), GatheredLabels::Texts(x), GatheredLabels::Texts(y)) => {
                c.table(x, y)
            }
            // Labels gathered by other costs have no entries here.
            _ => CostTable::from_savings(Vec::new(), Vec::new(), Vec::new(), self.scale()),
        }
    }

    /// The same for one distance, which needs each row of the table once.
    pub fn table_for_one(self, x: &GatheredLabels, y: &GatheredLabels) -> CostTable {
        match (self, x, y) {
            (MeetingCosts::Texts(c), GatheredLabels::Texts(x), GatheredLabels::Texts(y)) => {
                c.table_by_rows(x, y)
            }
            _ => self.table(x, y),
        }
    }

    /// At most the bytes of a label that is gathered.
    pub(crate) fn label_bytes(self) -> u64 {
        match self {
            MeetingCosts::Vectors(vectors) => 8 * vectors.dimension() as u64,
            MeetingCosts::Texts(texts) => texts.label_bytes(),
        }
    }
}
