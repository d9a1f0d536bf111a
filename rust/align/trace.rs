//! One optimal alignment, always the same one.

use crate::align::Integer;
use crate::align::Pairs;
use crate::align::forest::Forest;
use crate::align::problem::{Order, Problem};
use crate::error::Result;
use crate::parallel::Cancel;

/// Which of several optimal alignments to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// Pairs as early as possible.
    ///
    /// Both trees are walked in preorder. Wherever it is optimal, the two next nodes are paired,
    /// or else their subtrees are aligned with each other; otherwise the next node of `x` is
    /// deleted if that is optimal, and the next node of `y` inserted if not.
    Pair,
    /// Pairs only where nothing else is optimal, as zss and apted choose.
    ///
    /// Both trees are walked from the last node in postorder backwards. Wherever it is optimal,
    /// the next node of `x` is deleted, or else the next node of `y` inserted; otherwise the two
    /// nodes are paired.
    Delete,
}

impl Ties {
    /// The order of nodes that the problem must have.
    pub fn order(self) -> Order {
        match self {
            Self::Pair => Order::Preorder,
            Self::Delete => Order::Postorder,
        }
    }
}

/// One optimal alignment, of a problem in the order of `ties`.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop.
#[allow(private_bounds)]
pub fn one_alignment<Q: Integer>(
    problem: &Problem<'_, Q>,
    ties: Ties,
    cancel: &Cancel,
) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    if problem.is_trivial() {
        return Ok(pairs);
    }
    let (n, m) = problem.shape();
    let mut starts = Starts::new(problem.x.spans.len(), problem.y.spans.len());
    starts.push(starts.heads.len() - 1, (n, m));
    let mut forest = Forest::default();
    let mut open = Vec::new();
    for pair in (0..starts.heads.len()).rev() {
        starts.take(pair, &mut open);
        if open.is_empty() {
            continue;
        }
        cancel.check()?;
        let (a, b) = problem.spans((pair / starts.columns, pair % starts.columns));
        let corner = open.iter().fold((0, 0), |corner, &(r, c)| (r.max(corner.0), c.max(corner.1)));
        forest.fill_savings(problem, (a, b), corner, cancel)?;
        let saving = |r, c| forest.saving[forest.cell(r, c)];
        while let Some((mut r, mut c)) = open.pop() {
            while r > 0 && c > 0 {
                let (i, j) = (a.first + r - 1, b.first + c - 1);
                let (first_i, first_j) = (problem.x.first[i] as usize, problem.y.first[j] as usize);
                let beside = (first_i - a.first, first_j - b.first);
                let own = beside == (0, 0);
                let here = saving(r, c);
                let pairs_here = || {
                    let (rest, joined) = if own {
                        (saving(r - 1, c - 1), problem.pair(i, j))
                    } else {
                        (saving(beside.0, beside.1), problem.trees[i * m + j])
                    };
                    rest + joined == here
                };
                let deletes = || saving(r - 1, c) == here;
                let step = match ties {
                    Ties::Pair if pairs_here() => Step::Pair,
                    Ties::Pair | Ties::Delete if deletes() => Step::Delete,
                    Ties::Delete if saving(r, c - 1) != here => Step::Pair,
                    Ties::Pair | Ties::Delete => Step::Insert,
                };
                match step {
                    Step::Delete => r -= 1,
                    Step::Insert => c -= 1,
                    Step::Pair if own => {
                        pairs.push(problem.preorder(i, j));
                        (r, c) = (r - 1, c - 1);
                    }
                    Step::Pair => {
                        let (s, t) = (problem.x.span_of[i] as usize, problem.y.span_of[j] as usize);
                        let inner = problem.spans((s, t));
                        let start = (i + 1 - inner.0.first, j + 1 - inner.1.first);
                        starts.push(s * starts.columns + t, start);
                        (r, c) = beside;
                    }
                }
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// What happens to the last nodes of two forests.
enum Step {
    Delete,
    Insert,
    Pair,
}

/// Cells to go on from, by pair of spans; every subtree pair is entered at most once.
struct Starts {
    /// The latest entry of each pair of spans, as an index; 0 if there is none.
    heads: Vec<u32>,
    columns: usize,
    /// Entries, each with the one before it.
    entries: Vec<((usize, usize), u32)>,
}

impl Starts {
    fn new(rows: usize, columns: usize) -> Self {
        Self { heads: vec![0; rows * columns], columns, entries: vec![((0, 0), 0)] }
    }

    fn push(&mut self, pair: usize, cell: (usize, usize)) {
        self.entries.push((cell, self.heads[pair]));
        self.heads[pair] = self.entries.len() as u32 - 1;
    }

    fn take(&mut self, pair: usize, cells: &mut Vec<(usize, usize)>) {
        let mut entry = self.heads[pair];
        while entry != 0 {
            let (cell, before) = self.entries[entry as usize];
            cells.push(cell);
            entry = before;
        }
    }
}
