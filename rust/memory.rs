//! Memory is counted before it is taken.
//!
//! Linux hands out more memory than it has and kills the process later, so a failed allocation
//! is not a check. Large requests are therefore compared with what the system reports as free, and
//! with the limits of control groups and of the process. Each system has a file that asks it:
//! `linux.rs` reads text files, `desktop.rs` asks macOS and Windows. Other systems report nothing, and
//! nothing is refused there before it is tried.

#[cfg_attr(not(any(target_os = "macos", windows)), allow(dead_code))] // tested everywhere
mod desktop;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // tested everywhere
mod linux;

use crate::error::{Error, Result};
use crate::parallel::Cancel;
use std::sync::atomic::{AtomicBool, Ordering};

/// Requests below this size are never refused: asking the system costs more than they do.
pub(crate) const SMALL_REQUEST: u64 = 64 << 20;

/// Entries to fill between two looks at the cancel flag.
const CELLS_PER_CHECK: usize = 1 << 20;

/// Whether an allocation failed and a reserve helped out, which is used up soon.
static LOW: AtomicBool = AtomicBool::new(false);

/// Asks all long loops of the process to stop with [`Error::Exhausted`], or reports that there is
/// memory again. For allocators that keep a reserve.
pub fn report_low(low: bool) {
    LOW.store(low, Ordering::Relaxed);
}

#[inline(always)]
pub(crate) fn is_low() -> bool {
    LOW.load(Ordering::Relaxed)
}

/// Bytes that this process can still take, as far as the system reports it; `u64::MAX` if it does not.
pub fn available() -> u64 {
    #[cfg(target_os = "linux")]
    let left = linux::left(&|path| std::fs::read_to_string(path).ok());
    #[cfg(any(target_os = "macos", windows))]
    let left = desktop::left();
    #[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
    let left = None;
    left.unwrap_or(u64::MAX)
}

/// Checks that `bytes` more can be taken for `what`.
///
/// # Errors
/// [`Error::Memory`] if they cannot.
pub fn check(what: &'static str, bytes: u64) -> Result<()> {
    if bytes < SMALL_REQUEST { Ok(()) } else { fits(what, bytes, available()) }
}

/// The decision, from figures of any system.
fn fits(what: &'static str, bytes: u64, available: u64) -> Result<()> {
    if bytes > available { Err(Error::Memory { what, bytes, available }) } else { Ok(()) }
}

/// Makes room for `more` entries; an error, where `Vec::reserve` would end the process.
///
/// # Errors
/// [`Error::Memory`] if there is no room.
pub(crate) fn reserve<T>(what: &'static str, buffer: &mut Vec<T>, more: usize) -> Result<()> {
    if more <= buffer.capacity() - buffer.len() {
        return Ok(());
    }
    let bytes = (more as u64).saturating_mul(size_of::<T>() as u64);
    check(what, bytes)?;
    let failed = |_| Error::Memory { what, bytes, available: available() };
    // Some space for more, as buffers that grow have, or exactly that.
    buffer.try_reserve(more).or_else(|_| buffer.try_reserve_exact(more)).map_err(failed)
}

/// A buffer of that length; an error, where `vec!` would end the process.
///
/// # Errors
/// [`Error::Memory`] if there is no room.
pub(crate) fn filled<T: Clone>(what: &'static str, len: usize, value: T) -> Result<Vec<T>> {
    let mut buffer = Vec::new();
    reserve(what, &mut buffer, len)?;
    buffer.resize(len, value);
    Ok(buffer)
}

/// Checks that what is read from a text of `len` bytes fits, codes and parents as they grow. It is
/// made of many small pieces, and none of them may fail.
///
/// # Errors
/// [`Error::Memory`] if it does not fit.
pub(crate) fn check_text(len: usize) -> Result<()> {
    const SMALL_TEXT: usize = 1 << 20;
    let (what, bytes) = ("the trees of the text", 3 * len as u64);
    if len < SMALL_TEXT { Ok(()) } else { fits(what, bytes, available()) }
}

/// Makes `buffer` at least `len` long, filling with `value`; counted before it is taken.
pub(crate) fn grow<T: Copy>(
    what: &'static str,
    buffer: &mut Vec<T>,
    len: usize,
    value: T,
    cancel: &Cancel,
) -> Result<()> {
    if buffer.len() >= len {
        return Ok(());
    }
    // The old contents are scratch: freeing them first keeps the peak at one buffer.
    if buffer.capacity() < len {
        *buffer = Vec::new();
        reserve(what, buffer, len)?;
    }
    // Gigabytes take seconds to touch.
    while buffer.len() < len {
        cancel.check()?;
        buffer.resize(len.min(buffer.len() + CELLS_PER_CHECK), value);
    }
    Ok(())
}

/// `1536` as `1.5 KiB`.
pub fn readable(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(readable(0), "0 B");
        assert_eq!(readable(1023), "1023 B");
        assert_eq!(readable(1536), "1.5 KiB");
        assert_eq!(readable(8_000_000_000_000), "7.3 TiB");
    }

    #[test]
    fn what_cannot_fit_is_refused_and_names_its_bytes() {
        if available() == u64::MAX {
            return; // this system does not report it
        }
        let error = check("the table", 1 << 60).unwrap_err();
        assert!(error.to_string().contains("the table needs 1152921504606846976 bytes"), "{error}");
    }

    #[test]
    fn figures_of_other_systems_decide() {
        // Total and free bytes as macOS or Windows report them, and what is asked for.
        let decide = |total, free, bytes| {
            fits("the table", bytes, desktop::reported(total, free).unwrap_or(u64::MAX))
        };
        assert_eq!(decide(16 << 30, 3 << 30, 3 << 30), Ok(()));
        let (what, bytes, available) = ("the table", (3 << 30) + 1, 3 << 30);
        let refused = Err(Error::Memory { what, bytes, available });
        assert_eq!(decide(16 << 30, 3 << 30, bytes), refused);
        // No free page; a system that does not answer refuses nothing.
        assert!(decide(16 << 30, 0, SMALL_REQUEST).is_err());
        assert_eq!(decide(0, 0, u64::MAX), Ok(()));
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        // No limit is known, but no machine has this.
        let len = isize::MAX as usize / 2;
        let mut buffer: Vec<u8> = Vec::new();
        for error in [
            reserve("the buffer", &mut buffer, len).unwrap_err(),
            filled("the buffer", len, 0u64).unwrap_err(),
            grow("the buffer", &mut buffer, len, 0, &Cancel::default()).unwrap_err(),
        ] {
            assert!(error.to_string().starts_with("the buffer needs"), "{error}");
        }
        assert_eq!(filled("the buffer", 3, 7), Ok(vec![7; 3]));
    }

    #[test]
    fn growing_keeps_what_is_long_enough() {
        let mut buffer = vec![7u8; 10];
        grow("scratch", &mut buffer, 5, 0, &Cancel::default()).unwrap();
        assert_eq!(buffer, vec![7u8; 10]);
        grow("scratch", &mut buffer, 100, 0, &Cancel::default()).unwrap();
        assert_eq!(buffer.len(), 100);
    }
}
