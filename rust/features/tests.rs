//! Tries that meet, complete tries and parts of sets; Python tests compare with enumeration.

use crate::features::{Family, Flat, Kinds, PqGrams, Trie, count, count_known};
use crate::naive::{Plain, cases, trees};
use crate::parallel::Cancel;
use proptest::prelude::*;

/// Flat arrays that own their entries.
struct Owned(Vec<i32>, Vec<i32>, Vec<i64>);

impl Owned {
    fn new(trees: &[Plain]) -> Self {
        let mut all = Self(Vec::new(), Vec::new(), vec![0]);
        for tree in trees {
            all.0.extend(&tree.codes);
            all.1.extend(&tree.parents);
            all.2.push(all.0.len() as i64);
        }
        all
    }

    fn flat(&self) -> Flat<'_> {
        Flat { codes: &self.0, parents: &self.1, offsets: &self.2 }
    }
}

const ALL: Kinds = Kinds {
    labels: true,
    paths: Some(2),
    pqgrams: Some(PqGrams { p: 2, q: 2 }),
    subtrees: Some(3),
};

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_trie_of_parts_is_the_trie_of_all(
        plain in proptest::collection::vec(trees(8, 3), 0..6), cut in 0usize..6
    ) {
        let cancel = Cancel::default();
        let count = |trees: &[Plain]| {
            let owned = Owned::new(trees);
            count(owned.flat(), ALL, 1, &cancel, &mut || true).unwrap()
        };
        let (whole, (first, second)) = (count(&plain), plain.split_at(cut.min(plain.len())));
        let (mut first, second) = (count(first), count(second));
        let numbers = first.trie.absorb(&second.trie);
        prop_assert_eq!(first.trie.entries(), whole.trie.entries());
        prop_assert!(numbers.iter().all(|&number| (number as usize) < whole.trie.len()));
    }

    #[test]
    fn a_complete_trie_counts_what_it_knows(
        plain in proptest::collection::vec(trees(8, 2), 0..6),
        others in proptest::collection::vec(trees(8, 3), 0..6),
    ) {
        let cancel = Cancel::default();
        let known = Owned::new(&plain);
        let counted = count(known.flat(), ALL, 1, &cancel, &mut || true).unwrap();
        let (prefix, symbol, _) = counted.trie.entries();
        let trie = Trie::from_entries(prefix, symbol).unwrap();
        let again = count_known(known.flat(), ALL, &trie, 2, &cancel, &mut || true).unwrap();
        prop_assert_eq!(&again, &counted.rows);
        // Counting both sets together shows which features of the others were known.
        let both = Owned::new(&[plain.clone(), others.clone()].concat());
        let both = count(both.flat(), ALL, 1, &cancel, &mut || true).unwrap();
        let others = Owned::new(&others);
        let found = count_known(others.flat(), ALL, &trie, 1, &cancel, &mut || true).unwrap();
        for tree in 0..others.flat().len() {
            let (columns, values) = both.rows.row(plain.len() + tree);
            let old: Vec<_> = columns
                .iter()
                .zip(values)
                .filter(|(column, _)| (**column as usize) < trie.len())
                .collect();
            let (columns, values) = found.row(tree);
            prop_assert_eq!(columns.iter().zip(values).collect::<Vec<_>>(), old);
        }
    }

    #[test]
    fn parts_are_all_trees_in_order(
        plain in proptest::collection::vec(trees(5, 2), 0..9), parts in 0usize..5
    ) {
        let owned = Owned::new(&plain);
        let found = owned.flat().parts(parts);
        prop_assert!(found.len() <= parts.max(1));
        let all: Vec<_> = found.into_iter().flatten().collect();
        prop_assert_eq!(all, (0..plain.len()).collect::<Vec<_>>());
    }
}

#[test]
fn entries_that_are_no_trie_are_refused() {
    let first = Family::COUNT as u32;
    assert!(Trie::from_entries(&[0, first], &[0, 1]).is_some());
    for (prefix, symbol) in [(&[0, 0], &[5, 5]), (&[0, first + 1], &[0, 1]), (&[99, 0], &[0, 0])] {
        assert!(Trie::from_entries(prefix, symbol).is_none(), "{prefix:?} {symbol:?}");
    }
    assert!(Trie::from_entries(&[0], &[0, 1]).is_none());
}
