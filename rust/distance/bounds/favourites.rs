//! The label bound of a table: every label has a favourite in the other tree, and a next best.
//!
//! A node with label a saves at most what a saves with its favourite among the labels of the
//! other tree, but no more nodes can have that favourite than the other tree has nodes of it; the
//! rest save at most what a saves with its next best. Summed over the nodes of x, or over those
//! of y, that bounds what an alignment saves. With unit costs it is the histogram bound.

use super::Both;
use super::labels::Labels;
use crate::cost::CostTable;
use crate::error::Result;
use crate::parallel::Cancel;

/// Most favourites (of all labels, for all trees of a set) that are looked up in advance.
const MOST_KNOWN: usize = 1 << 21;
/// Looking up pays if a tree meets this many times more trees than there are labels.
const OFTEN: usize = 4;

/// Up to this many nodes savings of at most 2^41 quanta add up within 64 bits.
const NARROW_NODES: u32 = 1 << 21;

/// What one label saves with the labels of a tree, at most.
#[derive(Debug, Clone, Copy, Default)]
struct Favourite<N> {
    best: N,
    /// How many nodes the tree has of the best one.
    count: u32,
    next: N,
}

/// Bytes of one that is looked up in advance, and of all of them on one side.
pub(crate) const FAVOURITES_BYTES: (u64, u64) = {
    let one = size_of::<Favourite<i64>>() as u64;
    (one, one * MOST_KNOWN as u64)
};

#[derive(Debug)]
pub(super) struct Favourites<'a> {
    labels: Both<Labels>,
    table: &'a CostTable,
    /// What deleting all of a tree of x, inserting all of a tree of y costs.
    deletes: Vec<i128>,
    inserts: Vec<i128>,
    /// For every tree of y the favourites of all row labels, if looked up in advance; and for
    /// every tree of x those of all column labels.
    known: [Option<Vec<Favourite<i64>>>; 2],
}

impl<'a> Favourites<'a> {
    pub(super) fn new(labels: Both<Labels>, table: &'a CostTable, cancel: &Cancel) -> Result<Self> {
        let sums = |labels: &Labels, cost: &dyn Fn(u32) -> i128| {
            let of = |tree| labels.of(tree).iter().map(|&(a, n)| i128::from(n) * cost(a)).sum();
            (0..labels.trees()).map(of).collect::<Vec<_>>()
        };
        let (rows, columns) = table.shape();
        let (x, y) = (&labels.x, labels.y());
        let known = |from: usize, trees: &Labels, others: usize, weight: &Weight<'_>| {
            let many = from.saturating_mul(trees.trees());
            if table.is_wide() || many > MOST_KNOWN || from > OFTEN * others {
                return Ok(None);
            }
            let mut known = Vec::with_capacity(many);
            for tree in 0..trees.trees() {
                cancel.check()?;
                let all = 0..from as u32;
                known.extend(all.map(|a| favourite(trees.of(tree), |b| weight(a, b))));
            }
            Ok(Some(known))
        };
        Ok(Self {
            deletes: sums(x, &|a| table.delete(a)),
            inserts: sums(y, &|b| table.insert(b)),
            known: [
                known(rows, y, x.trees(), &|a, b| table.saving(a, b) as i64)?,
                known(columns, x, y.trees(), &|b, a| table.saving(a, b) as i64)?,
            ],
            labels,
            table,
        })
    }

    /// What deleting all of one and inserting all of the other costs.
    pub(super) fn all(&self, i: usize, j: usize) -> i128 {
        self.deletes[i] + self.inserts[j]
    }

    pub(super) fn bound(&self, i: usize, j: usize) -> i128 {
        let (x, y) = (self.labels.x.of(i), self.labels.y().of(j));
        let (rows, columns) = self.table.shape();
        let known = |side: usize, tree: usize, labels: usize| {
            self.known[side].as_ref().map(|known| &known[tree * labels..][..labels])
        };
        let (of_rows, of_columns) = (known(0, j, rows), known(1, i, columns));
        let table = self.table;
        let nodes = self.labels.x.nodes(i).max(self.labels.y().nodes(j));
        let saved = if table.is_wide() || nodes > NARROW_NODES {
            let forth = saved(x, |a| favourite(y, |b| table.raw_saving(a, b).max(0)));
            forth.min(saved(y, |b| favourite(x, |a| table.raw_saving(a, b).max(0))))
        } else {
            let forth = match of_rows {
                Some(known) => saved(x, |a| known[a as usize]),
                None => saved(x, |a| favourite(y, |b| table.saving(a, b) as i64)),
            };
            let forth: i64 = forth.min(match of_columns {
                Some(known) => saved(y, |b| known[b as usize]),
                None => saved(y, |b| favourite(x, |a| table.saving(a, b) as i64)),
            });
            forth.into()
        };
        // Two labels may both count on what the other cannot give.
        (self.all(i, j) - saved).max(0)
    }
}

type Weight<'a> = dyn Fn(u32, u32) -> i64 + 'a;

fn favourite<N: Copy + Default + PartialOrd>(
    labels: &[(u32, u32)],
    saving: impl Fn(u32) -> N,
) -> Favourite<N> {
    let mut found = Favourite::default();
    for &(label, count) in labels {
        let saving = saving(label);
        if saving > found.best {
            found = Favourite { best: saving, count, next: found.best };
        } else if saving > found.next {
            found.next = saving;
        }
    }
    found
}

/// What the nodes of a tree save at most, each with its favourite or its next best.
fn saved<N>(labels: &[(u32, u32)], favourite: impl Fn(u32) -> Favourite<N>) -> N
where
    N: Copy + From<u32> + std::ops::Mul<Output = N> + std::iter::Sum,
{
    let of = |&(label, count): &(u32, u32)| {
        let Favourite { best, count: places, next } = favourite(label);
        let lucky = count.min(places);
        [best * N::from(lucky), next * N::from(count - lucky)]
    };
    labels.iter().flat_map(of).sum()
}
