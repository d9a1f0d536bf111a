//! The features of many trees, counted in parallel.

use crate::error::Result;
use crate::features::book::{Book, Hashing, LabelHashes};
use crate::features::flat::Flat;
use crate::features::trie::Trie;
use crate::features::walk::Kinds;
use crate::parallel::{Cancel, Crew};

/// Sets below this number of nodes are counted within milliseconds.
const BRIEF: usize = 20_000;
/// Parts of the work for each thread, so that threads end at about the same time.
const PARTS_PER_THREAD: usize = 4;

/// A sparse matrix, row by row: columns ascend in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Where each row starts, and at last where the last one ends.
    pub offsets: Vec<i64>,
    /// The columns of the entries.
    pub columns: Vec<u32>,
    /// The values of the entries; none is zero.
    pub values: Vec<f64>,
}

impl Rows {
    fn new() -> Self {
        Self { offsets: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    fn end_row(&mut self) {
        self.offsets.push(self.columns.len() as i64);
    }

    /// Appends other rows.
    fn append(&mut self, other: &Self) {
        let before = self.columns.len() as i64;
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
        self.offsets.extend(other.offsets[1..].iter().map(|end| before + end));
    }

    /// Columns and values of a row.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let entries = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        (&self.columns[entries.clone()], &self.values[entries])
    }
}

/// Counts of features, and the names of the columns.
#[derive(Debug)]
pub struct Counted {
    /// One row for each tree.
    pub rows: Rows,
    /// The strings behind the columns; the first trees come first.
    pub trie: Trie,
}

/// Counts all features of all trees. The numbers of features do not depend on the threads.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) or [`Error::Memory`](crate::Error::Memory); [`Error::Invalid`](crate::Error::Invalid) if there are 2³² features.
pub fn count(
    trees: Flat<'_>,
    kinds: Kinds,
    threads: usize,
    cancel: &Cancel,
    poll: &mut dyn FnMut() -> bool,
) -> Result<Counted> {
    let mut crew = Crew::new(threads, cancel, poll);
    let learn = |part| {
        let mut trie = Trie::default();
        let rows = count_part(trees, part, kinds, &mut trie, cancel, plain)?;
        Ok(Counted { rows, trie })
    };
    let mut parts = over_parts(&mut crew, trees, learn)?.into_iter();
    let Some(mut all) = parts.next() else {
        return Ok(Counted { rows: Rows::new(), trie: Trie::default() });
    };
    for part in parts {
        crew.ask()?;
        let numbers = all.trie.absorb(&part.trie);
        all.rows.append(&renumbered(&part.rows, &numbers));
    }
    all.trie.check_complete()?;
    Ok(all)
}

/// Counts the features that a trie knows; others are ignored.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) or [`Error::Memory`](crate::Error::Memory).
pub fn count_known(
    trees: Flat<'_>,
    kinds: Kinds,
    trie: &Trie,
    threads: usize,
    cancel: &Cancel,
    poll: &mut dyn FnMut() -> bool,
) -> Result<Rows> {
    let mut crew = Crew::new(threads, cancel, poll);
    let work = |part| count_part(trees, part, kinds, &mut &*trie, cancel, plain);
    Ok(joined(&over_parts(&mut crew, trees, work)?))
}

/// Counts features in columns by their hashes.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) or [`Error::Memory`](crate::Error::Memory).
pub fn count_hashed(
    trees: Flat<'_>,
    kinds: Kinds,
    (labels, hashing): (LabelHashes<'_>, Hashing),
    threads: usize,
    cancel: &Cancel,
    poll: &mut dyn FnMut() -> bool,
) -> Result<Rows> {
    let mut crew = Crew::new(threads, cancel, poll);
    let place = |hash: u64, times: f64| {
        let (column, sign) = hashing.place(hash);
        (column, sign * if hashing.binary { 1.0 } else { times })
    };
    let work = |part| count_part(trees, part, kinds, &mut LabelHashes(labels.0), cancel, place);
    Ok(joined(&over_parts(&mut crew, trees, work)?))
}

type Part = std::ops::Range<usize>;

fn over_parts<T: Send>(
    crew: &mut Crew<'_>,
    trees: Flat<'_>,
    work: impl Fn(Part) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let brief = trees.codes.len() < BRIEF;
    // One thread has no use for parts, which must be joined.
    let count = if brief || crew.threads == 1 { 1 } else { PARTS_PER_THREAD * crew.threads };
    let parts = trees.parts(count);
    crew.map(parts.len(), brief, |part| work(parts[part].clone()))
}

fn plain(id: u32, times: f64) -> (u32, f64) {
    (id, times)
}

/// The rows of some trees; `place` gives the column and the value of a feature.
fn count_part<B: Book>(
    trees: Flat<'_>,
    part: Part,
    kinds: Kinds,
    book: &mut B,
    cancel: &Cancel,
    place: impl Fn(B::Id, f64) -> (u32, f64),
) -> Result<Rows> {
    let mut rows = Rows::new();
    let (mut found, mut entries) = (Vec::new(), Vec::new());
    for tree in part {
        cancel.check()?;
        found.clear();
        kinds.list(trees.tree(tree), book, &mut found, cancel)?;
        found.sort_unstable();
        entries.clear();
        entries.extend(found.chunk_by(|a, b| a == b).map(|run| place(run[0], run.len() as f64)));
        push_row(&mut rows, &mut entries);
    }
    Ok(rows)
}

/// Adds a row; entries of one column are summed.
fn push_row(rows: &mut Rows, entries: &mut [(u32, f64)]) {
    entries.sort_unstable_by_key(|entry| entry.0);
    for run in entries.chunk_by(|a, b| a.0 == b.0) {
        // Whole numbers: the order of the sum does not matter.
        let sum: f64 = run.iter().map(|entry| entry.1).sum();
        if sum != 0.0 {
            rows.columns.push(run[0].0);
            rows.values.push(sum);
        }
    }
    rows.end_row();
}

fn renumbered(rows: &Rows, numbers: &[u32]) -> Rows {
    let mut renumbered = Rows::new();
    let mut entries = Vec::new();
    for row in 0..rows.offsets.len() - 1 {
        let (columns, values) = rows.row(row);
        entries.clear();
        let columns = columns.iter().map(|&column| numbers[column as usize]);
        entries.extend(columns.zip(values.iter().copied()));
        push_row(&mut renumbered, &mut entries);
    }
    renumbered
}

fn joined(parts: &[Rows]) -> Rows {
    let mut all = Rows::new();
    for part in parts {
        all.append(part);
    }
    all
}
