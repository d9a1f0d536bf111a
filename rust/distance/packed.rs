//! The level-packed kernel: Zhang–Shasha in the savings form, many columns at a time.
//!
//! With G = (delete all + insert all) - cost, the recursion of Zhang and Shasha (1989) becomes
//!
//! ```text
//! G[i][j] = max(G[i-1][j], G[i][j-1], G[first(i)-1][first(j)-1] + T[i][j])     forests
//! T[i][j] = G[i][j] = max(G[i-1][j], G[i][j-1], G[i-1][j-1] + w(i, j))         subtrees
//! ```
//!
//! with w(i, j) = max(0, delete + insert - replace). All borders are 0, deleting and inserting
//! cost nothing, and the dependence on G[i][j-1] is a prefix maximum over the segment.
//!
//! The rows are the nodes of the row tree, key-root by key-root. A row of a node on the left path
//! of the key-root is a *tree row* and yields subtree values T; all others are *forest rows*,
//! which need G[first(i)-1][first(j)-1]. That row is the one in which the left-most leaf of i was
//! reached: it is expanded once there, by lane shuffles, and kept on a stack for the ancestors
//! of the leaf on its path (one entry per level of nested key-roots). A forest row needs the prefix
//! maximum only if the next one is a tree row or that of a leaf. An only child needs no forest row:
//! what a forest saves with it, it saves with its parent.

use crate::distance::columns::{Block, BlockRun, Chunk, Columns, FarPick};
use crate::distance::profile::Lazy;
use crate::distance::sharing::{RowLayout, Sharing};
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::simd::{Simd, Vectorized};
use crate::tree::Oriented;
use std::ops::DerefMut;

/// Rows between two looks at the cancel flag.
const ROWS_PER_CHECK: usize = 64;
pub(super) const WHAT: &str = "the dynamic program of one pair of trees";

/// Scratch of one thread; grows to the largest pair seen.
#[derive(Debug)]
pub(crate) struct PackedBuffers<S: Simd> {
    /// Subtree values T: one row of vectors per row node.
    pub(crate) table: Vec<S::Vector>,
    /// Savings of each distinct row label with every column: one row of vectors per label.
    pub(crate) profile: Vec<S::Vector>,
    /// The current row of G, block by block.
    current: Vec<S::Vector>,
    /// The previous row, moved by one lane, for far picks.
    shifted: Vec<S::Vector>,
    /// The expanded rows, one per level of nested key-roots of the row tree.
    expanded: Vec<S::Vector>,
    pub(crate) sharing: Sharing,
}

impl<S: Simd> Default for PackedBuffers<S> {
    fn default() -> Self {
        Self {
            table: Vec::new(),
            profile: Vec::new(),
            current: Vec::new(),
            shifted: Vec::new(),
            expanded: Vec::new(),
            sharing: Sharing::default(),
        }
    }
}

impl<S: Simd> PackedBuffers<S> {
    /// Makes room for a row tree, for that many rows of the table and of the profile.
    pub(crate) fn reserve(
        &mut self,
        rows: &Oriented,
        (in_table, in_profile): (usize, usize),
        columns: &Columns<S>,
        cancel: &Cancel,
    ) -> Result<()> {
        let (row, stack) = columns.scratch_vectors(rows);
        self.reserve_tables((in_table, in_profile), columns.vectors, cancel)?;
        memory::grow(WHAT, &mut self.current, row, S::zero(), cancel)?;
        memory::grow(WHAT, &mut self.shifted, row, S::zero(), cancel)?;
        memory::grow(WHAT, &mut self.expanded, stack, S::zero(), cancel)
    }

    /// Makes room for that many rows of the table and of the profile, with that many vectors each.
    pub(crate) fn reserve_tables(
        &mut self,
        (in_table, in_profile): (usize, usize),
        vectors: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        memory::grow(WHAT, &mut self.table, in_table * vectors, S::zero(), cancel)?;
        memory::grow(WHAT, &mut self.profile, in_profile * vectors, S::zero(), cancel)
    }

    pub(crate) fn bytes_held(&self) -> usize {
        let held = [&self.table, &self.profile, &self.current, &self.shifted, &self.expanded];
        held.iter().map(|buffer| buffer.capacity()).sum::<usize>() * size_of::<S::Vector>()
    }
}

/// One row tree against prepared columns, with buffers reserved and the profile filled, unless it
/// is lazy.
#[derive(Debug)]
pub(crate) struct PackedJob<'a, S: Simd> {
    pub(crate) rows: &'a Oriented,
    pub(crate) layout: RowLayout<'a>,
    pub(crate) columns: &'a Columns<S>,
    pub(crate) buffers: &'a mut PackedBuffers<S>,
    pub(crate) lazy: Option<Lazy<'a>>,
    pub(crate) cancel: &'a Cancel,
}

impl<S: Simd> Vectorized<S> for PackedJob<'_, S> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self, simd: S) -> Result<()> {
        fill(simd, self)
    }
}

/// One pass over the rows of a key-root: the columns of a chunk.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) columns: &'a Columns<S>,
    pub(super) chunk: &'a Chunk,
}

/// Where a pass finds the table of subtree values.
pub(super) trait RowTable<S: Simd> {
    /// A row that is being computed.
    type Open<'a>: DerefMut<Target = [S::Vector]>
    where
        Self: 'a;
    /// A row of a key-root that was done before.
    fn known(&self, row: usize) -> &[S::Vector];
    /// The row of the node at that place on the left path of the key-root, once the columns of
    /// the chunks before are known.
    fn open(&mut self, row: usize, place: usize) -> Result<Self::Open<'_>>;
    /// The columns of this chunk are known in the row at that place.
    fn close(&mut self, place: usize);
}

/// The table in one piece, for one thread.
struct WholeTable<'a, S: Simd> {
    cells: &'a mut [S::Vector],
    vectors: usize,
}

impl<S: Simd> RowTable<S> for WholeTable<'_, S> {
    type Open<'a>
        = &'a mut [S::Vector]
    where
        Self: 'a;

    #[inline(always)]
    fn known(&self, row: usize) -> &[S::Vector] {
        &self.cells[row * self.vectors..][..self.vectors]
    }

    #[inline(always)]
    fn open(&mut self, row: usize, _: usize) -> Result<Self::Open<'_>> {
        Ok(&mut self.cells[row * self.vectors..][..self.vectors])
    }

    #[inline(always)]
    fn close(&mut self, _: usize) {}
}

/// The savings of row nodes with all columns.
#[derive(Clone, Copy)]
pub(super) struct NodeSavings<'a, S: Simd> {
    pub(super) profile: &'a [S::Vector],
    pub(super) vectors: usize,
    /// The row of the profile of each distinct label; if there is none, rows are in the order of the
    /// left path of the key-root.
    pub(super) row_of: Option<&'a [u32]>,
}

impl<'a, S: Simd> NodeSavings<'a, S> {
    /// Those of the node with that label, at that place on the left path of the key-root.
    #[inline(always)]
    pub(super) fn of(&self, label: u32, place: usize) -> &'a [S::Vector] {
        let row = self.row_of.map_or(place, |row_of| row_of[label as usize] as usize);
        &self.profile[row * self.vectors..][..self.vectors]
    }
}

/// The rows of a key-root.
#[derive(Clone, Copy)]
pub(super) struct KeyrootRows<'a, S: Simd> {
    pub(super) rows: &'a Oriented,
    pub(super) keyroot: usize,
    /// The row of the table of each node.
    pub(super) row_of: &'a [u32],
    pub(super) savings: NodeSavings<'a, S>,
}

/// The state of a pass: the current row of G, the row before it for far picks, and expanded rows.
pub(super) struct PassState<'a, S: Simd> {
    pub(super) current: &'a mut [S::Vector],
    pub(super) shifted: &'a mut [S::Vector],
    pub(super) expanded: &'a mut [S::Vector],
}

/// Fills the table of subtree values.
#[inline(always)]
fn fill<S: Simd>(simd: S, job: PackedJob<'_, S>) -> Result<()> {
    let PackedJob { rows, layout, columns, buffers, lazy, cancel } = job;
    let PackedBuffers { table, profile, current, shifted, expanded, .. } = buffers;
    let vectors = columns.vectors;
    let row_of = lazy.is_none().then_some(layout.profile);
    for &keyroot in layout.fresh {
        let keyroot = keyroot as usize;
        for (place, i) in rows.left_path(keyroot).enumerate() {
            if let Some(lazy) = lazy {
                cancel.check()?;
                let savings = &mut profile[place * vectors..][..vectors];
                lazy.fill_row(rows.label[i], S::elements_mut(savings));
            }
            let savings = NodeSavings::<S> { profile, vectors, row_of }.of(rows.label[i], place);
            let (before, row) = table.split_at_mut(layout.row[i] as usize * vectors);
            let below = |child: usize| &before[layout.row[child] as usize * vectors..][..vectors];
            let children = rows.children(i).map(below);
            begin_tree_row(simd, columns, savings, children, &mut row[..vectors]);
        }
        let savings = NodeSavings { profile, vectors, row_of };
        let keyroot = KeyrootRows { rows, keyroot, row_of: layout.row, savings };
        let table = &mut WholeTable { cells: table, vectors };
        for chunk in &columns.chunks {
            let state = PassState { current, shifted, expanded };
            pass_rows(Pass { simd, columns, chunk }, keyroot, state, table, cancel)?;
        }
    }
    Ok(())
}

/// One pass over the rows of a key-root, whose tree rows are begun.
#[inline(always)]
pub(super) fn pass_rows<S: Simd, T: RowTable<S>>(
    pass: Pass<'_, S>,
    keyroot: KeyrootRows<'_, S>,
    state: PassState<'_, S>,
    table: &mut T,
    cancel: &Cancel,
) -> Result<()> {
    let KeyrootRows { rows, keyroot, row_of, savings } = keyroot;
    let PassState { current, shifted, expanded } = state;
    let width = pass.chunk.blocks.len();
    let current = &mut current[..width];
    current.fill(S::zero());
    let (first, inner) = (rows.first(keyroot), rows.depth[keyroot] + 1);
    let is_leaf = |i: usize| rows.size[i] == 1;
    // How much larger than an only child its parent is; where rows of only children are not left out,
    // more than any tree. A branch on the choice would compile the loop twice, and slower.
    let more = if pass.columns.skip_only_children() { 1 } else { 1 << 31 };
    let (mut place, mut next, mut next_check) = (0, first, first.next_multiple_of(ROWS_PER_CHECK));
    while next <= keyroot {
        let mut i = next;
        next += 1;
        if i >= next_check {
            cancel.check()?;
            next_check = next.next_multiple_of(ROWS_PER_CHECK);
        }
        if rows.first(i) == first {
            let (row, savings) = (row_of[i] as usize, savings.of(rows.label[i], place));
            tree_row(pass, current, &mut table.open(row, place)?, savings);
            table.close(place);
            place += 1;
            continue;
        }
        let begins = is_leaf(i);
        // Only children are on the left path of their parent, so none of these is a tree row.
        while rows.size[i + 1] == rows.size[i] + more {
            i += 1;
        }
        next = i + 1;
        let row = table.known(row_of[i] as usize);
        let level = (rows.depth[i] - inner) as usize;
        let expanded = &mut expanded[level * width..][..width];
        // The last row is a tree row.
        let scanned = is_leaf(next) || rows.first(next) == first;
        match (begins, scanned) {
            (true, true) => leaf_row::<S, true>(pass, current, shifted, row, expanded),
            (true, false) => leaf_row::<S, false>(pass, current, shifted, row, expanded),
            (false, true) => forest_row(pass, current, row, expanded),
            (false, false) => joined_row(pass, current, row, expanded),
        }
    }
    Ok(())
}

/// Starts the subtree values of a node with what is known to be reachable: the node itself
/// paired, or everything inside one child. For columns whose subtrees have no branches this is the
/// final value.
#[inline(always)]
pub(super) fn begin_tree_row<'a, S: Simd>(
    simd: S,
    columns: &Columns<S>,
    savings: &[S::Vector],
    mut children: impl Iterator<Item = &'a [S::Vector]>,
    row: &mut [S::Vector],
) where
    S::Vector: 'a,
{
    if columns.unbranched.is_empty() {
        row.copy_from_slice(savings);
        for child in children {
            join_maximum(simd, row, child);
        }
        return;
    }
    match children.next() {
        Some(child) => row.copy_from_slice(child),
        None => row.fill(S::zero()),
    }
    for child in children {
        join_maximum(simd, row, child);
    }
    for run in &columns.unbranched {
        if run.chained {
            unbranched_run::<S, true>(simd, columns, run, row, savings);
        } else {
            unbranched_run::<S, false>(simd, columns, run, row, savings);
        }
    }
    join_maximum(simd, row, savings);
}

#[inline(always)]
fn join_maximum<S: Simd>(simd: S, row: &mut [S::Vector], other: &[S::Vector]) {
    for (value, &other) in row.iter_mut().zip(other) {
        *value = simd.max(*value, other);
    }
}

/// Subtrees without branches, in a row that holds the best child for each.
///
/// All nodes of such a subtree lie on one path, and so do their partners: below the row node they
/// are in one child. So a node that is paired with the row node adds its saving to what the best
/// child saves with the rest of the path.
#[inline(always)]
fn unbranched_run<S: Simd, const CHAINED: bool>(
    simd: S,
    columns: &Columns<S>,
    run: &BlockRun,
    row: &mut [S::Vector],
    savings: &[S::Vector],
) {
    let (mut before, mut carry) = (S::zero(), S::zero());
    let blocks = columns.blocks[run.blocks.clone()].iter();
    for (block, &vector) in blocks.zip(&columns.vector_of[run.blocks.clone()]) {
        let value = &mut row[vector as usize];
        let old = *value;
        let diagonal = if CHAINED { simd.shift_in(before, old) } else { simd.shift(old) };
        before = old;
        let paired = simd.add(simd.and(diagonal, block.inside), savings[vector as usize]);
        *value = simd.scan(simd.max(paired, old), &block.scan);
        if CHAINED {
            (*value, carry) = hand_over(simd, *value, carry, block);
        }
    }
}

/// Takes the carry of the previous vector into a scanned one and returns the carry for the next.
#[inline(always)]
fn hand_over<S: Simd>(
    simd: S,
    scanned: S::Vector,
    carry: S::Vector,
    block: &Block<S>,
) -> (S::Vector, S::Vector) {
    let new = simd.max(scanned, simd.and(carry, block.carry));
    if S::FEW_PORTS {
        return (new, simd.last(new));
    }
    // The new carry does not wait for the lanes: from one vector of the chain to the next there
    // are only an "and" and a maximum, and the rest of the work overlaps.
    (new, simd.max(simd.last(scanned), simd.and(carry, block.through)))
}

/// The row of a node on the left path of the key-root: yields subtree values.
#[inline(always)]
fn tree_row<S: Simd>(
    pass: Pass<'_, S>,
    current: &mut [S::Vector],
    row: &mut [S::Vector],
    savings: &[S::Vector],
) {
    let Pass { simd, columns, chunk } = pass;
    if let ([known], &[savings]) = (&mut *row, savings) {
        tree_row_of_one(simd, &columns.blocks[chunk.blocks.clone()], current, known, savings);
        return;
    }
    for run in &columns.runs[chunk.runs.clone()] {
        let cells = &mut current[run.within(chunk)];
        if run.chained {
            tree_run::<S, true>(simd, columns, run, cells, row, savings);
        } else {
            tree_run::<S, false>(simd, columns, run, cells, row, savings);
        }
    }
}

/// The same if all columns are in one vector, without one level waiting for another.
///
/// An outer segment needs the subtree values of the segments inside it, which are prefix maxima of
/// what is paired there and of the row before. The row before is no larger inside than it is outside,
/// where more nodes can be paired. So the scan of the outer segment finds the same maxima in what
/// is paired inside, before that is scanned.
#[inline(always)]
fn tree_row_of_one<S: Simd>(
    simd: S,
    blocks: &[Block<S>],
    current: &mut [S::Vector],
    row: &mut S::Vector,
    savings: S::Vector,
) {
    let mut reached = *row;
    for (block, &old) in blocks.iter().zip(&*current) {
        let paired = simd.add(simd.and(simd.shift(old), block.inside), savings);
        reached = simd.max(simd.and(paired, block.path), reached);
    }
    let mut known = reached;
    for (block, cell) in blocks.iter().zip(current) {
        *cell = simd.scan(simd.max(*cell, reached), &block.scan);
        known = simd.max(simd.and(*cell, block.path), known);
    }
    *row = known;
}

#[inline(always)]
fn tree_run<S: Simd, const CHAINED: bool>(
    simd: S,
    columns: &Columns<S>,
    run: &BlockRun,
    cells: &mut [S::Vector],
    row: &mut [S::Vector],
    savings: &[S::Vector],
) {
    let (mut before, mut carry) = (S::zero(), S::zero());
    let blocks = columns.blocks[run.blocks.clone()].iter();
    let vectors = &columns.vector_of[run.blocks.clone()];
    for ((block, &vector), cell) in blocks.zip(vectors).zip(cells) {
        let old = *cell;
        let diagonal = if CHAINED { simd.shift_in(before, old) } else { simd.shift(old) };
        before = old;
        let known = row[vector as usize];
        let paired = simd.add(simd.and(diagonal, block.inside), savings[vector as usize]);
        let best = simd.max(simd.max(simd.and(paired, block.path), known), old);
        let mut new = simd.scan(best, &block.scan);
        if CHAINED {
            (new, carry) = hand_over(simd, new, carry, block);
        }
        *cell = new;
        row[vector as usize] = simd.max(simd.and(new, block.path), known);
    }
}

/// The row of a leaf off the left path, or of the last node above it that has no other leaf: a forest
/// row that first puts into every lane the value just before its subtree, G[i-1][first(j)-1] if i is
/// the leaf, and keeps these for the ancestors of the leaf.
#[inline(always)]
fn leaf_row<S: Simd, const SCANNED: bool>(
    pass: Pass<'_, S>,
    current: &mut [S::Vector],
    shifted: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &mut [S::Vector],
) {
    let Pass { simd, columns, chunk } = pass;
    if let &[value] = row {
        let blocks = columns.blocks[chunk.blocks.clone()].iter();
        for ((block, cell), apart) in blocks.zip(current).zip(expanded) {
            *apart = simd.pick(*cell, &block.pick);
            let joined = simd.max(simd.add(*apart, value), *cell);
            *cell = if SCANNED { simd.scan(joined, &block.scan) } else { joined };
        }
        return;
    }
    for run in &columns.runs[chunk.runs.clone()] {
        let cells = &mut current[run.within(chunk)];
        let expanded = &mut expanded[run.within(chunk)];
        if run.chained {
            expand_chain(simd, columns, run, cells, shifted, expanded);
            if SCANNED {
                forest_run::<S, true>(simd, columns, run, cells, row, expanded);
            } else {
                join(simd, &columns.vector_of[run.blocks.clone()], cells, row, expanded);
            }
            continue;
        }
        let blocks = columns.blocks[run.blocks.clone()].iter();
        let vectors = &columns.vector_of[run.blocks.clone()];
        let cells = cells.iter_mut().zip(expanded);
        for ((block, &vector), (cell, apart)) in blocks.zip(vectors).zip(cells) {
            *apart = simd.pick(*cell, &block.pick);
            let joined = simd.max(simd.add(*apart, row[vector as usize]), *cell);
            *cell = if SCANNED { simd.scan(joined, &block.scan) } else { joined };
        }
    }
}

/// In a chain, what is before a subtree may be in an earlier block.
#[inline(always)]
fn expand_chain<S: Simd>(
    simd: S,
    columns: &Columns<S>,
    run: &BlockRun,
    cells: &[S::Vector],
    shifted: &mut [S::Vector],
    expanded: &mut [S::Vector],
) {
    let mut before = S::zero();
    let blocks = columns.blocks[run.blocks.clone()].iter();
    let places = shifted.iter_mut().zip(&mut *expanded);
    for ((block, &old), (shifted, apart)) in blocks.zip(cells).zip(places) {
        *shifted = simd.and(simd.shift_in(before, old), block.inside);
        before = old;
        if !S::GATHERS {
            *apart = simd.pick(*shifted, &block.pick);
        }
    }
    if S::GATHERS {
        let gathers = &columns.gathers[run.blocks.clone()];
        for (gather, apart) in gathers.iter().zip(expanded) {
            *apart = simd.gather(S::elements(shifted), gather);
        }
        return;
    }
    let far = &columns.far[run.far.clone()];
    let picked = |value, pick: &FarPick<S>| {
        simd.pick_far(value, &shifted[pick.from as usize], pick.part as usize, &pick.control)
    };
    if far.len() <= run.blocks.len() {
        // One or none for most blocks: a loop that no block ends early is foreseen by the machine.
        for pick in far {
            let apart = &mut expanded[pick.into as usize];
            *apart = picked(*apart, pick);
        }
    } else {
        for picks in far.chunk_by(|a, b| a.into == b.into) {
            let apart = &mut expanded[picks[0].into as usize];
            *apart = picks.iter().fold(*apart, picked);
        }
    }
}

/// The row of any other node of the key-root.
#[inline(always)]
fn forest_row<S: Simd>(
    pass: Pass<'_, S>,
    current: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &[S::Vector],
) {
    let Pass { simd, columns, chunk } = pass;
    if let &[value] = row {
        let blocks = columns.blocks[chunk.blocks.clone()].iter();
        for ((block, cell), &apart) in blocks.zip(current).zip(expanded) {
            *cell = simd.scan(simd.max(simd.add(apart, value), *cell), &block.scan);
        }
        return;
    }
    for run in &columns.runs[chunk.runs.clone()] {
        let cells = &mut current[run.within(chunk)];
        let expanded = &expanded[run.within(chunk)];
        if run.chained {
            forest_run::<S, true>(simd, columns, run, cells, row, expanded);
        } else {
            forest_run::<S, false>(simd, columns, run, cells, row, expanded);
        }
    }
}

/// The same without the prefix maximum: the maximum of two rows can be scanned as well as each of them,
/// so rows are scanned only where the next row moves values between lanes, which those of nodes with
/// children do not.
#[inline(always)]
fn joined_row<S: Simd>(
    pass: Pass<'_, S>,
    current: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &[S::Vector],
) {
    let Pass { simd, columns, chunk } = pass;
    if let &[value] = row {
        for (cell, &apart) in current.iter_mut().zip(expanded) {
            *cell = simd.max(simd.add(apart, value), *cell);
        }
        return;
    }
    join(simd, &columns.vector_of[chunk.blocks.clone()], current, row, expanded);
}

/// Joins what is before each subtree with what the subtree saves.
#[inline(always)]
fn join<S: Simd>(
    simd: S,
    vectors: &[u32],
    cells: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &[S::Vector],
) {
    for ((&vector, cell), &apart) in vectors.iter().zip(cells).zip(expanded) {
        *cell = simd.max(simd.add(apart, row[vector as usize]), *cell);
    }
}

#[inline(always)]
fn forest_run<S: Simd, const CHAINED: bool>(
    simd: S,
    columns: &Columns<S>,
    run: &BlockRun,
    cells: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &[S::Vector],
) {
    let mut carry = S::zero();
    let blocks = columns.blocks[run.blocks.clone()].iter();
    let vectors = &columns.vector_of[run.blocks.clone()];
    let cells = cells.iter_mut().zip(expanded);
    for ((block, &vector), (cell, &apart)) in blocks.zip(vectors).zip(cells) {
        let joined = simd.add(apart, row[vector as usize]);
        let mut new = simd.scan(simd.max(joined, *cell), &block.scan);
        if CHAINED {
            (new, carry) = hand_over(simd, new, carry, block);
        }
        *cell = new;
    }
}
