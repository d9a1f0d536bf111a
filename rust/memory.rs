//! Memory is counted before it is taken.
//!
//! Linux hands out more memory than it has and kills the process later, so a failed allocation
//! is not a check. Large requests are therefore compared with what the system reports as free.

use crate::error::{Error, Result};
use crate::parallel::Cancel;

/// Requests below this size are never refused: asking the system costs more than they do.
pub(crate) const SMALL_REQUEST: u64 = 64 << 20;

/// Entries to fill between two looks at the cancel flag.
const CELLS_PER_CHECK: usize = 1 << 20;

/// Bytes that this process can still take, as far as the system reports it; `u64::MAX` if it does not.
pub fn available() -> u64 {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
    });
    let group = || {
        let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
        let limit: u64 = read("memory.max")?.trim().parse().ok()?;
        let used: u64 = read("memory.current")?.trim().parse().ok()?;
        Some(limit.saturating_sub(used))
    };
    system.unwrap_or(u64::MAX).min(group().unwrap_or(u64::MAX))
}

/// Checks that `bytes` more can be taken for `what`.
///
/// # Errors
/// [`Error::Memory`] if they cannot.
pub fn check(what: &'static str, bytes: u64) -> Result<()> {
    if bytes < SMALL_REQUEST {
        return Ok(());
    }
    let available = available();
    if bytes > available { Err(Error::Memory { what, bytes, available }) } else { Ok(()) }
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
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    check(what, bytes)?;
    // The old contents are scratch: freeing them first keeps the peak at one buffer.
    if buffer.capacity() < len {
        *buffer = Vec::new();
        buffer.try_reserve_exact(len).map_err(|_| Error::Memory {
            what,
            bytes,
            available: available(),
        })?;
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
    fn growing_keeps_what_is_long_enough() {
        let mut buffer = vec![7u8; 10];
        grow("scratch", &mut buffer, 5, 0, &Cancel::default()).unwrap();
        assert_eq!(buffer, vec![7u8; 10]);
        grow("scratch", &mut buffer, 100, 0, &Cancel::default()).unwrap();
        assert_eq!(buffer.len(), 100);
    }
}
