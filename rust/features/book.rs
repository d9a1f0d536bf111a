//! What names features.

use crate::features::trie::Family;
use crate::tree::mix;

/// Names strings of labels and features, one step at a time.
pub(crate) trait Book {
    /// The name of a string.
    type Id: Copy + Ord;

    /// The string that only consists of its family.
    fn family(&self, family: Family) -> Self::Id;

    /// A string and one more label, or the star in place of a node that does not exist; `None` if
    /// the string has no name.
    fn label(&mut self, prefix: Self::Id, label: Option<i32>) -> Option<Self::Id>;

    /// A string and one more feature.
    fn feature(&mut self, prefix: Self::Id, feature: Self::Id) -> Option<Self::Id>;
}

/// Hashes of the labels by their codes; the same in every process.
#[derive(Debug, Clone, Copy)]
pub struct LabelHashes<'a>(pub &'a [u64]);

/// How hashes become columns.
#[derive(Debug, Clone, Copy)]
pub struct Hashing {
    /// Number of columns.
    pub columns: u32,
    /// Whether half of the features count negatively, so that collisions cancel out on average.
    pub signed: bool,
    /// Whether a feature counts once per tree, however often it occurs.
    pub binary: bool,
}

impl Hashing {
    /// The column of a feature and its sign.
    pub(crate) fn place(self, hash: u64) -> (u32, f64) {
        // The high half of a product maps 32 bits evenly to the columns.
        let column = ((hash & 0xffff_ffff) * u64::from(self.columns)) >> 32;
        let negative = self.signed && hash >> 63 == 1;
        (column as u32, if negative { -1.0 } else { 1.0 })
    }
}

/// Names features by hashes of 64 bits.
impl Book for LabelHashes<'_> {
    type Id = u64;

    fn family(&self, family: Family) -> u64 {
        mix(0x9e37_79b9_7f4a_7c15, family as u64)
    }

    fn label(&mut self, prefix: u64, label: Option<i32>) -> Option<u64> {
        let hash = label.map_or(Some(0), |code| self.0.get(usize::try_from(code).ok()?).copied());
        // One more round than a feature, so that a label and a feature of the same hash differ.
        Some(mix(mix(prefix, hash?), 1))
    }

    fn feature(&mut self, prefix: u64, feature: u64) -> Option<u64> {
        Some(mix(mix(prefix, feature), 2))
    }
}
