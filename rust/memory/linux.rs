//! Free memory of Linux: what the system has, and what control groups and the process may use.

/// A file of the system as text, if there is one.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What is left of the memory, of the limits of all groups that the process is in, and of its own.
pub(super) fn left(read: Read<'_>) -> Option<u64> {
    let system = || bytes_in(&read("/proc/meminfo")?, "MemAvailable:");
    system().into_iter().chain(left_in_groups(read)).chain(left_of_own(read)).min()
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

#[cfg(test)]
mod tests {
    /// A system with these files.
    fn left(files: &[(&str, &str)]) -> Option<u64> {
        super::left(&|path| files.iter().find(|file| file.0 == path).map(|file| file.1.to_owned()))
    }

    #[test]
    fn free_memory_is_a_limit() {
        assert_eq!(left(&[]), None);
        let text = "MemTotal:       900 kB\nMemFree:  1 kB\nMemAvailable:      700 kB\n";
        assert_eq!(left(&[("/proc/meminfo", text)]), Some(700 << 10));
        assert_eq!(left(&[("/proc/meminfo", "MemTotal: 9 kB\n")]), None);
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
        assert_eq!(left(&groups), Some(900));
        assert_eq!(left(&groups[..6]), Some(1000));
        assert_eq!(left(&groups[..3]), None);
        // A container sees its own group as the root.
        let root = [groups[6], groups[7]];
        assert_eq!(left(&root), Some(900));
        for path in ["0::/../../other\n", "0::/somewhere/else\n", "damaged\n0::/\n"] {
            assert_eq!(left(&[root[0], root[1], ("/proc/self/cgroup", path)]), Some(900));
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
        assert_eq!(left(&groups), Some(500));
        assert_eq!(left(&[groups[0], groups[4], groups[5]]), Some(9_223_372_036_854_766_712));
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
            ("unlimited", "unlimited", None),
            ("unlimited", "1024000", Some(400 << 10)),
            ("204800", "1024000", Some(100 << 10)),
            ("unlimited", "1", Some(0)),
        ] {
            let limits = limits(data, space);
            assert_eq!(left(&[status, ("/proc/self/limits", &limits)]), expected);
        }
    }
}
