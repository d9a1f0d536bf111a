//! Markup as pieces: texts, tags, comments and processing instructions.

use crate::error::{Error, Result};
use std::borrow::Cow;

/// The tags of comments and of processing instructions.
const COMMENT: &str = "!--";
const INSTRUCTION: &str = "?";

/// What separates attributes. All other white space may be part of a name.
const BLANKS: [char; 3] = [' ', '\t', '\n'];

pub(super) fn malformed(what: &str) -> Error {
    Error::Invalid(format!("the markup of a table must be well-formed XML; {what}"))
}

/// A piece of markup.
pub(super) enum Piece<'m> {
    Text(Cow<'m, str>),
    Start {
        name: &'m str,
        attributes: &'m str,
        closed: bool,
    },
    End(&'m str),
    /// A comment or a processing instruction: its tag and its text.
    Other(&'static str, &'m str),
}

/// The pieces of a markup, one after the other.
#[derive(Debug)]
pub(super) struct Pieces<'m> {
    rest: &'m str,
}

impl<'m> Pieces<'m> {
    pub(super) fn new(markup: &'m str) -> Self {
        Self { rest: markup }
    }

    /// The next piece.
    pub(super) fn next(&mut self) -> Result<Option<Piece<'m>>> {
        let rest = self.rest;
        if rest.is_empty() {
            return Ok(None);
        }
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            self.rest = &rest[end..];
            return Ok(Some(Piece::Text(unescaped(&rest[..end])?)));
        };
        let until = |text: &'m str, mark: &str| {
            let end = text.find(mark).ok_or_else(|| malformed("a tag has no end"))?;
            Ok::<_, Error>((&text[..end], &text[end + mark.len()..]))
        };
        let (piece, rest) = if let Some(name) = tag.strip_prefix('/') {
            let (name, rest) = until(name, ">")?;
            (Piece::End(name.trim_end_matches(BLANKS)), rest)
        } else if let Some(text) = tag.strip_prefix("!--") {
            let (text, rest) = until(text, "-->")?;
            (Piece::Other(COMMENT, text), rest)
        } else if let Some(text) = tag.strip_prefix("![CDATA[") {
            let (text, rest) = until(text, "]]>")?;
            (Piece::Text(Cow::Borrowed(text)), rest)
        } else if let Some(text) = tag.strip_prefix('?') {
            let (text, rest) = until(text, "?>")?;
            let data = text.find(char::is_whitespace).map_or("", |end| text[end..].trim_start());
            (Piece::Other(INSTRUCTION, data), rest)
        } else {
            let end = tag.find([' ', '\t', '\n', '/', '>']);
            let (name, more) = tag.split_at(end.ok_or_else(|| malformed("a tag has no end"))?);
            let mut rest = more;
            while let Some((_, _, after)) = next_attribute(rest)? {
                rest = after;
            }
            let attributes = &more[..more.len() - rest.len()];
            let end = rest.trim_start_matches(BLANKS);
            let closed = end.starts_with('/');
            let rest = end.strip_prefix('/').unwrap_or(end).strip_prefix('>');
            let rest = rest.ok_or_else(|| malformed("a tag has no end"))?;
            (Piece::Start { name, attributes, closed }, rest)
        };
        self.rest = rest;
        Ok(Some(piece))
    }
}

/// The next attribute of a tag, and what follows: its name, its value, the rest.
///
/// Parsers of HTML keep every character in a name but white space, `/`, `>`, and `=` behind the
/// first character, and names are written as they are. So a quote opens a value only behind `=`.
fn next_attribute(text: &str) -> Result<Option<(&str, &str, &str)>> {
    let text = text.trim_start_matches(BLANKS);
    let Some(first) = text.chars().next().filter(|first| !['/', '>'].contains(first)) else {
        return Ok(None);
    };
    let start = first.len_utf8();
    let end =
        text[start..].find(['=', '>', '/', ' ', '\t', '\n']).map_or(text.len(), |end| start + end);
    let (name, after) = text.split_at(end);
    // A namespace whose address contains a double quote is written with single ones.
    let value = ['"', '\''].into_iter().find_map(|quote| {
        let value = after.strip_prefix('=')?.strip_prefix(quote)?;
        value.split_once(quote)
    });
    let (value, rest) = value.ok_or_else(|| malformed("an attribute has no value"))?;
    Ok(Some((name, value, rest)))
}

/// The value of an attribute.
pub(super) fn attribute<'m>(attributes: &'m str, wanted: &str) -> Result<Option<Cow<'m, str>>> {
    let mut rest = attributes;
    while let Some((name, value, after)) = next_attribute(rest)? {
        if name == wanted {
            return unescaped(value).map(Some);
        }
        rest = after;
    }
    Ok(None)
}

/// A text with its references replaced.
fn unescaped(text: &str) -> Result<Cow<'_, str>> {
    if !text.contains('&') {
        return Ok(Cow::Borrowed(text));
    }
    let mut found = String::with_capacity(text.len());
    let mut parts = text.split('&');
    found.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let unknown = || malformed("it holds a reference that XML does not define");
        let (name, after) = part.split_once(';').ok_or_else(unknown)?;
        found.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = name.strip_prefix('#').ok_or_else(unknown)?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                    None => number.parse(),
                };
                code.ok().and_then(char::from_u32).ok_or_else(unknown)?
            }
        });
        found.push_str(after);
    }
    Ok(Cow::Owned(found))
}
