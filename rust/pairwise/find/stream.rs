//! A tree as a stream of its largest subtrees that are light enough.
//!
//! The nodes come in reversed preorder, which is the postorder of the mirror image, so a node comes
//! after its subtree. Subtrees that may still become part of a larger one wait in a queue. Their
//! parents contain everything that comes after them, so as soon as the queue is too heavy, the
//! first subtree in it is one of the largest; and if a node is too heavy, all that wait are. The
//! queue is the prefix ring buffer of Augsten, Barbosa, Böhlen and Palpanas ("TASM: Top-k
//! Approximate Subtree Matching", ICDE 2010), with weights in place of numbers of nodes: it never
//! holds more than the weight of one candidate, however large the tree is.

use crate::error::Result;
use std::collections::VecDeque;
use std::ops::Range;

/// Nodes between two looks at the cancel flag.
const NODES_PER_CHECK: usize = 1 << 12;

/// A subtree that is complete.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    root: usize,
    nodes: usize,
    weight: i128,
}

/// Who takes the candidates of a stream, and says how large they may be.
pub(super) trait Visitor {
    /// The weight of a node.
    fn weight(&self, node: usize) -> i128;
    /// The largest weight of a candidate. It never rises.
    fn most(&self) -> i128;
    /// Takes a candidate: all nodes of a subtree.
    fn candidate(&mut self, nodes: Range<usize>) -> Result<()>;
    /// Whether to go on.
    fn check(&self) -> Result<()>;
}

/// Hands all largest subtrees of at most a weight to the visitor. No such subtree may contain nodes
/// of the range and others.
pub(super) fn stream(
    parents: &[i32],
    nodes: Range<usize>,
    visitor: &mut impl Visitor,
) -> Result<()> {
    let mut queue: VecDeque<Waiting> = VecDeque::new();
    let mut held = 0;
    // The lowest node above the current one that is known to be too heavy, because of something
    // below it. So are all nodes above it, and those whose subtrees end behind the range.
    let mut heavy = parents.get(nodes.end).copied().unwrap_or(-1);
    let mut most = visitor.most();
    for i in nodes.rev() {
        if i % NODES_PER_CHECK == 0 {
            visitor.check()?;
        }
        let children = queue.iter().rev().take_while(|below| parents[below.root] == i as i32);
        let (mut count, mut nodes, mut weight) = (0, 1, visitor.weight(i));
        for child in children {
            count += 1;
            nodes += child.nodes;
            weight += child.weight;
        }
        if heavy == i as i32 || weight > most {
            // All parents of the subtrees that wait contain this node.
            heavy = parents[i];
            held = 0;
            for done in queue.drain(..) {
                visitor.candidate(done.root..done.root + done.nodes)?;
            }
            most = visitor.most();
            continue;
        }
        held += visitor.weight(i);
        queue.truncate(queue.len() - count);
        queue.push_back(Waiting { root: i, nodes, weight });
        while held > most
            && let Some(first) = queue.pop_front()
        {
            held -= first.weight;
            heavy = heavy.max(parents[first.root]);
            visitor.candidate(first.root..first.root + first.nodes)?;
            most = visitor.most();
        }
    }
    queue.into_iter().try_for_each(|done| visitor.candidate(done.root..done.root + done.nodes))
}

/// The root of the largest subtree of at most a weight that contains a node, or the node itself: no
/// such subtree contains this root and a node before it.
pub(super) fn start_of_candidate(
    parents: &[i32],
    node: usize,
    weight: impl Fn(usize) -> i128,
    most: i128,
) -> usize {
    // The subtree of `root` ends at `end` and has the weight `sum`.
    let (mut root, mut next) = (node, Some(node));
    let (mut end, mut sum) = (node + 1, weight(node));
    while let Some(above) = next {
        let mut left = root;
        while left > above && sum <= most {
            left -= 1;
            sum += weight(left);
        }
        while end < parents.len() && parents[end] >= above as i32 && sum <= most {
            sum += weight(end);
            end += 1;
        }
        if sum > most {
            break;
        }
        root = above;
        next = usize::try_from(parents[root]).ok();
    }
    root
}
