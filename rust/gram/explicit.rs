//! Similarities of sparse rows: weighted products, and shared counts.

use crate::error::Result;
use crate::features::{Family, Flat, Kinds, PqGrams, Rows, Trie, complete_subtrees, count};
use crate::gram::fill::{Extent, Run, fill};
use crate::parallel::{Cancel, Crew};

/// What two rows are compared by.
#[derive(Debug, Clone, Copy)]
enum Measure<'a> {
    /// The sum of products, each times the weight of its column.
    Product(&'a [f64]),
    /// The sum of the smaller counts.
    Shared,
}

/// The matrix of path kernels: products of the counts of paths of labels with at most that many
/// ancestors, of adjacent siblings, roots and leaves.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled), or what counting the features needs.
pub fn paths(
    (trees, extent): (Flat<'_>, Extent),
    ancestors: usize,
    out: &mut [f64],
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<()> {
    let kinds = Kinds { paths: Some(ancestors), ..Kinds::default() };
    let counted = count(trees, kinds, threads, cancel, &mut || poll(0))?;
    let weights = vec![1.0; counted.trie.len()];
    let run = Run { threads, cancel, poll };
    compare(extent, (&counted.rows, weights.len()), Measure::Product(&weights), out, run)
}

/// The matrix of subtree kernels (Vishwanathan and Smola 2003): pairs of equal complete subtrees,
/// each with the weight `decay` to the power of its size.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn subtrees(
    (trees, extent): (Flat<'_>, Extent),
    decay: f64,
    out: &mut [f64],
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<()> {
    let mut ask = || poll(0);
    let build = || count_subtrees(trees, decay, cancel);
    let (rows, weights) = Crew::new(threads, cancel, &mut ask).one(false, build)?;
    let run = Run { threads, cancel, poll };
    compare(extent, (&rows, weights.len()), Measure::Product(&weights), out, run)
}

/// The path kernel of each tree with itself.
///
/// # Errors
/// As [`paths`].
pub fn path_norms(
    trees: Flat<'_>,
    ancestors: usize,
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut() -> bool,
) -> Result<Vec<f64>> {
    let kinds = Kinds { paths: Some(ancestors), ..Kinds::default() };
    let counted = count(trees, kinds, threads, cancel, poll)?;
    Ok(norms(&counted.rows, &vec![1.0; counted.trie.len()]))
}

/// The subtree kernel of each tree with itself.
///
/// # Errors
/// As [`subtrees`].
pub fn subtree_norms(
    trees: Flat<'_>,
    decay: f64,
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut() -> bool,
) -> Result<Vec<f64>> {
    let build = || count_subtrees(trees, decay, cancel);
    let (rows, weights) = Crew::new(threads, cancel, poll).one(false, build)?;
    Ok(norms(&rows, &weights))
}

fn norms(rows: &Rows, weights: &[f64]) -> Vec<f64> {
    let norm = |row| {
        let (columns, values) = rows.row(row);
        let terms = columns.iter().zip(values);
        terms.map(|(&column, &value)| weights[column as usize] * value * value).sum()
    };
    (0..rows.offsets.len() - 1).map(norm).collect()
}

/// The matrix of numbers of shared pq-grams, and the number of pq-grams of each tree.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled), or what counting the pq-grams needs.
pub fn shared_pqgrams(
    (trees, extent): (Flat<'_>, Extent),
    grams: PqGrams,
    out: &mut [f64],
    (threads, cancel): (usize, &Cancel),
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<f64>> {
    let kinds = Kinds { pqgrams: Some(grams), ..Kinds::default() };
    let counted = count(trees, kinds, threads, cancel, &mut || poll(0))?;
    let run = Run { threads, cancel, poll };
    compare(extent, (&counted.rows, counted.trie.len()), Measure::Shared, out, run)?;
    Ok((0..trees.len()).map(|tree| counted.rows.row(tree).1.iter().sum()).collect())
}

/// Counts of complete subtrees, and the weight of each.
fn count_subtrees(trees: Flat<'_>, decay: f64, cancel: &Cancel) -> Result<(Rows, Vec<f64>)> {
    let mut trie = Trie::default();
    let mut weights = vec![0.0; Family::COUNT];
    let mut rows = Rows { offsets: vec![0], columns: Vec::new(), values: Vec::new() };
    for index in 0..trees.len() {
        let tree = trees.tree(index);
        let sizes = tree.sizes();
        let names = complete_subtrees(tree, &sizes, &mut trie, cancel)?;
        weights.resize(trie.len(), 0.0);
        let mut names: Vec<u32> = (0..tree.len())
            .filter_map(|node| {
                let name = names[node]?;
                weights[name as usize] = decay.powf(f64::from(sizes[node]));
                Some(name)
            })
            .collect();
        names.sort_unstable();
        for run in names.chunk_by(|a, b| a == b) {
            rows.columns.push(run[0]);
            rows.values.push(run.len() as f64);
        }
        rows.offsets.push(rows.columns.len() as i64);
    }
    trie.check_complete()?;
    Ok((rows, weights))
}

fn compare(
    extent: Extent,
    (rows, width): (&Rows, usize),
    measure: Measure<'_>,
    out: &mut [f64],
    run: Run<'_>,
) -> Result<()> {
    let cancel = run.cancel;
    let work =
        |dense: &mut Vec<f64>, row: usize, range: std::ops::Range<usize>, out: &mut Vec<f64>| {
            // One row is spread out, and the others are compared with it entry by entry.
            let (columns, values) = rows.row(row);
            dense.resize(width, 0.0);
            for (&column, &value) in columns.iter().zip(values) {
                let column = column as usize;
                dense[column] = match measure {
                    Measure::Product(weights) => weights[column] * value,
                    Measure::Shared => value,
                };
            }
            for column in range {
                cancel.check()?;
                let (columns, values) = rows.row(extent.column(column));
                let terms = columns.iter().zip(values).map(|(&column, &value)| {
                    let own = dense[column as usize];
                    match measure {
                        Measure::Product(_) => own * value,
                        Measure::Shared => own.min(value),
                    }
                });
                out.push(terms.sum());
            }
            for &column in columns {
                dense[column as usize] = 0.0;
            }
            Ok(())
        };
    fill(extent, out, run, Vec::new, work)
}
