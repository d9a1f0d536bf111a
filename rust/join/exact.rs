//! Exact distances of the pairs that no bound rules out.
//!
//! Most trees of a large set never get here, so a tree is prepared when its first distance is
//! computed, and kept as long as there is room.

use crate::distance::{PairPlan, Scratch, distance_up_to};
use crate::error::Result;
use crate::features::Flat;
use crate::memory;
use crate::pair::{Measure, Operand, Pair};
use crate::pairwise::{PREPARED_NODE_BYTES, PREPARED_TREE_BYTES};
use crate::tree::{Numbering, Prepared};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of the free memory that prepared trees may take.
const SHARE: u64 = 4;

/// The prepared trees of one side.
#[derive(Debug)]
pub(super) struct Kept {
    trees: Vec<OnceLock<Box<Prepared>>>,
    bytes: AtomicU64,
    most_bytes: u64,
}

/// A tree that is kept, or that is dropped after use.
enum Found<'a> {
    Kept(&'a Prepared),
    Own(Box<Prepared>),
}

impl Found<'_> {
    fn tree(&self) -> &Prepared {
        match self {
            Found::Kept(tree) => tree,
            Found::Own(tree) => tree,
        }
    }
}

impl Kept {
    pub(super) fn new(trees: usize) -> Self {
        let trees = (0..trees).map(|_| OnceLock::new()).collect();
        Self { trees, bytes: AtomicU64::new(0), most_bytes: memory::available() / SHARE }
    }

    fn get<'a>(&'a self, source: &Source<'a>, tree: usize, numbering: &mut Numbering) -> Found<'a> {
        if let Some(prepared) = source.prepared {
            return Found::Kept(&prepared[tree]);
        }
        if let Some(kept) = self.trees[tree].get() {
            return Found::Kept(kept);
        }
        let nodes = source.flat.tree(tree);
        let made = Box::new(Prepared::new(nodes.codes, nodes.parents, numbering));
        // Column tables that kernels keep with a tree are about as large again.
        let bytes = 2 * (PREPARED_TREE_BYTES + PREPARED_NODE_BYTES * nodes.codes.len() as u64);
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) > self.most_bytes {
            return Found::Own(made);
        }
        Found::Kept(self.trees[tree].get_or_init(|| made))
    }
}

/// The trees of one side, as arrays and, if somebody has prepared them, prepared.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The trees.
    pub flat: Flat<'a>,
    /// The code of every label in the comparison; the same without.
    pub codes: Option<&'a [u32]>,
    /// The same trees, prepared.
    pub prepared: Option<&'a [Prepared]>,
}

/// Two sides and what is kept of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) x: (Source<'a>, &'a Kept),
    pub(super) y: (Source<'a>, &'a Kept),
}

impl Sides<'_> {
    /// The result of tree `i` of x and tree `j` of y if their distance is at most what `limit`
    /// returns for their measure.
    pub(super) fn result(
        &self,
        (i, j): (usize, usize),
        costs: crate::pair::Costs<'_>,
        limit: impl FnOnce(&Pair<'_>) -> (Measure, i128),
        numbering: &mut Numbering,
        scratch: &mut Scratch<'_>,
    ) -> Result<f64> {
        let a = self.x.1.get(&self.x.0, i, numbering);
        let b = self.y.1.get(&self.y.0, j, numbering);
        let x = Operand { tree: a.tree(), codes: self.x.0.codes };
        let y = Operand { tree: b.tree(), codes: self.y.0.codes };
        let pair = Pair { x, y, costs };
        let plan = PairPlan::new(&pair);
        if plan.is_free() {
            return Ok(0.0);
        }
        let (measure, most) = limit(&pair);
        Ok(measure.of(distance_up_to(&pair, &plan, most, scratch)?))
    }
}
