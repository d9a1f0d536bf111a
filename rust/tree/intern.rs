//! What the readers of tree files share: texts as codes, and the flat buffers they fill.

use std::hash::{BuildHasher, RandomState};

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

/// Gives each distinct text a code, counting from 0 in order of first appearance.
///
/// A table with open addressing whose slots hold codes: a known text is found without an allocation,
/// and the texts lie in the order of their codes, so that the alphabet needs no sorting at the end.
#[derive(Debug, Default)]
pub struct Interner {
    alphabet: Vec<String>,
    /// A power of two many, of which at least half stay free.
    slots: Vec<Slot>,
    seed: Seed,
}

/// A place in the table; free if `number`, the code plus one, is 0.
#[derive(Debug, Default, Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
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
        if self.alphabet.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = self.seed.hash(text.as_bytes());
        let alphabet = &self.alphabet;
        let place = find(&self.slots, hash, |number| alphabet[number as usize - 1] == text);
        let slot = &mut self.slots[place];
        if slot.number > 0 {
            return Ok(slot.number as i32 - 1);
        }
        let code = index(alphabet.len(), "distinct labels")?;
        *slot = Slot { hash, number: code as u32 + 1 };
        self.alphabet.push(text.to_owned());
        Ok(code)
    }

    /// The texts, each at the position of its code.
    pub fn into_alphabet(self) -> Vec<String> {
        self.alphabet
    }

    fn grow(&mut self) {
        let mut slots = vec![Slot::default(); (self.slots.len() * 2).max(64)];
        for &slot in self.slots.iter().filter(|slot| slot.number > 0) {
            let place = find(&slots, slot.hash, |_| false);
            slots[place] = slot;
        }
        self.slots = slots;
    }
}

/// The first place in the row of `hash` that is free or whose number `is_it`.
fn find(slots: &[Slot], hash: u32, is_it: impl Fn(u32) -> bool) -> usize {
    let mask = slots.len() - 1;
    let mut place = hash as usize & mask;
    loop {
        let slot = slots[place];
        if slot.number == 0 || (slot.hash == hash && is_it(slot.number)) {
            return place;
        }
        place = (place + 1) & mask;
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

/// A hash for short texts: eight bytes a step, each step a product of 128 bits folded to 64.
#[derive(Debug)]
struct Seed(u64);

impl Default for Seed {
    /// Drawn anew for each table, lest a file be prepared to make its labels collide.
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl Seed {
    fn hash(&self, text: &[u8]) -> u32 {
        let fold = |state: u64, word: [u8; 8]| {
            let product = u128::from(state ^ u64::from_le_bytes(word)) * u128::from(self.0 | 1);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let (words, rest) = text.as_chunks();
        let state = words.iter().fold(self.0, |state, &word| fold(state, word));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length keeps texts apart that differ in zero bytes at the end.
        last[7] = text.len() as u8;
        fold(state, last) as u32
    }
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
        let mut labels = Interner::new();
        for _ in 0..2 {
            for i in 0..100_000 {
                assert_eq!(labels.code(&i.to_string()), Ok(i));
            }
        }
        assert_eq!(labels.into_alphabet()[99_999], "99999");
    }

    #[test]
    fn colliding_texts_stay_apart() {
        // With this seed the hash is the exclusive or of the words, in whatever order they stand.
        let mut labels = Interner { seed: Seed(0), ..Interner::default() };
        let texts = ["aaaaaaaabbbbbbbb", "bbbbbbbbaaaaaaaa"];
        assert_eq!(labels.seed.hash(texts[0].as_bytes()), labels.seed.hash(texts[1].as_bytes()));
        for _ in 0..2 {
            assert_eq!(texts.map(|text| labels.code(text).unwrap()), [0, 1]);
        }
    }

    #[test]
    fn the_hash_spreads_similar_texts() {
        // 2¹⁶ texts in 2¹⁷ slots: a random function fills 51,571 of them, give or take 150.
        let seed = Seed::default();
        for suffix in ["", "\0", "_suffix_of_some_length"] {
            let hash = |i: u32| seed.hash(format!("{i:x}{suffix}").as_bytes()) & 0x1_FFFF;
            let taken: std::collections::HashSet<u32> = (0..1 << 16).map(hash).collect();
            assert!(taken.len() > 45_000, "{} with {suffix:?} and {seed:?}", taken.len());
        }
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
