//! The savings of every distinct row label with every column: all that kernels see of costs.

use crate::distance::engine::{Operand, Pricing};
use crate::distance::simd::Element;
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

/// Fills the profile: a row of `stride` entries per distinct label of the rows, of which the
/// first `codes.len()` are columns and the rest padding. With `transposed`, the rows are the
/// target of the edit and the columns its source.
pub(crate) fn fill<E: Element>(
    pricing: Pricing<'_>,
    transposed: bool,
    rows: &Operand<'_>,
    codes: &[u32],
    stride: usize,
    profile: &mut [E],
) {
    let labels = rows.tree.labels();
    for (&label, out) in labels.iter().zip(profile.chunks_exact_mut(stride)) {
        fill_row(pricing, transposed, rows.code(label), codes, out);
    }
    profile[labels.len() * stride..][..stride].fill(E::default());
}

/// Fills one row of the profile, that of a label with this code.
pub(crate) fn fill_row<E: Element>(
    pricing: Pricing<'_>,
    transposed: bool,
    row: u32,
    codes: &[u32],
    out: &mut [E],
) {
    let zero = E::default();
    if row == VIRTUAL {
        out.fill(zero);
        return;
    }
    let (out, padding) = out.split_at_mut(codes.len());
    padding.fill(zero);
    match pricing {
        Pricing::Unit => {
            // Replacing costs 1 of the 2 that deleting and inserting cost; keeping, nothing.
            let (one, two) = (E::of(1.0), E::of(2.0));
            for (saving, &code) in out.iter_mut().zip(codes) {
                let other = if code == VIRTUAL { zero } else { one };
                *saving = if code == row { two } else { other };
            }
        }
        Pricing::Table(table) => {
            for (saving, &code) in out.iter_mut().zip(codes) {
                *saving = match (code, transposed) {
                    (VIRTUAL, _) => zero,
                    (_, false) => E::saving(table, row, code),
                    (_, true) => E::saving(table, code, row),
                };
            }
        }
    }
}
