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
//! of the leaf on its path (one entry per level of nested key-roots).

use crate::distance::columns::{Chunk, Columns};
use crate::distance::simd::Simd;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::Oriented;

/// Rows between two looks at the cancel flag.
const ROWS_PER_CHECK: usize = 64;

/// Scratch of one thread; grows to the largest pair seen.
#[derive(Debug)]
pub(crate) struct Buffers<S: Simd> {
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
}

impl<S: Simd> Default for Buffers<S> {
    fn default() -> Self {
        Self {
            table: Vec::new(),
            profile: Vec::new(),
            current: Vec::new(),
            shifted: Vec::new(),
            expanded: Vec::new(),
        }
    }
}

impl<S: Simd> Buffers<S> {
    /// Makes room for these rows and columns.
    pub(crate) fn reserve(
        &mut self,
        rows: &Oriented,
        labels: usize,
        columns: &Columns<S>,
    ) -> Result<()> {
        const WHAT: &str = "the dynamic programme of one pair of trees";
        let (table, row, stack) = columns.scratch_vectors(rows);
        memory::grow(WHAT, &mut self.table, table, S::zero())?;
        memory::grow(WHAT, &mut self.profile, labels * columns.vectors, S::zero())?;
        memory::grow(WHAT, &mut self.current, row, S::zero())?;
        memory::grow(WHAT, &mut self.shifted, row, S::zero())?;
        memory::grow(WHAT, &mut self.expanded, stack, S::zero())
    }

    pub(crate) fn bytes_held(&self) -> usize {
        let held = [&self.table, &self.profile, &self.current, &self.shifted, &self.expanded];
        held.iter().map(|buffer| buffer.capacity()).sum::<usize>() * size_of::<S::Vector>()
    }

    /// The saving of the whole row tree against the column subtree that ends in `lane`.
    pub(crate) fn saving(&self, rows: &Oriented, columns: &Columns<S>, lane: usize) -> S::Elem {
        let root = rows.row[rows.len() - 1] as usize;
        let row = &self.table[root * columns.vectors..][..columns.vectors];
        S::elements(row)[lane]
    }
}

/// One row tree against prepared columns, with buffers reserved and the profile filled.
#[derive(Debug)]
pub(crate) struct Job<'a, S: Simd> {
    pub(crate) rows: &'a Oriented,
    pub(crate) columns: &'a Columns<S>,
    pub(crate) buffers: &'a mut Buffers<S>,
}

/// Fills the table of subtree values.
#[inline(always)]
pub(crate) fn fill<S: Simd>(simd: S, job: Job<'_, S>, cancel: &Cancel) -> Result<()> {
    let Job { rows, columns, buffers } = job;
    let Buffers { table, profile, current, shifted, expanded } = buffers;
    let vectors = columns.vectors;
    let savings_of = |i: usize| &profile[rows.label[i] as usize * vectors..][..vectors];
    for &keyroot in &rows.fresh {
        let keyroot = keyroot as usize;
        let first = rows.first(keyroot);
        for i in first..=keyroot {
            if rows.first(i) == first {
                begin_tree_row(simd, rows, i, savings_of(i), table, vectors);
            }
        }
        let inner = rows.depth[keyroot] + 1;
        for chunk in &columns.chunks {
            let width = chunk.blocks.len();
            let current = &mut current[..width];
            current.fill(S::zero());
            for i in first..=keyroot {
                if i % ROWS_PER_CHECK == 0 {
                    cancel.check()?;
                }
                let row = &mut table[rows.row[i] as usize * vectors..][..vectors];
                if rows.first(i) == first {
                    tree_row(simd, columns, chunk, current, row, savings_of(i));
                    continue;
                }
                let level = (rows.depth[i] - inner) as usize;
                let expanded = &mut expanded[level * width..][..width];
                if rows.size[i] == 1 {
                    expand_row(simd, columns, chunk, current, &mut shifted[..width], expanded);
                }
                forest_row(simd, columns, chunk, current, row, expanded);
            }
        }
    }
    Ok(())
}

/// Starts the subtree values of node `i` with what is known to be reachable: the node itself
/// paired, or everything inside one child. For columns that are leaves this is the final value.
#[inline(always)]
fn begin_tree_row<S: Simd>(
    simd: S,
    rows: &Oriented,
    i: usize,
    savings: &[S::Vector],
    table: &mut [S::Vector],
    vectors: usize,
) {
    let (before, row) = table.split_at_mut(i * vectors);
    let row = &mut row[..vectors];
    row.copy_from_slice(savings);
    for child in rows.children(i) {
        let child = &before[rows.row[child] as usize * vectors..][..vectors];
        for (value, &below) in row.iter_mut().zip(child) {
            *value = simd.max(*value, below);
        }
    }
}

#[inline(always)]
fn tree_row<S: Simd>(
    simd: S,
    columns: &Columns<S>,
    chunk: &Chunk,
    current: &mut [S::Vector],
    row: &mut [S::Vector],
    savings: &[S::Vector],
) {
    let mut before = S::zero();
    let mut carry = S::zero();
    for run in &columns.runs[chunk.runs.clone()] {
        let range = run.blocks.start - chunk.blocks.start..run.blocks.end - chunk.blocks.start;
        let blocks = columns.blocks[run.blocks.clone()].iter();
        let vectors = &columns.vector_of[run.blocks.clone()];
        for ((block, &vector), cell) in blocks.zip(vectors).zip(&mut current[range]) {
            let old = *cell;
            let diagonal = if run.chained { simd.shift_in(before, old) } else { simd.shift(old) };
            before = old;
            let known = row[vector as usize];
            let paired = simd.add(simd.and(diagonal, block.inside), savings[vector as usize]);
            let best = simd.max(simd.max(simd.and(paired, block.path), known), old);
            let mut new = simd.scan(best, &block.scan);
            if run.chained {
                new = simd.max(new, simd.and(carry, block.carry));
                carry = simd.last(new);
            }
            *cell = new;
            row[vector as usize] = simd.max(simd.and(new, block.path), known);
        }
    }
}

/// Puts into every lane the value just before its subtree, G[i-1][first(j)-1].
#[inline(always)]
fn expand_row<S: Simd>(
    simd: S,
    columns: &Columns<S>,
    chunk: &Chunk,
    current: &[S::Vector],
    shifted: &mut [S::Vector],
    expanded: &mut [S::Vector],
) {
    let offset = chunk.blocks.start;
    let mut before = S::zero();
    for run in &columns.runs[chunk.runs.clone()] {
        let range = run.blocks.start - offset..run.blocks.end - offset;
        if !run.chained {
            let blocks = columns.blocks[run.blocks.clone()].iter();
            let cells = current[range.clone()].iter().zip(&mut expanded[range]);
            for (block, (&old, out)) in blocks.zip(cells) {
                *out = simd.pick(old, &block.pick);
            }
            continue;
        }
        for b in run.blocks.clone() {
            let block = &columns.blocks[b];
            let old = current[b - offset];
            let diagonal = simd.and(simd.shift_in(before, old), block.inside);
            before = old;
            shifted[b - offset] = diagonal;
            let mut value = simd.pick(diagonal, &block.pick);
            let far = columns.far_start[b] as usize..columns.far_start[b + 1] as usize;
            for pick in &columns.far[far] {
                let from = &shifted[pick.block as usize - offset];
                value = simd.pick_half(value, from, pick.upper, pick.control);
            }
            expanded[b - offset] = value;
        }
    }
}

#[inline(always)]
fn forest_row<S: Simd>(
    simd: S,
    columns: &Columns<S>,
    chunk: &Chunk,
    current: &mut [S::Vector],
    row: &[S::Vector],
    expanded: &[S::Vector],
) {
    let mut carry = S::zero();
    for run in &columns.runs[chunk.runs.clone()] {
        let range = run.blocks.start - chunk.blocks.start..run.blocks.end - chunk.blocks.start;
        let blocks = columns.blocks[run.blocks.clone()].iter();
        let vectors = &columns.vector_of[run.blocks.clone()];
        let cells = current[range.clone()].iter_mut().zip(&expanded[range]);
        for ((block, &vector), (cell, &apart)) in blocks.zip(vectors).zip(cells) {
            let joined = simd.add(apart, row[vector as usize]);
            let mut new = simd.scan(simd.max(joined, *cell), &block.scan);
            if run.chained {
                new = simd.max(new, simd.and(carry, block.carry));
                carry = simd.last(new);
            }
            *cell = new;
        }
    }
}
