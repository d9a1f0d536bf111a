//! A tree with its equal subtrees stored once, for kernels that count common fragments.

use crate::error::Result;
use crate::features::{Nodes, Trie, complete_subtrees, production};
use crate::parallel::Cancel;

/// Which nodes may be the roots of common fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Roots {
    /// Nodes with the same label.
    Labels,
    /// Nodes with the same label whose children have the same labels.
    Productions,
}

/// The distinct subtrees of a tree, children before parents.
#[derive(Debug)]
pub(super) struct Dag {
    /// Nodes of one class may be the roots of common fragments, others are not.
    pub(super) class: Vec<u32>,
    /// How often each subtree occurs.
    pub(super) times: Vec<f64>,
    /// Position among the subtrees of the same class.
    pub(super) rank: Vec<u32>,
    first_child: Vec<u32>,
    children: Vec<u32>,
    /// All subtrees, sorted by class and then by number.
    pub(super) members: Vec<u32>,
    /// Each class with the range of its members.
    pub(super) buckets: Vec<(u32, std::ops::Range<u32>)>,
}

impl Dag {
    pub(super) fn new(
        tree: Nodes<'_>,
        roots: Roots,
        trie: &mut Trie,
        cancel: &Cancel,
    ) -> Result<Self> {
        let sizes = tree.sizes();
        let names = complete_subtrees(tree, &sizes, trie, cancel)?;
        let mut dag = Self {
            class: Vec::new(),
            times: Vec::new(),
            rank: Vec::new(),
            first_child: vec![0],
            children: Vec::new(),
            members: Vec::new(),
            buckets: Vec::new(),
        };
        // Nodes sorted by the names of their subtrees; children come first in each tree, because
        // a subtree is named after its children.
        let mut order: Vec<u32> = (0..tree.len() as u32).collect();
        order.sort_unstable_by_key(|&node| names[node as usize]);
        let mut number = vec![0u32; tree.len()];
        for equal in order.chunk_by(|&a, &b| names[a as usize] == names[b as usize]) {
            cancel.check()?;
            let node = equal[0] as usize;
            for &copy in equal {
                number[copy as usize] = dag.times.len() as u32;
            }
            let class = match roots {
                Roots::Labels => Some(tree.codes[node] as u32),
                Roots::Productions => production(tree, node, &sizes, trie),
            };
            dag.class.push(class.unwrap_or(u32::MAX));
            dag.times.push(equal.len() as f64);
            let children = tree.children(Some(node), &sizes);
            dag.children.extend(children.map(|child| number[child]));
            dag.first_child.push(dag.children.len() as u32);
        }
        dag.sort_by_class();
        Ok(dag)
    }

    fn sort_by_class(&mut self) {
        self.members = (0..self.len() as u32).collect();
        self.members.sort_unstable_by_key(|&node| (self.class[node as usize], node));
        self.rank = vec![0; self.len()];
        let mut begin = 0;
        for same in self.members.chunk_by(|&a, &b| self.class[a as usize] == self.class[b as usize])
        {
            for (rank, &node) in same.iter().enumerate() {
                self.rank[node as usize] = rank as u32;
            }
            let end = begin + same.len() as u32;
            self.buckets.push((self.class[same[0] as usize], begin..end));
            begin = end;
        }
    }

    /// Number of distinct subtrees.
    pub(super) fn len(&self) -> usize {
        self.class.len()
    }

    pub(super) fn children(&self, node: usize) -> &[u32] {
        &self.children[self.first_child[node] as usize..self.first_child[node + 1] as usize]
    }
}
