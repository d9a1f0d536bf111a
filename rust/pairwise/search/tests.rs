use super::*;
use crate::cost::CostTable;
use crate::cost::MeetingCosts;
use crate::cost::vectors::{Elements, VectorCosts, VectorKind};
use crate::naive::{self, Plain, norms, trees};
use crate::pair::Costs;
use crate::pairwise::{MatrixRequest, compute};
use crate::tree::{Numbering, Prepared};
use proptest::prelude::*;

fn prepare(trees: &[Plain]) -> Vec<Prepared> {
    let mut numbering = Numbering::default();
    trees.iter().map(|t| Prepared::new(&t.codes, &t.parents, &mut numbering)).collect()
}

/// All distances, sorted, and cut.
fn slowly(search: &Search<'_>, wanted: Wanted) -> Vec<Vec<Neighbor>> {
    let Search { x, y, costs, inside, norm, .. } = *search;
    let mut rows = vec![Vec::new(); x.trees.len()];
    let request =
        MatrixRequest { x, y, costs, triangle: false, diagonal: true, cutoff: None, norm };
    let store = |i: usize, j: usize, distance: f64| {
        if !(inside && i == j) {
            rows[i].push(Neighbor { distance, index: j as u32 });
        }
    };
    compute(&request, 1, &Cancel::default(), store, |_| true).unwrap();
    for row in &mut rows {
        row.sort();
        match wanted {
            Wanted::Nearest(k) => row.truncate(k),
            Wanted::Within(radius) => row.retain(|near| near.distance <= radius),
        }
    }
    rows
}

fn check(question: &Search<'_>) -> std::result::Result<(), TestCaseError> {
    let candidates = question.y.trees.len().saturating_sub(usize::from(question.inside));
    let counts = [1, 2, candidates / 2, candidates].map(|k| Wanted::Nearest(k.min(candidates)));
    // At, below and above a distance that occurs.
    let all = slowly(question, Wanted::Nearest(candidates));
    let met = all.first().and_then(|row| row.get(row.len() / 2)).map_or(0.3, |near| near.distance);
    let radii = [0.0, met, met.next_down().max(0.0), met.next_up(), 1.0, 2.5, 7.0, f64::INFINITY];
    let radii = radii.map(Wanted::Within);
    let never = Cancel::default();
    let index = Index::new(question.y, question.costs, 1, &never, || true).unwrap();
    for wanted in counts.into_iter().chain(radii) {
        let expected = slowly(question, wanted);
        for method in [Method::Auto, Method::Bounds, Method::Batches] {
            for (threads, index) in [(1, None), (2, None), (1, Some(&index)), (2, Some(&index))] {
                let question = &Search { index, ..*question };
                let found = search(question, wanted, method, threads, &never, |_| true).unwrap();
                prop_assert_eq!(&found.rows, &expected, "{:?} {:?}", wanted, method);
                // Queries that are tried before the choice may be answered twice.
                let tried = if method == Method::Auto { question.pairs() / 8 } else { 0 };
                prop_assert!(found.computed <= question.pairs() + tried);
            }
        }
    }
    Ok(())
}

/// The distances from some candidates to all.
fn pivot_distances(search: &Search<'_>, chosen: &[u32]) -> Vec<f64> {
    let Search { y, costs, .. } = *search;
    let m = y.trees.len();
    let mut all = vec![0.0; m * m];
    let request =
        MatrixRequest { x: y, y, costs, triangle: false, diagonal: true, cutoff: None, norm: None };
    let store = |i: usize, j: usize, distance| all[i * m + j] = distance;
    compute(&request, 1, &Cancel::default(), store, |_| true).unwrap();
    chosen.iter().flat_map(|&p| all[p as usize * m..][..m].to_vec()).collect()
}

fn check_with_pivots(question: &Search<'_>, slack: f64) -> std::result::Result<(), TestCaseError> {
    let m = question.y.trees.len() as u32;
    if m == 0 {
        return Ok(());
    }
    for chosen in [vec![0], vec![m - 1, m / 2, 0]] {
        let mut chosen = chosen;
        chosen.dedup();
        let distances = pivot_distances(question, &chosen);
        let pivots = Some(Pivots { chosen: &chosen, distances: &distances, slack });
        check(&Search { pivots, ..*question })?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(naive::cases(60))]

    #[test]
    fn neighbours_are_those_of_the_matrix(
        x in proptest::collection::vec(trees(30, 3), 0..9),
        y in proptest::collection::vec(trees(30, 3), 1..12),
        costs in proptest::collection::vec(0u8..30, 9 + 6),
        norm in norms(),
        kinds in naive::kinds(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let costs: Vec<_> = costs.iter().map(|&c| f64::from(c) / 7.0).collect();
        let table = CostTable::new(&costs[..9], &costs[9..12], &costs[12..]).unwrap();
        let (x, y) = (Side { trees: &x, codes: None }, Side { trees: &y, codes: None });
        let [delete, _, replace] = kinds;
        let operations = naive::operations(kinds, 1.0);
        // Symmetric, and a metric.
        let even = naive::operations([delete, delete, replace.min(2 * delete)], 1.0);
        let all = [
            Costs::Unit,
            Costs::Table(&table),
            Costs::Operations(&operations),
            Costs::Operations(&even),
        ];
        for (costs, symmetric) in all.into_iter().zip([true, false, false, true]) {
            let costs = SetCosts::Fixed(costs);
            let between = Search { x, y, costs, inside: false, symmetric, pivots: None, index: None, norm };
            let inside = Search { x: y, inside: true, ..between };
            check(&between)?;
            check(&inside)?;
            if symmetric {
                check_with_pivots(&between, 0.0)?;
                check_with_pivots(&inside, 0.0)?;
                // Costs that are symmetric need not be known to be.
                check_with_pivots(&Search { symmetric: false, ..inside }, 0.0)?;
            }
        }
    }

    /// Vectors in the plane: a metric up to rounding, and the same one not as a table.
    #[test]
    fn embedded_labels_have_pivots_too(
        x in proptest::collection::vec(trees(20, 3), 0..7),
        y in proptest::collection::vec(trees(20, 3), 1..9),
        vectors in proptest::collection::vec(-1.0..1.0f64, 3 * 2),
        norm in norms(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let (x, y) = (Side { trees: &x, codes: None }, Side { trees: &y, codes: None });
        let points: Vec<_> = vectors.chunks(2).chain([&[0.0, 0.0][..]]).collect();
        let apart = |a: usize, b: usize| {
            (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1])
        };
        let gaps: Vec<_> = (0..3).map(|a| apart(a, 3)).collect();
        let replace: Vec<_> = (0..9).map(|cell| apart(cell / 3, cell % 3)).collect();
        let table = CostTable::new(&replace, &gaps, &gaps).unwrap();
        let costs = VectorCosts::new(Elements::Double(&vectors), &gaps, VectorKind::Euclidean).unwrap();
        for costs in [SetCosts::Fixed(Costs::Table(&table)), SetCosts::Meeting(MeetingCosts::Vectors(&costs))] {
            let between = Search { x, y, costs, inside: false, symmetric: true, pivots: None, index: None, norm };
            let inside = Search { x: y, inside: true, ..between };
            for question in [between, inside] {
                check(&question)?;
                check_with_pivots(&question, 1e-8)?;
            }
        }
    }
}

/// Chains of growing length over one label: distances are differences of lengths.
fn chains(count: i32) -> Vec<Prepared> {
    let chain = |n: i32| Plain { codes: vec![0; n as usize], parents: (-1..n - 1).collect() };
    prepare(&(1..=count).map(chain).collect::<Vec<_>>())
}

fn inside(trees: &[Prepared]) -> Search<'_> {
    let side = Side { trees, codes: None };
    let costs = SetCosts::Fixed(Costs::Unit);
    Search {
        x: side,
        y: side,
        costs,
        inside: true,
        symmetric: true,
        pivots: None,
        index: None,
        norm: None,
    }
}

#[test]
fn bounds_leave_little_to_compute() {
    let trees = chains(100);
    let question = inside(&trees);
    let method = Method::Bounds;
    let run = |wanted| search(&question, wanted, method, 1, &Cancel::default(), |_| true).unwrap();
    // Ties go to the smaller index.
    let nearest = run(Wanted::Nearest(1));
    assert_eq!(nearest.rows[50], [Neighbor { distance: 1.0, index: 49 }]);
    assert_eq!(nearest.computed, 100);
    // Each pair once, only those that are near.
    let near = run(Wanted::Within(2.0));
    assert_eq!(near.rows.iter().map(Vec::len).sum::<usize>() as u64, 2 * near.computed);
    assert_eq!(near.rows[0].len(), 2);
}

#[test]
fn more_neighbours_than_candidates_are_refused() {
    let trees = chains(3);
    let question = inside(&trees);
    let error =
        search(&question, Wanted::Nearest(3), Method::Auto, 1, &Cancel::default(), |_| true);
    assert!(error.unwrap_err().to_string().contains("there are 2 candidates"));
}

#[test]
fn a_poll_that_says_no_stops_the_search() {
    let trees = chains(40);
    for method in [Method::Auto, Method::Bounds, Method::Batches] {
        for wanted in [Wanted::Nearest(2), Wanted::Within(3.0), Wanted::Within(f64::INFINITY)] {
            let result = search(&inside(&trees), wanted, method, 1, &Cancel::default(), |_| false);
            assert_eq!(result, Err(Error::Cancelled));
        }
    }
}

/// Many queries, so that some are tried before the choice: trees with the same labels in preorder,
/// whose bounds exclude little, and chains, whose bounds exclude all.
#[test]
fn the_choice_does_not_show() {
    let alike = |n: i32| {
        let mut parents = vec![-1, 0];
        for i in 2..40 {
            let deeper = i * (n + 3) % 11 < 4;
            parents.push(if deeper { i - 1 } else { parents[i as usize - 1] });
        }
        Plain { codes: (0..40).map(|i| i % 3).collect(), parents }
    };
    let alike = prepare(&(0..70).map(alike).collect::<Vec<_>>());
    for trees in [alike, chains(150)] {
        let question = inside(&trees);
        let wanted = Wanted::Nearest(3);
        let run = |method| search(&question, wanted, method, 2, &Cancel::default(), |_| true);
        let found = run(Method::Auto).unwrap();
        assert_eq!(found.rows, slowly(&question, wanted));
        assert_eq!(run(Method::Bounds).unwrap().rows, found.rows);
        assert_eq!(run(Method::Auto).unwrap().computed, found.computed);
    }
}

/// Their tables would take a hundred gigabytes.
#[test]
fn a_tree_of_any_size_finds_its_copy() {
    let chain =
        |n: i32| Plain { codes: vec![0; n as usize], parents: (0..n).map(|i| i - 1).collect() };
    let (x, y) = (prepare(&[chain(300_000)]), prepare(&[chain(3), chain(300_000)]));
    let side = |trees| Side { trees, codes: None };
    let question = Search {
        x: side(&x),
        y: side(&y),
        costs: SetCosts::Fixed(Costs::Unit),
        inside: false,
        symmetric: true,
        pivots: None,
        index: None,
        norm: None,
    };
    for wanted in [Wanted::Nearest(1), Wanted::Within(5.0)] {
        for method in [Method::Auto, Method::Bounds, Method::Batches] {
            let found = search(&question, wanted, method, 1, &Cancel::default(), |_| true).unwrap();
            assert_eq!(found.rows, [[Neighbor { distance: 0.0, index: 1 }]]);
            assert!(found.computed <= 1);
        }
    }
}

/// Few queries have all threads for themselves, and large trees make rounds long enough for them.
#[test]
fn one_query_by_all_threads() {
    let tree = |seed: i32| {
        let parent = |i: i32| if i * seed % 7 < 3 { i - 1 } else { (i - 1) / 2 };
        let parents: Vec<_> =
            (0..200 + seed % 5).map(|i| if i == 0 { -1 } else { parent(i) }).collect();
        let mut sorted = Plain { codes: vec![], parents: vec![-1] };
        // In preorder: a child must follow the subtree of its elder sibling.
        let mut open = vec![0];
        for (i, &above) in (1..).zip(&parents[1..]) {
            let depth = (above as usize % (i as usize / 3 + 1)).min(open.len() - 1);
            open.truncate(depth + 1);
            sorted.parents.push(open[depth]);
            open.push(i);
        }
        sorted.codes = (0..sorted.parents.len() as i32).map(|i| i * (seed + 3) % 11 % 4).collect();
        sorted
    };
    let trees = prepare(&(1..80).map(tree).collect::<Vec<_>>());
    let costs: Vec<_> = (0..16).map(|i| f64::from(u8::from(i % 5 != 0)) / 3.0).collect();
    let table = CostTable::new(&costs, &[1.0; 4], &[0.5; 4]).unwrap();
    for costs in [Costs::Unit, Costs::Table(&table)] {
        let question = Search {
            x: Side { trees: &trees[..3], codes: None },
            y: Side { trees: &trees[3..], codes: None },
            costs: SetCosts::Fixed(costs),
            inside: false,
            symmetric: false,
            pivots: None,
            index: None,
            norm: None,
        };
        for wanted in [Wanted::Nearest(1), Wanted::Nearest(7), Wanted::Within(60.0)] {
            let run = |threads| {
                let never = Cancel::default();
                search(&question, wanted, Method::Bounds, threads, &never, |_| true).unwrap()
            };
            let found = run(1);
            assert_eq!(found.rows, slowly(&question, wanted));
            assert_eq!(found, run(3));
        }
    }
}
