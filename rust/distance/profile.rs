//! The savings of every distinct row label with every column: all that kernels see of costs.

use crate::pair::{Costs, Operand};
use crate::simd::{Element, Simd, Vectorized};
use crate::tree::Oriented;

/// Label code of a virtual root.
pub(crate) const VIRTUAL: u32 = u32::MAX;

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

/// What savings are taken from: costs, and the label codes of all columns. With `transposed`, the
/// rows are the target of the edit and the columns its source.
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
        let (out, padding) = out.split_at_mut(self.codes.len());
        padding.fill(zero);
        let savings = out.iter_mut().zip(self.codes);
        if let Costs::Table(table) = self.costs {
            for (saving, &code) in savings {
                *saving = match (code, self.transposed) {
                    (VIRTUAL, _) => zero,
                    (_, false) => E::saving(table, row, code),
                    (_, true) => E::saving(table, code, row),
                };
            }
        } else if let Some(costs) = self.costs.operations() {
            let (equal, different) = costs.savings();
            let (equal, different) = (E::of(equal), E::of(different));
            for (saving, &code) in savings {
                let other = if code == VIRTUAL { zero } else { different };
                *saving = if code == row { equal } else { other };
            }
        }
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
