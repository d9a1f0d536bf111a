//! Trees cut into pieces that threads search at the same time.

use crate::pairwise::find::Documents;
use crate::pairwise::find::stream::start_of_candidate;
use std::ops::Range;

/// Nodes of a piece, at least.
const PIECE_NODES: usize = if cfg!(test) { 16 } else { 1 << 14 };
/// Most pieces of one tree: to find where one begins may take a look at the whole tree.
const MOST_PIECES: usize = 256;

/// Some trees, or, if it is one tree, a range of its nodes.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) trees: Range<usize>,
    /// Nodes within the tree.
    pub(super) nodes: Range<usize>,
}

/// All nodes in pieces. No subtree of at most the weight `most` is in two of them.
pub(super) fn pieces(
    documents: Documents<'_>,
    weight: impl Fn(i32) -> i128,
    most: i128,
) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    for tree in 0..documents.len() {
        let (codes, parents) = documents.tree(tree);
        if parents.len() <= 2 * PIECE_NODES {
            match found.last_mut() {
                // Small trees are searched together, but not with the end of a large one.
                Some(last)
                    if last.nodes.start == 0 && last.nodes.end + parents.len() <= PIECE_NODES =>
                {
                    last.trees.end = tree + 1;
                    last.nodes.end += parents.len();
                }
                _ => found.push(Piece { trees: tree..tree + 1, nodes: 0..parents.len() }),
            }
            continue;
        }
        let step = PIECE_NODES.max(parents.len().div_ceil(MOST_PIECES));
        let mut start = 0;
        for node in (step..parents.len()).step_by(step) {
            let cut = start_of_candidate(parents, node, |i| weight(codes[i]), most);
            if cut > start {
                found.push(Piece { trees: tree..tree + 1, nodes: start..cut });
                start = cut;
            }
        }
        found.push(Piece { trees: tree..tree + 1, nodes: start..parents.len() });
    }
    found
}
