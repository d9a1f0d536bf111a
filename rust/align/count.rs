//! How many optimal alignments there are, and how often each pair of nodes occurs in them.
//!
//! Forward, the inner pairs of spans first: `any` and `mapped` hold the amounts of derivations of
//! every cell. Backward, the outer ones first: the derivative of the total with respect to each
//! amount (reverse mode). The share of alignments with a pair is the product of the two.

use crate::align::amount::{Amount, Scaled};
use crate::align::forest::{Forest, step};
use crate::align::problem::{Problem, Span};
use crate::align::reach::Reach;
use crate::error::Result;
use crate::parallel::Cancel;
use num_bigint::BigUint;

/// Above this count the sums of float64 give way to scaled numbers.
pub(crate) const LARGEST_PLAIN: f64 = 1e280;

/// Amounts of derivations of the cells of one forest.
#[derive(Debug)]
pub(crate) struct Amounts<A> {
    pub(crate) any: Vec<A>,
    pub(crate) mapped: Vec<A>,
}

impl<A: Amount> Amounts<A> {
    pub(crate) fn new() -> Self {
        Self { any: Vec::new(), mapped: Vec::new() }
    }

    fn reset(&mut self, (a, b): (Span, Span)) {
        let (width, cells) = (b.len() + 1, (a.len() + 1) * (b.len() + 1));
        if self.any.len() < cells {
            self.any.resize(cells, A::zero());
            self.mapped.resize(cells, A::zero());
        }
        self.any[..width].fill(A::one());
    }

    /// Fills all rows; `pairs` holds the amounts of each pair of nodes with what is below them.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem<'_>,
        (a, b): (Span, Span),
        forest: &Forest,
        pairs: &[A],
    ) {
        self.reset((a, b));
        for r in 1..=a.len() {
            self.fill_row(problem, (a, b), forest, pairs, r);
        }
    }

    fn fill_row(
        &mut self,
        problem: &Problem<'_>,
        (a, b): (Span, Span),
        forest: &Forest,
        pairs: &[A],
        r: usize,
    ) {
        let (x, y) = (problem.x.tree, problem.y.tree);
        let width = forest.width;
        let i = a.first + r - 1;
        let (here, beside) = (r * width, (x.first(i) - a.first) * width);
        self.any[here] = A::one();
        self.mapped[here] = A::zero();
        let pairs = &pairs[i * problem.y.nodes + b.first..][..b.len()];
        for c in 1..width {
            let steps = forest.steps[here + c];
            let mut mapped = A::zero();
            if steps & step::INSERT != 0 {
                mapped.add(&self.mapped[here + c - 1]);
            }
            if steps & step::PAIR != 0 {
                let beside = &self.any[beside + y.first(b.first + c - 1) - b.first];
                mapped.add(&beside.times(&pairs[c - 1]));
            }
            let mut any = A::zero();
            if steps & step::DELETE != 0 {
                any.add(&self.any[here + c - width]);
            }
            if steps & step::MAPPED != 0 {
                any.add(&mapped);
            }
            self.any[here + c] = any;
            self.mapped[here + c] = mapped;
        }
    }
}

/// What the two passes share.
pub(crate) struct Sweep<'p, A> {
    pub(crate) problem: &'p Problem<'p>,
    pub(crate) reach: &'p Reach,
    /// Fills the forest of a pair of spans with its open steps.
    pub(crate) open: &'p dyn Fn(&mut Forest, (Span, Span)),
    /// Weight of pairing two nodes.
    pub(crate) weight: &'p dyn Fn(usize, usize) -> A,
}

impl<A: Amount> Sweep<'_, A> {
    fn spans(&self, pair: (u32, u32)) -> (Span, Span) {
        (self.problem.x.spans[pair.0 as usize], self.problem.y.spans[pair.1 as usize])
    }

    /// Amounts of every pair of nodes with what is below them, and of everything.
    pub(crate) fn forward(&self, forest: &mut Forest, cancel: &Cancel) -> Result<(Vec<A>, A)> {
        let (n, m) = self.problem.shape();
        let mut pairs = vec![A::zero(); n * m];
        let mut amounts = Amounts::new();
        let mut total = A::one(); // of two trees of which one is empty
        for &pair in &self.reach.spans {
            cancel.check()?;
            let (a, b) = self.spans(pair);
            (self.open)(forest, (a, b));
            // Pairs on both paths are used in this very forest, after they are found.
            self.fill_in_order(forest, (a, b), &mut amounts, &mut pairs);
            total = amounts.any[(a.len() + 1) * forest.width - 1].clone();
        }
        Ok((pairs, total))
    }

    /// Fills a forest row by row, adding the amounts of its own pairs as they become known.
    fn fill_in_order(
        &self,
        forest: &Forest,
        (a, b): (Span, Span),
        amounts: &mut Amounts<A>,
        pairs: &mut [A],
    ) {
        let (problem, width) = (self.problem, forest.width);
        let (x, y) = (problem.x.tree, problem.y.tree);
        amounts.reset((a, b));
        for r in 1..=a.len() {
            let i = a.first + r - 1;
            if x.first(i) == a.first {
                for j in (b.first..=b.last).filter(|&j| y.first(j) == b.first) {
                    if self.reach.may_pair(problem, i, j) {
                        let below = &amounts.any[(r - 1) * width + j - b.first];
                        pairs[i * problem.y.nodes + j] = below.times(&(self.weight)(i, j));
                    }
                }
            }
            amounts.fill_row(problem, (a, b), forest, pairs, r);
        }
    }

    /// The share of the total that each pair of nodes takes part in, plainly or scaled.
    pub(crate) fn backward(
        &self,
        forest: &mut Forest,
        pairs: &[A],
        seed: A,
        cancel: &Cancel,
    ) -> Result<Vec<A>> {
        let (n, m) = self.problem.shape();
        let mut adjoint = vec![A::zero(); n * m];
        let mut amounts = Amounts::new();
        let (mut any, mut mapped): (Vec<A>, Vec<A>) = (Vec::new(), Vec::new());
        for (index, &pair) in self.reach.spans.iter().enumerate().rev() {
            cancel.check()?;
            let (a, b) = self.spans(pair);
            (self.open)(forest, (a, b));
            amounts.fill(self.problem, (a, b), forest, pairs);
            let width = forest.width;
            let cells = (a.len() + 1) * width;
            for buffer in [&mut any, &mut mapped] {
                buffer.clear();
                buffer.resize(cells, A::zero());
            }
            if index + 1 == self.reach.spans.len() {
                any[cells - 1] = seed.clone();
            }
            let (x, y) = (self.problem.x.tree, self.problem.y.tree);
            for r in (1..=a.len()).rev() {
                let i = a.first + r - 1;
                let beside_row = x.first(i) - a.first;
                for c in (1..width).rev() {
                    let j = b.first + c - 1;
                    let cell = r * width + c;
                    let steps = forest.steps[cell];
                    if !any[cell].is_zero() {
                        let flow = any[cell].clone();
                        if steps & step::DELETE != 0 {
                            any[cell - width].add(&flow);
                        }
                        if steps & step::MAPPED != 0 {
                            mapped[cell].add(&flow);
                        }
                    }
                    let beside_column = y.first(j) - b.first;
                    let node = i * m + j;
                    if !mapped[cell].is_zero() {
                        let flow = mapped[cell].clone();
                        if steps & step::INSERT != 0 {
                            mapped[cell - 1].add(&flow);
                        }
                        if steps & step::PAIR != 0 {
                            let beside = beside_row * width + beside_column;
                            any[beside].add(&flow.times(&pairs[node]));
                            adjoint[node].add(&flow.times(&amounts.any[beside]));
                        }
                    }
                    if beside_row == 0 && beside_column == 0 && !adjoint[node].is_zero() {
                        let flow = adjoint[node].times(&(self.weight)(i, j));
                        any[cell - width - 1].add(&flow);
                    }
                }
            }
        }
        for (adjoint, pair) in adjoint.iter_mut().zip(pairs) {
            *adjoint = adjoint.times(pair);
        }
        Ok(adjoint)
    }
}

/// All optimal alignments of a pair of trees, in compact form.
#[derive(Debug)]
pub struct CoOptimal<'a> {
    problem: Problem<'a>,
    reach: Reach,
}

/// How often each pair of nodes occurs, in preorder, with deletions last in each row.
#[derive(Debug)]
pub struct Expectation {
    /// Row-major, `(n + 1) x (m + 1)`.
    pub shares: Vec<f64>,
}

impl<'a> CoOptimal<'a> {
    /// Finds what optimal alignments pass through.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn new(problem: Problem<'a>, cancel: &Cancel) -> Result<Self> {
        let reach = Reach::new(&problem, &mut Forest::default(), cancel)?;
        Ok(Self { problem, reach })
    }

    pub(crate) fn problem(&self) -> &Problem<'a> {
        &self.problem
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The cost that all optimal alignments have.
    pub fn cost(&self) -> f64 {
        self.problem.optimal_cost()
    }

    /// The open steps of a forest.
    pub(crate) fn open(&self, forest: &mut Forest, spans: (Span, Span)) {
        forest.fill(&self.problem, spans, |i, j| self.reach.may_pair(&self.problem, i, j));
    }

    pub(crate) fn amounts<A: Amount>(&self, cancel: &Cancel) -> Result<(Vec<A>, A)> {
        let open = |forest: &mut Forest, spans: (Span, Span)| self.open(forest, spans);
        let sweep = Sweep {
            problem: &self.problem,
            reach: &self.reach,
            open: &open,
            weight: &|_, _| A::one(),
        };
        sweep.forward(&mut Forest::default(), cancel)
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
        Ok(self.amounts::<BigUint>(cancel)?.1)
    }

    /// The share of optimal alignments with each pair, deletion and insertion.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn expectation(&self, cancel: &Cancel) -> Result<Expectation> {
        let open = |forest: &mut Forest, spans: (Span, Span)| self.open(forest, spans);
        let mut forest = Forest::default();
        let (problem, reach) = (&self.problem, &self.reach);
        let plain = Sweep { problem, reach, open: &open, weight: &|_, _| 1.0 };
        let (pairs, total) = plain.forward(&mut forest, cancel)?;
        if total < LARGEST_PLAIN {
            let shares = plain.backward(&mut forest, &pairs, 1.0 / total, cancel)?;
            return Ok(Expectation::new(problem, |node| shares[node]));
        }
        let sweep = Sweep { problem, reach, open: &open, weight: &|_, _| Scaled::one() };
        let (pairs, total) = sweep.forward(&mut forest, cancel)?;
        let shares = sweep.backward(&mut forest, &pairs, total.inverse(), cancel)?;
        Ok(Expectation::new(problem, |node| shares[node].value()))
    }
}

impl Expectation {
    /// From the shares of pairs in the order of the problem; what is missing to 1 is deleted or inserted.
    pub(crate) fn new(problem: &Problem<'_>, share: impl Fn(usize) -> f64) -> Self {
        let (n, m) = problem.shape();
        let mut shares = vec![0.0; (n + 1) * (m + 1)];
        for (i, &a) in problem.x.preorder.iter().enumerate() {
            for (j, &b) in problem.y.preorder.iter().enumerate() {
                shares[a * (m + 1) + b] = share(i * m + j);
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
