//! The bound by the gaps alone, without comparing a label.

use super::labels::Labels;
use crate::cost::MeetingCosts;

/// What deleting, or inserting, each tree of a set costs.
#[derive(Debug)]
pub(super) struct Totals {
    all: Vec<i128>,
    /// What its cheapest node costs.
    cheapest: Vec<i128>,
}

impl Totals {
    pub(super) fn new(labels: &Labels, gap: impl Fn(u32) -> i128) -> Self {
        let trees = 0..labels.trees();
        let all = |tree| labels.of(tree).iter().map(|&(a, n)| i128::from(n) * gap(a)).sum();
        let cheapest = |tree| labels.of(tree).iter().map(|&(a, _)| gap(a)).min().unwrap_or(0);
        Self { all: trees.clone().map(all).collect(), cheapest: trees.map(cheapest).collect() }
    }

    /// All nodes of a tree.
    pub(super) fn all(&self, tree: usize) -> i128 {
        self.all[tree]
    }

    /// The least that this number of nodes of a tree costs.
    pub(super) fn least(&self, tree: usize, nodes: u32) -> i128 {
        self.cheapest[tree] * i128::from(nodes)
    }
}

/// Running sums of the gaps of every tree, the largest gap first; nodes without cost left out:
/// a label without a vector saves nothing with any other.
///
/// The label bound of costs that are computed for labels that meet. Replacing costs at least 0, so a pair saves at most both its gaps,
/// and there are at most as many pairs as the smaller tree has nodes. Anything finer needs the
/// costs between the labels, which are most of the work of such a distance.
#[derive(Debug)]
pub(super) struct Gaps(Vec<Vec<i128>>);

impl Gaps {
    pub(super) fn new(labels: &Labels, meeting: MeetingCosts<'_>) -> Self {
        let sums = |tree| {
            let counted = labels.of(tree).iter();
            let mut gaps: Vec<_> = counted
                .map(|&(code, count)| (meeting.gap(code), count))
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
        };
        Self((0..labels.trees()).map(sums).collect())
    }

    /// Number of trees.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

pub(super) fn bound((xs, i): (&Gaps, usize), (ys, j): (&Gaps, usize)) -> i128 {
    let (x, y) = (&xs.0[i], &ys.0[j]);
    let pairs = x.len().min(y.len()) - 1;
    x[x.len() - 1] + y[y.len() - 1] - x[pairs] - y[pairs]
}
