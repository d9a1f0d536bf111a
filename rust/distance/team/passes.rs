//! The chunks of a key-root that several threads share.
//!
//! Whoever is done with a chunk takes the next one. The last chunks are the widest, those of the
//! outermost levels, which cannot be cut: with three of them, two threads would do two at the same
//! time, and one the third alone. So chunks at the end are joined to some of about the width of the
//! widest, as many as threads do at the same time, or a multiple. Which number is best is found by going through
//! the order in which threads take them.

use crate::distance::columns::Chunk;

/// How often each thread may take a joined chunk, at most.
const MOST_ROUNDS: usize = 8;
/// What a pass over a row takes besides its blocks, in blocks.
const PASS: usize = 4;

/// The chunks of the columns, joined where that is faster for this number of threads.
pub(super) fn shared_chunks(chunks: &[Chunk], threads: usize) -> Vec<Chunk> {
    let all = (0..=MOST_ROUNDS * threads).map(|last| joined(chunks, last));
    // The first of the best: with fewest joined.
    all.min_by_key(|chunks| time(chunks, threads)).unwrap_or_default()
}

/// Joins chunks from the end, until this many have at least the width of the widest.
fn joined(chunks: &[Chunk], last: usize) -> Vec<Chunk> {
    let width = chunks.iter().map(|chunk| chunk.blocks.len()).max().unwrap_or(0);
    let mut found: Vec<Chunk> = Vec::new();
    let mut is_open = false;
    for chunk in chunks.iter().rev() {
        match found.last_mut() {
            Some(group) if is_open => {
                group.runs.start = chunk.runs.start;
                group.blocks.start = chunk.blocks.start;
            }
            _ => found.push(chunk.clone()),
        }
        let group_width = found.last().map_or(0, |group| group.blocks.len());
        is_open = found.len() <= last && group_width < width;
    }
    found.reverse();
    found
}

/// Blocks that go by in a row until all threads are done.
fn time(chunks: &[Chunk], threads: usize) -> usize {
    let mut free = vec![0; threads.max(1)];
    let (mut begun, mut done) = (0, 0);
    for chunk in chunks {
        let Some(thread) = free.iter_mut().min() else { return 0 };
        // A chunk stays behind the chunk before it.
        begun = begun.max(*thread);
        done = done.max(begun + PASS + chunk.blocks.len());
        *thread = done;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunks(widths: &[usize]) -> Vec<Chunk> {
        let mut end = 0;
        let chunk = |(run, &width): (usize, &usize)| {
            let start = end;
            end += width;
            Chunk { runs: 2 * run..2 * run + 2, blocks: start..end }
        };
        widths.iter().enumerate().map(chunk).collect()
    }

    proptest! {
        #[test]
        fn joined_chunks_are_all_blocks_in_order(
            widths in proptest::collection::vec(1usize..60, 1..40), threads in 1usize..9,
        ) {
            let all = chunks(&widths);
            let found = shared_chunks(&all, threads);
            prop_assert!(time(&found, threads) <= time(&all, threads));
            prop_assert_eq!(found[0].runs.start, 0);
            prop_assert_eq!(found[0].blocks.start, 0);
            for pair in found.windows(2) {
                prop_assert_eq!(pair[0].runs.end, pair[1].runs.start);
                prop_assert_eq!(pair[0].blocks.end, pair[1].blocks.start);
            }
            let (last, expected) = (&found[found.len() - 1], &all[all.len() - 1]);
            prop_assert_eq!((last.runs.end, last.blocks.end), (expected.runs.end, expected.blocks.end));
        }
    }

    /// The widths of columns of a binary tree and of syntax trees with 20,000 nodes: two threads take
    /// at most 3 % more than half of the time of one.
    #[test]
    fn threads_end_at_the_same_time() {
        let binary =
            [62, 146, 287, 18, 186, 280, 177, 394, 464, 150, 87, 537, 605, 22, 623, 625, 625];
        let syntax = [44, 50, 135, 44, 181, 207, 219, 361, 536, 87, 5, 620, 625, 625];
        for widths in [&binary[..], &syntax, &[60, 60, 60, 20, 40]] {
            let (all, sum) = (chunks(widths), widths.iter().sum::<usize>());
            let found = time(&shared_chunks(&all, 2), 2);
            assert!(100 * (found - 2 * PASS) <= 103 * sum / 2, "{found} {sum}");
        }
        assert!(shared_chunks(&[], 2).is_empty());
    }
}
