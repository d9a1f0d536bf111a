//! What pairs of subtrees and of forests save: the recursion of Zhang (1996), row by row.
//!
//! With `T[i][j]` the savings of the subtrees of i and j, and `F[i][j]` those of the forests below
//! them,
//!
//! ```text
//! F[i][j] = max(F[s][j] for children s of i, F[i][t] for children t of j, best pairing of T[s][t])
//! T[i][j] = max(T[s][j] for children s of i, T[i][t] for children t of j, F[i][j] + w(i, j))
//! w(i, j) = max(0, delete(i) + insert(j) - replace(i, j))
//! ```
//!
//! All savings are at least 0, so nobody needs to be paired with nobody. With `w = 0` the two nodes
//! stay unpaired, which Zhang's costs, a metric, never need. Rows are the distinct subtrees of the
//! first side, columns those of the second.

use crate::error::Result;
use crate::memory;
use crate::pair::Costs;
use crate::parallel::Cancel;
use crate::unordered::dag::{Dag, Kid, Subtrees, are_neighbours};
use crate::unordered::labels::LabelSavings;
use crate::unordered::matching::Matching;
use crate::unordered::quantum::Quantum;
use std::ops::Range;

/// What one subtree of the rows saves with all columns.
#[derive(Debug, Default)]
pub(super) struct Row<Q> {
    pub(super) tree: Vec<Q>,
    pub(super) forest: Vec<Q>,
}

/// The two largest values over the children of a row, in every column, and where the largest is.
#[derive(Debug, Default)]
struct TwoBest<Q> {
    first: Vec<Q>,
    second: Vec<Q>,
    place: Vec<u32>,
}

/// Scratch for tables of any size.
#[derive(Debug, Default)]
pub(super) struct Table<Q> {
    pub(super) rows: Vec<Row<Q>>,
    nobody: Vec<Q>,
    best: TwoBest<Q>,
    pub(super) matching: Matching<Q>,
    labels: LabelSavings<Q>,
}

/// Bytes of a table and of its largest matching.
pub(super) fn table_bytes(x: &Dag, y: &Dag, rows: usize, value: u64) -> u64 {
    let cells = (rows as u64 + 2).saturating_mul(y.width() as u64).saturating_mul(2 * value);
    let pairs = (x.widest as u64).saturating_mul(y.widest as u64).saturating_mul(value + 4);
    cells.saturating_add(pairs)
}

impl<Q: Quantum> Table<Q> {
    /// Computes all rows, in postorder, and shows each to `visit` with its node. With `keep` the
    /// row of every node stays; otherwise rows are reused ([`Dag::slot`]).
    pub(super) fn fill(
        &mut self,
        sides: (Subtrees<'_>, Subtrees<'_>),
        costs: Costs<'_>,
        keep: bool,
        cancel: &Cancel,
        mut visit: impl FnMut(u32, &[Q]),
    ) -> Result<()> {
        let (x, y) = (sides.0.dag, sides.1.dag);
        let rows = if keep { x.width() } else { x.slots };
        memory::check("the table of subtrees", table_bytes(x, y, rows, size_of::<Q>() as u64))?;
        let width = y.width();
        if self.rows.len() < rows {
            self.rows.resize_with(rows, Row::default);
        }
        self.nobody.clear();
        self.nobody.resize(width, Q::default());
        self.labels.prepare(sides.0, sides.1, costs);
        for &id in &x.order {
            cancel.check()?;
            let slot = |id: u32| if keep { id as usize } else { x.slot[id as usize] as usize };
            let mut row = std::mem::take(&mut self.rows[slot(id)]);
            self.start_row(&mut row, x.kids(id), width, slot);
            let label = self.labels.row(sides.0, x.label[id as usize], costs);
            for (value, &saving) in row.tree[..=y.leaves].iter_mut().zip(label) {
                *value = (*value).max(saving);
            }
            let kids = x.kids(id);
            let couple = x.couple[id as usize];
            match kids.iter().map(|kid| kid.1).sum::<u32>() {
                0 => raise_leaf(&mut row.tree, label, y),
                1 | 2 => {
                    let of =
                        |kid: u32| if kid == 0 { &self.nobody } else { &self.rows[slot(kid)].tree };
                    let (a, b) = (&of(couple[0])[..width], &of(couple[1])[..width]);
                    let both = |c: usize, d: usize| (a[c] + b[d]).max(a[d] + b[c]);
                    for (couples, run) in &y.runs {
                        if *couples {
                            raise_couples(&mut row, run, label, y, both);
                        } else {
                            let many = |kids: &[Kid], _: Q| Ok(best_of_two(a, b, kids));
                            raise_many(&mut row, run, label, y, many)?;
                        }
                    }
                }
                _ => {
                    if y.runs.iter().any(|run| run.0) {
                        self.best.fill(kids, width, |kid| &self.rows[slot(kid)].tree);
                    }
                    let (best, rows, matching) = (&self.best, &self.rows, &mut self.matching);
                    for (couples, run) in &y.runs {
                        if *couples {
                            raise_couples(&mut row, run, label, y, |c, d| best.of_two(c, d));
                        } else {
                            let many = |others: &[Kid], known: Q| {
                                let row = |kid: u32| &rows[slot(kid)].tree[..];
                                matching.solve((kids, others), row, Some(known), cancel)
                            };
                            raise_many(&mut row, run, label, y, many)?;
                        }
                    }
                }
            }
            visit(id, &row.tree);
            self.rows[slot(id)] = row;
        }
        Ok(())
    }

    /// Starts with the largest savings of the children.
    fn start_row(&self, row: &mut Row<Q>, kids: &[Kid], width: usize, slot: impl Fn(u32) -> usize) {
        row.tree.clear();
        row.forest.clear();
        let Some((&(first, _), others)) = kids.split_first() else {
            row.tree.resize(width, Q::default());
            row.forest.resize(width, Q::default());
            return;
        };
        let first = &self.rows[slot(first)];
        row.tree.extend_from_slice(&first.tree[..width]);
        row.forest.extend_from_slice(&first.forest[..width]);
        for &(kid, _) in others {
            let kid = &self.rows[slot(kid)];
            for (values, others) in [(&mut row.tree, &kid.tree), (&mut row.forest, &kid.forest)] {
                for (value, &other) in values.iter_mut().zip(&others[..width]) {
                    *value = (*value).max(other);
                }
            }
        }
    }
}

/// The row of a leaf: the best of the labels below each column.
fn raise_leaf<Q: Quantum>(tree: &mut [Q], label: &[Q], y: &Dag) {
    for (couples, run) in &y.runs {
        for column in run.clone() {
            let own = label[column];
            tree[column] = if *couples {
                let [c, d] = y.couple[column];
                own.max(tree[c as usize]).max(tree[d as usize])
            } else {
                own.max(largest(tree, y.kids(column as u32)))
            };
        }
    }
}

/// Columns with at most two children; `pairing` is the best pairing of these.
#[inline(always)]
fn raise_couples<Q: Quantum>(
    row: &mut Row<Q>,
    run: &Range<usize>,
    label: &[Q],
    y: &Dag,
    pairing: impl Fn(usize, usize) -> Q,
) {
    let Row { tree, forest } = row;
    for column in run.clone() {
        let [c, d] = y.couple[column];
        let (c, d) = (c as usize, d as usize);
        let below = forest[column].max(pairing(c, d)).max(forest[c]).max(forest[d]);
        forest[column] = below;
        let paired = below + label[column];
        tree[column] = tree[column].max(paired).max(tree[c]).max(tree[d]);
    }
}

/// Columns with more children; `pairing` may return the savings that are known if no pairing has
/// more.
#[inline(always)]
fn raise_many<Q: Quantum>(
    row: &mut Row<Q>,
    run: &Range<usize>,
    label: &[Q],
    y: &Dag,
    mut pairing: impl FnMut(&[Kid], Q) -> Result<Q>,
) -> Result<()> {
    for column in run.clone() {
        let kids = y.kids(column as u32);
        let known = row.forest[column].max(largest(&row.forest, kids));
        let below = known.max(pairing(kids, known)?);
        let all = row.tree[column].max(largest(&row.tree, kids));
        row.forest[column] = below;
        row.tree[column] = all.max(below + label[column]);
    }
    Ok(())
}

/// The largest value of a row among some columns.
#[inline(always)]
fn largest<Q: Quantum>(values: &[Q], kids: &[Kid]) -> Q {
    let zero = Q::default();
    match are_neighbours(kids) {
        Some(kids) => values[kids].iter().copied().fold(zero, Q::max),
        None => kids.iter().map(|kid| values[kid.0 as usize]).fold(zero, Q::max),
    }
}

/// The best pairing of two rows with several columns.
fn best_of_two<Q: Quantum>(a: &[Q], b: &[Q], kids: &[Kid]) -> Q {
    let zero = Q::default();
    let (mut of_a, mut of_b) = ((zero, zero, 0), (zero, zero, 0));
    let raise = |best: &mut (Q, Q, u32), value: Q, place: u32| {
        if value > best.0 {
            *best = (value, best.0, place);
        } else if value > best.1 {
            best.1 = value;
        }
    };
    for &(kid, count) in kids {
        for copy in 0..count.min(2) {
            // A copy is another place.
            let place = 2 * kid + copy;
            raise(&mut of_a, a[kid as usize], place);
            raise(&mut of_b, b[kid as usize], place);
        }
    }
    if of_a.2 == of_b.2 { (of_a.0 + of_b.1).max(of_a.1 + of_b.0) } else { of_a.0 + of_b.0 }
}

impl<Q: Quantum> TwoBest<Q> {
    fn fill<'r>(&mut self, kids: &[Kid], width: usize, row: impl Fn(u32) -> &'r Vec<Q>)
    where
        Q: 'r,
    {
        for values in [&mut self.first, &mut self.second] {
            values.clear();
            values.resize(width, Q::default());
        }
        self.place.clear();
        self.place.resize(width, 0);
        for &(kid, count) in kids {
            let values = &row(kid)[..width];
            for copy in 0..count.min(2) {
                let place = 2 * kid + copy;
                for (column, &value) in values.iter().enumerate() {
                    let first = self.first[column];
                    let higher = value > first;
                    self.second[column] =
                        self.second[column].max(if higher { first } else { value });
                    self.first[column] = if higher { value } else { first };
                    self.place[column] = if higher { place } else { self.place[column] };
                }
            }
        }
    }

    /// The best pairing with two columns.
    #[inline(always)]
    fn of_two(&self, c: usize, d: usize) -> Q {
        let (first, second) = (&self.first, &self.second);
        if self.place[c] == self.place[d] {
            (first[c] + second[d]).max(second[c] + first[d])
        } else {
            first[c] + first[d]
        }
    }
}
