//! What the readers of tree files share: texts as codes, and the flat buffers they fill.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// Trees side by side in flat buffers over one alphabet of texts, in preorder.
///
/// Tree `t` owns the entries `offsets[t]..offsets[t + 1]` of `codes` and `parents`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The distinct labels, in order of first appearance.
    pub alphabet: Vec<String>,
    /// For each node the position of its label in the alphabet.
    pub codes: Vec<i32>,
    /// For each node the index of its parent within its own tree, -1 for a root.
    pub parents: Vec<i32>,
    /// Where each tree starts, and at last where the last one ends.
    pub offsets: Vec<i64>,
    /// One id per tree as JSON text (JSON Lines only).
    pub ids: Option<Vec<String>>,
    /// One class per tree as JSON text (JSON Lines only).
    pub classes: Option<Vec<String>>,
}

impl Parsed {
    /// No trees yet.
    pub(crate) fn new() -> Self {
        Self {
            alphabet: Vec::new(),
            codes: Vec::new(),
            parents: Vec::new(),
            offsets: vec![0],
            ids: None,
            classes: None,
        }
    }

    /// Ends the tree whose nodes were pushed last.
    pub(crate) fn end_tree(&mut self) {
        self.offsets.push(self.codes.len() as i64);
    }
}

/// Assigns each distinct text a code, counting from 0 in order of first appearance.
#[derive(Debug, Default)]
pub struct Interner {
    codes: HashMap<String, i32>,
}

impl Interner {
    /// An interner that knows no text.
    pub fn new() -> Self {
        Self::default()
    }

    /// The code of `text`; allocates only when the text is new.
    ///
    /// # Errors
    ///
    /// [`Error::Structure`] if there are 2³¹ texts already.
    pub fn code(&mut self, text: &str) -> Result<i32> {
        if let Some(&code) = self.codes.get(text) {
            return Ok(code);
        }
        let code = index(self.codes.len(), "distinct labels")?;
        self.codes.insert(text.to_owned(), code);
        Ok(code)
    }

    /// The texts, each at the position of its code.
    pub fn into_alphabet(self) -> Vec<String> {
        let mut alphabet = vec![String::new(); self.codes.len()];
        for (text, code) in self.codes {
            alphabet[code as usize] = text;
        }
        alphabet
    }
}

/// `count` as an index into 32-bit buffers, or an error that says which `things` are too many.
pub(crate) fn index(count: usize, things: &str) -> Result<i32> {
    i32::try_from(count).map_err(|_| Error::Structure {
        line: None,
        message: format!("there are more than {} {things}, the largest number possible", i32::MAX),
    })
}

/// How many characters precede byte `byte` of `text`: positions in messages are those of Python.
pub(crate) fn char_position(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().iter().take(byte);
    before.filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// What the tests of the readers share.
#[cfg(test)]
pub(crate) mod testing {
    use super::Parsed;
    use proptest::prelude::*;

    /// Labels in preorder with their parents.
    pub(crate) type Plain = Vec<(String, i32)>;

    pub(crate) fn nodes(pairs: &[(&str, i32)]) -> Plain {
        pairs.iter().map(|&(label, parent)| (label.to_owned(), parent)).collect()
    }

    pub(crate) fn plain(parsed: &Parsed, tree: usize) -> Plain {
        let nodes = parsed.offsets[tree] as usize..parsed.offsets[tree + 1] as usize;
        let label = |i: usize| parsed.alphabet[parsed.codes[i] as usize].clone();
        nodes.map(|i| (label(i), parsed.parents[i])).collect()
    }

    /// The arguments of the writers: an alphabet with repetitions, codes and parents.
    pub(crate) fn buffers(tree: &Plain) -> (Vec<&str>, Vec<i32>, Vec<i32>) {
        let labels = tree.iter().map(|(label, _)| label.as_str()).collect();
        (labels, (0..tree.len() as i32).collect(), tree.iter().map(|node| node.1).collect())
    }

    /// Labels with all that the formats escape.
    pub(crate) fn label() -> impl Strategy<Value = String> {
        prop_oneof![Just(String::new()), r#"[ab{}\\\n\r" ]{0,5}"#, any::<String>()]
    }

    /// Trees and forests, the empty one too, of fewer than 20 nodes.
    pub(crate) fn forest(label: impl Strategy<Value = String>) -> impl Strategy<Value = Plain> {
        prop::collection::vec((label, 0_usize..4), 0..20).prop_map(|choices| {
            let mut tree = Plain::new();
            for (label, up) in choices {
                // Any parent on the way up from the node before, or none, keeps it a preorder.
                let mut parent = tree.len() as i32 - 1;
                for _ in 0..up {
                    parent = tree.get(parent as usize).map_or(-1, |node| node.1);
                }
                tree.push((label, parent));
            }
            tree
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_count_up_in_order_of_first_appearance() {
        let mut labels = Interner::new();
        let texts = ["b", "a", "b", "", "ü", "", "a", "a long label of a node"];
        assert_eq!(texts.map(|text| labels.code(text).unwrap()), [0, 1, 0, 2, 3, 2, 1, 4]);
        assert_eq!(labels.into_alphabet(), ["b", "a", "", "ü", "a long label of a node"]);
        assert!(Interner::new().into_alphabet().is_empty());
    }

    #[test]
    fn many_texts_keep_their_codes() {
        let n = if cfg!(miri) { 1_000 } else { 100_000 };
        let mut labels = Interner::new();
        for _ in 0..2 {
            for i in 0..n {
                assert_eq!(labels.code(&i.to_string()), Ok(i));
            }
        }
        assert_eq!(labels.into_alphabet().last(), Some(&(n - 1).to_string()));
    }

    #[test]
    fn positions_count_characters() {
        let positions: Vec<usize> = (0..=8).map(|byte| char_position("aé日b", byte)).collect();
        assert_eq!(positions, [0, 1, 2, 2, 3, 3, 3, 4, 4]);
    }

    #[test]
    fn what_is_too_many_is_said() {
        assert_eq!(index(i32::MAX as usize, "things"), Ok(i32::MAX));
        assert_eq!(
            index(1 << 31, "things").unwrap_err().to_string(),
            "there are more than 2147483647 things, the largest number possible"
        );
    }

    proptest! {
        #[test]
        fn agrees_with_a_search_in_a_list(texts in prop::collection::vec("[ab\0é]{0,10}", 0..200)) {
            let mut labels = Interner::new();
            let mut known: Vec<String> = vec![];
            for text in texts {
                let expected = known.iter().position(|other| *other == text);
                prop_assert_eq!(labels.code(&text), Ok(expected.unwrap_or(known.len()) as i32));
                if expected.is_none() {
                    known.push(text);
                }
            }
            prop_assert_eq!(labels.into_alphabet(), known);
        }
    }
}
