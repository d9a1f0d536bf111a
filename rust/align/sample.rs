//! Optimal alignments drawn at random, all with the same probability.

use crate::align::Pairs;
use crate::align::amount::{Amount, Scaled};
use crate::align::count::{Amounts, CoOptimal, LARGEST_PLAIN};
use crate::align::forest::{Forest, step};
use crate::error::Result;
use crate::parallel::Cancel;

/// An amount that can be compared with a larger one.
trait Share: Amount {
    /// This part of the whole, between 0 and 1.
    fn share_of(&self, whole: &Self) -> f64;
}

impl Share for f64 {
    fn share_of(&self, whole: &Self) -> f64 {
        self / whole
    }
}

impl Share for Scaled {
    fn share_of(&self, whole: &Self) -> f64 {
        self.times(&whole.inverse()).value()
    }
}

/// A generator of random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    /// A number between 0 and 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl CoOptimal<'_> {
    /// Draws `count` optimal alignments independently and uniformly.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if asked to stop.
    pub fn sample(&self, count: usize, seed: u64, cancel: &Cancel) -> Result<Vec<Pairs>> {
        let (pairs, total) = self.amounts::<f64>(cancel)?;
        if total < LARGEST_PLAIN {
            return self.draw(&pairs, count, seed, cancel);
        }
        let (pairs, _) = self.amounts::<Scaled>(cancel)?;
        self.draw(&pairs, count, seed, cancel)
    }

    /// Walks the derivations of all samples at once, the outer spans first.
    fn draw<A: Share>(
        &self,
        pairs: &[A],
        count: usize,
        seed: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Pairs>> {
        let mut samples = vec![Pairs::new(); count];
        let problem = self.problem();
        let columns = problem.y.spans.len();
        let mut starts: Vec<Vec<(u32, u32, u32)>> =
            vec![Vec::new(); problem.x.spans.len() * columns];
        let (n, m) = problem.shape();
        if let Some(whole) = starts.last_mut() {
            whole.extend((0..count as u32).map(|sample| (sample, n as u32, m as u32)));
        }
        let (mut forest, mut amounts) = (Forest::default(), Amounts::<A>::new());
        let mut random = Random(seed);
        for &(s, t) in self.reach().spans.iter().rev() {
            cancel.check()?;
            let mut open = std::mem::take(&mut starts[s as usize * columns + t as usize]);
            let (a, b) = (problem.x.spans[s as usize], problem.y.spans[t as usize]);
            if open.is_empty() {
                continue;
            }
            self.open(&mut forest, (a, b));
            amounts.fill(problem, (a, b), &forest, pairs);
            while let Some((sample, r, c)) = open.pop() {
                let (mut r, mut c) = (r as usize, c as usize);
                let mut is_mapped = false;
                while r > 0 && c > 0 {
                    let cell = forest.cell(r, c);
                    let steps = forest.steps[cell];
                    let mut choose = |first: u8, second: u8, part: &A, whole: &A| {
                        let both = steps & first != 0 && steps & second != 0;
                        if both { random.unit() < part.share_of(whole) } else { steps & first != 0 }
                    };
                    if !is_mapped {
                        let (mapped, any) = (&amounts.mapped[cell], &amounts.any[cell]);
                        is_mapped = choose(step::MAPPED, step::DELETE, mapped, any);
                        if !is_mapped {
                            r -= 1;
                        }
                        continue;
                    }
                    let (inserted, mapped) = (&amounts.mapped[cell - 1], &amounts.mapped[cell]);
                    if choose(step::INSERT, step::PAIR, inserted, mapped) {
                        c -= 1;
                        continue;
                    }
                    let (i, j) = (a.first + r - 1, b.first + c - 1);
                    samples[sample as usize].push(problem.preorder(i, j));
                    let (s, t) = (problem.x.span_of[i] as usize, problem.y.span_of[j] as usize);
                    let inner = (problem.x.spans[s].first, problem.y.spans[t].first);
                    let below = (sample, (i - inner.0) as u32, (j - inner.1) as u32);
                    if (problem.x.spans[s], problem.y.spans[t]) == (a, b) {
                        open.push(below);
                    } else {
                        starts[s * columns + t].push(below);
                    }
                    (r, c) = (problem.x.tree.first(i) - a.first, problem.y.tree.first(j) - b.first);
                    is_mapped = false;
                }
            }
        }
        for pairs in &mut samples {
            pairs.sort_unstable();
        }
        Ok(samples)
    }
}
