//! Trees of HTML tables, from the table serialised as XML.
//!
//! The HTML parser of the caller (libxml2) decides what the elements are and writes them out; this
//! reader turns that text into nodes and labels in one pass. The rules are those of TEDS (Zhong
//! et al. 2020): a cell is a leaf whose content is a list of tokens, where
//! each character and each tag inside the cell is one token; elements outside cells are nodes.

mod pieces;

use crate::error::{Error, Result};
use pieces::{Piece, Pieces, attribute, malformed};
use std::collections::HashMap;

/// Tokens from here on are tags; those below are characters.
pub const FIRST_TAG: u32 = 0x11_0000;
/// What becomes of the content of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing: cells have no content.
    Dropped,
    /// A list of tokens.
    Tokens,
    /// A list of characters: tags are written out.
    Characters,
    /// Only whether there is any.
    Emptiness,
}

/// What becomes of `th`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// A node like any other.
    Nodes,
    /// A cell without content.
    Cells,
    /// A cell, `td`.
    Renamed,
}

/// How elements become nodes.
#[derive(Debug, Clone, Copy)]
pub struct TableRules {
    /// What becomes of `th`.
    pub headers: Headers,
    /// Whether nodes are rows and cells only: parts of the table hand their children on, and all
    /// other elements are dropped.
    pub rows_only: bool,
    /// Whether white space in cells is collapsed and stripped.
    pub collapse: bool,
    /// What becomes of the content of cells.
    pub content: Content,
}

/// What the reader asks the caller for.
pub trait TableHooks {
    /// What goes wrong there, or in the markup.
    type Failure: From<Error>;
    /// The number in an attribute for a span.
    ///
    /// # Errors
    /// If the rules of the caller say so.
    fn span(&mut self, text: &str) -> std::result::Result<i64, Self::Failure>;
    /// The text that takes the place of a text of a cell; `None` if texts stay. Asked once for each
    /// distinct text.
    ///
    /// # Errors
    /// If the caller fails.
    fn normalize(&mut self, text: &str) -> std::result::Result<Option<String>, Self::Failure>;
}

/// The label of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableLabel {
    /// Index of the tag.
    pub tag: u32,
    /// Columns and rows that a cell spans; `None` for nodes that are no cells.
    pub spans: Option<(i64, i64)>,
    /// The tokens of a cell.
    pub content: Vec<u32>,
}

/// The distinct labels, tags and tokens of some tables.
#[derive(Debug, Default)]
pub struct TableLabels {
    /// The labels, by code.
    pub labels: Vec<TableLabel>,
    codes: HashMap<TableLabel, i32>,
    names: Names,
    normalized: HashMap<Vec<u32>, Vec<u32>>,
}

/// Tags, and tokens of tags, by number.
#[derive(Debug, Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

/// A table as a tree in preorder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ScannedTable {
    /// The code of the label of each node.
    pub codes: Vec<i32>,
    /// The parent of each node.
    pub parents: Vec<i32>,
    /// Elements below the root, also those inside cells.
    pub elements: usize,
}

impl TableLabels {
    /// The name of a tag, or the text of a token that is a tag.
    pub fn name(&self, number: u32) -> &str {
        self.names.names.get(number as usize).map_or("", String::as_str)
    }

    /// The text of a list of tokens.
    pub fn text(&self, tokens: &[u32]) -> String {
        let mut text = String::with_capacity(tokens.len());
        for &token in tokens {
            match char::from_u32(token) {
                Some(character) => text.push(character),
                None => text.push_str(self.name(token - FIRST_TAG)),
            }
        }
        text
    }

    fn code(&mut self, label: TableLabel) -> Result<i32> {
        if let Some(&code) = self.codes.get(&label) {
            return Ok(code);
        }
        let code = super::intern::index(self.labels.len(), "distinct labels")?;
        self.labels.push(label.clone());
        self.codes.insert(label, code);
        Ok(code)
    }

    /// Reads a table from its markup.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not well formed, and what the hooks return.
    pub fn scan<H: TableHooks>(
        &mut self,
        markup: &str,
        rules: TableRules,
        hooks: &mut H,
    ) -> std::result::Result<ScannedTable, H::Failure> {
        let mut scan = Scan {
            labels: self,
            rules,
            hooks,
            pieces: Pieces::new(markup),
            table: ScannedTable::default(),
            open: Vec::new(),
            dropped: 0,
        };
        scan.all()?;
        if scan.table.codes.is_empty() || !scan.open.is_empty() || scan.dropped > 0 {
            return Err(malformed("it ends inside an element").into());
        }
        Ok(scan.table)
    }

    /// The content of a cell by the rules.
    fn content<H: TableHooks>(
        &mut self,
        tokens: Vec<u32>,
        rules: TableRules,
        hooks: &mut H,
    ) -> std::result::Result<Vec<u32>, H::Failure> {
        if rules.content == Content::Dropped {
            return Ok(Vec::new());
        }
        let mut tokens = if rules.collapse { collapsed(&tokens) } else { tokens };
        let as_characters = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        if let Some(known) = self.normalized.get(&tokens) {
            tokens.clone_from(known);
        } else {
            let text = self.text(&tokens);
            if let Some(text) = hooks.normalize(&text)? {
                let normalized = as_characters(&text);
                self.normalized.insert(tokens, normalized.clone());
                tokens = normalized;
            } else if rules.content == Content::Characters {
                tokens = as_characters(&text);
            }
        }
        if rules.content == Content::Emptiness {
            tokens.truncate(1);
            tokens.fill(u32::from('x'));
        }
        Ok(tokens)
    }
}

/// Runs of white space as one blank, none at the ends.
fn collapsed(tokens: &[u32]) -> Vec<u32> {
    let is_space = |token: u32| char::from_u32(token).is_some_and(char::is_whitespace);
    let mut found = Vec::with_capacity(tokens.len());
    for &token in tokens {
        if !is_space(token) {
            found.push(token);
        } else if found.last().is_some_and(|&last| last != u32::from(' ')) {
            found.push(u32::from(' '));
        }
    }
    if found.last() == Some(&u32::from(' ')) {
        found.pop();
    }
    found
}

struct Scan<'a, 'm, H> {
    labels: &'a mut TableLabels,
    rules: TableRules,
    hooks: &'a mut H,
    pieces: Pieces<'m>,
    table: ScannedTable,
    /// The open elements that are nodes; none for those that hand their children on.
    open: Vec<Option<i32>>,
    /// Open elements that are dropped.
    dropped: usize,
}

impl<'m, H: TableHooks> Scan<'_, 'm, H> {
    fn all(&mut self) -> std::result::Result<(), H::Failure> {
        while let Some(piece) = self.pieces.next()? {
            match piece {
                Piece::Text(_) => {}
                Piece::Start { name, attributes, closed } => {
                    self.start(name, attributes, closed)?;
                }
                Piece::End(_) if self.dropped > 0 => self.dropped -= 1,
                Piece::End(_) => {
                    self.open.pop().ok_or_else(|| malformed("an element ends that is not open"))?;
                }
                Piece::Other(..) if self.rules.rows_only || self.open.is_empty() => {}
                Piece::Other(tag, _) => {
                    self.node(tag, None, Vec::new())?;
                }
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        name: &'m str,
        attributes: &str,
        closed: bool,
    ) -> std::result::Result<(), H::Failure> {
        let is_root = self.table.codes.is_empty();
        if is_root && !self.open.is_empty() || !is_root && self.open.is_empty() {
            return Err(malformed("there is more than one root").into());
        }
        self.table.elements += usize::from(!is_root);
        if self.dropped > 0 {
            self.dropped += usize::from(!closed);
            return Ok(());
        }
        if name == "td" || name == "th" && self.rules.headers != Headers::Nodes {
            return self.cell(name, attributes, closed);
        }
        if self.rules.rows_only && !is_root && name != "tr" {
            if matches!(name, "thead" | "tbody" | "tfoot") {
                if !closed {
                    self.open.push(None);
                }
            } else {
                self.dropped += usize::from(!closed);
            }
            return Ok(());
        }
        let node = self.node(name, None, Vec::new())?;
        if !closed {
            self.open.push(Some(node));
        }
        Ok(())
    }

    fn node(
        &mut self,
        name: &str,
        spans: Option<(i64, i64)>,
        content: Vec<u32>,
    ) -> std::result::Result<i32, H::Failure> {
        let node = super::intern::index(self.table.codes.len(), "nodes")?;
        let tag = self.labels.names.number(name);
        let code = self.labels.code(TableLabel { tag, spans, content })?;
        self.table.codes.push(code);
        self.table.parents.push(self.open.iter().rev().find_map(|&node| node).unwrap_or(-1));
        Ok(node)
    }

    fn cell(
        &mut self,
        name: &'m str,
        attributes: &str,
        closed: bool,
    ) -> std::result::Result<(), H::Failure> {
        let mut spans = [1, 1];
        for (span, wanted) in spans.iter_mut().zip(["colspan", "rowspan"]) {
            if let Some(value) = attribute(attributes, wanted)? {
                *span = self.hooks.span(&value)?;
            }
        }
        let tokens = if closed { Vec::new() } else { self.tokens()? };
        let renamed = if self.rules.headers == Headers::Renamed { "td" } else { name };
        let content = if renamed == "td" {
            self.labels.content(tokens, self.rules, self.hooks)?
        } else {
            Vec::new()
        };
        self.node(renamed, Some((spans[0], spans[1])), content)?;
        Ok(())
    }

    /// What is in a cell, up to its end.
    fn tokens(&mut self) -> std::result::Result<Vec<u32>, H::Failure> {
        let mut tokens = Vec::new();
        let mut open = 0;
        // The text behind a cell is not content, also if the cell is inside another.
        let mut behind_cell = false;
        let tag = |labels: &mut TableLabels, text: &str| FIRST_TAG + labels.names.number(text);
        while let Some(piece) = self.pieces.next()? {
            match piece {
                Piece::Text(_) if behind_cell => {}
                Piece::Text(text) => tokens.extend(text.chars().map(u32::from)),
                Piece::Start { name, closed, .. } => {
                    behind_cell = closed && name == "td";
                    self.table.elements += 1;
                    tokens.push(tag(self.labels, &format!("<{name}>")));
                    if !closed {
                        open += 1;
                    } else if name != "unk" {
                        tokens.push(tag(self.labels, &format!("</{name}>")));
                    }
                }
                Piece::End(_) if open == 0 => return Ok(tokens),
                Piece::End(name) => {
                    open -= 1;
                    behind_cell = name == "td";
                    if name != "unk" {
                        tokens.push(tag(self.labels, &format!("</{name}>")));
                    }
                }
                Piece::Other(name, text) => {
                    behind_cell = false;
                    tokens.push(tag(self.labels, &format!("<{name}>")));
                    tokens.extend(text.chars().map(u32::from));
                    tokens.push(tag(self.labels, &format!("</{name}>")));
                }
            }
        }
        Err(malformed("it ends inside a cell").into())
    }
}

#[cfg(test)]
mod tests;
