//! Child lists in any order of nodes, brought into preorder and checked to be a tree or a forest.

use crate::error::{Error, Result};
use crate::tree::intern::index;

/// Brings nodes given by their child lists into preorder.
///
/// The children of node `u` are `children[starts[u]..starts[u + 1]]`. Without `roots` there must be
/// exactly one node that is nobody's child (none if there are no nodes); `roots` lists all such
/// nodes in the order of their trees. Returns for each place in preorder the node that stands
/// there, and the place of its parent (-1 for a root). Takes O(n) time and no recursion.
///
/// # Errors
///
/// [`Error::Structure`] names the node if an index is out of range, a node has two parents, a root
/// is missing, superfluous or listed twice, or there is a cycle; or gives both counts if there are
/// not as many child lists as nodes.
pub fn to_preorder(
    n: usize,
    starts: &[usize],
    children: &[i64],
    roots: Option<&[i64]>,
) -> Result<(Vec<u32>, Vec<i32>)> {
    index(n, "nodes in a tree")?;
    check_offsets(n, starts, children)?;
    let above = parents_of(n, starts, children)?;
    let roots = match roots {
        Some(listed) => listed_roots(listed, &above)?,
        None => only_root(&above)?,
    };

    let mut order = Vec::with_capacity(n);
    let mut parents = Vec::with_capacity(n);
    // The nodes that wait, the next one last, each with the place of its parent.
    let mut waiting: Vec<(u32, i32)> = roots.into_iter().rev().map(|root| (root, -1)).collect();
    while let Some((node, parent)) = waiting.pop() {
        let place = order.len() as i32;
        order.push(node);
        parents.push(parent);
        let below = &children[starts[node as usize]..starts[node as usize + 1]];
        waiting.extend(below.iter().rev().map(|&child| (child as u32, place)));
    }
    // Every node has at most one parent, so what no root reaches hangs below a cycle.
    if order.len() < n {
        let mut reached = vec![false; n];
        for &node in &order {
            reached[node as usize] = true;
        }
        let lost = reached.iter().position(|&reached| !reached).unwrap_or(0);
        return Err(cycle_above(lost, &above));
    }
    Ok((order, parents))
}

fn fault(message: String) -> Error {
    Error::Structure { line: None, message }
}

fn check_offsets(n: usize, starts: &[usize], children: &[i64]) -> Result<()> {
    let lists = starts.len().saturating_sub(1);
    if lists != n {
        return Err(fault(format!("there are {n} nodes, but lists of children for {lists}")));
    }
    let covered = starts.first() == Some(&0) && starts.last() == Some(&children.len());
    if !covered || !starts.is_sorted() {
        return Err(fault(format!(
            "the offsets of the child lists must rise from 0 to {}, the number of children",
            children.len()
        )));
    }
    Ok(())
}

/// For each node its parent, or -1.
fn parents_of(n: usize, starts: &[usize], children: &[i64]) -> Result<Vec<i32>> {
    let mut above = vec![-1_i32; n];
    for (node, bounds) in starts.windows(2).enumerate() {
        for &child in &children[bounds[0]..bounds[1]] {
            let Some(slot) = usize::try_from(child).ok().and_then(|child| above.get_mut(child))
            else {
                return Err(fault(format!(
                    "node {node} has the child {child}, but the nodes are 0 to {}",
                    n - 1
                )));
            };
            if child == node as i64 {
                return Err(fault(format!("node {node} is its own child, which is a cycle")));
            }
            if *slot == node as i32 {
                return Err(fault(format!("node {node} lists its child {child} twice")));
            }
            if *slot >= 0 {
                return Err(fault(format!("node {child} has two parents, {slot} and {node}")));
            }
            *slot = node as i32;
        }
    }
    Ok(above)
}

fn parentless(above: &[i32]) -> impl Iterator<Item = u32> {
    above.iter().enumerate().filter(|&(_, &parent)| parent < 0).map(|(node, _)| node as u32)
}

fn only_root(above: &[i32]) -> Result<Vec<u32>> {
    let mut found = parentless(above);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => Err(fault(format!(
            "there are two roots, nodes {first} and {second}; a forest must list its 'roots'"
        ))),
        (None, _) if !above.is_empty() => Err(cycle_above(0, above)),
        (root, _) => Ok(root.into_iter().collect()),
    }
}

fn listed_roots(listed: &[i64], above: &[i32]) -> Result<Vec<u32>> {
    let mut is_listed = vec![false; above.len()];
    let mut roots = Vec::with_capacity(listed.len().min(above.len()));
    for &root in listed {
        let Some(node) = usize::try_from(root).ok().filter(|&node| node < above.len()) else {
            let bound = above.len().checked_sub(1);
            let bound =
                bound.map_or("there are no nodes".into(), |n| format!("the nodes are 0 to {n}"));
            return Err(fault(format!("the root {root} is listed, but {bound}")));
        };
        if above[node] >= 0 {
            return Err(fault(format!(
                "node {node} is listed as a root but is a child of node {}",
                above[node]
            )));
        }
        if is_listed[node] {
            return Err(fault(format!("node {node} is listed as a root twice")));
        }
        is_listed[node] = true;
        roots.push(node as u32);
    }
    match parentless(above).find(|&node| !is_listed[node as usize]) {
        Some(node) => Err(fault(format!("node {node} has no parent but is not listed as a root"))),
        None => Ok(roots),
    }
}

/// The error for a node from which the way up never ends.
fn cycle_above(node: usize, above: &[i32]) -> Error {
    // As many steps up as there are nodes end on the cycle itself, not merely below it.
    let on_cycle = (0..above.len()).fold(node, |node, _| above[node].max(0) as usize);
    fault(format!("node {on_cycle} is on a cycle"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(adj: &[Vec<i64>]) -> (Vec<usize>, Vec<i64>) {
        let mut starts = vec![0];
        for list in adj {
            starts.push(starts[starts.len() - 1] + list.len());
        }
        (starts, adj.concat())
    }

    fn convert(adj: &[Vec<i64>], roots: Option<&[i64]>) -> Result<(Vec<u32>, Vec<i32>)> {
        let (starts, children) = flat(adj);
        to_preorder(adj.len(), &starts, &children, roots)
    }

    #[test]
    fn trees_and_forests_come_out_in_preorder() {
        assert_eq!(convert(&[], None), Ok((vec![], vec![])));
        assert_eq!(convert(&[], Some(&[])), Ok((vec![], vec![])));
        assert_eq!(convert(&[vec![]], None), Ok((vec![0], vec![-1])));
        // 3 is the root, its children are 1 and 0 in this order, 2 hangs below 1.
        let adj = [vec![], vec![2], vec![], vec![1, 0]];
        assert_eq!(convert(&adj, None), Ok((vec![3, 1, 2, 0], vec![-1, 0, 1, 0])));
        let adj = [vec![], vec![2], vec![]];
        assert_eq!(convert(&adj, Some(&[1, 0])), Ok((vec![1, 2, 0], vec![-1, 0, -1])));
        assert_eq!(convert(&adj, Some(&[0, 1])), Ok((vec![0, 1, 2], vec![-1, -1, 1])));
    }

    #[test]
    fn faults_name_the_node() {
        type Case = (&'static [&'static [i64]], Option<&'static [i64]>, &'static str);
        let table: &[Case] = &[
            (&[&[1], &[2]], None, "node 1 has the child 2, but the nodes are 0 to 1"),
            (&[&[-1]], None, "node 0 has the child -1, but the nodes are 0 to 0"),
            (&[&[1, 1], &[]], None, "node 0 lists its child 1 twice"),
            (&[&[1, 2], &[2], &[]], None, "node 2 has two parents, 0 and 1"),
            (&[&[0]], None, "node 0 is its own child, which is a cycle"),
            (
                &[&[], &[], &[]],
                None,
                "there are two roots, nodes 0 and 1; a forest must list its 'roots'",
            ),
            (&[&[1], &[0]], None, "node 0 is on a cycle"),
            // Node 0 hangs below the cycle of 1 and 2 and is not on it.
            (&[&[], &[0, 2], &[1]], None, "node 1 is on a cycle"),
            (&[&[], &[2], &[1]], None, "node 2 is on a cycle"),
            (&[&[], &[2], &[1]], Some(&[0]), "node 2 is on a cycle"),
            (&[&[1], &[0]], Some(&[]), "node 0 is on a cycle"),
            (&[&[], &[]], Some(&[0]), "node 1 has no parent but is not listed as a root"),
            (&[&[], &[]], Some(&[0, 1, 0]), "node 0 is listed as a root twice"),
            (&[&[1], &[]], Some(&[0, 1]), "node 1 is listed as a root but is a child of node 0"),
            (&[&[]], Some(&[1]), "the root 1 is listed, but the nodes are 0 to 0"),
            (&[], Some(&[-2]), "the root -2 is listed, but there are no nodes"),
        ];
        for (adj, roots, message) in table {
            let adj: Vec<Vec<i64>> = adj.iter().map(|list| list.to_vec()).collect();
            assert_eq!(convert(&adj, *roots).unwrap_err().to_string(), *message, "{adj:?}");
        }
    }

    #[test]
    fn offsets_must_fit() {
        let message = |n, starts: &[usize], children: &[i64]| {
            to_preorder(n, starts, children, None).unwrap_err().to_string()
        };
        assert_eq!(message(2, &[0, 1], &[1]), "there are 2 nodes, but lists of children for 1");
        assert_eq!(message(1, &[], &[]), "there are 1 nodes, but lists of children for 0");
        for starts in [[0, 1, 0], [0, 2, 1], [1, 1, 1], [0, 0, 2]] {
            let found = message(2, &starts, &[1]);
            assert!(found.contains("must rise from 0 to 1"), "{starts:?}: {found}");
        }
        assert!(message(0, &[], &[]).contains("must rise from 0 to 0"));
    }

    #[test]
    fn long_chains_and_wide_stars() {
        let n = if cfg!(miri) { 1_000 } else { 1_000_000 };
        let starts: Vec<usize> = (0..n).chain([n - 1]).collect();
        let children: Vec<i64> = (1..n as i64).collect();
        let (order, parents) = to_preorder(n, &starts, &children, None).unwrap();
        assert!(order.iter().copied().eq(0..n as u32));
        assert!(parents.iter().copied().eq(-1..n as i32 - 1));
        let mut starts = vec![n - 1; n + 1];
        starts[0] = 0;
        let (order, parents) = to_preorder(n, &starts, &children, None).unwrap();
        assert!(order.iter().copied().eq(0..n as u32));
        assert!(parents[1..].iter().all(|&parent| parent == 0));
    }

    /// The obvious twin: follow the lists by recursion.
    fn naive(node: i64, parent: i32, adj: &[Vec<i64>], out: &mut (Vec<u32>, Vec<i32>)) {
        let place = out.0.len() as i32;
        out.0.push(node as u32);
        out.1.push(parent);
        for &child in &adj[node as usize] {
            naive(child, place, adj, out);
        }
    }

    /// Parent choices in preorder turned into child lists under shuffled names.
    fn shuffled() -> impl Strategy<Value = (Vec<Vec<i64>>, Vec<i64>)> {
        let choices = prop::collection::vec(any::<prop::sample::Index>(), 0..20);
        choices.prop_flat_map(|choices| {
            let names: Vec<i64> = (0..choices.len() as i64).collect();
            (Just(choices), Just(names).prop_shuffle()).prop_map(|(choices, names)| {
                let mut adj = vec![vec![]; names.len()];
                let mut roots = vec![];
                for (i, choice) in choices.iter().enumerate() {
                    match choice.index(i + 1) {
                        0 => roots.push(names[i]),
                        parent => adj[names[parent - 1] as usize].push(names[i]),
                    }
                }
                (adj, roots)
            })
        })
    }

    proptest! {
        #[test]
        fn agrees_with_recursion((adj, roots) in shuffled()) {
            let mut expected = (vec![], vec![]);
            for &root in &roots {
                naive(root, -1, &adj, &mut expected);
            }
            prop_assert_eq!(convert(&adj, Some(&roots)), Ok(expected.clone()));
            if roots.len() == 1 {
                prop_assert_eq!(convert(&adj, None), Ok(expected));
            }
        }

        #[test]
        fn accepts_trees_only(adj in prop::collection::vec(prop::collection::vec(-1_i64..6, 0..3), 0..6)) {
            // A tree: all indices in range, n - 1 children, all distinct, all reached from the root.
            let n = adj.len();
            let children = adj.concat();
            let distinct: std::collections::HashSet<i64> = children.iter().copied().collect();
            let roots: Vec<i64> = (0..n as i64).filter(|node| !distinct.contains(node)).collect();
            let mut reached = roots.clone();
            let in_range = children.iter().all(|&child| 0 <= child && child < n as i64);
            if in_range && distinct.len() == children.len() {
                for i in 0..n {
                    let below = reached.get(i).map(|&node| adj[node as usize].clone());
                    reached.extend(below.unwrap_or_default());
                }
            }
            let is_forest = in_range && distinct.len() == children.len() && reached.len() == n;
            prop_assert_eq!(convert(&adj, Some(&roots)).is_ok(), is_forest);
            prop_assert_eq!(convert(&adj, None).is_ok(), is_forest && roots.len() == n.min(1));
        }
    }
}
