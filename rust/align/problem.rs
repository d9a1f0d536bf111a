//! A pair of trees as the alignment algorithms see it.

use crate::distance::{
    Operand, Pricing, Workspace, delete_all, insert_all, subtree_savings, total,
};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::tree::{Orientation, Oriented, Prepared};

/// A path of the right decomposition with all that hangs below it: an interval of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.last + 1 - self.first
    }
}

/// In which order the nodes are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In preorder: the right decomposition.
    Preorder,
    /// In whichever makes less work, where the order does not show in the result.
    Any,
}

/// Cells of all forests of a pair in one orientation: what walks over all of them take.
fn cells(x: &Prepared, y: &Prepared, orientation: Orientation) -> f64 {
    let sum = |tree: &Oriented| {
        tree.keyroots.iter().map(|&k| f64::from(tree.size[k as usize])).sum::<f64>()
    };
    sum(x.oriented(orientation)) * sum(y.oriented(orientation))
}

/// Most cells that an alignment of the pair can take; proportional to its time.
pub fn align_work(x: &Prepared, y: &Prepared) -> f64 {
    cells(x, y, Orientation::Right)
}

/// One of the two trees, in the postorder of the chosen orientation.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    pub(crate) tree: &'a Oriented,
    pub(crate) nodes: usize,
    /// Ascending by their last node; the last one is the whole tree or forest.
    pub(crate) spans: Vec<Span>,
    /// The span on whose path each node lies.
    pub(crate) span_of: Vec<u32>,
    /// Preorder index of each node.
    pub(crate) preorder: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(prepared: &'a Prepared, orientation: Orientation) -> Self {
        let (tree, nodes) = (prepared.oriented(orientation), prepared.nodes());
        let mut spans = Vec::new();
        let mut span_of = vec![0; nodes];
        if nodes > 0 {
            for &keyroot in &tree.keyroots {
                let keyroot = keyroot as usize;
                // The virtual root of a forest is no node to align.
                let span = Span { first: tree.first(keyroot), last: keyroot.min(nodes - 1) };
                for (i, span_of) in (span.first..).zip(&mut span_of[span.first..=span.last]) {
                    if tree.first(i) == span.first {
                        *span_of = spans.len() as u32;
                    }
                }
                spans.push(span);
            }
        }
        Self { tree, nodes, spans, span_of, preorder: tree.preorder(orientation) }
    }
}

/// Two trees, the savings of their subtrees and of their labels.
#[derive(Debug)]
pub struct Problem<'a> {
    pub(crate) x: Side<'a>,
    pub(crate) y: Side<'a>,
    /// Savings of subtree pairs in quanta.
    pub(crate) trees: Vec<i128>,
    /// Savings of label pairs in quanta, negative where pairing loses.
    labels: Vec<i128>,
    label_width: usize,
    /// Values that differ by at most this count as equal.
    pub(crate) slack: i128,
    /// Cost of an alignment that saves nothing, and the most that one can save.
    nothing_saved: i128,
    saving: i128,
    pricing: Pricing<'a>,
}

impl<'a> Problem<'a> {
    /// Computes the savings of all pairs of subtrees; `tolerance` is relative to the cost of
    /// deleting and inserting everything.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if they do not fit, [`crate::Error::Cancelled`] if asked to stop.
    pub fn new(
        x: Operand<'a>,
        y: Operand<'a>,
        pricing: Pricing<'a>,
        tolerance: f64,
        order: Order,
        workspace: &mut Workspace,
        cancel: &Cancel,
    ) -> Result<Self> {
        let work = |orientation| cells(x.tree, y.tree, orientation);
        let left = order == Order::Any && work(Orientation::Left) < work(Orientation::Right);
        let orientation = if left { Orientation::Left } else { Orientation::Right };
        let (side_x, side_y) = (Side::new(x.tree, orientation), Side::new(y.tree, orientation));
        let (by_preorder, saving) = subtree_savings(x, y, pricing, workspace, cancel)?;
        let mut trees = Vec::with_capacity(by_preorder.len());
        for &i in &side_x.preorder {
            let row = &by_preorder[i * side_y.nodes..][..side_y.nodes];
            trees.extend(side_y.preorder.iter().map(|&j| row[j]));
        }
        let (rows, columns) = (x.tree.labels(), y.tree.labels());
        let of_labels = |a: u32, b: u32| match pricing {
            Pricing::Unit => 1 + i128::from(x.code(a) == y.code(b)),
            Pricing::Table(table) => table.raw_saving(x.code(a), y.code(b)),
        };
        let labels =
            rows.iter().flat_map(|&a| columns.iter().map(move |&b| of_labels(a, b))).collect();
        let nothing_saved = delete_all(&x, pricing) + insert_all(&y, pricing);
        Ok(Self {
            x: side_x,
            y: side_y,
            trees,
            labels,
            label_width: columns.len(),
            slack: (tolerance * nothing_saved as f64) as i128,
            nothing_saved,
            saving,
            pricing,
        })
    }

    /// The saving of pairing two nodes.
    #[inline(always)]
    pub(crate) fn pair(&self, i: usize, j: usize) -> i128 {
        let (a, b) = (self.x.tree.label[i] as usize, self.y.tree.label[j] as usize);
        self.labels[a * self.label_width + b]
    }

    /// Label indices of all nodes of both trees, in preorder.
    pub(crate) fn labels_in_preorder(&self) -> (Vec<usize>, Vec<usize>) {
        let of = |side: &Side<'_>| {
            let mut labels = vec![0; side.nodes];
            for (&node, &label) in side.preorder.iter().zip(&side.tree.label) {
                labels[node] = label as usize;
            }
            labels
        };
        (of(&self.x), of(&self.y))
    }

    /// The saving of the subtrees of two nodes.
    #[inline(always)]
    pub(crate) fn subtrees(&self, i: usize, j: usize) -> i128 {
        self.trees[i * self.y.nodes + j]
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
        total(self.pricing, self.nothing_saved - self.saving)
    }

    /// Quanta as a cost.
    pub(crate) fn quanta_to_cost(&self, quanta: i128) -> f64 {
        total(self.pricing, quanta)
    }

    /// Cost of deleting and inserting everything.
    pub(crate) fn cost_of_nothing_saved(&self) -> f64 {
        total(self.pricing, self.nothing_saved)
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
pub fn subtree_distances(
    x: Operand<'_>,
    y: Operand<'_>,
    pricing: Pricing<'_>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<Vec<f64>> {
    let (savings, _) = subtree_savings(x, y, pricing, workspace, cancel)?;
    let deletes = subtree_totals(&x, |code| match pricing {
        Pricing::Unit => 1,
        Pricing::Table(table) => table.delete(code),
    });
    let inserts = subtree_totals(&y, |code| match pricing {
        Pricing::Unit => 1,
        Pricing::Table(table) => table.insert(code),
    });
    let m = inserts.len();
    let cell =
        |(k, saving): (usize, i128)| total(pricing, deletes[k / m] + inserts[k % m] - saving);
    Ok(savings.into_iter().enumerate().map(cell).collect())
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
