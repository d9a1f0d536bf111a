//! Readers of texts and of child lists: they refuse, or they return a tree.

use super::Bytes;
use crate::naive;
use crate::parallel::Cancel;
use crate::tree::intern::Parsed;
use crate::tree::{adjacency as lists, bracket as brackets, check_preorder, jsonl};
use std::collections::HashSet;
use std::iter;

/// What every reader promises: trees in preorder over an alphabet of distinct labels.
fn check_trees(parsed: &Parsed) {
    let labels: HashSet<_> = parsed.alphabet.iter().collect();
    assert_eq!(labels.len(), parsed.alphabet.len(), "a label occurs twice");
    assert!(parsed.codes.iter().all(|&code| (code as usize) < labels.len()), "a code is no label");
    assert_eq!(parsed.offsets.last(), Some(&(parsed.codes.len() as i64)));
    assert_eq!(parsed.codes.len(), parsed.parents.len());
    for tree in 0..trees(parsed) {
        check_preorder(nodes(parsed, tree).1).unwrap();
    }
    for column in [&parsed.ids, &parsed.classes].into_iter().flatten() {
        assert_eq!(column.len(), trees(parsed));
    }
}

fn trees(parsed: &Parsed) -> usize {
    parsed.offsets.len() - 1
}

/// Label codes and parents of a tree.
fn nodes(parsed: &Parsed, tree: usize) -> (&[i32], &[i32]) {
    let range = parsed.offsets[tree] as usize..parsed.offsets[tree + 1] as usize;
    (&parsed.codes[range.clone()], &parsed.parents[range])
}

/// Bracket notation, as one tree and as a file of lines: read as by recursion, and written so that
/// it is read back.
pub fn bracket(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let found = brackets::parse(text);
    let expected = naive::read_bracket(text);
    match &found {
        Err(_) => assert!(expected.is_none(), "a tree is refused"),
        Ok(parsed) => {
            check_trees(parsed);
            let labels = parsed.codes.iter().map(|&code| parsed.alphabet[code as usize].clone());
            let pairs: Vec<_> = labels.zip(parsed.parents.iter().copied()).collect();
            assert_eq!(Some(pairs), expected);
            let mut out = String::new();
            brackets::write(&parsed.alphabet, &parsed.codes, &parsed.parents, &mut out);
            assert_eq!(found, brackets::parse(&out));
        }
    }
    if let Ok(parsed) = brackets::parse_lines(text, &Cancel::default()) {
        check_trees(&parsed);
        let mut out = String::new();
        for tree in 0..trees(&parsed) {
            let (codes, parents) = nodes(&parsed, tree);
            brackets::write(&parsed.alphabet, codes, parents, &mut out);
            out.push('\n');
        }
        assert_eq!(Ok(parsed), brackets::parse_lines(&out, &Cancel::default()));
    }
}

/// JSON Lines: what is read is written so that it is read back.
pub fn json_lines(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(parsed) = jsonl::parse(text, &Cancel::default()) else { return };
    check_trees(&parsed);
    let mut out = String::new();
    for tree in 0..trees(&parsed) {
        let (codes, parents) = nodes(&parsed, tree);
        let of = |column: &Option<Vec<String>>| column.as_ref().map(|texts| texts[tree].clone());
        let (id, class) = (of(&parsed.ids), of(&parsed.classes));
        let labels = &parsed.alphabet;
        jsonl::write_line(labels, codes, parents, id.as_deref(), class.as_deref(), &mut out);
        out.push('\n');
    }
    assert_eq!(Ok(parsed), jsonl::parse(&out, &Cancel::default()), "{out}");
}

/// Child lists: accepted if they are a forest, in the order of a walk.
///
/// The first byte has the number of nodes and whether roots are listed; then one byte per child,
/// and a zero after each list.
pub fn adjacency(data: &[u8]) {
    let mut bytes = Bytes(data);
    let first = bytes.next();
    let n = usize::from(first & 31);
    let mut list = || {
        let entry = |byte: u8| match byte {
            253 => -1,
            254 => i64::MIN,
            255 => i64::MAX,
            small => i64::from(small) - 1,
        };
        let list = iter::repeat_with(|| bytes.next()).take_while(|&byte| byte != 0);
        list.map(entry).collect::<Vec<_>>()
    };
    let lists: Vec<Vec<i64>> = (0..n).map(|_| list()).collect();
    let roots = (first & 32 != 0).then(&mut list);
    let mut starts = vec![0];
    for list in &lists {
        starts.push(starts[starts.len() - 1] + list.len());
    }
    let found = lists::to_preorder(n, &starts, &lists.concat(), roots.as_deref());
    assert_eq!(found.ok(), naive::preorder(&lists, roots.as_deref()));
    // Offsets that do not fit.
    let at = usize::from(first) % starts.len();
    starts[at] = usize::from(first >> 2);
    let _ = lists::to_preorder(n, &starts, &lists.concat(), roots.as_deref());
}
