//! The label bound of unit costs: an edit mends one label.
//!
//! Of the larger tree's nodes only those keep their label for free whose label the other tree
//! has, as often as it has it: d >= max(n, m) - |common labels|, a multiset (Kailing et al. 2004).

use super::labels::Labels;
use std::sync::Arc;

/// Labels that have a place of their own: as many as a cache line has bytes.
const PLACES: usize = 64;

/// Label counts of the trees of one set.
///
/// The most frequent labels have one byte each, so that their part of the intersection is a sum
/// of minima without a branch. The rest, and counts beyond 255, are sorted lists to be merged:
/// min(a, b) = min(a, b, 255) + min(a - 255, b - 255) if both are larger, else min(a, b, 255).
#[derive(Debug)]
pub(super) struct Histograms {
    trees: Vec<Head>,
    rest: Vec<(u32, u32)>,
    /// The place of every label code that has one; at least `PLACES` for all others.
    places: Arc<Vec<u8>>,
}

#[derive(Debug)]
struct Head {
    counts: [u8; PLACES],
    nodes: u32,
    /// Where the other labels are.
    rest: (u32, u32),
}

/// The least number of edits that the labels of two trees ask for; both sets must have the same
/// places.
#[inline]
pub(super) fn bound((xs, i): (&Histograms, usize), (ys, j): (&Histograms, usize)) -> u32 {
    let (x, y) = (&xs.trees[i], &ys.trees[j]);
    let both = x.counts.iter().zip(&y.counts);
    let mut common: u32 = both.map(|(&a, &b)| u32::from(a.min(b))).sum();
    if x.rest.0 != x.rest.1 && y.rest.0 != y.rest.1 {
        common += common_rest(xs.rest(x), ys.rest(y));
    }
    x.nodes.max(y.nodes) - common
}

fn common_rest(a: &[(u32, u32)], b: &[(u32, u32)]) -> u32 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let ((code, count), (other, others)) = (a[i], b[j]);
        common += if code == other { count.min(others) } else { 0 };
        i += usize::from(code <= other);
        j += usize::from(other <= code);
    }
    common
}

fn most_frequent(labels: &Labels) -> Vec<u8> {
    let mut trees_with: Vec<(u32, u32)> = Vec::new();
    for &(code, _) in labels.all() {
        let code = code as usize;
        if trees_with.len() <= code {
            let next = trees_with.len() as u32;
            trees_with.extend((next..=code as u32).map(|code| (0, code)));
        }
        trees_with[code].0 += 1;
    }
    let mut place = vec![PLACES as u8; trees_with.len()];
    trees_with.sort_unstable_by(|a, b| b.cmp(a));
    for (slot, &(_, code)) in trees_with.iter().take(PLACES).enumerate() {
        place[code as usize] = slot as u8;
    }
    place
}

impl Histograms {
    pub(super) fn new(labels: &Labels) -> Self {
        Self::with_places(labels, &Arc::new(most_frequent(labels)))
    }

    /// Those of other trees, to be compared with these. Labels that these do not have are in
    /// nobody's common part, so they need no place.
    pub(super) fn beside(&self, labels: &Labels) -> Self {
        Self::with_places(labels, &self.places)
    }

    fn with_places(labels: &Labels, places: &Arc<Vec<u8>>) -> Self {
        let mut side = Self { trees: Vec::new(), rest: Vec::new(), places: places.clone() };
        for tree in 0..labels.trees() {
            let mut counts = [0; PLACES];
            let start = side.rest.len() as u32;
            for &(code, count) in labels.of(tree) {
                let place = places.get(code as usize).copied().unwrap_or(PLACES as u8);
                let here = counts.get_mut(usize::from(place)).map_or(0, |slot| {
                    *slot = u8::try_from(count).unwrap_or(u8::MAX);
                    u32::from(*slot)
                });
                if count > here {
                    side.rest.push((code, count - here));
                }
            }
            let rest = (start, side.rest.len() as u32);
            side.trees.push(Head { counts, nodes: labels.nodes(tree), rest });
        }
        side
    }

    /// Number of trees.
    pub(super) fn len(&self) -> usize {
        self.trees.len()
    }

    /// Labels of a tree that have no place.
    pub(super) fn without_place(&self, tree: usize) -> u32 {
        let (start, end) = self.trees[tree].rest;
        end - start
    }

    fn rest(&self, head: &Head) -> &[(u32, u32)] {
        &self.rest[head.rest.0 as usize..head.rest.1 as usize]
    }
}
