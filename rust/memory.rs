//! Memory is counted before it is taken.
//!
//! Linux hands out more memory than it has and kills the process later, so a failed allocation
//! is not a check. Large requests are therefore compared with what the system reports as free, and
//! with the limits of control groups and of the process. They are known on Linux only.

use crate::error::{Error, Result};
use crate::parallel::Cancel;

/// Requests below this size are never refused: asking the system costs more than they do.
pub(crate) const SMALL_REQUEST: u64 = 64 << 20;

/// Entries to fill between two looks at the cancel flag.
const CELLS_PER_CHECK: usize = 1 << 20;

/// Bytes that this process can still take, as far as the system reports it; `u64::MAX` if it does not.
pub fn available() -> u64 {
    available_in(&|path| std::fs::read_to_string(path).ok())
}

/// A file of the system as text, if there is one.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What is left of the memory, of the limits of all groups that the process is in, and of its own.
fn available_in(read: Read<'_>) -> u64 {
    let system = || bytes_in(&read("/proc/meminfo")?, "MemAvailable:");
    system()
        .into_iter()
        .chain(left_in_groups(read))
        .chain(left_of_own(read))
        .min()
        .unwrap_or(u64::MAX)
}

/// The number of a line `name number kB`, in bytes.
fn bytes_in(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib.saturating_mul(1024))
}

/// What is left of the limits of this process: address space (`ulimit -v`) and data (`ulimit -d`).
fn left_of_own(read: Read<'_>) -> Vec<u64> {
    let (Some(limits), Some(status)) = (read("/proc/self/limits"), read("/proc/self/status"))
    else {
        return Vec::new();
    };
    let left = |(limit, used): (&str, &str)| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let most: u64 = line.split_whitespace().next()?.parse().ok()?; // or "unlimited"
        Some(most.saturating_sub(bytes_in(&status, used)?))
    };
    [("Max address space", "VmSize:"), ("Max data size", "VmData:")]
        .into_iter()
        .filter_map(left)
        .collect()
}

/// Names of files of a control group: its limit, what it uses, and the line of its statistics that
/// counts files in memory that were not used lately, which the system drops first.
struct GroupFiles {
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    dropped: &'static str,
}

const VERSION_2: GroupFiles = GroupFiles {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    used: "memory.current",
    dropped: "inactive_file ",
};
const VERSION_1: GroupFiles = GroupFiles {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    dropped: "total_inactive_file ",
};

/// What is left in each control group that the process is in, up to the root: all limits hold.
/// Containers see their own group as the root, whatever its name is outside.
fn left_in_groups(read: Read<'_>) -> Vec<u64> {
    let groups = read("/proc/self/cgroup").unwrap_or_else(|| "0::/".to_owned());
    let mut all = Vec::new();
    for line in groups.lines() {
        // "0::/path" in version 2, "4:cpu,memory:/path" in version 1.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let files = match controllers {
            "" => VERSION_2,
            _ if controllers.split(',').any(|one| one == "memory") => VERSION_1,
            _ => continue,
        };
        // A group outside of what is mounted here has a path with "..".
        let mut path = if path.contains("/..") { "" } else { path.trim_end_matches('/') };
        loop {
            all.extend(left_in_group(read, &format!("{}{path}", files.root), &files));
            match path.rfind('/') {
                Some(end) => path = &path[..end],
                None => break,
            }
        }
    }
    all
}

fn left_in_group(read: Read<'_>, folder: &str, files: &GroupFiles) -> Option<u64> {
    let number = |name: &str| read(&format!("{folder}/{name}"))?.trim().parse::<u64>().ok();
    let (limit, used) = (number(files.limit)?, number(files.used)?); // or "max"
    let statistics = read(&format!("{folder}/memory.stat")).unwrap_or_default();
    let dropped =
        statistics.lines().find_map(|line| line.strip_prefix(files.dropped)?.parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(dropped.unwrap_or(0))))
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
    if len < SMALL_TEXT {
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

    /// A system with these files.
    fn left(files: &[(&str, &str)]) -> u64 {
        available_in(&|path| files.iter().find(|file| file.0 == path).map(|file| file.1.to_owned()))
    }

    #[test]
    fn free_memory_is_a_limit() {
        assert_eq!(left(&[]), u64::MAX);
        let text = "MemTotal:       900 kB\nMemFree:  1 kB\nMemAvailable:      700 kB\n";
        assert_eq!(left(&[("/proc/meminfo", text)]), 700 << 10);
        assert_eq!(left(&[("/proc/meminfo", "MemTotal: 9 kB\n")]), u64::MAX);
    }

    #[test]
    fn all_groups_up_to_the_root_are_limits() {
        let groups = [
            ("/proc/self/cgroup", "0::/jobs/one/\n"),
            ("/sys/fs/cgroup/jobs/one/memory.max", "max\n"),
            ("/sys/fs/cgroup/jobs/one/memory.current", "10\n"),
            ("/sys/fs/cgroup/jobs/memory.max", "5000\n"),
            ("/sys/fs/cgroup/jobs/memory.current", "4600\n"),
            ("/sys/fs/cgroup/jobs/memory.stat", "anon 4000\ninactive_file 600\n"),
            ("/sys/fs/cgroup/memory.max", "2000\n"),
            ("/sys/fs/cgroup/memory.current", "1100\n"),
        ];
        assert_eq!(left(&groups), 900);
        assert_eq!(left(&groups[..6]), 1000);
        assert_eq!(left(&groups[..3]), u64::MAX);
        // A container sees its own group as the root.
        let root = [groups[6], groups[7]];
        assert_eq!(left(&root), 900);
        for path in ["0::/../../other\n", "0::/somewhere/else\n", "damaged\n0::/\n"] {
            assert_eq!(left(&[root[0], root[1], ("/proc/self/cgroup", path)]), 900);
        }
    }

    #[test]
    fn groups_of_version_1_are_limits() {
        let groups = [
            ("/proc/self/cgroup", "9:cpu:/x\n4:hugetlb,memory:/jobs/one\n0::/\n"),
            ("/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "3000\n"),
            ("/sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "2900\n"),
            (
                "/sys/fs/cgroup/memory/jobs/one/memory.stat",
                "inactive_file 9\ntotal_inactive_file 400\n",
            ),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"),
        ];
        assert_eq!(left(&groups), 500);
        assert_eq!(left(&[groups[0], groups[4], groups[5]]), 9_223_372_036_854_766_712);
    }

    #[test]
    fn limits_of_the_process_are_limits() {
        let status = ("/proc/self/status", "VmPeak:  900 kB\nVmSize:\t  600 kB\nVmData: 100 kB\n");
        let limits = |data: &str, space: &str| {
            format!(
                "Limit   Soft Limit  Hard Limit  Units\nMax data size    {data}  unlimited  bytes\n\
                     Max address space    {space}    unlimited     bytes\n"
            )
        };
        for (data, space, expected) in [
            ("unlimited", "unlimited", u64::MAX),
            ("unlimited", "1024000", 400 << 10),
            ("204800", "1024000", 100 << 10),
            ("unlimited", "1", 0),
        ] {
            let limits = limits(data, space);
            assert_eq!(left(&[status, ("/proc/self/limits", &limits)]), expected);
        }
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
