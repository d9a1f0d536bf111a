//! All pairs of trees within a radius, without a look at all pairs.
//!
//! Trees within k edits have numbers of nodes that differ by at most k, label histograms that
//! differ by at most 2 k, and label strings, in preorder and in postorder, that are at most k edits
//! apart. Trees are sorted by size, equal trees are one kind, and for each kind
//!
//! 1. candidates are found among the kinds of similar size: by a *scan* of histograms
//!    (`simd/counts.rs`), or by an *index* of string segments (`segments.rs`), whichever is estimated to
//!    be faster for a size;
//! 2. candidates are removed by their strings, eight at a time (`sieve.rs`);
//! 3. the distance of those that remain is read off the strings (`strings.rs`, `mapping.rs`);
//! 4. or they are removed by their tours (`tours.rs`), or it is computed (`exact.rs`).
//!
//! The k nearest trees are found with the same bounds, level by level (`nearest.rs`).
//!
//! Other costs than one per edit are reduced to a number of edits (`edits.rs`). All ways give the same
//! bits as all pairs in batches.

mod answers;
mod edits;
mod exact;
mod known;
mod letters;
mod levels;
mod mapping;
mod nearest;
mod plan;
mod query;
mod segments;
mod sieve;
mod signatures;
mod strings;
#[cfg(test)]
mod tests;
mod tours;

pub use answers::{Chunk, Cursor, Rows};
pub use exact::Source;
pub use known::Known;

use crate::error::Result;
use crate::memory;
use crate::pair::{Costs, Norm};
use crate::parallel::{Cancel, Crew};
use edits::{Limits, Prices};
use exact::{Kept, Sides};
use letters::letters;
use query::Queries;
use segments::SegmentIndex;
use signatures::{LabelTable, NODE_BYTES, Signatures, TREE_BYTES};
use std::ops::Range;
use std::sync::Arc;

/// How candidates are found. All ways give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Whichever is estimated to be faster.
    Auto,
    /// By histograms of trees of similar size.
    Scan,
    /// By segments of strings, where they can be cut.
    Index,
}

/// What is joined.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The queries: sources of the edits.
    pub x: Source<'a>,
    /// The candidates: targets.
    pub y: Source<'a>,
    /// What edits cost.
    pub costs: Costs<'a>,
    /// What distances are divided by.
    pub norm: Option<Norm>,
    /// The largest result of a pair.
    pub radius: f64,
    /// `y` is `x`, and no tree is its own neighbour.
    pub inside: bool,
    /// Edits cost as much as their inverses.
    pub symmetric: bool,
}

impl Input<'_> {
    /// Whether every pair of trees is met from both sides, with one result.
    fn is_mirrored(&self) -> bool {
        self.inside && self.symmetric
    }
}

/// What is known of both sides, and the tasks that are left.
#[derive(Debug)]
pub struct Join {
    prices: Prices,
    label_tables: Vec<Arc<LabelTable>>,
    x: Signatures<'static>,
    /// The same as `x` if there is none.
    y: Option<Arc<Signatures<'static>>>,
    index: Option<SegmentIndex>,
    /// For every size of y, whether its candidates come from the index.
    indexed: Vec<bool>,
    kept: Vec<Arc<Kept>>,
    /// Ranges of kinds of x.
    tasks: Vec<Range<usize>>,
}

/// The number of nodes with each code of the comparison.
fn code_counts(source: &Source<'_>) -> (Vec<u32>, Vec<u64>) {
    let labels = source.flat.codes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut by_label = vec![0u64; labels];
    source.flat.codes.iter().for_each(|&label| by_label[label as usize] += 1);
    let codes: Vec<u32> = match source.codes {
        Some(codes) => codes[..labels].to_vec(),
        None => (0..labels as u32).collect(),
    };
    let mut counts = vec![0; codes.iter().max().map_or(0, |&most| most as usize + 1)];
    for (&code, &count) in codes.iter().zip(&by_label) {
        counts[code as usize] += count;
    }
    (codes, counts)
}

impl Join {
    /// Looks at all trees. `None` if costs or radius leave nothing to gain over all pairs.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if what is kept of the trees does not fit;
    /// [`crate::Error::Cancelled`] if `poll` asked to stop.
    pub fn new(
        input: &Input<'_>,
        way: Way,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Option<Self>> {
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let Some(mut join) = Self::unplanned(input, &mut crew)? else { return Ok(None) };
        join.plan(input, way, &mut crew)?;
        let pays = way != Way::Auto || join.pays(input, &mut crew)?;
        Ok(pays.then_some(join))
    }

    /// Looks at all trees. `None` if costs or radius leave no number of edits.
    fn unplanned(input: &Input<'_>, crew: &mut Crew<'_>) -> Result<Option<Self>> {
        let sides: Vec<_> = if input.inside { vec![input.x] } else { vec![input.x, input.y] };
        let bytes = |side: &Source<'_>| {
            NODE_BYTES * side.flat.codes.len() as u64 + TREE_BYTES * side.flat.len() as u64
        };
        memory::check("the signatures of the trees", sides.iter().map(bytes).sum())?;
        let counted: Vec<_> = sides.iter().map(code_counts).collect();
        let (first, last) = (&counted[0], &counted[counted.len() - 1]);
        let quanta = crate::pair::SetCosts::Fixed(input.costs).most_quanta(input.radius);
        let occurring = [&first.1[..], &last.1[..]];
        let Some(prices) = Prices::new(input.costs, occurring, quanta, input.inside) else {
            return Ok(None);
        };
        crew.ask()?;
        // Letters belong to classes; without classes, codes are classes.
        let class = |side: usize, code: u32| match &prices.classes {
            Some(classes) => classes[side][code as usize] as usize,
            None => code as usize,
        };
        let mut counts = Vec::new();
        for (side, (_, of_side)) in counted.iter().enumerate() {
            for (code, &count) in (0u32..).zip(of_side) {
                let class = class(side, code);
                counts.resize(counts.len().max(class + 1), 0);
                counts[class] += count;
            }
        }
        let letters = letters(&counts);
        let label_tables: Vec<_> = counted
            .into_iter()
            .enumerate()
            .map(|(side, (codes, _))| {
                let letter = |&code: &u32| letters[class(side, code)];
                Arc::new(LabelTable { letters: codes.iter().map(letter).collect(), codes })
            })
            .collect();
        let mut signatures = Vec::new();
        for (side, labels) in sides.iter().zip(&label_tables) {
            signatures.push(Signatures::new(side.flat, labels, crew)?);
        }
        let kept = sides.iter().map(|side| Arc::new(Kept::new(side.flat.len()))).collect();
        let y = if input.inside { None } else { signatures.pop().map(Arc::new) };
        let Some(x) = signatures.pop() else { return Ok(None) };
        let (index, indexed, tasks) = (None, Vec::new(), Vec::new());
        Ok(Some(Self { prices, label_tables, x, y, index, indexed, kept, tasks }))
    }

    fn y(&self) -> &Signatures<'static> {
        self.y.as_deref().unwrap_or(&self.x)
    }

    fn labels(&self) -> [&LabelTable; 2] {
        [&self.label_tables[0], &self.label_tables[self.label_tables.len() - 1]]
    }

    fn limits<'a>(&'a self, input: &Input<'a>) -> Limits<'a> {
        Limits::new(input.costs, input.norm, input.radius, &self.prices)
    }

    fn queries<'a>(&'a self, input: &'a Input<'a>, cancel: &'a Cancel) -> Queries<'a> {
        let sides =
            Sides { x: (input.x, &self.kept[0]), y: (input.y, &self.kept[self.kept.len() - 1]) };
        Queries { join: self, input, limits: self.limits(input), sides, cancel }
    }

    /// Whether some candidates come from the index.
    pub fn uses_index(&self) -> bool {
        self.index.is_some()
    }
}
