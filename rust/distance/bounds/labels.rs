//! How often each label occurs in each tree of a set.

use crate::error::Result;
use crate::pair::Side;
use crate::parallel::{Cancel, Crew};
use crate::tree::Prepared;

/// Trees that are counted between two looks at who is waiting.
const PART: usize = 256;
/// Fewer nodes are counted within milliseconds.
const BRIEF: usize = 100_000;

/// The distinct labels of all trees, tree by tree, in ascending order of their codes.
#[derive(Debug)]
pub(super) struct Labels {
    starts: Vec<usize>,
    /// Code of the comparison, and how many nodes have it.
    counted: Vec<(u32, u32)>,
    nodes: Vec<u32>,
}

impl Labels {
    pub(super) fn new(side: Side<'_>, crew: &mut Crew<'_>) -> Result<Self> {
        let trees = side.trees.len();
        let nodes: usize = side.trees.iter().map(Prepared::nodes).sum();
        let cancel = crew.cancel.clone();
        let count =
            |part: usize| Self::of_part(side, part * PART..trees.min((part + 1) * PART), &cancel);
        let parts = crew.map(trees.div_ceil(PART), nodes < BRIEF, count)?;
        let mut all = Self { starts: vec![0], counted: Vec::new(), nodes: Vec::new() };
        for part in parts {
            let start = all.counted.len();
            all.starts.extend(part.starts[1..].iter().map(|end| start + end));
            all.counted.extend(part.counted);
            all.nodes.extend(part.nodes);
        }
        Ok(all)
    }

    fn of_part(side: Side<'_>, trees: std::ops::Range<usize>, cancel: &Cancel) -> Result<Self> {
        let mut labels = Self { starts: vec![0], counted: Vec::new(), nodes: Vec::new() };
        let mut counts = Vec::new();
        for index in trees {
            cancel.check()?;
            let operand = side.operand(index);
            counts.clear();
            counts.extend(operand.tree.labels().iter().map(|&label| (operand.code(label), 0)));
            for label in operand.tree.label_indices() {
                counts[label as usize].1 += 1;
            }
            counts.sort_unstable();
            // Several labels may have one code, as labels without a vector do.
            counts.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            labels.counted.extend_from_slice(&counts);
            labels.starts.push(labels.counted.len());
            labels.nodes.push(operand.tree.nodes() as u32);
        }
        Ok(labels)
    }

    /// Number of trees.
    pub(super) fn trees(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes of a tree.
    pub(super) fn nodes(&self, tree: usize) -> u32 {
        self.nodes[tree]
    }

    /// Codes and counts of one tree, by code.
    pub(super) fn of(&self, tree: usize) -> &[(u32, u32)] {
        &self.counted[self.starts[tree]..self.starts[tree + 1]]
    }

    /// Codes and counts of all trees.
    pub(super) fn all(&self) -> &[(u32, u32)] {
        &self.counted
    }
}
