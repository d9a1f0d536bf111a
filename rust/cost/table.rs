//! Replacement, deletion and insertion costs of two alphabets, in quanta.

use crate::cost::Scale;
use crate::cost::scale::{CHUNK, Survey, rounded, whole_number};
use crate::cost::texts::TextRows;
use crate::cost::units::into_units;
use crate::error::{Error, Result};
use std::sync::OnceLock;

/// Largest cost that is accepted, so that no sum can overflow.
const LARGEST_COST: f64 = 1e200;
/// How many times the largest deletion or insertion a replacement may cost: rounding to the widest
/// grid, 2⁻¹⁰⁰ of the largest cost, then changes them by less than 1e-10 of themselves.
const MOST_APART: f64 = 1e20;
/// What a pair saves that is never made: below every saving, and far from overflow.
pub(crate) const NEVER: i128 = i128::MIN / 4;
/// Lanes that numbers are compared in.
const LANES: usize = 8;
/// Savings whose largest is found while they are in a cache.
const ROW_PART: usize = 1024;

/// A prepared cost function between the labels of the rows and those of the columns.
#[derive(Debug)]
pub struct CostTable {
    columns: usize,
    /// `delete + insert - replace`, row by row, whole numbers of units, or minus infinity where
    /// labels are never paired; empty if they are wide, or too many.
    savings: Vec<f64>,
    /// Quanta of a unit: all savings are multiples of it, and kernels count in it, so that their
    /// lanes stay narrow.
    unit: f64,
    /// Where these come from if they are too many.
    rows: Option<TextRows>,
    /// The same for wide scales only, or [`NEVER`].
    wide_savings: Vec<i128>,
    largest_saving: i128,
    /// At least what any edit of finite cost costs, in quanta.
    largest_cost: i128,
    delete: Vec<i128>,
    insert: Vec<i128>,
    scale: Scale,
    /// Looked at when first asked for.
    symmetric: OnceLock<bool>,
}

/// Checks costs and finds what their scale needs. Only replacing may cost infinity.
///
/// # Errors
/// [`Error::Invalid`] states the first cost that is wrong.
pub(super) fn survey(replace: &[f64], delete: &[f64], insert: &[f64]) -> Result<Survey> {
    let mut found = Survey::default();
    for (costs, may_be_infinite) in [(delete, false), (insert, false), (replace, true)] {
        for chunk in costs.chunks(CHUNK) {
            let (right, largest) = right_and_largest(chunk, may_be_infinite);
            if !right {
                let wrong = |cost: &&f64| !right_and_largest(&[**cost], may_be_infinite).0;
                let bad = chunk.iter().find(wrong).copied().unwrap_or(f64::NAN);
                let must = if may_be_infinite { "not negative" } else { "finite, not negative" };
                return Err(Error::Invalid(format!(
                    "costs must be {must} and at most {LARGEST_COST:e}; got {bad:e}"
                )));
            }
            found.add(chunk, largest);
        }
    }
    let largest = found.largest;
    let gap = delete.iter().chain(insert).copied().fold(0.0, f64::max);
    if gap > 0.0 && largest > gap * MOST_APART {
        return Err(Error::Invalid(format!(
            "replacing must cost at most {MOST_APART:e} times as much as the largest deletion or \
             insertion, which costs {gap:e}; got {largest:e}. Use inf for labels that are never paired"
        )));
    }
    if largest != 0.0 && largest < 1.0 / LARGEST_COST {
        return Err(Error::Invalid(format!(
            "the largest cost must be 0 or at least {:e}; got {largest:e}",
            1.0 / LARGEST_COST
        )));
    }
    Ok(found)
}

/// Whether all costs are in range, and the largest finite one; lane by lane, without a branch.
#[inline(always)]
#[allow(clippy::needless_bitwise_bool, clippy::manual_range_contains)] // lazy ones would branch
fn right_and_largest(costs: &[f64], may_be_infinite: bool) -> (bool, f64) {
    let none = if may_be_infinite { f64::INFINITY } else { f64::NAN };
    let (mut right, mut largest) = ([true; LANES], [0.0; LANES]);
    let look = |right: &mut bool, largest: &mut f64, cost: f64| {
        // `NaN` is in no range and equals nothing.
        let finite = (cost >= 0.0) & (cost <= LARGEST_COST);
        *right &= finite | (cost == none);
        let known = if finite { cost } else { 0.0 };
        *largest = if known > *largest { known } else { *largest };
    };
    let mut chunks = costs.chunks_exact(LANES);
    for chunk in &mut chunks {
        for lane in 0..LANES {
            look(&mut right[lane], &mut largest[lane], chunk[lane]);
        }
    }
    for &cost in chunks.remainder() {
        look(&mut right[0], &mut largest[0], cost);
    }
    (right.iter().all(|&right| right), largest.into_iter().fold(0.0, f64::max))
}

impl CostTable {
    /// Prepares the costs of replacing row labels by column labels, of deleting row labels and of
    /// inserting column labels. `replace` is row-major; where it is infinite, labels are never
    /// paired.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a wrong shape or for costs that are negative, too large, or infinite
    /// for deleting or inserting; the caller checks entries first and knows their labels, this is
    /// the last line.
    pub fn new(replace: &[f64], delete: &[f64], insert: &[f64]) -> Result<Self> {
        let (rows, columns) = (delete.len(), insert.len());
        if replace.len() != rows * columns {
            return Err(Error::Invalid(format!(
                "replace must have {rows} x {columns} entries; got {}",
                replace.len()
            )));
        }
        let survey = survey(replace, delete, insert)?;
        let scale = Scale::of(&[delete, insert, replace], &survey);
        let quanta = |costs: &[f64]| costs.iter().map(|&c| scale.quanta(c)).collect::<Vec<_>>();
        let (delete, insert) = (quanta(delete), quanta(insert));
        let (mut savings, mut wide_savings) = (Vec::new(), Vec::new());
        let largest_saving;
        let per_unit = scale.per_unit();
        if scale.is_wide() {
            let mut largest = 0;
            wide_savings.reserve_exact(replace.len());
            for (row, &delete) in replace.chunks_exact(columns.max(1)).zip(&delete) {
                wide_savings.extend(row.iter().zip(&insert).map(|(&replace, &insert)| {
                    let saving = if replace < f64::INFINITY {
                        delete + insert - whole_number(replace * per_unit)
                    } else {
                        NEVER
                    };
                    largest = largest.max(saving);
                    saving
                }));
            }
            largest_saving = largest;
        } else {
            // At most 2^40 quanta each, so all of this is exact.
            let inserts: Vec<_> = insert.iter().map(|&quanta| quanta as f64).collect();
            savings.reserve_exact(replace.len());
            let mut largest = 0;
            for (row, &delete) in replace.chunks_exact(columns.max(1)).zip(&delete) {
                let delete = delete as f64;
                for (row, inserts) in row.chunks(ROW_PART).zip(inserts.chunks(ROW_PART)) {
                    let start = savings.len();
                    savings.extend(
                        row.iter().zip(inserts).map(|(&replace, &insert)| {
                            delete + insert - rounded(replace * per_unit)
                        }),
                    );
                    largest = largest.max(largest_of(&savings[start..]));
                }
            }
            largest_saving = largest;
        }
        let symmetric = OnceLock::new();
        Ok(Self {
            columns,
            unit: into_units(&mut savings),
            savings,
            rows: None,
            wide_savings,
            largest_saving,
            largest_cost: scale.quanta(survey.largest),
            delete,
            insert,
            scale,
            symmetric,
        })
    }

    /// From what pairing saves, row by row, and what deleting and inserting costs, all in quanta
    /// that a float64 can count.
    pub(crate) fn from_savings(
        mut savings: Vec<f64>,
        delete: Vec<i128>,
        insert: Vec<i128>,
        scale: Scale,
    ) -> Self {
        let largest_saving = largest_of(&savings);
        let gaps = largest_number(&delete) + largest_number(&insert);
        Self {
            columns: insert.len(),
            largest_saving,
            // Replacing may cost more than deleting and inserting.
            largest_cost: gaps - least_of(&savings).min(0),
            unit: into_units(&mut savings),
            savings,
            rows: None,
            wide_savings: Vec::new(),
            delete,
            insert,
            scale,
            symmetric: OnceLock::from(false),
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
        let most = largest_number(&delete) + largest_number(&insert);
        Self {
            columns: insert.len(),
            largest_saving: most,
            largest_cost: most,
            unit: 1.0,
            savings: Vec::new(),
            rows: Some(rows),
            wide_savings: Vec::new(),
            delete,
            insert,
            scale,
            symmetric: OnceLock::from(false),
        }
    }

    /// Number of row labels and of column labels.
    pub fn shape(&self) -> (usize, usize) {
        (self.delete.len(), self.columns)
    }

    /// Whether the two alphabets have one length and exchanging them changes nothing.
    pub fn is_symmetric(&self) -> bool {
        *self.symmetric.get_or_init(|| {
            self.delete == self.insert
                && if self.is_wide() {
                    equals_its_transpose(&self.wide_savings, self.columns)
                } else {
                    equals_its_transpose(&self.savings, self.columns)
                }
        })
    }

    /// How quanta become costs again.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether savings outgrow a float64; see [`Scale::Wide`].
    pub fn is_wide(&self) -> bool {
        self.scale.is_wide()
    }

    /// Quanta that pairing saves over deleting and inserting, at least 0: who does not gain need
    /// not pair. Not for wide tables.
    #[inline(always)]
    pub(crate) fn saving(&self, row: u32, column: u32) -> f64 {
        self.units(row, column) * self.unit
    }

    /// The same in units.
    #[inline(always)]
    pub(crate) fn units(&self, row: u32, column: u32) -> f64 {
        match &self.rows {
            None => self.savings[row as usize * self.columns + column as usize].max(0.0),
            Some(rows) => rows.saving(row, column).max(0.0),
        }
    }

    /// Whether a whole row of savings takes less time than its entries one by one.
    pub(crate) fn is_by_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// The savings of a row label with all column labels in units, at least 0; if transposed, those
    /// of a column label with all row labels. Not for wide tables.
    #[inline(always)]
    pub(crate) fn fill_row(&self, label: u32, transposed: bool, out: &mut [f64]) {
        if let Some(rows) = &self.rows {
            rows.fill(label, transposed, out);
            return;
        }
        for (other, out) in out.iter_mut().enumerate() {
            let (row, column) =
                if transposed { (other as u32, label) } else { (label, other as u32) };
            *out = self.units(row, column);
        }
    }

    /// The same for any table, negative where pairing loses, [`NEVER`] where labels are never
    /// paired.
    #[inline(always)]
    pub(crate) fn raw_saving(&self, row: u32, column: u32) -> i128 {
        let cell = row as usize * self.columns + column as usize;
        if self.is_wide() {
            return self.wide_savings[cell];
        }
        let saving = match &self.rows {
            None => self.savings[cell],
            Some(rows) => rows.saving(row, column),
        };
        if saving == f64::NEG_INFINITY { NEVER } else { (saving * self.unit) as i128 }
    }

    /// Quanta of a unit.
    #[inline(always)]
    pub(crate) fn unit(&self) -> i128 {
        self.unit as i128
    }

    /// At least what any edit of finite cost costs, in quanta.
    pub(crate) fn largest_cost(&self) -> i128 {
        self.largest_cost
    }

    /// The largest saving of all pairs of labels, at least 0.
    pub(crate) fn largest_saving(&self) -> i128 {
        self.largest_saving
    }

    /// The largest cost of deleting a row label or inserting a column label; 0 without labels.
    pub(crate) fn largest_gap(&self) -> i128 {
        largest_number(&self.delete).max(largest_number(&self.insert))
    }

    pub(crate) fn delete(&self, row: u32) -> i128 {
        self.delete[row as usize]
    }

    pub(crate) fn insert(&self, column: u32) -> i128 {
        self.insert[column as usize]
    }
}

fn largest_number(numbers: &[i128]) -> i128 {
    numbers.iter().copied().max().unwrap_or(0)
}

/// The least finite number of quanta; 0 if there is none.
fn least_of(savings: &[f64]) -> i128 {
    savings.iter().copied().filter(|saving| saving.is_finite()).fold(0.0, f64::min) as i128
}

/// The largest number of quanta, at least 0.
fn largest_of(savings: &[f64]) -> i128 {
    let mut lanes = [0.0; LANES];
    let mut chunks = savings.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (most, &saving) in lanes.iter_mut().zip(chunk) {
            *most = if saving > *most { saving } else { *most };
        }
    }
    lanes.iter().chain(chunks.remainder()).copied().fold(0.0, f64::max) as i128
}

/// Whether a square table is symmetric; block by block, so that both halves stay in a cache.
fn equals_its_transpose<T: PartialEq>(table: &[T], side: usize) -> bool {
    let blocks = || (0..side).step_by(CHUNK).map(|start| start..side.min(start + CHUNK));
    blocks().all(|rows| {
        blocks().take_while(|columns| columns.start <= rows.start).all(|columns| {
            rows.clone()
                .all(|a| columns.clone().all(|b| table[a * side + b] == table[b * side + a]))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Short decimals, others, small ones and infinity.
    fn any_cost() -> impl Strategy<Value = f64> {
        prop_oneof![
            8 => (0u16..400).prop_map(|cost| f64::from(cost) / 100.0),
            2 => 0.0..4.0f64,
            1 => Just(f64::INFINITY),
            1 => Just(0.0),
        ]
    }

    proptest! {
        #![proptest_config(crate::naive::cases(500))]

        /// Entry by entry, with the scale of the finite costs.
        #[test]
        fn tables_hold_what_their_definition_says(
            side in (0usize..12, 0usize..12),
            costs in proptest::collection::vec(any_cost(), 144),
            gaps in proptest::collection::vec(0u16..300, 24),
            (fine, small) in (any::<bool>(), any::<bool>()),
        ) {
            let (rows, columns) = side;
            let factor = if fine { 1.0 / 3.0 } else { 1.0 };
            let mut replace: Vec<_> = costs[..rows * columns].iter().map(|c| c * factor).collect();
            if small && !replace.is_empty() {
                replace[0] = 1e-7 / 3.0;
            }
            let gaps: Vec<_> = gaps.iter().map(|&gap| f64::from(gap) / 100.0 * factor).collect();
            let (delete, insert) = (&gaps[..rows], &gaps[12..12 + columns]);
            let table = CostTable::new(&replace, delete, insert).unwrap();
            let finite: Vec<_> = replace.iter().chain(delete).chain(insert).copied()
                .filter(|cost| cost.is_finite()).collect();
            let scale = Scale::of(&[&finite], &survey(&finite, &[], &[]).unwrap());
            prop_assert_eq!(table.scale(), scale);
            let mut largest = 0;
            for a in 0..rows {
                prop_assert_eq!(table.delete(a as u32), scale.quanta(delete[a]));
                for b in 0..columns {
                    let cost = replace[a * columns + b];
                    let saving = if cost == f64::INFINITY { NEVER } else {
                        scale.quanta(delete[a]) + scale.quanta(insert[b]) - scale.quanta(cost)
                    };
                    prop_assert_eq!(table.raw_saving(a as u32, b as u32), saving);
                    prop_assert!(cost.is_infinite() || scale.quanta(cost) <= table.largest_cost());
                    if !scale.is_wide() {
                        prop_assert_eq!(table.saving(a as u32, b as u32), saving.max(0) as f64);
                    }
                    largest = largest.max(saving);
                }
            }
            prop_assert_eq!(table.largest_saving(), largest);
        }

        #[test]
        fn blocks_see_every_entry(side in 0usize..150, a in 0usize..150, b in 0usize..150) {
            let mut table: Vec<_> =
                (0..side * side).map(|cell| (cell / side.max(1)) * (cell % side.max(1))).collect();
            prop_assert!(equals_its_transpose(&table, side));
            if a < side && b < side {
                table[a * side + b] += 1;
                prop_assert_eq!(equals_its_transpose(&table, side), a == b);
            }
        }
    }

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
    fn replacements_that_would_hide_all_else_are_refused() {
        for far in [1e100, 1e200, 1.1e20] {
            let error = CostTable::new(&[far], &[1.0 / 3.0], &[1.0]).unwrap_err().to_string();
            assert!(error.contains("Use inf"), "{error}");
        }
        for near in [1e20, 1e15, f64::INFINITY] {
            let table = CostTable::new(&[near], &[1.0 / 3.0], &[1.0]).unwrap();
            let total = table.scale().to_cost(table.delete(0) + table.insert(0));
            assert!((total - 4.0 / 3.0).abs() < 1e-10, "{total}");
        }
        // Nothing is hidden where deleting and inserting are free.
        assert!(CostTable::new(&[1e100], &[0.0], &[0.0]).is_ok());
    }

    #[test]
    fn bad_costs_are_refused_with_their_value() {
        for (bad, part) in
            [(-1.0, "-1e0"), (f64::NAN, "NaN"), (-f64::INFINITY, "-inf"), (1e300, "e")]
        {
            let error = CostTable::new(&[bad], &[1.0], &[1.0]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        for (delete, insert) in [(f64::INFINITY, 1.0), (1.0, f64::INFINITY)] {
            let error = CostTable::new(&[1.0], &[delete], &[insert]).unwrap_err().to_string();
            assert!(error.contains("finite") && error.contains("inf"), "{error}");
        }
        assert!(CostTable::new(&[1e-300], &[0.0], &[0.0]).is_err());
        assert!(CostTable::new(&[1.0, 2.0], &[1.0], &[1.0]).is_err());
    }
}
