//! Which paths decompose the row tree, and what that costs.
//!
//! A path from a subtree's root to a leaf costs a row for every node of the subtree, and what
//! hangs off the path is decomposed in turn. The time of a row depends on the path: left and
//! right paths meet the column tree in the forests of its left or right decomposition, inner ones
//! in all its subforests. The best paths are found from the leaves upwards, as in Pawlik and
//! Augsten's APTED (2016), but for the subtrees of the row tree only:
//!
//! ```text
//! cost(v)     = min over kinds of  size(v) time + hanging(v)
//! hanging(v)  = hanging(c) + costs of the other children,    c the child on the path.
//! ```

use crate::distance::inner::right_places;
use crate::tree::Oriented;

const NONE: u32 = u32::MAX;

/// A kind of path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathKind {
    Left,
    Right,
    /// Through any child.
    Inner,
}

/// What a row costs, by the kind of its path. Infinite if it cannot be had.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowTimes {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) inner: f64,
    /// Turning the table of an inner path, which is needed where nodes hang on the other side.
    pub(crate) turn: f64,
    /// Tables of row forests that inner paths may keep at a time: one for every level of nested
    /// key-roots beside the path.
    pub(crate) most_kept: u32,
}

/// One path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) top: u32,
    /// A node with an equal subtree that is done before, or the top itself.
    pub(super) original: u32,
    pub(super) kind: PathKind,
}

/// The paths of one tree; nodes are numbered in the left postorder.
#[derive(Debug)]
pub(crate) struct PathPlan {
    /// The child in which the path of each node goes on.
    child: Vec<u32>,
    /// In ascending order of their tops: what hangs off a path comes before it.
    pub(super) paths: Vec<Path>,
    /// What all this costs.
    pub(crate) cost: f64,
    /// Tables of row forests that are kept at a time along inner paths, at most.
    pub(crate) kept: usize,
}

/// The best path of every node.
struct Best {
    kind: Vec<PathKind>,
    inner_child: Vec<u32>,
}

/// Levels of nested key-roots in the subtree of each node, by left paths and by right ones.
fn levels(tree: &Oriented) -> [Vec<u32>; 2] {
    let n = tree.len();
    let mut levels = [vec![0; n], vec![0; n]];
    for v in 0..n {
        let first = tree.children(v).last();
        for (position, c) in tree.children(v).enumerate() {
            let beside = [u32::from(Some(c) != first), u32::from(position > 0)];
            for (levels, beside) in levels.iter_mut().zip(beside) {
                levels[v] = levels[v].max(levels[c] + beside);
            }
        }
    }
    levels
}

/// The children of `v`, last one first, each with the levels of nested key-roots beside it.
fn with_levels_beside(
    tree: &Oriented,
    v: usize,
    levels: &[Vec<u32>; 2],
    found: &mut Vec<(usize, u32)>,
) {
    found.clear();
    // What hangs right of a child joins in the left postorder, and the other way round.
    let (mut after, mut before) = (0, 0);
    for c in tree.children(v) {
        found.push((c, after));
        after = after.max(levels[0][c] + 1);
    }
    for (c, beside) in found.iter_mut().rev() {
        *beside = (*beside).max(before);
        before = before.max(levels[1][*c] + 1);
    }
}

impl Best {
    fn new(tree: &Oriented, times: RowTimes) -> Self {
        let n = tree.len();
        let mut best = Self { kind: vec![PathKind::Left; n], inner_child: vec![NONE; n] };
        let mut cost = vec![0.0; n];
        let mut hanging = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let levels = levels(tree);
        let mut children = Vec::new();
        for v in 0..n {
            let Some(last) = tree.children(v).next() else {
                continue; // a leaf is done at once
            };
            let first = tree.children(v).last().unwrap_or(last);
            let all: f64 = tree.children(v).map(|c| cost[c]).sum();
            let turns = |c: usize| f64::from(u8::from(c != first) + u8::from(c != last));
            with_levels_beside(tree, v, &levels, &mut children);
            let (mut through, mut least) = (last, f64::INFINITY);
            for &(c, kept) in &children {
                let others = hanging[2][c] + (all - cost[c]) + turns(c) * times.turn;
                if kept <= times.most_kept && others < least {
                    (through, least) = (c, others);
                }
            }
            best.inner_child[v] = through as u32;
            let beside =
                [all - cost[first] + hanging[0][first], all - cost[last] + hanging[1][last], least];
            let size = f64::from(tree.size[v]);
            let kinds = [
                (PathKind::Left, times.left * size + beside[0]),
                (PathKind::Right, times.right * size + beside[1]),
                (PathKind::Inner, times.inner * size + beside[2]),
            ];
            cost[v] = f64::INFINITY;
            for (kind, time) in kinds {
                if time < cost[v] {
                    (best.kind[v], cost[v]) = (kind, time);
                }
            }
            hanging.iter_mut().zip(beside).for_each(|(hanging, beside)| hanging[v] = beside);
        }
        best
    }
}

impl PathPlan {
    pub(crate) fn new(left: &Oriented, right: &Oriented, times: RowTimes) -> Self {
        let n = left.len();
        let Best { mut kind, inner_child } = Best::new(left, times);
        let mut child = vec![NONE; n];
        let mut is_top = vec![true; n];
        for v in (0..n).rev() {
            let below = match kind[v] {
                PathKind::Left => left.children(v).last(),
                PathKind::Right => left.children(v).next(),
                PathKind::Inner => (inner_child[v] != NONE).then_some(inner_child[v] as usize),
            };
            if let Some(c) = below {
                child[v] = c as u32;
                is_top[c] = false;
                kind[c] = kind[v];
            }
        }
        let mut plan = Self { child, paths: Vec::new(), cost: 0.0, kept: 0 };
        let canonical = left.canonical();
        // A node of each kind of subtree whose path is done, as far as known.
        let mut done = vec![NONE; n];
        for top in (0..n).filter(|&v| is_top[v]) {
            let known = done[canonical[top] as usize];
            let original = if known == NONE { top as u32 } else { known };
            plan.paths.push(Path { top: top as u32, original, kind: kind[top] });
            if known == NONE {
                for v in plan.path(top) {
                    let done = &mut done[canonical[v] as usize];
                    *done = (*done).min(v as u32);
                }
            }
        }
        plan.count(left, right, times);
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

    /// Whether a path of this kind is to be computed.
    pub(super) fn has(&self, kind: PathKind, tree: &Oriented) -> bool {
        self.fresh(tree).any(|(_, found)| found == kind)
    }

    /// Tops and kinds of the paths to compute; leaves are not.
    fn fresh<'a>(&'a self, tree: &'a Oriented) -> impl Iterator<Item = (usize, PathKind)> + 'a {
        let fresh = self.paths.iter().filter(|path| path.top == path.original);
        let fresh = fresh.map(|path| (path.top as usize, path.kind));
        fresh.filter(|&(top, _)| tree.size[top] > 1)
    }

    fn count(&mut self, left: &Oriented, right: &Oriented, times: RowTimes) {
        let places = right_places(left);
        let (mut cost, mut kept) = (0.0, 0);
        for (top, kind) in self.fresh(left) {
            let time = match kind {
                PathKind::Left => times.left,
                PathKind::Right => times.right,
                PathKind::Inner => times.inner,
            };
            cost += f64::from(left.size[top]) * time;
            if kind != PathKind::Inner {
                continue;
            }
            for v in self.path(top) {
                let Some(c) = self.below(v) else { continue };
                let ends = [(left, v, c), (right, places[v] as usize, places[c] as usize)];
                for (tree, v, c) in ends {
                    if v - c > 1 {
                        cost += times.turn;
                        let nested = tree.depth[c + 1..v].iter().max().copied().unwrap_or(0);
                        kept = kept.max((nested - tree.depth[v]) as usize);
                    }
                }
            }
        }
        (self.cost, self.kept) = (cost, kept);
    }
}
