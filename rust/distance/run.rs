//! One call of a kernel: tables, profile, rows and columns put together.

use crate::distance::columns::Columns;
use crate::distance::engine::{Group, RowTree};
use crate::distance::packed::{PackedBuffers, PackedJob};
use crate::distance::profile::{self, FillProfile, FillRow, Lazy, Source};
use crate::distance::savings::{Read, Savings, Table};
use crate::distance::scalar;
use crate::distance::sharing::{self, Shared, Sharing};
use crate::distance::tables::KEEP_TABLES;
use crate::distance::team::{TeamJob, TeamRoom, TeamTable};
use crate::error::Result;
use crate::pair::Costs;
use crate::parallel::Cancel;
use crate::simd::{Element, Simd};
use crate::tree::Oriented;
use std::sync::OnceLock;

/// The arguments of one kernel call.
pub(crate) struct GroupRun<'a> {
    pub(crate) rows: &'a RowTree<'a>,
    pub(crate) group: &'a Group<'a>,
    pub(crate) costs: Costs<'a>,
    pub(crate) transposed: bool,
    /// Threads that may work on a group that shares no rows.
    pub(crate) threads: usize,
    pub(crate) cancel: &'a Cancel,
}

impl GroupRun<'_> {
    /// Where the savings of these columns come from.
    fn source<'a>(&'a self, codes: &'a [u32]) -> Source<'a> {
        Source { costs: self.costs, transposed: self.transposed, codes }
    }

    fn row_tree(&self) -> &Oriented {
        self.rows.operand.tree.oriented(self.group.orientation)
    }

    fn member_trees(&self) -> impl Iterator<Item = &Oriented> {
        self.group.members.iter().map(|member| member.tree.oriented(self.group.orientation))
    }

    /// The packed kernel, with tables by orientation. Returns the largest saving of a member in
    /// units; if that is the limit, at which sums stop, there is nothing to be read.
    pub(crate) fn packed<S: Simd>(
        &self,
        simd: S,
        tables: &[OnceLock<Box<Columns<S>>>; 2],
        buffers: &mut PackedBuffers<S>,
        read: &mut impl Read,
        limit: Option<i128>,
    ) -> Result<i128> {
        let mut room = TeamRoom::default();
        let (by_team, elements);
        let (table, sharing);
        if self.threads > 1 && self.rows.shared.is_none() {
            by_team = self.fill_by_team(simd, tables, buffers, &mut room)?;
            elements = by_team.elements();
            (table, sharing) = (Table::Rows(&elements), &buffers.sharing);
        } else {
            let stride = self.fill_packed(simd, tables, buffers)?;
            (table, sharing) =
                (Table::Whole(S::elements(&buffers.table), stride), &buffers.sharing);
        }
        let row_of =
            if self.rows.shared.is_some() { sharing.layout().row } else { &self.row_tree().row };
        let largest = self.largest_saving(table, row_of);
        if limit.is_none_or(|limit| largest < limit) {
            self.read_members(table, row_of, read);
        }
        Ok(largest)
    }

    /// The largest saving of the whole trees with a member, in units.
    fn largest_saving<E: Element>(&self, table: Table<'_, E>, row_of: &[u32]) -> i128 {
        let whole = table.row(row_of[self.row_tree().len() - 1] as usize);
        let ends = self.member_trees().scan(0, |start, columns| {
            *start += columns.len();
            Some(*start)
        });
        ends.map(|end| whole[end - 1].to_whole()).max().unwrap_or(0)
    }

    /// Hands the savings with each member to `read`.
    fn read_members<E: Element>(&self, table: Table<'_, E>, row_of: &[u32], read: &mut impl Read) {
        let (rows, unit) = (self.row_tree(), self.costs.unit());
        let mut start = 0;
        for (member, columns) in self.member_trees().enumerate() {
            read.read(member, Savings { table, start, rows, row_of, columns, unit });
            start += columns.len();
        }
    }

    /// The column tables, if need be in `built`.
    fn columns<'c, S: Simd>(
        &self,
        tables: &'c [OnceLock<Box<Columns<S>>>; 2],
        built: &'c mut Option<Box<Columns<S>>>,
    ) -> Result<&'c Columns<S>> {
        let table = &tables[self.group.orientation as usize];
        if let Some(columns) = table.get() {
            return Ok(columns);
        }
        let trees: Vec<_> = self.member_trees().collect();
        let columns = Box::new(Columns::new(&trees, self.cancel)?);
        // Tables of badly shaped trees can be far larger than the trees: not to be kept.
        Ok(if columns.bytes() > KEEP_TABLES {
            built.insert(columns)
        } else {
            table.get_or_init(|| columns)
        })
    }

    /// Where savings come from if they are computed when a key-root needs them.
    fn lazy<'a>(&'a self, source: &'a Source<'a>) -> Option<Lazy<'a>> {
        let by_rows = matches!(self.costs, Costs::Table(table) if table.is_by_rows());
        (by_rows && self.rows.shared.is_none()).then_some(Lazy { source, rows: &self.rows.operand })
    }

    /// Fills a table by several threads. Compiled once for all that read savings.
    #[inline(never)]
    fn fill_by_team<'t, S: Simd>(
        &self,
        simd: S,
        tables: &[OnceLock<Box<Columns<S>>>; 2],
        buffers: &mut PackedBuffers<S>,
        room: &'t mut TeamRoom<S>,
    ) -> Result<TeamTable<'t, S>> {
        let mut built = None;
        let columns = self.columns(tables, &mut built)?;
        let (rows, operand) = (self.row_tree(), &self.rows.operand);
        let source = &self.source(self.group.codes);
        let lazy = self.lazy(source);
        if lazy.is_none() {
            let room = (0, profile::height(operand));
            buffers.reserve_tables(room, columns.vectors, self.cancel)?;
            self.fill_profile(simd, columns, buffers);
        }
        let PackedBuffers { profile, sharing, .. } = buffers;
        let layout = sharing.alone(rows, profile::height(operand));
        let (threads, cancel) = (self.threads, self.cancel);
        TeamJob { rows, layout, columns, profile, lazy, threads, cancel }.run(simd, room)
    }

    /// Fills the table of the packed kernel; returns its lanes per row. Compiled once for all that
    /// read savings.
    #[inline(never)]
    fn fill_packed<S: Simd>(
        &self,
        simd: S,
        tables: &[OnceLock<Box<Columns<S>>>; 2],
        buffers: &mut PackedBuffers<S>,
    ) -> Result<usize> {
        let mut built = None;
        let columns = self.columns(tables, &mut built)?;
        let rows = self.row_tree();
        // Taken out while the rest of the buffers is written to, and lost if that fails.
        let mut sharing = std::mem::take(&mut buffers.sharing);
        let source = &self.source(self.group.codes);
        let lazy = self.lazy(source);
        let layout = if let Some(shared) = self.rows.shared {
            self.share(simd, shared, columns, &mut sharing, buffers)?;
            sharing.layout()
        } else {
            let (operand, is_lazy) = (&self.rows.operand, lazy.is_some());
            let savings =
                if is_lazy { profile::longest_path(rows) } else { profile::height(operand) };
            buffers.reserve(rows, (rows.distinct_rows, savings), columns, self.cancel)?;
            if !is_lazy {
                self.fill_profile(simd, columns, buffers);
            }
            sharing.alone(rows, profile::height(&self.rows.operand))
        };
        simd.run(PackedJob { rows, layout, columns, buffers, lazy, cancel: self.cancel })?;
        buffers.sharing = sharing;
        Ok(columns.vectors * S::LANES)
    }

    /// The profile of a tree that shares nothing.
    fn fill_profile<S: Simd>(&self, simd: S, columns: &Columns<S>, buffers: &mut PackedBuffers<S>) {
        let stride = columns.vectors * S::LANES;
        let (source, profile) =
            (self.source(self.group.codes), S::elements_mut(&mut buffers.profile));
        simd.run(FillProfile { source, rows: &self.rows.operand, stride, profile });
    }

    /// Finds what is there already, and adds the labels that are not.
    fn share<S: Simd>(
        &self,
        simd: S,
        shared: Shared<'_>,
        columns: &Columns<S>,
        sharing: &mut Sharing,
        buffers: &mut PackedBuffers<S>,
    ) -> Result<()> {
        let (rows, operand) = (self.row_tree(), &self.rows.operand);
        let wanted = (rows.len(), profile::height(operand));
        let vectors = columns.vectors.max(1);
        let there = (buffers.table.len() / vectors, buffers.profile.len() / vectors);
        let room = if sharing.continues(shared.columns, wanted, there) {
            (0, 0)
        } else {
            sharing::room(wanted.0, wanted.1, vectors * size_of::<S::Vector>())
        };
        buffers.reserve(rows, room, columns, self.cancel)?;
        sharing.arrange(operand, rows, shared.ids);
        let stride = columns.vectors * S::LANES;
        for (code, row) in sharing.new_labels(operand) {
            let out = &mut S::elements_mut(&mut buffers.profile)[row * stride..][..stride];
            let source = &self.source(self.group.codes);
            simd.run(FillRow { source, row: code, out });
        }
        Ok(())
    }

    pub(crate) fn scalar<N: Element>(
        &self,
        buffers: &mut scalar::ScalarBuffers<N>,
        read: &mut impl Read,
    ) -> Result<()> {
        let (rows, operand) = (self.row_tree(), &self.rows.operand);
        let mut codes = self.group.codes;
        for (member, columns) in self.member_trees().enumerate() {
            let (here, rest) = codes.split_at(columns.len());
            codes = rest;
            buffers.reserve(rows, profile::height(operand), columns, self.cancel)?;
            let stride = columns.len();
            self.source(here).fill(operand, stride, &mut buffers.profile);
            scalar::fill(rows, columns, buffers, self.cancel)?;
            let table = Table::Whole(&buffers.table, stride);
            let row_of = &rows.row;
            let unit = self.costs.unit();
            read.read(member, Savings { table, start: 0, rows, row_of, columns, unit });
        }
        Ok(())
    }
}
