//! All pairs of a matrix, in parallel.

use crate::error::{Error, Result};
use crate::parallel::{Cancel, Tasks, for_each};
use std::ops::Range;

/// Columns of one task: enough to pay for its preparation, few enough to share the work.
const COLUMNS: usize = 256;

/// Which trees are compared: the first `rows` with those after them, or all with each other.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Number of all trees.
    pub trees: usize,
    /// Number of trees that are rows; `None` for a symmetric matrix of all.
    pub rows: Option<usize>,
}

impl Extent {
    /// Number of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.rows.map_or((self.trees, self.trees), |rows| (rows, self.trees - rows))
    }

    /// Number of pairs to compute.
    pub fn pairs(&self) -> u64 {
        let (rows, columns) = self.shape();
        let (rows, columns) = (rows as u64, columns as u64);
        if self.rows.is_none() { rows * (rows + 1) / 2 } else { rows * columns }
    }

    /// The index of the tree of a column.
    pub(crate) fn column(&self, column: usize) -> usize {
        self.rows.unwrap_or(0) + column
    }

    /// Rows and their columns, in pieces.
    fn pieces(&self) -> Vec<(usize, Range<usize>)> {
        let (rows, columns) = self.shape();
        let mut pieces = Vec::new();
        for row in 0..rows {
            let mut begin = if self.rows.is_none() { row } else { 0 };
            while begin < columns {
                let end = columns.min(begin + COLUMNS);
                pieces.push((row, begin..end));
                begin = end;
            }
        }
        pieces
    }
}

/// Who works, and who is asked whether to go on.
pub(crate) struct Run<'a> {
    pub(crate) threads: usize,
    pub(crate) cancel: &'a Cancel,
    /// Called with the number of pairs done.
    pub(crate) poll: &'a mut dyn FnMut(u64) -> bool,
}

/// Computes all values of a matrix; `work` gets the row, its columns and the list to fill.
pub(crate) fn fill<S>(
    extent: Extent,
    out: &mut [f64],
    run: Run<'_>,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, Range<usize>, &mut Vec<f64>) -> Result<()> + Sync,
) -> Result<()> {
    let (rows, columns) = extent.shape();
    if rows.checked_mul(columns) != Some(out.len()) {
        let found = out.len();
        return Err(Error::Invalid(format!(
            "the result must have {rows} times {columns} entries; got {found}"
        )));
    }
    let pieces = extent.pieces();
    let done = std::cell::Cell::new(0u64);
    let one = |scratch: &mut S, piece: usize| {
        let (row, range) = pieces[piece].clone();
        let mut values = Vec::with_capacity(range.len());
        work(scratch, row, range, &mut values)?;
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            let column = extent.column(pieces[piece].1.start + place);
            return Err(Error::Invalid(format!(
                "the kernel of trees {row} and {column} is too large for a float64; \
                 use a smaller decay"
            )));
        }
        Ok((piece, values))
    };
    let receive = |(piece, values): (usize, Vec<f64>)| {
        let (row, range) = pieces[piece].clone();
        done.set(done.get() + values.len() as u64);
        for (column, &value) in range.zip(&values) {
            out[row * columns + column] = value;
            if extent.rows.is_none() {
                out[column * columns + row] = value;
            }
        }
    };
    let Run { threads, cancel, poll } = run;
    let tasks = Tasks { threads, count: pieces.len(), cancel };
    for_each(tasks, scratch, one, receive, || poll(done.get()))?;
    if poll(extent.pairs()) { Ok(()) } else { Err(Error::Cancelled) }
}
