//! Buffers of one thread.

use crate::distance::hopes::Hopes;
use crate::distance::{packed, scalar, team};
use crate::parallel::{self, Cancel};
use crate::simd::{AllLanes, Family, Simd};

/// Buffers above this many bytes are given back after a single pair.
const KEEP_BYTES: usize = 32 << 20;
/// The buffers of pairs of trees with fewer nodes in sum are small: nobody asks how large they are.
const SMALL_PAIR: usize = 256;

/// Buffers of the packed kernel for one kind of lanes.
#[derive(Debug)]
pub(super) struct BuffersOf;

impl Family for BuffersOf {
    type Of<S: Simd> = packed::PackedBuffers<S>;

    fn bytes_held<S: Simd>(of: &Self::Of<S>) -> usize {
        of.bytes_held()
    }
}

/// Buffers of one thread. They grow to the largest pair seen; then nothing is allocated per pair.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Threads that may work on one large pair; none is one.
    threads: usize,
    pub(super) packed: AllLanes<BuffersOf>,
    pub(super) counts: scalar::ScalarBuffers<u32>,
    pub(super) quanta: scalar::ScalarBuffers<i64>,
    pub(super) wide: scalar::ScalarBuffers<i128>,
    pub(super) codes: Vec<u32>,
    pub(super) hopes: Hopes,
}

impl Workspace {
    /// Buffers of a thread that may share large pairs with so many threads, itself included. All
    /// results are the same.
    pub fn of_team(threads: usize) -> Self {
        let threads = parallel::useful_threads(threads, usize::MAX);
        Self { threads, ..Self::default() }
    }

    /// Threads for a pair with that much work (cells).
    pub(super) fn threads_for(&self, cells: f64) -> usize {
        if cells < team::LARGE { 1 } else { self.threads.max(1) }
    }

    pub(crate) fn bytes_held(&self) -> usize {
        let scalar = self.counts.bytes_held() + self.quanta.bytes_held() + self.wide.bytes_held();
        scalar + self.packed.bytes_held()
    }

    /// Frees large buffers after a pair of trees with that many nodes in sum.
    #[inline]
    pub(super) fn shrink(&mut self, nodes: usize) {
        if nodes >= SMALL_PAIR && self.bytes_held() > KEEP_BYTES {
            *self = Self::of_team(self.threads);
        }
    }
}

/// What a computation needs besides its input: buffers, and the token that stops it.
#[derive(Debug)]
pub struct Scratch<'a> {
    /// Buffers of this thread.
    pub workspace: &'a mut Workspace,
    /// Stops the computation.
    pub cancel: &'a Cancel,
}
