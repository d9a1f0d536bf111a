//! One cost for each kind of edit, whatever the labels.

use crate::cost::Scale;
use crate::cost::table::{NEVER, survey};
use crate::error::Result;

/// What deleting, inserting and replacing cost; keeping a label costs nothing.
///
/// A pair of equal labels saves `delete + insert`, a pair of different ones `replace` less than
/// that. The kernels count in *units*, the greatest common divisor of the two savings, so that
/// their lanes stay narrow: delete 1, insert 0.8 and replace 1 save 18 and 8 tenths, which are 9
/// and 4 units of 2 tenths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationCosts {
    delete: i128,
    insert: i128,
    /// What a pair of different labels saves, in quanta; negative where it loses, or [`NEVER`].
    raw_mismatch: i128,
    /// The largest finite one of the three, in quanta.
    largest_cost: i128,
    /// Quanta of a unit.
    unit: i128,
    /// What pairs of equal and of different labels save, in units, at least 0.
    savings: (i128, i128),
    scale: Scale,
}

impl OperationCosts {
    /// Every edit costs 1.
    pub const UNIT: Self = Self {
        delete: 1,
        insert: 1,
        raw_mismatch: 1,
        largest_cost: 1,
        unit: 1,
        savings: (2, 1),
        scale: Scale::Decimal(0),
    };

    /// Prepares three costs. With an infinite `replace` different labels are never paired.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for costs that are negative, not finite or too large or too small.
    pub fn new(delete: f64, insert: f64, replace: f64) -> Result<Self> {
        let survey = survey(&[replace], &[delete], &[insert])?;
        let scale = Scale::of(&[&[delete, insert, replace]], &survey);
        let (delete, insert) = (scale.quanta(delete), scale.quanta(insert));
        let all = delete + insert;
        let raw_mismatch = if replace.is_finite() { all - scale.quanta(replace) } else { NEVER };
        let mismatch = raw_mismatch.max(0);
        let unit = greatest_common_divisor(all, mismatch).max(1);
        let savings = (all / unit, mismatch / unit);
        let largest_cost = scale.quanta(survey.largest);
        Ok(Self { delete, insert, raw_mismatch, largest_cost, unit, savings, scale })
    }

    /// Quanta for deleting a node.
    #[inline(always)]
    pub(crate) fn delete(&self) -> i128 {
        self.delete
    }

    /// Quanta for inserting a node.
    #[inline(always)]
    pub(crate) fn insert(&self) -> i128 {
        self.insert
    }

    /// The largest finite cost, in quanta.
    pub(crate) fn largest_cost(&self) -> i128 {
        self.largest_cost
    }

    /// How many quanta the kernels count as one.
    #[inline(always)]
    pub(crate) fn unit(&self) -> i128 {
        self.unit
    }

    /// What pairs of equal and of different labels save, in units: the first is the larger.
    #[inline(always)]
    pub(crate) fn savings(&self) -> (i128, i128) {
        self.savings
    }

    /// Quanta that pairing two nodes saves; negative where pairing loses, [`NEVER`] if they are
    /// never paired.
    #[inline(always)]
    pub(crate) fn raw_saving(&self, equal: bool) -> i128 {
        if equal { self.delete + self.insert } else { self.raw_mismatch }
    }

    /// How quanta become costs again.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether deleting costs as much as inserting.
    pub fn is_symmetric(&self) -> bool {
        self.delete == self.insert
    }
}

fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_keep_savings_small() {
        for ((delete, insert, replace), savings) in [
            ((1.0, 1.0, 1.0), (2, 1)),
            ((1.0, 0.8, 1.0), (9, 4)),
            ((2.5, 2.5, 2.5), (2, 1)),
            ((1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), (2, 1)),
            ((1.0, 1.0, 7.0), (1, 0)),
            ((1.0, 2.0, f64::INFINITY), (1, 0)),
            ((1.0, 2.0, 0.0), (1, 1)),
            ((0.0, 0.0, 5.0), (0, 0)),
            ((1e9, 1e9, 1e9), (2, 1)),
        ] {
            let costs = OperationCosts::new(delete, insert, replace).unwrap();
            assert_eq!(costs.savings(), savings, "{delete} {insert} {replace}");
            assert_eq!(costs.raw_saving(true), savings.0 * costs.unit());
            assert_eq!(costs.raw_saving(false).max(0), savings.1 * costs.unit());
        }
        assert_eq!(OperationCosts::new(1.0, 1.0, 1.0), Ok(OperationCosts::UNIT));
    }

    #[test]
    fn what_is_never_done_is_no_loss_of_a_known_size() {
        let never = OperationCosts::new(1.0, 1.0, f64::INFINITY).unwrap();
        assert_eq!(never.raw_saving(false), NEVER);
        assert_eq!(OperationCosts::new(1.0, 1.0, 7.0).unwrap().raw_saving(false), -5);
        assert!(
            never.is_symmetric() && !OperationCosts::new(1.0, 2.0, 1.0).unwrap().is_symmetric()
        );
    }

    #[test]
    fn bad_costs_are_refused() {
        for bad in [-1.0, f64::NAN, 1e300] {
            assert!(OperationCosts::new(bad, 1.0, 1.0).is_err());
            assert!(OperationCosts::new(1.0, bad, 1.0).is_err());
            assert!(OperationCosts::new(1.0, 1.0, bad).is_err());
        }
        assert!(OperationCosts::new(f64::INFINITY, 1.0, 1.0).is_err());
        assert!(OperationCosts::new(1.0, f64::INFINITY, 1.0).is_err());
    }
}
