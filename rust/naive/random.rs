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

/// Trees and forests, the empty one included, of up to `nodes` nodes over `labels` labels.
pub(crate) fn trees(nodes: usize, labels: i32) -> impl Strategy<Value = Plain> {
    let node = (0..labels, 0u8..6);
    (proptest::collection::vec(node, 0..=nodes), any::<bool>()).prop_map(|(nodes, forest)| {
        let mut tree = Plain { codes: Vec::new(), parents: Vec::new() };
        for (i, (label, up)) in nodes.into_iter().enumerate() {
            let mut parent = i as i32 - 1;
            for _ in 0..up {
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
