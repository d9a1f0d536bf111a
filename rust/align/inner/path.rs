//! Two trees in both postorders, and the paths that decompose the first one.

use crate::distance::right_places;
use crate::tree::{Orientation, Oriented, Prepared};

/// One of the two trees, without the virtual root of a forest, in both postorders.
pub(super) struct Sides<'a> {
    pub(super) trees: [&'a Oriented; 2],
    pub(super) nodes: usize,
    /// The place of each node of one postorder in the other one.
    pub(super) places: [Vec<u32>; 2],
}

impl<'a> Sides<'a> {
    pub(super) fn new(tree: &'a Prepared) -> Self {
        let trees = Orientation::BOTH.map(|side| tree.oriented(side));
        let right = right_places(trees[0]);
        let mut left = vec![0; right.len()];
        for (node, &place) in (0..).zip(&right) {
            left[place as usize] = node;
        }
        Self { trees, nodes: tree.nodes(), places: [right, left] }
    }

    /// A node of the postorder of a side in the left one.
    pub(super) fn left(&self, side: usize, node: usize) -> usize {
        if side == 0 { node } else { self.places[1][node] as usize }
    }

    /// A node of the left postorder in that of a side.
    pub(super) fn on(&self, side: usize, node: usize) -> usize {
        if side == 0 { node } else { self.places[0][node] as usize }
    }
}

/// What happens to the forest of the first tree along a path; nodes are in the left postorder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A node joins on a side. The table without its subtree is the one kept by that number of
    /// the leaf where the subtree begins; a leaf keeps it.
    Join { node: usize, side: usize, apart: usize, is_leaf: bool },
    /// A node of the path joins above all others.
    Crown { node: usize },
}

/// The path from a node through the heaviest children, as steps from its leaf upwards.
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
    /// Where the table is kept, and from there computed again: first steps, ascending from 0.
    pub(super) stops: Vec<usize>,
    /// Most leaves that join between two stops.
    pub(super) most_leaves: usize,
}

/// The child in which the path of each node goes on, for all nodes with children.
pub(super) fn heaviest(tree: &Oriented) -> Vec<Option<usize>> {
    (0..tree.len()).map(|v| tree.children(v).max_by_key(|&c| tree.size[c])).collect()
}

impl Path {
    pub(super) fn new(rows: &Sides<'_>, heaviest: &[Option<usize>], top: usize) -> Self {
        let mut path = vec![top];
        while let Some(next) = heaviest[path[path.len() - 1]] {
            path.push(next);
        }
        let mut steps = Vec::new();
        let mut ends = Vec::new(); // steps after a crown, and how many leaves have joined by then
        let mut leaves = 0;
        let mut kept = [vec![0; rows.trees[0].len()], vec![0; rows.trees[0].len()]];
        for (position, &v) in path.iter().enumerate().rev() {
            if let Some(&c) = path.get(position + 1) {
                // What hangs right of the path is an interval of the left postorder, and the other
                // way round.
                for side in [0, 1] {
                    for u in rows.on(side, c) + 1..rows.on(side, v) {
                        let is_leaf = rows.trees[side].size[u] == 1;
                        let first = rows.trees[side].first(u);
                        if is_leaf {
                            kept[side][u] = leaves;
                            leaves += 1;
                        }
                        let (node, apart) = (rows.left(side, u), kept[side][first]);
                        steps.push(Step::Join { node, side, apart, is_leaf });
                    }
                }
            }
            steps.push(Step::Crown { node: v });
            ends.push((steps.len(), leaves));
        }
        // As many tables are kept at stops as between two of them.
        let wanted = (leaves as f64).sqrt().ceil() as usize;
        let (mut stops, mut most_leaves, mut since) = (vec![0], 0, 0);
        for &(end, by_then) in &ends {
            most_leaves = most_leaves.max(by_then - since);
            if by_then - since >= wanted.max(1) && end < steps.len() {
                stops.push(end);
                since = by_then;
            }
        }
        Self { steps, stops, most_leaves }
    }

    /// The steps from a stop to the next one.
    pub(super) fn part(&self, stop: usize) -> &[Step] {
        let end = self.stops.get(stop + 1).copied().unwrap_or(self.steps.len());
        &self.steps[self.stops[stop]..end]
    }
}

/// The first nodes of all paths that have more than one node, ascending.
pub(super) fn tops(rows: &Sides<'_>, heaviest: &[Option<usize>]) -> Vec<usize> {
    let tree = rows.trees[0];
    let mut is_top = vec![true; tree.len()];
    for &child in heaviest.iter().flatten() {
        is_top[child] = false;
    }
    (0..tree.len()).filter(|&v| is_top[v] && tree.size[v] > 1).collect()
}
