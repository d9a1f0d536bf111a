//! Bracket notation: `{a{b}{c}}` is a node `a` with the children `b` and `c`.
//!
//! A label reaches from its opening brace to the next brace, spaces included; `\{`, `\}`, `\\`,
//! `\n` and `\r` stand for a brace, a backslash, a line feed and a carriage return in it. Between
//! subtrees only white space may stand. Trees in a row are a forest, no tree at all is the empty one.

use crate::error::{Error, Result};
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::intern::{Interner, Parsed, char_position, index};

/// Reads one tree or forest; white space, line ends too, may stand around every subtree.
///
/// # Errors
///
/// [`Error::Syntax`] with the character (from 0) at which the text leaves the notation.
pub fn parse(text: &str) -> Result<Parsed> {
    memory::check_text(text.len())?;
    let mut parsed = Parsed::new();
    let mut labels = Interner::new();
    read_tree(text, &mut parsed, |label| labels.code(label))?;
    parsed.alphabet = labels.into_alphabet();
    Ok(parsed)
}

/// Reads a file of one tree per line. An empty line is the empty tree; the line feed (or carriage
/// return and line feed) at the end of the file adds none.
///
/// # Errors
///
/// [`Error::Syntax`] with the line (from 1) and the character in it (from 0);
/// [`Error::Cancelled`] if asked to stop.
pub fn parse_lines(text: &str, cancel: &Cancel) -> Result<Parsed> {
    memory::check_text(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parsed = Parsed::new();
    let mut labels = Interner::new();
    for (number, line) in (1..).zip(text.lines()) {
        cancel.check()?;
        read_tree(line, &mut parsed, |label| labels.code(label))
            .map_err(|error| error.at_line(number))?;
    }
    parsed.alphabet = labels.into_alphabet();
    Ok(parsed)
}

/// Appends the tree in `text` to `parsed`, whose alphabet is the business of `code_of`.
pub(crate) fn read_tree(
    text: &str,
    parsed: &mut Parsed,
    mut code_of: impl FnMut(&str) -> Result<i32>,
) -> Result<()> {
    let bytes = text.as_bytes();
    let first = parsed.parents.len();
    let mut unescaped = String::new();
    // The innermost open node. Its parents are the other open ones, so no stack is needed.
    let mut current = -1;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => {
                let start = at + 1;
                at = end_of_plain(bytes, start);
                let label = if bytes.get(at) == Some(&b'\\') {
                    unescaped.clear();
                    at = unescape(text, start, &mut unescaped)?;
                    &unescaped
                } else {
                    &text[start..at]
                };
                let node = index(parsed.parents.len() - first, "nodes in a tree")?;
                parsed.codes.push(code_of(label)?);
                parsed.parents.push(current);
                current = node;
            }
            b'}' if current < 0 => {
                return Err(syntax(text, at, "this closing brace has no opening one".into()));
            }
            b'}' => {
                current = parsed.parents[first + current as usize];
                at += 1;
            }
            _ => at += white_space(text, at, current >= 0)?,
        }
    }
    if current >= 0 {
        let mut open = 0;
        while current >= 0 {
            current = parsed.parents[first + current as usize];
            open += 1;
        }
        let braces = if open == 1 { "brace is" } else { "braces are" };
        let message = format!("the text ends here, but {open} opening {braces} not closed");
        return Err(syntax(text, bytes.len(), message));
    }
    parsed.end_tree();
    Ok(())
}

/// Appends one tree or forest, given in preorder by label codes and parents, to `out`.
///
/// # Panics
///
/// If a code is not a position in `alphabet`. The parents must be those of a preorder.
pub fn write(alphabet: &[impl AsRef<str>], codes: &[i32], parents: &[i32], out: &mut String) {
    let close_up_to = |ancestor: i32, mut open: i32, out: &mut String| {
        while open > ancestor {
            out.push('}');
            open = parents[open as usize];
        }
    };
    let mut open = -1;
    for ((node, &code), &parent) in (0..).zip(codes).zip(parents) {
        close_up_to(parent, open, out);
        out.push('{');
        push_escaped(alphabet[code as usize].as_ref(), out);
        open = node;
    }
    close_up_to(-1, open, out);
}

fn syntax(text: &str, byte: usize, message: String) -> Error {
    Error::Syntax { line: None, position: char_position(text, byte), message }
}

/// The first byte from `start` on that is not plain label text.
fn end_of_plain(bytes: &[u8], start: usize) -> usize {
    let plain = bytes[start..].iter().take_while(|&&byte| !matches!(byte, b'{' | b'}' | b'\\'));
    start + plain.count()
}

/// Appends the label that starts at byte `at` without its escapes, and returns where it ends.
fn unescape(text: &str, mut at: usize, out: &mut String) -> Result<usize> {
    let bytes = text.as_bytes();
    loop {
        let end = end_of_plain(bytes, at);
        out.push_str(&text[at..end]);
        if bytes.get(end) != Some(&b'\\') {
            return Ok(end);
        }
        match text[end + 1..].chars().next() {
            Some(plain @ ('{' | '}' | '\\')) => out.push(plain),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some(other) => {
                let message = format!(
                    r"\{} is not an escape; the escapes are \{{ \}} \\ \n \r",
                    other.escape_debug()
                );
                return Err(syntax(text, end, message));
            }
            None => return Err(syntax(text, end, "the text ends after this backslash".into())),
        }
        at = end + 2;
    }
}

/// The length of the white space character at byte `at`; any other character is an error.
fn white_space(text: &str, at: usize, inside: bool) -> Result<usize> {
    match text[at..].chars().next() {
        Some(space) if space.is_whitespace() => Ok(space.len_utf8()),
        other => {
            let what = other.unwrap_or_default().escape_debug();
            let message = if inside {
                format!("found '{what}' after a child; a label stands before the children")
            } else {
                format!("found '{what}' outside of all braces")
            };
            Err(syntax(text, at, message))
        }
    }
}

fn push_escaped(label: &str, out: &mut String) {
    let special = |c: char| matches!(c, '{' | '}' | '\\' | '\n' | '\r');
    let mut rest = label;
    while let Some(at) = rest.find(special) {
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push(match rest.as_bytes()[at] {
            b'\n' => 'n',
            b'\r' => 'r',
            brace_or_backslash => brace_or_backslash as char,
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::tree::intern::testing::{Plain, buffers, forest, label, nodes, plain};
    use proptest::prelude::*;

    fn written(tree: &Plain) -> String {
        let (alphabet, codes, parents) = buffers(tree);
        let mut out = String::new();
        write(&alphabet, &codes, &parents, &mut out);
        out
    }

    #[test]
    fn reads_the_notation() {
        let table: &[(&str, &[(&str, i32)])] = &[
            ("", &[]),
            (" \t\n\u{2003}", &[]),
            ("{a}", &[("a", -1)]),
            ("{}", &[("", -1)]),
            ("{{}{}}", &[("", -1), ("", 0), ("", 0)]),
            ("{a{b}{c}}", &[("a", -1), ("b", 0), ("c", 0)]),
            ("{a{b{c}}{d}}", &[("a", -1), ("b", 0), ("c", 1), ("d", 0)]),
            ("{a}{b}", &[("a", -1), ("b", -1)]),
            (" {a} \n {b{c}} ", &[("a", -1), ("b", -1), ("c", 1)]),
            ("{a{b} {c}\n}", &[("a", -1), ("b", 0), ("c", 0)]),
            ("{ a b { c }}", &[(" a b ", -1), (" c ", 0)]),
            (r"{\{\}\\\n\r{x\\}}", &[("{}\\\n\r", -1), ("x\\", 0)]),
            ("{über{日本{😀}}}", &[("über", -1), ("日本", 0), ("😀", 1)]),
            ("{a\nb}", &[("a\nb", -1)]),
        ];
        for (text, expected) in table {
            let parsed = parse(text).unwrap();
            assert_eq!(plain(&parsed, 0), nodes(expected), "{text:?}");
            assert_eq!(parsed.offsets, [0, expected.len() as i64], "{text:?}");
        }
        let parsed = parse("{b{a}{b{c}{a}}}").unwrap();
        assert_eq!(parsed.alphabet, ["b", "a", "c"]);
        assert_eq!(parsed.codes, [0, 1, 0, 2, 1]);
        assert_eq!((parsed.ids, parsed.classes), (None, None));
    }

    #[test]
    fn faults_name_the_position() {
        let table = [
            ("a", "position 0: found 'a' outside of all braces"),
            ("{ä}x", "position 3: found 'x' outside of all braces"),
            ("{a}\\", "position 3: found '\\\\' outside of all braces"),
            ("{a{b}ü}", "position 5: found 'ü' after a child; a label stands before the children"),
            ("}", "position 0: this closing brace has no opening one"),
            ("{日}}", "position 3: this closing brace has no opening one"),
            ("{a", "position 2: the text ends here, but 1 opening brace is not closed"),
            ("{", "position 1: the text ends here, but 1 opening brace is not closed"),
            ("{é{b{c}", "position 7: the text ends here, but 2 opening braces are not closed"),
            (r"{ab\t}", r"position 3: \t is not an escape; the escapes are \{ \} \\ \n \r"),
            ("{\\\n}", r"position 1: \\n is not an escape; the escapes are \{ \} \\ \n \r"),
            (r"{\é}", r"position 1: \é is not an escape; the escapes are \{ \} \\ \n \r"),
            (r"{a\", "position 2: the text ends after this backslash"),
            (r"{a\}", "position 4: the text ends here, but 1 opening brace is not closed"),
        ];
        for (text, message) in table {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn reads_lines() {
        let sizes = |text: &str| -> Vec<i64> {
            parse_lines(text, &Cancel::default())
                .unwrap()
                .offsets
                .windows(2)
                .map(|ends| ends[1] - ends[0])
                .collect()
        };
        assert_eq!(sizes(""), [0; 0]);
        assert_eq!(sizes("\n"), [0]);
        assert_eq!(sizes("{a}"), [1]);
        assert_eq!(sizes("{a}\n"), [1]);
        assert_eq!(sizes("{a}\n\n"), [1, 0]);
        assert_eq!(sizes("{a}{b}\r\n\r\n {b{a}}\r\n"), [2, 0, 2]);
        assert_eq!(sizes("\u{feff}{a}\n"), [1]);
        let parsed = parse_lines("{a}\n{b{a}}\n", &Cancel::default()).unwrap();
        assert_eq!(parsed.alphabet, ["a", "b"]);
        assert_eq!(parsed.codes, [0, 1, 0]);
        assert_eq!(parsed.parents, [-1, -1, 0]);
        assert_eq!(
            parse_lines("{a}\n\n {b}}\n", &Cancel::default()).unwrap_err(),
            Error::Syntax {
                line: Some(3),
                position: 4,
                message: "this closing brace has no opening one".into()
            }
        );
        let message = parse_lines("{a}\r\n{a\r\n}", &Cancel::default()).unwrap_err().to_string();
        assert!(message.starts_with("line 2, position 2: the text ends here"), "{message}");
    }

    #[test]
    fn writes_the_notation() {
        assert_eq!(written(&nodes(&[])), "");
        assert_eq!(written(&nodes(&[("a", -1), ("b", 0), ("c", 0)])), "{a{b}{c}}");
        assert_eq!(written(&nodes(&[("a", -1), ("b", 0), ("", -1)])), "{a{b}}{}");
        assert_eq!(written(&nodes(&[("{x}\\ü\n\r", -1)])), r"{\{x\}\\ü\n\r}");
    }

    #[test]
    fn a_long_chain_needs_no_recursion() {
        let n = if cfg!(miri) { 1_000 } else { 1_000_000 };
        let text = "{a".repeat(n) + &"}".repeat(n);
        let parsed = parse(&text).unwrap();
        assert!(parsed.parents.iter().copied().eq(-1..n as i32 - 1));
        let mut out = String::new();
        write(&parsed.alphabet, &parsed.codes, &parsed.parents, &mut out);
        assert!(out == text);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(trees in prop::collection::vec(forest(label()), 0..4)) {
            let lines: String = trees.iter().map(|tree| written(tree) + "\n").collect();
            let parsed = parse_lines(&lines, &Cancel::default()).unwrap();
            prop_assert_eq!(parsed.offsets.len(), trees.len() + 1);
            for (i, tree) in trees.iter().enumerate() {
                prop_assert_eq!(&plain(&parsed, i), tree);
                prop_assert_eq!(&plain(&parse(&written(tree)).unwrap(), 0), tree);
            }
        }

        #[test]
        fn agrees_with_recursion(text in r"([{}]|\\[{}\\nr]|[ab\\é \n]){0,12}") {
            prop_assert_eq!(
                parse(&text).ok().map(|parsed| plain(&parsed, 0)),
                naive::read_bracket(&text)
            );
        }

        #[test]
        fn agrees_with_recursion_on_forests(tree in forest(label())) {
            prop_assert_eq!(naive::read_bracket(&written(&tree)), Some(tree));
        }
    }
}
