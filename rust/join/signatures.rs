//! What the join knows of every tree of one side, in flat arrays, by ascending size.
//!
//! Equal trees are one *kind*; a position is a kind. The arrays are made once, and whoever reads
//! them does not see whether they are owned or borrowed, so they can be those of a file.

use crate::error::{Error, Result};
use crate::features::{Flat, Nodes};
use crate::join::letters::histogram;
use crate::join::tours::append_tour;
use crate::parallel::Crew;
use crate::simd::counts::PLACES;
use crate::tree::mix;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Nodes that a thread looks at, at a time.
const PART_NODES: usize = 1 << 16;
/// Fewer nodes take milliseconds at most.
const BRIEF_NODES: usize = 1 << 17;
/// Bytes of a node and of a tree of the arrays and of what is needed while they are made.
pub(super) const NODE_BYTES: u64 = 4;
pub(super) const TREE_BYTES: u64 = 224;

/// The labels of the trees of one side.
#[derive(Debug)]
pub(super) struct LabelTable {
    /// The code of every label in the comparison.
    pub(super) codes: Vec<u32>,
    /// The letter of every label.
    pub(super) letters: Vec<u8>,
}

/// The arrays; see the head of the file.
#[derive(Debug)]
pub(super) struct Signatures<'a> {
    /// Number of nodes, ascending.
    nodes: Cow<'a, [u32]>,
    /// Where the strings of each position begin, and the end of the last one.
    starts: Cow<'a, [u64]>,
    preorder: Cow<'a, [u8]>,
    postorder: Cow<'a, [u8]>,
    counts: Cow<'a, [[u8; PLACES]]>,
    /// Where the trees of each kind begin, and the end of the last one.
    kinds: Cow<'a, [u32]>,
    /// The trees, kind by kind, each kind ascending.
    trees: Cow<'a, [u32]>,
    /// The positions of each size, by ascending size.
    sizes: Vec<(usize, Range<usize>)>,
    /// The tours of all positions, for searches that need them.
    tours: OnceLock<Vec<u8>>,
}

impl Signatures<'static> {
    /// Looks at all trees.
    pub(super) fn new(flat: Flat<'_>, labels: &LabelTable, crew: &mut Crew<'_>) -> Result<Self> {
        if u32::try_from(flat.len()).is_err() {
            return Err(Error::Invalid(format!("{} trees are too many", flat.len())));
        }
        let brief = flat.codes.len() < BRIEF_NODES;
        let parts = flat.parts(flat.codes.len() / PART_NODES + 1);
        let hashes = crew.map(parts.len(), brief, |part| {
            let hash = |tree: usize| {
                let nodes = flat.tree(tree);
                (nodes.codes.len() as u32, hash(nodes, labels), tree as u32)
            };
            Ok(parts[part].clone().map(hash).collect::<Vec<_>>())
        })?;
        let mut order = hashes.concat();
        drop(hashes);
        order.sort_unstable();
        let (kinds, trees) = kinds_of(flat, labels, &order);
        drop(order);
        let first = |position: usize| flat.tree(trees[kinds[position] as usize] as usize);
        let positions = kinds.len() - 1;
        let nodes: Vec<u32> = (0..positions).map(|p| first(p).codes.len() as u32).collect();
        let mut starts = vec![0u64];
        starts.extend(nodes.iter().scan(0, |end, &nodes| {
            *end += u64::from(nodes);
            Some(*end)
        }));
        // Cut where the nodes before reach a multiple of the share of a part.
        let shares = starts[positions] as usize / PART_NODES + 1;
        let cut = |part: usize| {
            starts.partition_point(|&s| s < (part * PART_NODES) as u64).min(positions)
        };
        let texts = crew.map(shares, brief, |part| {
            let end = if part + 1 == shares { positions } else { cut(part + 1) };
            let (mut pre, mut post, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for position in cut(part)..end {
                let tree = first(position);
                let start = pre.len();
                pre.extend(tree.codes.iter().map(|&label| labels.letters[label as usize]));
                post.resize(pre.len(), 0);
                for (place, &letter) in postorder(tree).zip(&pre[start..]) {
                    post[start + place] = letter;
                }
                counts.push(histogram(&pre[start..]));
            }
            Ok((pre, post, counts))
        })?;
        let (mut pre, mut post, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        pre.reserve_exact(starts[positions] as usize);
        post.reserve_exact(starts[positions] as usize);
        counts.reserve_exact(positions);
        for part in texts {
            pre.extend(part.0);
            post.extend(part.1);
            counts.extend(part.2);
        }
        let mut sizes: Vec<(usize, Range<usize>)> = Vec::new();
        for same in nodes.chunk_by(|a, b| a == b) {
            let start = sizes.last().map_or(0, |(_, range)| range.end);
            sizes.push((same[0] as usize, start..start + same.len()));
        }
        Ok(Self {
            nodes: nodes.into(),
            starts: starts.into(),
            preorder: pre.into(),
            postorder: post.into(),
            counts: counts.into(),
            kinds: kinds.into(),
            trees: trees.into(),
            sizes,
            tours: OnceLock::new(),
        })
    }
}

impl Signatures<'_> {
    /// Number of kinds.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes of a kind.
    #[inline(always)]
    pub(super) fn nodes(&self, position: usize) -> usize {
        self.nodes[position] as usize
    }

    /// The letters of a kind in preorder.
    #[inline(always)]
    pub(super) fn preorder(&self, position: usize) -> &[u8] {
        &self.preorder[self.starts[position] as usize..self.starts[position + 1] as usize]
    }

    /// The same in postorder.
    #[inline(always)]
    pub(super) fn postorder(&self, position: usize) -> &[u8] {
        &self.postorder[self.starts[position] as usize..self.starts[position + 1] as usize]
    }

    /// Makes the tours of all kinds. `flat` are the trees.
    pub(super) fn make_tours(&self, flat: Flat<'_>) {
        self.tours.get_or_init(|| {
            let mut tours = Vec::with_capacity(2 * self.preorder.len());
            for position in 0..self.len() {
                append_tour((flat.tree(self.first(position)), self.preorder(position)), &mut tours);
            }
            tours
        });
    }

    /// The tour of a kind; empty before they were made.
    #[inline(always)]
    pub(super) fn tour(&self, position: usize) -> &[u8] {
        let [start, end] = [position, position + 1].map(|p| 2 * self.starts[p] as usize);
        self.tours.get().map_or(&[], |tours| &tours[start..end])
    }

    /// The histograms of all kinds.
    #[inline(always)]
    pub(super) fn counts(&self) -> &[[u8; PLACES]] {
        &self.counts
    }

    /// The trees of a kind, ascending.
    pub(super) fn trees(&self, position: usize) -> &[u32] {
        &self.trees[self.kinds[position] as usize..self.kinds[position + 1] as usize]
    }

    /// The number of trees of the kinds before a position.
    pub(super) fn trees_before(&self, position: usize) -> usize {
        self.kinds[position] as usize
    }

    /// The first tree of a kind.
    #[inline(always)]
    pub(super) fn first(&self, position: usize) -> usize {
        self.trees[self.kinds[position] as usize] as usize
    }

    /// The positions of each number of nodes, by ascending numbers.
    pub(super) fn sizes(&self) -> &[(usize, Range<usize>)] {
        &self.sizes
    }
}

/// A hash of labels and structure.
fn hash(tree: Nodes<'_>, labels: &LabelTable) -> u64 {
    let node = |(&label, &parent): (&i32, &i32)| {
        u64::from(labels.codes[label as usize]) << 32 | u64::from(parent as u32)
    };
    tree.codes.iter().zip(tree.parents).map(node).fold(tree.codes.len() as u64, mix)
}

/// Trees in the order of their sizes and hashes, as kinds: where each one begins, and their trees.
fn kinds_of(
    flat: Flat<'_>,
    labels: &LabelTable,
    order: &[(u32, u64, u32)],
) -> (Vec<u32>, Vec<u32>) {
    let code = |&label: &i32| labels.codes[label as usize];
    let is_equal = |a: u32, b: u32| {
        let (a, b) = (flat.tree(a as usize), flat.tree(b as usize));
        a.parents == b.parents && a.codes.iter().map(code).eq(b.codes.iter().map(code))
    };
    let (mut kinds, mut trees) = (vec![0], Vec::with_capacity(order.len()));
    for same in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        // One kind, unless hashes have met by chance.
        let mut left: Vec<u32> = same.iter().map(|&(_, _, tree)| tree).collect();
        while let Some(&first) = left.first() {
            left.retain(|&tree| {
                let equal = tree == first || is_equal(first, tree);
                if equal {
                    trees.push(tree);
                }
                !equal
            });
            kinds.push(trees.len() as u32);
        }
    }
    (kinds, trees)
}

/// The place in postorder of every node, in preorder.
pub(super) fn postorder(tree: Nodes<'_>) -> impl Iterator<Item = usize> {
    let sizes = tree.sizes();
    let mut depths = vec![0u32; sizes.len()];
    for (node, &parent) in tree.parents.iter().enumerate() {
        if let Ok(parent) = usize::try_from(parent) {
            depths[node] = depths[parent] + 1;
        }
    }
    (0..sizes.len()).map(move |node| node + sizes[node] as usize - 1 - depths[node] as usize)
}
