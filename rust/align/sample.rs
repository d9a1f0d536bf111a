//! Optimal alignments drawn at random, all with the same probability.

use crate::align::Integer;
use crate::align::Pairs;
use crate::align::amount::{Amount, Scaled};
use crate::align::count::{CoOptimal, LARGEST_PLAIN};
use crate::align::forest::step;
use crate::align::sweep::{Amounts, Sweep};
use crate::error::Result;
use crate::memory;
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

#[allow(private_bounds)]
impl<Q: Integer> CoOptimal<'_, Q> {
    /// Draws `count` optimal alignments independently and uniformly.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if they do not fit, [`crate::Error::Cancelled`] if asked to stop.
    pub fn sample(&self, count: u32, seed: u64, cancel: &Cancel) -> Result<Vec<Pairs>> {
        let count = count as usize;
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
        let problem = self.problem();
        let (n, m) = problem.shape();
        let pairs_bytes = (n.min(m) * size_of::<(u32, u32)>()) as u64;
        memory::check("the samples", (count as u64).saturating_mul(48 + pairs_bytes))?;
        let mut samples = memory::filled("the samples", count, Pairs::new())?;
        let columns = problem.y.spans.len();
        let mut starts: Vec<Vec<(u32, u32, u32)>> =
            memory::filled("the samples", problem.x.spans.len() * columns, Vec::new())?;
        if let Some(whole) = starts.last_mut() {
            whole.extend((0..count as u32).map(|sample| (sample, n as u32, m as u32)));
        }
        let (list, weight) = (self.lister(cancel), |_, _| A::one());
        let sweep = Sweep::new(problem, self.reach(), &list, &weight);
        let mut lists = self.lists();
        let mut amounts = Amounts::new();
        let mut random = Random(seed);
        for (position, &(s, t)) in self.reach().spans.iter().enumerate().rev() {
            cancel.check()?;
            let pair = (s as usize, t as usize);
            let mut open = std::mem::take(&mut starts[pair.0 * columns + pair.1]);
            let (a, b) = problem.spans(pair);
            if open.is_empty() {
                continue;
            }
            let reached = lists.get(position, |found| list(pair, found))?;
            sweep.refill(pair, &reached, pairs, &mut amounts, cancel)?;
            let width = b.len() + 1;
            let all_steps = reached.steps(width, a.len() + 1);
            while let Some((sample, r, c)) = open.pop() {
                cancel.check()?;
                let (mut r, mut c) = (r as usize, c as usize);
                let mut is_mapped = false;
                while r > 0 && c > 0 {
                    let cell = r * width + c;
                    let steps = all_steps[cell];
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
                    if (s, t) == pair {
                        open.push(below);
                    } else {
                        starts[s * columns + t].push(below);
                    }
                    r = problem.x.first[i] as usize - a.first;
                    c = problem.y.first[j] as usize - b.first;
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
