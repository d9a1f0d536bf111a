//! One thread of a team.

use crate::distance::packed::{
    KeyrootRows, NodeSavings, Pass, PassState, WHAT, begin_tree_row, pass_rows,
};
use crate::distance::team::TeamJob;
use crate::distance::team::plan::Task;
use crate::distance::team::queue::{Queue, Turn};
use crate::distance::team::table::{PartTable, PathRows, Row, Shared, TeamTable};
use crate::error::Result;
use crate::memory;
use crate::simd::{Simd, Vectorized};
use std::ops::Range;

/// A thread with its own state of a pass.
pub(super) struct Member<'a, S: Simd> {
    simd: S,
    job: &'a TeamJob<'a, S>,
    tasks: &'a [Task],
    table: &'a TeamTable<S>,
    current: Vec<S::Vector>,
    shifted: Vec<S::Vector>,
    expanded: Vec<S::Vector>,
}

impl<'a, S: Simd> Member<'a, S> {
    pub(super) fn new(
        simd: S,
        job: &'a TeamJob<'a, S>,
        tasks: &'a [Task],
        table: &'a TeamTable<S>,
    ) -> Result<Self> {
        let (row, stack) = job.columns.scratch_vectors(job.rows);
        let filled = |vectors| memory::filled(WHAT, vectors, S::zero());
        let (current, shifted, expanded) = (filled(row)?, filled(row)?, filled(stack)?);
        Ok(Self { simd, job, tasks, table, current, shifted, expanded })
    }

    /// Takes turn after turn until all is done.
    pub(super) fn work(mut self, queue: &Queue<'_, S>) -> Result<()> {
        let simd = self.simd;
        while let Some(turn) = queue.next(self.job.cancel) {
            let done = simd.run(TurnJob { member: &mut self, turn })?;
            if let Some(task) = done {
                queue.done(task);
            }
        }
        self.job.cancel.check()
    }

    /// Fills the rows of the left path of a key-root with what is plainly reachable; with the
    /// savings of its nodes if they are lazy.
    #[inline(always)]
    fn begin(&self, keyroot: usize) -> Result<(Vec<Row<S>>, Row<S>)> {
        let TeamJob { rows, layout, columns, profile, lazy, cancel, .. } = *self.job;
        let vectors = columns.vectors;
        let places = rows.left_path_down(keyroot).count();
        let mut lazy_savings = Vec::new();
        if lazy.is_some() {
            lazy_savings = memory::filled(WHAT, places * vectors, S::zero())?;
        }
        let mut path: Vec<Row<S>> = Vec::with_capacity(places);
        for (place, i) in rows.left_path(keyroot).enumerate() {
            cancel.check()?;
            let savings = if let Some(lazy) = lazy {
                let savings = &mut lazy_savings[place * vectors..][..vectors];
                lazy.fill_row(rows.label[i], S::elements_mut(savings));
                &*savings
            } else {
                let row_of = Some(layout.profile);
                NodeSavings::<S> { profile, vectors, row_of }.of(rows.label[i], place)
            };
            let mut row = memory::filled(WHAT, vectors, S::zero())?;
            let first = rows.first(i);
            // The first child is on the path, all others are known.
            let below = |child: usize| {
                if rows.first(child) == first {
                    &path[place - 1][..]
                } else {
                    self.table.row(layout.row[child] as usize)
                }
            };
            let children = rows.children(i).map(below);
            begin_tree_row(self.simd, columns, savings, children, &mut row);
            path.push(row);
        }
        Ok((path, lazy_savings))
    }

    /// The columns of some chunks in all rows of a key-root, whose other chunks other threads may
    /// work on.
    #[inline(always)]
    fn keyroot(
        &mut self,
        keyroot: usize,
        chunks: Range<usize>,
        shared: Option<&Shared<S>>,
    ) -> Result<()> {
        let TeamJob { rows, layout, columns, profile, lazy, cancel, .. } = *self.job;
        let (mut path, mut lazy_savings) = (Vec::new(), Vec::new());
        if chunks.start == 0 {
            (path, lazy_savings) = self.begin(keyroot)?;
        }
        if let Some(shared) = shared.filter(|_| chunks.start == 0) {
            shared.begin(std::mem::take(&mut path), std::mem::take(&mut lazy_savings));
        }
        let begun = shared.map(|shared| shared.begun(cancel)).transpose()?;
        let vectors = columns.vectors;
        let lazy_savings = begun.map_or(&lazy_savings, |begun| &begun.savings);
        let savings = match lazy {
            Some(_) => NodeSavings { profile: lazy_savings, vectors, row_of: None },
            None => NodeSavings { profile, vectors, row_of: Some(layout.profile) },
        };
        let keyroot_rows = KeyrootRows { rows, keyroot, row_of: layout.row, savings };
        for number in chunks.clone() {
            let path = match (shared, begun) {
                (Some(shared), Some(begun)) => {
                    PathRows::Shared { shared, begun, chunk: number, seen: 0 }
                }
                _ => PathRows::Own(&mut path),
            };
            let Self { current, shifted, expanded, .. } = self;
            let state = PassState { current, shifted, expanded };
            let table = &mut PartTable { table: self.table, path, cancel };
            let pass = Pass { simd: self.simd, columns, chunk: &columns.chunks[number] };
            pass_rows(pass, keyroot_rows, state, table, cancel)?;
        }
        if chunks.end == columns.chunks.len() {
            match shared {
                Some(shared) => self.finish(keyroot, shared.take_rows()),
                None => self.finish(keyroot, path.into_iter()),
            }
        }
        Ok(())
    }

    /// Hands the rows of a key-root that is done to all threads.
    fn finish(&self, keyroot: usize, path: impl Iterator<Item = Row<S>>) {
        let TeamJob { rows, layout, .. } = *self.job;
        for (i, values) in rows.left_path(keyroot).zip(path) {
            self.table.finish(layout.row[i] as usize, values);
        }
    }
}

/// A turn of a thread, with the instructions of its lanes. Returns the task if it is done.
struct TurnJob<'m, 'a, S: Simd> {
    member: &'m mut Member<'a, S>,
    turn: Turn<S>,
}

impl<S: Simd> Vectorized<S> for TurnJob<'_, '_, S> {
    type Output = Result<Option<usize>>;

    #[inline(always)]
    fn run(self, _: S) -> Self::Output {
        let Self { member, turn: Turn { task, chunk } } = self;
        let all = 0..member.job.columns.chunks.len();
        let (chunks, shared) = match &chunk {
            Some((chunk, shared)) => (*chunk..chunk + 1, Some(&**shared)),
            None => (all.clone(), None),
        };
        let is_done = chunks.end == all.end;
        for position in member.tasks[task].keyroots.clone() {
            member.keyroot(member.job.rows.fresh[position] as usize, chunks.clone(), shared)?;
        }
        Ok(is_done.then_some(task))
    }
}
