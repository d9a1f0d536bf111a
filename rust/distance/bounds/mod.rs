//! Lower bounds of the distance that cost far less than the distance.
//!
//! A tree alignment pairs nodes one to one, and it keeps their order both in preorder and in
//! postorder. So what it saves is at most
//!
//! - what any pairing of the labels saves, wherever the nodes are: the *label bound*
//!   (`histogram.rs` for unit costs, `favourites.rs` for tables, `gaps.rs` for vectors);
//! - what the best alignment of the two preorder strings saves, and the same for the postorder
//!   strings (Guha et al. 2002): the *string bound* (`strings.rs`, `alignment.rs`).
//!
//! Both hold for every table, a metric or not, because the distance of this package is the price
//! of the cheapest alignment, and savings are what is bounded. Values are whole quanta, and
//! turning quanta into a distance keeps their order, so a pair may be left out if and only if the
//! bound as a distance is above the cutoff.
//!
//! Other bounds of the literature (degrees, leaves, binary branches) add nothing to these two.

mod alignment;
mod favourites;
mod gaps;
mod histogram;
mod labels;
mod strings;
#[cfg(test)]
mod tests;

use crate::cost::CostTable;
use crate::distance::Pricing;
use crate::error::Result;
use crate::pairwise::{Prices, Side};
use crate::parallel::Cancel;
pub(crate) use favourites::FAVOURITES_BYTES;
use favourites::Favourites;
use gaps::Gaps;
use histogram::Histograms;
use labels::Labels;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most cells of a string bound, bit-parallel and one by one: a tenth of a second or so. Larger
/// pairs are left to the label bound, so that nobody waits long for a bound that may not help.
const MOST_CELLS: (u64, u64) = (1 << 31, 1 << 27);

/// Cells of a packed kernel in the time of one word, or of one cell, of both string bounds.
const WORD_CELLS: f64 = 30.0;
const SAVINGS_CELLS: f64 = 2.0;

/// Something of the trees of two sets, which may be one.
#[derive(Debug)]
struct Both<T> {
    x: T,
    /// `None` if both sets are the same.
    other: Option<T>,
}

impl<T> Both<T> {
    fn new(x: Side<'_>, y: Side<'_>, make: impl Fn(Side<'_>) -> Result<T>) -> Result<Self> {
        let same = |a: Option<&[u32]>, b: Option<&[u32]>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => false,
        };
        let one = std::ptr::eq(x.trees, y.trees) && same(x.codes, y.codes);
        Ok(Self { x: make(x)?, other: if one { None } else { Some(make(y)?) } })
    }

    fn y(&self) -> &T {
        self.other.as_ref().unwrap_or(&self.x)
    }

    fn map<U>(&self, make: impl Fn(&T) -> U) -> Both<U> {
        Both { x: make(&self.x), other: self.other.as_ref().map(make) }
    }
}

/// What the bounds need of each tree of two sets, made once.
#[derive(Debug)]
pub(crate) struct Bounds<'a> {
    /// Tells scratch that was filled for other trees.
    identity: u64,
    x: Side<'a>,
    y: Side<'a>,
    kind: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
    Unit(Histograms),
    Table(Favourites<'a>, &'a CostTable),
    Vectors(Gaps),
}

/// Scratch of one thread. Bounds of one `i` and many `j` in turn share the preparation of `i`.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// What `pattern` was made of.
    prepared: Option<(u64, usize)>,
    pattern: strings::Pattern,
    rows: alignment::Rows,
}

impl<'a> Bounds<'a> {
    /// Looks at all trees of two sets, as in [`crate::pairwise::Request`].
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub(crate) fn new(
        x: Side<'a>,
        y: Side<'a>,
        prices: Prices<'a>,
        cancel: &Cancel,
    ) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let labels = Both::new(x, y, |side| Labels::new(side, cancel))?;
        let kind = match prices {
            Prices::Fixed(Pricing::Unit) => Kind::Unit(Histograms::new(&labels)),
            Prices::Fixed(Pricing::Table(table)) => {
                Kind::Table(Favourites::new(labels, table, cancel)?, table)
            }
            Prices::Vectors(vectors) => Kind::Vectors(Gaps::new(&labels, vectors)),
        };
        Ok(Self { identity: NEXT.fetch_add(1, Ordering::Relaxed), x, y, kind })
    }

    /// The label bound of tree `i` of the first set and tree `j` of the second, in quanta.
    pub(crate) fn quick(&self, i: usize, j: usize) -> i128 {
        match &self.kind {
            Kind::Unit(histograms) => histograms.bound(i, j).into(),
            Kind::Table(favourites, _) => favourites.bound(i, j),
            Kind::Vectors(gaps) => gaps.bound(i, j),
        }
    }

    /// The larger of the label bound and the string bound, in quanta.
    pub(crate) fn tight(&self, i: usize, j: usize, scratch: &mut Scratch) -> i128 {
        self.quick(i, j).max(self.of_strings(i, j, i128::MAX, scratch))
    }

    /// Whether the larger of both bounds is above `limit`; stops as soon as that is known.
    pub(crate) fn tight_above(
        &self,
        i: usize,
        j: usize,
        limit: i128,
        scratch: &mut Scratch,
    ) -> bool {
        self.quick(i, j) > limit || self.of_strings(i, j, limit, scratch) > limit
    }

    /// About what the string bound of a pair costs, in cells of a distance.
    pub(crate) fn cells(&self, i: usize, j: usize) -> f64 {
        let (n, m) = self.nodes(i, j);
        match &self.kind {
            Kind::Unit(_) => WORD_CELLS * n.div_ceil(64) as f64 * m as f64,
            Kind::Table(..) => SAVINGS_CELLS * n as f64 * m as f64,
            Kind::Vectors(_) => 0.0,
        }
    }

    fn nodes(&self, i: usize, j: usize) -> (u64, u64) {
        (self.x.trees[i].nodes() as u64, self.y.trees[j].nodes() as u64)
    }

    /// The string bound, or less of it that is above `limit` all the same.
    fn of_strings(&self, i: usize, j: usize, limit: i128, scratch: &mut Scratch) -> i128 {
        let (n, m) = self.nodes(i, j);
        let (x, y) = (self.x.operand(i), self.y.operand(j));
        match &self.kind {
            Kind::Unit(_) if n * m <= MOST_CELLS.0 => {
                if scratch.prepared != Some((self.identity, i)) {
                    scratch.pattern.prepare(&x);
                    scratch.prepared = Some((self.identity, i));
                }
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                scratch.pattern.bound(&y, limit).into()
            }
            Kind::Table(favourites, table) if n * m <= MOST_CELLS.1 && !table.is_wide() => {
                favourites.all(i, j) - i128::from(scratch.rows.savings(&x, &y, table))
            }
            _ => 0,
        }
    }
}
