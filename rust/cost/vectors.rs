//! Costs between labels that carry vectors, computed for the labels that meet.
//!
//! A vocabulary has too many labels for a table of all pairs. The labels of a tree, or of a few,
//! are gathered into a small matrix; the product of two such matrices gives a [`CostTable`] of
//! just these labels. All tables of one vocabulary have the same quantum, and every entry is
//! computed in the same way, so distances do not depend on which labels are taken together.

use crate::cost::scale::{Scale, exponent_above};
use crate::cost::table::CostTable;
use crate::error::{Error, Result};
use ndarray::{Array2, ArrayView2, s};

/// Quanta per largest cost, as a power of two.
const GRID_BITS: i32 = 40;
/// The same for cosines in single precision: products have errors of this size.
const SINGLE_BITS: i32 = 24;
/// Rows whose products are computed at a time.
const PRODUCT_ROWS: usize = 256;
/// Below this share of the squared lengths, a squared distance from a product has lost digits.
const CANCELLED: f64 = 1e-2;

/// How vectors become costs. The gap, and labels without a vector, are at the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorKind {
    /// (1 - cosine) / 2, and 1/2 against the origin; not a metric.
    Cosine,
    /// Half the distance of the two vectors at length one, and √½ against the origin.
    Chord,
    /// The angle, as a share of a half turn, and 1/2 against the origin.
    Angle,
    /// The distance of the two vectors.
    Euclidean,
}

/// The vectors of a vocabulary, row by row; of length one (or 0) for all kinds but Euclidean.
#[derive(Debug, Clone, Copy)]
pub enum Elements<'a> {
    /// In single precision.
    Single(&'a [f32]),
    /// In double precision.
    Double(&'a [f64]),
}

/// Costs between labels with vectors. Label codes at or above the number of vectors have none.
#[derive(Debug, Clone, Copy)]
pub struct VectorCosts<'a> {
    elements: Elements<'a>,
    dimension: usize,
    /// Lengths of the vectors before they were made one.
    lengths: &'a [f64],
    kind: VectorKind,
    scale: Scale,
    /// Quanta per unit of cost.
    per_unit: f64,
}

/// The vectors of a few labels, side by side.
#[derive(Debug)]
pub struct Gathered {
    codes: Vec<u32>,
    rows: GatheredRows,
}

#[derive(Debug)]
enum GatheredRows {
    Single(Array2<f32>),
    Double(Array2<f64>),
}

impl<'a> VectorCosts<'a> {
    /// Takes vectors with their lengths; a length of 0 says that there is no vector.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the arrays do not fit each other or a length is not finite.
    pub fn new(elements: Elements<'a>, lengths: &'a [f64], kind: VectorKind) -> Result<Self> {
        let count = match elements {
            Elements::Single(values) => values.len(),
            Elements::Double(values) => values.len(),
        };
        let dimension = count.checked_div(lengths.len()).unwrap_or(0);
        if dimension * lengths.len() != count {
            let labels = lengths.len();
            return Err(Error::Invalid(format!("{count} numbers cannot be {labels} vectors")));
        }
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        if let Some(bad) = lengths.iter().find(|&&length| !(0.0..=1e100).contains(&length)) {
            return Err(Error::Invalid(format!(
                "vectors must have lengths between 0 and 1e100; got {bad:e}"
            )));
        }
        let largest = if kind == VectorKind::Euclidean { 2.0 * longest } else { 1.0 };
        let bits = match (elements, kind) {
            (Elements::Single(_), VectorKind::Cosine) => SINGLE_BITS,
            _ => GRID_BITS,
        };
        let exponent = exponent_above(largest) - bits;
        let (scale, per_unit) = (Scale::Binary(exponent), 2f64.powi(-exponent));
        Ok(Self { elements, dimension, lengths, kind, scale, per_unit })
    }

    /// Numbers of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How quanta become costs.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// What deleting or inserting a label costs, in quanta.
    pub fn gap(&self, code: u32) -> i128 {
        self.quanta(self.gap_cost(code)) as i128
    }

    /// The most that deleting or inserting a label costs, in quanta.
    pub(crate) fn largest_gap(&self) -> i128 {
        (0..self.lengths.len() as u32).map(|code| self.gap(code)).max().unwrap_or(0)
    }

    /// A cost in quanta, rounded to the nearest, which a float64 holds exactly.
    #[inline(always)]
    fn quanta(&self, cost: f64) -> f64 {
        // Beside 2^52 there is no room for fractions; costs are at most 2^41 quanta.
        const NO_FRACTIONS: f64 = (1u64 << 52) as f64;
        (cost * self.per_unit + NO_FRACTIONS) - NO_FRACTIONS
    }

    fn gap_cost(&self, code: u32) -> f64 {
        let length = self.lengths.get(code as usize).copied().unwrap_or(0.0);
        match self.kind {
            VectorKind::Euclidean => length,
            _ if length == 0.0 => 0.0,
            // A cosine of 0, as for all kinds, so that they agree on which labels are close.
            VectorKind::Chord => std::f64::consts::FRAC_1_SQRT_2,
            VectorKind::Cosine | VectorKind::Angle => 0.5,
        }
    }

    fn has_vector(&self, code: u32) -> bool {
        self.lengths.get(code as usize).is_some_and(|&length| length > 0.0)
    }

    /// Puts the vectors of some labels side by side.
    pub fn gather(&self, codes: &[u32]) -> Gathered {
        fn rows<T: Copy + Default>(all: &[T], codes: &[u32], dimension: usize) -> Array2<T> {
            let mut rows = Array2::default((codes.len(), dimension));
            for (mut row, &code) in rows.rows_mut().into_iter().zip(codes) {
                let start = code as usize * dimension;
                if let (Some(row), Some(vector)) =
                    (row.as_slice_mut(), all.get(start..start + dimension))
                {
                    row.copy_from_slice(vector);
                }
            }
            rows
        }
        let rows = match self.elements {
            Elements::Single(all) => GatheredRows::Single(rows(all, codes, self.dimension)),
            Elements::Double(all) => GatheredRows::Double(rows(all, codes, self.dimension)),
        };
        Gathered { codes: codes.to_vec(), rows }
    }

    /// The costs between two gatherings of labels.
    pub fn table(&self, x: &Gathered, y: &Gathered) -> CostTable {
        let savings = match (&x.rows, &y.rows) {
            (GatheredRows::Single(a), GatheredRows::Single(b)) => {
                self.savings(x, y, a.view(), b.view())
            }
            (GatheredRows::Double(a), GatheredRows::Double(b)) => {
                self.savings(x, y, a.view(), b.view())
            }
            // Both were gathered from the same vectors.
            _ => Vec::new(),
        };
        let gaps = |codes: &[u32]| codes.iter().map(|&code| self.gap(code)).collect();
        CostTable::from_savings(savings, gaps(&x.codes), gaps(&y.codes), self.scale)
    }

    fn savings<T>(
        &self,
        x: &Gathered,
        y: &Gathered,
        a: ArrayView2<'_, T>,
        b: ArrayView2<'_, T>,
    ) -> Vec<f64>
    where
        T: ndarray::LinalgScalar + Default + Into<f64>,
    {
        let gaps: Vec<_> = y.codes.iter().map(|&code| self.quanta(self.gap_cost(code))).collect();
        let mut savings = Vec::with_capacity(x.codes.len() * y.codes.len());
        let mut products = Array2::default((0, 0));
        for (i, &from) in x.codes.iter().enumerate() {
            if i % PRODUCT_ROWS == 0 {
                let end = x.codes.len().min(i + PRODUCT_ROWS);
                products = a.slice(s![i..end, ..]).dot(&b.t());
            }
            let gap = self.quanta(self.gap_cost(from));
            for (j, &to) in y.codes.iter().enumerate() {
                // The squared length of the difference, or with a sign of -1 of the sum.
                let apart = |sign: f64| {
                    let pairs = a.row(i).into_iter().zip(b.row(j));
                    pairs.map(|(&p, &q)| (p.into() - sign * q.into()).powi(2)).sum::<f64>()
                };
                let cost = if from == to {
                    0.0
                } else if self.has_vector(from) && self.has_vector(to) {
                    self.cost(from, to, products[[i % PRODUCT_ROWS, j]].into(), apart)
                } else {
                    self.gap_cost(from).max(self.gap_cost(to))
                };
                savings.push(gap + gaps[j] - self.quanta(cost));
            }
        }
        savings
    }

    /// The cost of replacing one vector by another, from their product, or from their squared
    /// distance if they are so close that the product has lost too many digits.
    fn cost(&self, from: u32, to: u32, product: f64, apart: impl Fn(f64) -> f64) -> f64 {
        if self.kind == VectorKind::Cosine {
            return (0.5 * (1.0 - product)).clamp(0.0, 1.0);
        }
        let squares = match self.kind {
            VectorKind::Euclidean => {
                self.lengths[from as usize].powi(2) + self.lengths[to as usize].powi(2)
            }
            _ => 2.0,
        };
        // |x - sign y|, for which y may be turned round.
        let length = |sign: f64| {
            let by_product = squares - 2.0 * sign * product;
            let cancelled = by_product < CANCELLED * squares;
            (if cancelled { apart(sign) } else { by_product }).sqrt()
        };
        match self.kind {
            VectorKind::Euclidean => length(1.0),
            VectorKind::Chord => (0.5 * length(1.0)).min(1.0),
            // Half the difference and half the sum of unit vectors are the sine and the cosine of
            // half the angle. Together they keep their digits at both ends, where neither does.
            _ => length(1.0).atan2(length(-1.0)) / std::f64::consts::FRAC_PI_2,
        }
    }
}
