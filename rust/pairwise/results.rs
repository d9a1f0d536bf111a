//! Distances on their way to the caller, those of copies included.

use crate::pairwise::MatrixRequest;
use crate::parallel::{Cancel, Pace};
use crate::tree::Copies;
use std::cell::{Cell, RefCell};

/// Hands distances to the caller, also those of copies, and counts them.
pub(crate) struct Results<'a, S, P> {
    request: &'a MatrixRequest<'a>,
    of_rows: &'a Copies,
    of_columns: &'a Copies,
    store: S,
    pub(crate) done: &'a Cell<u64>,
    pub(crate) poll: &'a RefCell<P>,
    pace: Pace,
    pub(crate) cancel: &'a Cancel,
}

impl<'a, S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool> Results<'a, S, P> {
    pub(crate) fn new(
        request: &'a MatrixRequest<'a>,
        (of_rows, of_columns): (&'a Copies, &'a Copies),
        store: S,
        (done, poll): (&'a Cell<u64>, &'a RefCell<P>),
        cancel: &'a Cancel,
    ) -> Self {
        Self { request, of_rows, of_columns, store, done, poll, pace: Pace::new(), cancel }
    }

    /// Whether no tree of either side occurs again.
    pub(crate) fn all_differ(&self) -> bool {
        self.of_rows.all_differ() && self.of_columns.all_differ()
    }

    pub(crate) fn store(&mut self, i: usize, j: usize, distance: f64) {
        (self.store)(i, j, distance);
        self.done.set(self.done.get() + 1);
    }

    /// Stores the distance of a pair for all copies of both trees.
    pub(crate) fn store_copies(&mut self, i: usize, j: usize, distance: f64) {
        let (of_rows, of_columns) = (self.of_rows, self.of_columns);
        let MatrixRequest { triangle, diagonal, .. } = *self.request;
        for a in of_rows.of(i) {
            if self.cancel.check().is_err() {
                return;
            }
            for b in of_columns.of(j) {
                // The pairs among the copies of one tree of a triangle are met in both orders.
                if !triangle || i != j || a < b || (a == b && diagonal) {
                    self.store(a, b, distance);
                }
                // Few trees can have many copies.
                if self.pace.is_due() && !self.poll.borrow_mut()(self.done.get()) {
                    self.cancel.cancel();
                }
            }
        }
    }
}

/// Whether some tree of a triangle, or one that occurs again, is not plainly at distance 0 from
/// itself, and that distance is wanted.
pub(crate) fn must_meet_themselves(request: &MatrixRequest<'_>, copies: &Copies) -> bool {
    copies.distinct().iter().map(|&i| i as usize).any(|i| {
        let tree = request.x.operand(i);
        let wanted = request.diagonal || copies.has_copies(i);
        wanted && !request.costs.costs_nothing(&tree, &tree)
    })
}
