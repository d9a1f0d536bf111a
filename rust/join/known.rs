//! A side of many joins whose trees are looked at once: those of an index.
//!
//! Letters are chosen for its labels alone. Labels of queries that it lacks share letters with rare
//! ones, which leaves all bounds valid. Only costs without classes of labels are served: a class may
//! depend on the labels of the queries.

use crate::error::Result;
use crate::join::edits::Prices;
use crate::join::exact::{Kept, Source};
use crate::join::letters::{letters, other_letter};
use crate::join::signatures::{LabelTable, NODE_BYTES, Signatures, TREE_BYTES};
use crate::join::{Input, Join, Way, code_counts};
use crate::memory;
use crate::pair::{Costs, SetCosts};
use crate::parallel::{Cancel, Crew};
use std::sync::Arc;

/// What joins with the trees of an index have in common.
#[derive(Debug)]
pub struct Known {
    labels: Arc<LabelTable>,
    signatures: Arc<Signatures<'static>>,
    kept: Arc<Kept>,
}

impl Known {
    /// Looks at all trees; their labels keep their own codes.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if what is kept of the trees does not fit;
    /// [`crate::Error::Cancelled`] if `poll` asked to stop.
    pub fn new(
        source: &Source<'_>,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Self> {
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let (nodes, trees) = (source.flat.codes.len() as u64, source.flat.len() as u64);
        memory::check("the signatures of the trees", NODE_BYTES * nodes + TREE_BYTES * trees)?;
        let (codes, counts) = code_counts(&Source { codes: None, ..*source });
        let labels = LabelTable { letters: letters(&counts), codes };
        let signatures = Signatures::new(source.flat, &labels, &mut crew)?;
        let kept = Kept::new(source.flat.len());
        Ok(Self {
            labels: Arc::new(labels),
            signatures: Arc::new(signatures),
            kept: Arc::new(kept),
        })
    }

    /// The labels of queries in these letters.
    fn labels_of(&self, queries: &Source<'_>) -> LabelTable {
        let labels = queries.flat.codes.iter().max().map_or(0, |&most| most as u32 + 1);
        let codes: Vec<u32> = match queries.codes {
            Some(codes) => codes[..labels as usize].to_vec(),
            None => (0..labels).collect(),
        };
        let letter = |&code: &u32| {
            let known = self.labels.letters.get(code as usize);
            known.copied().unwrap_or_else(|| other_letter(code))
        };
        LabelTable { letters: codes.iter().map(letter).collect(), codes }
    }
}

impl Join {
    /// Looks at the queries only; `known` is what is known of `input.y`. `None` if costs or radius
    /// leave nothing to gain, or for costs of labels.
    ///
    /// # Errors
    /// As of [`Join::new`].
    pub fn among(
        input: &Input<'_>,
        known: &Known,
        way: Way,
        threads: usize,
        cancel: &Cancel,
        mut poll: impl FnMut() -> bool,
    ) -> Result<Option<Self>> {
        let mut crew = Crew::new(threads, cancel, &mut poll);
        let Some(mut join) = Self::unplanned_among(input, known, &mut crew)? else {
            return Ok(None);
        };
        join.plan(input, way, &mut crew)?;
        let pays = way != Way::Auto || join.pays(input, &mut crew)?;
        Ok(pays.then_some(join))
    }

    /// Looks at the queries only. `None` if costs or radius leave no number of edits.
    pub(super) fn unplanned_among(
        input: &Input<'_>,
        known: &Known,
        crew: &mut Crew<'_>,
    ) -> Result<Option<Self>> {
        if matches!(input.costs, Costs::Table(_)) {
            return Ok(None);
        }
        let quanta = SetCosts::Fixed(input.costs).most_quanta(input.radius);
        // All labels have the prices of the first.
        let Some(prices) = Prices::new(input.costs, [&[1], &[1]], quanta, false) else {
            return Ok(None);
        };
        let labels = known.labels_of(&input.x);
        let x = Signatures::new(input.x.flat, &labels, crew)?;
        Ok(Some(Self {
            prices,
            label_tables: vec![Arc::new(labels), Arc::clone(&known.labels)],
            x,
            y: Some(Arc::clone(&known.signatures)),
            index: None,
            indexed: Vec::new(),
            kept: vec![Arc::new(Kept::new(input.x.flat.len())), Arc::clone(&known.kept)],
            tasks: Vec::new(),
        }))
    }
}
