//! JSON Lines: one object per line, `{"id": 7, "label": "x", "nodes": ["a", "b"], "adj": [[1], []]}`.
//!
//! `nodes` holds a label per node in any order, `adj` a list of children per node, and `roots`, which
//! forests need, the roots in order. `{"bracket": "{a{b}}"}` says the same in bracket notation. `id`
//! and `label`, the class of the tree, are optional, other keys are ignored, `null` means absent.
//!
//! Labels, ids and classes stay JSON text: whoever wants values decodes each distinct label once.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::value::{RawValue, Value};

use crate::error::{Error, Result};
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::adjacency::to_preorder;
use crate::tree::bracket::read_tree;
use crate::tree::intern::{Interner, Parsed, char_position};

/// Reads a file of one tree per line; blank lines are skipped.
///
/// The alphabet holds JSON texts. A string is always there in one spelling, whatever escapes the
/// file uses and whichever of the two forms it comes from; numbers and arrays are as in the file, so
/// `1` and `1.0` are two labels here. `ids` and `classes` are given if any line has one, with `null`
/// for the lines that have none.
///
/// # Errors
///
/// [`Error::Syntax`] with the line (from 1) and the character (from 0) in it, or in the text of its
/// `bracket`, if a line is not such an object; [`Error::Structure`] with the line and the node if it
/// does not describe a tree; [`Error::Cancelled`] if asked to stop.
pub fn parse(text: &str, cancel: &Cancel) -> Result<Parsed> {
    memory::check_text(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parsed = Parsed::new();
    let mut labels = Interner::new();
    let mut ids = Column::default();
    let mut classes = Column::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        cancel.check()?;
        let record = Record::read(line).map_err(|error| error.at_line(number))?;
        ids.push(record.id);
        classes.push(record.label);
        record.read_tree(&mut parsed, &mut labels).map_err(|error| error.at_line(number))?;
    }
    parsed.alphabet = labels.into_alphabet();
    parsed.ids = ids.into_texts();
    parsed.classes = classes.into_texts();
    Ok(parsed)
}

/// Appends one tree, given in preorder by label codes and parents, as an object without a line end.
///
/// `labels_json`, `id` and `class` are JSON texts without line ends. `roots` is written only where
/// the tree cannot be read without: for forests.
///
/// # Panics
///
/// If a code is not a position in `labels_json`, or a parent neither -1 nor a node.
pub fn write_line(
    labels_json: &[impl AsRef<str>],
    codes: &[i32],
    parents: &[i32],
    id: Option<&str>,
    class: Option<&str>,
    out: &mut String,
) {
    out.push('{');
    for (key, value) in [("\"id\":", id), ("\"label\":", class)] {
        if let Some(value) = value {
            out.push_str(key);
            out.push_str(value);
            out.push(',');
        }
    }
    out.push_str("\"nodes\":");
    push_list(codes, out, |&code, out| out.push_str(labels_json[code as usize].as_ref()));

    // In preorder a node stands before its children and siblings stand in order, so the children
    // sorted by parent, stably, are the lists of `adj` in a row. List 0 holds the roots.
    let mut ends = vec![0; parents.len() + 2];
    for &parent in parents {
        ends[(parent + 2) as usize] += 1;
    }
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut sorted = vec![0; parents.len()];
    for (node, &parent) in (0..).zip(parents) {
        let end = &mut ends[(parent + 1) as usize];
        sorted[*end] = node;
        *end += 1;
    }
    // By now each entry has moved to the end of its list, which is the start of the next.
    let push_nodes = |list: &[i32], out: &mut String| {
        push_list(list, out, |node, out| {
            // Writing to a string cannot fail.
            let _ = write!(out, "{node}");
        });
    };
    out.push_str(",\"adj\":");
    let lists = ends[..=parents.len()].windows(2);
    push_list(lists, out, |list, out| push_nodes(&sorted[list[0]..list[1]], out));
    if ends[0] > 1 {
        out.push_str(",\"roots\":");
        push_nodes(&sorted[..ends[0]], out);
    }
    out.push('}');
}

fn push_list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut String,
    mut push: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        push(item, out);
    }
    out.push(']');
}

/// One line, borrowing from it.
#[derive(serde::Deserialize)]
#[serde(expecting = "a JSON object")]
struct Record<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    label: Option<&'t RawValue>,
    #[serde(borrow)]
    nodes: Option<Vec<&'t RawValue>>,
    adj: Option<Lists>,
    roots: Option<Vec<i64>>,
    bracket: Option<String>,
}

impl<'t> Record<'t> {
    fn read(line: &'t str) -> Result<Self> {
        let fault = |byte, message| {
            Err(Error::Syntax { line: None, position: char_position(line, byte), message })
        };
        // Where serde wants a structure it would take its fields as an array, too.
        let start = line.len() - line.trim_ascii_start().len();
        if line.as_bytes().get(start) != Some(&b'{') {
            return fault(start, "expected a JSON object".into());
        }
        serde_json::from_str(line).or_else(|error| {
            let mut message = error.to_string();
            if let Some(place) = message.rfind(" at line ") {
                message.truncate(place);
            }
            fault(error.column().saturating_sub(1), message)
        })
    }

    /// Appends the tree to `parsed`; labels get their codes in preorder.
    fn read_tree(&self, parsed: &mut Parsed, labels: &mut Interner) -> Result<()> {
        let fault = |message: &str| Err(Error::Structure { line: None, message: message.into() });
        match (&self.bracket, &self.nodes, &self.adj) {
            (Some(text), None, None) if self.roots.is_none() => {
                let mut json = String::new();
                let code_of = |label: &str| {
                    json.clear();
                    push_json(label, &mut json);
                    labels.code(&json)
                };
                read_tree(text, parsed, code_of).map_err(in_bracket)
            }
            (None, Some(nodes), Some(Lists { starts, children })) => {
                let (order, parents) =
                    to_preorder(nodes.len(), starts, children, self.roots.as_deref())?;
                parsed.codes.reserve(order.len());
                for node in order {
                    let label = nodes[node as usize].get();
                    if holds_object(label) {
                        return Err(Error::Structure {
                            line: None,
                            message: format!(
                                "the label of node {node} is or holds a JSON object; a label must \
                                 be a string, a number, true, false, null or an array of such"
                            ),
                        });
                    }
                    parsed.codes.push(labels.code(&one_spelling(label))?);
                }
                parsed.parents.extend(parents);
                parsed.end_tree();
                Ok(())
            }
            (Some(_), ..) => fault("\"bracket\" excludes \"nodes\", \"adj\" and \"roots\""),
            (None, None, None) => fault("expected \"nodes\" and \"adj\", or \"bracket\""),
            (None, Some(_), None) => fault("there is \"nodes\" but no \"adj\""),
            (None, None, Some(_)) => fault("there is \"adj\" but no \"nodes\""),
        }
    }
}

fn in_bracket(mut error: Error) -> Error {
    if let Error::Syntax { message, .. } = &mut error {
        message.insert_str(0, "in the text of \"bracket\", ");
    }
    error
}

/// Whether a JSON text has a brace outside of its strings.
fn holds_object(json: &str) -> bool {
    match json.as_bytes() {
        [b'{', ..] => true,
        [b'[', rest @ ..] => {
            let (mut in_string, mut escaped) = (false, false);
            rest.iter().any(|&byte| {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' => escaped = true,
                    b'"' => in_string = !in_string,
                    _ => return byte == b'{' && !in_string,
                }
                false
            })
        }
        _ => false,
    }
}

/// Strings without needless escapes; any other JSON text as it is.
fn one_spelling(json: &str) -> Cow<'_, str> {
    if json.starts_with('"') && json.contains('\\') {
        // Half a surrogate pair is no Rust string; it is JSON all the same and stays as it is.
        if let Ok(label) = serde_json::from_str::<String>(json) {
            let mut again = String::with_capacity(json.len());
            push_json(&label, &mut again);
            return again.into();
        }
    }
    json.into()
}

fn push_json(label: &str, out: &mut String) {
    if label.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        // Writing to a string cannot fail.
        let _ = write!(out, "{}", Value::from(label));
    } else {
        out.push('"');
        out.push_str(label);
        out.push('"');
    }
}

/// JSON texts per tree; there may be none at all.
#[derive(Default)]
struct Column {
    texts: Vec<String>,
    any: bool,
}

impl Column {
    fn push(&mut self, value: Option<&RawValue>) {
        self.any |= value.is_some();
        self.texts.push(value.map_or("null", RawValue::get).to_owned());
    }

    fn into_texts(self) -> Option<Vec<String>> {
        self.any.then_some(self.texts)
    }
}

/// Lists of numbers in flat form: list `i` is `children[starts[i]..starts[i + 1]]`.
struct Lists {
    starts: Vec<usize>,
    children: Vec<i64>,
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(ListsVisitor)
    }
}

struct ListsVisitor;

impl<'de> Visitor<'de> for ListsVisitor {
    type Value = Lists;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of arrays of node numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lists: A) -> std::result::Result<Lists, A::Error> {
        let (mut starts, mut children) = (vec![0], Vec::new());
        while lists.next_element_seed(ListSeed(&mut children))?.is_some() {
            starts.push(children.len());
        }
        Ok(Lists { starts, children })
    }
}

/// Appends one array of numbers to a vector.
struct ListSeed<'v>(&'v mut Vec<i64>);

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of node numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> std::result::Result<(), A::Error> {
        while let Some(number) = numbers.next_element()? {
            self.0.push(number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
