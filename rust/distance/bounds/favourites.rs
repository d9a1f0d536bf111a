//! The label bound of a table: every label has a favourite in the other tree, and a next best.
//!
//! A node with label a saves at most what a saves with its favourite among the labels of the
//! other tree, but no more nodes can have that favourite than the other tree has nodes of it; the
//! rest save at most what a saves with its next best. Summed over the nodes of x, or over those
//! of y, that bounds what an alignment saves. With unit costs it is the histogram bound.
//!
//! Where one tree meets many, its favourites of all labels of the table are looked up in advance,
//! if that is a small part of the work.

use super::gaps::Totals;
use super::labels::Labels;
use super::time;
use crate::cost::CostTable;
use crate::error::Result;
use crate::pair::Costs;
use crate::parallel::Crew;
use std::sync::Arc;

/// Most favourites (of all labels, for all trees of a set) that are looked up in advance.
const MOST_KNOWN: usize = 1 << 21;
/// The part of the work of all distances that looking up in advance may take.
const WORTH: f64 = 0.01;
/// Entries of the table that are looked at between two looks at who is waiting; as many are
/// looked at within milliseconds.
const PART: usize = 1 << 20;

/// What one label saves with the labels of a tree, at most.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Favourite<N> {
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

/// The favourites of all labels of the other side, for every tree of a set.
type Known = Option<Arc<Vec<Favourite<i64>>>>;

/// What is kept of the trees of one side.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub(super) labels: Arc<Labels>,
    pub(super) totals: Arc<Totals>,
    known: Known,
}

/// Which side of the table the labels of some trees are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Rows,
    Columns,
}

impl Counted {
    /// `work` is the time of all distances that the trees will be in.
    pub(super) fn new(
        labels: Arc<Labels>,
        table: &CostTable,
        role: Role,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        let totals = Arc::new(match role {
            Role::Rows => Totals::new(&labels, |a| table.delete(a)),
            Role::Columns => Totals::new(&labels, |b| table.insert(b)),
        });
        let known = look_up(&labels, table, role, work, crew)?;
        Ok(Self { labels, totals, known })
    }

    /// The same trees in the other role; favourites serve for both if the table is symmetric.
    pub(super) fn in_role(
        &self,
        table: &CostTable,
        role: Role,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        if table.is_symmetric() {
            return Ok(self.clone());
        }
        Self::new(self.labels.clone(), table, role, work, crew)
    }

    /// Whether what is kept was made for a table with that many labels on the other side.
    pub(super) fn fits(&self, others: usize) -> bool {
        let known = self.known.as_ref();
        known.is_none_or(|known| known.len() == others * self.labels.trees())
    }

    /// The favourites of all labels in one tree.
    fn known(&self, tree: usize) -> Option<&[Favourite<i64>]> {
        let known = self.known.as_ref()?;
        let labels = known.len() / self.labels.trees();
        Some(&known[tree * labels..][..labels])
    }
}

/// Favourites of all labels of the other side, if that is worth it.
fn look_up(
    trees: &Arc<Labels>,
    table: &CostTable,
    role: Role,
    work: f64,
    crew: &mut Crew<'_>,
) -> Result<Known> {
    let (rows, columns) = table.shape();
    let others = if role == Role::Rows { columns } else { rows };
    let entries = others.saturating_mul(trees.all().len());
    if table.is_wide()
        || others == 0
        || others.saturating_mul(trees.trees()) > MOST_KNOWN
        || time::LOOK_UP * entries as f64 > WORTH * work
    {
        return Ok(None);
    }
    let parts = entries.div_ceil(PART).clamp(1, trees.trees().max(1));
    let step = trees.trees().div_ceil(parts);
    let cancel = crew.cancel.clone();
    let part = |part: usize| {
        let mut known = Vec::new();
        for tree in part * step..trees.trees().min((part + 1) * step) {
            cancel.check()?;
            let start = known.len();
            known.resize(start + others, Favourite::default());
            favourites_of_all(trees.of(tree), table, role, &mut known[start..]);
        }
        Ok(known)
    };
    let known = crew.map(parts, entries < PART, part)?;
    Ok(Some(Arc::new(known.concat())))
}

/// The favourites of all labels of the other side among those of one tree, along the rows of the
/// table as they lie in memory.
fn favourites_of_all(
    labels: &[(u32, u32)],
    table: &CostTable,
    role: Role,
    found: &mut [Favourite<i64>],
) {
    if role == Role::Columns {
        for (a, found) in (0..).zip(found) {
            *found = favourite(labels, |b| table.saving(a, b) as i64);
        }
        return;
    }
    for &(a, count) in labels {
        for (b, found) in (0..).zip(found.iter_mut()) {
            found.meet(table.saving(a, b) as i64, count);
        }
    }
}

impl<N: Copy + PartialOrd> Favourite<N> {
    #[inline(always)]
    fn meet(&mut self, saving: N, count: u32) {
        if saving > self.best {
            *self = Self { best: saving, count, next: self.best };
        } else if saving > self.next {
            self.next = saving;
        }
    }
}

fn favourite<N: Copy + Default + PartialOrd>(
    labels: &[(u32, u32)],
    saving: impl Fn(u32) -> N,
) -> Favourite<N> {
    let mut found = Favourite::default();
    for &(label, count) in labels {
        found.meet(saving(label), count);
    }
    found
}

/// What the trees of two sets keep of their labels.
#[derive(Debug)]
pub(super) struct Favourites<'a> {
    pub(super) x: Counted,
    pub(super) y: Counted,
    pub(super) table: &'a CostTable,
}

impl Favourites<'_> {
    /// What deleting all of one and inserting all of the other costs.
    pub(super) fn all(&self, i: usize, j: usize) -> i128 {
        self.x.totals.all(i) + self.y.totals.all(j)
    }

    /// What the sizes alone ask for: the nodes that the larger tree has more cost at least as much as its
    /// cheapest, and no pair saves more than the largest saving.
    pub(super) fn size_bound(&self, i: usize, j: usize) -> i128 {
        let (n, m) = (self.x.labels.nodes(i), self.y.labels.nodes(j));
        let rest =
            if n > m { self.x.totals.least(i, n - m) } else { self.y.totals.least(j, m - n) };
        rest.max(self.all(i, j) - i128::from(n.min(m)) * self.table.largest_saving())
    }

    /// About the time of `bound`.
    pub(super) fn time(&self, i: usize, j: usize) -> f64 {
        let (x, y) = (self.x.labels.of(i).len() as f64, self.y.labels.of(j).len() as f64);
        let side = |known: &Known, labels| {
            if known.is_some() { time::KNOWN * labels } else { time::LOOK_UP * x * y }
        };
        time::LABELS + side(&self.y.known, x) + side(&self.x.known, y)
    }

    pub(super) fn bound(&self, i: usize, j: usize) -> i128 {
        let (x, y) = (self.x.labels.of(i), self.y.labels.of(j));
        let table = self.table;
        let nodes = self.x.labels.nodes(i).max(self.y.labels.nodes(j));
        let saved = if Costs::Table(table).is_wide_for(2 * nodes as usize) {
            let forth = saved(x, |a| favourite(y, |b| table.raw_saving(a, b).max(0)));
            forth.min(saved(y, |b| favourite(x, |a| table.raw_saving(a, b).max(0))))
        } else {
            let forth = match self.y.known(j) {
                Some(known) => saved(x, |a| known[a as usize]),
                None => saved(x, |a| favourite(y, |b| table.saving(a, b) as i64)),
            };
            let forth: i64 = forth.min(match self.x.known(i) {
                Some(known) => saved(y, |b| known[b as usize]),
                None => saved(y, |b| favourite(x, |a| table.saving(a, b) as i64)),
            });
            forth.into()
        };
        // Two labels may both count on what the other cannot give.
        self.all(i, j) - saved
    }
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
