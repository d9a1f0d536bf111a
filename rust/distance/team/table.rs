//! The rows of subtree values: written by the threads of one key-root, then read by all.

use crate::distance::packed::{RowTable, WHAT};
use crate::distance::team::progress::{Progress, wait};
use crate::error::Result;
use crate::memory;
use crate::parallel::{Cancel, locked};
use crate::simd::Simd;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// One row of subtree values.
pub(super) type Row<S> = Vec<<S as Simd>::Vector>;

/// The rows of the key-roots that are done.
#[derive(Debug)]
pub(in crate::distance) struct TeamTable<S: Simd>(Vec<OnceLock<Row<S>>>);

impl<S: Simd> TeamTable<S> {
    pub(super) fn new(rows: usize) -> Result<Self> {
        let mut slots = Vec::new();
        memory::reserve(WHAT, &mut slots, rows)?;
        slots.resize_with(rows, OnceLock::new);
        Ok(Self(slots))
    }

    /// A row, which must be done.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[S::Vector] {
        self.0[row].get().map_or(&[], Vec::as_slice)
    }

    /// Puts a row there for all to read.
    pub(super) fn finish(&self, row: usize, values: Row<S>) {
        // Nobody else finishes this row.
        let _ = self.0[row].set(values);
    }

    /// All rows, as elements.
    pub(in crate::distance) fn elements(&self) -> Vec<&[S::Elem]> {
        (0..self.0.len()).map(|row| S::elements(self.row(row))).collect()
    }
}

/// A key-root that several threads work on: chunk after chunk of its columns.
#[derive(Debug)]
pub(super) struct Shared<S: Simd> {
    begun: OnceLock<Begun<S>>,
    /// For each chunk the places of the left path that it is done with.
    done: Vec<Progress>,
}

/// The rows of a left path, and the savings of its nodes if they are computed when needed.
#[derive(Debug)]
pub(super) struct Begun<S: Simd> {
    rows: Vec<Mutex<Row<S>>>,
    pub(super) savings: Row<S>,
}

impl<S: Simd> Shared<S> {
    pub(super) fn new(chunks: usize) -> Self {
        let mut done = Vec::new();
        done.resize_with(chunks, Progress::default);
        Self { begun: OnceLock::new(), done }
    }

    /// Hands out the rows of the left path, which the thread with the first chunk has begun.
    pub(super) fn begin(&self, rows: Vec<Row<S>>, savings: Row<S>) {
        let rows = rows.into_iter().map(Mutex::new).collect();
        let _ = self.begun.set(Begun { rows, savings });
    }

    /// These rows, as soon as they are begun.
    pub(super) fn begun(&self, cancel: &Cancel) -> Result<&Begun<S>> {
        wait(cancel, || self.begun.get())
    }

    /// Takes the rows out when all chunks are done.
    pub(super) fn take_rows(&self) -> impl Iterator<Item = Row<S>> {
        let rows = self.begun.get().map_or(&[][..], |begun| &begun.rows);
        rows.iter().map(|row| std::mem::take(&mut *locked(row)))
    }
}

/// The table as one chunk of the columns of a key-root sees it.
pub(super) struct PartTable<'a, S: Simd> {
    pub(super) table: &'a TeamTable<S>,
    pub(super) path: PathRows<'a, S>,
    pub(super) cancel: &'a Cancel,
}

/// The rows of the left path of the key-root.
pub(super) enum PathRows<'a, S: Simd> {
    /// One thread works on the key-root.
    Own(&'a mut [Row<S>]),
    /// Others work on other chunks; `seen` are the places that the chunk before is known to be done with.
    Shared { shared: &'a Shared<S>, begun: &'a Begun<S>, chunk: usize, seen: usize },
}

/// A row of the left path, open for one thread.
pub(super) enum OpenRow<'a, S: Simd> {
    Own(&'a mut [S::Vector]),
    Locked(MutexGuard<'a, Row<S>>),
}

impl<S: Simd> Deref for OpenRow<'_, S> {
    type Target = [S::Vector];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Own(row) => row,
            Self::Locked(row) => row,
        }
    }
}

impl<S: Simd> DerefMut for OpenRow<'_, S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Own(row) => row,
            Self::Locked(row) => row,
        }
    }
}

impl<S: Simd> RowTable<S> for PartTable<'_, S> {
    type Open<'a>
        = OpenRow<'a, S>
    where
        Self: 'a;

    #[inline(always)]
    fn known(&self, row: usize) -> &[S::Vector] {
        self.table.row(row)
    }

    #[inline(always)]
    fn open(&mut self, _: usize, place: usize) -> Result<Self::Open<'_>> {
        match &mut self.path {
            PathRows::Own(rows) => Ok(OpenRow::Own(&mut rows[place])),
            PathRows::Shared { shared, begun, chunk, seen } => {
                if *chunk > 0 && *seen <= place {
                    *seen = shared.done[*chunk - 1].wait_for(place + 1, self.cancel)?;
                }
                Ok(OpenRow::Locked(locked(&begun.rows[place])))
            }
        }
    }

    #[inline(always)]
    fn close(&mut self, place: usize) {
        if let PathRows::Shared { shared, chunk, .. } = self.path {
            shared.done[chunk].reach(place + 1);
        }
    }
}
