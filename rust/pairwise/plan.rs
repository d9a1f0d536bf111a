//! Which pairs are computed together, and in which order.
//!
//! The column trees are sorted by size and cut into *batches* that share their column tables; a
//! task is a batch and a range of row trees. Tasks are cut by estimated work, the largest come
//! first, and no result depends on the cut.

use crate::distance::{estimate, pair_work};
use crate::pair::SetCosts;
use crate::simd::Lanes;
use crate::tree::{Orientation, Oriented, Prepared};
use std::ops::Range;

/// Lanes per batch of bytes, words, ints, doubles and longs: wide enough to fill vectors, small enough
/// that tables and state stay in the L1 cache. Measured; the optimum is flat.
pub(crate) const BATCH_LANES: [usize; 5] = [512, 384, 192, 96, 96];
/// Narrower lanes are likely to do for trees that they are sure to do for with this share of the nodes.
const LIKELY: f64 = 0.7;
/// Least and most work of a task, in cells. The upper bound keeps cancelling and progress lively.
const TASK_CELLS: (f64, f64) = (4e6, 1e8);
/// Below this much work (cells) of a pair there are no inner paths to look for.
pub const LARGE_WORK: f64 = 1e6;
/// Tasks per thread to aim for.
const TASKS_PER_THREAD: f64 = 12.0;

/// A batch of columns against a range of rows.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// Positions in [`Plan::column_order`].
    pub(crate) columns: Range<usize>,
    /// Positions in [`Plan::row_order`].
    pub(crate) rows: Range<usize>,
    cells: f64,
}

/// What part of the matrix is wanted, at which costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// The columns are the rows again, and every unordered pair is met once, the smaller tree
    /// (by position) along the rows.
    pub(crate) triangle: bool,
    /// With `triangle`: whether a tree must meet itself. Otherwise it may all the same, if it
    /// has company in its batch.
    pub(crate) diagonal: bool,
    pub(crate) costs: SetCosts<'a>,
}

/// Lanes for a batch whose largest tree has that many nodes.
fn batch_lanes(costs: SetCosts<'_>, nodes: usize) -> usize {
    let lanes = match costs {
        SetCosts::Fixed(costs) => {
            let sure = Lanes::narrowest(costs, nodes);
            let likely = Lanes::narrowest(costs, (LIKELY * nodes as f64) as usize);
            if sure.and_then(Lanes::hoped) == likely { likely } else { sure }
        }
        SetCosts::Meeting(_) => None,
    };
    BATCH_LANES[lanes.unwrap_or(Lanes::Doubles) as usize]
}

/// All tasks of a matrix.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) row_order: Vec<usize>,
    pub(crate) column_order: Vec<usize>,
    pub(crate) tasks: Vec<Task>,
    /// Estimated work in cells.
    pub(crate) cells: f64,
}

/// Work of a tree along the rows and along the columns, on its better side.
fn weights(tree: &Prepared) -> (f64, f64) {
    let least = |of: fn(&Oriented) -> u64| {
        Orientation::BOTH.map(|side| of(tree.oriented(side))).into_iter().min()
    };
    let rows = least(|side| side.row_work).unwrap_or(0) as f64;
    let columns = least(|side| side.column_work).unwrap_or(0) as f64 + 1.0;
    // Half of what inner paths save is due to each of two trees.
    let share = if rows * columns > LARGE_WORK { inner_share(tree).sqrt() } else { 1.0 };
    (rows * share, columns * share)
}

/// The work of a pair of trees like this one on its best route, as a share of that along left or
/// right paths; below 1 where inner paths pay.
pub fn inner_share(tree: &Prepared) -> f64 {
    let outer = Orientation::BOTH.map(|side| tree.oriented(side));
    let outer = outer.map(|side| estimate(side.row_work, side.column_work));
    let outer = outer[0].min(outer[1]);
    if outer > LARGE_WORK { (pair_work(tree, tree) / outer).min(1.0) } else { 1.0 }
}

/// Some trees of a set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen<'a> {
    pub(crate) trees: &'a [Prepared],
    pub(crate) indices: &'a [u32],
}

fn by_size(Chosen { trees, indices }: Chosen<'_>) -> Vec<usize> {
    let mut order: Vec<_> = indices.iter().map(|&i| i as usize).collect();
    order.sort_by_key(|&i| trees[i].nodes());
    order
}

impl Plan {
    /// Plans rows x columns.
    pub(crate) fn new(
        rows: Chosen<'_>,
        columns: Chosen<'_>,
        shape: Shape<'_>,
        threads: usize,
    ) -> Self {
        let Shape { triangle, diagonal, .. } = shape;
        let column_order = by_size(columns);
        let row_order = if triangle { column_order.clone() } else { by_size(rows) };
        // Running sums make the work of any rectangle a product of two differences.
        let running = |trees: &[Prepared], order: &[usize], weight: fn((f64, f64)) -> f64| {
            let mut sum = 0.0;
            let mut sums = vec![0.0];
            for &i in order {
                sum += weight(weights(&trees[i]));
                sums.push(sum);
            }
            sums
        };
        let row_sums = running(rows.trees, &row_order, |w| w.0);
        let column_sums = running(columns.trees, &column_order, |w| w.1);
        let batches = cut_batches(columns.trees, &column_order, shape.costs);
        let last_row = |batch: &Range<usize>| match (triangle, batch.len()) {
            (false, _) => row_order.len(),
            (true, 1) if !diagonal => batch.start,
            (true, _) => batch.end,
        };
        let width = |batch: &Range<usize>| column_sums[batch.end] - column_sums[batch.start];
        let cells: f64 = batches.iter().map(|batch| width(batch) * row_sums[last_row(batch)]).sum();
        let aim = (cells / (threads as f64 * TASKS_PER_THREAD)).clamp(TASK_CELLS.0, TASK_CELLS.1);
        let mut tasks = Vec::new();
        for batch in batches {
            let (mut from, end) = (0, last_row(&batch));
            let step = aim / width(&batch);
            while from < end {
                let limit = row_sums[from] + step;
                let to = row_sums[..=end].partition_point(|&sum| sum <= limit) - 1;
                let to = to.max(from + 1);
                let cells = width(&batch) * (row_sums[to] - row_sums[from]);
                tasks.push(Task { columns: batch.clone(), rows: from..to, cells });
                from = to;
            }
        }
        tasks.sort_by(|a, b| b.cells.total_cmp(&a.cells));
        Self { row_order, column_order, tasks, cells }
    }
}

/// Cuts columns in ascending order of size into ranges that are computed together.
pub(crate) fn cut_batches(
    trees: &[Prepared],
    order: &[usize],
    costs: SetCosts<'_>,
) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut lanes = 0;
    for (position, &i) in order.iter().enumerate() {
        let wide = trees[i].nodes() + 1;
        match batches.last_mut() {
            Some(batch) if lanes + wide <= batch_lanes(costs, wide - 1) => {
                lanes += wide;
                batch.end = position + 1;
            }
            _ => {
                lanes = wide;
                batches.push(position..position + 1);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::Costs;
    use crate::tree::Numbering;

    fn chain(n: usize) -> Prepared {
        let parents: Vec<_> = (0..n as i32).map(|i| i - 1).collect();
        Prepared::new(&vec![0; n], &parents, &mut Numbering::default())
    }

    fn plan(rows: &[Prepared], columns: &[Prepared], shape: Shape<'_>, threads: usize) -> Plan {
        let all = |trees: &[Prepared]| (0..trees.len() as u32).collect::<Vec<_>>();
        let (of_rows, of_columns) = (all(rows), all(columns));
        let rows = Chosen { trees: rows, indices: &of_rows };
        Plan::new(rows, Chosen { trees: columns, indices: &of_columns }, shape, threads)
    }

    fn shape(triangle: bool, diagonal: bool) -> Shape<'static> {
        Shape { triangle, diagonal, costs: SetCosts::Fixed(Costs::Unit) }
    }

    #[test]
    fn every_pair_is_planned_once() {
        let trees: Vec<_> = (0..200).map(|k| chain(k * 7 % 90)).collect();
        for triangle in [false, true] {
            let plan = plan(&trees, &trees, shape(triangle, true), 3);
            let mut met = vec![0; 200 * 200];
            for task in &plan.tasks {
                for row in task.rows.clone() {
                    for column in task.columns.clone() {
                        met[row * 200 + column] += 1;
                    }
                }
            }
            for row in 0..200 {
                for column in 0..200 {
                    let count = met[row * 200 + column];
                    assert!(count == 1 || (triangle && row > column && count <= 1));
                }
            }
        }
    }

    #[test]
    fn one_large_tree_does_not_make_one_large_task() {
        let mut trees: Vec<_> = (0..2000).map(|_| chain(40)).collect();
        trees.push(chain(100_000));
        let plan = plan(&trees, &trees, shape(true, false), 2);
        let largest = plan.tasks.iter().map(|task| task.cells).fold(0.0, f64::max);
        assert!(largest <= TASK_CELLS.1, "{largest}");
    }

    /// A spine with leaves alternately left and right of it, in preorder.
    fn zigzag(nodes: usize) -> Prepared {
        let mut parents = vec![-1];
        let (mut waiting, mut spine) = (Vec::new(), 0);
        while parents.len() + waiting.len() + 2 <= nodes {
            if waiting.len() * 4 < parents.len() {
                waiting.push(spine);
            } else {
                parents.push(spine);
            }
            parents.push(spine);
            spine = parents.len() as i32 - 1;
        }
        parents.extend(waiting.into_iter().rev());
        Prepared::new(&vec![0; parents.len()], &parents, &mut Numbering::default())
    }

    /// Along left and right paths zigzags are estimated to take forty times as long.
    #[test]
    fn work_is_estimated_along_inner_paths_too() {
        let trees: Vec<_> = [900, 1000, 1100].map(zigzag).into_iter().collect();
        let outer = {
            let left = trees[1].oriented(Orientation::BOTH[0]);
            estimate(left.row_work, left.column_work)
        };
        assert!(outer > 20.0 * pair_work(&trees[1], &trees[1]));
        let plan = plan(&trees, &trees, shape(true, false), 2);
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let exact: f64 = pairs.iter().map(|&(i, j)| pair_work(&trees[i], &trees[j])).sum();
        assert!((0.5..2.0).contains(&(plan.cells / exact)), "{} {exact}", plan.cells);
    }

    #[test]
    fn nothing_is_planned_for_nothing() {
        assert!(plan(&[], &[], shape(true, true), 1).tasks.is_empty());
        assert!(plan(&[chain(3)], &[], shape(false, true), 1).tasks.is_empty());
    }
}
