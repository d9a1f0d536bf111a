//! Trees as flat arrays in preorder, without preparation.

/// Trees side by side; tree `t` owns the nodes `offsets[t]..offsets[t + 1]`.
#[derive(Debug, Clone, Copy)]
pub struct Flat<'a> {
    /// Label codes in preorder; -1 for a label that has no code.
    pub codes: &'a [i32],
    /// For each node the index of its parent within its own tree, -1 for a root.
    pub parents: &'a [i32],
    /// Where each tree starts, and at last where the last one ends.
    pub offsets: &'a [i64],
}

/// One tree of [`Flat`].
#[derive(Debug, Clone, Copy)]
pub struct Nodes<'a> {
    pub(crate) codes: &'a [i32],
    pub(crate) parents: &'a [i32],
}

impl<'a> Flat<'a> {
    /// Number of trees.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of the trees.
    pub fn tree(&self, index: usize) -> Nodes<'a> {
        let nodes = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        Nodes { codes: &self.codes[nodes.clone()], parents: &self.parents[nodes] }
    }

    /// Contiguous ranges of trees with about equal numbers of nodes, at most `count` of them.
    pub(crate) fn parts(&self, count: usize) -> Vec<std::ops::Range<usize>> {
        let share = (self.codes.len() + self.len()).div_ceil(count.max(1)).max(1);
        let mut parts = Vec::new();
        let (mut begin, mut weight) = (0, 0);
        for tree in 0..self.len() {
            weight += self.tree(tree).codes.len() + 1;
            if weight >= share {
                parts.push(begin..tree + 1);
                (begin, weight) = (tree + 1, 0);
            }
        }
        if begin < self.len() {
            parts.push(begin..self.len());
        }
        parts
    }
}

impl Nodes<'_> {
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// In preorder a node has children if the next node is one.
    pub(crate) fn is_leaf(&self, node: usize) -> bool {
        self.parents.get(node + 1).is_none_or(|&parent| parent != node as i32)
    }

    /// Numbers of nodes of all subtrees.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.len()];
        for node in (0..self.len()).rev() {
            if let Ok(parent) = usize::try_from(self.parents[node]) {
                sizes[parent] += sizes[node];
            }
        }
        sizes
    }

    /// The children of a node, or the roots if there is none.
    pub(crate) fn children(
        &self,
        node: Option<usize>,
        sizes: &[u32],
    ) -> impl Iterator<Item = usize> + Clone {
        let (first, end) =
            node.map_or((0, self.len()), |node| (node + 1, node + sizes[node] as usize));
        let inside = move |child: usize| Some(child).filter(|&child| child < end);
        std::iter::successors(inside(first), move |&child| inside(child + sizes[child] as usize))
    }
}
