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
//! of the largest one, which moves each by less than 5e-13 of it. Where that is much of a small
//! cost (next to a penalty of a billion, say), the grid is 2⁻¹⁰⁰ and sums need 128 bits.

/// Quanta per largest cost are at most 2 to this power.
///
/// A saving is at most twice the largest cost, so a float64 counts exactly what pairs save whose
/// smaller tree has 2¹² nodes or fewer: `2 * 2^12 * 2^40 = 2^53`.
const GRID_BITS: i32 = 40;
/// The same for costs of very different size.
const WIDE_BITS: i32 = 100;
/// Costs below this share of the largest one would be rounded by more than 1e-9 of themselves.
const SMALLEST_SHARE: f64 = 1.0 / 2048.0;
/// Most decimals that are tried before the grid is used.
const MAX_DECIMALS: i32 = 9;
/// How many quanta make one unit of cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Quanta of 10⁻ᵏ.
    Decimal(i32),
    /// Quanta of 2ᵏ.
    Binary(i32),
    /// Quanta of 2ᵏ, too many for a float64.
    Wide(i32),
}

impl Scale {
    /// The scale for these costs, which must be finite and not negative.
    pub fn of(costs: &[f64]) -> Self {
        let largest = costs.iter().copied().fold(0.0, f64::max);
        (0..=MAX_DECIMALS)
            .map(Scale::Decimal)
            .find(|scale| scale.fits(largest) && costs.iter().all(|&c| scale.is_exact(c)))
            .unwrap_or_else(|| {
                let exponent = exponent_above(largest);
                let small = |&&cost: &&f64| cost != 0.0 && cost < largest * SMALLEST_SHARE;
                if costs.iter().find(small).is_some() {
                    Scale::Wide(exponent - WIDE_BITS)
                } else {
                    Scale::Binary(exponent - GRID_BITS)
                }
            })
    }

    /// Whether sums of quanta outgrow a float64.
    pub fn is_wide(self) -> bool {
        matches!(self, Scale::Wide(_))
    }

    /// Whether `cost` is a whole number of quanta, to the last bit.
    fn is_exact(self, cost: f64) -> bool {
        self.to_cost(self.quanta(cost)) == cost
    }

    fn fits(self, largest: f64) -> bool {
        match self {
            Scale::Decimal(k) => largest * 10f64.powi(k) <= (1u64 << GRID_BITS) as f64,
            Scale::Binary(_) | Scale::Wide(_) => true,
        }
    }

    /// `cost` in quanta, rounded to the nearest.
    pub fn quanta(self, cost: f64) -> i128 {
        match self {
            Scale::Decimal(k) => (cost * 10f64.powi(k)).round() as i128,
            Scale::Binary(k) | Scale::Wide(k) => (cost * 2f64.powi(-k)).round() as i128,
        }
    }

    /// The cost of that many quanta, rounded once.
    pub fn to_cost(self, quanta: i128) -> f64 {
        match self {
            Scale::Decimal(k) => quanta as f64 / 10f64.powi(k),
            Scale::Binary(k) | Scale::Wide(k) => quanta as f64 * 2f64.powi(k),
        }
    }
}

/// The smallest `k` with `value <= 2^k`; 0 for 0.
pub(crate) fn exponent_above(value: f64) -> i32 {
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
        let sum: i128 = [0.1, 0.2, 0.7].iter().map(|&c| scale.quanta(c)).sum();
        assert_eq!(scale.to_cost(sum), 1.0);
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
                let back = scale.to_cost(quanta);
                assert!((back - cost).abs() <= largest * 1e-12, "{cost} became {back}");
            }
        }
    }

    #[test]
    fn small_costs_survive_large_ones() {
        let third = 1.0 / 3.0;
        for (large, error) in [(1e6, 0.0), (1e9, 0.0), (1e12, 0.0), (1e15, 1e-15)] {
            let scale = Scale::of(&[third, large, 0.0]);
            assert!(scale.is_wide());
            assert!((scale.to_cost(scale.quanta(third)) - third).abs() <= error);
        }
        assert!(!Scale::of(&[1.0 / 3.0, 100.0]).is_wide());
    }

    #[test]
    fn exponents_bound_their_value() {
        for value in [1.0, 1.5, 2.0, 0.3, 1e-200, 1e200] {
            let k = exponent_above(value);
            assert!(value <= 2f64.powi(k) && value > 2f64.powi(k - 1), "{value} {k}");
        }
    }
}
