//! Neighbours, their order, and those that are kept.

use crate::error::Result;
use crate::memory;
use crate::pairwise::search::{BYTES_PER_NEIGHBOR, Wanted};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A candidate and its distance, or a lower bound of it. Ordered by distance, then by index, so
/// that every question has one answer.
#[derive(Debug, Clone, Copy)]
pub struct Neighbor {
    /// How far it is.
    pub distance: f64,
    /// Which one.
    pub index: u32,
}

impl Ord for Neighbor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Neighbor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Neighbor {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Neighbor {}

/// The best candidates so far, the worst of them on top.
#[derive(Debug)]
pub(crate) struct Best {
    wanted: Wanted,
    kept: BinaryHeap<Neighbor>,
}

impl Best {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Self { wanted, kept: BinaryHeap::new() }
    }

    /// Whether a candidate with this distance, or lower bound, can be among the answers.
    #[inline]
    pub(crate) fn admits(&self, candidate: Neighbor) -> bool {
        match self.wanted {
            Wanted::Within(radius) => candidate.distance <= radius,
            Wanted::Nearest(k) => {
                self.kept.len() < k || self.kept.peek().is_some_and(|worst| candidate < *worst)
            }
        }
    }

    /// Keeps a candidate, with its exact distance, if it is good enough.
    pub(crate) fn offer(&mut self, candidate: Neighbor) {
        if self.admits(candidate) {
            if matches!(self.wanted, Wanted::Nearest(k) if self.kept.len() == k) {
                self.kept.pop();
            }
            self.kept.push(candidate);
        }
    }

    /// The distance above which no candidate can be among the answers, if there is one.
    pub(crate) fn limit(&self) -> Option<f64> {
        match self.wanted {
            Wanted::Within(radius) => (radius < f64::INFINITY).then_some(radius),
            Wanted::Nearest(k) if self.kept.len() < k => None,
            Wanted::Nearest(_) => self.kept.peek().map(|worst| worst.distance),
        }
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// All that are kept, in order.
    pub(crate) fn into_sorted(self) -> Vec<Neighbor> {
        self.kept.into_sorted_vec()
    }
}

/// Counts neighbours and refuses more of them than memory can hold.
#[derive(Debug)]
pub(super) struct Budget {
    held: u64,
    /// Room was found for that many.
    checked: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { held: 0, checked: 1 << 20 }
    }
}

impl Budget {
    /// Counts some more.
    pub(super) fn take(&mut self, more: u64) -> Result<()> {
        self.held += more;
        if self.held > self.checked {
            self.checked = self.held + self.held / 4;
            memory::check("the neighbours found", (self.checked - self.held) * BYTES_PER_NEIGHBOR)?;
        }
        Ok(())
    }
}
