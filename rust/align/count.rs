//! How many optimal alignments there are, and how often each pair of nodes occurs in them.

use crate::align::Integer;
use crate::align::amount::{Amount, Scaled};
use crate::align::problem::{Order, Problem, Setting};
use crate::align::reach::{Reach, ReachScratch, Reached};
use crate::align::recycle::{Recycle, Recycled};
use crate::align::sweep::{List, Lists, Sweep};
use crate::error::Result;
use crate::memory;
use crate::pair::Pair;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Prepared};
use num_bigint::BigUint;
use std::cell::{RefCell, RefMut};

/// Above this sum of weights float64 gives way to scaled numbers.
pub(crate) const LARGEST_PLAIN: f64 = 1e280;

/// All optimal alignments of a pair of trees, in compact form.
#[derive(Debug)]
#[allow(private_bounds)]
pub struct CoOptimal<'a, Q: Recycle> {
    problem: Problem<'a, Q>,
    reach: Reach,
    /// Lists of reached cells that an earlier question has left.
    lists: RefCell<Lists>,
}

/// What is found out about a pair of trees, without the trees and their costs: so it can be kept
/// where these are not borrowed, and taken up again.
#[derive(Debug)]
#[allow(private_bounds)]
pub struct Solved<Q: Recycle> {
    trees: Recycled<Q>,
    saving: i128,
    reach: Reach,
    lists: Lists,
}

/// How often each pair of nodes occurs, in preorder, with deletions last in each row.
#[derive(Debug)]
pub struct Expectation {
    /// Row-major, `(n + 1) x (m + 1)`.
    pub shares: Vec<f64>,
}

#[allow(private_bounds)]
impl<'a, Q: Integer> CoOptimal<'a, Q> {
    /// Finds what optimal alignments pass through.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn new(problem: Problem<'a, Q>, cancel: &Cancel) -> Result<Self> {
        let reach = Reach::new(&problem, &mut ReachScratch::default(), cancel)?;
        Ok(Self { problem, reach, lists: RefCell::default() })
    }

    /// Takes up what was found out about the same pair with the same tolerance and order.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if the savings of the labels do not fit.
    pub fn resume(
        pair: Pair<'a>,
        tolerance: Option<f64>,
        order: Order,
        solved: Solved<Q>,
    ) -> Result<Self> {
        let Solved { trees, saving, reach, lists } = solved;
        let problem = Setting::new(pair, tolerance, order).with_savings(trees, saving)?;
        Ok(Self { problem, reach, lists: RefCell::new(lists) })
    }

    /// Returns what can be kept for later questions about the pair.
    pub fn into_solved(self) -> Solved<Q> {
        let (trees, saving) = self.problem.into_savings();
        Solved { trees, saving, reach: self.reach, lists: self.lists.into_inner() }
    }

    pub(crate) fn problem(&self) -> &Problem<'a, Q> {
        &self.problem
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The cost that all optimal alignments have.
    pub fn cost(&self) -> f64 {
        self.problem.optimal_cost()
    }

    /// Lists the reached cells of pairs of spans.
    pub(crate) fn lister(
        &self,
        cancel: &Cancel,
    ) -> impl Fn((usize, usize), &mut Reached) -> Result<()> {
        let scratch = RefCell::new(ReachScratch::default());
        move |pair, found| {
            self.reach.list(&self.problem, pair, &mut scratch.borrow_mut(), found, cancel)
        }
    }

    /// Amounts of every pair of nodes with what is below them, and of everything.
    pub(crate) fn amounts<A: Amount>(&self, cancel: &Cancel) -> Result<(Recycled<A>, A)> {
        let (list, weight) = (self.lister(cancel), |_, _| A::one());
        let lists = &mut self.lists.borrow_mut();
        Sweep::new(&self.problem, &self.reach, &list, &weight).forward(lists, cancel)
    }

    /// The lists of reached cells, as far as they are kept.
    pub(crate) fn lists(&self) -> RefMut<'_, Lists> {
        self.lists.borrow_mut()
    }

    /// The number of optimal alignments, exactly.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn count(&self, cancel: &Cancel) -> Result<BigUint> {
        let (_, total) = self.amounts::<f64>(cancel)?;
        // Whole numbers up to 2^53 are exact in a float64, and so are their sums and products.
        if total < (1u64 << 53) as f64 {
            return Ok(BigUint::from(total as u64));
        }
        // Every cell may need as many bits as the total.
        let bits = if total < LARGEST_PLAIN {
            total.log2()
        } else {
            self.amounts::<Scaled>(cancel)?.1.ln() * std::f64::consts::LOG2_E
        };
        let (n, m) = self.problem.shape();
        let bytes = 3 * n as u64 * m as u64 * (bits / 8.0) as u64;
        memory::check("the exact number of alignments", bytes)?;
        Ok(self.amounts::<BigUint>(cancel)?.1)
    }

    /// The share of optimal alignments with each pair, deletion and insertion.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn expectation(&self, cancel: &Cancel) -> Result<Expectation> {
        let (list, every_pair_alike) = (self.lister(cancel), |_, _| 0.0);
        let lists = &mut self.lists();
        let found =
            expectation(&self.problem, &self.reach, (&list, lists), &every_pair_alike, cancel)?;
        Ok(found.0)
    }
}

/// The expected alignment if each has a weight, the product of those of its pairs, and the
/// logarithm of the sum of all weights. `log_weight(i, j)` is that of pairing two nodes.
pub(crate) fn expectation<Q: Integer>(
    problem: &Problem<'_, Q>,
    reach: &Reach,
    (list, lists): (List<'_>, &mut Lists),
    log_weight: &dyn Fn(usize, usize) -> f64,
    cancel: &Cancel,
) -> Result<(Expectation, f64)> {
    let weight = |i, j| log_weight(i, j).exp();
    let plain = Sweep::new(problem, reach, list, &weight);
    let (pairs, total) = plain.forward(lists, cancel)?;
    // Also not so if it is infinite or, from infinite weights, not a number.
    if total < LARGEST_PLAIN {
        let shares = plain.backward(lists, &pairs, 1.0 / total, cancel)?;
        return Ok((Expectation::new(problem, |node| shares[node]), total.ln()));
    }
    let weight = |i, j| Scaled::exp(log_weight(i, j));
    let scaled = Sweep::new(problem, reach, list, &weight);
    let (pairs, total) = scaled.forward(lists, cancel)?;
    let shares = scaled.backward(lists, &pairs, total.inverse(), cancel)?;
    Ok((Expectation::new(problem, |node| shares[node].value()), total.ln()))
}

impl Expectation {
    /// From the shares of pairs in the order of the problem.
    pub(crate) fn new<Q: Integer>(problem: &Problem<'_, Q>, share: impl Fn(usize) -> f64) -> Self {
        let m = problem.shape().1;
        Self::in_preorder(&problem.x.preorder, &problem.y.preorder, |i, j| share(i * m + j))
    }

    /// From the shares of pairs of nodes in the left postorder.
    pub(crate) fn of(x: &Prepared, y: &Prepared, share: impl Fn(usize, usize) -> f64) -> Self {
        let [x, y] = [x, y].map(|tree| &tree.paths(Orientation::Left).preorder);
        Self::in_preorder(x, y, share)
    }

    /// From the shares of nodes that have these places in preorder; what is missing to 1 is deleted
    /// or inserted.
    fn in_preorder(x: &[usize], y: &[usize], share: impl Fn(usize, usize) -> f64) -> Self {
        let (n, m) = (x.len(), y.len());
        let mut shares = vec![0.0; (n + 1) * (m + 1)];
        for (i, &a) in x.iter().enumerate() {
            for (j, &b) in y.iter().enumerate() {
                shares[a * (m + 1) + b] = share(i, j);
            }
        }
        for i in 0..n {
            let row = &mut shares[i * (m + 1)..][..=m];
            row[m] = (1.0 - row[..m].iter().sum::<f64>()).max(0.0);
        }
        for j in 0..m {
            let paired: f64 = (0..n).map(|i| shares[i * (m + 1) + j]).sum();
            shares[n * (m + 1) + j] = (1.0 - paired).max(0.0);
        }
        Self { shares }
    }
}
