//! Steps on one side of an inner path, strip by strip.
//!
//! A strip needs the strips before it only where a crown joins: there the values of pairs of roots in
//! earlier lanes. So strips can be done by several threads, one square behind each other.

use crate::distance::inner::strips::{
    self, PostOrder, StepState, Strip, StripPass, StripRow, joins,
};
use crate::distance::inner::walk::Step;
use crate::distance::inner::{Square, WHAT};
use crate::distance::team::Progress;
use crate::error::Result;
use crate::memory;
use crate::parallel::{Cancel, locked};
use crate::simd::{Simd, Vectorized, prefetch};
use std::ops::Range;
use std::sync::Mutex;

/// Most steps that are taken together: their states stay in the cache.
const MOST_TOGETHER: usize = 16;

/// What the strips of a stretch have in common.
pub(super) struct Stretch<'a, S: Simd> {
    pub(super) order: &'a PostOrder<'a>,
    pub(super) strips: &'a [Strip],
    pub(super) masks: &'a [StripRow<S>],
    pub(super) steps: &'a [Step],
    /// Labels of the row tree.
    pub(super) labels: &'a [u32],
    /// Profile and table on this side, with that many lanes a row.
    pub(super) profile: &'a [S::Elem],
    pub(super) table: &'a [S::Elem],
    pub(super) stride: usize,
    /// The current forest; see [`strips::square`].
    pub(super) forest: &'a [Square<S>],
    pub(super) side: usize,
    /// Whether no steps were taken before on this path, and whether these are the last.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    pub(super) crowns: &'a Crowns<S>,
    /// For each strip the squares that it is done with, those of all groups of steps together.
    pub(super) done: Vec<Progress>,
    pub(super) cancel: &'a Cancel,
}

/// The values of crowns, square by square: those of a square are written by one strip after the
/// other.
pub(super) struct Crowns<S: Simd> {
    squares: usize,
    values: Vec<Mutex<Vec<S::Elem>>>,
}

impl<S: Simd> Crowns<S> {
    pub(super) fn new(crowns: usize, squares: usize) -> Result<Self> {
        let mut values = Vec::new();
        memory::reserve(WHAT, &mut values, crowns * squares)?;
        for _ in 0..crowns * squares {
            values.push(Mutex::new(memory::filled(
                WHAT,
                strips::lanes::<S>(),
                S::Elem::default(),
            )?));
        }
        Ok(Self { squares, values })
    }

    #[inline(always)]
    fn square(&self, crown: usize, square: usize) -> &Mutex<Vec<S::Elem>> {
        &self.values[crown * self.squares + square]
    }

    /// Copies all values of a crown to its row of the table.
    pub(super) fn copy(&self, crown: usize, row: &mut [S::Elem]) {
        for (square, out) in row.chunks_mut(strips::lanes::<S>()).enumerate() {
            out.copy_from_slice(&locked(self.square(crown, square))[..out.len()]);
        }
    }
}

/// Scratch of a thread: a strip of the current forest, and of the kept ones.
#[derive(Debug)]
pub(super) struct StripScratch<S: Simd> {
    current: Vec<StripRow<S>>,
    kept: Vec<Vec<StripRow<S>>>,
    states: Vec<StepState<S>>,
    /// Room for a square that is turned.
    square: Vec<S::Vector>,
}

impl<S: Simd> StripScratch<S> {
    /// For a column tree with that number of nodes.
    pub(super) fn new(kept: usize, nodes: usize) -> Result<Self> {
        let strip = || memory::filled(WHAT, strips::height::<S>(nodes), [S::zero(); strips::WIDTH]);
        Ok(Self {
            current: strip()?,
            kept: (0..kept).map(|_| strip()).collect::<Result<_>>()?,
            states: Vec::new(),
            square: vec![S::zero(); S::LANES],
        })
    }
}

/// Scratch that goes back when a thread is done.
pub(super) struct Lent<'a, S: Simd> {
    idle: &'a Mutex<Vec<StripScratch<S>>>,
    /// One or none.
    pub(super) scratch: Vec<StripScratch<S>>,
}

impl<'a, S: Simd> Lent<'a, S> {
    pub(super) fn new(idle: &'a Mutex<Vec<StripScratch<S>>>) -> Self {
        Self { idle, scratch: locked(idle).pop().into_iter().collect() }
    }
}

impl<S: Simd> Drop for Lent<'_, S> {
    fn drop(&mut self) {
        locked(self.idle).append(&mut self.scratch);
    }
}

/// All steps on one strip.
pub(super) struct StripJob<'j, 'a, S: Simd> {
    pub(super) stretch: &'j Stretch<'a, S>,
    pub(super) number: usize,
    pub(super) scratch: &'j mut StripScratch<S>,
}

impl<S: Simd> Vectorized<S> for StripJob<'_, '_, S> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self, simd: S) -> Result<()> {
        take_steps(simd, self)
    }
}

/// Steps that can be taken together are done square by square, which stays in the cache from the
/// table that it is turned from to the one that it is stored in.
#[inline(always)]
fn take_steps<S: Simd>(simd: S, job: StripJob<'_, '_, S>) -> Result<()> {
    let StripJob { stretch, number, scratch } = job;
    let StripScratch { current, kept: kept_strips, states, square: turning } = scratch;
    let &Stretch { order, profile, table, stride, side, cancel, .. } = stretch;
    let n = order.size.len();
    let (width, count) = (strips::lanes::<S>(), strips::count::<S>(n));
    let strip = stretch.strips[number];
    let pass = StripPass { simd, order, strip, masks: stretch.masks };
    let current = &mut current[..];
    let mut steps = stretch.steps;
    let (mut is_new, mut crown, mut before) = (true, 0, 0);
    while !steps.is_empty() {
        let (group, later) = steps.split_at(together(steps));
        let is_stored = later.is_empty() && !stretch.is_last;
        states.clear();
        states.resize(group.len(), StepState::new());
        let first_crown = crown;
        crown += group.iter().filter(|step| matches!(step, Step::Crown { .. })).count();
        for square in strip.first_row / width..count {
            cancel.check()?;
            if crown > first_crown && number > 0 {
                stretch.done[number - 1].wait_for(before + square + 1, cancel)?;
            }
            let all = square * width..(square + 1) * width;
            let rows = all.start.max(strip.first_row)..all.end.min(n);
            let home = |square| &stretch.forest[strips::square(count, side, (number, square))];
            if is_new && square + 1 < count {
                prefetch(&locked(home(square + 1)));
            }
            let mut home = locked(home(square));
            let home = &mut home[..];
            let mut kind = joins::LEAF;
            if is_new {
                let into;
                (into, kind) = place::<S>(group[0], &all, current, kept_strips);
                if stretch.is_first {
                    into.fill([S::zero(); strips::WIDTH]);
                } else {
                    strips::turn(simd, home, into, turning);
                }
            }
            let last = group.len() - 1;
            let mut next_crown = first_crown;
            for (position, (&step, state)) in group.iter().zip(&mut *states).enumerate() {
                let rows = rows.clone();
                match step {
                    Step::Join { row, kept, is_leaf } => {
                        let values = &table[row * stride..][..stride];
                        let apart = &mut kept_strips[kept - 1];
                        // No calls by pointers: these are compiled into this function.
                        macro_rules! join {
                            ($kind:expr) => {
                                strips::join::<S, { $kind }>(
                                    pass, rows, state, values, apart, current,
                                )
                            };
                        }
                        match if is_leaf { kind } else { joins::TREE } {
                            joins::TREE => join!(joins::TREE),
                            joins::LEAF => join!(joins::LEAF),
                            _ => join!(joins::FIRST_LEAF),
                        }
                    }
                    Step::Crown { node } => {
                        let savings = &profile[stretch.labels[node] as usize * stride..][..stride];
                        let mut values = locked(stretch.crowns.square(next_crown, square));
                        let values = &mut values[rows.start - all.start..][..rows.len()];
                        let pairs = (&savings[rows.clone()], values);
                        next_crown += 1;
                        if is_stored && position == last {
                            strips::crown::<S, true>(pass, rows, state, pairs, current, home);
                        } else {
                            strips::crown::<S, false>(pass, rows, state, pairs, current, home);
                        }
                    }
                }
                kind = joins::LEAF;
            }
            if is_stored {
                // Cells beside the rows are 0.
                let (before, after) = (rows.start - all.start, rows.end - all.start);
                if matches!(group[last], Step::Join { .. }) {
                    home[before..after].copy_from_slice(&current[rows]);
                }
                home[..before].fill([S::zero(); strips::WIDTH]);
                home[after..].fill([S::zero(); strips::WIDTH]);
            }
            stretch.done[number].reach(before + square + 1);
        }
        before += count;
        (steps, is_new) = (later, false);
    }
    Ok(())
}

/// How many of these steps can be taken together: no table is kept where there is one that a step
/// before still needs.
fn together(steps: &[Step]) -> usize {
    let kept_of = |step: &Step| match *step {
        Step::Join { kept, is_leaf, .. } => Some((kept, is_leaf)),
        Step::Crown { .. } => None,
    };
    let clashes = |&count: &usize| {
        kept_of(&steps[count]).is_some_and(|(kept, is_leaf)| {
            let mut before = steps[..count].iter().filter_map(kept_of);
            is_leaf && before.any(|(other, _)| other == kept)
        })
    };
    let most = steps.len().min(MOST_TOGETHER);
    (1..most).find(clashes).unwrap_or(most)
}

/// Where the first step finds a square, and the kind of join if it is one.
fn place<'t, S: Simd>(
    first: Step,
    square: &Range<usize>,
    current: &'t mut [StripRow<S>],
    kept_strips: &'t mut [Vec<StripRow<S>>],
) -> (&'t mut [StripRow<S>], u8) {
    match first {
        Step::Join { kept, is_leaf: true, .. } => {
            (&mut kept_strips[kept - 1][square.clone()], joins::FIRST_LEAF)
        }
        _ => (&mut current[square.clone()], joins::LEAF),
    }
}
