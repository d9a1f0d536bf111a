//! The distinct subtrees of some trees, whatever the order of children.
//!
//! Two subtrees are equal if their labels and the multisets of their children are. Equal subtrees
//! are one node of a directed acyclic graph, so what is computed for a pair of nodes is computed
//! once for all pairs of equal subtrees.

use crate::error::Result;
use crate::pair::Operand;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Prepared};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// The code of a virtual root, which no label has.
pub(super) const NO_LABEL: u32 = u32::MAX;
/// The node that stands for a child that is not there. It saves nothing with any other.
pub(super) const NOBODY: u32 = 0;
const NONE: u32 = u32::MAX;

/// Trees up to this size keep their distinct subtrees.
const MOST_KEPT_NODES: usize = 1 << 14;

/// A child and how many children are equal to it.
pub(super) type Kid = (u32, u32);

/// The children as a range, if their numbers are neighbours: those of distinct subtrees that occur
/// nowhere else often are.
#[inline(always)]
pub(super) fn are_neighbours(kids: &[Kid]) -> Option<Range<usize>> {
    let (first, last) = (kids.first()?.0 as usize, kids.last()?.0 as usize);
    (last - first + 1 == kids.len()).then_some(first..last + 1)
}

/// The distinct subtrees, numbered from 1 such that children come before their parents: leaves
/// first, then by height.
#[derive(Debug, Default)]
pub(super) struct Dag {
    /// The label of each node, as a number that has a code; see [`Subtrees::codes`].
    pub(super) label: Vec<u32>,
    /// The children of nodes that have at most two.
    pub(super) couple: Vec<[u32; 2]>,
    /// Leaves are the nodes `1..=leaves`.
    pub(super) leaves: usize,
    /// All other nodes, in runs of those with at most two children (`true`) and of others.
    pub(super) runs: Vec<(bool, Range<usize>)>,
    /// All nodes in postorder, which keeps few rows of a table alive.
    pub(super) order: Vec<u32>,
    /// For every node the row of a table that it may use, and the number of rows.
    pub(super) slot: Vec<u32>,
    pub(super) slots: usize,
    /// The root of each tree.
    pub(super) roots: Vec<u32>,
    /// Nodes of the largest tree.
    pub(super) largest: usize,
    /// The most distinct children of a node.
    pub(super) widest: usize,
    starts: Vec<u32>,
    kids: Vec<Kid>,
    /// The node of every subtree of every tree, in postorder.
    ids: Vec<u32>,
    trees: Vec<usize>,
}

/// Distinct subtrees and the codes of their labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subtrees<'a> {
    pub(super) dag: &'a Dag,
    /// The code of each label number, [`NO_LABEL`] for virtual roots.
    pub(super) codes: &'a [u32],
}

/// The distinct subtrees of one tree, which it may keep.
#[derive(Debug)]
pub(super) enum OfTree<'a> {
    Kept(&'a Dag),
    Own(Box<Dag>),
}

impl std::ops::Deref for OfTree<'_> {
    type Target = Dag;

    fn deref(&self) -> &Dag {
        match self {
            Self::Kept(dag) => dag,
            Self::Own(dag) => dag,
        }
    }
}

impl<'a> OfTree<'a> {
    pub(super) fn new(tree: &'a Prepared) -> Self {
        let make = || {
            let nodes = tree.oriented(Orientation::Left).len();
            let mut build = Build::new(nodes);
            build.add(tree, |label| label);
            build.finish()
        };
        if tree.nodes() > MOST_KEPT_NODES {
            return Self::Own(Box::new(make()));
        }
        match tree.unordered_slot().get_or_default::<OnceLock<Dag>>() {
            Some(kept) => Self::Kept(kept.get_or_init(make)),
            None => Self::Own(Box::new(make())),
        }
    }
}

/// The codes of the label numbers of [`OfTree`].
pub(super) fn codes_of_tree(x: &Operand<'_>) -> Vec<u32> {
    x.tree.labels().iter().map(|&label| x.code(label)).chain([NO_LABEL]).collect()
}

/// The distinct subtrees of several trees, and the codes of their label numbers: equal codes have
/// one number.
pub(super) fn of_trees<'t>(
    trees: impl Iterator<Item = Operand<'t>> + Clone,
    cancel: &Cancel,
) -> Result<(Dag, Vec<u32>)> {
    let nodes = trees.clone().map(|x| x.tree.oriented(Orientation::Left).len()).sum::<usize>();
    let mut build = Build::new(nodes);
    let (mut numbers, mut codes) = (HashMap::new(), Vec::new());
    let mut local = Vec::new();
    for x in trees {
        cancel.check()?;
        local.clear();
        for code in codes_of_tree(&x) {
            local.push(*numbers.entry(code).or_insert_with(|| {
                codes.push(code);
                codes.len() as u32 - 1
            }));
        }
        build.add(x.tree, |label| local[label as usize]);
    }
    Ok((build.finish(), codes))
}

/// Distinct subtrees while trees are added.
struct Build {
    dag: Dag,
    found: Found,
}

impl Build {
    fn new(nodes: usize) -> Self {
        let table = vec![NONE; (2 * nodes).next_power_of_two()];
        let dag = Dag { trees: vec![0], ids: Vec::with_capacity(nodes), ..Dag::default() };
        Self { dag, found: Found { table, ..Found::default() } }
    }

    fn add(&mut self, tree: &Prepared, number: impl Fn(u32) -> u32) {
        let (dag, found) = (&mut self.dag, &mut self.found);
        let oriented = tree.oriented(Orientation::Left);
        let start = dag.ids.len();
        for node in 0..oriented.len() {
            let children = oriented.children(node).map(|child| dag.ids[start + child]);
            let id = found.number(number(oriented.label[node]), children);
            dag.ids.push(id);
        }
        dag.roots.push(dag.ids[dag.ids.len() - 1]);
        dag.trees.push(dag.ids.len());
        dag.largest = dag.largest.max(tree.nodes());
    }

    fn finish(self) -> Dag {
        let mut dag = self.dag;
        dag.number_by_height(self.found);
        dag.assign_slots();
        dag
    }
}

impl Dag {
    /// Takes over the nodes that were found, in their final order.
    fn number_by_height(&mut self, found: Found) {
        let count = found.label.len();
        let is_couple = |node: usize| found.children(node).len() <= 2;
        let mut by_height: Vec<u32> = (0..count as u32).collect();
        by_height.sort_by_key(|&node| (found.height[node as usize], is_couple(node as usize)));
        // Nobody is 0.
        let mut place = vec![0u32; count];
        for (position, &node) in by_height.iter().enumerate() {
            place[node as usize] = position as u32 + 1;
        }
        self.label = vec![0];
        self.couple = vec![[NOBODY; 2]];
        self.starts = vec![0, 0];
        for &node in &by_height {
            let node = node as usize;
            let id = self.label.len();
            let children = found.children(node);
            self.label.push(found.label[node]);
            let mut couple = [NOBODY; 2];
            if is_couple(node) {
                for (place_of, &child) in couple.iter_mut().zip(children) {
                    *place_of = place[child as usize];
                }
            }
            self.couple.push(couple);
            let before = self.kids.len();
            // Equal children are neighbours.
            for equal in children.chunk_by(|a, b| a == b) {
                self.kids.push((place[equal[0] as usize], equal.len() as u32));
            }
            self.kids[before..].sort_unstable();
            self.widest = self.widest.max(self.kids.len() - before);
            self.starts.push(self.kids.len() as u32);
            if children.is_empty() {
                self.leaves = id;
                continue;
            }
            match self.runs.last_mut() {
                Some((couples, run)) if *couples == is_couple(node) => run.end = id + 1,
                _ => self.runs.push((is_couple(node), id..id + 1)),
            }
        }
        self.order = (0..count).map(|node| place[node]).collect();
        for id in self.ids.iter_mut().chain(&mut self.roots) {
            *id = place[*id as usize];
        }
    }

    /// Gives every node a row that no node uses whose parents are still to come.
    fn assign_slots(&mut self) {
        let mut last = vec![0u32; self.width()];
        for (position, &id) in self.order.iter().enumerate() {
            for &(kid, _) in self.kids(id) {
                last[kid as usize] = position as u32;
            }
        }
        let mut free = Vec::new();
        let mut slot = vec![0u32; self.width()];
        for (position, &id) in self.order.iter().enumerate() {
            slot[id as usize] = free.pop().unwrap_or_else(|| {
                self.slots += 1;
                self.slots as u32 - 1
            });
            let ended = self.kids(id).iter().filter(|kid| last[kid.0 as usize] == position as u32);
            free.extend(ended.map(|kid| slot[kid.0 as usize]));
            if last[id as usize] == 0 {
                free.push(slot[id as usize]); // a root of no other
            }
        }
        self.slot = slot;
    }

    /// Whether two trees may be equal up to names of labels: a few comparisons that differ for
    /// most trees.
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        self.width() == other.width()
            && self.leaves == other.leaves
            && self.kids.len() == other.kids.len()
            && self.runs == other.runs
    }

    /// One more than the number of nodes: the length of a row.
    pub(super) fn width(&self) -> usize {
        self.label.len()
    }

    /// The distinct children of a node, ascending.
    #[inline(always)]
    pub(super) fn kids(&self, id: u32) -> &[Kid] {
        &self.kids[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    /// The nodes of the subtrees of a tree, in postorder.
    pub(super) fn of(&self, tree: usize) -> &[u32] {
        &self.ids[self.trees[tree]..self.trees[tree + 1]]
    }
}

/// Distinct subtrees as they are found, in order of first appearance.
#[derive(Debug, Default)]
struct Found {
    label: Vec<u32>,
    height: Vec<u32>,
    starts: Vec<usize>,
    /// Children, ascending, equal ones repeated.
    children: Vec<u32>,
    /// Hash table of nodes.
    table: Vec<u32>,
    sorted: Vec<u32>,
}

impl Found {
    fn children(&self, node: usize) -> &[u32] {
        let end = self.starts.get(node + 1).copied().unwrap_or(self.children.len());
        &self.children[self.starts[node]..end]
    }

    /// The number of the subtree with this label and these children.
    fn number(&mut self, label: u32, children: impl Iterator<Item = u32>) -> u32 {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(children);
        sorted.sort_unstable();
        let mask = self.table.len() - 1;
        let mut slot = sorted.iter().fold(mix(0, label), |hash, &child| mix(hash, child));
        slot ^= slot >> 32;
        let id = loop {
            let place = slot as usize & mask;
            let candidate = self.table[place];
            if candidate == NONE {
                let id = self.label.len() as u32;
                self.table[place] = id;
                let above = |&child: &u32| self.height[child as usize] + 1;
                let height = sorted.iter().map(above).max().unwrap_or(0);
                self.label.push(label);
                self.height.push(height);
                self.starts.push(self.children.len());
                self.children.extend_from_slice(&sorted);
                break id;
            }
            let other = candidate as usize;
            if self.label[other] == label && self.children(other) == sorted {
                break candidate;
            }
            slot += 1;
        };
        self.sorted = sorted;
        id
    }
}

/// One step of a multiplicative hash.
fn mix(hash: u64, value: u32) -> u64 {
    (hash.rotate_left(29) ^ (u64::from(value) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
