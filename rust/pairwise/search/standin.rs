//! Bounds by size only.
use crate::distance::Pricing;
use crate::error::Result;
use crate::pairwise::{Prices, Side};
use crate::parallel::Cancel;
#[derive(Debug, Default)]
pub(crate) struct Scratch;
#[derive(Debug)]
pub(crate) struct Bounds<'a> {
    x: Side<'a>,
    y: Side<'a>,
    unit: bool,
}
impl<'a> Bounds<'a> {
    pub(crate) fn new(x: Side<'a>, y: Side<'a>, prices: Prices<'a>, _: &Cancel) -> Result<Self> {
        Ok(Self { x, y, unit: matches!(prices, Prices::Fixed(Pricing::Unit)) })
    }
    pub(crate) fn quick(&self, i: usize, j: usize) -> i128 {
        if self.unit {
            self.x.trees[i].nodes().abs_diff(self.y.trees[j].nodes()) as i128
        } else {
            0
        }
    }
    pub(crate) fn tight(&self, i: usize, j: usize, _: &mut Scratch) -> i128 {
        self.quick(i, j)
    }
}
