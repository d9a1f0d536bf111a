//! Distances of unit costs without a kernel: an alignment of strings that is one of trees.
//!
//! The edit distance of the strings of two trees is a lower bound of their distance. If the pairs of
//! nodes of an optimal alignment of the strings also keep ancestors, the bound is the distance. Most
//! pairs of trees that are near each other are of this kind.

use crate::features::Nodes;
use crate::join::signatures::postorder;

/// No node.
const NONE: i32 = -1;

/// Buffers for the nodes of two trees.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    /// The partner of each node of x, in preorder, and the same of y.
    partners: [Vec<i32>; 2],
    /// For each node, itself or its closest ancestor that has a partner.
    anchors: [Vec<i32>; 2],
}

impl Mapping {
    /// Forgets all pairs.
    pub(super) fn clear(&mut self, (n, m): (usize, usize)) {
        for (buffer, nodes) in self.partners.iter_mut().zip([n, m]) {
            buffer.clear();
            buffer.resize(nodes, NONE);
        }
    }

    /// Adds a run of pairs.
    #[inline(always)]
    pub(super) fn add(&mut self, i: usize, j: usize, count: usize) {
        for (place, partner) in self.partners[0][i..i + count].iter_mut().enumerate() {
            *partner = (j + place) as i32;
        }
        for (place, partner) in self.partners[1][j..j + count].iter_mut().enumerate() {
            *partner = (i + place) as i32;
        }
    }

    /// Turns pairs of places in postorder into pairs of places in preorder.
    pub(super) fn turn_to_preorder(&mut self, x: Nodes<'_>, y: Nodes<'_>) {
        let places = [x, y].map(|tree| postorder(tree).collect::<Vec<_>>());
        let mut nodes = vec![0; y.len()];
        places[1].iter().enumerate().for_each(|(node, &place)| nodes[place] = node as i32);
        let of_places = std::mem::take(&mut self.partners[0]);
        self.clear((x.len(), y.len()));
        for (i, &place) in places[0].iter().enumerate() {
            if of_places[place] != NONE {
                let j = nodes[of_places[place] as usize];
                self.partners[0][i] = j;
                self.partners[1][j as usize] = i as i32;
            }
        }
    }

    /// The number of edits if the pairs, which keep the order of the nodes, keep ancestors too.
    pub(super) fn edits(
        &mut self,
        (x, y): (Nodes<'_>, Nodes<'_>),
        differ: impl Fn(i32, i32) -> bool,
    ) -> Option<usize> {
        let [of_x, of_y] = &self.partners;
        let [above_x, above_y] = &mut self.anchors;
        anchor(x.parents, of_x, above_x);
        anchor(y.parents, of_y, above_y);
        let above = |tree: Nodes<'_>, anchors: &[i32], node: usize| {
            usize::try_from(tree.parents[node]).map_or(NONE, |parent| anchors[parent])
        };
        let mut edits = x.len() + y.len();
        for (i, &j) in of_x.iter().enumerate() {
            let Ok(j) = usize::try_from(j) else { continue };
            let (a, b) = (above(x, above_x, i), above(y, above_y, j));
            let partner = if a == NONE { NONE } else { of_x[a as usize] };
            if partner != b {
                return None;
            }
            edits -= 2 - usize::from(differ(x.codes[i], y.codes[j]));
        }
        Some(edits)
    }
}

fn anchor(parents: &[i32], partners: &[i32], anchors: &mut Vec<i32>) {
    anchors.clear();
    for (node, (&parent, &partner)) in parents.iter().zip(partners).enumerate() {
        let above = usize::try_from(parent).map_or(NONE, |parent| anchors[parent]);
        anchors.push(if partner == NONE { above } else { node as i32 });
    }
}
