//! The allocator of the extension: an allocation that fails must not end the interpreter.
//!
//! Large buffers are requested so that a failure is an error. Small ones are not: where one of them
//! fails, Rust ends the process. So the system's allocator is asked as always, and a reserve of address
//! space stands by, which is never touched. The first request that fails gives the reserve back to the
//! system, is repeated, and asks all loops to stop (`memory::report_low`): they end with
//! [`Error::Exhausted`], which Python sees as `MemoryError`. The next call takes a new reserve, or refuses
//! to start.

#![allow(unsafe_code)] // the trait of allocators; every call is handed to the system's allocator

use crate::error::{Error, Result};
use crate::memory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// More than the 32 MiB from which on glibc always maps pages of their own: then a thread of any
/// arena can have them when they are given back.
const RESERVED: Layout = match Layout::from_size_align(34 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u8>(),
};

/// Requests above this size fail as they would without a reserve.
const LARGEST_RESCUED: usize = RESERVED.size() / 2;

/// The reserve; null if it was given back.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Blocks from this size on get huge pages where the system has them.
const LARGE: usize = 8 << 20;

struct WithReserve;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

/// Takes the reserve before a call starts, if there is none.
///
/// # Errors
/// [`Error::Exhausted`] if there is no room for it.
pub(super) fn prepare() -> Result<()> {
    if !RESERVE.load(Ordering::Acquire).is_null() {
        return Ok(());
    }
    // SAFETY: the size is not zero.
    let taken = unsafe { System.alloc(RESERVED) };
    if taken.is_null() {
        return Err(Error::Exhausted);
    }
    let there = RESERVE.compare_exchange(null_mut(), taken, Ordering::AcqRel, Ordering::Acquire);
    if there.is_err() {
        // SAFETY: another thread was faster, and nobody else knows this block of that layout.
        unsafe { System.dealloc(taken, RESERVED) };
    }
    memory::report_low(false);
    Ok(())
}

/// Asks for huge pages for a large block: the first look at a page takes as long as a few thousand
/// cells, and tables are larger than what a processor knows the pages of.
#[cfg(target_os = "linux")]
fn advise(block: *mut u8, size: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGE: usize = 2 << 20;
    const MADV_HUGEPAGE: c_int = 14;
    if size < LARGE || block.is_null() {
        return;
    }
    let before = block.align_offset(HUGE_PAGE).min(size);
    let bytes = (size - before) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: these bytes are within the block, and the advice changes nothing of what they hold. Where
    // it is not taken all stays as it was.
    unsafe { madvise(block.wrapping_add(before).cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}

/// What `request` returns; if that is null, the same again without the reserve.
#[inline(always)]
fn rescued(size: usize, request: impl Fn() -> *mut u8) -> *mut u8 {
    let found = request();
    if found.is_null() { retried(size, &request) } else { found }
}

#[cold]
#[inline(never)]
fn retried(size: usize, request: &dyn Fn() -> *mut u8) -> *mut u8 {
    if size > LARGEST_RESCUED {
        return null_mut();
    }
    let reserve = RESERVE.swap(null_mut(), Ordering::AcqRel);
    if !reserve.is_null() {
        memory::report_low(true);
        // SAFETY: it was allocated with this layout, and the swap gave it to this thread alone.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
    // Another thread may have given it back a moment ago.
    request()
}

// SAFETY: all blocks come from the system's allocator and go back to it, with the caller's layouts.
unsafe impl GlobalAlloc for WithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised to this function.
        let block = rescued(layout.size(), || unsafe { System.alloc(layout) });
        if layout.size() >= LARGE {
            advise(block, layout.size());
        }
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised to this function.
        rescued(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised to this function; a block stays as it is if this fails.
        rescued(size, || unsafe { System.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(block, layout) }
    }
}
