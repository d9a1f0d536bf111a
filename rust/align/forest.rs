//! The forests of one pair of spans: best savings, and which derivation steps keep them.

use crate::align::problem::{Problem, Span};

/// Steps of the grammar that are open in a cell.
pub(crate) mod step {
    /// any: delete the node of x.
    pub(crate) const DELETE: u8 = 1;
    /// any: go on with the node of x mapped.
    pub(crate) const MAPPED: u8 = 2;
    /// mapped: insert the node of y.
    pub(crate) const INSERT: u8 = 4;
    /// mapped: pair the two nodes.
    pub(crate) const PAIR: u8 = 8;
    /// Everything.
    pub(crate) const ALL: u8 = 15;
}

/// Below every saving, and far from overflow.
const NEVER: i128 = i128::MIN / 4;

/// Values and open steps of all prefixes of two spans. Cell `(r, c)` stands for the first r nodes
/// of one span and the first c of the other, hence for the nodes `first + r - 1`, `first + c - 1`.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    pub(crate) width: usize,
    pub(crate) saving: Vec<i128>,
    pub(crate) steps: Vec<u8>,
}

struct Row<'a> {
    previous: &'a [i128],
    beside: &'a [i128],
    current: &'a mut [i128],
    trees: &'a [i128],
    steps: &'a mut [u8],
}

impl Forest {
    #[inline(always)]
    pub(crate) fn cell(&self, r: usize, c: usize) -> usize {
        r * self.width + c
    }

    fn reset(&mut self, (a, b): (Span, Span)) {
        self.width = b.len() + 1;
        let cells = (a.len() + 1) * self.width;
        if self.saving.len() < cells {
            self.saving.resize(cells, 0);
            self.steps.resize(cells, 0);
        }
        self.saving[..self.width].fill(0);
    }

    /// Fills the savings only.
    pub(crate) fn fill_savings(&mut self, problem: &Problem<'_>, (a, b): (Span, Span)) {
        self.reset((a, b));
        for r in 1..=a.len() {
            let Row { previous, current, beside, trees, .. } = self.row(problem, (a, b), r);
            let mut best = 0;
            for c in 1..current.len() {
                let joined = beside[problem.y.tree.first(b.first + c - 1) - b.first] + trees[c - 1];
                best = best.max(previous[c]).max(joined);
                current[c] = best;
            }
        }
    }

    /// Fills savings and steps; `may_pair(i, j)` says whether pairing these roots can be optimal.
    ///
    /// Savings of forests use those of subtrees, which are known; the steps of the grammar
    /// additionally need that the two nodes themselves are paired.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem<'_>,
        (a, b): (Span, Span),
        may_pair: impl Fn(usize, usize) -> bool,
    ) {
        self.reset((a, b));
        let slack = problem.slack;
        for r in 1..=a.len() {
            let i = a.first + r - 1;
            let Row { previous, current, beside, trees, steps } = self.row(problem, (a, b), r);
            let (mut best, mut mapped) = (0, NEVER);
            for c in 1..current.len() {
                let j = b.first + c - 1;
                let joined = beside[problem.y.tree.first(j) - b.first] + trees[c - 1];
                best = best.max(previous[c]).max(joined);
                let paired = if may_pair(i, j) { joined } else { NEVER };
                let with_insert = mapped;
                mapped = mapped.max(paired);
                current[c] = best;
                let bit = |step: u8, open: bool| if open { step } else { 0 };
                steps[c] = bit(step::DELETE, previous[c] >= best - slack)
                    | bit(step::MAPPED, mapped >= best - slack)
                    | bit(step::INSERT, with_insert >= mapped - slack && with_insert > NEVER)
                    | bit(step::PAIR, paired >= mapped - slack && paired > NEVER);
            }
        }
    }

    /// The parts that row `r` of the recursion works on.
    fn row<'a>(&'a mut self, problem: &'a Problem<'_>, (a, b): (Span, Span), r: usize) -> Row<'a> {
        let i = a.first + r - 1;
        let here = r * self.width;
        let beside = (problem.x.tree.first(i) - a.first) * self.width;
        let (above, current) = self.saving.split_at_mut(here);
        let (current, steps) = (&mut current[..self.width], &mut self.steps[here..][..self.width]);
        current[0] = 0;
        steps[0] = 0;
        Row {
            previous: &above[here - self.width..],
            beside: &above[beside..beside + self.width],
            current,
            trees: &problem.trees[i * problem.y.nodes + b.first..][..b.len()],
            steps,
        }
    }

    /// The shape of the forest with every step open.
    pub(crate) fn open_all(&mut self, (a, b): (Span, Span)) {
        self.width = b.len() + 1;
        let cells = (a.len() + 1) * self.width;
        self.steps.clear();
        self.steps.resize(cells, step::ALL);
    }
}
