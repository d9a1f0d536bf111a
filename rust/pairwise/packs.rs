//! Small pairs side by side: the columns of several pairs in the lanes of one vector.
//!
//! Column tables of small trees that meet once take longer than their distance, and leave most lanes
//! of a vector idle. So the column trees of several pairs share a vector and its tables. The row
//! tree of each pair meets all of them, which takes no longer than meeting its own.

use crate::distance::{
    ColumnTables, Group, GroupRun, Keeper, Kernel, PairPlan, Scratch, Whole, append_codes,
    pad_codes, uses_as_columns,
};
use crate::error::Result;
use crate::pair::{Costs, Operand, Pair};
use crate::simd::{Instructions, Lanes};
use crate::tree::Orientation;

/// Below this much work (cells) the scalar kernel takes less time than the vector kernel.
const LEAST_CELLS: f64 = 800.0;
/// A tree that has been a column this often gets tables of its own, which it keeps.
const FEW_USES: u32 = 2;

/// Pairs whose columns are in one vector so far, all along paths of one side.
#[derive(Debug)]
pub(super) struct Pack<'a> {
    orientation: Orientation,
    /// Lanes that are free.
    room: usize,
    /// The pairs, each with the place of its result, and whether the target lies along the rows.
    pairs: Vec<(usize, Pair<'a>, bool)>,
    columns: Vec<Operand<'a>>,
    codes: Vec<u32>,
}

/// The side and the roles of a pair whose column tree fits into a vector beside another of its size;
/// `None` if it does not, or if it should have tables of its own.
pub(super) fn fits(pair: &Pair<'_>, plan: &PairPlan) -> Option<(Orientation, bool)> {
    let (orientation, swapped) = plan.outer().filter(|_| plan.cells() >= LEAST_CELLS)?;
    let columns = if swapped { pair.x.tree } else { pair.y.tree };
    let nodes = columns.oriented(orientation).len();
    let fits = 2 * nodes <= lanes(pair.costs, nodes) && uses_as_columns(columns) < FEW_USES;
    fits.then_some((orientation, swapped))
}

/// Lanes of a vector for pairs whose smaller tree has that many nodes; 0 if there are none.
fn lanes(costs: Costs<'_>, smaller: usize) -> usize {
    let bytes = Lanes::narrowest(costs, smaller).map(Lanes::bytes);
    bytes.map_or(0, |bytes| (Instructions::vector_bytes() / bytes) as usize)
}

impl<'a> Pack<'a> {
    pub(super) fn new(orientation: Orientation) -> Self {
        let (pairs, columns, codes) = Default::default();
        Self { orientation, room: 0, pairs, columns, codes }
    }

    /// Adds a pair, whose distance belongs to that place. A pack without room is computed before.
    pub(super) fn add(
        &mut self,
        place: usize,
        pair: Pair<'a>,
        swapped: bool,
        scratch: &mut Scratch<'_>,
        store: &mut impl FnMut(usize, &Pair<'a>, i128),
    ) -> Result<()> {
        let columns = if swapped { pair.x } else { pair.y };
        let tree = columns.tree.oriented(self.orientation);
        if tree.len() > self.room {
            self.compute(scratch, store)?;
            self.room = lanes(pair.costs, tree.len());
        }
        self.room -= tree.len();
        append_codes(&columns, tree, &mut self.codes);
        self.pairs.push((place, pair, swapped));
        self.columns.push(columns);
        Ok(())
    }

    /// Hands the savings of all pairs to `store`, and forgets the pairs.
    pub(super) fn compute(
        &mut self,
        scratch: &mut Scratch<'_>,
        store: &mut impl FnMut(usize, &Pair<'a>, i128),
    ) -> Result<()> {
        pad_codes(&mut self.codes);
        let tables = ColumnTables::default();
        let group = Group {
            members: &self.columns,
            orientation: self.orientation,
            codes: &self.codes,
            largest: self.columns.iter().map(|tree| tree.tree.nodes()).max().unwrap_or(0),
            keeper: Keeper::Batch(&tables),
        };
        for (member, (place, pair, swapped)) in self.pairs.drain(..).enumerate() {
            let rows = &(if swapped { pair.y } else { pair.x }).into();
            let (costs, transposed, cancel) = (pair.costs, swapped, scratch.cancel);
            let run = GroupRun { rows, group: &group, costs, transposed, threads: 1, cancel };
            let mut found = 0;
            let mut read = Whole(|at, saving| found = if at == member { saving } else { found });
            run.savings(Kernel::Auto, scratch.workspace, &mut read)?;
            store(place, &pair, found);
        }
        self.columns.clear();
        self.codes.clear();
        self.room = 0;
        Ok(())
    }
}
