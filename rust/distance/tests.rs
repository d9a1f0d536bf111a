//! Every kernel, orientation and role against the slow twins, bit for bit.

use super::packed::{PackedBuffers, PackedJob};
use super::profile::Source;
use super::savings::{Savings, Table};
use super::sharing::Sharing;
use super::*;
use crate::cost::{CostTable, OperationCosts};
use crate::distance::columns::Columns;
use crate::naive::{self, Plain, is_slow, nodes, trees};
use crate::pair::Pair;
use crate::pair::{Costs, Operand};
use crate::parallel::Cancel;
use crate::simd::portable::Lane;
use crate::simd::twin::Twin;
use crate::simd::{Instructions, Lanes, Simd};
use crate::tree::{Numbering, Orientation, Prepared};
use proptest::prelude::*;

pub(super) fn prepare(tree: &Plain) -> Prepared {
    crate::tree::check_preorder(&tree.parents).unwrap();
    Prepared::new(&tree.codes, &tree.parents, &mut Numbering::default())
}

pub(super) fn operand(tree: &Prepared) -> Operand<'_> {
    Operand { tree, codes: None }
}

/// All kernels that this machine can run.
fn kernels() -> Vec<Kernel> {
    let mut kernels = vec![Kernel::Scalar, Kernel::Packed, Kernel::Auto];
    for instructions in Instructions::usable() {
        kernels.extend(Lanes::ALL.map(|lanes| Kernel::Exactly(instructions, lanes)));
    }
    kernels
}

/// All routes and kernels of the engine.
pub(super) fn all_ways(x: &Prepared, y: &Prepared, costs: Costs<'_>) -> Vec<f64> {
    let mut workspace = Workspace::default();
    let cancel = Cancel::default();
    let mut found = vec![
        distance(
            &Pair { x: operand(x), y: operand(y), costs },
            &mut Scratch { workspace: &mut workspace, cancel: &cancel },
        )
        .unwrap(),
    ];
    for orientation in Orientation::BOTH {
        for swapped in [false, true] {
            for kernel in kernels() {
                let route = Route { decomposition: Decomposition::Outer(orientation), swapped };
                let (x, y, w) = (operand(x), operand(y), &mut workspace);
                found.push(
                    distance_by(
                        &Pair { x, y, costs },
                        kernel,
                        route,
                        &mut Scratch { workspace: w, cancel: &cancel },
                    )
                    .unwrap(),
                );
            }
        }
    }
    // Inner paths take the third power of the size, whatever the shape.
    let small = x.nodes().max(y.nodes()) < 1000;
    for decomposition in [Decomposition::Mixed, Decomposition::Inner] {
        for swapped in [false, true].into_iter().filter(|_| small) {
            let portable = Kernel::Exactly(Instructions::Portable, Lanes::Bytes);
            for kernel in [Kernel::Auto, Kernel::Scalar, portable] {
                // The last ones are slow.
                if kernel != Kernel::Auto && x.nodes().max(y.nodes()) >= 160 {
                    continue;
                }
                let route = Route { decomposition, swapped };
                let (x, y, w) = (operand(x), operand(y), &mut workspace);
                found.push(
                    distance_by(
                        &Pair { x, y, costs },
                        kernel,
                        route,
                        &mut Scratch { workspace: w, cancel: &cancel },
                    )
                    .unwrap(),
                );
            }
        }
    }
    found
}

/// The packed kernel on lanes of one kind, columns being several trees side by side.
fn packed_by<S: Simd>(
    simd: S,
    x: &Prepared,
    columns: &[Prepared],
    costs: Costs<'_>,
    side: Orientation,
) -> Vec<f64> {
    let rows = x.oriented(side);
    let trees: Vec<_> = columns.iter().map(|tree| tree.oriented(side)).collect();
    let tables = Columns::<S>::new(&trees, &Cancel::default()).unwrap();
    let mut buffers = PackedBuffers::default();
    let height = profile::height(&operand(x));
    buffers.reserve(rows, (rows.len(), height), &tables, &Cancel::default()).unwrap();
    let mut codes = Vec::new();
    for tree in columns {
        append_codes(&operand(tree), tree.oriented(side), &mut codes);
    }
    let stride = tables.vectors * S::LANES;
    let lanes = S::elements_mut(&mut buffers.profile);
    let source = Source { costs, transposed: false, codes: &codes };
    source.fill(&operand(x), stride, lanes);
    let mut sharing = Sharing::default();
    let layout = sharing.alone(rows, height);
    let cancel = &Cancel::default();
    simd.run(PackedJob {
        rows,
        layout,
        columns: &tables,
        buffers: &mut buffers,
        lazy: None,
        cancel,
    })
    .unwrap();
    let table = S::elements(&buffers.table);
    let mut start = 0;
    columns
        .iter()
        .map(|y| {
            let columns = y.oriented(side);
            let saving = Savings {
                table: Table::Whole(table, stride),
                start,
                rows,
                row_of: &rows.row,
                columns,
                unit: costs.unit(),
            }
            .whole();
            start += columns.len();
            let all = costs.delete_all(&operand(x)) + costs.insert_all(&operand(y));
            costs.total(all - saving)
        })
        .collect()
}

/// The same lane by lane, with vectors as wide as those of the instruction sets.
fn twins<E: Lane, const N: usize, const M: usize>(
    x: &Prepared,
    columns: &[Prepared],
    costs: Costs<'_>,
    side: Orientation,
) -> [Vec<f64>; 2] {
    [
        packed_by(Twin::<E, N>::new(), x, columns, costs, side),
        packed_by(Twin::<E, M>::new(), x, columns, costs, side),
    ]
}

/// Integer costs from a few numbers: asymmetric, not triangular, zero costs included.
pub(super) fn some_cost(seed: u64) -> impl Fn(Option<i32>, Option<i32>) -> i64 {
    move |a, b| {
        if a.is_none() && b.is_none() {
            return 0;
        }
        let key = |label: Option<i32>| label.map_or(17, |label| label as u64 + 1);
        let mixed = (seed ^ (key(a) << 8) ^ (key(b) << 16)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 60) as i64
    }
}

pub(super) fn table(
    cost: &dyn Fn(Option<i32>, Option<i32>) -> i64,
    labels: i32,
    unit: f64,
) -> CostTable {
    let scaled = |a, b| naive::scaled(cost(a, b), unit);
    let replace: Vec<_> =
        (0..labels * labels).map(|k| scaled(Some(k / labels), Some(k % labels))).collect();
    let delete: Vec<_> = (0..labels).map(|a| scaled(Some(a), None)).collect();
    let insert: Vec<_> = (0..labels).map(|b| scaled(None, Some(b))).collect();
    CostTable::new(&replace, &delete, &insert).unwrap()
}

proptest! {
    #![proptest_config(naive::cases(1500))]

    #[test]
    fn unit_costs_agree_with_the_twin(x in trees(11, 3), y in trees(11, 3)) {
        let expected = naive::distance(&x, &y, &naive::unit) as f64;
        for d in all_ways(&prepare(&x), &prepare(&y), Costs::Unit) {
            prop_assert_eq!(d, expected);
        }
    }

    #[test]
    fn tables_agree_with_the_twin(x in trees(9, 3), y in trees(9, 3), seed in any::<u64>()) {
        let cost = some_cost(seed);
        let expected = naive::distance(&x, &y, &cost);
        for unit in [1.0, 0.1, 1.0 / 3.0] {
            let table = table(&cost, 3, unit);
            let costs = Costs::Table(&table);
            let found = all_ways(&prepare(&x), &prepare(&y), costs);
            prop_assert!(found.iter().all(|&d| d == found[0]), "{:?}", found);
            prop_assert!((found[0] - expected as f64 * unit).abs() < 1e-10);
        }
    }

    #[test]
    fn small_trees_agree_with_the_enumeration(x in trees(5, 2), y in trees(5, 2)) {
        let expected = naive::cheapest_mapping(&x, &y, &naive::unit) as f64;
        prop_assert_eq!(all_ways(&prepare(&x), &prepare(&y), Costs::Unit)[0], expected);
    }
}

proptest! {
    #![proptest_config(naive::cases(200))]

    /// The same bits as by the table of these costs, with costs that are exact, rounded and wide.
    #[test]
    fn kinds_of_edits_agree_with_the_twin(
        x in trees(9, 3), y in trees(9, 3), kinds in naive::kinds(), wide in 0..3usize
    ) {
        let cost = naive::by_kind(kinds);
        let expected = naive::distance(&x, &y, &cost);
        for unit in [1.0, 0.1, 1.0 / 3.0] {
            let costs = naive::operations(kinds, unit);
            let found = all_ways(&prepare(&x), &prepare(&y), Costs::Operations(&costs));
            prop_assert!(found.iter().all(|&d| d == found[0]), "{:?}", found);
            prop_assert!((found[0] - expected as f64 * unit).abs() < 1e-10);
            prop_assert_eq!(
                found[0],
                all_ways(&prepare(&x), &prepare(&y), Costs::Table(&table(&cost, 3, unit)))[0]
            );
        }
        // One of the costs is far larger than the others.
        let (x, y) = (prepare(&x), prepare(&y));
        for large in [1e4, 1e5, 1e6, 1e7] {
            let mut costs = kinds.map(|cost| naive::scaled(cost, 1.0 / 3.0));
            costs[wide] += large;
            let [delete, insert, replace] = costs;
            let operations = OperationCosts::new(delete, insert, replace).unwrap();
            let table = CostTable::new(
                &std::array::from_fn::<_, 9, _>(|k| if k % 4 == 0 { 0.0 } else { replace }),
                &[delete; 3],
                &[insert; 3],
            )
            .unwrap();
            let found = all_ways(&x, &y, Costs::Operations(&operations));
            prop_assert_eq!(found, all_ways(&x, &y, Costs::Table(&table)));
        }
    }

    /// Small costs beside large ones, by a grid as fine as they need and by the finest: a label that
    /// does not occur makes the difference.
    #[test]
    fn fine_grids_agree_with_the_finest(
        x in trees(nodes(60), 4), y in trees(nodes(60), 4),
        exponents in proptest::collection::vec(-20.0..0.0f64, 16 + 8),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let mut costs: Vec<_> = exponents.iter().map(|exponent| exponent.exp2()).collect();
        for cell in [0, 5, 10, 15] {
            costs[cell] = 0.0;
        }
        let fine = CostTable::new(&costs[..16], &costs[16..20], &costs[20..]).unwrap();
        prop_assert!(!fine.is_wide());
        let found = all_ways(&x, &y, Costs::Table(&fine));
        prop_assert!(found.iter().all(|&d| d == found[0]), "{:?}", found);
        let wider: Vec<_> = (0..25).map(|k| match (k / 5, k % 5) {
            (a, b) if a < 4 && b < 4 => costs[a * 4 + b],
            _ => 1e12,
        }).collect();
        let gaps = |from: usize| [&costs[from..from + 4], &[1e12]].concat();
        let finest = CostTable::new(&wider, &gaps(16), &gaps(20)).unwrap();
        prop_assert!(finest.is_wide());
        let expected = all_ways(&x, &y, Costs::Table(&finest))[0];
        prop_assert!((found[0] - expected).abs() <= 1.1e-9 * expected, "{} {}", found[0], expected);
    }

    #[test]
    fn larger_trees_agree_on_all_ways(
        x in trees(nodes(150), 4), y in trees(nodes(150), 4), seed in any::<u64>(),
        kinds in naive::kinds(),
    ) {
        let (x, y) = (prepare(&x), prepare(&y));
        let cost = some_cost(seed);
        let table = table(&cost, 4, 0.7);
        let operations = naive::operations(kinds, 0.7);
        let fine = [0.0, 1e-6, 0.7, 1e-3, 3e-6, 0.0, 0.2, 0.9, 0.6, 0.4, 0.0, 2e-5, 1e-4, 0.5, 0.1, 0.0];
        let fine = fine.map(|cost| cost / 3.0);
        let fine = CostTable::new(&fine, &[0.2; 4], &[1.0 / 7.0; 4]).unwrap();
        let all = [Costs::Unit, Costs::Operations(&operations), Costs::Table(&table), Costs::Table(&fine)];
        for costs in all {
            let found = all_ways(&x, &y, costs);
            prop_assert!(found.iter().all(|&d| d == found[0]), "{:?}", found);
        }
    }

    #[test]
    fn lanes_of_any_width_agree(
        x in trees(40, 3), ys in proptest::collection::vec(trees(40, 3), 1..6), seed in any::<u64>(),
        kinds in naive::kinds(),
    ) {
        let x = prepare(&x);
        let ys: Vec<_> = ys.iter().map(prepare).collect();
        let cost = some_cost(seed);
        let table = table(&cost, 3, 1.0);
        let operations = naive::operations(kinds, 1.0);
        for side in Orientation::BOTH {
            for costs in [Costs::Unit, Costs::Operations(&operations), Costs::Table(&table)] {
                let expected: Vec<_> =
                    ys.iter().map(|y| all_ways(&x, y, costs)[0]).collect();
                let expected = [expected.clone(), expected];
                prop_assert_eq!(&twins::<f64, 2, 8>(&x, &ys, costs, side), &expected);
                prop_assert_eq!(&twins::<f64, 4, 8>(&x, &ys, costs, side), &expected);
                prop_assert_eq!(&twins::<i32, 8, 16>(&x, &ys, costs, side), &expected);
                prop_assert_eq!(&twins::<u16, 16, 32>(&x, &ys, costs, side), &expected);
                if matches!(costs, Costs::Unit) {
                    prop_assert_eq!(&twins::<u8, 32, 64>(&x, &ys, costs, side), &expected);
                }
            }
        }
    }

    #[test]
    fn the_distance_is_a_metric(x in trees(20, 3), y in trees(20, 3), z in trees(20, 3)) {
        let trees = [prepare(&x), prepare(&y), prepare(&z)];
        let d = |a: usize, b: usize| all_ways(&trees[a], &trees[b], Costs::Unit)[0];
        prop_assert_eq!(d(0, 0), 0.0);
        prop_assert_eq!(d(0, 1), d(1, 0));
        prop_assert_eq!(d(0, 1) == 0.0, x == y);
        prop_assert!(d(0, 2) <= d(0, 1) + d(1, 2));
    }
}

pub(super) fn shape(n: usize, parent: impl Fn(usize) -> i32) -> Plain {
    Plain { codes: vec![0; n], parents: (0..n).map(parent).collect() }
}

#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn regular_shapes_have_known_distances() {
    let chain = |n| prepare(&shape(n, |i| i as i32 - 1));
    let star = |n| prepare(&shape(n, |i| if i == 0 { -1 } else { 0 }));
    // A comb: every second node is a leaf hanging off the spine, to its left.
    let comb = |n| prepare(&shape(n, |i| if i == 0 { -1 } else { (i as i32 - 1) / 2 * 2 }));
    // Combs have an odd number of nodes.
    let [few, some, many] = if is_slow() { [35, 41, 71] } else { [99, 151, 201] };
    for (x, y, expected) in [
        (chain(many), chain(few), (many - few) as f64),
        (star(some), star(few), (some - few) as f64),
        // Only the root and one leaf of the star lie on one path.
        (chain(few), star(few), 2.0 * few as f64 - 4.0),
        (comb(few), comb(few), 0.0),
        (comb(many), comb(some), (many - some) as f64),
    ] {
        for d in all_ways(&x, &y, Costs::Unit) {
            assert_eq!(d, expected);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn mirrored_combs_cost_the_same() {
    let n = if is_slow() { 41 } else { 201 };
    let left = shape(n, |i| match i {
        0 => -1,
        // Preorder of a left comb: the spine goes down first, the leaves follow bottom up.
        i if i <= n / 2 => i as i32 - 1,
        i => (n - 1 - i) as i32,
    });
    let right = shape(n, |i| if i == 0 { -1 } else { (i as i32 - 1) / 2 * 2 });
    let (left, right) = (prepare(&left), prepare(&right));
    assert_eq!(pair_work(&left, &left), pair_work(&right, &right));
    assert_eq!(all_ways(&left, &left, Costs::Unit)[0], 0.0);
}

#[test]
fn small_costs_count_next_to_huge_ones() {
    let (third, huge) = (1.0 / 3.0, 1e12);
    let table = CostTable::new(&[0.0, third, third, 0.0], &[huge; 2], &[huge; 2]).unwrap();
    let mut y = shape(40, |i| i as i32 - 1);
    let x = prepare(&y);
    y.codes[7] = 1;
    for d in all_ways(&x, &prepare(&y), Costs::Table(&table)) {
        assert_eq!(d, third);
    }
}

#[test]
fn a_cancelled_pair_stops() {
    let (x, y) = (prepare(&shape(300, |i| i as i32 - 1)), prepare(&shape(299, |i| i as i32 - 1)));
    let cancel = Cancel::default();
    cancel.cancel();
    let result = distance(
        &Pair { x: operand(&x), y: operand(&y), costs: Costs::Unit },
        &mut Scratch { workspace: &mut Workspace::default(), cancel: &cancel },
    );
    assert_eq!(result, Err(crate::Error::Cancelled));
}

/// Pairs of the first label save this much. Those of the second save 1, so that this is the unit.
fn saving_table(saving: f64) -> CostTable {
    let keep = if saving == 0.0 { 1.0 } else { 0.0 };
    CostTable::new(&[0.0, saving, 1.0, keep], &[saving, 1.0], &[0.0; 2]).unwrap()
}

#[test]
fn lanes_are_as_wide_as_savings_need() {
    let narrowest = |saving: f64, nodes| {
        let table = saving_table(saving);
        Lanes::narrowest(Costs::Table(&table), nodes)
    };
    for (saving, nodes, expected) in [
        (0.0, 1 << 40, Lanes::Bytes),
        (255.0, 1, Lanes::Bytes),
        (256.0, 1, Lanes::Words),
        (51.0, 5, Lanes::Bytes),
        (52.0, 5, Lanes::Words),
        (65_535.0, 1, Lanes::Words),
        (65_536.0, 1, Lanes::Ints),
        (2_147_483_647.0, 1, Lanes::Ints),
        (2_147_483_648.0, 1, Lanes::Doubles),
        (1.0 / 3.0, 1 << 13, Lanes::Doubles),
    ] {
        assert_eq!(narrowest(saving, nodes), Some(expected), "{saving} x {nodes}");
    }
    assert_eq!(narrowest(1.0 / 3.0, 1 << 16), Some(Lanes::Longs));
    assert_eq!(narrowest(1.0 / 3.0, 1 << 25), None);
    let wide = CostTable::new(&[1.0 / 3.0], &[1e12], &[0.0]).unwrap();
    assert_eq!(Lanes::narrowest(Costs::Table(&wide), 0), None);
    assert_eq!(Lanes::narrowest(Costs::Unit, 127), Some(Lanes::Bytes));
    assert_eq!(Lanes::narrowest(Costs::Unit, 128), Some(Lanes::Words));
    assert_eq!(Lanes::narrowest(Costs::Unit, 32_767), Some(Lanes::Words));
    assert_eq!(Lanes::narrowest(Costs::Unit, 32_768), Some(Lanes::Ints));
}

/// A single saving that does not fit into narrower lanes, in trees that are hoped to save little.
#[test]
fn savings_that_do_not_fit_are_not_cut_off() {
    for saving in [200, 255, 256, 300, 65_535, 65_536, 70_000] {
        let saving = f64::from(saving);
        let operations = OperationCosts::new(saving - 1.0, 1.0, 1.0).unwrap();
        let table = saving_table(saving);
        for n in [1, 2, 3] {
            let x = prepare(&shape(n, |i| i as i32 - 1));
            let y = prepare(&shape(n + 1, |i| i as i32 - 1));
            assert!(all_ways(&x, &y, Costs::Operations(&operations)).iter().all(|&d| d == 1.0));
            assert!(all_ways(&y, &x, Costs::Table(&table)).iter().all(|&d| d == saving));
        }
    }
}

/// Equal trees of every shape save the most that the bound allows: one more would overflow.
#[test]
fn lanes_filled_to_the_brim_do_not_overflow() {
    let n = nodes(85);
    let shapes = [
        shape(n, |i| i as i32 - 1),
        shape(n, |i| if i == 0 { -1 } else { 0 }),
        shape(n, |i| if i == 0 { -1 } else { (i as i32 - 1) / 2 * 2 }),
    ];
    for most in [u64::from(u8::MAX), u64::from(u16::MAX), i32::MAX as u64, 1 << 40] {
        for above in [0, 1] {
            let saving = (most / n as u64 + above) as f64;
            let table = saving_table(saving);
            for plain in &shapes {
                // One node more on one side: deleting it is all that is left to pay.
                let mut larger = Plain { codes: vec![0; n + 1], parents: plain.parents.clone() };
                larger.parents.push(0);
                let trees = [prepare(plain), prepare(&larger)];
                for d in all_ways(&trees[1], &trees[0], Costs::Table(&table)) {
                    assert_eq!(d, saving);
                }
                for d in all_ways(&trees[0], &trees[1], Costs::Table(&table)) {
                    assert_eq!(d, 0.0);
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn both_sides_of_every_lane_limit_agree() {
    // 127 | 128 nodes: bytes | words. 4096 | 4097 of the coarsest grid: doubles | longs.
    let third = 1.0 / 3.0;
    let table = CostTable::new(&[0.0, third, third, 0.0], &[1.0; 2], &[1.0; 2]).unwrap();
    assert_eq!(Lanes::Doubles.most_nodes(Costs::Table(&table)), 4096);
    for n in [126, 127, 128, 129] {
        let x = prepare(&shape(n, |i| i as i32 - 1));
        let y = prepare(&shape(n + 3, |i| i as i32 - 1));
        assert!(all_ways(&x, &y, Costs::Unit).iter().all(|&d| d == 3.0));
    }
    for n in [4096, 4097].into_iter().filter(|_| !is_slow()) {
        let x = prepare(&shape(n, |i| i as i32 - 1));
        assert!(all_ways(&x, &x, Costs::Table(&table)).iter().all(|&d| d == 0.0));
    }
}
