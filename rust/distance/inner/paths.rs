//! Which paths decompose the row tree, and what that costs.
//!
//! A path from a subtree's root to a leaf costs a step for every node of the subtree, and what
//! hangs off the path is decomposed in turn. The best paths are found from the leaves upwards:
//! with cost(v) = size(v) + hanging(v), the path goes on in the child c for which
//! hanging(v) = hanging(c) + the costs of the other children is smallest.

use crate::distance::inner::right_places;
use crate::tree::Oriented;

const NONE: u32 = u32::MAX;

/// The paths of one tree; nodes are numbered in the left postorder.
#[derive(Debug)]
pub(crate) struct PathPlan {
    /// The child in which the path of each node goes on.
    child: Vec<u32>,
    /// The top nodes of the paths, in ascending order: what hangs off a path comes before it.
    /// With each, a node with an equal subtree that is done before, or the top itself.
    pub(super) tops: Vec<(u32, u32)>,
    /// Steps over the table of the column tree.
    pub(crate) steps: u64,
    /// How often that table is turned, at most.
    pub(crate) turns: u64,
    /// Forests that are kept at a time, at most.
    pub(crate) kept: usize,
}

impl PathPlan {
    pub(crate) fn new(left: &Oriented, right: &Oriented) -> Self {
        let n = left.len();
        let (mut child, mut cost, mut hanging) = (vec![NONE; n], vec![0u64; n], vec![0u64; n]);
        for v in 0..n {
            let all: u64 = left.children(v).map(|c| cost[c]).sum();
            let best = left.children(v).map(|c| (all - cost[c] + hanging[c], c)).min();
            if let Some((least, c)) = best {
                child[v] = c as u32;
                hanging[v] = least;
                // A leaf that hangs off a path is done at once.
                cost[v] = u64::from(left.size[v]) + least;
            }
        }
        let mut is_top = vec![true; n];
        child.iter().filter(|&&c| c != NONE).for_each(|&c| is_top[c as usize] = false);
        let mut plan = Self { child, tops: Vec::new(), steps: 0, turns: 0, kept: 0 };
        let canonical = left.canonical();
        // A node of each kind of subtree whose path is done, as far as known.
        let mut done = vec![NONE; n];
        for top in (0..n).filter(|&v| is_top[v]) {
            let original = done[canonical[top] as usize];
            plan.tops.push((top as u32, if original == NONE { top as u32 } else { original }));
            if original == NONE {
                for v in plan.path(top) {
                    let done = &mut done[canonical[v] as usize];
                    *done = (*done).min(v as u32);
                }
            }
        }
        plan.count(left, right);
        plan
    }

    /// The nodes of the path from `top`, downwards.
    pub(super) fn path(&self, top: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(top), |&v| self.below(v))
    }

    /// The next node of the path.
    pub(super) fn below(&self, v: usize) -> Option<usize> {
        let child = self.child[v];
        (child != NONE).then_some(child as usize)
    }

    fn count(&mut self, left: &Oriented, right: &Oriented) {
        let places = right_places(left);
        let fresh = self.tops.iter().filter(|&&(top, original)| top == original);
        let fresh = fresh.map(|&(top, _)| top as usize).filter(|&top| left.size[top] > 1);
        let (mut steps, mut turns, mut kept) = (0, 0, 0);
        for top in fresh {
            steps += u64::from(left.size[top]);
            for v in self.path(top) {
                let Some(c) = self.below(v) else { continue };
                let ends = [(left, v, c), (right, places[v] as usize, places[c] as usize)];
                for (tree, v, c) in ends {
                    if v - c > 1 {
                        turns += 1;
                        let nested = tree.depth[c + 1..v].iter().max().copied().unwrap_or(0);
                        kept = kept.max((nested - tree.depth[v]) as usize);
                    }
                }
            }
        }
        (self.steps, self.turns, self.kept) = (steps, turns, kept);
    }
}
