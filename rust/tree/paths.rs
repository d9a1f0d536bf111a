//! Paths of a tree: how alignments walk over it.

use crate::tree::oriented::{Orientation, Oriented};

/// A path with all that hangs beside it below its top: an interval of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.last + 1 - self.first
    }
}

/// The paths of a tree in the postorder of one orientation.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) nodes: usize,
    /// Labels as indices into the tree's distinct labels.
    pub(crate) label: Vec<u32>,
    /// First node of the subtree of each node.
    pub(crate) first: Vec<u32>,
    /// Ascending by their last node; the last one is the whole tree or forest.
    pub(crate) spans: Vec<Span>,
    /// The span on whose path each node lies.
    pub(crate) span_of: Vec<u32>,
    /// The nodes on the paths, span by span, ascending, and where each span's begin.
    members: Vec<u32>,
    starts: Vec<u32>,
    /// Preorder index of each node.
    pub(crate) preorder: Vec<usize>,
}

impl Paths {
    pub(crate) fn new(tree: &Oriented, nodes: usize, orientation: Orientation) -> Self {
        let first: Vec<_> = (0..nodes).map(|i| tree.first(i) as u32).collect();
        // The virtual root of a forest is no node to align.
        let keyroots = if nodes > 0 { tree.keyroots.as_slice() } else { &[] };
        let span = |&keyroot: &u32| Span {
            first: tree.first(keyroot as usize),
            last: (keyroot as usize).min(nodes - 1),
        };
        let spans: Vec<_> = keyroots.iter().map(span).collect();
        // A path is known by the leaf where it begins.
        let mut span_of_leaf = vec![0; nodes];
        for (index, span) in spans.iter().enumerate() {
            span_of_leaf[span.first] = index as u32;
        }
        let span_of: Vec<_> = first.iter().map(|&leaf| span_of_leaf[leaf as usize]).collect();
        let mut starts = vec![0; spans.len() + 1];
        for &span in &span_of {
            starts[span as usize + 1] += 1;
        }
        for span in 0..spans.len() {
            starts[span + 1] += starts[span];
        }
        let (mut members, mut next) = (vec![0; nodes], starts.clone());
        for (node, &span) in (0..).zip(&span_of) {
            members[next[span as usize] as usize] = node;
            next[span as usize] += 1;
        }
        let preorder = tree.preorder(orientation);
        let label = tree.label[..nodes].to_vec();
        Self { nodes, label, first, spans, span_of, members, starts, preorder }
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self, i: usize) -> bool {
        self.first[i] as usize == i
    }

    /// The nodes on the path of a span, ascending.
    pub(crate) fn path(&self, span: usize) -> &[u32] {
        &self.members[self.starts[span] as usize..self.starts[span + 1] as usize]
    }
}
