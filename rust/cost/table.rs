//! Replacement, deletion and insertion costs of two alphabets, in quanta.

use crate::cost::Scale;
use crate::cost::texts::TextRows;
use crate::error::{Error, Result};

/// Largest cost that is accepted, so that no sum can overflow.
const LARGEST_COST: f64 = 1e200;

/// A prepared cost function between the labels of the rows and those of the columns.
#[derive(Debug)]
pub struct CostTable {
    columns: usize,
    /// `delete + insert - replace`, row by row, whole numbers of quanta; empty if they are wide, or
    /// too many.
    savings: Vec<f64>,
    /// Where these come from if they are too many.
    rows: Option<TextRows>,
    /// The same for wide scales only.
    wide_savings: Vec<i128>,
    largest_saving: i128,
    delete: Vec<i128>,
    insert: Vec<i128>,
    scale: Scale,
    symmetric: bool,
}

impl CostTable {
    /// Prepares the costs of replacing row labels by column labels, of deleting row labels and of
    /// inserting column labels. `replace` is row-major.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a wrong shape or for costs that are negative, not finite or too
    /// large; the caller checks entries first and knows their labels, this is the last line.
    pub fn new(replace: &[f64], delete: &[f64], insert: &[f64]) -> Result<Self> {
        let (rows, columns) = (delete.len(), insert.len());
        if replace.len() != rows * columns {
            return Err(Error::Invalid(format!(
                "replace must have {rows} x {columns} entries; got {}",
                replace.len()
            )));
        }
        let all = || replace.iter().chain(delete).chain(insert).copied();
        if let Some(bad) = all().find(|&c| !(0.0..=LARGEST_COST).contains(&c)) {
            return Err(Error::Invalid(format!(
                "costs must be finite, not negative and at most {LARGEST_COST:e}; got {bad:e}"
            )));
        }
        let largest = all().fold(0.0, f64::max);
        if largest != 0.0 && largest < 1.0 / LARGEST_COST {
            return Err(Error::Invalid(format!(
                "the largest cost must be 0 or at least {:e}; got {largest:e}",
                1.0 / LARGEST_COST
            )));
        }
        let scale = Scale::of(&all().collect::<Vec<_>>());
        let quanta = |costs: &[f64]| costs.iter().map(|&c| scale.quanta(c)).collect::<Vec<_>>();
        let (replaced, deleted, inserted) = (quanta(replace), quanta(delete), quanta(insert));
        let symmetric = rows == columns
            && deleted == inserted
            && (0..rows)
                .all(|a| (0..a).all(|b| replaced[a * columns + b] == replaced[b * columns + a]));
        let saving = |cell: usize| {
            let (a, b) = (cell / columns, cell % columns);
            deleted[a] + inserted[b] - replaced[cell]
        };
        let (mut savings, mut wide_savings) = (Vec::new(), Vec::new());
        if scale.is_wide() {
            wide_savings.extend((0..rows * columns).map(saving));
        } else {
            savings.extend((0..rows * columns).map(|cell| saving(cell) as f64));
        }
        let largest_saving = (0..rows * columns).map(saving).fold(0, i128::max);
        Ok(Self {
            columns,
            savings,
            rows: None,
            wide_savings,
            largest_saving,
            delete: deleted,
            insert: inserted,
            scale,
            symmetric,
        })
    }

    /// From what pairing saves, row by row, and what deleting and inserting costs, all in quanta
    /// that a float64 can count.
    pub(crate) fn from_savings(
        savings: Vec<f64>,
        delete: Vec<i128>,
        insert: Vec<i128>,
        scale: Scale,
    ) -> Self {
        Self {
            columns: insert.len(),
            largest_saving: savings.iter().copied().fold(0.0, f64::max) as i128,
            savings,
            rows: None,
            wide_savings: Vec::new(),
            delete,
            insert,
            scale,
            symmetric: false,
        }
    }

    /// The same for savings that are computed row by row, and are at most the largest costs of
    /// deleting and of inserting together.
    pub(super) fn by_rows(
        rows: TextRows,
        delete: Vec<i128>,
        insert: Vec<i128>,
        scale: Scale,
    ) -> Self {
        let largest = |gaps: &[i128]| gaps.iter().copied().max().unwrap_or(0);
        Self {
            columns: insert.len(),
            largest_saving: largest(&delete) + largest(&insert),
            savings: Vec::new(),
            rows: Some(rows),
            wide_savings: Vec::new(),
            delete,
            insert,
            scale,
            symmetric: false,
        }
    }

    /// Number of row labels and of column labels.
    pub fn shape(&self) -> (usize, usize) {
        (self.delete.len(), self.columns)
    }

    /// Whether the two alphabets have one length and exchanging them changes nothing.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// How quanta become costs again.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether savings outgrow a float64; see [`Scale::Wide`].
    pub fn is_wide(&self) -> bool {
        self.scale.is_wide()
    }

    /// What pairing saves over deleting and inserting, at least 0: who does not gain need not
    /// pair. Not for wide tables.
    #[inline(always)]
    pub(crate) fn saving(&self, row: u32, column: u32) -> f64 {
        match &self.rows {
            None => self.savings[row as usize * self.columns + column as usize].max(0.0),
            Some(rows) => rows.saving(row, column).max(0.0),
        }
    }

    /// Whether a whole row of savings takes less time than its entries one by one.
    pub(crate) fn is_by_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// The savings of a row label with all column labels, at least 0; if transposed, those of a
    /// column label with all row labels. Not for wide tables.
    #[inline(always)]
    pub(crate) fn fill_row(&self, label: u32, transposed: bool, out: &mut [f64]) {
        if let Some(rows) = &self.rows {
            rows.fill(label, transposed, out);
            return;
        }
        for (other, out) in out.iter_mut().enumerate() {
            let (row, column) =
                if transposed { (other as u32, label) } else { (label, other as u32) };
            *out = self.saving(row, column);
        }
    }

    /// The same for any table, negative where pairing loses.
    #[inline(always)]
    pub(crate) fn raw_saving(&self, row: u32, column: u32) -> i128 {
        let cell = row as usize * self.columns + column as usize;
        match &self.rows {
            _ if self.is_wide() => self.wide_savings[cell],
            None => self.savings[cell] as i128,
            Some(rows) => rows.saving(row, column) as i128,
        }
    }

    /// The largest saving of all pairs of labels, at least 0.
    pub(crate) fn largest_saving(&self) -> i128 {
        self.largest_saving
    }

    pub(crate) fn delete(&self, row: u32) -> i128 {
        self.delete[row as usize]
    }

    pub(crate) fn insert(&self, column: u32) -> i128 {
        self.insert[column as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_never_negative() {
        let table = CostTable::new(&[5.0, 0.5], &[1.0], &[1.0, 1.0]).unwrap();
        assert_eq!((table.saving(0, 0), table.saving(0, 1)), (0.0, 15.0));
        assert_eq!(table.raw_saving(0, 0), -30);
        assert_eq!(table.largest_saving(), 15);
        assert_eq!(table.scale(), Scale::Decimal(1));
        assert_eq!(table.shape(), (1, 2));
    }

    #[test]
    fn symmetry_is_seen() {
        let symmetric =
            |r: &[f64], d: &[f64], i: &[f64]| CostTable::new(r, d, i).unwrap().is_symmetric();
        assert!(symmetric(&[0.0, 2.0, 2.0, 0.0], &[1.0, 3.0], &[1.0, 3.0]));
        assert!(!symmetric(&[0.0, 2.0, 1.0, 0.0], &[1.0, 3.0], &[1.0, 3.0]));
        assert!(!symmetric(&[0.0, 2.0, 2.0, 0.0], &[1.0, 3.0], &[1.0, 2.0]));
        assert!(!symmetric(&[0.0, 2.0], &[1.0], &[1.0, 2.0]));
    }

    #[test]
    fn bad_costs_are_refused_with_their_value() {
        for (bad, part) in [(-1.0, "-1e0"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (1e300, "e")]
        {
            let error = CostTable::new(&[bad], &[1.0], &[1.0]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(CostTable::new(&[1e-300], &[0.0], &[0.0]).is_err());
        assert!(CostTable::new(&[1.0, 2.0], &[1.0], &[1.0]).is_err());
    }
}
