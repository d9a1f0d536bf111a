//! Lower bounds by tours of trees, 64 candidates at a time; see `simd/tours.rs`.

use crate::features::Nodes;
use crate::simd::tours::{END, MOST_TOUR_EDITS, TOURS, TourRows, tour_distances};

/// Most edits of a bound.
pub(super) const MOST_EDITS: usize = MOST_TOUR_EDITS / 2;

/// A tree and its letters in preorder.
pub(super) type Lettered<'a> = (Nodes<'a>, &'a [u8]);

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Tours {
    query: Vec<u8>,
    /// The tours of candidates, one after the other.
    others: Vec<u8>,
    rows: TourRows,
}

impl Tours {
    /// Takes a query.
    pub(super) fn prepare(&mut self, query: Lettered<'_>) {
        self.query.clear();
        append_tour(query, &mut self.query);
    }

    /// Takes the tour of a query.
    pub(super) fn take(&mut self, query: &[u8]) {
        self.query.clear();
        self.query.extend_from_slice(query);
    }

    /// Writes a lower bound of the number of edits to each of at most [`TOURS`] candidates where it is
    /// at most `limit`, which is at most [`MOST_EDITS`], and `limit + 1` where it is not.
    pub(super) fn bounds<'a>(
        &mut self,
        candidates: impl Iterator<Item = Lettered<'a>>,
        limit: usize,
        found: &mut [u32; TOURS],
    ) {
        self.others.clear();
        let (mut ends, mut count) = ([0; TOURS], 0);
        for candidate in candidates.take(TOURS) {
            append_tour(candidate, &mut self.others);
            ends[count] = self.others.len();
            count += 1;
        }
        let mut texts: [&[u8]; TOURS] = [&[]; TOURS];
        let mut start = 0;
        for (text, &end) in texts.iter_mut().zip(&ends[..count]) {
            *text = &self.others[start..end];
            start = end;
        }
        bounds_of(&self.query, &texts[..count], limit, &mut self.rows, found);
    }

    /// The same for tours that are there already.
    pub(super) fn bounds_of(&mut self, others: &[&[u8]], limit: usize, found: &mut [u32; TOURS]) {
        bounds_of(&self.query, others, limit, &mut self.rows, found);
    }
}

fn bounds_of(
    query: &[u8],
    others: &[&[u8]],
    limit: usize,
    rows: &mut TourRows,
    found: &mut [u32; TOURS],
) {
    tour_distances(query, others, 2 * limit, rows, found);
    // An edit of a tree is two of its tour.
    found[..others.len()].iter_mut().for_each(|edits| *edits = edits.div_ceil(2));
}

/// Appends the tour of a tree. Some letters become one, because one bit is the mark of an end.
pub(super) fn append_tour((tree, letters): Lettered<'_>, tour: &mut Vec<u8>) {
    let letter = |node: usize| letters[node] % END;
    let mut open = -1;
    let close_up_to = |parent: i32, open: &mut i32, tour: &mut Vec<u8>| {
        while *open != parent {
            let Ok(node) = usize::try_from(*open) else { break };
            tour.push(END | letter(node));
            *open = tree.parents[node];
        }
    };
    for (node, &parent) in tree.parents.iter().enumerate() {
        close_up_to(parent, &mut open, tour);
        tour.push(letter(node));
        open = node as i32;
    }
    close_up_to(-1, &mut open, tour);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Scratch, Workspace, distance};
    use crate::naive::{Plain, trees};
    use crate::pair::{Costs, Operand, Pair};
    use crate::parallel::Cancel;
    use crate::tree::{Numbering, Prepared};
    use proptest::prelude::*;

    fn lettered(tree: &Plain) -> (Nodes<'_>, Vec<u8>) {
        let nodes = Nodes { codes: &tree.codes, parents: &tree.parents };
        (nodes, tree.codes.iter().map(|&code| code as u8).collect())
    }

    #[test]
    fn a_tour_begins_and_ends_every_subtree() {
        let tree = Plain { codes: vec![1, 2, 3, 4, 5], parents: vec![-1, 0, 1, 0, -1] };
        let (nodes, letters) = lettered(&tree);
        let mut tour = Vec::new();
        append_tour((nodes, &letters), &mut tour);
        assert_eq!(tour, [1, 2, 3, 131, 130, 4, 132, 129, 5, 133]);
    }

    proptest! {
        #[test]
        fn bounds_are_at_most_distances(
            x in trees(14, 4),
            others in proptest::collection::vec(trees(14, 4), 0..8),
        ) {
            let mut tours = Tours::default();
            let (nodes, letters) = lettered(&x);
            tours.prepare((nodes, &letters));
            let all: Vec<_> = others.iter().map(lettered).collect();
            let prepared = |tree: &Plain| {
                Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
            };
            let of_x = prepared(&x);
            for limit in [0, 2, 7, MOST_EDITS] {
                let mut found = [0; TOURS];
                let candidates = all.iter().map(|(nodes, letters)| (*nodes, &letters[..]));
                tours.bounds(candidates.clone(), limit, &mut found);
                let strings: Vec<_> = candidates
                    .map(|candidate| {
                        let mut tour = Vec::new();
                        append_tour(candidate, &mut tour);
                        tour
                    })
                    .collect();
                let texts: Vec<_> = strings.iter().map(Vec::as_slice).collect();
                let mut again = [0; TOURS];
                tours.bounds_of(&texts, limit, &mut again);
                prop_assert_eq!(found, again);
                for (other, bound) in others.iter().zip(found) {
                    let y = prepared(other);
                    let operand = |tree| Operand { tree, codes: None };
                    let pair = Pair { x: operand(&of_x), y: operand(&y), costs: Costs::Unit };
                    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
                    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
                    let distance = distance(&pair, scratch).unwrap();
                    prop_assert!(f64::from(bound) <= distance.max(limit as f64 + 1.0));
                    prop_assert!(distance > limit as f64 || bound as usize <= limit);
                }
            }
        }
    }
}
