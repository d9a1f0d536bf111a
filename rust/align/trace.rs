//! One optimal alignment, always the same one.

use crate::align::Pairs;
use crate::align::forest::Forest;
use crate::align::problem::Problem;
use crate::error::Result;
use crate::parallel::Cancel;

/// One optimal alignment: pairs as early as possible.
///
/// Both trees are walked in preorder. Wherever it is optimal, the two next nodes are paired, or
/// else their subtrees are aligned with each other; otherwise the next node of `x` is deleted if
/// that is optimal, and the next node of `y` inserted if not.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop.
pub fn one_alignment(problem: &Problem<'_>, cancel: &Cancel) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    if problem.is_trivial() {
        return Ok(pairs);
    }
    let (x, y) = (problem.x.tree, problem.y.tree);
    let columns = problem.y.spans.len();
    let (n, m) = problem.shape();
    // Cells to go on from, by pair of spans; every subtree pair is entered at most once.
    let mut starts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); problem.x.spans.len() * columns];
    let whole = starts.len() - 1;
    starts[whole].push((n as u32, m as u32));
    let mut forest = Forest::default();
    for pair in (0..starts.len()).rev() {
        let mut open = std::mem::take(&mut starts[pair]);
        if open.is_empty() {
            continue;
        }
        cancel.check()?;
        let (a, b) = (problem.x.spans[pair / columns], problem.y.spans[pair % columns]);
        forest.fill_savings(problem, (a, b));
        while let Some((r, c)) = open.pop() {
            let (mut r, mut c) = (r as usize, c as usize);
            while r > 0 && c > 0 {
                let (i, j) = (a.first + r - 1, b.first + c - 1);
                let (beside_r, beside_c) = (x.first(i) - a.first, y.first(j) - b.first);
                let here = forest.saving[forest.cell(r, c)];
                let own = beside_r == 0 && beside_c == 0;
                let below = forest.saving[forest.cell(r - 1, c - 1)];
                if own && below + problem.pair(i, j) == here {
                    pairs.push(problem.preorder(i, j));
                    (r, c) = (r - 1, c - 1);
                } else if !own
                    && forest.saving[forest.cell(beside_r, beside_c)] + problem.subtrees(i, j)
                        == here
                {
                    let (s, t) = (problem.x.span_of[i] as usize, problem.y.span_of[j] as usize);
                    let inner = (problem.x.spans[s], problem.y.spans[t]);
                    let start = (i + 1 - inner.0.first, j + 1 - inner.1.first);
                    starts[s * columns + t].push((start.0 as u32, start.1 as u32));
                    (r, c) = (beside_r, beside_c);
                } else if forest.saving[forest.cell(r - 1, c)] == here {
                    r -= 1;
                } else {
                    c -= 1;
                }
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}
