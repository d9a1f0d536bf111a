//! What the labels of the trees cost, and what they can save with the query: the lower bounds.
//!
//! With D the cost of deleting the query, I(S) that of inserting a subtree S, and w the saving of a
//! pair of labels, an alignment of the query and S saves at most the sum of the best savings of the
//! nodes of S, and at most that of the nodes of the query:
//!
//! ```text
//! d(Q, S) >= D + I(S) - min(sum over b in S of max over a of w(a, b), sum over a in Q of max over b of w(a, b))
//! ```
//!
//! The second sum, M, does not depend on S, so I(S) <= limit + M - D for every answer. This is the
//! largest weight of a candidate; under unit costs it is 2 |Q| for the distance |Q| of a leaf, and
//! |Q| + d for a limit of d. All sums grow from child to parent, so the bounds of all subtrees of a
//! candidate take one pass.

use crate::error::Result;
use crate::pair::{Costs, SetCosts};
use crate::pairwise::find::FindRequest;
use crate::parallel::Crew;
use std::ops::Range;

/// Labels that are compared with those of the query at a time.
const LABELS_PER_PART: usize = 1 << 10;
/// Most of these parts are done within milliseconds.
const FEW_PARTS: usize = 4;
/// The place of a label that the query does not have.
const NOWHERE: u32 = u32::MAX;

/// A label of the trees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    /// What inserting it costs.
    pub(super) insert: i128,
    /// The most that it saves with a label of the query.
    pub(super) saved: i128,
}

/// All labels of the trees, and the query.
#[derive(Debug)]
pub(super) struct Prices {
    of: Vec<Price>,
    /// What deleting the query costs.
    pub(super) delete: i128,
    /// The most that its nodes can save: M.
    saved: i128,
    nodes: usize,
    common: Option<CommonLabels>,
}

/// Costs by kind of edit: only as many labels are equal as both trees have.
#[derive(Debug)]
struct CommonLabels {
    /// For every label of the trees its place among the labels of the query.
    places: Vec<u32>,
    /// How often the query has each of its labels.
    counts: Vec<u32>,
    /// What pairs of equal and of different labels save.
    savings: (i128, i128),
}

impl Prices {
    pub(super) fn new(request: &FindRequest<'_>, crew: &mut Crew<'_>) -> Result<Self> {
        let FindRequest { query, labels, alphabet, costs, .. } = *request;
        let own = query.tree.labels();
        let mut counts = vec![0u32; own.len()];
        query.tree.label_indices().for_each(|label| counts[label as usize] += 1);
        let code = |label: usize| labels.map_or(label as u32, |labels| labels[label]);
        let delete = costs.delete_all(&query);
        let nodes = query.tree.nodes();
        if let SetCosts::Fixed(fixed @ (Costs::Unit | Costs::Operations(_))) = costs {
            let pair = |equal: bool| fixed.raw_saving(0, u32::from(!equal)).max(0);
            let (equal, different) = (pair(true), if own.is_empty() { 0 } else { pair(false) });
            let largest = (0..alphabet).map(code).max().map_or(0, |most| most as usize + 1);
            let mut place_of_code = vec![NOWHERE; largest];
            for (place, &label) in (0..).zip(own) {
                if let Some(found) = place_of_code.get_mut(query.code(label) as usize) {
                    *found = place;
                }
            }
            let places: Vec<_> =
                (0..alphabet).map(|label| place_of_code[code(label) as usize]).collect();
            let price = |&place: &u32| Price {
                insert: fixed.insert(0),
                saved: if place == NOWHERE { different } else { equal },
            };
            let of = places.iter().map(price).collect();
            let saved = equal.max(different) * nodes as i128;
            let common = Some(CommonLabels { places, counts, savings: (equal, different) });
            return Ok(Self { of, delete, saved, nodes, common });
        }
        let sources: Vec<_> = own.iter().map(|&label| query.code(label)).collect();
        let gathered = match costs {
            SetCosts::Meeting(meeting) => Some((meeting, meeting.gather(&sources))),
            SetCosts::Fixed(_) => None,
        };
        let parts = alphabet.div_ceil(LABELS_PER_PART);
        let part = |part: usize| {
            let labels = part * LABELS_PER_PART..alphabet.min((part + 1) * LABELS_PER_PART);
            let targets: Vec<_> = labels.map(code).collect();
            Ok(match (&gathered, costs) {
                (Some((meeting, gathered)), _) => {
                    let table = meeting.table(gathered, &meeting.gather(&targets));
                    let numbers: Vec<_> = (0..own.len() as u32).collect();
                    let others: Vec<_> = (0..targets.len() as u32).collect();
                    best_savings(Costs::Table(&table), &numbers, &others)
                }
                (None, SetCosts::Fixed(fixed)) => best_savings(fixed, &sources, &targets),
                (None, SetCosts::Meeting(_)) => (Vec::new(), Vec::new()), // they are gathered
            })
        };
        let mut of = Vec::with_capacity(alphabet);
        let mut most = vec![0; own.len()];
        for (prices, best) in crew.map(parts, parts <= FEW_PARTS, part)? {
            of.extend(prices);
            most.iter_mut().zip(best).for_each(|(most, best)| *most = best.max(*most));
        }
        let saved = most.iter().zip(&counts).map(|(&most, &n)| most * i128::from(n)).sum();
        Ok(Self { of, delete, saved, nodes, common: None })
    }

    /// A label of the trees.
    #[inline(always)]
    pub(super) fn of(&self, code: i32) -> Price {
        self.of[code as usize]
    }

    /// The cost of inserting a subtree is at most this, if its distance is at most `limit`.
    pub(super) fn most_weight(&self, limit: i128) -> i128 {
        limit.saturating_add(self.saved - self.delete)
    }
}

/// The prices of some labels of the trees, and the most that each label of the query saves with
/// one of them.
fn best_savings(costs: Costs<'_>, sources: &[u32], targets: &[u32]) -> (Vec<Price>, Vec<i128>) {
    let mut most = vec![0; sources.len()];
    let price = |&target: &u32| {
        let mut saved = 0;
        for (most, &source) in most.iter_mut().zip(sources) {
            let saving = costs.raw_saving(source, target);
            *most = saving.max(*most);
            saved = saving.max(saved);
        }
        Price { insert: costs.insert(target), saved }
    };
    (targets.iter().map(price).collect(), most)
}

/// A subtree of a candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subtree {
    pub(super) nodes: u32,
    /// What inserting it costs.
    pub(super) weight: i128,
    saved: i128,
}

/// The subtrees of one candidate, in preorder.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) of: Vec<Subtree>,
    /// How often each label of the query was met.
    met: Vec<u32>,
}

impl Survey {
    /// Looks at the nodes of a subtree; `codes` and `parents` are those of its tree.
    pub(super) fn look(
        &mut self,
        prices: &Prices,
        codes: &[i32],
        parents: &[i32],
        nodes: &Range<usize>,
    ) {
        self.of.clear();
        self.of.extend(codes[nodes.clone()].iter().map(|&code| {
            let Price { insert, saved } = prices.of(code);
            Subtree { nodes: 1, weight: insert, saved }
        }));
        for i in (1..self.of.len()).rev() {
            let Subtree { nodes: count, weight, saved } = self.of[i];
            let parent = &mut self.of[parents[nodes.start + i] as usize - nodes.start];
            parent.nodes += count;
            parent.weight += weight;
            parent.saved += saved;
        }
    }

    /// Whether a bound shows that the distance to a subtree is above `limit`; `codes` are those of
    /// the candidate.
    pub(super) fn is_above(
        &mut self,
        prices: &Prices,
        codes: &[i32],
        i: usize,
        limit: i128,
    ) -> bool {
        let Subtree { nodes, weight, saved } = self.of[i];
        let all = prices.delete + weight;
        if all - saved.min(prices.saved) > limit {
            return true;
        }
        let Some(CommonLabels { places, counts, savings }) = &prices.common else {
            return false;
        };
        self.met.clear();
        self.met.resize(counts.len(), 0);
        let mut common = 0;
        for &code in &codes[i..][..nodes as usize] {
            if let Some(met) = self.met.get_mut(places[code as usize] as usize) {
                *met += 1;
                common += i128::from(*met <= counts[places[code as usize] as usize]);
            }
        }
        // Of at most as many pairs as the smaller tree has nodes, the common labels are equal.
        let pairs = prices.nodes.min(nodes as usize) as i128;
        all - savings.0 * common - savings.1 * (pairs - common) > limit
    }
}
