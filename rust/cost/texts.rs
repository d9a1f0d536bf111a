//! Costs between labels with texts, such as the cells of tables, computed for the labels that meet.
//!
//! A label has a class and a text. Deleting and inserting cost 1. Replacing costs 1 between
//! classes; within a class it costs the edit distance of the texts, as a share of the longer one.
//! The distances are computed row by row, one text against all texts of its class.

use crate::cost::scale::Scale;
use crate::cost::table::CostTable;
use crate::error::{Error, Result};
use crate::parallel::Cancel;
use crate::text::{TextBatch, levenshtein};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Quanta per unit of cost, as a power of two: a float64 counts exactly what pairs save whose
/// smaller tree has 2¹⁶ nodes or fewer, and a cost is rounded by at most 8e-12.
const GRID_BITS: i32 = 36;
/// Tables with more entries are computed row by row, whenever a row is asked for.
const MOST_ENTRIES: usize = if cfg!(test) { 1 << 6 } else { 1 << 23 };

/// Labels with a class and a text each.
#[derive(Debug)]
pub struct TextCosts {
    classes: Vec<u32>,
    tokens: Vec<u32>,
    /// Where the text of each label begins, and at last where the last one ends.
    starts: Vec<usize>,
    scale: Scale,
    /// Quanta per unit of cost.
    unit: f64,
}

/// The classes and texts of a few labels, side by side.
#[derive(Debug)]
pub struct GatheredTexts {
    /// The place of each label among those of its class, and that class by number.
    members: Vec<(u32, u32)>,
    classes: HashMap<u32, u32>,
    texts: Vec<ClassTexts>,
}

/// The texts of one class.
#[derive(Debug)]
struct ClassTexts {
    class: u32,
    places: Vec<u32>,
    texts: Vec<Vec<u32>>,
    /// Made when first asked for: only one side of a table needs it.
    batch: OnceLock<TextBatch>,
}

/// A table that is computed row by row.
#[derive(Debug)]
pub(super) struct TextRows {
    x: Arc<GatheredTexts>,
    y: Arc<GatheredTexts>,
    unit: f64,
}

impl TextCosts {
    /// Takes the class of each label and its text, as tokens `starts[i]..starts[i + 1]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the arrays do not fit each other.
    pub fn new(classes: Vec<u32>, tokens: Vec<u32>, starts: Vec<usize>) -> Result<Self> {
        let in_order = starts.is_sorted() && starts.first() == Some(&0);
        if starts.len() != classes.len() + 1 || !in_order || starts.last() != Some(&tokens.len()) {
            return Err(Error::Invalid(format!(
                "{} starts do not divide {} tokens into {} texts",
                starts.len(),
                tokens.len(),
                classes.len()
            )));
        }
        // Texts of at most one token are equal or not: all costs are 0 or 1, and lanes are narrow.
        let whole = starts.windows(2).all(|ends| ends[1] - ends[0] <= 1);
        let scale = if whole { Scale::Decimal(0) } else { Scale::Binary(-GRID_BITS) };
        let unit = if whole { 1.0 } else { 2f64.powi(GRID_BITS) };
        Ok(Self { classes, tokens, starts, scale, unit })
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.classes.len()
    }

    /// How quanta become costs.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// What deleting or inserting a label costs, in quanta.
    pub fn gap(&self) -> i128 {
        self.unit as i128
    }

    fn text(&self, code: u32) -> &[u32] {
        &self.tokens[self.starts[code as usize]..self.starts[code as usize + 1]]
    }

    /// Puts the texts of some labels side by side.
    pub fn gather(&self, codes: &[u32]) -> GatheredTexts {
        let (mut classes, mut texts) = (HashMap::new(), Vec::<ClassTexts>::new());
        let mut members = Vec::with_capacity(codes.len());
        for (place, &code) in codes.iter().enumerate() {
            let next = texts.len() as u32;
            let class = self.classes[code as usize];
            let number = *classes.entry(class).or_insert(next);
            if number == next {
                let (places, texts_of) = (Vec::new(), Vec::new());
                texts.push(ClassTexts { class, places, texts: texts_of, batch: OnceLock::new() });
            }
            let own = &mut texts[number as usize];
            members.push((number, own.texts.len() as u32));
            own.places.push(place as u32);
            own.texts.push(self.text(code).to_vec());
        }
        GatheredTexts { members, classes, texts }
    }

    /// The costs between two gatherings of labels.
    pub fn table(&self, x: &Arc<GatheredTexts>, y: &Arc<GatheredTexts>) -> CostTable {
        let (n, m) = (x.members.len(), y.members.len());
        if n.saturating_mul(m) > MOST_ENTRIES {
            return self.table_by_rows(x, y);
        }
        let rows = self.rows(x, y);
        let mut savings = vec![0.0; n * m];
        for (row, out) in savings.chunks_exact_mut(m.max(1)).enumerate() {
            rows.fill(row as u32, false, out);
        }
        CostTable::from_savings(savings, self.gaps(x), self.gaps(y), self.scale)
    }

    /// The same without storing anything, for one distance: it needs each row once.
    pub fn table_by_rows(&self, x: &Arc<GatheredTexts>, y: &Arc<GatheredTexts>) -> CostTable {
        CostTable::by_rows(self.rows(x, y), self.gaps(x), self.gaps(y), self.scale)
    }

    fn rows(&self, x: &Arc<GatheredTexts>, y: &Arc<GatheredTexts>) -> TextRows {
        TextRows { x: Arc::clone(x), y: Arc::clone(y), unit: self.unit }
    }

    fn gaps(&self, side: &GatheredTexts) -> Vec<i128> {
        vec![self.gap(); side.members.len()]
    }

    /// The costs of replacing any label by any, row by row, not rounded.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if asked to stop.
    pub fn replace(&self, cancel: &Cancel) -> Result<Vec<f64>> {
        let codes: Vec<u32> = (0..self.labels() as u32).collect();
        let all = Arc::new(self.gather(&codes));
        let rows = self.rows(&all, &all);
        let mut costs = vec![1.0; codes.len() * codes.len()];
        for (row, out) in costs.chunks_exact_mut(codes.len().max(1)).enumerate() {
            cancel.check()?;
            if let Some((others, shares)) = rows.shares(row as u32, false) {
                for (at, &place) in others.places.iter().enumerate() {
                    out[place as usize] = shares[at];
                }
            }
        }
        Ok(costs)
    }

    /// At most the bytes of a label that is gathered, on average.
    pub(crate) fn label_bytes(&self) -> u64 {
        let labels = self.classes.len().max(1) as u64;
        let mut distinct: Vec<_> = self.tokens.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // A word of 64 rows for every token and every 64 tokens of a text.
        let words = self.tokens.len() as u64 / 64 / labels + 2;
        let text = self.tokens.len() as u64 * 12 / labels;
        words * 8 * (distinct.len() as u64 + 2) + text + 96
    }
}

impl ClassTexts {
    fn batch(&self) -> &TextBatch {
        self.batch.get_or_init(|| {
            TextBatch::new(&self.texts.iter().map(|text| &text[..]).collect::<Vec<_>>())
        })
    }
}

impl GatheredTexts {
    /// The class and the text of a label.
    fn label(&self, place: u32) -> (u32, &[u32]) {
        let (number, member) = self.members[place as usize];
        let own = &self.texts[number as usize];
        (own.class, &own.texts[member as usize])
    }
}

impl TextRows {
    /// What pairing a label of x saves with all labels of y; or the other way round.
    #[inline(always)]
    pub(super) fn fill(&self, row: u32, transposed: bool, out: &mut [f64]) {
        // Deleting and inserting cost 2, replacing costs 1 between classes.
        out.fill(self.unit);
        let Some((others, shares)) = self.shares(row, transposed) else { return };
        for (at, &place) in others.places.iter().enumerate() {
            out[place as usize] = 2.0 * self.unit - quanta(shares[at], self.unit);
        }
    }

    /// The labels of the same class, and the share of their texts to edit.
    #[inline(always)]
    fn shares(&self, row: u32, transposed: bool) -> Option<(&ClassTexts, Vec<f64>)> {
        let (rows, columns) = if transposed { (&self.y, &self.x) } else { (&self.x, &self.y) };
        let (class, text) = rows.label(row);
        let others = &columns.texts[*columns.classes.get(&class)? as usize];
        let batch = others.batch();
        let mut distances = vec![0; others.texts.len()];
        batch.distances(text, &mut distances);
        let (lengths, length) = (&batch.lengths()[..distances.len()], text.len() as u32);
        let mut shares = vec![0.0; distances.len()];
        for at in 0..distances.len() {
            shares[at] = share(distances[at], lengths[at].max(length));
        }
        Some((others, shares))
    }

    /// What pairing a label of x with one of y saves.
    pub(super) fn saving(&self, row: u32, column: u32) -> f64 {
        let ((a, text), (b, other)) = (self.x.label(row), self.y.label(column));
        if a != b {
            return self.unit;
        }
        let longer = text.len().max(other.len()) as u32;
        if text == other {
            return 2.0 * self.unit;
        }
        2.0 * self.unit - quanta(share(levenshtein(text, other), longer), self.unit)
    }
}

/// A distance as a share of the longer text.
#[inline(always)]
fn share(distance: u32, longer: u32) -> f64 {
    f64::from(distance) / f64::from(longer.max(1))
}

/// A cost in whole quanta.
#[inline(always)]
fn quanta(cost: f64, unit: f64) -> f64 {
    // Beside 2^52 there is no room for fractions.
    const NO_FRACTIONS: f64 = (1u64 << 52) as f64;
    (cost * unit + NO_FRACTIONS) - NO_FRACTIONS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels() -> impl Strategy<Value = Vec<(u32, Vec<u32>)>> {
        let text = proptest::collection::vec(97u32..100, 0..20);
        proptest::collection::vec((0u32..3, text), 1..14)
    }

    fn costs_of(labels: &[(u32, Vec<u32>)]) -> TextCosts {
        let mut starts = vec![0];
        let mut tokens = Vec::new();
        for (_, text) in labels {
            tokens.extend(text);
            starts.push(tokens.len());
        }
        TextCosts::new(labels.iter().map(|label| label.0).collect(), tokens, starts).unwrap()
    }

    proptest! {
        /// Entries, whole rows of both sides and single savings agree with the definition, however
        /// large the table is.
        #[test]
        fn tables_have_the_costs_of_the_definition(labels in labels()) {
            let costs = costs_of(&labels);
            let codes: Vec<u32> = (0..labels.len() as u32).collect();
            let all = Arc::new(costs.gather(&codes));
            let table = costs.table(&all, &all);
            let (mut row, mut column) = (vec![0.0; codes.len()], vec![0.0; codes.len()]);
            for &a in &codes {
                table.fill_row(a, false, &mut row);
                table.fill_row(a, true, &mut column);
                for &b in &codes {
                    let ((p, s), (q, t)) = (&labels[a as usize], &labels[b as usize]);
                    let longer = s.len().max(t.len());
                    let expected = match () {
                        () if p != q => 1.0,
                        () if longer == 0 => 0.0,
                        () => f64::from(levenshtein(s, t)) / longer as f64,
                    };
                    let found = costs.scale().to_cost(2 * costs.gap() - table.raw_saving(a, b));
                    prop_assert!((found - expected).abs() < 1e-11);
                    prop_assert_eq!(table.units(a, b), row[b as usize]);
                    prop_assert_eq!(table.units(b, a), column[b as usize]);
                    prop_assert_eq!(table.saving(a, b), table.saving(b, a));
                }
                prop_assert_eq!(table.raw_saving(a, a), 2 * costs.gap());
            }
        }
    }

    #[test]
    fn costs_of_single_tokens_are_whole() {
        assert_eq!(costs_of(&[(0, vec![]), (0, vec![7])]).scale(), Scale::Decimal(0));
        assert_eq!(costs_of(&[(0, vec![7, 7])]).scale(), Scale::Binary(-GRID_BITS));
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        for starts in [vec![], vec![0], vec![0, 2], vec![1, 1], vec![0, 1, 1]] {
            assert!(TextCosts::new(vec![0], vec![5], starts).is_err());
        }
    }
}
