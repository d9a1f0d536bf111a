//! The plain kernel: the same recursion as [`packed`](super::packed), one cell at a time.
//!
//! It serves machines without the vector instructions, pairs too small or too large for the
//! packed kernel, and it is the twin that the packed kernel is tested against.

use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::simd::Element;
use crate::tree::Oriented;

/// Scratch of one thread; grows to the largest pair seen.
#[derive(Debug, Default)]
pub(crate) struct ScalarBuffers<N> {
    /// Savings of each distinct row label with every column.
    pub(crate) profile: Vec<N>,
    /// Subtree values, row by row.
    pub(crate) table: Vec<N>,
    forest: Vec<N>,
}

impl<N: Element> ScalarBuffers<N> {
    pub(crate) fn bytes_held(&self) -> usize {
        let held = [&self.profile, &self.table, &self.forest];
        held.iter().map(|buffer| buffer.capacity()).sum::<usize>() * size_of::<N>()
    }

    pub(crate) fn reserve(
        &mut self,
        rows: &Oriented,
        labels: usize,
        columns: &Oriented,
        cancel: &Cancel,
    ) -> Result<()> {
        const WHAT: &str = "the dynamic program of one pair of trees";
        let (n, m) = (rows.len(), columns.len());
        memory::grow(WHAT, &mut self.profile, labels * m, N::default(), cancel)?;
        memory::grow(WHAT, &mut self.table, rows.distinct_rows * m, N::default(), cancel)?;
        memory::grow(WHAT, &mut self.forest, (n + 1) * (m + 1), N::default(), cancel)
    }
}

#[inline(always)]
fn greater<N: PartialOrd>(a: N, b: N) -> N {
    if b > a { b } else { a }
}

/// Fills the table of subtree values.
pub(crate) fn fill<N: Element>(
    rows: &Oriented,
    columns: &Oriented,
    buffers: &mut ScalarBuffers<N>,
    cancel: &Cancel,
) -> Result<()> {
    let ScalarBuffers { profile, table, forest } = buffers;
    let m = columns.len();
    let stride = m + 1;
    for &k1 in &rows.fresh {
        let k1 = k1 as usize;
        let first1 = rows.first(k1);
        for &k2 in &columns.keyroots {
            let k2 = k2 as usize;
            let first2 = columns.first(k2);
            // Row `i + 1` of the forest matrix belongs to node `i`; row `first1` is the empty one.
            forest[first1 * stride..][first2..=k2 + 1].fill(N::default());
            for i in first1..=k1 {
                cancel.check()?;
                let first_i = rows.first(i);
                let row = &mut table[rows.row[i] as usize * m..][..m];
                let (above, here) = forest.split_at_mut((i + 1) * stride);
                let previous = &above[i * stride..];
                let current = &mut here[..stride];
                let mut left = N::default();
                current[first2] = left;
                if first_i == first1 {
                    let savings = &profile[rows.label[i] as usize * m..][..m];
                    for j in first2..=k2 {
                        left = greater(left, previous[j + 1]);
                        if columns.first(j) == first2 {
                            left = greater(left, previous[j] + savings[j]);
                            row[j] = left;
                        } else {
                            left = greater(left, row[j]);
                        }
                        current[j + 1] = left;
                    }
                } else {
                    let apart = &above[first_i * stride..][..stride];
                    for j in first2..=k2 {
                        let joined = apart[columns.first(j)] + row[j];
                        left = greater(greater(left, previous[j + 1]), joined);
                        current[j + 1] = left;
                    }
                }
            }
        }
    }
    Ok(())
}
