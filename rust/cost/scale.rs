//! Costs as whole numbers, so that sums are exact.
//!
//! The savings form of the distance subtracts large sums from each other. In floating point that
//! would let rounding show: d(x, x) would be 1e-13 instead of 0, and the result would depend on
//! the order of additions, hence on the kernel. So every cost is turned into a whole number of
//! *quanta* first, all sums are exact, and one division or multiplication at the end gives the
//! distance.
//!
//! Costs that are short decimals (1, 0.5, 0.01) keep their value: the quantum is a power of ten
//! and the result is the correctly rounded sum. All other costs are rounded to a grid of 2⁻⁴⁰
//! of the largest one, which moves each by less than 5e-13 of it.

/// Quanta per largest cost are at most 2 to this power.
const GRID_BITS: i32 = 40;
/// Most decimals that are tried before the grid is used.
const MAX_DECIMALS: i32 = 9;
/// Trees with more nodes than this on both sides can exceed the 2⁵³ that a float64 counts exactly.
///
/// A saving is at most twice the largest cost, so `2 * 2^12 * 2^40 = 2^53`.
pub(crate) const EXACT_NODES: usize = 1 << 12;

/// How many quanta make one unit of cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Quanta of 10⁻ᵏ.
    Decimal(i32),
    /// Quanta of 2ᵏ.
    Binary(i32),
}

impl Scale {
    /// The scale for these costs, which must be finite and not negative.
    pub fn of(costs: &[f64]) -> Self {
        let largest = costs.iter().copied().fold(0.0, f64::max);
        (0..=MAX_DECIMALS)
            .map(Scale::Decimal)
            .find(|scale| scale.fits(largest) && costs.iter().all(|&c| scale.is_exact(c)))
            .unwrap_or_else(|| Scale::Binary(exponent_above(largest) - GRID_BITS))
    }

    /// Whether `cost` is a whole number of quanta, to the last bit.
    fn is_exact(self, cost: f64) -> bool {
        self.to_cost(i128::from(self.quanta(cost))) == cost
    }

    fn fits(self, largest: f64) -> bool {
        match self {
            Scale::Decimal(k) => largest * 10f64.powi(k) <= (1u64 << GRID_BITS) as f64,
            Scale::Binary(_) => true,
        }
    }

    /// `cost` in quanta, rounded to the nearest.
    pub fn quanta(self, cost: f64) -> i64 {
        match self {
            Scale::Decimal(k) => (cost * 10f64.powi(k)).round() as i64,
            Scale::Binary(k) => (cost * 2f64.powi(-k)).round() as i64,
        }
    }

    /// The cost of that many quanta, rounded once.
    pub fn to_cost(self, quanta: i128) -> f64 {
        match self {
            Scale::Decimal(k) => quanta as f64 / 10f64.powi(k),
            Scale::Binary(k) => quanta as f64 * 2f64.powi(k),
        }
    }
}

/// The smallest `k` with `value <= 2^k`; 0 for 0.
fn exponent_above(value: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    let floor = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    floor + i32::from(value > 2f64.powi(floor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_stay_exact() {
        for (costs, expected) in [
            (vec![0.0, 1.0, 2.0], Scale::Decimal(0)),
            (vec![0.1, 0.5, 3.0], Scale::Decimal(1)),
            (vec![0.25], Scale::Decimal(2)),
            (vec![0.001, 1e6], Scale::Decimal(3)),
            (vec![], Scale::Decimal(0)),
        ] {
            assert_eq!(Scale::of(&costs), expected, "{costs:?}");
        }
        let scale = Scale::of(&[0.1, 0.2, 0.7]);
        let sum: i64 = [0.1, 0.2, 0.7].iter().map(|&c| scale.quanta(c)).sum();
        assert_eq!(scale.to_cost(i128::from(sum)), 1.0);
    }

    #[test]
    fn other_costs_go_to_a_fine_grid() {
        for largest in [1.0, std::f64::consts::PI, 1e-150, 1e150] {
            let costs = [largest / 3.0, largest, largest / 7.0];
            let scale = Scale::of(&costs);
            assert!(matches!(scale, Scale::Binary(_)), "{scale:?}");
            for cost in costs {
                let quanta = scale.quanta(cost);
                assert!(quanta <= 1 << GRID_BITS);
                let back = scale.to_cost(i128::from(quanta));
                assert!((back - cost).abs() <= largest * 1e-12, "{cost} became {back}");
            }
        }
    }

    #[test]
    fn exponents_bound_their_value() {
        for value in [1.0, 1.5, 2.0, 0.3, 1e-200, 1e200] {
            let k = exponent_above(value);
            assert!(value <= 2f64.powi(k) && value > 2f64.powi(k - 1), "{value} {k}");
        }
    }
}
