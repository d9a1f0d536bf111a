use super::stream::start_of_candidate;
use super::*;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::cost::{CostTable, MeetingCosts};
use crate::distance::{Scratch, Workspace, distance};
use crate::naive::{self, Plain, trees};
use crate::pair::{Costs, Pair};
use crate::tree::{Numbering, Prepared};
use proptest::prelude::*;

/// Trees in flat arrays.
struct Flat {
    codes: Vec<i32>,
    parents: Vec<i32>,
    offsets: Vec<i64>,
}

impl Flat {
    fn new(trees: &[Plain]) -> Self {
        let mut flat = Self { codes: Vec::new(), parents: Vec::new(), offsets: vec![0] };
        for tree in trees {
            flat.codes.extend(&tree.codes);
            flat.parents.extend(&tree.parents);
            flat.offsets.push(flat.codes.len() as i64);
        }
        flat
    }

    fn documents(&self) -> Documents<'_> {
        Documents { codes: &self.codes, parents: &self.parents, offsets: &self.offsets }
    }
}

fn prepare(tree: &Plain) -> Prepared {
    Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
}

/// The distances of the query to all subtrees, one by one, in order.
fn slowly(query: &Plain, trees: &[Plain], costs: SetCosts<'_>) -> Vec<Match> {
    let x = prepare(query);
    let (mut workspace, cancel) = (Workspace::default(), Cancel::default());
    let mut found = Vec::new();
    for (tree, plain) in (0..).zip(trees) {
        for node in 0..plain.codes.len() {
            let below = plain.subtree(node);
            let y = prepare(&below);
            let (mut x, mut y) =
                (Operand { tree: &x, codes: None }, Operand { tree: &y, codes: None });
            let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
            let distance = match costs {
                SetCosts::Fixed(costs) => distance(&Pair { x, y, costs }, scratch).unwrap(),
                SetCosts::Meeting(meeting) => {
                    let labels = |of: &Operand<'_>| {
                        LocalLabels::new(meeting, std::iter::once(of.tree), of.codes)
                    };
                    let (of_x, of_y) = (labels(&x), labels(&y));
                    let table = of_x.table(meeting, &of_y);
                    x.codes = Some(&of_x.codes);
                    y.codes = Some(&of_y.codes);
                    distance(&Pair { x, y, costs: Costs::Table(&table) }, scratch).unwrap()
                }
            };
            let size = below.codes.len() as u32;
            found.push(Match { distance, tree, node: node as u32, size });
        }
    }
    found.sort();
    found
}

fn values(matches: &[Match]) -> Vec<(f64, u32, u32, u32)> {
    matches.iter().map(|m| (m.distance, m.tree, m.node, m.size)).collect()
}

fn check(
    query: &Plain,
    trees: &[Plain],
    alphabet: usize,
    costs: SetCosts<'_>,
) -> std::result::Result<(), TestCaseError> {
    let all = slowly(query, trees, costs);
    let flat = Flat::new(trees);
    let x = prepare(query);
    let query = Operand { tree: &x, codes: None };
    let documents = flat.documents();
    let run = |most, radius, threads| {
        let request = FindRequest { query, documents, alphabet, labels: None, costs, most, radius };
        let found = find(&request, threads, &Cancel::default(), |_| true).unwrap();
        assert!(found.computed <= all.len() as u64);
        values(&found.matches)
    };
    // At, below and above distances that occur.
    let met = [0, all.len() / 5, all.len() / 2].map(|i| all.get(i).map_or(0.3, |m| m.distance));
    let near = met.iter().flat_map(|&d| [d, d.next_down().max(0.0), d.next_up()]);
    for radius in near.chain([0.0, 1.0, 2.5, 7.0, f64::INFINITY]) {
        let within: Vec<_> = all.iter().filter(|m| m.distance <= radius).copied().collect();
        for threads in [1, 2] {
            prop_assert_eq!(run(None, radius, threads), values(&within));
            let few = &within[..within.len().min(3)];
            prop_assert_eq!(run(Some(3), radius, threads), values(few));
        }
    }
    for k in [0, 1, 2, 5, all.len() / 2, all.len(), all.len() + 1] {
        for threads in [1, 2] {
            let expected = values(&all[..k.min(all.len())]);
            prop_assert_eq!(run(Some(k), f64::INFINITY, threads), expected);
        }
    }
    Ok(())
}

/// Documents that are cut into several pieces, small ones and empty ones.
fn documents() -> impl Strategy<Value = Vec<Plain>> {
    proptest::collection::vec(prop_oneof![trees(120, 4), trees(12, 4)], 0..4)
}

proptest! {
    #![proptest_config(naive::cases(80))]

    #[test]
    fn matches_are_those_of_all_distances(
        query in trees(12, 4),
        trees in documents(),
        costs in proptest::collection::vec(0u8..30, 16 + 8),
        wide in any::<bool>(),
        kinds in naive::kinds(),
        vectors in proptest::collection::vec(-1.0..1.0f64, 6),
    ) {
        let cheap = if wide { 1e-7 } else { 1.0 / 7.0 };
        let mut costs: Vec<_> = costs.iter().map(|&c| f64::from(c) * cheap).collect();
        costs[5] = f64::INFINITY; // never
        if wide {
            costs[17] = 100.0;
        }
        let table = CostTable::new(&costs[..16], &costs[16..20], &costs[20..]).unwrap();
        let operations = naive::operations(kinds, 0.1);
        for costs in [Costs::Unit, Costs::Operations(&operations), Costs::Table(&table)] {
            check(&query, &trees, 4, SetCosts::Fixed(costs))?;
        }
        // Without a vector for the last label.
        let lengths: Vec<_> = vectors.chunks(2).map(|v| v[0].hypot(v[1])).collect();
        let elements = Elements::Double(&vectors);
        let vectors = VectorCosts::new(elements, &lengths, VectorKind::Euclidean).unwrap();
        check(&query, &trees, 4, SetCosts::Meeting(MeetingCosts::Vectors(&vectors)))?;
    }

    #[test]
    fn distances_are_those_of_the_recursion(query in trees(6, 3), tree in trees(14, 3)) {
        let flat = Flat::new(std::slice::from_ref(&tree));
        let x = prepare(&query);
        let request = FindRequest {
            query: Operand { tree: &x, codes: None },
            documents: flat.documents(),
            alphabet: 3,
            labels: None,
            costs: SetCosts::Fixed(Costs::Unit),
            most: None,
            radius: f64::INFINITY,
        };
        let found = find(&request, 1, &Cancel::default(), |_| true).unwrap();
        prop_assert_eq!(found.matches.len(), tree.codes.len());
        for found in found.matches {
            let below = tree.subtree(found.node as usize);
            let expected = naive::distance(&query, &below, &naive::unit);
            prop_assert_eq!((found.distance, found.size as usize), (expected as f64, below.codes.len()));
        }
    }

    /// The stream against the definition, with any weights; and what waits is never too heavy.
    #[test]
    fn candidates_are_the_largest_light_subtrees(
        tree in trees(150, 3),
        weights in proptest::collection::vec(0..4i128, 3),
        most in -1..60i128,
        cuts in proptest::collection::vec(0..150usize, 0..4),
    ) {
        let n = tree.codes.len();
        let weight = |i: usize| weights[tree.codes[i] as usize];
        let sizes: Vec<_> = (0..n).map(|i| tree.subtree(i).codes.len()).collect();
        let heavy = |i: usize| (i..i + sizes[i]).map(weight).sum::<i128>() > most;
        let is_largest = |&i: &usize| {
            !heavy(i) && usize::try_from(tree.parents[i]).map_or(true, heavy)
        };
        let expected: Vec<_> = (0..n).filter(is_largest).map(|i| i..i + sizes[i]).collect();
        // In pieces, too.
        let mut starts: Vec<_> = cuts
            .into_iter()
            .filter(|&cut| cut < n)
            .map(|cut| start_of_candidate(&tree.parents, cut, weight, most))
            .chain([0, n])
            .collect();
        starts.sort_unstable();
        let mut recorder = Recorder { weight: &weight, most, found: Vec::new() };
        for piece in starts.windows(2) {
            stream(&tree.parents, piece[0]..piece[1], &mut recorder).unwrap();
        }
        recorder.found.sort_by_key(|nodes| nodes.start);
        prop_assert_eq!(recorder.found, expected);
    }
}

/// A visitor that writes down what it is handed.
struct Recorder<'a> {
    weight: &'a dyn Fn(usize) -> i128,
    most: i128,
    found: Vec<Range<usize>>,
}

impl Visitor for Recorder<'_> {
    fn weight(&self, node: usize) -> i128 {
        (self.weight)(node)
    }

    fn most(&self) -> i128 {
        self.most
    }

    fn candidate(&mut self, nodes: Range<usize>) -> Result<()> {
        self.found.push(nodes);
        Ok(())
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn every_node_is_in_one_piece() {
    let chain = |n: i32| Plain { codes: vec![0; n as usize], parents: (-1..n - 1).collect() };
    let star = |n: i32| Plain {
        codes: vec![0; n as usize],
        parents: (0..n).map(|i| (i - 1).min(0)).collect(),
    };
    let trees: Vec<_> = (0..9).map(chain).chain([chain(500), star(700), chain(3)]).collect();
    let flat = Flat::new(&trees);
    for most in [0, 5, 40, i128::MAX] {
        let found = pieces(flat.documents(), |_| 1, most);
        assert_eq!(found.iter().map(|piece| piece.nodes.len()).sum::<usize>(), flat.codes.len());
        let mut next = (0, 0);
        for piece in found {
            assert_eq!((piece.trees.start, piece.nodes.start), next);
            assert!(piece.trees.len() == 1 || piece.nodes.start == 0);
            let whole = trees[piece.trees.end - 1].codes.len() == piece.nodes.end;
            next = if piece.trees.len() > 1 || whole {
                (piece.trees.end, 0)
            } else {
                (piece.trees.start, piece.nodes.end)
            };
        }
        assert_eq!(next, (trees.len(), 0));
    }
}
