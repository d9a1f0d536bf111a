//! Which pairs of nodes, hence which pairs of spans, optimal alignments pass through.

use crate::align::forest::{Forest, step};
use crate::align::problem::Problem;
use crate::error::Result;
use crate::parallel::Cancel;

/// What is known of a pair of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// No optimal alignment gets there.
    Unreached,
    /// Some may.
    Reached,
    /// Pairing the two nodes is optimal for their subtrees.
    Optimal,
}

/// The pairs of nodes that can be paired, and the pairs of spans they lie in.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) roots: Vec<Root>,
    /// Pairs of spans, as indices, ascending: inner ones come before outer ones.
    pub(crate) spans: Vec<(u32, u32)>,
}

impl Reach {
    #[inline(always)]
    pub(crate) fn may_pair(&self, problem: &Problem<'_>, i: usize, j: usize) -> bool {
        self.roots[i * problem.y.nodes + j] == Root::Optimal
    }

    /// Everything, for weights under which every alignment counts.
    pub(crate) fn all(problem: &Problem<'_>) -> Self {
        let (a, b) = (problem.x.spans.len() as u32, problem.y.spans.len() as u32);
        Self {
            roots: vec![Root::Optimal; problem.x.nodes * problem.y.nodes],
            spans: (0..a).flat_map(|a| (0..b).map(move |b| (a, b))).collect(),
        }
    }

    /// Walks down from the whole trees. A subtree pair is entered if its saving is needed; its
    /// roots turn out to be paired in an optimal way, or not, when its own forest is computed.
    pub(crate) fn new(problem: &Problem<'_>, forest: &mut Forest, cancel: &Cancel) -> Result<Self> {
        let (n, m) = problem.shape();
        let mut reach = Self { roots: vec![Root::Unreached; n * m], spans: Vec::new() };
        if problem.is_trivial() {
            return Ok(reach);
        }
        let (rows, columns) = (problem.x.spans.len(), problem.y.spans.len());
        let mut active = vec![false; rows * columns];
        active[rows * columns - 1] = true;
        // Per cell: reached as "any" (1), as "mapped" (2).
        let mut met: Vec<u8> = Vec::new();
        for pair in (0..rows * columns).rev() {
            if !active[pair] {
                continue;
            }
            cancel.check()?;
            let (s, t) = (pair / columns, pair % columns);
            let (a, b) = (problem.x.spans[s], problem.y.spans[t]);
            forest.fill(problem, (a, b), |_, _| true);
            met.clear();
            met.resize((a.len() + 1) * forest.width, 0);
            if pair + 1 == rows * columns {
                met[(a.len() + 1) * forest.width - 1] = 1;
            }
            for r in (1..=a.len()).rev() {
                let i = a.first + r - 1;
                let first_i = problem.x.tree.first(i);
                for c in (1..=b.len()).rev() {
                    let j = b.first + c - 1;
                    let cell = forest.cell(r, c);
                    let steps = forest.steps[cell];
                    let mut state = met[cell];
                    if state & 1 != 0 {
                        if steps & step::DELETE != 0 {
                            met[cell - forest.width] |= 1;
                        }
                        if steps & step::MAPPED != 0 {
                            state |= 2;
                        }
                    }
                    let first_j = problem.y.tree.first(j);
                    let root = &mut reach.roots[i * m + j];
                    if state & 2 != 0 {
                        if steps & step::INSERT != 0 {
                            met[cell - 1] |= 2;
                        }
                        if steps & step::PAIR != 0 {
                            met[forest.cell(first_i - a.first, first_j - b.first)] |= 1;
                            *root = Root::Reached;
                            let (s, t) = (problem.x.span_of[i], problem.y.span_of[j]);
                            active[s as usize * columns + t as usize] = true;
                        }
                    }
                    let own = first_i == a.first && first_j == b.first;
                    if own && *root == Root::Reached {
                        let below = cell - forest.width - 1;
                        let paired = forest.saving[below] + problem.pair(i, j);
                        if paired >= problem.subtrees(i, j) - problem.slack {
                            *root = Root::Optimal;
                            met[below] |= 1;
                        }
                    }
                }
            }
            reach.spans.push((s as u32, t as u32));
        }
        reach.spans.reverse();
        Ok(reach)
    }
}
