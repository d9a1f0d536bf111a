//! Lanes that are narrower than the bound of the savings asks for.
//!
//! The bound of what a pair can save is that every node of the smaller tree is paired with the
//! label that it saves most with. Trees that differ save less. The sums of narrow lanes stop at
//! their largest number, and the saving of the whole trees is at least that of any part of them. So
//! if it is below the largest number, no sum has stopped, and all values are exact; otherwise the
//! pair is computed again in lanes that are sure to hold it.

use crate::simd::Lanes;

/// How much of the largest number is hoped to be enough.
const ROOM: f64 = 0.95;
/// Bounds above this many times the largest number are not tried: what savings are like for small
/// trees says little about far larger ones.
pub(crate) const MOST_TIMES: usize = 4;
/// How fast the expectation falls.
const FORGET: f64 = 1.0 / 16.0;

/// What share of their bounds savings have reached lately. It decides on times only.
#[derive(Debug)]
pub(super) struct Hopes {
    share: f64,
}

impl Default for Hopes {
    fn default() -> Self {
        Self { share: 0.8 }
    }
}

impl Hopes {
    /// The narrower lanes that are expected to hold savings with that bound, in units.
    pub(super) fn narrower(&self, sure: Lanes, bound: i128) -> Option<Lanes> {
        let hoped = sure.hoped()?;
        let (most, bound) = (hoped.most() as f64, bound as f64);
        let fits = self.share * bound < ROOM * most && bound < MOST_TIMES as f64 * most;
        fits.then_some(hoped)
    }

    /// Learns from a saving that was found, or reached the largest number at least.
    pub(super) fn learn(&mut self, saving: i128, bound: i128) {
        let share = saving as f64 / (bound as f64).max(1.0);
        self.share =
            if share > self.share { share } else { self.share + FORGET * (share - self.share) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopes_follow_what_was_found() {
        let mut hopes = Hopes::default();
        assert_eq!(hopes.narrower(Lanes::Words, 260), Some(Lanes::Bytes));
        assert_eq!(hopes.narrower(Lanes::Words, 320), None);
        assert_eq!(hopes.narrower(Lanes::Ints, 70_000), Some(Lanes::Words));
        assert_eq!(hopes.narrower(Lanes::Doubles, 1 << 33), None);
        for _ in 0..200 {
            hopes.learn(100, 400);
        }
        assert_eq!(hopes.narrower(Lanes::Words, 900), Some(Lanes::Bytes));
        assert_eq!(hopes.narrower(Lanes::Words, 1100), None);
        hopes.learn(255, 260);
        assert_eq!(hopes.narrower(Lanes::Words, 260), None);
    }
}
