//! What a matrix is asked for, and how much work it was.

use crate::pair::{Norm, SetCosts, Side};

/// What to compute.
#[derive(Debug, Clone, Copy)]
pub struct MatrixRequest<'a> {
    /// Sources of the edits: rows of the matrix.
    pub x: Side<'a>,
    /// Targets: columns of the matrix.
    pub y: Side<'a>,
    /// What edits cost.
    pub costs: SetCosts<'a>,
    /// `x` and `y` are the same set and costs are symmetric: compute pairs i <= j only.
    pub triangle: bool,
    /// With `triangle`: whether i = j is wanted too.
    pub diagonal: bool,
    /// Results above it are infinite; pairs excluded by a lower bound are never computed.
    pub cutoff: Option<f64>,
    /// What distances are divided by.
    pub norm: Option<Norm>,
}

/// How much work a matrix was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Computed {
    /// Distances that were stored.
    pub pairs: u64,
    /// Distances that were computed; the others are those of equal trees, or of trees that occur
    /// again, or were certain to be above the cutoff.
    pub exact: u64,
}

impl MatrixRequest<'_> {
    /// Number of distances that will be stored.
    pub fn pairs(&self) -> u64 {
        let (n, m) = (self.x.trees.len() as u64, self.y.trees.len() as u64);
        match (self.triangle, self.diagonal) {
            (false, _) => n * m,
            (true, true) => n * (n + 1) / 2,
            (true, false) => n * n.saturating_sub(1) / 2,
        }
    }
}
