//! The label bound of vectors: what the gaps alone tell, without comparing a vector.
//!
//! Replacing costs at least 0, so a pair saves at most both its gaps, and there are at most as
//! many pairs as the smaller tree has nodes. Anything finer needs the costs between the labels,
//! which are most of the work of a distance by vectors.

use super::Both;
use super::labels::Labels;
use crate::cost::vectors::VectorCosts;

/// Running sums of the gaps of every tree, the largest gap first; nodes without cost left out:
/// a label without a vector saves nothing with any other.
#[derive(Debug)]
pub(super) struct Gaps(Both<Vec<Vec<i128>>>);

impl Gaps {
    pub(super) fn new(labels: &Both<Labels>, vectors: &VectorCosts<'_>) -> Self {
        Self(labels.map(|labels| {
            (0..labels.trees())
                .map(|tree| {
                    let counted = labels.of(tree).iter();
                    let mut gaps: Vec<_> = counted
                        .map(|&(code, count)| (vectors.gap(code), count))
                        .filter(|&(gap, _)| gap > 0)
                        .collect();
                    gaps.sort_unstable_by(|a, b| b.cmp(a));
                    let mut sums = vec![0];
                    let mut sum = 0;
                    for (gap, count) in gaps {
                        for _ in 0..count {
                            sum += gap;
                            sums.push(sum);
                        }
                    }
                    sums
                })
                .collect()
        }))
    }

    pub(super) fn bound(&self, i: usize, j: usize) -> i128 {
        let (x, y) = (&self.0.x[i], &self.0.y()[j]);
        let pairs = x.len().min(y.len()) - 1;
        x[x.len() - 1] + y[y.len() - 1] - x[pairs] - y[pairs]
    }
}
