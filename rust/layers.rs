//! A test that reads all sources: every room imports only from rooms to its left.

use std::path::{Path, PathBuf};

/// The rooms, from the lowest to the highest; those of one list may import each other.
const LAYERS: [&[&str]; 14] = [
    &["error", "memory", "parallel"],
    &["text"],
    &["tree"],
    &["features"],
    &["gram"],
    &["cost"],
    &["pair"],
    &["simd"],
    &["distance"],
    &["align"],
    &["pairwise"],
    &["join"],
    &["unordered"],
    &["python"],
];

/// Words that only these files or folders may use.
const HOMES: [(&str, &[&str]); 4] = [
    ("rayon", &["parallel.rs"]),
    ("pyo3", &["python/"]),
    ("numpy", &["python/"]),
    ("unsafe", &["simd/", "python/allocator.rs"]),
];

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|rooms| rooms.contains(&room))
}

/// The room of a file, given its path below `rust/`.
fn room_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// The source without comments, literals and inline tests, each replaced by a blank.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or(source);
    let mut code = String::new();
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if next == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") {
            3
        } else if rest.starts_with("'\\\"'") {
            4
        } else {
            code.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

/// All rooms that `crate::room` or `crate::{room, ...}` name in the code, each once per place.
fn imports(code: &str) -> Vec<String> {
    let first_name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        let after = &code[start + "crate::".len()..];
        let Some(group) = after.strip_prefix('{') else {
            found.push(first_name(after));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                _ if begins && !c.is_whitespace() => {
                    found.push(first_name(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// What a file does that it may not do, one sentence each.
fn violations(file: &str, source: &str) -> Vec<String> {
    let code = code(source);
    let mut found = Vec::new();
    if let Some(own) = layer(room_of(file)) {
        for room in imports(&code) {
            if layer(&room).is_some_and(|other| other > own) {
                found.push(format!("rust/{file} imports crate::{room}, which is to its right"));
            }
        }
    }
    for (word, homes) in HOMES {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let named = code.match_indices(word).any(|(at, _)| {
            !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part)
        });
        if named && !homes.iter().any(|home| file.starts_with(home)) {
            found.push(format!("rust/{file} names {word}, which belongs to {}", homes.join(", ")));
        }
    }
    found
}

/// All sources but those of tests, as paths below `rust/` and their texts.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("rust");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    let name = |path: &PathBuf| {
        let parts = path.strip_prefix(&root).unwrap().components();
        parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    let is_test = |file: &str| {
        file.ends_with("tests.rs") || ["naive", "layers", "fuzzing"].contains(&room_of(file))
    };
    let named = paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap()));
    named.filter(|(file, _)| !is_test(file)).collect()
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn every_room_imports_only_from_its_left() {
    let sources = sources();
    for rooms in LAYERS {
        for &room in rooms {
            assert!(sources.iter().any(|(file, _)| room_of(file) == room), "no file of {room}");
        }
    }
    for (file, _) in &sources {
        let room = room_of(file);
        assert!(layer(room).is_some() || room == "lib", "rust/{file} is in no room");
    }
    let found: Vec<_> = sources.iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn steps_to_the_right_are_found_however_they_are_written() {
    for bad in [
        "use crate::pairwise::Batch;",
        "use crate::{error::Result, pairwise::{Batch, Way}};",
        "use crate::{\n    error::Result,\n    pairwise,\n};",
        "let x = crate::pairwise::compute(1);",
        "let s = \"\\\"\"; use crate::pairwise::Batch;",
        "fn f() {} #[cfg(test)]\nmod tests;\nuse crate::pairwise::Batch;",
    ] {
        let found = violations("distance/made_up.rs", bad);
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
        assert!(found[0].contains("rust/distance/made_up.rs imports crate::pairwise"), "{found:?}");
    }
    for good in [
        "use crate::tree::Prepared;",
        "use crate::distance::Workspace;",
        "use crate::{error::Result, tree::{Oriented, Prepared}};",
        "/// As [`crate::pairwise::compute`].",
        "let text = \"crate::pairwise\";",
        "#[cfg(test)]\nmod tests {\n    use crate::pairwise::Batch;\n}",
    ] {
        assert_eq!(violations("distance/made_up.rs", good), Vec::<String>::new(), "{good}");
    }
    assert_eq!(violations("memory.rs", "use crate::parallel::Cancel;"), Vec::<String>::new());
    assert_eq!(violations("tree/made_up.rs", "use crate::cost::Scale;").len(), 1);
}

#[test]
fn words_away_from_home_are_found() {
    for (file, bad) in [
        ("pairwise/made_up.rs", "let pool = rayon::ThreadPoolBuilder::new();"),
        ("tree/made_up.rs", "use pyo3::prelude::*;"),
        ("cost/made_up.rs", "use numpy::PyArray1;"),
        ("distance/made_up.rs", "let x = unsafe { *pointer };"),
        ("python/made_up.rs", "let x = unsafe { *pointer };"),
    ] {
        assert_eq!(violations(file, bad).len(), 1, "{file} {bad}");
    }
    for (file, good) in [
        ("parallel.rs", "let pool = rayon::ThreadPoolBuilder::new();"),
        ("python/made_up.rs", "use pyo3::prelude::*; use numpy::PyArray1;"),
        ("simd/made_up.rs", "let x = unsafe { *pointer };"),
        ("tree/made_up.rs", "// rayon, pyo3, unsafe"),
        ("simd/made_up.rs", "#![allow(unsafe_code)]"),
    ] {
        assert_eq!(violations(file, good), Vec::<String>::new(), "{file} {good}");
    }
}
