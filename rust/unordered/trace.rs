//! One optimal alignment, read off the tables from the roots down.

use crate::error::Result;
use crate::pair::Pair;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Oriented};
use crate::unordered::dag::{Dag, OfTree, Subtrees, codes_of_tree};
use crate::unordered::pair::{Workspace, width_of, with_table};
use crate::unordered::quantum::{Quantum, Width};
use crate::unordered::table::Table;

/// The cost of one optimal alignment and its pairs in preorder, those of the first tree ascending.
///
/// # Errors
/// [`crate::Error::Memory`] if the table does not fit, [`crate::Error::Cancelled`].
pub fn align(
    pair: &Pair<'_>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<(f64, Vec<(u32, u32)>)> {
    let (x, y) = (OfTree::new(pair.x.tree), OfTree::new(pair.y.tree));
    let codes = [&pair.x, &pair.y].map(codes_of_tree);
    let sides = (Subtrees { dag: &x, codes: &codes[0] }, Subtrees { dag: &y, codes: &codes[1] });
    let (mut pairs, saved) = with_table!(workspace, width_of(&x, &y, pair.costs), table => {
        table.fill(sides, pair.costs, true, cancel, |_, _| {})?;
        let saved = table.rows[x.roots[0] as usize].tree[y.roots[0] as usize];
        (Trace::new(pair, (&x, &y), table).pairs(cancel)?, saved.wide())
    });
    let preorder = [&pair.x, &pair.y]
        .map(|side| side.tree.oriented(Orientation::Left).preorder(Orientation::Left));
    for (i, j) in &mut pairs {
        (*i, *j) = (preorder[0][*i as usize] as u32, preorder[1][*j as usize] as u32);
    }
    pairs.sort_unstable();
    Ok((pair.costs.total(pair.nothing_saved() - saved * pair.costs.unit()), pairs))
}

/// Two nodes, in postorder: their subtrees, or the forests below them.
#[derive(Debug, Clone, Copy)]
enum Step {
    Trees(usize, usize),
    Forests(usize, usize),
}

struct Trace<'a, Q> {
    pair: &'a Pair<'a>,
    trees: [&'a Oriented; 2],
    dags: [&'a Dag; 2],
    table: &'a mut Table<Q>,
    /// Children by their number, on both sides.
    children: [Vec<(u32, usize)>; 2],
}

impl<'a, Q: Quantum> Trace<'a, Q> {
    fn new(pair: &'a Pair<'a>, (x, y): (&'a Dag, &'a Dag), table: &'a mut Table<Q>) -> Self {
        let trees = [&pair.x, &pair.y].map(|side| side.tree.oriented(Orientation::Left));
        Self { pair, trees, dags: [x, y], table, children: Default::default() }
    }

    fn id(&self, side: usize, node: usize) -> u32 {
        self.dags[side].of(0)[node]
    }

    fn tree(&self, i: usize, j: usize) -> Q {
        self.table.rows[self.id(0, i) as usize].tree[self.id(1, j) as usize]
    }

    fn forest(&self, i: usize, j: usize) -> Q {
        self.table.rows[self.id(0, i) as usize].forest[self.id(1, j) as usize]
    }

    /// What pairing two nodes saves, `None` if one of them is a virtual root or pairing loses.
    fn saving(&self, i: usize, j: usize) -> Option<Q> {
        let code = |side: usize, node: usize| {
            let operand = [&self.pair.x, &self.pair.y][side];
            let label = operand.tree.labels().get(self.trees[side].label[node] as usize);
            label.map(|&label| operand.code(label))
        };
        let raw = self.pair.costs.raw_saving(code(0, i)?, code(1, j)?);
        (raw >= 0).then(|| Q::from_wide(raw / self.pair.costs.unit()))
    }

    /// The pairs, in postorder numbers.
    fn pairs(mut self, cancel: &Cancel) -> Result<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        let mut steps = vec![Step::Trees(self.trees[0].len() - 1, self.trees[1].len() - 1)];
        while let Some(step) = steps.pop() {
            cancel.check()?;
            match step {
                Step::Trees(i, j) => {
                    let saved = self.tree(i, j);
                    let below = self.forest(i, j);
                    let children = |side: usize, node: usize| self.trees[side].children(node);
                    if self.saving(i, j).is_some_and(|saving| below + saving == saved) {
                        pairs.push((i as u32, j as u32));
                        steps.push(Step::Forests(i, j));
                    } else if let Some(s) = children(0, i).find(|&s| self.tree(s, j) == saved) {
                        steps.push(Step::Trees(s, j));
                    } else if let Some(t) = children(1, j).find(|&t| self.tree(i, t) == saved) {
                        steps.push(Step::Trees(i, t));
                    } else {
                        steps.push(Step::Forests(i, j));
                    }
                }
                Step::Forests(i, j) => self.forests(i, j, &mut steps, cancel)?,
            }
        }
        Ok(pairs)
    }

    fn forests(
        &mut self,
        i: usize,
        j: usize,
        steps: &mut Vec<Step>,
        cancel: &Cancel,
    ) -> Result<()> {
        for (side, node) in [(0, i), (1, j)] {
            let (tree, ids) = (self.trees[side], self.dags[side].of(0));
            self.children[side].clear();
            self.children[side].extend(tree.children(node).map(|child| (ids[child], child)));
            self.children[side].sort_unstable();
        }
        if self.children.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let saved = self.forest(i, j);
        let kids = (self.dags[0].kids(self.id(0, i)), self.dags[1].kids(self.id(1, j)));
        let Table { rows, matching, .. } = &mut *self.table;
        let row = |kid: u32| &rows[kid as usize].tree[..];
        if matching.solve(kids, row, None, cancel)? == saved {
            // Equal children are neighbours, and taken one after the other.
            let starts = |kids: &[(u32, u32)]| {
                let add = |sum: &mut usize, kid: &(u32, u32)| {
                    let start = *sum;
                    *sum += kid.1 as usize;
                    Some(start)
                };
                kids.iter().scan(0, add).collect::<Vec<_>>()
            };
            let (mut next_x, mut next_y) = (starts(kids.0), starts(kids.1));
            for (a, b, count) in self.table.matching.pairs() {
                for _ in 0..count {
                    let (s, t) = (self.children[0][next_x[a]].1, self.children[1][next_y[b]].1);
                    steps.push(Step::Trees(s, t));
                    next_x[a] += 1;
                    next_y[b] += 1;
                }
            }
            return Ok(());
        }
        let below_x = self.children[0].iter().map(|child| child.1);
        if let Some(s) = below_x.into_iter().find(|&s| self.forest(s, j) == saved) {
            steps.push(Step::Forests(s, j));
        } else if let Some(t) =
            self.children[1].iter().map(|child| child.1).find(|&t| self.forest(i, t) == saved)
        {
            steps.push(Step::Forests(i, t));
        }
        Ok(())
    }
}
