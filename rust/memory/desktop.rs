//! Free memory of macOS and Windows. Limits of one process are not known there: what fails in spite of
//! free memory raises when it is tried.

/// What the system can give without swapping; `None` if it reports nothing.
#[cfg(any(target_os = "macos", windows))]
pub(super) fn left() -> Option<u64> {
    use sysinfo::{MemoryRefreshKind, System};
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    reported(system.total_memory(), system.available_memory())
}

/// A system that does not answer has no memory at all.
pub(super) fn reported(total: u64, available: u64) -> Option<u64> {
    (total > 0).then(|| available.min(total))
}

#[cfg(test)]
mod tests {
    use super::reported;

    #[test]
    fn a_system_that_does_not_answer_reports_nothing() {
        assert_eq!(reported(0, 0), None);
        assert_eq!(reported(0, 7), None);
        assert_eq!(reported(16 << 30, 3 << 30), Some(3 << 30));
        assert_eq!(reported(16 << 30, 0), Some(0));
        assert_eq!(reported(1 << 30, 2 << 30), Some(1 << 30));
    }
}
