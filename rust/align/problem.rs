//! A pair of trees as the alignment algorithms see it.

use crate::align::Integer;
use crate::align::recycle::{Recycle, Recycled};
use crate::cost::{NEVER, Scale};
use crate::distance::{Quanta, Scratch, subtree_savings};
use crate::error::Result;
use crate::memory;
use crate::pair::{Costs, Operand, Pair, SetCosts};
use crate::tree::{Orientation, Oriented, Paths, Prepared, Span};

/// What is tied by default if costs were rounded: sums may differ by this share of the optimum.
const ROUNDED_TIES: f64 = 1e-9;

/// In which order the nodes are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In preorder: the right decomposition.
    Preorder,
    /// In postorder: the left decomposition.
    Postorder,
    /// In whichever makes less work, where the order does not show in the result.
    Any,
    /// In whichever makes less work, also where the order shows in the last digits: for weights
    /// under which every alignment counts, and nothing depends on which are optimal.
    Free,
}

/// Whether [`Order::Any`] walks this pair in preorder, as [`Order::Preorder`] does.
pub fn walks_in_preorder(pair: Pair<'_>, tolerance: Option<f64>) -> bool {
    Setting::new(pair, tolerance, Order::Any).orientation == Orientation::Right
}

/// Cells of all forests of a pair in one orientation: what walks over all of them take.
fn cells(x: &Prepared, y: &Prepared, orientation: Orientation) -> f64 {
    let sum = |tree: &Oriented| {
        tree.keyroots.iter().map(|&k| f64::from(tree.size[k as usize])).sum::<f64>()
    };
    sum(x.oriented(orientation)) * sum(y.oriented(orientation))
}

/// Most cells that an alignment of the pair can take, in any order; proportional to its time.
pub fn align_work(x: &Prepared, y: &Prepared) -> f64 {
    cells(x, y, Orientation::Left).max(cells(x, y, Orientation::Right))
}

/// The cells of all forests of a pair, in the better order: what soft alignments along left or right
/// paths take.
pub(crate) fn soft_cells(x: &Prepared, y: &Prepared) -> f64 {
    cells(x, y, Orientation::Left).min(cells(x, y, Orientation::Right))
}

/// Two trees, the savings of their subtrees and of their labels, in quanta of type `Q`.
#[derive(Debug)]
#[allow(private_bounds)] // i64, or i128 for wide tables: see `in_quanta`
pub struct Problem<'a, Q: Recycle> {
    pub(crate) x: &'a Paths,
    pub(crate) y: &'a Paths,
    /// Savings of subtree pairs.
    pub(crate) trees: Recycled<Q>,
    /// Savings of label pairs, negative where pairing loses, `Q::NEVER` if they are never paired.
    labels: Vec<Q>,
    label_width: usize,
    /// Values that differ by at most this count as equal.
    pub(crate) slack: Q,
    /// Cost of an alignment that saves nothing, and the most that one can save.
    nothing_saved: i128,
    saving: i128,
    pair: Pair<'a>,
}

/// Two trees before the savings of their subtrees are known.
#[derive(Debug)]
pub(crate) struct Setting<'a> {
    pair: Pair<'a>,
    tolerance: f64,
    /// In whose postorder savings are needed.
    pub(crate) orientation: Orientation,
    nothing_saved: i128,
    exact: bool,
}

impl<'a> Setting<'a> {
    pub(crate) fn new(pair: Pair<'a>, tolerance: Option<f64>, order: Order) -> Self {
        let work = |orientation| cells(pair.x.tree, pair.y.tree, orientation);
        let nothing_saved = pair.nothing_saved();
        let exact = is_exact(pair.costs);
        let tolerance = tolerance.unwrap_or(if exact { 0.0 } else { ROUNDED_TIES });
        // Without slack the set of optimal alignments does not depend on the order of the walk.
        let no_slack = exact && tolerance * (nothing_saved as f64) < 1.0;
        let any = order == Order::Free || (order == Order::Any && no_slack);
        let left =
            order == Order::Postorder || any && work(Orientation::Left) < work(Orientation::Right);
        let orientation = if left { Orientation::Left } else { Orientation::Right };
        Self { pair, tolerance, orientation, nothing_saved, exact }
    }

    /// The problem, with the savings of all subtrees in the order of the setting, and of all.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if the savings of the labels do not fit.
    pub(crate) fn with_savings<Q: Integer>(
        self,
        trees: Recycled<Q>,
        saving: i128,
    ) -> Result<Problem<'a, Q>> {
        let Self { pair, tolerance, orientation, nothing_saved, exact } = self;
        let Pair { x, y, costs } = pair;
        let (rows, columns) = (x.tree.labels(), y.tree.labels());
        let mut labels = Vec::new();
        memory::reserve("the savings of all labels", &mut labels, rows.len() * columns.len())?;
        for &a in rows {
            let a = x.code(a);
            labels.extend(columns.iter().map(|&b| match costs.raw_saving(a, y.code(b)) {
                NEVER => Q::NEVER,
                saving => Q::from_wide(saving),
            }));
        }
        let optimum = nothing_saved - saving;
        let rounding = if exact { 0 } else { rounding(&x, &y) };
        let slack = ((tolerance * optimum as f64) as i128).max(rounding);
        Ok(Problem {
            x: x.tree.paths(orientation),
            y: y.tree.paths(orientation),
            trees,
            labels,
            label_width: columns.len(),
            // More than everything is no more than everything.
            slack: Q::from_wide(slack.min(nothing_saved)),
            nothing_saved,
            saving,
            pair,
        })
    }
}

/// Whether quanta are the costs that were asked for, unrounded.
fn is_exact(costs: Costs<'_>) -> bool {
    matches!(costs.scale(), Scale::Decimal(_))
}

/// What rounding the costs to quanta can have changed in the cost of an alignment.
fn rounding(x: &Operand<'_>, y: &Operand<'_>) -> i128 {
    (x.tree.nodes() + y.tree.nodes()) as i128
}

/// Whether the only optimal alignment of two trees is plain to see: they are alike node by node,
/// replacing each by its counterpart costs nothing, and whatever else one does, deleting or
/// inserting a node first, costs more than what counts as equal.
pub(crate) fn only_counterparts(x: &Operand<'_>, y: &Operand<'_>, costs: SetCosts<'_>) -> bool {
    if !costs.costs_nothing(x, y) {
        return false;
    }
    let all_above = |operand: &Operand<'_>, least: i128, gap: &dyn Fn(u32) -> i128| {
        operand.tree.labels().iter().all(|&label| gap(operand.code(label)) > least)
    };
    match costs {
        SetCosts::Fixed(Costs::Unit) => true,
        SetCosts::Fixed(costs) => {
            let slack = if is_exact(costs) { 0 } else { rounding(x, y) };
            all_above(x, slack, &|code| costs.delete(code))
                && all_above(y, slack, &|code| costs.insert(code))
        }
        // The same labels on both sides, and the same gaps.
        SetCosts::Meeting(meeting) => all_above(x, rounding(x, y), &|code| meeting.gap(code)),
    }
}

#[allow(private_bounds)] // i64, or i128 for wide tables: see `in_quanta`
impl<'a, Q: Integer> Problem<'a, Q> {
    /// Computes the savings of all pairs of subtrees. Two ways to go on count as equally good if
    /// they differ by at most `tolerance` of the optimal cost, or by what rounding the costs to
    /// quanta can have changed. Without a tolerance, exact costs have exact ties, and rounded ones
    /// a tolerance of 1e-9.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if they do not fit, [`crate::Error::Cancelled`] if asked to stop.
    pub fn new(
        pair: Pair<'a>,
        tolerance: Option<f64>,
        order: Order,
        scratch: &mut Scratch<'_>,
    ) -> Result<Self> {
        let setting = Setting::new(pair, tolerance, order);
        let mut trees = Recycled::default();
        let saving = subtree_savings(&pair, setting.orientation, &mut trees, scratch)?;
        setting.with_savings(trees, saving)
    }

    /// Returns the savings of all pairs of subtrees, and of the whole trees.
    pub(crate) fn into_savings(self) -> (Recycled<Q>, i128) {
        (self.trees, self.saving)
    }

    /// The saving of pairing two nodes; `Q::NEVER` is below all others by more than the slack.
    #[inline(always)]
    pub(crate) fn pair(&self, i: usize, j: usize) -> Q {
        let (a, b) = (self.x.label[i] as usize, self.y.label[j] as usize);
        self.labels[a * self.label_width + b]
    }

    /// The same for two labels, given by their indices among those of their trees.
    pub(crate) fn label_pair(&self, a: u32, b: u32) -> Q {
        self.labels[a as usize * self.label_width + b as usize]
    }

    /// The two trees.
    pub(crate) fn trees(&self) -> (&'a Prepared, &'a Prepared) {
        (self.pair.x.tree, self.pair.y.tree)
    }

    /// Label indices of all nodes of both trees, in preorder.
    pub(crate) fn labels_in_preorder(&self) -> (Vec<usize>, Vec<usize>) {
        let of = |side: &Paths| {
            let mut labels = vec![0; side.nodes];
            for (&node, &label) in side.preorder.iter().zip(&side.label) {
                labels[node] = label as usize;
            }
            labels
        };
        (of(self.x), of(self.y))
    }

    /// A pair of spans, given as indices.
    pub(crate) fn spans(&self, pair: (usize, usize)) -> (Span, Span) {
        (self.x.spans[pair.0], self.y.spans[pair.1])
    }

    /// Whether there is nothing to pair.
    pub(crate) fn is_trivial(&self) -> bool {
        self.x.nodes == 0 || self.y.nodes == 0
    }

    /// Number of nodes of the two trees.
    pub fn shape(&self) -> (usize, usize) {
        (self.x.nodes, self.y.nodes)
    }

    /// The distance: the cost of the optimal alignments.
    pub fn optimal_cost(&self) -> f64 {
        self.pair.costs.total(self.nothing_saved - self.saving)
    }

    /// Quanta as a cost.
    pub(crate) fn quanta_to_cost(&self, quanta: Q) -> f64 {
        self.pair.costs.total(quanta.to_wide())
    }

    /// Cost of deleting and inserting everything.
    pub(crate) fn cost_of_nothing_saved(&self) -> f64 {
        self.pair.costs.total(self.nothing_saved)
    }

    /// Preorder indices of a pair of nodes.
    #[inline(always)]
    pub(crate) fn preorder(&self, i: usize, j: usize) -> (u32, u32) {
        (self.x.preorder[i] as u32, self.y.preorder[j] as u32)
    }
}

/// The distances between all subtrees of `x` and of `y`, row by row, in preorder.
///
/// # Errors
/// As [`Problem::new`].
pub fn subtree_distances(pair: &Pair<'_>, scratch: &mut Scratch<'_>) -> Result<Vec<f64>> {
    let costs = pair.costs;
    let deletes = subtree_totals(&pair.x, |code| costs.delete(code));
    let inserts = subtree_totals(&pair.y, |code| costs.insert(code));
    let m = inserts.len();
    in_quanta!(costs, pair.nodes(), Q => {
        let right = Orientation::Right;
        let mut savings = Recycled::<Q>::default();
        subtree_savings(pair, right, &mut savings, scratch)?;
        // Backwards, since the postorder of the right orientation is the reversed preorder.
        let cell = |(k, &saving): (usize, &Q)| {
            costs.total(deletes[k / m] + inserts[k % m] - saving.to_wide())
        };
        let mut distances = Vec::new();
        memory::reserve("the distances of all subtrees", &mut distances, savings.len())?;
        let mut cells = savings.iter().rev().enumerate();
        while distances.len() < savings.len() {
            scratch.cancel.check()?;
            distances.extend(cells.by_ref().take(1 << 20).map(cell));
        }
        Ok(distances)
    })
}

/// The cost of all nodes of each subtree, in preorder.
fn subtree_totals(operand: &Operand<'_>, cost: impl Fn(u32) -> i128) -> Vec<i128> {
    let tree = operand.tree.oriented(Orientation::Right);
    let labels = operand.tree.labels();
    let mut sums = vec![0i128];
    for &label in &tree.label[..operand.tree.nodes()] {
        let last = sums[sums.len() - 1];
        sums.push(last + cost(operand.code(labels[label as usize])));
    }
    (0..operand.tree.nodes()).rev().map(|i| sums[i + 1] - sums[tree.first(i)]).collect()
}
