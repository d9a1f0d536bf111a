//! Numbers for the subtrees of a whole set: equal ones have the same.
//!
//! Most subtrees occur once. They have no number of their own, so that the others are few, and tables
//! by number stay in caches.

use crate::error::Result;
use crate::parallel::Cancel;
use crate::tree::oriented::{Orientation, Oriented, mix};
use crate::tree::prepared::Prepared;

const NONE: u32 = u32::MAX;
/// The number of all subtrees that occur once.
pub(crate) const ONCE: u32 = u32::MAX;

/// The number of the subtree of every node of every tree of a set, in one orientation.
#[derive(Debug)]
pub(crate) struct SubtreeIds {
    orientation: Orientation,
    starts: Vec<usize>,
    ids: Vec<u32>,
}

impl SubtreeIds {
    /// Numbers all subtrees (hash consing, exact): two are equal if their labels and the numbers
    /// of their children are.
    pub(crate) fn new(
        trees: &[Prepared],
        orientation: Orientation,
        cancel: &Cancel,
    ) -> Result<Self> {
        let nodes = trees.iter().map(|tree| tree.oriented(orientation).len()).sum::<usize>();
        let slots = (2 * nodes).next_power_of_two();
        let mut table = vec![NONE; slots];
        // A node of each kind of subtree.
        let mut examples: Vec<(u32, u32)> = Vec::new();
        let mut all = Self { orientation, starts: vec![0], ids: Vec::with_capacity(nodes) };
        for (index, tree) in trees.iter().enumerate() {
            cancel.check()?;
            let oriented = tree.oriented(orientation);
            let start = all.ids.len();
            for node in 0..oriented.len() {
                let label = label(tree, oriented, node);
                let ids = &all.ids;
                let children = || oriented.children(node).map(|child| ids[start + child]);
                let seed = mix(0x9e37_79b9_7f4a_7c15, u64::from(label));
                let hash = children().fold(seed, |hash, child| mix(hash, u64::from(child)));
                let mut slot = hash as usize & (slots - 1);
                let id = loop {
                    let candidate = table[slot];
                    if candidate == NONE {
                        table[slot] = examples.len() as u32;
                        examples.push((index as u32, node as u32));
                        break table[slot];
                    }
                    let (tree, other) = examples[candidate as usize];
                    let (tree, other) = (tree as usize, other as usize);
                    let theirs = trees[tree].oriented(orientation);
                    let their_start = all.starts[tree];
                    let their_children = theirs.children(other).map(|c| ids[their_start + c]);
                    if theirs.size[other] == oriented.size[node]
                        && self::label(&trees[tree], theirs, other) == label
                        && their_children.eq(children())
                    {
                        break candidate;
                    }
                    slot = (slot + 1) & (slots - 1);
                };
                all.ids.push(id);
            }
            all.starts.push(all.ids.len());
        }
        drop(table);
        all.forget_single(examples.len());
        Ok(all)
    }

    /// Keeps the numbers of subtrees that occur again; `count` is the number of all.
    fn forget_single(&mut self, count: usize) {
        let mut numbers = vec![0u32; count];
        // Up to 2, which is more than once.
        for &id in &self.ids {
            numbers[id as usize] = (numbers[id as usize] + 1).min(2);
        }
        let mut next = 0;
        for number in &mut numbers {
            *number = if *number < 2 { ONCE } else { next };
            next += u32::from(*number != ONCE);
        }
        self.ids.iter_mut().for_each(|id| *id = numbers[*id as usize]);
    }

    pub(crate) fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// The numbers of the subtrees of one tree, in postorder.
    pub(crate) fn of(&self, tree: usize) -> &[u32] {
        &self.ids[self.starts[tree]..self.starts[tree + 1]]
    }
}

/// The label of a node as a code of the set; a virtual root has one of its own.
fn label(tree: &Prepared, oriented: &Oriented, node: usize) -> u32 {
    tree.labels().get(oriented.label[node] as usize).copied().unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::{Plain, trees};
    use crate::tree::Numbering;
    use proptest::prelude::*;

    /// A subtree as text, which is the same for equal ones only.
    fn spelt(tree: &Prepared, oriented: &Oriented, node: usize) -> String {
        let children: Vec<_> = oriented.children(node).map(|c| spelt(tree, oriented, c)).collect();
        format!("{}({})", label(tree, oriented, node), children.join(","))
    }

    proptest! {
        #[test]
        fn equal_subtrees_and_no_others_have_equal_numbers(
            plain in proptest::collection::vec(trees(8, 2), 0..6)
        ) {
            let mut numbering = Numbering::default();
            let prepare = |tree: &Plain| Prepared::new(&tree.codes, &tree.parents, &mut numbering);
            let trees: Vec<_> = plain.iter().map(prepare).collect();
            for orientation in Orientation::BOTH {
                let ids = SubtreeIds::new(&trees, orientation, &Cancel::default()).unwrap();
                let mut seen = Vec::new();
                for (index, tree) in trees.iter().enumerate() {
                    let oriented = tree.oriented(orientation);
                    prop_assert_eq!(ids.of(index).len(), oriented.len());
                    for (node, &id) in ids.of(index).iter().enumerate() {
                        seen.push((spelt(tree, oriented, node), id));
                    }
                }
                for (text, id) in &seen {
                    let count = seen.iter().filter(|(other, _)| other == text).count();
                    prop_assert_eq!(count == 1, *id == ONCE);
                    for (other, its) in &seen {
                        prop_assert!(*id == ONCE || (text == other) == (id == its));
                    }
                }
            }
        }
    }
}
