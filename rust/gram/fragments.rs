//! Kernels that count common fragments of two trees without listing them.
//!
//! Both kernels are sums of Δ(a, b) over all pairs of nodes, where Δ counts the common fragments
//! whose roots are a and b. It depends on the two subtrees only, so it is computed once for each
//! pair of distinct subtrees, and only for pairs that can have common fragments.

use crate::error::{Error, Result};
use crate::features::{Flat, Trie};
use crate::gram::dag::{Dag, Roots};
use crate::gram::fill::{Extent, Run, fill};
use crate::memory;
use crate::parallel::{Cancel, Crew, Tasks, for_each};
use std::ops::Range;

/// Which fragments count, and how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fragments {
    /// Subset trees (Collins and Duffy 2001): nodes with all their children or none. Each node
    /// with its children multiplies the weight by `decay`.
    Subset {
        /// The factor λ.
        decay: f64,
    },
    /// Partial trees (Moschitti 2006): nodes with some of their children, in order.
    Partial {
        /// The factor λ for the width of the children, from the first to the last one.
        decay: f64,
        /// The factor μ for each node, and so for the depth.
        depth_decay: f64,
    },
}

/// The matrix of kernels.
///
/// # Errors
/// [`Error::Cancelled`]; [`Error::Memory`] if the table of a pair does not fit;
/// [`Error::Invalid`] if a kernel is not finite.
pub fn matrix(
    (trees, extent): (Flat<'_>, Extent),
    fragments: Fragments,
    out: &mut [f64],
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<()> {
    let (dags, classes) = prepared(trees, fragments, (threads, cancel), &mut || poll(0))?;
    let run = Run { threads, cancel, poll };
    let work = |table: &mut Table, row: usize, range: Range<usize>, out: &mut Vec<f64>| {
        let x = &dags[row];
        table.open(x, classes);
        for column in range {
            out.push(table.kernel(x, &dags[extent.column(column)], fragments, cancel)?);
        }
        table.close(x);
        Ok(())
    };
    fill(extent, out, run, Table::default, work)
}

/// The kernel of each tree with itself.
///
/// # Errors
/// As [`matrix`].
pub fn diagonal(
    trees: Flat<'_>,
    fragments: Fragments,
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut() -> bool,
) -> Result<Vec<f64>> {
    let (dags, classes) = prepared(trees, fragments, (threads, cancel), poll)?;
    let one = |table: &mut Table, tree: usize| {
        let dag = &dags[tree];
        table.open(dag, classes);
        let kernel = table.kernel(dag, dag, fragments, cancel)?;
        table.close(dag);
        if kernel.is_finite() {
            return Ok((tree, kernel));
        }
        Err(Error::Invalid(format!(
            "the kernel of tree {tree} with itself is too large for a float64; use a smaller decay"
        )))
    };
    let mut found = vec![0.0; dags.len()];
    let tasks = Tasks { threads, count: dags.len(), cancel };
    for_each(tasks, Table::default, one, |(tree, kernel)| found[tree] = kernel, poll)?;
    Ok(found)
}

/// All trees with their equal subtrees stored once, and a bound of their classes.
fn prepared(
    trees: Flat<'_>,
    fragments: Fragments,
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut() -> bool,
) -> Result<(Vec<Dag>, usize)> {
    let roots = match fragments {
        Fragments::Subset { .. } => Roots::Productions,
        Fragments::Partial { .. } => Roots::Labels,
    };
    Crew::new(threads, cancel, poll).one(false, || {
        let mut trie = Trie::default();
        let dag = |tree| Dag::new(trees.tree(tree), roots, &mut trie, cancel);
        let dags: Vec<_> = (0..trees.len()).map(dag).collect::<Result<_>>()?;
        trie.check_complete()?;
        let classes = dags.iter().flat_map(|dag| &dag.class).max();
        let classes = classes.map_or(0, |&largest| largest as usize + 1);
        Ok((dags, classes))
    })
}

/// Δ of all pairs of distinct subtrees of one class, and the place of each class in the first tree.
#[derive(Debug, Default)]
struct Table {
    buckets: Vec<Range<u32>>,
    /// Where the pairs of each subtree of the second tree begin.
    start: Vec<usize>,
    delta: Vec<f64>,
    /// One row of the sums over subsequences of children.
    sums: Vec<f64>,
}

impl Table {
    fn open(&mut self, x: &Dag, classes: usize) {
        self.buckets.resize(classes, 0..0);
        for (class, range) in &x.buckets {
            self.buckets[*class as usize] = range.clone();
        }
    }

    fn close(&mut self, x: &Dag) {
        for (class, _) in &x.buckets {
            self.buckets[*class as usize] = 0..0;
        }
    }

    /// The kernel of the tree that is open with another one.
    fn kernel(&mut self, x: &Dag, y: &Dag, how: Fragments, cancel: &Cancel) -> Result<f64> {
        let pairs: u64 =
            y.class.iter().map(|&class| self.buckets[class as usize].len() as u64).sum();
        memory::check("the table of a tree kernel", pairs.saturating_mul(8))?;
        self.start.clear();
        self.delta.clear();
        self.delta.reserve(pairs as usize);
        let mut sum = 0.0;
        for b in 0..y.len() {
            cancel.check()?;
            self.start.push(self.delta.len());
            let bucket = self.buckets[y.class[b] as usize].clone();
            for &a in &x.members[bucket.start as usize..bucket.end as usize] {
                let a = a as usize;
                let delta = match how {
                    Fragments::Subset { decay } => self.subset((x, a), (y, b), decay),
                    Fragments::Partial { decay, depth_decay } => {
                        self.partial((x, a), (y, b), (decay, depth_decay), cancel)?
                    }
                };
                self.delta.push(delta);
                sum += x.times[a] * y.times[b] * delta;
            }
        }
        Ok(sum)
    }

    /// Δ of two subtrees that are smaller than the current ones.
    fn known(&self, (x, a): (&Dag, u32), (y, b): (&Dag, u32)) -> f64 {
        let (a, b) = (a as usize, b as usize);
        if x.class[a] == y.class[b] { self.delta[self.start[b] + x.rank[a] as usize] } else { 0.0 }
    }

    /// λ ∏ (1 + Δ) over the children, which have the same labels: each of them ends the fragment
    /// or continues it.
    fn subset(&self, (x, a): (&Dag, usize), (y, b): (&Dag, usize), decay: f64) -> f64 {
        let pairs = x.children(a).iter().zip(y.children(b));
        pairs.fold(decay, |product, (&a, &b)| product * (1.0 + self.known((x, a), (y, b))))
    }

    /// μ (λ² + Σ λ^(d(I) + d(J)) ∏ Δ) over all pairs of subsequences I, J of the children, of the
    /// same length; d is the distance from the first to the last place, plus one.
    ///
    /// E(k, l) sums the pairs that end at the children k and l. The last pair but one is anywhere
    /// before, so E(k, l) = λ² Δ(k, l) (1 + D(k - 1, l - 1)) with the sum D(k, l) of all E(i, j),
    /// i ≤ k and j ≤ l, times λ^(k - i + l - j). Moschitti's recursion has a factor for the length
    /// of subsequences; the sum over all lengths does not need it.
    fn partial(
        &mut self,
        (x, a): (&Dag, usize),
        (y, b): (&Dag, usize),
        (decay, depth_decay): (f64, f64),
        cancel: &Cancel,
    ) -> Result<f64> {
        let (of_x, of_y) = (x.children(a), y.children(b));
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(of_y.len(), 0.0);
        let square = decay * decay;
        let mut total = square;
        for &child in of_x {
            cancel.check()?;
            // D(k - 1, l - 1), and the part of D(k, l) that ends at child k.
            let (mut before, mut row) = (0.0, 0.0);
            for (sum, &other) in sums.iter_mut().zip(of_y) {
                let ending = square * self.known((x, child), (y, other)) * (1.0 + before);
                total += ending;
                row = decay * row + ending;
                before = *sum;
                *sum = decay * *sum + row;
            }
        }
        self.sums = sums;
        Ok(depth_decay * total)
    }
}
