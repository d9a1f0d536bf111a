//! Distances known to be small: only the cells near the diagonal (Touzet 2007).
//!
//! An alignment that costs at most the limit deletes and inserts few nodes, since each of them
//! costs something. It splits both trees, in postorder, into what lies before a pair of subtrees,
//! the subtrees, and what lies behind, and each part pairs with its counterpart. So the
//! differences of the three sizes add up to no more than the nodes that may be deleted or
//! inserted, and cells with a larger sum need not be looked at. With i nodes of x and j nodes of
//! y read, in the table of the paths that begin at the leaves f and g, that is
//!
//! ```text
//! |f - g| + |(i - j) - (f - g)| + |(n - m) - (i - j)| <= edits
//! ```
//!
//! an interval of diagonals i - j. What is computed inside is the recursion of Zhang and Shasha,
//! here in costs, so that a cell that was left out is one that is too expensive.

use crate::distance::engine::{PairPlan, planned_distance};
use crate::distance::workspace::Scratch;
use crate::error::Result;
use crate::memory;
use crate::pair::{Costs, Operand, Pair};
use crate::parallel::Cancel;
use crate::simd::Lanes;
use crate::tree::{Orientation, Oriented};

/// More than any cost, and twice as much still fits.
const NEVER: i64 = 1 << 61;
/// Below this much work (cells) looking for a band takes longer than the distance.
const SMALL: f64 = 1e5;
/// What beginning a table costs, in cells.
const TABLE_CELLS: u64 = 16;
/// Cells between two looks at the cancel flag.
const CELLS_PER_CHECK: usize = 1 << 16;

/// The edit distance if it is at most `limit` quanta, infinite if not; by a band where that is
/// faster.
///
/// # Errors
/// As [`distance`](super::distance).
pub(crate) fn distance_up_to(
    pair: &Pair<'_>,
    plan: &PairPlan,
    limit: i128,
    scratch: &mut Scratch<'_>,
) -> Result<f64> {
    if let Some(found) = distance_in_band(pair, plan, limit, scratch.cancel)? {
        return Ok(found);
    }
    let found = planned_distance(pair, plan, scratch)?;
    Ok(if found <= pair.costs.total(limit) { found } else { f64::INFINITY })
}

/// The same by a band; `None` if that is not faster.
///
/// # Errors
/// As [`distance`](super::distance).
pub(crate) fn distance_in_band(
    pair: &Pair<'_>,
    plan: &PairPlan,
    limit: i128,
    cancel: &Cancel,
) -> Result<Option<f64>> {
    let Some(band) = Band::that_pays(pair, plan.cells(), limit) else { return Ok(None) };
    let cost = band.cost(pair.costs, cancel)?;
    let found = cost.map_or(f64::INFINITY, |cost| pair.costs.total(cost.into()));
    Ok(Some(if found <= pair.costs.total(limit) { found } else { f64::INFINITY }))
}

/// A tree, one of its orders, and what its nodes cost.
#[derive(Debug)]
struct Decomposed {
    /// First node, in postorder, of every subtree.
    first: Vec<u32>,
    /// Paths by their leaf: the leaf and the top. The path of the first leaf ends with the last
    /// node, whether that is a root of all or not: so its table holds the whole forest.
    paths: Vec<(usize, usize)>,
    codes: Vec<u32>,
    /// What deleting or inserting each node costs.
    gaps: Vec<i64>,
}

impl Decomposed {
    fn new(operand: &Operand<'_>, side: Orientation, gap: impl Fn(u32) -> i64) -> Self {
        let n = operand.tree.nodes();
        let (tree, labels) = (operand.tree.oriented(side), operand.tree.labels());
        let code = |&label: &u32| operand.code(labels[label as usize]);
        let codes: Vec<_> = tree.label[..n].iter().map(code).collect();
        let first: Vec<_> = (0..n).map(|i| tree.first(i) as u32).collect();
        let mut top = vec![usize::MAX; n];
        (0..n).for_each(|i| top[first[i] as usize] = i);
        if let Some(last) = top.first_mut() {
            *last = n - 1;
        }
        let paths = top.into_iter().enumerate().filter(|&(_, top)| top != usize::MAX).collect();
        let gaps = codes.iter().map(|&code| gap(code)).collect();
        Self { first, paths, codes, gaps }
    }

    fn len(&self) -> usize {
        self.codes.len()
    }

    /// The paths whose leaf is in the range.
    fn paths_between(&self, from: i64, to: i64) -> &[(usize, usize)] {
        let place = |limit: i64| self.paths.partition_point(|&(leaf, _)| (leaf as i64) < limit);
        &self.paths[place(from)..place(to + 1).max(place(from))]
    }
}

/// The diagonals that matter, of two trees and a number of edits.
#[derive(Debug)]
struct Band {
    x: Decomposed,
    y: Decomposed,
    /// Most nodes that may be deleted or inserted, in sum.
    edits: i64,
}

impl Band {
    /// The band of a pair, if it is estimated to take less time than the distance without.
    fn that_pays(pair: &Pair<'_>, cells: f64, limit: i128) -> Option<Self> {
        let Pair { x, y, costs } = pair;
        let (n, m) = (x.tree.nodes(), y.tree.nodes());
        if cells < SMALL || costs.is_wide_for(n + m) {
            return None;
        }
        let edits = most_edits(pair, limit)?;
        // Wider than a quarter of the matrix, a band does not pay.
        if n.min(m) == 0 || edits.saturating_mul(4) > n.max(m) as i64 {
            return None;
        }
        let most = cells / cell_cost(*costs, n.min(m));
        let (side, guess) = [Orientation::Left, Orientation::Right]
            .map(|side| (side, guess(x.tree.oriented(side), y.tree.oriented(side), edits)))
            .into_iter()
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        // The guess is nearly free, the count takes about as long as a small distance.
        if guess > most {
            return None;
        }
        Some(Self::new(pair, edits, side)).filter(|band| (band.cells() as f64) < most)
    }

    fn new(pair: &Pair<'_>, edits: i64, side: Orientation) -> Self {
        let Pair { x, y, costs } = pair;
        let delete = |code| costs.delete(code) as i64;
        let insert = |code| costs.insert(code) as i64;
        Self { x: Decomposed::new(x, side, delete), y: Decomposed::new(y, side, insert), edits }
    }

    /// The diagonals of the table of two paths that begin this far apart; none if `from > to`.
    fn diagonals(&self, apart: i64) -> (i64, i64) {
        let ends = self.x.len() as i64 - self.y.len() as i64;
        let left = self.edits - apart.abs();
        // |d - apart| + |d - ends| <= left
        ((apart + ends - left + 1).div_euclid(2), (apart + ends + left).div_euclid(2))
    }

    /// Pairs of paths whose table has cells that matter, those nearer the end first.
    fn tables(&self) -> impl Iterator<Item = (Span, Span, (i64, i64))> + '_ {
        let (low, high) = self.diagonals(0);
        self.x.paths.iter().rev().flat_map(move |&(f, top)| {
            let others = self.y.paths_between(f as i64 - high, f as i64 - low);
            others.iter().rev().filter_map(move |&(g, other)| {
                let (from, to) = self.diagonals(f as i64 - g as i64);
                // Beyond the last diagonal of the last column there are no cells.
                let top = (top as i64).min(other as i64 + to);
                let apart = f as i64 - g as i64;
                let any = from <= apart && apart <= to && top >= f as i64;
                any.then_some(((f, top as usize), (g, other), (from, to)))
            })
        })
    }

    fn cells(&self) -> u64 {
        let cells = |((f, top), _, (from, to)): (Span, Span, (i64, i64))| {
            (top - f + 2) as u64 * (to - from + 1) as u64 + TABLE_CELLS
        };
        self.tables().map(cells).sum()
    }

    /// The distance in quanta, if there is an alignment inside the band.
    fn cost(&self, costs: Costs<'_>, cancel: &Cancel) -> Result<Option<i64>> {
        let Self { x, y, .. } = self;
        match costs {
            Costs::Unit => self.fill(|i, j| i64::from(x.codes[i] != y.codes[j]), cancel),
            Costs::Operations(costs) => {
                let saved = |equal| costs.raw_saving(equal).max(0);
                let all = costs.delete() + costs.insert();
                let (equal, other) = ((all - saved(true)) as i64, (all - saved(false)) as i64);
                let replace = |i: usize, j: usize| {
                    if x.codes[i] == y.codes[j] { equal } else { other }
                };
                self.fill(replace, cancel)
            }
            Costs::Table(table) => {
                let replace = |i: usize, j: usize| {
                    x.gaps[i] + y.gaps[j] - table.saving(x.codes[i], y.codes[j]) as i64
                };
                self.fill(replace, cancel)
            }
        }
    }

    fn fill(&self, replace: impl Fn(usize, usize) -> i64, cancel: &Cancel) -> Result<Option<i64>> {
        const WHAT: &str = "the band of one pair of trees";
        let (x, y) = (&self.x, &self.y);
        let (low, high) = self.diagonals(0);
        let width = (high - low + 1).max(0) as usize;
        // Costs of pairs of subtrees by diagonal, and of the forests of one table.
        let (mut subtrees, mut forests) = (Vec::new(), Vec::new());
        memory::grow(WHAT, &mut subtrees, x.len() * width, NEVER, cancel)?;
        memory::grow(WHAT, &mut forests, (x.len() + 1) * width, NEVER, cancel)?;
        let (mut checked, mut whole) = (0, NEVER);
        for ((f, top), (g, other), (from, to)) in self.tables() {
            let band = (to - from + 1) as usize;
            checked += (top - f + 2) * band;
            if checked > CELLS_PER_CHECK {
                cancel.check()?;
                checked = 0;
            }
            // What a forest of the first u nodes of x and v of y costs, or may not be worth.
            let place = |u: usize, v: usize| {
                let diagonal = u as i64 - v as i64;
                let inside = from <= diagonal && diagonal <= to;
                inside.then(|| (u - f) * band + (diagonal - from) as usize)
            };
            for u in f..=top + 1 {
                let first = (u as i64 - to).max(g as i64) as usize;
                let last = (u as i64 - from).min(other as i64 + 1);
                for v in first..=last.max(first as i64 - 1) as usize {
                    let here = (u - f) * band + (u as i64 - v as i64 - from) as usize;
                    let at = |u, v| place(u, v).map_or(NEVER, |place| forests[place]);
                    let mut best = if u == f && v == g { 0 } else { NEVER };
                    if u > f {
                        best = best.min(at(u - 1, v) + x.gaps[u - 1]);
                    }
                    if v > g {
                        best = best.min(at(u, v - 1) + y.gaps[v - 1]);
                    }
                    if u > f && v > g {
                        let (i, j) = (u - 1, v - 1);
                        let (a, b) = (x.first[i] as usize, y.first[j] as usize);
                        let subtree = i * width + (i as i64 - j as i64 - low) as usize;
                        if a == f && b == g {
                            best = best.min(at(i, j) + replace(i, j));
                            subtrees[subtree] = best;
                        } else {
                            best = best.min(at(a, b) + subtrees[subtree]);
                        }
                    }
                    forests[here] = best.min(NEVER);
                }
            }
            if f == 0 && g == 0 && top + 1 == x.len() {
                whole = place(x.len(), y.len()).map_or(NEVER, |place| forests[place]);
            }
        }
        Ok((whole < NEVER).then_some(whole))
    }
}

/// The time of a cell here, in cells of the kernel that would compute the distance without a band.
fn cell_cost(costs: Costs<'_>, smaller: usize) -> f64 {
    match Lanes::narrowest(costs, smaller) {
        Some(Lanes::Bytes | Lanes::Words) => 20.0,
        Some(Lanes::Ints) => 10.0,
        Some(Lanes::Doubles | Lanes::Longs) => 5.0,
        None => 2.0,
    }
}

/// About as many cells as a band has: a path of x meets those of y that begin in half the width of
/// the band, on average in a table of half that width.
fn guess(x: &Oriented, y: &Oriented, edits: i64) -> f64 {
    let half = (edits + 1) as f64 / 2.0;
    let partners = half * y.keyroots.len() as f64 / y.len() as f64;
    partners * (x.row_work as f64 * half + x.keyroots.len() as f64 * TABLE_CELLS as f64)
}

/// First leaf and top of a path.
type Span = (usize, usize);

/// Most nodes that an alignment within the limit deletes or inserts; `None` if that may be any
/// number.
///
/// With D deletions and I insertions, D - I = n - m and D * delete + I * insert <= limit for the
/// smallest costs of the labels there are.
fn most_edits(pair: &Pair<'_>, limit: i128) -> Option<i64> {
    let Pair { x, y, costs } = pair;
    let least = |operand: &Operand<'_>, cost: &dyn Fn(u32) -> i128| {
        operand.tree.labels().iter().map(|&label| cost(operand.code(label))).min().unwrap_or(0)
    };
    let (delete, insert) = match costs {
        Costs::Unit => (1, 1),
        Costs::Operations(costs) => (costs.delete(), costs.insert()),
        Costs::Table(table) => {
            (least(x, &|code| table.delete(code)), least(y, &|code| table.insert(code)))
        }
    };
    let longer = x.tree.nodes() as i128 - y.tree.nodes() as i128;
    if delete + insert == 0 {
        return None;
    }
    let deletions = (limit.min(i128::MAX / 4) + longer * insert).div_euclid(delete + insert);
    i64::try_from(2 * deletions - longer).ok()
}

#[cfg(test)]
mod tests;
