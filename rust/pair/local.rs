//! Costs of the labels of a few trees, as tables in local numbers.

use crate::cost::{CostTable, GatheredLabels, MeetingCosts};
use crate::tree::Prepared;

/// The number of a label that has none yet.
const NEW: u32 = u32::MAX;

/// The labels of some trees, numbered among themselves, with what costs need of them.
#[derive(Debug)]
pub(crate) struct LocalLabels {
    /// The number of each label of the set; only those of the trees mean anything.
    pub(crate) codes: Vec<u32>,
    gathered: GatheredLabels,
}

impl LocalLabels {
    /// Numbers the labels of trees whose codes translate to those of the costs by `codes`.
    pub(crate) fn new<'t>(
        meeting: MeetingCosts<'_>,
        trees: impl Iterator<Item = &'t Prepared>,
        codes: Option<&[u32]>,
    ) -> Self {
        Self::in_buffer(Vec::new(), meeting, trees, codes)
    }

    /// The same in a buffer that is empty or was given back: a set may have far more labels than
    /// a tree.
    pub(crate) fn in_buffer<'t>(
        mut numbers: Vec<u32>,
        meeting: MeetingCosts<'_>,
        trees: impl Iterator<Item = &'t Prepared>,
        codes: Option<&[u32]>,
    ) -> Self {
        let mut found = Vec::new();
        for tree in trees {
            for &label in tree.labels() {
                if numbers.len() <= label as usize {
                    numbers.resize(label as usize + 1, NEW);
                }
                if numbers[label as usize] == NEW {
                    numbers[label as usize] = found.len() as u32;
                    found.push(codes.map_or(label, |codes| codes[label as usize]));
                }
            }
        }
        Self { codes: numbers, gathered: meeting.gather(&found) }
    }

    /// The buffer, for the labels of another tree; `tree` is the only one that was numbered in it.
    pub(crate) fn give_back(mut self, tree: &Prepared) -> Vec<u32> {
        for &label in tree.labels() {
            self.codes[label as usize] = NEW;
        }
        self.codes
    }

    /// The costs from these labels to others, in their numbers.
    pub(crate) fn table(&self, meeting: MeetingCosts<'_>, other: &Self) -> CostTable {
        meeting.table(&self.gathered, &other.gathered)
    }

    /// The same for one distance; see [`MeetingCosts::table_for_one`].
    pub(crate) fn table_for_one(&self, meeting: MeetingCosts<'_>, other: &Self) -> CostTable {
        meeting.table_for_one(&self.gathered, &other.gathered)
    }
}
