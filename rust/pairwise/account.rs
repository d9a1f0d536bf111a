//! What a matrix takes in memory, counted before it is taken.

use super::{Kinds, Prices, Request, Side};
use crate::distance::Lanes;

/// Most lanes of a vector: rows of lanes are rounded up to it.
const WIDEST_VECTOR: u64 = 64;

/// Most bytes that the threads take: tables and profiles of the largest pairs.
pub(super) fn scratch_bytes(
    request: &Request<'_>,
    kinds: Kinds<'_>,
    diagonal: bool,
    threads: usize,
) -> u64 {
    let (n, m) = largest_pair(request, kinds, diagonal);
    // The subtree table and the profile, for a smaller tree of that many nodes.
    let pair = |bytes: u64, smaller: u64| {
        (2 * bytes).saturating_mul(smaller.saturating_add(WIDEST_VECTOR)).saturating_mul(n.max(m))
    };
    let smaller = n.min(m);
    let bytes = match request.prices {
        Prices::Vectors(_) => pair(8, smaller),
        Prices::Fixed(pricing) => {
            // Pairs of every size have their own lanes, narrow or wide, and those have buffers.
            let (mut bytes, mut served) = (0u64, 0);
            for lanes in Lanes::ALL {
                if served < smaller {
                    served = smaller.min((lanes.most_nodes(pricing) as u64).saturating_add(1));
                    bytes = bytes.saturating_add(pair(lanes.bytes(), served));
                }
            }
            let scalar = if pricing.is_wide() { 16 } else { 8 };
            if served < smaller { bytes.saturating_add(pair(scalar, smaller)) } else { bytes }
        }
    };
    bytes.saturating_mul(threads as u64)
}

/// Nodes, one more than there are, of the largest pair of trees that must meet.
fn largest_pair(request: &Request<'_>, kinds: Kinds<'_>, diagonal: bool) -> (u64, u64) {
    let two_largest = |side: &Side<'_>, kinds: &[u32]| {
        kinds.iter().fold((None, None), |(first, second), &i| {
            let tree = Some((side.trees[i as usize].nodes() as u64 + 1, i as usize));
            (tree.max(first), tree.min(first).max(second))
        })
    };
    let nodes = |tree: Option<(u64, usize)>| tree.map_or(0, |(nodes, _)| nodes);
    let (first, second) = two_largest(&request.x, kinds.rows);
    if request.triangle {
        return (nodes(first), nodes(if diagonal { first } else { second }));
    }
    let (other_first, other_second) = two_largest(&request.y, kinds.columns);
    let Request { x, y, prices, .. } = request;
    match (first, other_first) {
        // Equal trees do not meet; then one of them meets the next one of the other side.
        (Some((_, i)), Some((_, j))) if prices.costs_nothing(&x.operand(i), &y.operand(j)) => {
            let pairs = [(first, other_second), (second, other_first)];
            let pairs = pairs.map(|(a, b)| (nodes(a), nodes(b)));
            if pairs[0].0 * pairs[0].1 < pairs[1].0 * pairs[1].1 { pairs[1] } else { pairs[0] }
        }
        _ => (nodes(first), nodes(other_first)),
    }
}
