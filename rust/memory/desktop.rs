//! Free memory of macOS and Windows. Limits of one process are not known there.

use sysinfo::{MemoryRefreshKind, System};

/// What the system can give without swapping; `None` if it reports nothing.
pub(super) fn left() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    // A system that does not answer has no memory at all.
    (system.total_memory() > 0).then(|| system.available_memory())
}
