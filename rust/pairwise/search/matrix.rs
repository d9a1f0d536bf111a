//! All distances, in batches; only the answers are kept: where batches gain more than
//! bounds of single pairs, and for a radius, where batches have the bounds in front of them.

use crate::error::Result;
use crate::pairwise::MatrixRequest;
use crate::pairwise::matrix::compute_known;
use crate::pairwise::search::best::{Best, Budget, Neighbor};
use crate::pairwise::search::{Found, Search, Wanted};
use crate::parallel::Cancel;

/// As [`super::search`].
pub(super) fn search(
    search: &Search<'_>,
    wanted: Wanted,
    threads: usize,
    cancel: &Cancel,
    mut poll: impl FnMut(u64) -> bool,
) -> Result<Found> {
    let Search { x, y, costs, inside, norm, .. } = *search;
    let triangle = search.mirrored();
    let cutoff = match wanted {
        Wanted::Within(radius) if radius < f64::INFINITY => Some(radius),
        _ => None,
    };
    let request = MatrixRequest { x, y, costs, triangle, diagonal: false, cutoff, norm };
    let mut rows: Vec<_> = x.trees.iter().map(|_| Best::new(wanted)).collect();
    let mut budget = Budget::default();
    let mut full = None;
    let store = |i: usize, j: usize, distance: f64| {
        if inside && i == j {
            return;
        }
        let mut offer = |query: usize, candidate: usize| {
            let before = rows[query].len();
            rows[query].offer(Neighbor { distance, index: candidate as u32 });
            if let Err(error) = budget.take((rows[query].len() - before) as u64) {
                cancel.cancel();
                full.get_or_insert(error);
            }
        };
        offer(i, j);
        if triangle {
            offer(j, i);
        }
    };
    // Queries are not answered one by one here, so pairs stand for them.
    let (queries, pairs) = (x.trees.len() as f64, request.pairs().max(1) as f64);
    let catalogue = search.index.map(|index| &index.catalogue);
    let outcome = compute_known(&request, catalogue, threads, cancel, store, |done| {
        poll((done as f64 / pairs * queries) as u64)
    });
    if let Some(error) = full {
        return Err(error);
    }
    // Self-distances are not counted.
    let computed = outcome?.exact.min(search.pairs());
    Ok(Found { rows: rows.into_iter().map(Best::into_sorted).collect(), computed })
}
