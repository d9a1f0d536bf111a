//! One thread of a team.

use crate::distance::columns::Chunk;
use crate::distance::packed::{
    KeyrootRows, NodeSavings, Pass, PassState, WHAT, begin_tree_row, pass_rows,
};
use crate::distance::team::TeamJob;
use crate::distance::team::plan::Task;
use crate::distance::team::queue::{Queue, Turn};
use crate::distance::team::table::{PartTable, Shared, SharedTurn, TeamTable};
use crate::error::Result;
use crate::memory;
use crate::simd::{Simd, Vectorized};
use std::ops::Range;

/// What there is to do.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) tasks: &'a [Task],
    /// The chunks of key-roots that several threads work on.
    pub(super) shared: &'a [Chunk],
}

/// A thread with its own state of a pass.
pub(super) struct Member<'a, 't, S: Simd> {
    simd: S,
    job: &'a TeamJob<'a, S>,
    plan: Plan<'a>,
    table: &'a TeamTable<'t, S>,
    current: Vec<S::Vector>,
    shifted: Vec<S::Vector>,
    expanded: Vec<S::Vector>,
}

impl<'a, 't, S: Simd> Member<'a, 't, S> {
    pub(super) fn new(
        simd: S,
        job: &'a TeamJob<'a, S>,
        plan: Plan<'a>,
        table: &'a TeamTable<'t, S>,
    ) -> Result<Self> {
        let (row, stack) = job.scratch_vectors(plan.shared);
        let filled = |vectors| memory::filled(WHAT, vectors, S::zero());
        let (current, shifted, expanded) = (filled(row)?, filled(row)?, filled(stack)?);
        Ok(Self { simd, job, plan, table, current, shifted, expanded })
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

    /// Fills the rows of the left path of a key-root with what is plainly reachable. Returns the
    /// savings of its nodes if they are lazy.
    #[inline(always)]
    fn begin(&self, keyroot: usize) -> Result<Vec<S::Vector>> {
        let TeamJob { rows, layout, columns, profile, lazy, cancel, .. } = *self.job;
        let vectors = columns.vectors;
        let mut lazy_savings = Vec::new();
        if lazy.is_some() {
            let places = rows.left_path_down(keyroot).count();
            lazy_savings = memory::filled(WHAT, places * vectors, S::zero())?;
        }
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
            let first = rows.first(i);
            // The first child is on the path, all others are known.
            let on_path = rows.children(i).last().filter(|_| place > 0);
            let on_path = on_path.map(|child| self.table.open(layout.row[child] as usize));
            let known = rows.children(i).filter(|&child| rows.first(child) != first);
            let known = known.map(|child| self.table.row(layout.row[child] as usize));
            let mut row = self.table.open(layout.row[i] as usize);
            let children = known.chain(on_path.as_deref());
            begin_tree_row(self.simd, columns, savings, children, &mut row);
        }
        Ok(lazy_savings)
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
        let all = self.chunks(shared.is_some());
        let mut own_savings = Vec::new();
        if chunks.start == 0 {
            own_savings = self.begin(keyroot)?;
        }
        let lazy_savings = match shared {
            Some(shared) => {
                if chunks.start == 0 {
                    shared.begin(std::mem::take(&mut own_savings));
                }
                shared.begun(cancel)?
            }
            None => &own_savings,
        };
        let vectors = columns.vectors;
        let savings = match lazy {
            Some(_) => NodeSavings { profile: lazy_savings, vectors, row_of: None },
            None => NodeSavings { profile, vectors, row_of: Some(layout.profile) },
        };
        let keyroot_rows = KeyrootRows { rows, keyroot, row_of: layout.row, savings };
        for chunk in chunks.clone() {
            let turn = shared.map(|shared| SharedTurn { shared, chunk, seen: 0 });
            let Self { current, shifted, expanded, .. } = self;
            let state = PassState { current, shifted, expanded };
            let table = &mut PartTable { table: self.table, turn, cancel };
            let pass = Pass { simd: self.simd, columns, chunk: &all[chunk] };
            pass_rows(pass, keyroot_rows, state, table, cancel)?;
        }
        if chunks.end == all.len() {
            for i in rows.left_path_down(keyroot) {
                self.table.finish(layout.row[i] as usize);
            }
        }
        Ok(())
    }

    /// The chunks of a key-root.
    fn chunks(&self, is_shared: bool) -> &'a [Chunk] {
        if is_shared { self.plan.shared } else { &self.job.columns.chunks }
    }
}

/// A turn of a thread, with the instructions of its lanes. Returns the task if it is done.
struct TurnJob<'m, 'a, 't, S: Simd> {
    member: &'m mut Member<'a, 't, S>,
    turn: Turn<S>,
}

impl<S: Simd> Vectorized<S> for TurnJob<'_, '_, '_, S> {
    type Output = Result<Option<usize>>;

    #[inline(always)]
    fn run(self, _: S) -> Self::Output {
        let Self { member, turn: Turn { task, chunk } } = self;
        let all = 0..member.chunks(chunk.is_some()).len();
        let (chunks, shared) = match &chunk {
            Some((chunk, shared)) => (*chunk..chunk + 1, Some(&**shared)),
            None => (all.clone(), None),
        };
        let is_done = chunks.end == all.end;
        for position in member.plan.tasks[task].keyroots.clone() {
            member.keyroot(member.job.layout.fresh[position] as usize, chunks.clone(), shared)?;
        }
        Ok(is_done.then_some(task))
    }
}
