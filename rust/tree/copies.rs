//! Trees that occur more than once in a set.

use crate::tree::oriented::mix;
use crate::tree::prepared::Prepared;

const NONE: u32 = u32::MAX;

/// For some trees of a set, which of them are equal: the same labels in the same places.
#[derive(Debug)]
pub(crate) struct Copies {
    /// For every tree the first of those that are equal to it.
    first: Vec<u32>,
    /// For every tree the next one that is equal to it.
    next: Vec<u32>,
    distinct: Vec<u32>,
}

impl Copies {
    /// Looks at the trees with these indices; an index may occur more than once.
    pub(crate) fn new(trees: &[Prepared], indices: impl Iterator<Item = usize>) -> Self {
        let mut found = Self {
            first: vec![NONE; trees.len()],
            next: vec![NONE; trees.len()],
            distinct: Vec::new(),
        };
        // Equal trees are neighbours in the order of their hashes, the first one first.
        let mut order = Vec::new();
        for i in indices {
            if found.first[i] == NONE {
                found.first[i] = i as u32;
                let labels = trees[i].labels().iter().map(|&label| u64::from(label));
                order.push((labels.fold(trees[i].pattern(), mix), i as u32));
            }
        }
        order.sort_unstable();
        for same_hash in order.chunk_by(|a, b| a.0 == b.0) {
            // The latest of each kind; one kind, unless hashes have met by chance.
            let mut latest: Vec<u32> = Vec::new();
            for &(_, i) in same_hash {
                let tree = &trees[i as usize];
                let is_equal = |&&mut other: &&mut u32| {
                    let other = &trees[other as usize];
                    tree.labels() == other.labels() && tree.has_pattern_of(other)
                };
                if let Some(other) = latest.iter_mut().find(is_equal) {
                    found.first[i as usize] = found.first[*other as usize];
                    found.next[*other as usize] = i;
                    *other = i;
                } else {
                    latest.push(i);
                    found.distinct.push(i);
                }
            }
        }
        found.distinct.sort_unstable();
        found
    }

    /// Trees with equal numbers are copies of each other.
    pub(crate) fn of_numbers(numbers: &[u32]) -> Self {
        let count = numbers.len();
        let mut found =
            Self { first: vec![NONE; count], next: vec![NONE; count], distinct: Vec::new() };
        let mut order: Vec<_> = numbers.iter().copied().zip(0..count as u32).collect();
        order.sort_unstable();
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, i) in same {
                found.first[i as usize] = same[0].1;
            }
            for pair in same.windows(2) {
                found.next[pair[0].1 as usize] = pair[1].1;
            }
            found.distinct.push(same[0].1);
        }
        found.distinct.sort_unstable();
        found
    }

    /// The first of the trees that are equal to this one.
    pub(crate) fn first(&self, tree: usize) -> usize {
        self.first[tree] as usize
    }

    /// The first of each kind, ascending.
    pub(crate) fn distinct(&self) -> &[u32] {
        &self.distinct
    }

    /// Whether no tree of the set occurs again.
    pub(crate) fn all_differ(&self) -> bool {
        self.distinct.len() == self.first.len()
    }

    /// Whether there is another tree that is equal to the first of its kind.
    pub(crate) fn has_copies(&self, first: usize) -> bool {
        self.next[first] != NONE
    }

    /// The trees that are equal to the first of their kind, ascending, itself included.
    pub(crate) fn of(&self, first: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let following =
            |&tree: &usize| Some(self.next[tree] as usize).filter(|&next| next != NONE as usize);
        std::iter::successors(Some(first), following)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::{Plain, trees};
    use crate::tree::Numbering;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_trees_and_no_others_are_copies(
            some in proptest::collection::vec(trees(4, 2), 1..20),
            again in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
        ) {
            let all: Vec<&Plain> = again.iter().map(|index| index.get(&some)).collect();
            let mut numbering = Numbering::default();
            let prepared: Vec<_> =
                all.iter().map(|t| Prepared::new(&t.codes, &t.parents, &mut numbering)).collect();
            // Every third tree is left out.
            let wanted = || (0..all.len()).filter(|i| i % 3 != 1);
            let copies = Copies::new(&prepared, wanted().chain(wanted()));
            for i in wanted() {
                let first = wanted().find(|&j| all[i] == all[j]).unwrap();
                prop_assert_eq!(copies.first(i), first);
            }
            let mut seen = Vec::new();
            for &first in copies.distinct() {
                let equal: Vec<_> = copies.of(first as usize).collect();
                prop_assert!(equal.is_sorted());
                prop_assert_eq!(copies.has_copies(first as usize), equal.len() > 1);
                for &i in &equal {
                    prop_assert_eq!(all[i], all[first as usize]);
                }
                seen.extend(equal);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, wanted().collect::<Vec<_>>());
        }
    }
}
