//! The savings of every distinct row label with every column: all that kernels see of costs.

use crate::pair::{Costs, Operand};
use crate::simd::{Element, Simd, Vectorized};
use crate::tree::Oriented;

/// Label code of a virtual root.
pub(crate) const VIRTUAL: u32 = u32::MAX;

/// Codes that are compared at a time.
const TOGETHER: usize = 16;

/// Appends codes to those of all columns, so that they are compared without a rest where the lanes
/// of a row are as many.
pub(crate) fn pad_codes(codes: &mut Vec<u32>) {
    codes.resize(codes.len().next_multiple_of(TOGETHER), VIRTUAL);
}

/// Appends the label codes of a column tree, in postorder.
pub(crate) fn append_codes(operand: &Operand<'_>, tree: &Oriented, codes: &mut Vec<u32>) {
    let labels = operand.tree.labels();
    codes.extend(tree.label.iter().map(|&label| match labels.get(label as usize) {
        Some(&code) => operand.code(code),
        None => VIRTUAL,
    }));
}

/// Number of profile rows: the distinct labels, and one for a virtual root.
pub(crate) fn height(rows: &Operand<'_>) -> usize {
    rows.tree.labels().len() + 1
}

/// What savings are taken from: costs, and the label codes of all columns, which those of virtual
/// roots may follow. With `transposed`, the rows are the target of the edit and the columns its source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) costs: Costs<'a>,
    pub(crate) transposed: bool,
    pub(crate) codes: &'a [u32],
}

impl Source<'_> {
    /// Fills the profile: a row of `stride` entries per distinct label of the rows: first
    /// the columns, then padding.
    #[inline(always)]
    pub(crate) fn fill<E: Element>(&self, rows: &Operand<'_>, stride: usize, profile: &mut [E]) {
        let labels = rows.tree.labels();
        for (&label, out) in labels.iter().zip(profile.chunks_exact_mut(stride)) {
            self.fill_row(rows.code(label), out);
        }
        profile[labels.len() * stride..][..stride].fill(E::default());
    }

    /// Fills one row of the profile, that of a label with this code. Always inlined, so that
    /// [`FillRow`] does it with the instructions of its lanes.
    #[inline(always)]
    pub(crate) fn fill_row<E: Element>(&self, row: u32, out: &mut [E]) {
        let zero = E::default();
        if row == VIRTUAL {
            out.fill(zero);
            return;
        }
        let codes = &self.codes[..self.codes.len().min(out.len())];
        let (out, padding) = out.split_at_mut(codes.len());
        padding.fill(zero);
        if let Some(costs) = self.costs.operations() {
            let (equal, different) = costs.savings();
            fill_by_equality(row, (E::of(equal), E::of(different)), codes, out);
            return;
        }
        let savings = out.iter_mut().zip(codes);
        let Costs::Table(table) = self.costs else { return };
        if table.is_by_rows() {
            let labels = if self.transposed { table.shape().0 } else { table.shape().1 };
            let mut found = vec![0.0; labels];
            table.fill_row(row, self.transposed, &mut found);
            for (saving, &code) in savings {
                *saving = found.get(code as usize).map_or(zero, |&found| E::of_float(found));
            }
            return;
        }
        for (saving, &code) in savings {
            *saving = match (code, self.transposed) {
                (VIRTUAL, _) => zero,
                (_, false) => E::saving(table, row, code),
                (_, true) => E::saving(table, code, row),
            };
        }
    }
}

/// The savings of equal and of different labels.
#[inline(always)]
fn fill_by_equality<E: Element>(row: u32, savings: (E, E), codes: &[u32], out: &mut [E]) {
    let (codes, last_codes) = codes.as_chunks::<TOGETHER>();
    let (out, last_out) = out.as_chunks_mut::<TOGETHER>();
    for (codes, out) in codes.iter().zip(out) {
        fill_together(row, savings, codes, out);
    }
    fill_together(row, savings, last_codes, last_out);
}

/// The same; for a fixed number of codes these are vector instructions without a loop.
#[inline(always)]
fn fill_together<E: Element>(row: u32, savings: (E, E), codes: &[u32], out: &mut [E]) {
    let (equal, different) = savings;
    for (saving, &code) in out.iter_mut().zip(codes) {
        let other = if code == VIRTUAL { E::default() } else { different };
        *saving = if code == row { equal } else { other };
    }
}

/// Fills one row of a profile, that of a label with this code.
pub(crate) struct FillRow<'a, E> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) row: u32,
    pub(crate) out: &'a mut [E],
}

impl<S: Simd> Vectorized<S> for FillRow<'_, S::Elem> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: S) {
        self.source.fill_row(self.row, self.out);
    }
}

/// Fills the profile of a row tree; see [`Source::fill`].
pub(crate) struct FillProfile<'a, E> {
    pub(crate) source: Source<'a>,
    pub(crate) rows: &'a Operand<'a>,
    pub(crate) stride: usize,
    pub(crate) profile: &'a mut [E],
}

impl<S: Simd> Vectorized<S> for FillProfile<'_, S::Elem> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: S) {
        self.source.fill(self.rows, self.stride, self.profile);
    }
}

/// Savings that are computed when a row of a tree needs them, and forgotten with its key-root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lazy<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) rows: &'a Operand<'a>,
}

impl Lazy<'_> {
    /// Fills the row of a label, given by its index among the distinct labels of the rows.
    #[inline(always)]
    pub(crate) fn fill_row<E: Element>(&self, label: u32, out: &mut [E]) {
        let code = self.rows.tree.labels().get(label as usize);
        self.source.fill_row(code.map_or(VIRTUAL, |&code| self.rows.code(code)), out);
    }
}

/// The nodes of the longest left path: rows of the profile that a key-root needs at a time.
pub(crate) fn longest_path(rows: &Oriented) -> usize {
    let mut lengths = vec![0; rows.len()];
    let mut longest = 0;
    for i in 0..rows.len() {
        let length = &mut lengths[rows.first(i)];
        *length += 1;
        longest = longest.max(*length);
    }
    longest
}
