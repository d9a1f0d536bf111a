//! Labels as letters of one byte.
//!
//! Classes of labels that are frequent have a letter of their own, the others share some. Strings of
//! letters are at most as far from each other as strings of labels, so bounds by letters hold.

use crate::simd::counts::PLACES;

/// Letters that belong to one class.
const OWN: usize = 224;
/// Letters that other classes share.
const SHARED: usize = 32;
/// Places of a histogram that belong to one letter; the others are shared.
const OWN_PLACES: usize = 48;

/// Letters for classes with these numbers of nodes.
pub(super) fn letters(counts: &[u64]) -> Vec<u8> {
    let mut order: Vec<_> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
    let mut letters = vec![0; counts.len()];
    for (rank, class) in order.into_iter().enumerate() {
        letters[class] = if rank < OWN { rank } else { OWN + rank % SHARED } as u8;
    }
    letters
}

/// A letter for a class that has none; equal classes get the same.
pub(super) fn other_letter(class: u32) -> u8 {
    (OWN + class as usize % SHARED) as u8
}

/// The histogram of a string. Counts above 255 are cut.
pub(super) fn histogram(string: &[u8]) -> [u8; PLACES] {
    let mut counts = [0u8; PLACES];
    for &letter in string {
        let letter = usize::from(letter);
        let place =
            if letter < OWN_PLACES { letter } else { OWN_PLACES + letter % (PLACES - OWN_PLACES) };
        counts[place] = counts[place].saturating_add(1);
    }
    counts
}
