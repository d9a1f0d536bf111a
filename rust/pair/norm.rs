//! Normalised distances: distances in relation to the sizes or to the costs of the two trees.
//!
//! For one pair, the result is a function of the distance that never decreases, in floating point
//! too: division by a constant rounds monotonically, and so do the three operations of Li and
//! Zhang's norm. A lower bound of the distance is therefore a lower bound of the result, and there
//! is a largest distance whose result is within a cutoff.

use crate::pair::SetCosts;

/// What distances are divided by. x has n nodes, y has m nodes, d is their distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The cost of deleting x and inserting y, which is the largest possible distance.
    Weight,
    /// max(n, m).
    Max,
    /// n + m.
    Sum,
    /// 2 d / (α (n + m) + d), where α is the largest cost of a deletion or insertion (Li and Zhang,
    /// "A metric normalization of tree edit distance", 2011).
    LiZhang,
}

impl Norm {
    /// The norm of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "weight" => Some(Norm::Weight),
            "max" => Some(Norm::Max),
            "sum" => Some(Norm::Sum),
            "li_zhang" => Some(Norm::LiZhang),
            _ => None,
        }
    }
}

/// How results are made from the distances of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measures<'a> {
    costs: SetCosts<'a>,
    norm: Option<Norm>,
    /// The largest cost of a deletion or insertion, if the norm needs it.
    gap: i128,
}

impl<'a> Measures<'a> {
    pub(crate) fn new(costs: SetCosts<'a>, norm: Option<Norm>) -> Self {
        let gap = if norm == Some(Norm::LiZhang) { costs.largest_gap() } else { 0 };
        Self { costs, norm, gap }
    }

    /// Whether results are the distances themselves.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.norm.is_none()
    }

    /// The measure of a pair of trees with these numbers of nodes; `all` returns the quanta for
    /// deleting one and inserting the other.
    #[inline]
    pub(crate) fn of_pair(&self, nodes: (usize, usize), all: impl FnOnce() -> i128) -> Measure {
        let (n, m) = nodes;
        // If the divisor is 0, then so is the distance.
        let share = |divisor: f64| Measure::Share(if divisor > 0.0 { divisor } else { 1.0 });
        match self.norm {
            None => Measure::Plain,
            Some(Norm::Weight) => share(self.costs.total(all())),
            Some(Norm::Max) => share(n.max(m) as f64),
            Some(Norm::Sum) => share((n + m) as f64),
            Some(Norm::LiZhang) => {
                Measure::LiZhang(self.costs.total(self.gap.saturating_mul((n + m) as i128)))
            }
        }
    }
}

/// The result of one pair as a function of its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    /// The distance.
    Plain,
    /// The distance divided by this.
    Share(f64),
    /// 2 d / (a + d) for this a.
    LiZhang(f64),
}

impl Measure {
    /// The result for a distance; infinite for an infinite one, 0 for 0.
    #[inline]
    pub(crate) fn of(self, distance: f64) -> f64 {
        match self {
            Measure::Plain => distance,
            Measure::Share(divisor) => distance / divisor,
            Measure::LiZhang(_) if distance <= 0.0 || distance == f64::INFINITY => distance,
            // Monotone in floating point, unlike 2 d / (a + d).
            Measure::LiZhang(a) => 2.0 / (a / distance + 1.0),
        }
    }

    /// The largest number of quanta whose result is at most `cutoff`.
    pub(crate) fn most_quanta(self, costs: SetCosts<'_>, cutoff: f64) -> i128 {
        let guess = match self {
            Measure::Plain => cutoff,
            Measure::Share(divisor) => cutoff * divisor,
            Measure::LiZhang(a) if cutoff < 2.0 => cutoff * a / (2.0 - cutoff),
            Measure::LiZhang(_) => f64::INFINITY,
        };
        costs.last_quanta(guess, |distance| self.of(distance) <= cutoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostTable;
    use crate::pair::Costs;
    use proptest::prelude::*;

    const NORMS: [Option<Norm>; 5] =
        [None, Some(Norm::Weight), Some(Norm::Max), Some(Norm::Sum), Some(Norm::LiZhang)];

    #[test]
    fn two_empty_trees_are_at_0_and_the_largest_distance_is_at_1() {
        let costs = SetCosts::Fixed(Costs::Unit);
        for norm in NORMS {
            let measures = Measures::new(costs, norm);
            assert_eq!(measures.of_pair((0, 0), || 0).of(0.0), 0.0);
            let one = measures.of_pair((1, 0), || 1);
            assert_eq!((one.of(1.0), one.of(f64::INFINITY)), (1.0, f64::INFINITY));
        }
        let chain_and_star = |norm| Measures::new(costs, norm).of_pair((5, 5), || 10).of(8.0);
        assert_eq!(NORMS.map(chain_and_star)[..4], [8.0, 0.8, 1.6, 0.8]);
        assert!((chain_and_star(Some(Norm::LiZhang)) - 16.0 / 18.0).abs() < 1e-15);
    }

    #[test]
    fn trees_without_costs_are_at_0() {
        let table = CostTable::new(&[0.0], &[0.0], &[0.0]).unwrap();
        let costs = SetCosts::Fixed(Costs::Table(&table));
        for norm in NORMS {
            assert_eq!(Measures::new(costs, norm).of_pair((2, 3), || 0).of(0.0), 0.0);
        }
    }

    proptest! {
        #[test]
        fn measures_never_decrease_and_limits_are_the_last_within(
            gap in prop_oneof![Just(1.0), Just(0.3), Just(1.0 / 3.0), Just(1e-9), Just(1e9)],
            nodes in (0usize..200, 0usize..200),
            quanta in 0i128..1_000_000_000_000,
            cutoff in prop_oneof![0.0..2.5f64, Just(0.0), Just(1.0), Just(2.0)],
        ) {
            let table = CostTable::new(&[0.7], &[gap], &[0.1]).unwrap();
            for costs in [Costs::Unit, Costs::Table(&table)].map(SetCosts::Fixed) {
                for norm in NORMS {
                    let measure = Measures::new(costs, norm).of_pair(nodes, || 7 + quanta / 3);
                    let value = |quanta| measure.of(costs.total(quanta));
                    for other in [quanta + 1, quanta + quanta / 7 + 1] {
                        prop_assert!(value(quanta) <= value(other));
                    }
                    // At, below and above values that occur.
                    for cutoff in [cutoff, value(quanta), value(quanta).next_down().max(0.0)] {
                        let limit = measure.most_quanta(costs, cutoff);
                        prop_assert!(value(limit) <= cutoff);
                        prop_assert!(limit == i128::MAX - 1 || value(limit + 1) > cutoff);
                    }
                }
            }
        }
    }
}
