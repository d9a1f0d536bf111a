//! Column tables that are kept between distances: with a tree, or with a batch of trees.

use crate::distance::columns::Columns;
use crate::simd::{AllLanes, Family, Simd};
use crate::tree::Prepared;
use std::sync::OnceLock;

/// Column tables above this many bytes are built for every use and not kept.
pub(crate) const KEEP_TABLES: usize = 1 << 20;
/// Trees whose column tables would have more lanes than this (a zigzag of ten thousand nodes) are
/// left to the scalar kernel: its memory is that of the two trees.
pub(crate) const LARGEST_TABLES: u64 = 1 << 25;

/// Column tables of one kind of lanes, by orientation, built when first used.
#[derive(Debug)]
pub(super) struct TablesOf;

impl Family for TablesOf {
    type Of<S: Simd> = [OnceLock<Box<Columns<S>>>; 2];

    fn bytes_held<S: Simd>(of: &Self::Of<S>) -> usize {
        of.iter().filter_map(OnceLock::get).map(|columns| columns.bytes()).sum()
    }
}

/// Column tables by kind of lanes and orientation, built when first used.
#[derive(Debug, Default)]
pub(crate) struct ColumnTables(AllLanes<TablesOf>);

/// Who keeps the column tables of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keeper<'a> {
    /// The only tree of the group.
    Tree(&'a Prepared),
    /// A batch of trees.
    Batch(&'a ColumnTables),
}

impl Keeper<'_> {
    /// Calls `work` with the tables.
    #[inline(always)]
    pub(super) fn with_tables<T>(self, work: impl FnOnce(&AllLanes<TablesOf>) -> T) -> T {
        match self {
            Self::Batch(tables) => work(&tables.0),
            Self::Tree(tree) => match tree.slot().get_or_default::<ColumnTables>() {
                Some(tables) => work(&tables.0),
                None => work(&AllLanes::default()), // nothing else is kept in this slot
            },
        }
    }
}
