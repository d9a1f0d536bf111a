//! Against the dynamic program, cell by cell.

use super::{TextBatch, levenshtein};
use proptest::prelude::*;

fn plain(a: &[u32], b: &[u32]) -> u32 {
    let mut row: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + u32::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Lengths around those of words and of several words; common tokens, others and tags.
fn texts() -> impl Strategy<Value = Vec<u32>> {
    let tokens =
        || prop_oneof![4 => 97u32..101, 1 => 0x4e00u32..0x4e03, 1 => 0x11_0000u32..0x11_0002];
    let text = |lengths| proptest::collection::vec(tokens(), lengths);
    prop_oneof![text(0..8), text(12..36), text(60..70), text(120..200)]
}

proptest! {
    #[test]
    fn batches_equal_the_plain_dynamic_program(
        patterns in proptest::collection::vec(texts(), 0..40),
        text in texts(),
    ) {
        let views: Vec<&[u32]> = patterns.iter().map(|pattern| &pattern[..]).collect();
        let batch = TextBatch::new(&views);
        let mut found = vec![u32::MAX; patterns.len()];
        batch.distances(&text, &mut found);
        let slow: Vec<_> = patterns.iter().map(|pattern| plain(pattern, &text)).collect();
        prop_assert_eq!(found, slow);
    }

    #[test]
    fn single_distances_are_symmetric(a in texts(), b in texts()) {
        prop_assert_eq!(levenshtein(&a, &b), plain(&a, &b));
        prop_assert_eq!(levenshtein(&a, &b), levenshtein(&b, &a));
        prop_assert_eq!(levenshtein(&a, &a), 0);
    }
}
