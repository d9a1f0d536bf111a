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
//! of the next power of two above the largest one, which moves each by at most 2⁻⁴⁰, or 9.1e-13,
//! of the largest. Where that is much of a small cost, the grid is finer, by as much as the small
//! cost needs: it moves by 2e-9 of itself at most. Beyond 2⁻⁵⁰ (next to a penalty of a billion,
//! say), the grid is 2⁻¹⁰⁰ and sums need 128 bits. It moves costs below 1e-21 of the largest by more
//! than 2e-9 of themselves, and costs below 1e-30 can become 0.
//!
//! An infinite cost says that an edit is never made. It has no quanta and no say in the scale.

/// Quanta per largest cost are at most 2 to this power.
///
/// A saving is at most twice the largest cost, so a float64 counts exactly what pairs save whose
/// smaller tree has 2¹² nodes or fewer: `2 * 2^12 * 2^40 = 2^53`.
const GRID_BITS: i32 = 40;
/// The same for small costs beside large ones: a saving still fits a float64, and 512 of them fit
/// 64 bits.
const FINEST_BITS: i32 = 50;
/// The same for costs of very different size.
const WIDE_BITS: i32 = 100;
/// Costs below this share of the largest one would be rounded by more than 2⁻²⁹, or 2e-9, of
/// themselves on the coarsest grid: half a quantum is at most 2⁻⁴⁰ of the largest cost.
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

/// Costs that are tested together.
pub(super) const CHUNK: usize = 64;
/// Powers of ten.
const POWERS: [f64; MAX_DECIMALS as usize + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/// Beside 2^52 there is no room for fractions.
const NO_FRACTIONS: f64 = (1u64 << 52) as f64;
/// Whole numbers up to here are float64s.
const EXACT: i128 = 1 << f64::MANTISSA_DIGITS;

impl Scale {
    /// The scale for these costs, which must be infinite or not negative, by a survey of them.
    pub fn of(costs: &[&[f64]], survey: &Survey) -> Self {
        let largest = survey.largest;
        if let Some(decimals) = survey.decimals() {
            return Scale::Decimal(decimals);
        }
        let exponent = exponent_above(largest);
        let smallest = costs.iter().map(|part| smallest_of(part)).fold(f64::INFINITY, f64::min);
        // Each further bit of the grid halves the smallest cost that it serves.
        let mut bits = GRID_BITS;
        let mut served = largest * SMALLEST_SHARE;
        while smallest < served && bits <= FINEST_BITS {
            (bits, served) = (bits + 1, served / 2.0);
        }
        if bits <= FINEST_BITS {
            Scale::Binary(exponent - bits)
        } else {
            Scale::Wide(exponent - WIDE_BITS)
        }
    }

    /// Whether sums of quanta outgrow a float64.
    pub fn is_wide(self) -> bool {
        matches!(self, Scale::Wide(_))
    }

    /// Quanta per unit of cost.
    pub(crate) fn per_unit(self) -> f64 {
        match self {
            Scale::Decimal(k) => 10f64.powi(k),
            Scale::Binary(k) | Scale::Wide(k) => 2f64.powi(-k),
        }
    }

    /// A finite `cost` in quanta, rounded to the nearest.
    #[inline]
    pub fn quanta(self, cost: f64) -> i128 {
        whole_number(cost * self.per_unit())
    }

    /// The cost of that many quanta, rounded once.
    pub fn to_cost(self, quanta: i128) -> f64 {
        match self {
            Scale::Decimal(0) => quanta as f64,
            Scale::Decimal(k) if quanta <= EXACT => quanta as f64 / 10f64.powi(k),
            Scale::Decimal(k) => quotient(quanta, 10i128.pow(k as u32)),
            Scale::Binary(k) | Scale::Wide(k) => quanta as f64 * 2f64.powi(k),
        }
    }
}

/// What one pass over costs finds: the largest finite one, and how many decimals they have.
///
/// A cost with k decimals, q quanta of 10⁻ᵏ, has k + 1 decimals too: if 10 q is at most 2⁴⁰, the
/// product by 10ᵏ⁺¹ rounds to it, and the quotient is the same number rounded once. So decimals
/// are raised at the first cost that needs more, and those before it are not looked at again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Survey {
    pub(crate) largest: f64,
    /// More than [`MAX_DECIMALS`] if some costs have no end of decimals.
    decimals: i32,
}

impl Survey {
    /// Looks at a few more costs, which are infinite or not negative. The largest finite one among
    /// them is known.
    pub(crate) fn add(&mut self, chunk: &[f64], largest: f64) {
        self.largest = self.largest.max(largest);
        while self.decimals <= MAX_DECIMALS {
            let power = POWERS[self.decimals as usize];
            if !any_of(chunk, |&cost| rounded(cost * power) / power != cost) {
                return;
            }
            self.decimals += 1;
        }
    }

    /// The decimals, if they are few and the largest cost has few enough quanta: without that,
    /// nothing is known about them.
    fn decimals(&self) -> Option<i32> {
        let power = POWERS.get(self.decimals as usize)?;
        (self.largest * power <= (1u64 << GRID_BITS) as f64).then_some(self.decimals)
    }
}

/// Whether something holds for any number, without a branch for each.
#[inline(always)]
fn any_of(chunk: &[f64], holds: impl Fn(&f64) -> bool) -> bool {
    chunk.iter().fold(false, |any, cost| any | holds(cost))
}

/// The smallest cost above 0; infinity if there is none. Without a branch for each.
fn smallest_of(costs: &[f64]) -> f64 {
    let above_zero = |cost: f64| if cost == 0.0 { f64::INFINITY } else { cost };
    let mut lanes = [f64::INFINITY; 8];
    for chunk in costs.chunks(lanes.len()) {
        for (least, &cost) in lanes.iter_mut().zip(chunk) {
            let cost = above_zero(cost);
            *least = if cost < *least { cost } else { *least };
        }
    }
    lanes.into_iter().fold(f64::INFINITY, f64::min)
}

/// A number of at most 2^51 rounded to a whole one, halves up, as `f64::round` but without a call.
/// Infinity stays.
#[inline(always)]
pub(crate) fn rounded(number: f64) -> f64 {
    let even = (number + NO_FRACTIONS) - NO_FRACTIONS;
    // A half that was rounded down to an even number.
    even + f64::from(u8::from(number - even == 0.5))
}

/// A number that is not negative and below 2^120, rounded as [`rounded`].
#[inline]
pub(crate) fn whole_number(number: f64) -> i128 {
    /// From here on there are no fractions.
    const WHOLE: f64 = (1u64 << 53) as f64;
    if number < NO_FRACTIONS / 2.0 {
        return (rounded(number) as i64).into();
    }
    if number < WHOLE {
        return (number.round() as i64).into();
    }
    let bits = number.to_bits();
    let (mantissa, exponent) = (bits << 12 >> 12 | 1 << 52, (bits >> 52) as i32 - 1075);
    i128::from(mantissa) << exponent
}

/// A number of quanta above 2^53 over a power of ten, rounded once.
fn quotient(quanta: i128, power: i128) -> f64 {
    /// The quotient is above 2^53 / 10^9 > 2^23, so it gets 63 bits or more.
    const SHIFT: u32 = 40;
    let Some(shifted) = quanta.checked_mul(1 << SHIFT) else {
        return quanta as f64 / power as f64; // more quanta than trees can have
    };
    // The last bit says that there is a rest, so that a half is rounded as it should.
    let quotient = (shifted / power) | i128::from(shifted % power != 0);
    quotient as f64 / (1u64 << SHIFT) as f64
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
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn scale_of(costs: &[f64]) -> Scale {
        let mut survey = Survey::default();
        for chunk in costs.chunks(CHUNK) {
            let finite = chunk.iter().copied().filter(|cost| cost.is_finite());
            survey.add(chunk, finite.fold(0.0, f64::max));
        }
        Scale::of(&[costs], &survey)
    }

    /// The definition: costs are decimals if they are the same float64 after rounding to k
    /// decimals, for the smallest k.
    fn slow_scale_of(costs: &[f64]) -> Scale {
        let costs: Vec<_> = costs.iter().copied().filter(|cost| cost.is_finite()).collect();
        let largest = costs.iter().copied().fold(0.0, f64::max);
        let fits = |k: i32| largest * 10f64.powi(k) <= (1u64 << GRID_BITS) as f64;
        let exact = |k: i32, cost: f64| {
            let quanta = (cost * 10f64.powi(k)).round() as i128;
            quanta as f64 / 10f64.powi(k) == cost
        };
        let decimal = |&k: &i32| fits(k) && costs.iter().all(|&cost| exact(k, cost));
        if let Some(k) = (0..=MAX_DECIMALS).find(decimal) {
            return Scale::Decimal(k);
        }
        let exponent = exponent_above(largest);
        // The coarsest grid from 40 to 50 bits that rounds no cost by more than 2^-29 of itself:
        // half a quantum is up to 2^-bits of the largest.
        let served = |bits: i32, cost: f64| {
            cost == 0.0 || largest * 2f64.powi(-bits) <= cost * 2f64.powi(-29)
        };
        let grids = GRID_BITS..=FINEST_BITS;
        let bits = grids.into_iter().find(|&bits| costs.iter().all(|&cost| served(bits, cost)));
        bits.map_or(Scale::Wide(exponent - WIDE_BITS), |bits| Scale::Binary(exponent - bits))
    }

    /// Short and long decimals, their neighbours, and anything.
    fn any_cost() -> impl Strategy<Value = f64> {
        let decimal = (0u64..1 << 42, 0i32..12).prop_map(|(q, k)| q as f64 / 10f64.powi(k));
        let small = (0u64..3000, 0i32..4).prop_map(|(q, k)| q as f64 / 10f64.powi(k));
        let near = small.clone().prop_map(|cost: f64| f64::from_bits(cost.to_bits() + 1));
        let binary = (0u64..1 << 50, 0i32..60).prop_map(|(q, k)| q as f64 * 2f64.powi(-k));
        prop_oneof![
            4 => small,
            2 => decimal,
            1 => near,
            1 => binary,
            1 => 0.0..1e3f64,
            1 => Just(f64::INFINITY),
        ]
    }

    proptest! {
        #![proptest_config(crate::naive::cases(2000))]

        #[test]
        fn the_scale_is_that_of_the_definition(
            costs in proptest::collection::vec(any_cost(), 0..6),
            short in proptest::collection::vec((0u16..2000, 0i32..4), 0..200),
        ) {
            prop_assert_eq!(scale_of(&costs), slow_scale_of(&costs));
            let mut many: Vec<_> =
                short.iter().map(|&(q, k)| f64::from(q) / 10f64.powi(k)).collect();
            prop_assert_eq!(scale_of(&many), slow_scale_of(&many));
            many.extend(costs);
            prop_assert_eq!(scale_of(&many), slow_scale_of(&many));
        }

        #[test]
        fn numbers_are_rounded_as_usual(cost in any_cost(), halves in 0u64..1 << 50) {
            for number in [cost, halves as f64 / 2.0] {
                if number < (1u64 << 51) as f64 {
                    prop_assert_eq!(rounded(number), number.round());
                }
                for power in 0..60 {
                    let number = number * 2f64.powi(power);
                    if number.is_finite() {
                        prop_assert_eq!(whole_number(number), number.round() as i128);
                    }
                }
            }
        }

        /// No float64 is nearer to the quotient, also above 2^53 quanta.
        #[test]
        fn costs_are_rounded_once(
            high in 0u64..1 << 17, low in any::<u64>(), decimals in 0i32..10,
        ) {
            let quanta = i128::from(high) << 56 | i128::from(low >> 8);
            let cost = Scale::Decimal(decimals).to_cost(quanta);
            // In units of 2^-64 / 10^k: all these numbers are multiples of it.
            let power = BigUint::from(10u8).pow(decimals as u32);
            let exact = BigUint::from(quanta as u128) << 64;
            let scaled = |cost: f64| {
                let bits = cost.to_bits();
                let (mantissa, exponent) = (bits << 12 >> 12 | 1 << 52, (bits >> 52) as i32 - 1075);
                if cost == 0.0 || exponent < -64 {
                    None
                } else {
                    Some((BigUint::from(mantissa) << (exponent + 64)) * &power)
                }
            };
            let off = |cost: f64| {
                scaled(cost).map(|cost| if cost > exact { cost - &exact } else { &exact - cost })
            };
            if let Some(here) = off(cost) {
                for bits in [cost.to_bits() - 1, cost.to_bits() + 1] {
                    prop_assert!(off(f64::from_bits(bits)).is_none_or(|there| here <= there));
                }
            }
        }
    }

    /// The largest error there is: just above a power of two, half a quantum.
    #[test]
    fn rounding_moves_a_cost_by_at_most_2_to_the_minus_40_of_the_largest() {
        let quantum = 2f64.powi(1 - GRID_BITS);
        let largest = 1.0 + f64::EPSILON;
        let cost = 0.75 + quantum / 2.0;
        let scale = scale_of(&[largest, cost]);
        assert_eq!(scale, Scale::Binary(1 - GRID_BITS));
        let error = (scale.to_cost(scale.quanta(cost)) - cost).abs();
        assert_eq!(error, 2f64.powi(-40));
        assert!(error > 5e-13 && error < 9.1e-13 + 1e-15);
    }

    /// The largest cost is just above a power of two, and a small one between two quanta.
    #[test]
    fn rounding_moves_a_small_cost_by_at_most_2e_9_of_itself() {
        let largest = 1.0 + f64::EPSILON;
        for bits in 0..10 {
            let share = 2f64.powi(-bits) / 4096.0;
            for half in [2f64.powi(-29), 2f64.powi(-30), 1e-9, 0.5, 0.9999] {
                let small = share * (1.0 + half);
                let scale = scale_of(&[small, largest]);
                assert!(!scale.is_wide());
                let error = (scale.to_cost(scale.quanta(small)) - small).abs();
                assert!(error <= 2f64.powi(-29) * small, "{small}: {}", error / small);
            }
        }
        // The finest grid ends at 2^-100.
        let scale = scale_of(&[1e-21, 1e-31, 1.5]);
        let error = (scale.to_cost(scale.quanta(1e-21)) - 1e-21).abs();
        assert!(scale.is_wide() && error <= 2e-9 * 1e-21);
        assert_eq!(scale.quanta(1e-31), 0);
    }

    /// 9,000 nodes at 1,099.511627775 each: more than 2^53 quanta.
    #[test]
    fn large_sums_are_rounded_once() {
        let scale = scale_of(&[1_099.511_627_775]);
        assert_eq!(scale, Scale::Decimal(9));
        let sum = 9000 * scale.quanta(1_099.511_627_775);
        assert!(sum > EXACT);
        assert_eq!(scale.to_cost(sum), 9_895_604.649_975);
        assert_eq!(scale.to_cost(sum + 1), 9_895_604.649_975_001);
    }

    #[test]
    fn short_decimals_stay_exact() {
        for (costs, expected) in [
            (vec![0.0, 1.0, 2.0], Scale::Decimal(0)),
            (vec![0.1, 0.5, 3.0], Scale::Decimal(1)),
            (vec![0.25], Scale::Decimal(2)),
            (vec![0.001, 1e6], Scale::Decimal(3)),
            (vec![], Scale::Decimal(0)),
        ] {
            assert_eq!(scale_of(&costs), expected, "{costs:?}");
        }
        let scale = scale_of(&[0.1, 0.2, 0.7]);
        let sum: i128 = [0.1, 0.2, 0.7].iter().map(|&c| scale.quanta(c)).sum();
        assert_eq!(scale.to_cost(sum), 1.0);
    }

    #[test]
    fn other_costs_go_to_a_fine_grid() {
        for largest in [1.0, std::f64::consts::PI, 1e-150, 1e150] {
            let costs = [largest / 3.0, largest, largest / 7.0];
            let scale = scale_of(&costs);
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
        for (large, error) in [(1e9, 0.0), (1e12, 0.0), (1e15, 1e-15)] {
            let scale = scale_of(&[third, large, 0.0]);
            assert!(scale.is_wide());
            assert!((scale.to_cost(scale.quanta(third)) - third).abs() <= error);
        }
        for large in [100.0, 1e3, 1e4, 1e5, 6e5] {
            let scale = scale_of(&[third, large, 0.0]);
            assert!(!scale.is_wide());
            assert!((scale.to_cost(scale.quanta(third)) - third).abs() <= 1e-9 * third);
            assert!(scale.quanta(large) <= 1 << FINEST_BITS);
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
