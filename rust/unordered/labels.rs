//! What pairing two labels saves, row by row.

use crate::pair::Costs;
use crate::unordered::dag::{Dag, NO_LABEL};
use crate::unordered::quantum::Quantum;

/// Tables of labels up to this many entries are computed once; rows of larger ones when needed.
const MOST_KEPT: usize = 1 << 16;

/// The savings of the labels of one side with those of the other, at least 0.
#[derive(Debug, Default)]
pub(super) struct LabelSavings<Q> {
    values: Vec<Q>,
    columns: usize,
    /// Whether all rows are kept.
    kept: bool,
}

impl<Q: Quantum> LabelSavings<Q> {
    pub(super) fn prepare(&mut self, x: &Dag, y: &Dag, costs: Costs<'_>) {
        self.columns = y.codes.len();
        self.kept = x.codes.len().saturating_mul(self.columns) <= MOST_KEPT;
        self.values.clear();
        if self.kept {
            for &from in &x.codes {
                self.values.extend(y.codes.iter().map(|&to| saving::<Q>(costs, from, to)));
            }
        }
    }

    /// The savings of a label of the first side with all labels of the second.
    pub(super) fn row(&mut self, x: &Dag, label: u32, y: &Dag, costs: Costs<'_>) -> &[Q] {
        if self.kept {
            return &self.values[label as usize * self.columns..][..self.columns];
        }
        let from = x.codes[label as usize];
        self.values.clear();
        self.values.extend(y.codes.iter().map(|&to| saving::<Q>(costs, from, to)));
        &self.values
    }
}

#[inline(always)]
fn saving<Q: Quantum>(costs: Costs<'_>, from: u32, to: u32) -> Q {
    if from == NO_LABEL || to == NO_LABEL {
        return Q::default();
    }
    Q::from_wide(costs.raw_saving(from, to).max(0))
}
