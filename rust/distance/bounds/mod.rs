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
//! Costs by kind of edit use the bounds of unit costs (`operations.rs`).
//!
//! Both hold for every table, a metric or not, because the distance of this package is the cost
//! of the cheapest alignment, and savings are what is bounded. Values are whole quanta, and
//! turning quanta into a distance keeps their order, so a pair may be left out if and only if the
//! bound as a distance is above the cutoff.
//!
//! The bound by the sizes alone comes first and costs next to nothing. Other bounds of
//! the literature (degrees, leaves, binary branches) add nothing to these.

mod alignment;
mod favourites;
mod gaps;
mod histogram;
mod labels;
mod operations;
mod strings;
#[cfg(test)]
mod tests;
mod time;

pub(crate) use time::{cell_time, preparation_time};

use crate::cost::OperationCosts;
use crate::error::{Error, Result};
use crate::pair::{Costs, Operand, Pair, SetCosts, Side};
use crate::parallel::{Cancel, Crew};
pub(crate) use favourites::FAVOURITES_BYTES;
use favourites::{Counted, Favourites, Role};
use gaps::Gaps;
use histogram::Histograms;
use labels::Labels;
use operations::Sizes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most cells of a string bound, bit-parallel and one by one: a tenth of a second or so. Larger
/// pairs are left to the label bound, so that nobody waits long for a bound that may not help.
const MOST_CELLS: (u64, u64) = (1 << 31, 1 << 27);
/// How many times cheaper than the distance a bound of a single pair must be: nobody knows if it
/// helps, and if not, it must cost a few per cent at most.
const PAYS_FOR_A_PAIR: f64 = 20.0;

/// What bounds keep of the targets of edits: made once, for many searches.
///
/// It fits one set of trees, its codes and its costs; who keeps it keeps these too.
#[derive(Debug)]
pub struct Catalogue(CatalogueData);

#[derive(Debug)]
enum CatalogueData {
    /// For all costs by kind of edit.
    Counts(Arc<Histograms>),
    Table(Counted),
    Gaps(Arc<Gaps>),
}

impl Catalogue {
    /// Looks at all trees. `work` is the time of all distances that they will be in.
    pub(crate) fn new(
        y: Side<'_>,
        costs: SetCosts<'_>,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        let labels = Labels::new(y, crew)?;
        Ok(Self(match costs {
            SetCosts::Fixed(Costs::Unit | Costs::Operations(_)) => {
                CatalogueData::Counts(Arc::new(Histograms::new(&labels)))
            }
            SetCosts::Fixed(Costs::Table(table)) => CatalogueData::Table(Counted::new(
                Arc::new(labels),
                table,
                Role::Columns,
                work,
                crew,
            )?),
            SetCosts::Meeting(meeting) => {
                CatalogueData::Gaps(Arc::new(Gaps::new(&labels, meeting)))
            }
        }))
    }

    /// Number of trees.
    fn len(&self) -> usize {
        match &self.0 {
            CatalogueData::Counts(histograms) => histograms.len(),
            CatalogueData::Table(counted) => counted.labels.trees(),
            CatalogueData::Gaps(gaps) => gaps.len(),
        }
    }
}

/// What the bounds need of each tree of two sets, made once.
#[derive(Debug)]
pub(crate) struct Bounds<'a> {
    /// Identifies scratch that was filled for other trees.
    identity: u64,
    x: Side<'a>,
    y: Side<'a>,
    kind: BoundData<'a>,
}

#[derive(Debug)]
enum BoundData<'a> {
    Unit(Arc<Histograms>, Arc<Histograms>),
    Operations(&'a OperationCosts, Arc<Histograms>, Arc<Histograms>),
    Table(Favourites<'a>),
    Gaps(Arc<Gaps>, Arc<Gaps>),
}

/// Buffers of one thread. Bounds of one `i` and many `j` in turn share the preparation of `i`.
#[derive(Debug, Default)]
pub(crate) struct BoundScratch {
    /// What `pattern` was made of.
    prepared: Option<(u64, usize)>,
    pattern: strings::Pattern,
    rows: alignment::StringRows,
}

/// Whether two sides are one set.
fn are_one(x: Side<'_>, y: Side<'_>) -> bool {
    let same = match (x.codes, y.codes) {
        (None, None) => true,
        (Some(a), Some(b)) => std::ptr::eq(a, b),
        _ => false,
    };
    same && std::ptr::eq(x.trees, y.trees)
}

impl<'a> Bounds<'a> {
    /// Looks at all trees of two sets, as in a request for a matrix, unless a catalogue has
    /// those of the second. `work` is the time of all distances.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if asked to stop, [`Error::Invalid`] if the catalogue is of other trees.
    pub(crate) fn new(
        x: Side<'a>,
        y: Side<'a>,
        costs: SetCosts<'a>,
        catalogue: Option<&Catalogue>,
        work: f64,
        crew: &mut Crew<'_>,
    ) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let made;
        let catalogue = if let Some(catalogue) = catalogue {
            catalogue
        } else {
            made = Catalogue::new(y, costs, work, crew)?;
            &made
        };
        if catalogue.len() != y.trees.len() {
            let (len, trees) = (catalogue.len(), y.trees.len());
            return Err(Error::Invalid(format!("a catalogue of {len} trees for {trees} trees")));
        }
        let one = are_one(x, y);
        let kind = match (&catalogue.0, costs) {
            (
                CatalogueData::Counts(of_y),
                SetCosts::Fixed(fixed @ (Costs::Unit | Costs::Operations(_))),
            ) => {
                let of_x =
                    if one { of_y.clone() } else { Arc::new(of_y.beside(&Labels::new(x, crew)?)) };
                match fixed {
                    Costs::Operations(costs) => BoundData::Operations(costs, of_x, of_y.clone()),
                    _ => BoundData::Unit(of_x, of_y.clone()),
                }
            }
            (CatalogueData::Table(of_y), SetCosts::Fixed(Costs::Table(table)))
                if of_y.fits(table.shape().0) =>
            {
                let of_x = if one {
                    of_y.in_role(table, Role::Rows, work, crew)?
                } else {
                    let labels = Arc::new(Labels::new(x, crew)?);
                    Counted::new(labels, table, Role::Rows, work, crew)?
                };
                BoundData::Table(Favourites { x: of_x, y: of_y.clone(), table })
            }
            (CatalogueData::Gaps(of_y), SetCosts::Meeting(meeting)) => {
                let of_x = if one {
                    of_y.clone()
                } else {
                    Arc::new(Gaps::new(&Labels::new(x, crew)?, meeting))
                };
                BoundData::Gaps(of_x, of_y.clone())
            }
            _ => return Err(Error::Invalid("a catalogue of other costs".to_owned())),
        };
        Ok(Self { identity: NEXT.fetch_add(1, Ordering::Relaxed), x, y, kind })
    }

    /// What the sizes of tree `i` of the first set and tree `j` of the second ask for, in quanta.
    #[inline]
    pub(crate) fn size(&self, i: usize, j: usize) -> i128 {
        match &self.kind {
            BoundData::Unit(..) => {
                let (n, m) = self.nodes(i, j);
                n.abs_diff(m).into()
            }
            BoundData::Operations(costs, ..) => Sizes { costs, nodes: self.nodes(i, j) }.by_sizes(),
            BoundData::Table(favourites) => favourites.size_bound(i, j),
            BoundData::Gaps(x, y) => gaps::bound((x, i), (y, j)),
        }
    }

    /// The label bound, in quanta; at least that of the sizes.
    pub(crate) fn quick(&self, i: usize, j: usize) -> i128 {
        match &self.kind {
            BoundData::Unit(x, y) => histogram::bound((x, i), (y, j)).into(),
            BoundData::Operations(costs, x, y) => {
                let nodes = self.nodes(i, j);
                let common = nodes.0.max(nodes.1) - u64::from(histogram::bound((x, i), (y, j)));
                Sizes { costs, nodes }.by_labels(common)
            }
            BoundData::Table(favourites) => {
                favourites.bound(i, j).max(favourites.size_bound(i, j)).max(0)
            }
            BoundData::Gaps(..) => self.size(i, j),
        }
    }

    /// The larger of the label bound and the string bound, in quanta.
    #[cfg(test)]
    fn tight(&self, i: usize, j: usize, scratch: &mut BoundScratch) -> i128 {
        self.quick(i, j).max(self.strings(i, j, i128::MAX, scratch))
    }

    /// About the time of the label bound; 0 if it is no better than that by the sizes.
    #[inline]
    pub(crate) fn label_time(&self, i: usize, j: usize) -> f64 {
        match &self.kind {
            BoundData::Unit(x, y) | BoundData::Operations(_, x, y) => {
                let (a, b) = (x.without_place(i), y.without_place(j));
                let merged = if a.min(b) == 0 { 0.0 } else { f64::from(a + b) };
                time::HISTOGRAM + time::WITHOUT_PLACE * merged
            }
            BoundData::Table(favourites) => favourites.time(i, j),
            BoundData::Gaps(..) => 0.0,
        }
    }

    /// About the time of the string bound; 0 if there is none.
    pub(crate) fn string_time(&self, i: usize, j: usize) -> f64 {
        let costs = match &self.kind {
            BoundData::Unit(..) => Costs::Unit,
            BoundData::Operations(costs, ..) => Costs::Operations(costs),
            BoundData::Table(favourites) => Costs::Table(favourites.table),
            BoundData::Gaps(..) => return 0.0,
        };
        string_time(costs, self.nodes(i, j))
    }

    fn nodes(&self, i: usize, j: usize) -> (u64, u64) {
        (self.x.trees[i].nodes() as u64, self.y.trees[j].nodes() as u64)
    }

    /// The string bound, or less of it that is above `limit` all the same; 0 if there is none.
    pub(crate) fn strings(
        &self,
        i: usize,
        j: usize,
        limit: i128,
        scratch: &mut BoundScratch,
    ) -> i128 {
        let (x, y) = (self.x.operand(i), self.y.operand(j));
        match &self.kind {
            _ if self.string_time(i, j) == 0.0 => 0,
            BoundData::Unit(..) => self
                .string_distance(i, &y, i64::try_from(limit).unwrap_or(i64::MAX), scratch)
                .into(),
            BoundData::Operations(costs, ..) => {
                let sizes = Sizes { costs, nodes: self.nodes(i, j) };
                let most = sizes.most_distance(limit);
                sizes.by_strings(self.string_distance(i, &y, most, scratch) as u64)
            }
            BoundData::Table(favourites) => {
                let saved = scratch.rows.savings(&x, &y, favourites.table);
                favourites.all(i, j) - i128::from(saved)
            }
            BoundData::Gaps(..) => 0,
        }
    }

    /// The unit-cost distance of the strings of tree `i` and `y`, or less that is above `limit`.
    fn string_distance(
        &self,
        i: usize,
        y: &Operand<'_>,
        limit: i64,
        scratch: &mut BoundScratch,
    ) -> i64 {
        if scratch.prepared != Some((self.identity, i)) {
            scratch.pattern.prepare(&self.x.operand(i));
            scratch.prepared = Some((self.identity, i));
        }
        scratch.pattern.bound(y, limit)
    }
}

/// About the time of the string bound of trees with these numbers of nodes; 0 if there is none.
fn string_time(costs: Costs<'_>, (n, m): (u64, u64)) -> f64 {
    match costs {
        Costs::Unit | Costs::Operations(_) if n * m <= MOST_CELLS.0 => {
            (time::WORD * n.div_ceil(64) as f64 + time::COLUMN) * m as f64
        }
        Costs::Table(_) if n * m <= MOST_CELLS.1 && !costs.is_wide_for((n + m) as usize) => {
            time::STRING_CELL * n as f64 * m as f64
        }
        _ => 0.0,
    }
}

/// Whether a bound that is worth its time shows that the distance of a single pair is above
/// `limit`; `work` is the time of the distance.
///
/// # Errors
/// [`Error::Cancelled`] if asked to stop.
pub(crate) fn pair_is_above(
    pair: &Pair<'_>,
    limit: i128,
    work: f64,
    cancel: &Cancel,
) -> Result<bool> {
    let Pair { x, y, costs } = *pair;
    let pays = |time: f64| time * PAYS_FOR_A_PAIR < work;
    let (n, m) = (x.tree.nodes() as u64, y.tree.nodes() as u64);
    let strings = string_time(costs, (n, m));
    let strings_pay = strings > 0.0 && pays(strings + time::PATTERN_NODE * n as f64);
    let sizes = costs.operations().map(|costs| Sizes { costs, nodes: (n, m) });
    if let Some(sizes) = sizes.filter(Sizes::strings_include_labels) {
        // An edit of a string mends one label: the string bound includes the label bound.
        let above = |most| {
            let mut pattern = strings::Pattern::default();
            pattern.prepare(&x);
            pattern.bound(&y, most) > most
        };
        return Ok(sizes.by_sizes() > limit || (strings_pay && above(sizes.most_distance(limit))));
    }
    let [alone_x, alone_y] = [x, y].map(|operand| {
        // A set of one tree.
        Side { trees: std::slice::from_ref(operand.tree), codes: operand.codes }
    });
    let labels = preparation_time((n + m) as usize);
    if !pays(labels) {
        return Ok(false);
    }
    let mut crew = Crew::alone(cancel);
    let bounds = Bounds::new(alone_x, alone_y, SetCosts::Fixed(costs), None, 0.0, &mut crew)?;
    Ok(bounds.size(0, 0) > limit
        || (pays(labels + bounds.label_time(0, 0)) && bounds.quick(0, 0) > limit)
        || (strings_pay && bounds.strings(0, 0, limit, &mut BoundScratch::default()) > limit))
}
