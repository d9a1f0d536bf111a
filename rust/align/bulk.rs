//! How often each symbol is edited into each other one, for many pairs of trees.

use crate::align::Integer;
use crate::align::count::CoOptimal;
use crate::align::problem::{Order, Problem};
use crate::align::soft::soft_alignment;
use crate::align::trace::one_alignment;
use crate::distance::{Operand, Pricing, Workspace, pair_work};
use crate::error::{Error, Result};
use crate::pairwise::{Local, Prices, Side};
use crate::parallel::{self, Cancel};
use std::ops::Range;

/// Least work of a task, in cells: a millisecond or so.
const TASK_CELLS: f64 = 3e5;

/// Which alignments are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Script {
    /// One optimal alignment, that of [`one_alignment`].
    One,
    /// The average of all optimal alignments.
    Average,
    /// The average of all alignments at a temperature: see [`soft_alignment`].
    Soft(f64),
}

/// What to count.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Sources of the edits.
    pub x: Side<'a>,
    /// Targets.
    pub y: Side<'a>,
    /// Symbols of the label codes of both sets; all are below `symbols`, which is the gap.
    pub symbol_of: (&'a [u32], &'a [u32]),
    /// Number of symbols.
    pub symbols: u32,
    /// Costs that decide which alignments are optimal.
    pub prices: Prices<'a>,
    /// Which of them count.
    pub script: Script,
    /// As for [`Problem::new`].
    pub tolerance: f64,
}

/// Non-zero counts of one pair: `old * (symbols + 1) + new`, ascending, and how often.
pub type Counts = Vec<(u64, f64)>;

/// Counts the edits of all pairs and hands them to `store(position, counts)` on the calling
/// thread, in any order.
///
/// # Errors
/// As [`crate::pairwise::compute`].
pub fn edit_counts(
    request: &Request<'_>,
    pairs: &[(u32, u32)],
    threads: usize,
    cancel: &Cancel,
    mut store: impl FnMut(usize, Counts),
    mut poll: impl FnMut(u64) -> bool,
) -> Result<()> {
    check_temperature(request)?;
    let tasks = cut_tasks(request, pairs);
    let mut done = 0;
    let progress = std::cell::Cell::new(0);
    let work = |workspace: &mut Workspace, task: usize| {
        let range = tasks[task].clone();
        let counts = range.clone().map(|position| {
            let (i, j) = pairs[position];
            let pair = (i as usize, j as usize);
            count_any_pair(request, pair, workspace, cancel)
        });
        Ok((range, counts.collect::<Result<Vec<_>>>()?))
    };
    let receive = |(range, counts): (Range<usize>, Vec<Counts>)| {
        done += counts.len() as u64;
        progress.set(done);
        range.zip(counts).for_each(|(position, counts)| store(position, counts));
    };
    parallel::for_each(threads, tasks.len(), cancel, Workspace::default, work, receive, || {
        poll(progress.get())
    })?;
    if poll(progress.get()) { Ok(()) } else { Err(Error::Cancelled) }
}

/// Below this the weights of alignments, exp(-cost / temperature), lose their last digits.
fn check_temperature(request: &Request<'_>) -> Result<()> {
    let Script::Soft(temperature) = request.script else {
        return Ok(());
    };
    let Request { x, y, prices, .. } = *request;
    let largest = |side: Side<'_>, cost: &dyn Fn(&Operand<'_>) -> i128| {
        let operand = |tree| Operand { tree, codes: side.codes };
        side.trees.iter().map(|tree| cost(&operand(tree))).max().unwrap_or(0)
    };
    let everything = largest(x, &|x| prices.delete_all(x)) + largest(y, &|y| prices.insert_all(y));
    let least = 1e-10 * prices.total(everything);
    if temperature >= least {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "The 'temperature' parameter of edit_counts must be a float in the range [{least:e}, 1e100] \
         for these trees. Got {temperature:e} instead."
    )))
}

/// Ranges of pairs of about equal work, the largest first.
fn cut_tasks(request: &Request<'_>, pairs: &[(u32, u32)]) -> Vec<Range<usize>> {
    let mut tasks: Vec<(f64, Range<usize>)> = Vec::new();
    for (position, &(i, j)) in pairs.iter().enumerate() {
        let (x, y) = (&request.x.trees[i as usize], &request.y.trees[j as usize]);
        let cells = pair_work(x, y) + 1e3;
        match tasks.last_mut() {
            Some((sum, range)) if *sum < TASK_CELLS => {
                *sum += cells;
                range.end = position + 1;
            }
            _ => tasks.push((cells, position..position + 1)),
        }
    }
    tasks.sort_by(|a, b| b.0.total_cmp(&a.0));
    tasks.into_iter().map(|(_, range)| range).collect()
}

/// Counts the edits of one pair under the costs that its labels have.
fn count_any_pair(
    request: &Request<'_>,
    (i, j): (usize, usize),
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<Counts> {
    let Request { x, y, prices, .. } = *request;
    let (tree_x, tree_y) = (&x.trees[i], &y.trees[j]);
    match prices {
        Prices::Fixed(pricing) => {
            let x = Operand { tree: tree_x, codes: x.codes };
            let y = Operand { tree: tree_y, codes: y.codes };
            in_quanta!(pricing, Q => count_pair::<Q>(request, (x, y), pricing, workspace, cancel))
        }
        Prices::Vectors(vectors) => {
            let source = Local::new(vectors, std::iter::once(tree_x), x.codes);
            let target = Local::new(vectors, std::iter::once(tree_y), y.codes);
            let table = source.table(vectors, &target);
            let x = Operand { tree: tree_x, codes: Some(&source.codes) };
            let y = Operand { tree: tree_y, codes: Some(&target.codes) };
            count_pair::<i64>(request, (x, y), Pricing::Table(&table), workspace, cancel)
        }
    }
}

fn count_pair<Q: Integer>(
    request: &Request<'_>,
    (x, y): (Operand<'_>, Operand<'_>),
    pricing: Pricing<'_>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<Counts> {
    let order = match request.script {
        Script::One => Order::Preorder,
        Script::Average | Script::Soft(_) => Order::Any,
    };
    let tolerance = request.tolerance;
    let problem = Problem::<Q>::new(x, y, pricing, tolerance, order, workspace, cancel)?;
    let (n, m) = problem.shape();
    // First by the distinct labels of the two trees, gap last: a small dense matrix.
    let (rows, columns) = (x.tree.labels(), y.tree.labels());
    let width = columns.len() + 1;
    let mut local = vec![0.0; (rows.len() + 1) * width];
    let (row_of, column_of) = problem.labels_in_preorder();
    match request.script {
        Script::One => {
            let (mut deleted, mut inserted) = (vec![true; n], vec![true; m]);
            for (i, j) in one_alignment(&problem, cancel)? {
                let (i, j) = (i as usize, j as usize);
                (deleted[i], inserted[j]) = (false, false);
                local[row_of[i] * width + column_of[j]] += 1.0;
            }
            for i in (0..n).filter(|&i| deleted[i]) {
                local[row_of[i] * width + width - 1] += 1.0;
            }
            for j in (0..m).filter(|&j| inserted[j]) {
                local[rows.len() * width + column_of[j]] += 1.0;
            }
        }
        Script::Average | Script::Soft(_) => {
            let shares = match request.script {
                Script::Soft(temperature) => soft_alignment(&problem, temperature, cancel)?.1,
                _ => CoOptimal::new(problem, cancel)?.expectation(cancel)?,
            }
            .shares;
            let gap =
                |labels: &[usize], k: usize, last: usize| labels.get(k).copied().unwrap_or(last);
            for (i, row) in shares.chunks_exact(m + 1).enumerate() {
                let start = gap(&row_of, i, rows.len()) * width;
                for (j, &share) in row.iter().enumerate().filter(|(_, share)| **share != 0.0) {
                    local[start + gap(&column_of, j, width - 1)] += share;
                }
            }
        }
    }
    let symbol = |labels: &[u32], symbol_of: &[u32], k: usize| {
        labels.get(k).map_or(request.symbols, |&code| symbol_of[code as usize])
    };
    let mut counts = Counts::new();
    for (cell, &count) in local.iter().enumerate().filter(|(_, count)| **count != 0.0) {
        let old = symbol(rows, request.symbol_of.0, cell / width);
        let new = symbol(columns, request.symbol_of.1, cell % width);
        counts.push((u64::from(old) * (u64::from(request.symbols) + 1) + u64::from(new), count));
    }
    counts.sort_unstable_by_key(|entry| entry.0);
    Ok(counts)
}
