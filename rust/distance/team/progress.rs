//! How far other threads are.

use crate::error::Result;
use crate::parallel::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Looks at what another thread does before others may run instead.
const SPINS: u32 = 1 << 10;

/// How far a thread is: on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(in crate::distance) struct Progress(AtomicUsize);

impl Progress {
    /// So many steps are done.
    #[inline(always)]
    pub(in crate::distance) fn reach(&self, steps: usize) {
        self.0.store(steps, Ordering::Release);
    }

    /// Waits until so many steps are done; returns how many are. Only for a thread that is at work.
    #[inline(always)]
    pub(in crate::distance) fn wait_for(&self, steps: usize, cancel: &Cancel) -> Result<usize> {
        wait(cancel, || {
            let done = self.0.load(Ordering::Acquire);
            (done >= steps).then_some(done)
        })
    }
}

/// Waits for something that another thread is about to do.
#[inline(always)]
pub(super) fn wait<T>(cancel: &Cancel, look: impl Fn() -> Option<T>) -> Result<T> {
    let mut looks = 0;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        cancel.check()?;
        looks += 1;
        if looks < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
