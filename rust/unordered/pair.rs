//! The distance of one pair, and of all its subtrees.

use crate::error::Result;
use crate::memory;
use crate::pair::{Costs, Operand, Pair, SetCosts};
use crate::parallel::Cancel;
use crate::tree::Orientation;
use crate::unordered::dag::{Dag, NO_LABEL, OfTree, Subtrees, codes_of_tree, of_trees};
use crate::unordered::quantum::{Quantum, Width};
use crate::unordered::table::Table;

/// Scratch of a thread, for tables of any width.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) short: Table<i16>,
    pub(super) int: Table<i32>,
    pub(super) long: Table<i64>,
    pub(super) wide: Table<i128>,
}

/// Runs the body with the table of a width.
macro_rules! with_table {
    ($workspace:expr, $width:expr, $table:ident => $body:expr) => {
        match $width {
            Width::Short => {
                let $table = &mut $workspace.short;
                $body
            }
            Width::Int => {
                let $table = &mut $workspace.int;
                $body
            }
            Width::Long => {
                let $table = &mut $workspace.long;
                $body
            }
            Width::Wide => {
                let $table = &mut $workspace.wide;
                $body
            }
        }
    };
}
pub(super) use with_table;

/// The width of the savings of two sides.
pub(super) fn width_of(x: &Dag, y: &Dag, costs: Costs<'_>) -> Width {
    Width::of(costs.largest_saving().saturating_mul(x.largest.min(y.largest) as i128))
}

/// The work of a pair, in cells.
pub fn pair_work(x: &Operand<'_>, y: &Operand<'_>) -> f64 {
    x.tree.nodes() as f64 * y.tree.nodes() as f64
}

/// The constrained unordered edit distance of a pair, infinite above the cutoff.
///
/// # Errors
/// [`crate::Error::Memory`] if the table does not fit, [`crate::Error::Cancelled`].
pub fn distance(
    pair: &Pair<'_>,
    cutoff: Option<f64>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<f64> {
    if pair.costs_nothing() {
        return Ok(0.0);
    }
    if cutoff.is_some_and(|cutoff| is_above(pair, cutoff)) {
        return Ok(f64::INFINITY);
    }
    let (x, y) = (OfTree::new(pair.x.tree), OfTree::new(pair.y.tree));
    let codes = [&pair.x, &pair.y].map(codes_of_tree);
    let sides = (Subtrees { dag: &x, codes: &codes[0] }, Subtrees { dag: &y, codes: &codes[1] });
    if costs_nothing(pair, sides, cancel)? {
        return Ok(0.0);
    }
    let (root_x, root_y) = (x.roots[0], y.roots[0] as usize);
    let mut saved = 0;
    with_table!(workspace, width_of(&x, &y, pair.costs), table => {
        table.fill(sides, pair.costs, false, cancel, |id, row| {
            if id == root_x {
                saved = row[root_y].wide();
            }
        })?;
    });
    let found = pair.costs.total(pair.nothing_saved() - saved * pair.costs.unit());
    Ok(if cutoff.is_some_and(|cutoff| found > cutoff) { f64::INFINITY } else { found })
}

/// Whether the largest saving for every node of the smaller tree would not be enough.
fn is_above(pair: &Pair<'_>, cutoff: f64) -> bool {
    let most = pair.costs.largest_saving().saturating_mul(pair.smaller() as i128);
    pair.nothing_saved() - most.saturating_mul(pair.costs.unit())
        > SetCosts::Fixed(pair.costs).most_quanta(cutoff)
}

/// Whether two trees are equal up to the order of children, and keeping all labels is free.
fn costs_nothing(
    pair: &Pair<'_>,
    (x, y): (Subtrees<'_>, Subtrees<'_>),
    cancel: &Cancel,
) -> Result<bool> {
    if pair.x.tree.nodes() != pair.y.tree.nodes() || !x.dag.may_equal(y.dag) {
        return Ok(false);
    }
    let [mut of_x, mut of_y] = [x.codes, y.codes].map(<[u32]>::to_vec);
    of_x.sort_unstable();
    of_y.sort_unstable();
    let is_free = |&code: &u32| code == NO_LABEL || pair.costs.is_free(code, code);
    if of_x != of_y || !of_x.iter().all(is_free) {
        return Ok(false);
    }
    let (both, _) = of_trees([pair.x, pair.y].into_iter(), cancel)?;
    Ok(both.roots[0] == both.roots[1])
}

/// The distances of all pairs of subtrees: rows and columns in preorder.
///
/// # Errors
/// As [`distance`].
pub fn subtree_distances(
    pair: &Pair<'_>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<Vec<f64>> {
    let (n, m) = (pair.x.tree.nodes(), pair.y.tree.nodes());
    memory::check("the distances of all subtrees", 8 * n as u64 * m as u64)?;
    let (x, y) = (OfTree::new(pair.x.tree), OfTree::new(pair.y.tree));
    let codes = [&pair.x, &pair.y].map(codes_of_tree);
    let sides = (Subtrees { dag: &x, codes: &codes[0] }, Subtrees { dag: &y, codes: &codes[1] });
    let deleted = subtree_sums(&pair.x, |code| pair.costs.delete(code));
    let inserted = subtree_sums(&pair.y, |code| pair.costs.insert(code));
    let preorder = |operand: &Operand<'_>| {
        operand.tree.oriented(Orientation::Left).preorder(Orientation::Left)
    };
    let (rows, columns) = (preorder(&pair.x), preorder(&pair.y));
    // Which nodes have each distinct subtree.
    let mut nodes: Vec<_> = x.of(0)[..n].iter().zip(0..n).collect();
    nodes.sort_unstable();
    let mut found = vec![0.0; n * m];
    with_table!(workspace, width_of(&x, &y, pair.costs), table => {
        table.fill(sides, pair.costs, false, cancel, |id, row| {
            let first = nodes.partition_point(|node| *node.0 < id);
            for &(_, i) in nodes[first..].iter().take_while(|node| *node.0 == id) {
                let distances = &mut found[rows[i] * m..][..m];
                for (j, &of_y) in y.of(0)[..m].iter().enumerate() {
                    let saved = row[of_y as usize].wide() * pair.costs.unit();
                    distances[columns[j]] = pair.costs.total(deleted[i] + inserted[j] - saved);
                }
            }
        })?;
    });
    Ok(found)
}

/// The sums of a cost of labels over the subtrees of all nodes, in postorder.
fn subtree_sums(operand: &Operand<'_>, cost: impl Fn(u32) -> i128) -> Vec<i128> {
    let tree = operand.tree.oriented(Orientation::Left);
    let labels = operand.tree.labels();
    let mut sums = Vec::with_capacity(operand.tree.nodes());
    for node in 0..operand.tree.nodes() {
        let below: i128 = tree.children(node).map(|child| sums[child]).sum();
        sums.push(below + cost(operand.code(labels[tree.label[node] as usize])));
    }
    sums
}
