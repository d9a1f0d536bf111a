//! What fuzzing checks: bytes become texts, lists or a pair of trees, and what the crate makes of
//! them must agree with a slow twin. Panics are findings. For tests and the targets in `fuzz/` only.

#![allow(missing_docs, clippy::missing_panics_doc, clippy::panic, clippy::unwrap_used)]

mod kernels;
mod readers;

pub use kernels::kernels;
pub use readers::{adjacency, bracket, json_lines};

/// Bytes one after the other, zeros when there are no more.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.next()))
    }
}

/// All small inputs that the repository keeps, most of them found by fuzzing.
#[cfg(test)]
mod tests {
    use std::path::Path;

    fn replay(name: &str, check: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(name);
        let mut files: Vec<_> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(files.len() > 5, "{} has {} inputs", folder.display(), files.len());
        for file in files {
            let data = std::fs::read(&file).unwrap();
            let checked = std::panic::catch_unwind(|| check(&data));
            assert!(checked.is_ok(), "{} fails", file.display());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn kept_brackets_pass() {
        replay("bracket", super::bracket);
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn kept_json_lines_pass() {
        replay("jsonl", super::json_lines);
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn kept_child_lists_pass() {
        replay("adjacency", super::adjacency);
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn kept_pairs_pass() {
        replay("kernels", super::kernels);
    }
}
