//! The rows of subtree values: written by the threads of one key-root, then read by all.

use crate::distance::packed::{RowTable, WHAT};
use crate::distance::team::progress::{Progress, wait};
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Cancel, Tasks, locked};
use crate::simd::Simd;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Pieces of memory for each thread to fill.
const PIECES_PER_THREAD: usize = 4;

/// The memory of a table in some pieces, which threads fill side by side: the first look at a page
/// takes as long as a row of it.
#[derive(Debug)]
pub(in crate::distance) struct TeamRoom<S: Simd>(Vec<Vec<S::Vector>>);

impl<S: Simd> Default for TeamRoom<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Simd> TeamRoom<S> {
    /// Room for a number of rows of some vectors each.
    fn fill(
        &mut self,
        (rows, vectors): (usize, usize),
        threads: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        let share = rows.div_ceil(PIECES_PER_THREAD * threads).max(1);
        let tasks = Tasks { threads, count: rows.div_ceil(share), cancel };
        let fill = |(): &mut (), piece| {
            let rows = share.min(rows - share * piece);
            memory::filled(WHAT, rows * vectors, S::zero())
        };
        parallel::for_each(tasks, || (), fill, |piece| self.0.push(piece), || true)
    }
}

/// The rows of a table.
#[derive(Debug)]
pub(in crate::distance) struct TeamTable<'t, S: Simd> {
    /// Those of key-roots that are not done.
    open: Vec<Mutex<&'t mut [S::Vector]>>,
    /// Those of key-roots that are done.
    done: Vec<OnceLock<&'t [S::Vector]>>,
}

impl<'t, S: Simd> TeamTable<'t, S> {
    /// A table with a number of rows of some vectors each.
    pub(super) fn new(
        room: &'t mut TeamRoom<S>,
        (rows, vectors): (usize, usize),
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Self> {
        room.fill((rows, vectors), threads, cancel)?;
        let cells = room.0.iter_mut().flat_map(|piece| piece.chunks_exact_mut(vectors.max(1)));
        Self::of_open_rows(cells, rows)
    }

    fn of_open_rows(cells: impl Iterator<Item = &'t mut [S::Vector]>, rows: usize) -> Result<Self> {
        let (mut open, mut done) = (Vec::new(), Vec::new());
        memory::reserve(WHAT, &mut open, rows)?;
        memory::reserve(WHAT, &mut done, rows)?;
        open.extend(cells.map(Mutex::new));
        done.resize_with(rows, OnceLock::new);
        Ok(Self { open, done })
    }

    /// A table whose rows are done, but for some.
    pub(super) fn of_rows(
        cells: &'t mut [S::Vector],
        vectors: usize,
        open_rows: impl Iterator<Item = usize>,
    ) -> Result<Self> {
        let rows = cells.len() / vectors.max(1);
        let table = Self::of_open_rows(cells.chunks_exact_mut(vectors.max(1)), rows)?;
        let mut is_open = vec![false; rows];
        open_rows.for_each(|row| is_open[row] = true);
        (0..rows).filter(|&row| !is_open[row]).for_each(|row| table.finish(row));
        Ok(table)
    }

    /// A row, which must be done.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[S::Vector] {
        self.done[row].get().copied().unwrap_or_default()
    }

    /// A row that is not done, for one thread at a time.
    #[inline(always)]
    pub(super) fn open(&self, row: usize) -> OpenRow<'_, 't, S> {
        OpenRow(locked(&self.open[row]))
    }

    /// Hands out a row for all to read.
    pub(super) fn finish(&self, row: usize) {
        let values = std::mem::take(&mut *locked(&self.open[row]));
        // Nobody else finishes this row.
        let _ = self.done[row].set(values);
    }

    /// All rows, as elements.
    pub(in crate::distance) fn elements(&self) -> Vec<&[S::Elem]> {
        (0..self.done.len()).map(|row| S::elements(self.row(row))).collect()
    }
}

/// A row that one thread writes to.
pub(super) struct OpenRow<'a, 't, S: Simd>(MutexGuard<'a, &'t mut [S::Vector]>);

impl<S: Simd> Deref for OpenRow<'_, '_, S> {
    type Target = [S::Vector];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<S: Simd> DerefMut for OpenRow<'_, '_, S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// A key-root that several threads work on: chunk after chunk of its columns.
#[derive(Debug)]
pub(super) struct Shared<S: Simd> {
    /// Set when the rows of the left path are begun: the savings of its nodes, if they are computed
    /// when needed.
    begun: OnceLock<Vec<S::Vector>>,
    /// For each chunk the places of the left path that it is done with.
    done: Vec<Progress>,
}

impl<S: Simd> Shared<S> {
    pub(super) fn new(chunks: usize) -> Self {
        let mut done = Vec::new();
        done.resize_with(chunks, Progress::default);
        Self { begun: OnceLock::new(), done }
    }

    /// The thread with the first chunk has begun the rows of the left path.
    pub(super) fn begin(&self, savings: Vec<S::Vector>) {
        let _ = self.begun.set(savings);
    }

    /// The savings of the nodes of the left path, as soon as its rows are begun.
    pub(super) fn begun(&self, cancel: &Cancel) -> Result<&[S::Vector]> {
        wait(cancel, || self.begun.get().map(Vec::as_slice))
    }
}

/// The table as one chunk of the columns of a key-root sees it.
pub(super) struct PartTable<'a, 't, S: Simd> {
    pub(super) table: &'a TeamTable<'t, S>,
    /// If others work on other chunks.
    pub(super) turn: Option<SharedTurn<'a, S>>,
    pub(super) cancel: &'a Cancel,
}

/// A chunk of a key-root that several threads work on.
pub(super) struct SharedTurn<'a, S: Simd> {
    pub(super) shared: &'a Shared<S>,
    pub(super) chunk: usize,
    /// The places that the chunk before is known to be done with.
    pub(super) seen: usize,
}

impl<'t, S: Simd> RowTable<S> for PartTable<'_, 't, S> {
    type Open<'a>
        = OpenRow<'a, 't, S>
    where
        Self: 'a;

    #[inline(always)]
    fn known(&self, row: usize) -> &[S::Vector] {
        self.table.row(row)
    }

    #[inline(always)]
    fn open(&mut self, row: usize, place: usize) -> Result<Self::Open<'_>> {
        if let Some(SharedTurn { shared, chunk, seen }) = &mut self.turn
            && *chunk > 0
            && *seen <= place
        {
            *seen = shared.done[*chunk - 1].wait_for(place + 1, self.cancel)?;
        }
        Ok(self.table.open(row))
    }

    #[inline(always)]
    fn close(&mut self, place: usize) {
        if let Some(SharedTurn { shared, chunk, .. }) = self.turn {
            shared.done[chunk].reach(place + 1);
        }
    }
}
