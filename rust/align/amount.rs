//! The numbers that alignments are counted in.

use crate::align::recycle::Recycle;
use num_bigint::BigUint;

/// A number of alignments, or a sum of their weights.
pub(crate) trait Amount: Recycle + std::fmt::Debug + Send + Sync {
    fn zero() -> Self;
    fn one() -> Self;
    fn is_zero(&self) -> bool;
    fn add(&mut self, other: &Self);
    fn times(&self, other: &Self) -> Self;
}

impl Amount for f64 {
    fn zero() -> Self {
        0.0
    }
    fn one() -> Self {
        1.0
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        *self += other;
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

/// A number `mantissa * 2^exponent` of any size; the mantissa is 0 or in [1, 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaled {
    mantissa: f64,
    exponent: i64,
}

/// Far above all powers that temperatures allow, far below overflow of their sums.
const LARGEST_POWER: f64 = 1e15;

/// A power of two whose exponent is known to be in the range of normal float64s.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Scaled {
    fn new(value: f64, exponent: i64) -> Self {
        if value == 0.0 {
            return Self { mantissa: 0.0, exponent: 0 };
        }
        let shift = ((value.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        let mantissa = f64::from_bits((value.to_bits() & !(0x7ff << 52)) | (1023 << 52));
        Self { mantissa, exponent: exponent + shift }
    }

    /// e to this power.
    ///
    /// Powers below any that can count beside 1 give 0: exponents must stay far from overflow
    /// when they are added up.
    pub(crate) fn exp(power: f64) -> Self {
        if power < -LARGEST_POWER {
            return Self::zero();
        }
        let exponent = (power * std::f64::consts::LOG2_E).floor();
        Self::new((power - exponent * std::f64::consts::LN_2).exp(), exponent as i64)
    }

    /// The natural logarithm.
    pub(crate) fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }

    /// One over this.
    pub(crate) fn inverse(self) -> Self {
        Self::new(1.0 / self.mantissa, -self.exponent)
    }

    /// As a float64; 0 if it is too small for one.
    pub(crate) fn value(self) -> f64 {
        let half = self.exponent.clamp(-2000, 2000) / 2;
        let rest = self.exponent.clamp(-2000, 2000) - half;
        self.mantissa
            * power_of_two(half.clamp(-1022, 1023))
            * power_of_two(rest.clamp(-1022, 1023))
    }
}

impl Amount for Scaled {
    fn zero() -> Self {
        Self { mantissa: 0.0, exponent: 0 }
    }
    fn one() -> Self {
        Self { mantissa: 1.0, exponent: 0 }
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        let gap = self.exponent - other.exponent;
        *self = if other.is_zero() || (gap > 64 && !self.is_zero()) {
            *self
        } else if self.is_zero() || gap < -64 {
            *other
        } else if gap >= 0 {
            Self::new(self.mantissa + other.mantissa * power_of_two(-gap), self.exponent)
        } else {
            Self::new(self.mantissa * power_of_two(gap) + other.mantissa, other.exponent)
        };
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Amount for BigUint {
    fn zero() -> Self {
        Self::ZERO
    }
    fn one() -> Self {
        Self::from(1u8)
    }
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
    fn add(&mut self, other: &Self) {
        *self += other;
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scaled_numbers_are_numbers(a in 0.0..1e6f64, b in 0.0..1e6f64) {
            let (x, y) = (Scaled::new(a, 0), Scaled::new(b, 0));
            let mut sum = x;
            sum.add(&y);
            prop_assert!((sum.value() - (a + b)).abs() <= 1e-15 * (a + b));
            prop_assert!((x.times(&y).value() - a * b).abs() <= 1e-15 * a * b);
        }

        #[test]
        fn scaled_numbers_have_any_size(power in -1e12..1e12f64) {
            let x = Scaled::exp(power);
            prop_assert!((x.ln() - power).abs() <= 1e-14 * power.abs().max(1.0));
            let one = x.times(&x.inverse()).value();
            prop_assert!((one - 1.0).abs() < 1e-15);
        }
    }
}
