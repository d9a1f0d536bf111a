//! The features of one tree.

use crate::error::Result;
use crate::features::book::Book;
use crate::features::flat::Nodes;
use crate::features::trie::Family;
use crate::memory;
use crate::parallel::Cancel;

/// Stems of `p` nodes and bases of `q` children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PqGrams {
    /// Nodes of the stem: a node and its nearest ancestors; at least 1.
    pub p: usize,
    /// Adjacent children of the node; at least 1.
    pub q: usize,
}

/// Which features to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// The label of each node.
    pub labels: bool,
    /// Paths of labels with at most that many ancestors, adjacent siblings, roots and leaves.
    pub paths: Option<usize>,
    /// All pq-grams.
    pub pqgrams: Option<PqGrams>,
    /// The subtree of each node, cut below every depth from 0 up to this one.
    pub subtrees: Option<usize>,
}

impl Kinds {
    /// Lists the features of a tree, each as often as it occurs.
    pub(crate) fn list<B: Book>(
        &self,
        tree: Nodes<'_>,
        book: &mut B,
        found: &mut Vec<B::Id>,
        cancel: &Cancel,
    ) -> Result<()> {
        if self.labels {
            let family = book.family(Family::Label);
            found.extend(tree.codes.iter().filter_map(|&code| book.label(family, Some(code))));
        }
        if let Some(ancestors) = self.paths {
            list_paths(tree, ancestors, book, found, cancel)?;
            list_marks(tree, book, found);
        }
        if let Some(grams) = self.pqgrams {
            grams.list(tree, book, found, cancel)?;
        }
        if let Some(height) = self.subtrees {
            list_subtrees(tree, height, book, found, cancel)?;
        }
        Ok(())
    }
}

/// All paths of labels that end at a node and begin at most `ancestors` above it.
fn list_paths<B: Book>(
    tree: Nodes<'_>,
    ancestors: usize,
    book: &mut B,
    found: &mut Vec<B::Id>,
    cancel: &Cancel,
) -> Result<()> {
    let mut depths = vec![0usize; tree.len()];
    for node in 0..tree.len() {
        if let Ok(parent) = usize::try_from(tree.parents[node]) {
            depths[node] = depths[parent] + 1;
        }
    }
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let width = ancestors.min(deepest) + 1;
    // For the nodes on the way down to the current one: the paths that end there, by length.
    let mut ending: Vec<Option<B::Id>> = Vec::new();
    let cells = width.saturating_mul(deepest + 1);
    memory::grow("the paths of a tree", &mut ending, cells, None, cancel)?;
    let family = book.family(Family::Path);
    for (node, &depth) in depths.iter().enumerate() {
        cancel.check()?;
        let label = Some(tree.codes[node]);
        let row = depth * width;
        ending[row] = book.label(family, label);
        for length in 1..width.min(depth + 1) {
            let above = ending[row - width + length - 1];
            ending[row + length] = above.and_then(|above| book.label(above, label));
        }
        found.extend(ending[row..row + width.min(depth + 1)].iter().flatten());
    }
    Ok(())
}

/// The labels of roots and leaves, and of pairs of adjacent siblings.
fn list_marks<B: Book>(tree: Nodes<'_>, book: &mut B, found: &mut Vec<B::Id>) {
    let families = [Family::Root, Family::Leaf, Family::Siblings].map(|family| book.family(family));
    // The latest child of each node, and of none.
    let mut latest = vec![None; tree.len() + 1];
    for (node, &parent) in tree.parents.iter().enumerate() {
        let label = Some(tree.codes[node]);
        if parent < 0 {
            found.extend(book.label(families[0], label));
        }
        if tree.is_leaf(node) {
            found.extend(book.label(families[1], label));
        }
        if let Some(before) = latest[(parent + 1) as usize].replace(node) {
            let first = book.label(families[2], Some(tree.codes[before]));
            found.extend(first.and_then(|first| book.label(first, label)));
        }
    }
}

impl PqGrams {
    /// All pq-grams (Augsten, Böhlen and Gamper 2005): a node with its p - 1 nearest ancestors,
    /// and q adjacent children; stars where there are no more. A forest gets a star as its root.
    fn list<B: Book>(
        self,
        tree: Nodes<'_>,
        book: &mut B,
        found: &mut Vec<B::Id>,
        cancel: &Cancel,
    ) -> Result<()> {
        let sizes = tree.sizes();
        let roots = tree.children(None, &sizes).count();
        let mut stem = vec![None; self.p];
        let mut base = Vec::new();
        let virtual_root = (roots > 1).then_some(None);
        for node in virtual_root.into_iter().chain((0..tree.len()).map(Some)) {
            cancel.check()?;
            stem.fill(None);
            let mut ancestor = node;
            for place in stem.iter_mut().rev() {
                let Some(here) = ancestor else { break };
                *place = Some(tree.codes[here]);
                ancestor = usize::try_from(tree.parents[here]).ok();
            }
            base.clear();
            base.resize(self.q - 1, None);
            base.extend(tree.children(node, &sizes).map(|child| Some(tree.codes[child])));
            let inner = base.len() >= self.q;
            // A leaf has one gram of stars only.
            base.resize(base.len() + if inner { self.q - 1 } else { 1 }, None);
            let family = Some(book.family(Family::PqGram));
            let mut spell = |start: Option<B::Id>, labels: &[Option<i32>]| {
                labels.iter().fold(start, |prefix, &label| book.label(prefix?, label))
            };
            let anchored = spell(family, &stem);
            found.extend(base.windows(self.q).filter_map(|window| spell(anchored, window)));
        }
        Ok(())
    }
}

/// The subtree of each node, cut below depth 0, 1 and so on: the codes of Weisfeiler and Lehman's
/// refinement from the leaves up. Deeper cuts of a complete subtree are not listed again.
fn list_subtrees<B: Book>(
    tree: Nodes<'_>,
    height: usize,
    book: &mut B,
    found: &mut Vec<B::Id>,
    cancel: &Cancel,
) -> Result<()> {
    let sizes = tree.sizes();
    let mut heights = vec![0usize; tree.len()];
    for node in (0..tree.len()).rev() {
        if let Ok(parent) = usize::try_from(tree.parents[node]) {
            heights[parent] = heights[parent].max(heights[node] + 1);
        }
    }
    let tallest = heights.iter().copied().max().unwrap_or(0);
    let family = book.family(Family::Cut);
    let mut before: Vec<Option<B::Id>> =
        tree.codes.iter().map(|&code| book.label(family, Some(code))).collect();
    found.extend(before.iter().flatten());
    for depth in 1..=height.min(tallest + 1) {
        let mut now = Vec::with_capacity(tree.len());
        for (node, &own) in heights.iter().enumerate() {
            cancel.check()?;
            let name = subtree(tree, node, &sizes, &before, book);
            if depth <= own + 1 {
                found.extend(name);
            }
            now.push(name);
        }
        before = now;
    }
    Ok(())
}

/// A subtree from the names of the subtrees of its children.
fn subtree<B: Book>(
    tree: Nodes<'_>,
    node: usize,
    sizes: &[u32],
    names: &[Option<B::Id>],
    book: &mut B,
) -> Option<B::Id> {
    let label = book.label(book.family(Family::Subtree), Some(tree.codes[node]));
    let mut children = tree.children(Some(node), sizes);
    children.try_fold(label?, |prefix, child| book.feature(prefix, names[child]?))
}

/// The names of the complete subtrees of all nodes; equal subtrees have equal names.
pub(crate) fn complete_subtrees<B: Book>(
    tree: Nodes<'_>,
    sizes: &[u32],
    book: &mut B,
    cancel: &Cancel,
) -> Result<Vec<Option<B::Id>>> {
    let mut names = vec![None; tree.len()];
    // Children have higher numbers than their parents.
    for node in (0..tree.len()).rev() {
        cancel.check()?;
        names[node] = subtree(tree, node, sizes, &names, book);
    }
    Ok(names)
}

/// The label of a node with the labels of its children.
pub(crate) fn production<B: Book>(
    tree: Nodes<'_>,
    node: usize,
    sizes: &[u32],
    book: &mut B,
) -> Option<B::Id> {
    let start = book.label(book.family(Family::Production), Some(tree.codes[node]));
    let mut children = tree.children(Some(node), sizes);
    children.try_fold(start?, |prefix, child| book.label(prefix, Some(tree.codes[child])))
}
