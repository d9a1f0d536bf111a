//! Savings as multiples of their greatest common divisor, so that lanes stay narrow: costs of 0.25,
//! 0.5 and 1.5 are 25, 50 and 150 quanta, and 1, 2 and 6 units.

use crate::cost::scale::{CHUNK, rounded};

/// Makes savings in quanta savings in units, the greatest common divisor of all of them, and
/// returns the quanta of a unit.
pub(super) fn into_units(savings: &mut [f64]) -> f64 {
    let mut unit = 0;
    for chunk in savings.chunks(CHUNK) {
        // At most 2^52 quanta, so the product is exact; infinity is a multiple of everything.
        let is_multiple = |saving: f64, of: f64| rounded(saving.abs() / of) * of == saving.abs();
        let of = unit as f64;
        if unit > 1 && chunk.iter().fold(true, |all, &saving| all & is_multiple(saving, of)) {
            continue;
        }
        let finite = chunk.iter().filter(|saving| saving.is_finite());
        unit = finite.fold(unit, |unit, &saving| common_divisor(unit, saving.abs() as u64));
        if unit == 1 {
            return 1.0;
        }
    }
    if unit > 1 {
        for saving in savings {
            *saving /= unit as f64;
        }
    }
    unit.max(1) as f64
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn units_are_the_greatest_common_divisor(
            numbers in proptest::collection::vec(-60i64..60, 0..200),
            factor in prop_oneof![Just(1i64), Just(5), Just(25), Just(1 << 30), Just(3 << 40)],
            never in any::<bool>(),
        ) {
            let mut savings: Vec<_> = numbers.iter().map(|&n| (n * factor) as f64).collect();
            if never {
                savings.push(f64::NEG_INFINITY);
            }
            let before = savings.clone();
            let unit = into_units(&mut savings);
            let divides = |d: i64| numbers.iter().all(|&n| (n * factor) % d == 0);
            prop_assert!(divides(unit as i64));
            // No larger one does: twice, three times ... as many.
            let any = numbers.iter().any(|&n| n != 0);
            prop_assert!(!any || (2..120).all(|times| !divides(unit as i64 * times)));
            let back: Vec<_> = savings.iter().map(|saving| saving * unit).collect();
            prop_assert_eq!(back, before);
        }
    }
}
