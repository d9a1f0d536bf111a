//! Candidates whose strings are near enough, eight at a time.

use crate::join::signatures::Signatures;
use crate::join::strings::Diagonals;
use crate::simd::bands::{LANES, MOST_EDITS, MOST_LETTERS, Places};

/// A candidate and the edit distances of its strings in preorder and in postorder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) other: u32,
    pub(super) edits: [u32; 2],
}

impl Near {
    /// A lower bound of the number of edits.
    pub(super) fn bound(&self) -> usize {
        self.edits[0].max(self.edits[1]) as usize
    }
}

/// The strings of one side in one order.
type Strings<'a> = &'a dyn Fn(usize) -> &'a [u8];

/// Buffers of one thread, for one join.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    /// The query that was prepared.
    query: Option<usize>,
    preorder: Places,
    postorder: Places,
    diagonals: Diagonals,
    /// The candidates that are left.
    pub(super) near: Vec<Near>,
}

impl Sieve {
    /// Fills `near` with the candidates whose strings are at most `edits` from those of the query.
    pub(super) fn sift<'a>(
        &mut self,
        (x, query): (&'a Signatures<'_>, usize),
        (y, candidates): (&'a Signatures<'_>, &[u32]),
        edits: usize,
    ) {
        self.near.clear();
        self.near.extend(candidates.iter().map(|&other| Near { other, edits: [0; 2] }));
        let n = x.nodes(query);
        // More edits than letters are never needed.
        let longest = candidates.iter().map(|&other| y.nodes(other as usize)).max();
        let Some(longest) = longest else { return };
        let limit = edits.min(n.max(longest));
        if limit > MOST_EDITS || n > MOST_LETTERS {
            self.retain(0, (x.preorder(query), &|other| y.preorder(other)), limit);
            self.retain(1, (x.postorder(query), &|other| y.postorder(other)), limit);
            return;
        }
        if self.query != Some(query) {
            self.query = Some(query);
            self.preorder.prepare(x.preorder(query));
            self.postorder.prepare(x.postorder(query));
        }
        retain(&mut self.near, 0, (&self.preorder, &|other| y.preorder(other)), limit);
        retain(&mut self.near, 1, (&self.postorder, &|other| y.postorder(other)), limit);
    }

    /// The same one by one, for distances and lengths that a band does not hold.
    fn retain(&mut self, order: usize, (string, texts): (&[u8], Strings<'_>), limit: usize) {
        let diagonals = &mut self.diagonals;
        self.near.retain_mut(|near| {
            let distance = diagonals.distance(string, texts(near.other as usize), limit);
            near.edits[order] = distance.unwrap_or(0) as u32;
            distance.is_some()
        });
    }
}

/// Keeps the candidates whose strings in one order are at most `limit` from those of the query.
fn retain(
    candidates: &mut Vec<Near>,
    order: usize,
    (places, texts): (&Places, Strings<'_>),
    limit: usize,
) {
    let mut kept = 0;
    let mut start = 0;
    while start < candidates.len() {
        let end = candidates.len().min(start + LANES);
        let mut strings: [&[u8]; LANES] = [&[]; LANES];
        let mut found = [0; LANES];
        for (string, near) in strings.iter_mut().zip(&candidates[start..end]) {
            *string = texts(near.other as usize);
        }
        places.distances(&strings[..end - start], limit, &mut found);
        for (place, &distance) in (start..end).zip(&found) {
            if distance as usize <= limit {
                let mut near = candidates[place];
                near.edits[order] = distance;
                candidates[kept] = near;
                kept += 1;
            }
        }
        start = end;
    }
    candidates.truncate(kept);
}
