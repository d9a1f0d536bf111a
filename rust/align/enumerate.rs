//! All optimal alignments, one after the other, each exactly once.

use crate::align::Integer;
use crate::align::Pairs;
use crate::align::count::CoOptimal;
use crate::align::forest::step;
use crate::align::reach::Reached;
use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::{Paths, Span};

/// An iterator over optimal alignments that owns what it needs.
///
/// A derivation is a list of decisions; the next one changes the last decision that has a second
/// option and goes on from there. Nodes are paired as early as possible first.
#[derive(Debug)]
pub struct Enumeration {
    nodes: (usize, usize),
    sides: [TreeWalk; 2],
    /// Forests by pair of spans; `u32::MAX` where no optimal alignment passes.
    forest_of: Vec<u32>,
    /// Width and open steps of each forest.
    forests: Vec<(usize, Vec<u8>)>,
    /// For every choice so far, whether the second option was taken.
    decisions: Vec<bool>,
    finished: bool,
}

/// What is needed of one tree.
#[derive(Debug)]
struct TreeWalk {
    first: Vec<u32>,
    spans: Vec<Span>,
    span_of: Vec<u32>,
    preorder: Vec<usize>,
}

impl Enumeration {
    /// Prepares the walk; nothing is enumerated yet.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if the forests do not fit, [`crate::Error::Cancelled`] if asked to.
    #[allow(private_bounds)]
    pub fn new<Q: Integer>(cooptimal: &CoOptimal<'_, Q>, cancel: &Cancel) -> Result<Self> {
        let problem = cooptimal.problem();
        let walk = |side: &Paths| TreeWalk {
            first: side.first.clone(),
            spans: side.spans.clone(),
            span_of: side.span_of.clone(),
            preorder: side.preorder.clone(),
        };
        let cells = |&(s, t): &(u32, u32)| {
            let (a, b) = problem.spans((s as usize, t as usize));
            (a.len() as u64 + 1) * (b.len() as u64 + 1)
        };
        let active = &cooptimal.reach().spans;
        memory::check("the enumeration of alignments", active.iter().map(cells).sum())?;
        let columns = problem.y.spans.len();
        let pairs = problem.x.spans.len() * columns;
        let mut forest_of = memory::filled("the enumeration of alignments", pairs, u32::MAX)?;
        let mut forests = Vec::new();
        let (list, mut reached) = (cooptimal.lister(cancel), Reached::default());
        for &(s, t) in active {
            cancel.check()?;
            let pair = (s as usize, t as usize);
            reached.clear();
            list(pair, &mut reached)?;
            let (a, b) = problem.spans(pair);
            forest_of[pair.0 * columns + pair.1] = forests.len() as u32;
            forests.push((
                b.len() + 1,
                reached.forest(0..reached.len()).steps(b.len() + 1, a.len() + 1),
            ));
        }
        Ok(Self {
            nodes: problem.shape(),
            sides: [walk(problem.x), walk(problem.y)],
            forest_of,
            forests,
            decisions: Vec::new(),
            finished: false,
        })
    }

    /// Follows the decisions made, and first options beyond them.
    fn derive(&mut self) -> Pairs {
        let (n, m) = self.nodes;
        let mut pairs = Pairs::new();
        let [x, y] = &self.sides;
        if n == 0 || m == 0 {
            return pairs;
        }
        let (decisions, mut made) = (&mut self.decisions, 0);
        let mut takes_first = |steps: u8, first: u8, second: u8| {
            if steps & first == 0 || steps & second == 0 {
                return steps & first != 0;
            }
            if made == decisions.len() {
                decisions.push(false);
            }
            made += 1;
            !decisions[made - 1]
        };
        let columns = y.spans.len();
        let mut stack = vec![(x.spans.len() - 1, columns - 1, n, m)];
        while let Some((s, t, mut r, mut c)) = stack.pop() {
            if r == 0 || c == 0 {
                continue;
            }
            let (width, steps) = &self.forests[self.forest_of[s * columns + t] as usize];
            let (a, b) = (x.spans[s], y.spans[t]);
            let mut is_mapped = false;
            while r > 0 && c > 0 {
                let open = steps[r * width + c];
                if !is_mapped {
                    is_mapped = takes_first(open, step::MAPPED, step::DELETE);
                    r -= usize::from(!is_mapped);
                    continue;
                }
                if !takes_first(open, step::PAIR, step::INSERT) {
                    c -= 1;
                    continue;
                }
                let (i, j) = (a.first + r - 1, b.first + c - 1);
                pairs.push((x.preorder[i] as u32, y.preorder[j] as u32));
                let (s, t) = (x.span_of[i] as usize, y.span_of[j] as usize);
                stack.push((s, t, i - x.spans[s].first, j - y.spans[t].first));
                (r, c) = (x.first[i] as usize - a.first, y.first[j] as usize - b.first);
                is_mapped = false;
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

impl Iterator for Enumeration {
    type Item = Pairs;

    fn next(&mut self) -> Option<Pairs> {
        if self.finished {
            return None;
        }
        let pairs = self.derive();
        while self.decisions.pop_if(|second| *second).is_some() {}
        match self.decisions.last_mut() {
            Some(second) => *second = true,
            None => self.finished = true,
        }
        Some(pairs)
    }
}
