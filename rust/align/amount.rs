//! The numbers that alignments are counted in.

use num_bigint::BigUint;

/// A number of alignments, or a sum of their weights.
pub(crate) trait Amount: Clone + std::fmt::Debug + Send + Sync {
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

/// A positive number by its natural logarithm: any size, at the price of exp and log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Log(pub(crate) f64);

impl Amount for Log {
    fn zero() -> Self {
        Self(f64::NEG_INFINITY)
    }
    fn one() -> Self {
        Self(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == f64::NEG_INFINITY
    }
    fn add(&mut self, other: &Self) {
        let (low, high) = if self.0 < other.0 { (self.0, other.0) } else { (other.0, self.0) };
        // Zero plus zero would be the difference of two infinities.
        let more = if low == f64::NEG_INFINITY { 0.0 } else { (low - high).exp().ln_1p() };
        self.0 = high + more;
    }
    fn times(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
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
