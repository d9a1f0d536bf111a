//! Markup as pieces: texts, tags, comments and processing instructions.

use crate::error::{Error, Result};
use std::borrow::Cow;

/// The tags of comments and of processing instructions.
const COMMENT: &str = "!--";
const INSTRUCTION: &str = "?";

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
            (Piece::End(name.trim_end()), rest)
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
            let length = attributes_length(more).ok_or_else(|| malformed("a tag has no end"))?;
            let (attributes, rest) = (&more[..length], &more[length + 1..]);
            let open = attributes.strip_suffix('/');
            let (attributes, closed) = (open.unwrap_or(attributes), open.is_some());
            (Piece::Start { name, attributes, closed }, rest)
        };
        self.rest = rest;
        Ok(Some(piece))
    }
}

/// Bytes up to the end of a tag, which is outside quotes.
fn attributes_length(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    })
}

/// The value of an attribute.
pub(super) fn attribute<'m>(attributes: &'m str, wanted: &str) -> Result<Option<Cow<'m, str>>> {
    let mut rest = attributes;
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else {
            return Err(malformed("an attribute has no end"));
        };
        if name.trim_start() == wanted {
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
