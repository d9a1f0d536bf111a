//! Is a cost function a pseudo-metric, and what is the nearest one below it?

use crate::error::Result;
use crate::parallel::Cancel;

/// An axiom of a pseudo-metric. Non-negativity is checked where costs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axiom {
    /// c(a, a) = 0.
    SelfIdentity,
    /// c(a, b) = c(b, a).
    Symmetry,
    /// c(a, b) <= c(a, z) + c(z, b).
    Triangle,
}

/// A broken axiom and the labels that break it worst: (a), (a, b) or (a, z, b) as indices.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The axiom.
    pub axiom: Axiom,
    /// The witnesses.
    pub witness: Vec<usize>,
    /// By how much the axiom is broken.
    pub excess: f64,
}

/// The shortest-path closure of a square, row-major cost matrix, in place (Floyd–Warshall).
///
/// Leaving a label as it is costs nothing, so the diagonal becomes 0. Under the closure the
/// dynamic program computes the true edit distance of any non-negative costs.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop; the costs are then half done.
pub fn closure(costs: &mut [f64], size: usize, cancel: &Cancel) -> Result<()> {
    for a in 0..size {
        costs[a * size + a] = 0.0;
    }
    let mut through = vec![0.0; size];
    for z in 0..size {
        cancel.check()?;
        through.copy_from_slice(&costs[z * size..(z + 1) * size]);
        for row in costs.chunks_exact_mut(size) {
            let to_z = row[z];
            for (cost, &from_z) in row.iter_mut().zip(&through) {
                let detour = to_z + from_z;
                *cost = if detour < *cost { detour } else { *cost };
            }
        }
    }
    Ok(())
}

/// The worst violation of each broken axiom, beyond a tolerance; empty for a pseudo-metric.
///
/// # Errors
/// [`crate::Error::Cancelled`] if asked to stop.
pub fn violations(
    costs: &[f64],
    size: usize,
    tolerance: f64,
    cancel: &Cancel,
) -> Result<Vec<Violation>> {
    let mut worst: [Option<Violation>; 3] = [None, None, None];
    let mut note = |axiom: Axiom, excess: f64, witness: &[usize]| {
        let slot = &mut worst[axiom as usize];
        if excess > slot.as_ref().map_or(tolerance, |v| v.excess) {
            *slot = Some(Violation { axiom, witness: witness.to_vec(), excess });
        }
    };
    for a in 0..size {
        cancel.check()?;
        note(Axiom::SelfIdentity, costs[a * size + a], &[a]);
        for b in 0..a {
            let gap = (costs[a * size + b] - costs[b * size + a]).abs();
            note(Axiom::Symmetry, gap, &[b, a]);
        }
        let from_a = &costs[a * size..(a + 1) * size];
        for z in 0..size {
            let from_z = &costs[z * size..(z + 1) * size];
            let mut excess = tolerance;
            for (&direct, &rest) in from_a.iter().zip(from_z) {
                excess = f64::max(excess, direct - from_a[z] - rest);
            }
            if excess > tolerance {
                let b = (0..size).find(|&b| from_a[b] - from_a[z] - from_z[b] == excess);
                if let Some(b) = b {
                    note(Axiom::Triangle, excess, &[a, z, b]);
                }
            }
        }
    }
    Ok(worst.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(costs: &[f64], size: usize, tolerance: f64) -> Vec<Violation> {
        violations(costs, size, tolerance, &Cancel::default()).unwrap()
    }

    #[test]
    fn closure_takes_the_cheapest_detour() {
        // 0 -> 2 costs 5 directly and 2 by way of 1.
        let mut costs = vec![0.5, 1.0, 5.0, 4.0, 0.0, 1.0, 9.0, 9.0, 0.0];
        closure(&mut costs, 3, &Cancel::default()).unwrap();
        assert_eq!(costs, vec![0.0, 1.0, 2.0, 4.0, 0.0, 1.0, 9.0, 9.0, 0.0]);
        assert_eq!(found(&costs, 3, 0.0).len(), 1); // asymmetric still
    }

    #[test]
    fn each_axiom_has_its_witness() {
        let metric = [0.0, 1.0, 1.0, 0.0];
        assert_eq!(found(&metric, 2, 1e-9), vec![]);
        let worst = found(&[0.5, 1.0, 1.0, 0.0], 2, 1e-9);
        assert_eq!((worst[0].axiom, &worst[0].witness[..]), (Axiom::SelfIdentity, &[0][..]));
        let worst = found(&[0.0, 1.0, 2.0, 0.0], 2, 1e-9);
        assert_eq!((worst[0].axiom, &worst[0].witness[..]), (Axiom::Symmetry, &[0, 1][..]));
        let worst = found(&[0.0, 5.0, 1.0, 5.0, 0.0, 1.0, 1.0, 1.0, 0.0], 3, 1e-9);
        assert_eq!((worst[0].axiom, worst[0].excess), (Axiom::Triangle, 3.0));
        assert_eq!(worst[0].witness[1], 2);
    }
}
