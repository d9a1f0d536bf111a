//! Matches, their order, and those that are kept.

use crate::error::Result;
use crate::memory;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes of a match while matches are collected, sorted and copied.
pub(super) const MATCH_BYTES: u64 = 2 * size_of::<Match>() as u64;

/// A subtree and its distance. Ordered by distance, then by tree, then by node, so that every
/// question has one answer.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// The distance of the query to the subtree.
    pub distance: f64,
    /// The tree that the subtree is in.
    pub tree: u32,
    /// The root of the subtree, in preorder.
    pub node: u32,
    /// Number of nodes of the subtree.
    pub size: u32,
}

impl Ord for Match {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = (self.tree, self.node).cmp(&(other.tree, other.node));
        self.distance.total_cmp(&other.distance).then(place)
    }
}

impl PartialOrd for Match {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Match {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Match {}

/// The best matches so far, of all threads.
#[derive(Debug)]
pub(super) struct Best {
    /// Most matches that are wanted.
    most: usize,
    /// No match is farther than this. The bits of floats that are not negative sort as the floats.
    limit: AtomicU64,
    kept: Mutex<Kept>,
}

/// The worst of all matches is on top.
#[derive(Debug, Default)]
struct Kept {
    matches: BinaryHeap<Match>,
    /// Room was found for that many.
    checked: usize,
}

impl Best {
    /// At most `most` matches, none of them farther than `limit`.
    pub(super) fn new(most: usize, limit: f64) -> Self {
        let kept = Kept { matches: BinaryHeap::new(), checked: 1 << 20 };
        Self { most, limit: AtomicU64::new(limit.to_bits()), kept: Mutex::new(kept) }
    }

    /// The distance above which no subtree is an answer. It never rises.
    #[inline]
    pub(super) fn limit(&self) -> f64 {
        f64::from_bits(self.limit.load(Relaxed))
    }

    /// Keeps those matches that are good enough, and takes the rest away.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if there are more matches than memory.
    pub(super) fn offer(&self, found: &mut Vec<Match>) -> Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for candidate in found.drain(..) {
            if candidate.distance > self.limit() {
                continue;
            }
            kept.matches.push(candidate);
            if kept.matches.len() > self.most {
                kept.matches.pop();
            }
            if kept.matches.len() == self.most
                && let Some(worst) = kept.matches.peek()
            {
                self.limit.fetch_min(worst.distance.to_bits(), Relaxed);
            }
        }
        let held = kept.matches.len();
        if held > kept.checked {
            kept.checked = held + held / 4;
            memory::check("the matches found", (held as u64 / 4) * MATCH_BYTES)?;
        }
        Ok(())
    }

    /// All that are kept, in order.
    pub(super) fn into_sorted(self) -> Vec<Match> {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.matches.into_sorted_vec()
    }
}
