//! What pairing the label of a row with those of all columns saves.

use crate::pair::Costs;
use crate::unordered::dag::{NO_LABEL, Subtrees};
use crate::unordered::quantum::Quantum;

/// Up to this many savings are computed once for all labels of the rows; otherwise row by row.
const MOST_KEPT: usize = 1 << 17;

/// The savings of labels of the rows with all columns, at least 0, in the units of the costs.
#[derive(Debug, Default)]
pub(super) struct LabelSavings<Q> {
    values: Vec<Q>,
    /// The code of every column.
    columns: Vec<u32>,
    /// The columns without a label: nobody, and virtual roots.
    nameless: Vec<u32>,
    /// Whether the rows of all labels are kept.
    kept: bool,
    /// Otherwise, the label of the row that is kept.
    label: Option<u32>,
}

impl<Q: Quantum> LabelSavings<Q> {
    pub(super) fn prepare(&mut self, x: Subtrees<'_>, y: Subtrees<'_>, costs: Costs<'_>) {
        self.columns.clear();
        self.columns.extend(y.dag.label.iter().map(|&label| y.codes[label as usize]));
        // Nobody is no label.
        self.columns[0] = NO_LABEL;
        let nameless = self.columns.iter().zip(0..).filter(|column| *column.0 == NO_LABEL);
        self.nameless.clear();
        self.nameless.extend(nameless.map(|column| column.1));
        // Comparing codes is as fast as reading what is kept.
        self.kept = costs.operations().is_none()
            && x.codes.len().saturating_mul(self.columns.len()) <= MOST_KEPT;
        self.label = None;
        self.values.clear();
        if self.kept {
            for &from in x.codes {
                self.add_row(from, costs);
            }
        }
    }

    /// The savings of a label of the rows with all columns.
    pub(super) fn row(&mut self, x: Subtrees<'_>, label: u32, costs: Costs<'_>) -> &[Q] {
        let width = self.columns.len();
        if self.kept {
            return &self.values[label as usize * width..][..width];
        }
        if self.label != Some(label) {
            self.values.clear();
            self.add_row(x.codes[label as usize], costs);
            self.label = Some(label);
        }
        &self.values
    }

    fn add_row(&mut self, from: u32, costs: Costs<'_>) {
        let zero = Q::default();
        if from == NO_LABEL {
            self.values.resize(self.values.len() + self.columns.len(), zero);
            return;
        }
        if let Some(operations) = costs.operations() {
            let (equal, other) = operations.savings();
            let (equal, other) = (Q::from_wide(equal), Q::from_wide(other));
            let start = self.values.len();
            self.values.resize(start + self.columns.len(), other);
            let row = &mut self.values[start..];
            for (value, &to) in row.iter_mut().zip(&self.columns) {
                *value = if to == from { equal } else { other };
            }
            for &column in &self.nameless {
                row[column as usize] = zero;
            }
            return;
        }
        let saving = |&to: &u32| match to {
            NO_LABEL => zero,
            _ => Q::from_wide(costs.raw_saving(from, to).max(0) / costs.unit()),
        };
        self.values.extend(self.columns.iter().map(saving));
    }
}
