//! Kernels of fragments against the plain recursions of the papers.

use crate::features::Flat;
use crate::gram::Extent;
use crate::gram::fragments::{Fragments, diagonal, matrix};
use crate::naive::{Plain, cases, trees};
use crate::parallel::Cancel;
use proptest::prelude::*;

fn children(tree: &Plain, node: usize) -> Vec<usize> {
    (0..tree.codes.len()).filter(|&child| tree.parents[child] == node as i32).collect()
}

/// Δ by its definition.
fn delta(x: &Plain, a: usize, y: &Plain, b: usize, how: Fragments) -> f64 {
    if x.codes[a] != y.codes[b] {
        return 0.0;
    }
    let (of_a, of_b) = (children(x, a), children(y, b));
    match how {
        Fragments::Subset { decay } => {
            let labels = |tree: &Plain, nodes: &[usize]| -> Vec<i32> {
                nodes.iter().map(|&node| tree.codes[node]).collect()
            };
            if labels(x, &of_a) != labels(y, &of_b) {
                return 0.0;
            }
            let pairs = of_a.iter().zip(&of_b);
            pairs.fold(decay, |product, (&a, &b)| product * (1.0 + delta(x, a, y, b, how)))
        }
        Fragments::Partial { decay, depth_decay } => {
            let mut sum = decay * decay;
            for first in 1u32..1 << of_a.len() {
                for second in 1u32..1 << of_b.len() {
                    if first.count_ones() != second.count_ones() {
                        continue;
                    }
                    let width =
                        |mask: u32| (32 - mask.leading_zeros() - mask.trailing_zeros()) as i32;
                    let chosen = |mask: u32, of: &[usize]| -> Vec<usize> {
                        (0..of.len()).filter(|&i| mask >> i & 1 == 1).map(|i| of[i]).collect()
                    };
                    let start = decay.powi(width(first) + width(second));
                    let pairs = chosen(first, &of_a).into_iter().zip(chosen(second, &of_b));
                    sum += pairs.fold(start, |product, (a, b)| product * delta(x, a, y, b, how));
                }
            }
            depth_decay * sum
        }
    }
}

fn naive(x: &Plain, y: &Plain, how: Fragments) -> f64 {
    let pairs = (0..x.codes.len()).flat_map(|a| (0..y.codes.len()).map(move |b| (a, b)));
    pairs.map(|(a, b)| delta(x, a, y, b, how)).sum()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn fragments_are_those_of_the_recursions(
        plain in proptest::collection::vec(trees(6, 2), 1..5),
        rows in proptest::option::of(0usize..3),
        decay in 0.1f64..=1.0,
        depth_decay in 0.1f64..=1.0,
        subset: bool,
    ) {
        let how = if subset {
            Fragments::Subset { decay }
        } else {
            Fragments::Partial { decay, depth_decay }
        };
        let (mut codes, mut parents, mut offsets) = (Vec::new(), Vec::new(), vec![0]);
        for tree in &plain {
            codes.extend(&tree.codes);
            parents.extend(&tree.parents);
            offsets.push(codes.len() as i64);
        }
        let flat = Flat { codes: &codes, parents: &parents, offsets: &offsets };
        let rows = rows.map(|rows| rows.min(plain.len()));
        let extent = Extent { trees: plain.len(), rows };
        let (height, width) = extent.shape();
        let mut out = vec![f64::NAN; height * width];
        let cancel = Cancel::default();
        matrix((flat, extent), how, &mut out, (2, &cancel), &mut |_| true).unwrap();
        let own = diagonal(flat, how, (2, &cancel), &mut || true).unwrap();
        let close = |got: f64, expected: f64| (got - expected).abs() <= 1e-12 * expected.max(1.0);
        for i in 0..height {
            for j in 0..width {
                let expected = naive(&plain[i], &plain[rows.unwrap_or(0) + j], how);
                prop_assert!(close(out[i * width + j], expected), "{} {expected}", out[i * width + j]);
            }
        }
        for (tree, &kernel) in plain.iter().zip(&own) {
            prop_assert!(close(kernel, naive(tree, tree, how)));
        }
    }
}
