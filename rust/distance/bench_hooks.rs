//! What the vector kernel will do for a pair, counted without doing it. For `benches/cells.rs`
//! only, which compares the counts with measured times.

use crate::distance::columns::{BlockRun, Columns};
use crate::error::Result;
use crate::parallel::Cancel;
use crate::simd::{InLanes, Instructions, Lanes, Simd, in_any_lanes};
use crate::tree::{Orientation, Oriented, Prepared};

/// Vector blocks by what is done with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Census {
    /// Blocks in rows that yield subtree values: isolated ones, chained ones.
    pub tree: [u64; 2],
    /// Blocks in other rows whose prefix maximum is computed.
    pub forest: [u64; 2],
    /// Blocks in all other rows.
    pub joined: u64,
    /// Blocks that are expanded, in rows of leaves.
    pub leaf: [u64; 2],
    /// Picks from other vectors, in rows of leaves.
    pub far: u64,
    /// Blocks of columns without branches: isolated ones, chained ones.
    pub unbranched: [u64; 2],
    /// Vectors of children that are merged into the row of their parent.
    pub merged: u64,
}

/// Counts the blocks of `x` along the rows and `y` along the columns.
///
/// # Errors
/// [`crate::Error::Memory`] if the column tables do not fit.
pub fn census(
    x: &Prepared,
    y: &Prepared,
    orientation: Orientation,
    instructions: Instructions,
    lanes: Lanes,
) -> Result<Census> {
    let (rows, columns) = (x.oriented(orientation), y.oriented(orientation));
    in_any_lanes(Some(lanes), |set| set == instructions, Count { rows, columns })
}

/// A census, before its lanes are known.
struct Count<'a> {
    rows: &'a Oriented,
    columns: &'a Oriented,
}

impl InLanes for Count<'_> {
    type Output = Result<Census>;

    fn run<S: Simd>(self, _: S) -> Result<Census> {
        let Self { rows, columns } = self;
        let columns = Columns::<S>::new(&[columns], &Cancel::default())?;
        let (mut tree, mut forest, mut joined, mut leaf, mut children) = (0, 0, 0, 0, 0);
        for &keyroot in &rows.fresh {
            let keyroot = keyroot as usize;
            for i in rows.first(keyroot)..=keyroot {
                if rows.first(i) == rows.first(keyroot) {
                    tree += 1;
                    children += rows.children(i).count() as u64;
                } else {
                    leaf += u64::from(rows.size[i] == 1);
                    if columns.skip_only_children() && rows.is_only_child(i) {
                        continue;
                    }
                    let scanned = rows.size[i + 1] == 1 || rows.first(i + 1) == rows.first(keyroot);
                    forest += u64::from(scanned);
                    joined += u64::from(!scanned);
                }
            }
        }
        let count = |runs: &[BlockRun]| {
            let mut blocks = [0; 2];
            for run in runs {
                blocks[usize::from(run.chained)] += run.blocks.len() as u64;
            }
            blocks
        };
        let (blocks, unbranched) = (count(&columns.runs), count(&columns.unbranched));
        Ok(Census {
            tree: blocks.map(|blocks| blocks * tree),
            forest: blocks.map(|blocks| blocks * forest),
            joined: blocks.iter().sum::<u64>() * joined,
            leaf: blocks.map(|blocks| blocks * leaf),
            far: columns.far.len() as u64 * leaf,
            unbranched: unbranched.map(|blocks| blocks * tree),
            merged: children * columns.vectors as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Numbering;

    #[test]
    fn a_chain_against_a_star() {
        let mut numbering = Numbering::default();
        let chain = Prepared::new(
            &[0; 40],
            &std::array::from_fn::<_, 40, _>(|i| i as i32 - 1),
            &mut numbering,
        );
        let star = Prepared::new(&[0; 3], &[-1, 0, 0], &mut numbering);
        // The chain is one path of 40 rows; as columns it is one segment.
        let instructions = Instructions::Portable;
        let of = |x, y, lanes| census(x, y, Orientation::Left, instructions, lanes).unwrap();
        let expected = Census { tree: [0, 120], merged: 39 * 3, ..Census::default() };
        assert_eq!(of(&chain, &chain, Lanes::Bytes), expected);
        // The second leaf of the star is a key-root, and once more a row below the root.
        let forest = [1, 0];
        let expected =
            Census { tree: [3, 0], forest, leaf: forest, merged: 2, ..Census::default() };
        assert_eq!(of(&star, &star, Lanes::Bytes), expected);
        // Two branches of two nodes: in columns of one vector, the second one has a segment.
        let forked = Prepared::new(&[0; 5], &[-1, 0, 1, 0, 3], &mut numbering);
        let forest = [2, 0];
        let expected = Census { tree: [6, 0], forest, leaf: forest, ..expected };
        assert_eq!(of(&star, &forked, Lanes::Bytes), expected);
        // Eight branches, two vectors: their key-roots need no segment as columns, and their lower nodes no row.
        let parents = std::array::from_fn::<_, 17, _>(|i| [i as i32 - 1, 0][i % 2]);
        let wide = Prepared::new(&[0; 17], &parents, &mut numbering);
        let found = of(&wide, &wide, Lanes::Bytes);
        let (tree, forest, unbranched) = ([0, 10], [0, 14], [5, 0]);
        let expected = Census {
            tree,
            forest,
            leaf: forest,
            merged: 20,
            unbranched,
            far: found.far,
            joined: 0,
        };
        assert_eq!(found, expected);
    }
}
