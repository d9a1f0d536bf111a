//! One pair along chosen paths: lanes, column tables and profiles put together.

use crate::distance::columns::Columns;
use crate::distance::engine::Kernel;
use crate::distance::inner::{MixedBuffers, MixedJob, MixedPair, PathKind};
use crate::distance::profile::{self, Source};
use crate::distance::savings::{Read, Savings, Table};
use crate::error::Result;
use crate::pair::{Costs, Operand};
use crate::parallel::Cancel;
use crate::simd::{Element, InLanes, Simd, in_any_lanes};
use crate::tree::{Orientation, Oriented};

use super::PathPlan;

/// The arguments of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MixedRun<'a> {
    pub(crate) rows: &'a Operand<'a>,
    pub(crate) columns: &'a Operand<'a>,
    pub(crate) plan: &'a PathPlan,
    pub(crate) costs: Costs<'a>,
    /// Whether the rows are the target of the edits.
    pub(crate) transposed: bool,
    pub(crate) threads: usize,
    pub(crate) cancel: &'a Cancel,
}

impl MixedRun<'_> {
    /// Hands the savings of all subtrees to `read`.
    pub(crate) fn savings(&self, kernel: Kernel, read: &mut impl Read) -> Result<()> {
        let smaller = self.rows.tree.nodes().min(self.columns.tree.nodes());
        let lanes = kernel.lanes(self.costs, smaller);
        in_any_lanes(lanes, |set| kernel.may_use(set), WithRead { run: self, read })
    }

    /// The savings in lanes of one kind. Compiled once for all that read them.
    #[inline(never)]
    fn in_lanes<S: Simd>(&self, simd: S) -> Result<MixedBuffers<S>> {
        let Self { rows, columns, plan, costs, transposed, threads, cancel } = *self;
        let row_tree = rows.tree.oriented(Orientation::Left);
        let column_tree = columns.tree.oriented(Orientation::Left);
        let table = |kind: PathKind, side: Orientation| {
            let build = || Columns::<S>::new(&[columns.tree.oriented(side)], cancel);
            plan.has(kind, row_tree).then(build).transpose()
        };
        let tables = [
            table(PathKind::Left, Orientation::BOTH[0])?,
            table(PathKind::Right, Orientation::BOTH[1])?,
        ];
        let pair = MixedPair { rows: rows.tree, plan, columns: columns.tree };
        let mut buffers = MixedBuffers::new(pair, profile::height(rows), &tables, threads, cancel)?;
        let stride = stride::<S>(column_tree);
        let mut codes = Vec::new();
        for (side, buffers) in Orientation::BOTH.into_iter().zip(&mut buffers.sides) {
            codes.clear();
            profile::append_codes(columns, columns.tree.oriented(side), &mut codes);
            let profile = S::elements_mut(&mut buffers.profile);
            let source = Source { costs, transposed, codes: &codes };
            source.fill(rows, stride, profile);
        }
        simd.run(MixedJob { pair, tables: &tables, buffers: &mut buffers, threads, cancel })?;
        Ok(buffers)
    }

    /// Hands the savings of a table to `read`.
    fn read<E: Element>(&self, table: &[E], stride: usize, row_of: &[u32], read: &mut impl Read) {
        let [rows, columns] =
            [self.rows, self.columns].map(|side| side.tree.oriented(Orientation::Left));
        let unit = self.costs.unit();
        let table = Table::Whole(table, stride);
        read.read(0, Savings { table, start: 0, rows, row_of, columns, unit });
    }
}

/// A run, before its lanes are chosen.
struct WithRead<'a, R> {
    run: &'a MixedRun<'a>,
    read: &'a mut R,
}

impl<R: Read> InLanes for WithRead<'_, R> {
    type Output = Result<()>;

    fn run<S: Simd>(self, simd: S) -> Result<()> {
        let buffers = self.run.in_lanes(simd)?;
        let table = S::elements(&buffers.sides[0].table);
        let columns = self.run.columns.tree.oriented(Orientation::Left);
        self.run.read(table, stride::<S>(columns), buffers.rows(), self.read);
        Ok(())
    }
}

/// Lanes of a row of the table.
fn stride<S: Simd>(columns: &Oriented) -> usize {
    columns.len().div_ceil(S::LANES) * S::LANES
}
