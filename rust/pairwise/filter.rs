//! Pairs that a cutoff rules out before their distance is computed.

use super::Request;
use crate::distance::{Bounds, Scratch};
use crate::error::Result;
use crate::parallel::Cancel;

/// Even where string bounds have not paid so far, every so many rows use them.
const TRY_AGAIN: u32 = 16;
/// Share of the past that is forgotten with every row.
const FORGET: f64 = 1.0 / 64.0;

/// The bounds of all pairs against one cutoff.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    bounds: Bounds<'a>,
    /// Most quanta that are not above the cutoff.
    pub(super) limit: i128,
}

/// What a thread remembers from row to row.
#[derive(Debug, Default)]
pub(super) struct Memory {
    scratch: Scratch,
    rows: u32,
    /// Cells that string bounds have cost and saved of late.
    spent: f64,
    saved: f64,
}

impl<'a> Filter<'a> {
    /// `None` if there is no cutoff, or an infinite one.
    pub(super) fn new(request: &Request<'a>, cancel: &Cancel) -> Result<Option<Self>> {
        let Request { x, y, prices, cutoff, .. } = *request;
        let Some(cutoff) = cutoff.filter(|&cutoff| cutoff < f64::INFINITY) else {
            return Ok(None);
        };
        let limit = prices.most_quanta(cutoff);
        Ok(Some(Self { bounds: Bounds::new(x, y, prices, cancel)?, limit }))
    }

    /// Takes out of `columns` those that are certainly above the cutoff from tree `i`.
    ///
    /// `tree` gives the tree of a column, `cells` the estimated work that some columns ask for.
    /// The cheap bound always pays. The string bounds are used where they have lately saved more
    /// work than they cost.
    pub(super) fn retain(
        &self,
        i: usize,
        columns: &mut Vec<usize>,
        tree: impl Fn(usize) -> usize,
        cells: impl Fn(&[usize]) -> f64,
        memory: &mut Memory,
    ) {
        columns.retain(|&column| self.bounds.quick(i, tree(column)) <= self.limit);
        let Memory { scratch, rows, spent, saved } = memory;
        *rows = rows.wrapping_add(1);
        if columns.is_empty() || (saved < spent && !rows.is_multiple_of(TRY_AGAIN)) {
            return;
        }
        let price: f64 = columns.iter().map(|&column| self.bounds.cells(i, tree(column))).sum();
        if price == 0.0 {
            return;
        }
        let before = cells(columns);
        columns.retain(|&column| !self.bounds.tight_above(i, tree(column), self.limit, scratch));
        *spent += price - *spent * FORGET;
        *saved += before - cells(columns) - *saved * FORGET;
    }
}
