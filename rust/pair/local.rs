//! Vector costs of the labels of a few trees, as tables in local numbers.

use crate::cost::CostTable;
use crate::cost::vectors::{Gathered, VectorCosts};
use crate::tree::Prepared;

/// The number of a label that has none yet.
const NEW: u32 = u32::MAX;

/// The labels of some trees, numbered among themselves, with their vectors.
#[derive(Debug)]
pub(crate) struct LocalLabels {
    /// The number of each label of the set; only those of the trees mean anything.
    pub(crate) codes: Vec<u32>,
    gathered: Gathered,
}

impl LocalLabels {
    /// Numbers the labels of trees whose codes translate to those of the vectors by `codes`.
    pub(crate) fn new<'t>(
        vectors: &VectorCosts<'_>,
        trees: impl Iterator<Item = &'t Prepared>,
        codes: Option<&[u32]>,
    ) -> Self {
        Self::in_buffer(Vec::new(), vectors, trees, codes)
    }

    /// The same in a buffer that is empty or was given back: a set may have far more labels than
    /// a tree.
    pub(crate) fn in_buffer<'t>(
        mut numbers: Vec<u32>,
        vectors: &VectorCosts<'_>,
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
        Self { codes: numbers, gathered: vectors.gather(&found) }
    }

    /// The buffer, for the labels of another tree; `tree` is the only one that was numbered in it.
    pub(crate) fn give_back(mut self, tree: &Prepared) -> Vec<u32> {
        for &label in tree.labels() {
            self.codes[label as usize] = NEW;
        }
        self.codes
    }

    /// The costs from these labels to others, in their numbers.
    pub(crate) fn table(&self, vectors: &VectorCosts<'_>, other: &Self) -> CostTable {
        vectors.table(&self.gathered, &other.gathered)
    }
}
