//! One table of all labels of a request, where labels have vectors.
//!
//! Costs of vectors are computed for the labels that meet, so that a vocabulary may have any size.
//! The trees of a matrix meet again and again: if the labels that occur are few enough, comparing
//! each two of them once takes less time than the products of all rows and batches, and a matrix by
//! table shares rows and has better bounds. Entries are the same, so distances are.

use super::MatrixRequest;
use crate::cost::{CostTable, MeetingCosts};
use crate::memory;
use crate::pair::{Costs, LocalLabels, Norm, SetCosts, Side};
use crate::tree::Prepared;

/// Most entries of a table of all labels. Tests make it small.
const MOST_ENTRIES: usize = if cfg!(test) { 1 << 6 } else { 1 << 25 };
/// How many times the entries of the table the pairs of labels of all pairs of trees must be.
const PAYS_OFF: u64 = 4;
/// The part of the free memory that the table may take.
const MEMORY_SHARE: u64 = 8;

/// The labels of both sides, and the costs between them.
#[derive(Debug)]
pub(super) struct WholeTable {
    rows: LocalLabels,
    columns: LocalLabels,
    table: CostTable,
}

impl WholeTable {
    /// The table of a request, if it has vectors and the table pays.
    pub(super) fn new(request: &MatrixRequest<'_>) -> Option<Self> {
        let MatrixRequest { x, y, costs, norm, .. } = *request;
        // The norm of Li and Zhang asks for the largest gap of the vocabulary.
        let (SetCosts::Meeting(meeting @ MeetingCosts::Vectors(_)), false) =
            (costs, norm == Some(Norm::LiZhang))
        else {
            return None;
        };
        let [(of_x, all_x), (of_y, all_y)] = [x, y].map(|side| count_labels(side.trees));
        let entries = of_x.saturating_mul(of_y);
        let meetings = all_x.saturating_mul(all_y) / if request.triangle { 2 } else { 1 };
        let bytes = (entries as u64).saturating_mul(size_of::<f64>() as u64);
        if entries > MOST_ENTRIES
            || (entries as u64).saturating_mul(PAYS_OFF) > meetings
            || memory::check("the costs of all labels", bytes.saturating_mul(MEMORY_SHARE)).is_err()
        {
            return None;
        }
        let [rows, columns] =
            [x, y].map(|side| LocalLabels::new(meeting, side.trees.iter(), side.codes));
        let table = rows.table(meeting, &columns);
        Some(Self { rows, columns, table })
    }

    /// The request with this table for its costs.
    pub(super) fn request<'a>(&'a self, request: &MatrixRequest<'a>) -> MatrixRequest<'a> {
        MatrixRequest {
            x: Side { trees: request.x.trees, codes: Some(&self.rows.codes) },
            y: Side { trees: request.y.trees, codes: Some(&self.columns.codes) },
            costs: SetCosts::Fixed(Costs::Table(&self.table)),
            ..*request
        }
    }
}

/// The number of different labels of some trees, and the sum of those of each.
fn count_labels(trees: &[Prepared]) -> (usize, u64) {
    let (mut seen, mut different, mut all) = (Vec::new(), 0, 0);
    for tree in trees {
        all += tree.labels().len() as u64;
        for &label in tree.labels() {
            if seen.len() <= label as usize {
                seen.resize(label as usize + 1, false);
            }
            different += usize::from(!std::mem::replace(&mut seen[label as usize], true));
        }
    }
    (different, all)
}
