//! The label bound of unit costs: an edit mends one label.
//!
//! Of the larger tree's nodes only those keep their label for free whose label the other tree
//! has, as often as it has it: d >= max(n, m) - |common labels|, a multiset (Kailing et al. 2004).

use super::Both;
use super::labels::Labels;

/// Labels that have a place of their own: as many as a cache line has bytes.
const PLACES: usize = 64;

/// Label counts of the trees of two sets.
///
/// The most frequent labels have one byte each, so that their part of the intersection is a sum
/// of minima without a branch. The rest, and counts beyond 255, are sorted lists to be merged:
/// min(a, b) = min(a, b, 255) + min(a - 255, b - 255) if both are larger, else min(a, b, 255).
#[derive(Debug)]
pub(super) struct Histograms(Both<Side>);

#[derive(Debug, Default)]
struct Side {
    trees: Vec<Head>,
    rest: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Head {
    counts: [u8; PLACES],
    nodes: u32,
    /// Where the other labels are.
    rest: (u32, u32),
}

impl Histograms {
    pub(super) fn new(labels: &Both<Labels>) -> Self {
        let frequent = most_frequent(labels);
        Self(labels.map(|labels| Side::new(labels, &frequent)))
    }

    /// The least number of edits that the labels of two trees ask for.
    #[inline]
    pub(super) fn bound(&self, i: usize, j: usize) -> u32 {
        let (x, y) = (&self.0.x.trees[i], &self.0.y().trees[j]);
        let both = x.counts.iter().zip(&y.counts);
        let mut common: u32 = both.map(|(&a, &b)| u32::from(a.min(b))).sum();
        if x.rest.0 != x.rest.1 && y.rest.0 != y.rest.1 {
            common += self.common_rest(x, y);
        }
        x.nodes.max(y.nodes) - common
    }

    fn common_rest(&self, x: &Head, y: &Head) -> u32 {
        let a = &self.0.x.rest[x.rest.0 as usize..x.rest.1 as usize];
        let b = &self.0.y().rest[y.rest.0 as usize..y.rest.1 as usize];
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < a.len() && j < b.len() {
            let ((code, count), (other, others)) = (a[i], b[j]);
            common += if code == other { count.min(others) } else { 0 };
            i += usize::from(code <= other);
            j += usize::from(other <= code);
        }
        common
    }
}

/// The place of every label code that has one; at least `PLACES` for all others.
fn most_frequent(labels: &Both<Labels>) -> Vec<u8> {
    let mut trees_with: Vec<(u32, u32)> = Vec::new();
    for labels in [Some(&labels.x), labels.other.as_ref()].into_iter().flatten() {
        for &(code, _) in labels.all() {
            let code = code as usize;
            if trees_with.len() <= code {
                let next = trees_with.len() as u32;
                trees_with.extend((next..=code as u32).map(|code| (0, code)));
            }
            trees_with[code].0 += 1;
        }
    }
    let mut place = vec![PLACES as u8; trees_with.len()];
    trees_with.sort_unstable_by(|a, b| b.cmp(a));
    for (slot, &(_, code)) in trees_with.iter().take(PLACES).enumerate() {
        place[code as usize] = slot as u8;
    }
    place
}

impl Side {
    fn new(labels: &Labels, place: &[u8]) -> Self {
        let mut side = Self::default();
        for tree in 0..labels.trees() {
            let mut counts = [0; PLACES];
            let start = side.rest.len() as u32;
            for &(code, count) in labels.of(tree) {
                let slot = counts.get_mut(usize::from(place[code as usize]));
                let here = slot.map_or(0, |slot| {
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
}
