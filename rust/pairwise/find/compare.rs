//! The distances of the query to all subtrees of a candidate.

use crate::distance::{Scratch, Workspace, root_savings};
use crate::error::Result;
use crate::memory;
use crate::pair::{Costs, LocalLabels, Operand, Pair, SetCosts};
use crate::pairwise::account::{PREPARED_NODE_BYTES, PREPARED_TREE_BYTES};
use crate::pairwise::find::FindRequest;
use crate::parallel::Cancel;
use crate::tree::{Numbering, Prepared};

/// What one thread reuses from candidate to candidate.
#[derive(Debug, Default)]
pub(super) struct Comparer {
    workspace: Workspace,
    numbering: Numbering,
    parents: Vec<i32>,
    /// Numbers of the labels of the candidate, for costs of labels that meet.
    numbers: Vec<u32>,
    /// What the query saves with every subtree, in preorder.
    pub(super) savings: Vec<i128>,
}

impl Comparer {
    /// Computes the savings of the query with all subtrees of a candidate; `codes` and `parents`
    /// are its nodes, the parents as numbers of its tree, in which it begins at `start`.
    pub(super) fn compare(
        &mut self,
        request: &FindRequest<'_>,
        source: Option<&LocalLabels>,
        (codes, parents): (&[i32], &[i32]),
        start: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        let FindRequest { query, labels, costs, .. } = *request;
        let nodes = codes.len() as u64;
        memory::check("a subtree", nodes * PREPARED_NODE_BYTES + PREPARED_TREE_BYTES)?;
        self.parents.clear();
        self.parents.extend(parents.iter().map(|&parent| parent - start as i32));
        self.parents[0] = -1;
        let tree = Prepared::new(codes, &self.parents, &mut self.numbering);
        let scratch = &mut Scratch { workspace: &mut self.workspace, cancel };
        match (costs, source) {
            (SetCosts::Meeting(meeting), Some(source)) => {
                let buffer = std::mem::take(&mut self.numbers);
                let one = std::iter::once(&tree);
                let target = LocalLabels::in_buffer(buffer, meeting, one, labels);
                let table = source.table_for_one(meeting, &target);
                let x = Operand { tree: query.tree, codes: Some(&source.codes) };
                let y = Operand { tree: &tree, codes: Some(&target.codes) };
                let pair = Pair { x, y, costs: Costs::Table(&table) };
                root_savings(&pair, &mut self.savings, scratch)?;
                self.numbers = target.give_back(&tree);
            }
            (SetCosts::Fixed(costs), _) => {
                let y = Operand { tree: &tree, codes: labels };
                root_savings(&Pair { x: query, y, costs }, &mut self.savings, scratch)?;
            }
            (SetCosts::Meeting(_), None) => self.savings.clear(), // the caller has made the labels
        }
        Ok(())
    }
}
