//! Rows that the trees of a set share.
//!
//! In all pairs of a set, the same columns meet one row tree after the other, and the row trees
//! have subtrees in common. What is known of a subtree and the columns is a row of the table, so
//! it is kept, and a key-root whose subtree was met before costs nothing: neither do whole trees
//! that occur again. The savings of a label with the columns are kept in the same way.

use crate::distance::profile::VIRTUAL;
use crate::pair::Operand;
use crate::tree::{ONCE, Oriented};

/// Bytes of the table that rows are kept in: as much as caches hold. Tests make them run out.
const KEPT_ROWS: usize = if cfg!(test) { 1 << 13 } else { 2 << 20 };
/// The same for the savings of labels.
const KEPT_LABELS: usize = if cfg!(test) { 1 << 11 } else { 1 << 18 };

/// The row of a subtree that was not met before.
const UNKNOWN: u32 = u32::MAX;

/// Both, for each thread and kind of lanes.
pub(crate) const KEPT_BYTES: (u64, u64) = (KEPT_ROWS as u64, KEPT_LABELS as u64);

/// What the rows of one tree have in common with those of other trees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// A number for the subtree of each node, the same for equal ones; [`ONCE`] if there is no other.
    pub(crate) ids: &'a [u32],
    /// Different for different columns; not 0.
    pub(crate) columns: u64,
}

/// Where the values of a row tree are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLayout<'a> {
    /// The row of the table of each node. That of a child is before that of its parent, if the
    /// parent is to be computed.
    pub(crate) row: &'a [u32],
    /// Key-roots to compute, in ascending order.
    pub(crate) fresh: &'a [u32],
    /// The row of the profile of each distinct label, and that of a virtual root.
    pub(crate) profile: &'a [u32],
}

/// Places of numbered things, all forgotten at once.
#[derive(Debug, Default)]
struct Places {
    stamp: u32,
    /// Stamp and place by number; those of other stamps are forgotten.
    known: Vec<(u32, u32)>,
    used: usize,
}

impl Places {
    fn forget(&mut self) {
        self.used = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.known.clear();
            self.stamp = 1;
        }
    }

    #[inline(always)]
    fn get(&self, id: usize) -> Option<u32> {
        let &(stamp, place) = self.known.get(id)?;
        (stamp == self.stamp).then_some(place)
    }

    /// The places of many, or [`UNKNOWN`]: without branches, since nobody foresees which are known.
    #[allow(clippy::needless_bitwise_bool)] // the lazy one is a branch
    #[inline(always)]
    fn append(&self, ids: &[u32], places: &mut Vec<u32>) {
        let Some(last) = self.known.len().checked_sub(1) else {
            places.resize(places.len() + ids.len(), UNKNOWN);
            return;
        };
        places.extend(ids.iter().map(|&id| {
            let (stamp, place) = self.known[(id as usize).min(last)];
            let is_known = (stamp == self.stamp) & (id as usize <= last);
            if is_known { place } else { UNKNOWN }
        }));
    }

    /// The next free place.
    #[inline(always)]
    fn next(&mut self) -> u32 {
        self.used += 1;
        self.used as u32 - 1
    }

    /// The next free place, known by that number from now on, unless it has one.
    #[inline(always)]
    fn take(&mut self, id: usize) -> u32 {
        let place = self.next();
        if self.known.len() <= id {
            self.known.resize((id + 1).next_power_of_two(), (0, 0));
        }
        if self.known[id].0 != self.stamp {
            self.known[id] = (self.stamp, place);
        }
        place
    }
}

/// What has been kept so far, and where the current tree is.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    columns: u64,
    rows: Places,
    labels: Places,
    row: Vec<u32>,
    fresh: Vec<u32>,
    path: Vec<usize>,
    profile: Vec<u32>,
    /// Labels of the current tree whose savings are not there yet, as indices.
    new_labels: Vec<u32>,
}

/// Rows of the table and of the profile to make room for, if rows take that many bytes.
pub(crate) fn room(nodes: usize, labels: usize, bytes: usize) -> (usize, usize) {
    let bytes = bytes.max(1);
    ((KEPT_ROWS / bytes).max(nodes), (KEPT_LABELS / bytes).max(labels))
}

impl Sharing {
    /// Whether a tree goes into what room is left beside the rows that are kept for these columns;
    /// if not, all is forgotten and the room may be made again.
    pub(crate) fn continues(
        &mut self,
        columns: u64,
        (nodes, labels): (usize, usize),
        (rows, profile_rows): (usize, usize),
    ) -> bool {
        let fits = self.rows.used + nodes <= rows && self.labels.used + labels <= profile_rows;
        if self.columns == columns && fits {
            return true;
        }
        self.columns = columns;
        self.rows.forget();
        self.labels.forget();
        false
    }

    /// Finds the rows of a tree, and which of them are to be computed.
    pub(crate) fn arrange(&mut self, operand: &Operand<'_>, tree: &Oriented, ids: &[u32]) {
        self.row.clear();
        self.rows.append(ids, &mut self.row);
        self.fresh.clear();
        for &keyroot in &tree.keyroots {
            // With a subtree all that is in it is known: most are, from other trees.
            if self.row[keyroot as usize] != UNKNOWN {
                continue;
            }
            // Down the path: the node itself, then the first child again and again.
            self.path.clear();
            self.path.extend(tree.left_path_down(keyroot as usize));
            if self.rows.get(ids[keyroot as usize] as usize).is_some() {
                for &i in &self.path {
                    self.row[i] = self.rows.get(ids[i] as usize).unwrap_or_default();
                }
            } else {
                self.fresh.push(keyroot);
                for &i in self.path.iter().rev() {
                    self.row[i] = match ids[i] {
                        ONCE => self.rows.next(),
                        id => self.rows.take(id as usize),
                    };
                }
            }
        }
        self.profile.clear();
        self.new_labels.clear();
        let virtual_root = std::iter::once(VIRTUAL);
        let codes = operand.tree.labels().iter().map(|&label| operand.code(label));
        for (index, code) in (0..).zip(codes.chain(virtual_root)) {
            // The virtual root comes first.
            let id = code.wrapping_add(1) as usize;
            self.profile.push(self.labels.get(id).unwrap_or_else(|| {
                self.new_labels.push(index);
                self.labels.take(id)
            }));
        }
    }

    /// Where the current tree is.
    pub(crate) fn layout(&self) -> RowLayout<'_> {
        RowLayout { row: &self.row, fresh: &self.fresh, profile: &self.profile }
    }

    /// Codes of the labels whose savings are not there yet, each with its row of the profile.
    pub(crate) fn new_labels<'a>(
        &'a self,
        operand: &'a Operand<'_>,
    ) -> impl Iterator<Item = (u32, usize)> + 'a {
        let labels = operand.tree.labels();
        self.new_labels.iter().map(move |&index| {
            let code = labels.get(index as usize).map_or(VIRTUAL, |&label| operand.code(label));
            (code, self.profile[index as usize] as usize)
        })
    }

    /// The layout of a tree that shares nothing.
    pub(crate) fn alone<'a>(&'a mut self, tree: &'a Oriented, labels: usize) -> RowLayout<'a> {
        self.columns = 0;
        self.profile.clear();
        self.profile.extend(0..labels as u32);
        RowLayout { row: &tree.row, fresh: &tree.fresh, profile: &self.profile }
    }
}
