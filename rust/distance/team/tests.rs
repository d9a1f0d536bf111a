//! Teams against one thread, bit for bit.

use super::plan::tasks;
use crate::distance::engine::with_savings;
use crate::distance::savings::{Read, Savings};
use crate::distance::tests::{operand, prepare, some_cost, table};
use crate::distance::{Decomposition, Kernel, Route, Scratch, Workspace};
use crate::error::Error;
use crate::naive::{self, nodes, trees};
use crate::pair::{Costs, Pair};
use crate::parallel::Cancel;
use crate::simd::{Element, Instructions, Lanes};
use crate::tree::{Orientation, Oriented, Prepared};
use proptest::prelude::*;

/// Takes the savings of all subtrees.
struct All<'a>(&'a mut Vec<i128>);

impl Read for All<'_> {
    fn read<E: Element>(&mut self, _: usize, savings: Savings<'_, E>) {
        let rows = 0..savings.rows.len();
        *self.0 =
            rows.flat_map(|i| savings.row(i).iter().map(|&saving| saving.to_whole())).collect();
    }
}

/// The savings of all subtrees by so many threads.
fn savings(pair: &Pair<'_>, kernel: Kernel, route: Route, threads: usize) -> Vec<i128> {
    let (mut found, mut workspace) = (Vec::new(), Workspace::of_team(threads));
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &Cancel::default() };
    with_savings(pair, kernel, route, scratch, &mut All(&mut found)).unwrap();
    found
}

/// All kernels that vectors are used for.
fn kernels() -> Vec<Kernel> {
    let all = Instructions::usable();
    let each = |&set: &Instructions| Lanes::ALL.map(|lanes| Kernel::Exactly(set, lanes));
    [&[Kernel::Auto][..], &all.iter().flat_map(each).collect::<Vec<_>>()].concat()
}

/// All paths.
fn routes() -> impl Iterator<Item = Route> {
    let outer = Orientation::BOTH.map(Decomposition::Outer);
    let all = outer.into_iter().chain([Decomposition::Mixed, Decomposition::Inner]);
    all.flat_map(|decomposition| [false, true].map(|swapped| Route { decomposition, swapped }))
}

fn check(x: &Prepared, y: &Prepared, costs: Costs<'_>, kernels: &[Kernel]) {
    let pair = &Pair { x: operand(x), y: operand(y), costs };
    for &kernel in kernels {
        for route in routes() {
            let expected = savings(pair, kernel, route, 1);
            for threads in [2, 3] {
                let found = savings(pair, kernel, route, threads);
                assert!(found == expected, "{kernel:?} {route:?} {threads}");
            }
        }
    }
}

proptest! {
    #![proptest_config(naive::cases(30))]

    /// In all lanes; bytes hold unit costs, a table needs words at least.
    #[test]
    fn teams_find_what_one_thread_finds(
        x in trees(nodes(60), 3), y in trees(nodes(60), 3), seed in any::<u64>(),
        kinds in naive::kinds(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let whole = table(&some_cost(seed), 3, 1.0);
        let operations = naive::operations(kinds, 0.7);
        for costs in [Costs::Unit, Costs::Table(&whole), Costs::Operations(&operations)] {
            check(&x, &y, costs, &kernels());
        }
        let rounded = table(&some_cost(seed), 3, 1.0 / 3.0);
        check(&x, &y, Costs::Table(&rounded), &[Kernel::Auto]);
    }

    /// A tree with equal subtrees in many places, so that rows are shared.
    #[test]
    fn tasks_wait_for_all_rows_that_they_need(
        x in trees(nodes(200), 1), chunks in proptest::collection::vec(1usize..9, 1..9),
        threads in 2usize..5, choices in proptest::collection::vec(any::<proptest::sample::Index>(), 1..20),
    ) {
        let x = prepare(&x);
        for side in Orientation::BOTH {
            check_tasks(x.oriented(side), &chunks, threads, &choices);
        }
    }
}

/// Takes tasks in some order that the plan allows.
fn check_tasks(
    rows: &Oriented,
    chunks: &[usize],
    threads: usize,
    choices: &[proptest::sample::Index],
) {
    let tasks = tasks(rows, chunks, threads);
    let mut waits_for: Vec<_> = tasks.iter().map(|task| task.waits_for).collect();
    let mut ready: Vec<_> = (0..tasks.len()).filter(|&task| waits_for[task] == 0).collect();
    let mut is_known = vec![false; rows.distinct_rows];
    let mut done = vec![false; rows.fresh.len()];
    let mut choices = choices.iter().cycle();
    while !ready.is_empty() {
        let choice = choices.next().unwrap().index(ready.len());
        let task = &tasks[ready.swap_remove(choice)];
        assert!(!task.is_shared || task.keyroots.len() == 1 && chunks.len() > 1);
        for position in task.keyroots.clone() {
            assert!(!std::mem::replace(&mut done[position], true));
            let keyroot = rows.fresh[position] as usize;
            let first = rows.first(keyroot);
            let apart = (first..=keyroot).filter(|&i| rows.first(i) != first);
            assert!(apart.into_iter().all(|i| is_known[rows.row[i] as usize]));
            for i in rows.left_path(keyroot) {
                assert!(!std::mem::replace(&mut is_known[rows.row[i] as usize], true));
            }
        }
        for &later in &task.next {
            waits_for[later as usize] -= 1;
            if waits_for[later as usize] == 0 {
                ready.push(later as usize);
            }
        }
    }
    assert!(done.iter().chain(&is_known).all(|&done| done));
}

proptest! {
    #![proptest_config(naive::cases(10))]

    /// Many chunks, whatever the lanes.
    #[test]
    fn large_trees_are_the_same_for_teams(
        x in trees(nodes(120), 3), y in trees(nodes(1500), 3), seed in any::<u64>(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let table = table(&some_cost(seed), 3, 1.0 / 3.0);
        for costs in [Costs::Unit, Costs::Table(&table)] {
            let pair = &Pair { x: operand(&x), y: operand(&y), costs };
            for swapped in [false, true] {
                for orientation in Orientation::BOTH {
                    let route = Route { decomposition: Decomposition::Outer(orientation), swapped };
                    let expected = savings(pair, Kernel::Auto, route, 1);
                    prop_assert!(savings(pair, Kernel::Auto, route, 4) == expected);
                }
            }
        }
    }
}

#[test]
fn a_team_stops_when_it_is_asked_to() {
    let tree = naive::Plain { codes: vec![0; 300], parents: (-1..299).collect() };
    let x = prepare(&tree);
    let pair = &Pair { x: operand(&x), y: operand(&x), costs: Costs::Unit };
    let cancel = Cancel::default();
    cancel.cancel();
    let mut workspace = Workspace::of_team(2);
    let scratch = &mut Scratch { workspace: &mut workspace, cancel: &cancel };
    for route in routes() {
        let found = with_savings(pair, Kernel::Auto, route, scratch, &mut All(&mut Vec::new()));
        assert_eq!(found, Err(Error::Cancelled), "{route:?}");
    }
}
