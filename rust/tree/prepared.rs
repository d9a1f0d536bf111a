//! Trees made ready for the kernels, once.

use crate::error::{Error, Result};
use crate::tree::oriented::{BuildScratch, Orientation, Oriented, mix, refill};
use crate::tree::paths::Paths;
use crate::tree::slot::Slot;
use std::sync::{Arc, OnceLock};

/// Checks that `parents` describes a tree or forest in preorder.
///
/// # Errors
/// [`Error::Invalid`] names the first node that is out of place.
pub fn check_preorder(parents: &[i32]) -> Result<()> {
    if i32::try_from(parents.len()).is_err() {
        return Err(Error::Invalid(format!(
            "a tree can have at most {} nodes; got {}",
            i32::MAX,
            parents.len()
        )));
    }
    for (i, &parent) in parents.iter().enumerate() {
        if parent < -1 || parent >= i as i32 {
            return Err(Error::Invalid(format!(
                "parents[{i}] must be -1 or the index of an earlier node, in preorder; got {parent}"
            )));
        }
        // Preorder means that the parent lies on the path from the previous node to its root.
        let mut node = i as i32 - 1;
        while node != parent {
            if node == -1 {
                return Err(Error::Invalid(format!(
                    "parents must list the nodes in preorder: the subtree of node {parent} was \
                     already closed when node {i} names it as its parent"
                )));
            }
            node = parents[node as usize];
        }
    }
    Ok(())
}

/// A tree or forest, ready to be compared: its distinct labels, and its shape.
#[derive(Debug)]
pub struct Prepared {
    labels: Vec<u32>,
    shape: Arc<Shape>,
}

/// A tree without the names of its labels, in both orientations. It can be shared by trees that
/// name their labels by different codes.
#[derive(Debug)]
pub struct Shape {
    nodes: usize,
    /// A hash of the tree without the names of its labels.
    pattern: u64,
    left: Oriented,
    right: Oriented,
    /// Made when first asked for: distances do not need them.
    paths: [OnceLock<Box<Paths>>; 2],
    /// What kernels keep with the tree, those for ordered trees and those for unordered trees.
    slots: [Slot; 2],
}

impl Prepared {
    /// Prepares one tree given in preorder; `codes` are label codes below the alphabet's size.
    ///
    /// `parents` must have passed [`check_preorder`]; `numbering` is scratch for many trees over
    /// one alphabet.
    pub fn new(codes: &[i32], parents: &[i32], numbering: &mut Numbering) -> Self {
        let n = codes.len();
        let distinct = numbering.number(codes);
        let Numbering { labels, sizes, depths, build: scratch, .. } = numbering;
        refill(sizes, n, 1u32);
        refill(depths, n, 0u32);
        let mut roots = 0;
        for i in (0..n).rev() {
            match usize::try_from(parents[i]) {
                Ok(parent) => sizes[parent] += sizes[i],
                Err(_) => roots += 1,
            }
        }
        for i in 0..n {
            if let Ok(parent) = usize::try_from(parents[i]) {
                depths[i] = depths[parent] + 1;
            }
        }
        let node = |(&label, &size): (&u32, &u32)| u64::from(label) << 32 | u64::from(size);
        let pattern = labels.iter().zip(&*sizes).map(node).fold(n as u64, mix);
        let virtual_label = (roots != 1).then_some(distinct.len() as u32);
        let mut build = |orientation| {
            Oriented::build(orientation, labels, sizes, depths, virtual_label, scratch)
        };
        let shape = Shape {
            nodes: n,
            pattern,
            left: build(Orientation::Left),
            right: build(Orientation::Right),
            paths: [OnceLock::new(), OnceLock::new()],
            slots: Default::default(),
        };
        Self { labels: distinct, shape: Arc::new(shape) }
    }

    /// The shape, to be shared with a tree that differs in the codes of its labels only.
    pub fn shape(&self) -> Arc<Shape> {
        Arc::clone(&self.shape)
    }

    /// The same tree with other codes: `codes` are those of its nodes in preorder, and are equal
    /// where the labels of the tree are.
    pub fn with_shape(shape: Arc<Shape>, codes: &[i32], numbering: &mut Numbering) -> Self {
        Self { labels: numbering.number(codes), shape }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.shape.nodes
    }

    /// Codes of the distinct labels; nodes refer to them by index.
    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// A number that is the same for trees that only differ in the names of their labels, whatever
    /// their alphabets, and for hardly any others.
    #[inline(always)]
    pub(crate) fn pattern(&self) -> u64 {
        self.shape.pattern
    }

    /// Whether two trees differ at most in the names of their labels: nodes in the same places,
    /// and the same label wherever the other tree has one. Then the labels of both trees
    /// ([`Prepared::labels`]) correspond one by one.
    pub(crate) fn has_pattern_of(&self, other: &Self) -> bool {
        // Labels are numbered as they appear, so the numbers are equal if the patterns are.
        let (own, others) = (&*self.shape, &*other.shape);
        std::ptr::eq(own, others)
            || (own.pattern == others.pattern
                && own.nodes == others.nodes
                && own.left.label == others.left.label
                && own.left.size == others.left.size)
    }

    /// The arrays of one orientation.
    pub(crate) fn oriented(&self, orientation: Orientation) -> &Oriented {
        match orientation {
            Orientation::Left => &self.shape.left,
            Orientation::Right => &self.shape.right,
        }
    }

    /// The paths of one orientation.
    pub(crate) fn paths(&self, orientation: Orientation) -> &Paths {
        let build = || Box::new(Paths::new(self.oriented(orientation), self.nodes(), orientation));
        self.shape.paths[orientation as usize].get_or_init(build)
    }

    /// Room for what kernels keep with the tree.
    #[inline(always)]
    pub(crate) fn slot(&self) -> &Slot {
        &self.shape.slots[0]
    }

    /// The same for kernels that ignore the order of children.
    #[inline(always)]
    pub(crate) fn unordered_slot(&self) -> &Slot {
        &self.shape.slots[1]
    }

    /// The label index of every real node, in postorder.
    pub(crate) fn label_indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.shape.left.label[..self.nodes()].iter().copied()
    }
}

/// Scratch that renumbers the labels of one tree densely, in order of first appearance, and in
/// which trees are prepared.
#[derive(Debug, Default)]
pub struct Numbering {
    index: Vec<u32>,
    /// The label of every node of the last tree, by its new number.
    labels: Vec<u32>,
    sizes: Vec<u32>,
    depths: Vec<u32>,
    build: BuildScratch,
}

impl Numbering {
    /// Renumbers labels and returns the distinct codes, in order of first appearance.
    fn number(&mut self, codes: &[i32]) -> Vec<u32> {
        let mut distinct = Vec::new();
        self.labels.clear();
        for &code in codes {
            let code = code as usize;
            if code >= self.index.len() {
                self.index.resize(code + 1, u32::MAX);
            }
            if self.index[code] == u32::MAX {
                self.index[code] = distinct.len() as u32;
                distinct.push(code as u32);
            }
            self.labels.push(self.index[code]);
        }
        for &code in &distinct {
            self.index[code as usize] = u32::MAX;
        }
        distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::trees;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scratch_that_was_used_before_changes_nothing(
            plain in proptest::collection::vec(trees(12, 3), 1..6)
        ) {
            let mut kept = Numbering::default();
            for tree in &plain {
                let fresh = Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default());
                let again = Prepared::new(&tree.codes, &tree.parents, &mut kept);
                prop_assert_eq!(again.labels(), fresh.labels());
                prop_assert_eq!(again.pattern(), fresh.pattern());
                for orientation in Orientation::BOTH {
                    let arrays = |tree: &Prepared| format!("{:?}", tree.oriented(orientation));
                    prop_assert_eq!(arrays(&again), arrays(&fresh));
                }
            }
        }
    }
}
