//! Slow and obvious twins of what the crate computes fast. For tests and fuzzing only.

#![allow(clippy::unwrap_used)]
#![cfg_attr(not(test), allow(dead_code))] // fuzzing needs only some

#[cfg(test)]
mod random;
mod texts;

use crate::cost::OperationCosts;
use crate::pair::Norm;
#[cfg(test)]
pub(crate) use random::{cases, is_slow, kinds, nodes, norms, trees};
use std::collections::HashMap;
pub(crate) use texts::{preorder, read_bracket};

/// A tree or forest in preorder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plain {
    pub(crate) codes: Vec<i32>,
    pub(crate) parents: Vec<i32>,
}

impl Plain {
    fn children(&self, parent: i32) -> Vec<usize> {
        (0..self.parents.len()).filter(|&i| self.parents[i] == parent).collect()
    }

    /// The subtree below a node.
    pub(crate) fn subtree(&self, node: usize) -> Self {
        let inside: Vec<_> =
            (node..self.codes.len()).filter(|&i| i == node || self.is_ancestor(node, i)).collect();
        let parent = |&i: &usize| if i == node { -1 } else { self.parents[i] - node as i32 };
        Self {
            codes: inside.iter().map(|&i| self.codes[i]).collect(),
            parents: inside.iter().map(parent).collect(),
        }
    }

    fn is_ancestor(&self, a: usize, b: usize) -> bool {
        let mut node = self.parents[b];
        while node != -1 {
            if node == a as i32 {
                return true;
            }
            node = self.parents[node as usize];
        }
        false
    }
}

/// Replacement, deletion and insertion costs of label codes; `None` is the gap.
pub(crate) type Cost<'a> = &'a dyn Fn(Option<i32>, Option<i32>) -> i64;

pub(crate) fn unit(a: Option<i32>, b: Option<i32>) -> i64 {
    i64::from(a != b)
}

/// A distance under a norm: `all` is the cost of deleting one tree and inserting the other, `gap`
/// the largest cost of a gap.
pub(crate) fn normalised(
    d: f64,
    norm: Option<Norm>,
    nodes: (usize, usize),
    all: f64,
    gap: f64,
) -> f64 {
    let (n, m) = (nodes.0 as f64, nodes.1 as f64);
    match norm {
        _ if d == 0.0 => 0.0,
        None => d,
        Some(Norm::Weight) => d / all,
        Some(Norm::Max) => d / n.max(m),
        Some(Norm::Sum) => d / (n + m),
        Some(Norm::LiZhang) => 2.0 * d / (gap * (n + m) + d),
    }
}

/// More than deleting and inserting everything in any test: what is never done costs that much.
pub(crate) const NEVER_COST: i64 = 1_000_000;

/// Whole numbers as costs, infinite for [`NEVER_COST`].
pub(crate) fn scaled(cost: i64, unit: f64) -> f64 {
    if cost == NEVER_COST { f64::INFINITY } else { cost as f64 * unit }
}

/// The costs of labels by kind of edit.
pub(crate) fn by_kind(
    [delete, insert, replace]: [i64; 3],
) -> impl Fn(Option<i32>, Option<i32>) -> i64 {
    move |a, b| match (a, b) {
        (Some(a), Some(b)) if a != b => replace,
        (Some(_), None) => delete,
        (None, Some(_)) => insert,
        _ => 0,
    }
}

/// The same as the crate has them.
pub(crate) fn operations([delete, insert, replace]: [i64; 3], unit: f64) -> OperationCosts {
    OperationCosts::new(scaled(delete, unit), scaled(insert, unit), scaled(replace, unit)).unwrap()
}

/// The edit distance of two forests by the recursion on their right-most roots.
pub(crate) fn distance(x: &Plain, y: &Plain, cost: Cost<'_>) -> i64 {
    let mut known = HashMap::new();
    forest(x, y, x.children(-1), y.children(-1), cost, &mut known)
}

type Known = HashMap<(Vec<usize>, Vec<usize>), i64>;

fn forest(
    x: &Plain,
    y: &Plain,
    f: Vec<usize>,
    g: Vec<usize>,
    cost: Cost<'_>,
    known: &mut Known,
) -> i64 {
    if let Some(&value) = known.get(&(f.clone(), g.clone())) {
        return value;
    }
    let opened = |t: &Plain, roots: &[usize]| {
        let (&last, rest) = roots.split_last().unwrap();
        let inner = t.children(last as i32);
        let label = t.codes[last];
        (label, rest.to_vec(), inner.clone(), [rest.to_vec(), inner].concat())
    };
    let mut best = if f.is_empty() && g.is_empty() { 0 } else { i64::MAX };
    if !f.is_empty() {
        let (label, _, _, without) = opened(x, &f);
        let rest = forest(x, y, without, g.clone(), cost, known);
        best = best.min(rest + cost(Some(label), None));
    }
    if !g.is_empty() {
        let (label, _, _, without) = opened(y, &g);
        let rest = forest(x, y, f.clone(), without, cost, known);
        best = best.min(rest + cost(None, Some(label)));
    }
    if !f.is_empty() && !g.is_empty() {
        let (a, left_a, below_a, _) = opened(x, &f);
        let (b, left_b, below_b, _) = opened(y, &g);
        let inside = forest(x, y, below_a, below_b, cost, known);
        let beside = forest(x, y, left_a, left_b, cost, known);
        best = best.min(inside + beside + cost(Some(a), Some(b)));
    }
    known.insert((f, g), best);
    best
}

/// The edit distance of two forests by the tables of Zhang and Shasha, one for each pair of key
/// roots, for trees that are too large for the recursion.
pub(crate) fn table_distance(x: &Plain, y: &Plain, cost: Cost<'_>) -> i64 {
    let (x, y) = (Postorder::new(x), Postorder::new(y));
    let (n, m) = (x.codes.len(), y.codes.len());
    let mut trees = vec![vec![0; m]; n];
    for i in x.key_roots() {
        for j in y.key_roots() {
            // Of these two subtrees, the distances of the forests that end before nodes a and b.
            let (s, t) = (x.first[i], y.first[j]);
            let mut forest = vec![vec![0; j - t + 2]; i - s + 2];
            for a in s..=i + 1 {
                for b in t..=j + 1 {
                    let mut best = if a == s && b == t { 0 } else { i64::MAX };
                    if a > s {
                        let before = forest[a - s - 1][b - t];
                        best = best.min(before + cost(x.codes[a - 1], None));
                    }
                    if b > t {
                        let before = forest[a - s][b - t - 1];
                        best = best.min(before + cost(None, y.codes[b - 1]));
                    }
                    if a > s && b > t {
                        let (f, g) = (x.first[a - 1], y.first[b - 1]);
                        if f == s && g == t {
                            let before = forest[a - s - 1][b - t - 1];
                            best = best.min(before + cost(x.codes[a - 1], y.codes[b - 1]));
                            trees[a - 1][b - 1] = best;
                        } else {
                            best = best.min(forest[f - s][g - t] + trees[a - 1][b - 1]);
                        }
                    }
                    forest[a - s][b - t] = best;
                }
            }
        }
    }
    trees[n - 1][m - 1]
}

/// A forest below a root without a label, in postorder.
struct Postorder {
    codes: Vec<Option<i32>>,
    /// The first node of each subtree.
    first: Vec<usize>,
}

impl Postorder {
    fn new(tree: &Plain) -> Self {
        let mut order = Self { codes: Vec::new(), first: Vec::new() };
        order.append(tree, -1);
        order
    }

    /// The nodes whose subtrees begin where that of no later node does, ascending.
    fn key_roots(&self) -> Vec<usize> {
        (0..self.first.len()).filter(|&i| !self.first[i + 1..].contains(&self.first[i])).collect()
    }

    fn append(&mut self, tree: &Plain, node: i32) {
        let first = self.codes.len();
        for child in tree.children(node) {
            self.append(tree, child as i32);
        }
        self.codes.push((node >= 0).then(|| tree.codes[node as usize]));
        self.first.push(first);
    }
}

/// The optimal mapping that pairs two nodes only where nothing else is optimal: from the last
/// roots on, a node of `x` is deleted if that is optimal, or else a node of `y` inserted. Pairs
/// ascending.
pub(crate) fn delete_first_mapping(x: &Plain, y: &Plain, cost: Cost<'_>) -> Vec<(u32, u32)> {
    let mut known = HashMap::new();
    let mut pairs = Vec::new();
    let mut open = vec![(x.children(-1), y.children(-1))];
    while let Some((f, g)) = open.pop() {
        let (Some((&i, left_x)), Some((&j, left_y))) = (f.split_last(), g.split_last()) else {
            continue;
        };
        let (below_x, below_y) = (x.children(i as i32), y.children(j as i32));
        let mut least =
            |f: &[usize], g: &[usize]| forest(x, y, f.to_vec(), g.to_vec(), cost, &mut known);
        let whole = least(&f, &g);
        let (deleted, inserted) = ([left_x, &below_x].concat(), [left_y, &below_y].concat());
        if least(&deleted, &g) + cost(Some(x.codes[i]), None) == whole {
            open.push((deleted, g));
        } else if least(&f, &inserted) + cost(None, Some(y.codes[j])) == whole {
            open.push((f, inserted));
        } else {
            pairs.push((i as u32, j as u32));
            open.push((left_x.to_vec(), left_y.to_vec()));
            open.push((below_x, below_y));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// All mappings that keep ancestry and left-to-right order, by enumeration; pairs ascending.
pub(crate) fn all_mappings(x: &Plain, y: &Plain) -> Vec<Vec<(u32, u32)>> {
    fn extend(
        x: &Plain,
        y: &Plain,
        i: usize,
        pairs: &mut Vec<(u32, u32)>,
        found: &mut Vec<Vec<(u32, u32)>>,
    ) {
        if i == x.codes.len() {
            found.push(pairs.clone());
            return;
        }
        extend(x, y, i + 1, pairs, found);
        for j in 0..y.codes.len() {
            // Both trees are in preorder, so order among non-ancestors is the order of indices.
            let fits = pairs.iter().all(|&(a, b)| {
                let (a, b) = (a as usize, b as usize);
                b < j && x.is_ancestor(a, i) == y.is_ancestor(b, j)
            });
            if fits {
                pairs.push((i as u32, j as u32));
                extend(x, y, i + 1, pairs, found);
                pairs.pop();
            }
        }
    }
    let mut found = Vec::new();
    extend(x, y, 0, &mut Vec::new(), &mut found);
    found
}

/// The cost of a mapping.
pub(crate) fn mapping_cost(x: &Plain, y: &Plain, pairs: &[(u32, u32)], cost: Cost<'_>) -> i64 {
    let label = |t: &Plain, node: u32| Some(t.codes[node as usize]);
    let replaced: i64 = pairs.iter().map(|&(a, b)| cost(label(x, a), label(y, b))).sum();
    let deleted: i64 = (0..x.codes.len() as u32)
        .filter(|a| pairs.iter().all(|pair| pair.0 != *a))
        .map(|a| cost(label(x, a), None))
        .sum();
    let inserted: i64 = (0..y.codes.len() as u32)
        .filter(|b| pairs.iter().all(|pair| pair.1 != *b))
        .map(|b| cost(None, label(y, b)))
        .sum();
    replaced + deleted + inserted
}

/// The least cost of a mapping and all mappings that have it.
pub(crate) fn optimal_mappings(
    x: &Plain,
    y: &Plain,
    cost: Cost<'_>,
) -> (i64, Vec<Vec<(u32, u32)>>) {
    let mappings = all_mappings(x, y);
    let costs: Vec<_> = mappings.iter().map(|pairs| mapping_cost(x, y, pairs, cost)).collect();
    let least = costs.iter().copied().min().unwrap_or(0);
    let optimal = mappings.into_iter().zip(costs).filter(|(_, cost)| *cost == least);
    (least, optimal.map(|(pairs, _)| pairs).collect())
}

/// The cheapest of all mappings.
pub(crate) fn cheapest_mapping(x: &Plain, y: &Plain, cost: Cost<'_>) -> i64 {
    optimal_mappings(x, y, cost).0
}

/// The edit distance of two strings.
pub(crate) fn string_distance(a: &[u8], b: &[u8]) -> usize {
    priced_string_distance(a, b, |x, y| usize::from(x != y))
}

/// The same with a price of replacing, by all cells.
pub(crate) fn priced_string_distance(a: &[u8], b: &[u8], price: impl Fn(u8, u8) -> usize) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cell = (diagonal + price(*x, *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = cell;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(2000))]
        #[test]
        fn recursion_and_enumeration_agree(x in trees(5, 2), y in trees(5, 2)) {
            prop_assert_eq!(distance(&x, &y, &unit), cheapest_mapping(&x, &y, &unit));
            prop_assert_eq!(distance(&x, &y, &unit), table_distance(&x, &y, &unit));
            let cost = |a: Option<i32>, b: Option<i32>| match (a, b) {
                (Some(a), Some(b)) => i64::from((2 * a - b).abs()),
                (Some(a), None) => 2 + i64::from(a),
                (None, Some(b)) => 1 + 3 * i64::from(b),
                (None, None) => 0,
            };
            prop_assert_eq!(distance(&x, &y, &cost), cheapest_mapping(&x, &y, &cost));
            prop_assert_eq!(distance(&x, &y, &cost), table_distance(&x, &y, &cost));
        }
    }
}
