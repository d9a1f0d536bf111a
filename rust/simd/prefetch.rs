//! Memory that is needed soon.

#![allow(unsafe_code)] // an intrinsic that only gives a hint

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Asks for these values, so that they are in the second cache when they are needed. Machines other
/// than x86-64 are not asked.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..size_of_val(values)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: the address is inside of the slice, and a hint never reads.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(values.as_ptr().cast::<i8>().add(byte)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, LINE);
}
