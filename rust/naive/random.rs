//! Random trees and costs, and how many of them.

use crate::naive::{NEVER_COST, Plain};
use crate::pair::Norm;
use proptest::prelude::*;

/// Environment variable that is set where tests run slowly, on emulated machines.
const SLOW: &str = "TREEMETRIC_SLOW_TESTS";

/// Whether tests run slowly: under Miri, or on an emulated machine.
pub(crate) fn is_slow() -> bool {
    cfg!(miri) || std::env::var_os(SLOW).is_some()
}

/// So many random cases, fewer where tests run slowly; or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    let cases = if is_slow() { usual.min(8) } else { usual };
    let mut config = ProptestConfig::with_cases(wanted.unwrap_or(cases));
    if cfg!(miri) {
        config.failure_persistence = None; // Miri has no files to keep failures in
    }
    config
}

/// So many nodes, fewer where tests run slowly.
pub(crate) fn nodes(usual: usize) -> usize {
    if is_slow() { usual.div_ceil(8) } else { usual }
}

/// All norms, and none.
pub(crate) fn norms() -> impl Strategy<Value = Option<Norm>> {
    let norms = [Norm::Weight, Norm::Max, Norm::Sum, Norm::LiZhang].map(Some);
    proptest::sample::select([&[None], &norms[..]].concat())
}

/// What deleting, inserting and replacing cost, with ties, zeros and infinity.
pub(crate) fn kinds() -> impl Strategy<Value = [i64; 3]> {
    let replace = prop_oneof![4 => 0..7i64, 2 => 0..20i64, 1 => Just(NEVER_COST)];
    (0..8i64, 0..8i64, replace).prop_map(|(delete, insert, replace)| [delete, insert, replace])
}

/// Steps from a node up to the parent of the next one: few, or none for most nodes, so that many are
/// only children, or for nearly all.
fn steps_up(thinness: u8, drawn: u8) -> u8 {
    match thinness {
        0 => drawn % 6,
        1 => drawn.saturating_sub(17),
        _ => drawn.saturating_sub(22) * 6,
    }
}

/// Trees and forests, the empty one included, of up to `nodes` nodes over `labels` labels.
pub(crate) fn trees(nodes: usize, labels: i32) -> impl Strategy<Value = Plain> {
    let nodes = proptest::collection::vec((0..labels, 0u8..24), 0..=nodes);
    let thinness = prop_oneof![3 => Just(0u8), 2 => 1u8..3];
    (nodes, any::<bool>(), thinness).prop_map(|(nodes, forest, thinness)| {
        let mut tree = Plain { codes: Vec::new(), parents: Vec::new() };
        for (i, (label, drawn)) in nodes.into_iter().enumerate() {
            let mut parent = i as i32 - 1;
            for _ in 0..steps_up(thinness, drawn) {
                let above = if parent == -1 { -1 } else { tree.parents[parent as usize] };
                // Without forests the walk stops at the root.
                if above == -1 && !forest {
                    break;
                }
                parent = above;
            }
            tree.codes.push(label);
            tree.parents.push(parent);
        }
        tree
    })
}
