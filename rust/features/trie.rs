//! Exact names of features: a trie of strings.

use crate::error::{Error, Result};
use crate::features::book::Book;
use crate::tree::mix;

const NONE: u32 = u32::MAX;
/// The symbol in place of a node that does not exist, in pq-grams.
const STAR: u32 = u32::MAX - 1;
/// Entries beyond this number have no name.
const MOST: usize = STAR as usize;

/// What a string begins with; the entries of these numbers are the beginnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Family {
    /// One label.
    Label,
    /// Labels from an ancestor down to a node.
    Path,
    /// The label of a root.
    Root,
    /// The label of a leaf.
    Leaf,
    /// The labels of two adjacent siblings.
    Siblings,
    /// A pq-gram: labels of ancestors and of the node, then those of children.
    PqGram,
    /// A label, then the subtrees of all children as features.
    Subtree,
    /// A label of a node whose children are not part of the feature.
    Cut,
    /// A label, then the labels of all children.
    Production,
}

impl Family {
    /// Number of families.
    pub const COUNT: usize = 9;
}

/// Strings of symbols under consecutive numbers: each is a shorter one and a last symbol.
#[derive(Debug, Clone)]
pub struct Trie {
    prefix: Vec<u32>,
    symbol: Vec<u32>,
    family: Vec<u8>,
    /// Open addressing; a power of two, at most half full.
    table: Vec<u32>,
    /// Whether there were more strings than numbers.
    overflowed: bool,
}

impl Default for Trie {
    fn default() -> Self {
        let families = 0..Family::COUNT as u32;
        Self {
            prefix: families.clone().map(|_| NONE).collect(),
            symbol: families.clone().collect(),
            family: families.map(|family| family as u8).collect(),
            table: vec![NONE; 64],
            overflowed: false,
        }
    }
}

impl Trie {
    /// The trie of entries that [`Trie::entries`] gave before; `None` if they are not those of a
    /// trie.
    pub fn from_entries(prefix: &[u32], symbol: &[u32]) -> Option<Self> {
        let mut trie = Self::default();
        for (&prefix, &symbol) in prefix.iter().zip(symbol) {
            let known = trie.len();
            if prefix as usize >= known || trie.intern(prefix, symbol)? as usize != known {
                return None;
            }
        }
        (prefix.len() == symbol.len()).then_some(trie)
    }

    /// Prefixes, symbols and families of all entries but the families themselves.
    pub fn entries(&self) -> (&[u32], &[u32], &[u8]) {
        let own = Family::COUNT..;
        (&self.prefix[own.clone()], &self.symbol[own.clone()], &self.family[own])
    }

    /// Number of strings, the families included.
    pub fn len(&self) -> usize {
        self.prefix.len()
    }

    /// Never: the families are entries.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Checks that every string got a number.
    pub(crate) fn check_complete(&self) -> Result<()> {
        if self.overflowed {
            return Err(Error::Invalid(format!(
                "there are more than {MOST} features, the largest number possible"
            )));
        }
        Ok(())
    }

    fn slot(&self, prefix: u32, symbol: u32) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = mix(u64::from(prefix), u64::from(symbol)) as usize & mask;
        loop {
            let entry = self.table[slot];
            let found = entry == NONE
                || (self.prefix[entry as usize] == prefix && self.symbol[entry as usize] == symbol);
            if found {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The number of a string; `None` if it is not there.
    pub(crate) fn find(&self, prefix: u32, symbol: u32) -> Option<u32> {
        Some(self.table[self.slot(prefix, symbol)]).filter(|&entry| entry != NONE)
    }

    /// The number of a string, which is added if it is new; `None` if there are too many.
    pub(crate) fn intern(&mut self, prefix: u32, symbol: u32) -> Option<u32> {
        let slot = self.slot(prefix, symbol);
        if self.table[slot] != NONE {
            return Some(self.table[slot]);
        }
        if self.len() >= MOST {
            self.overflowed = true;
            return None;
        }
        let entry = self.len() as u32;
        self.table[slot] = entry;
        self.prefix.push(prefix);
        self.symbol.push(symbol);
        self.family.push(self.family[prefix as usize]);
        if 2 * self.len() > self.table.len() {
            self.table = vec![NONE; 2 * self.table.len()];
            for entry in Family::COUNT..self.len() {
                let slot = self.slot(self.prefix[entry], self.symbol[entry]);
                self.table[slot] = entry as u32;
            }
        }
        Some(entry)
    }

    /// Adds the strings of another trie in their order; returns their numbers here.
    ///
    /// New strings are numbered as they appear, so the numbers are those of one trie that saw the
    /// trees of both, one after the other.
    pub(crate) fn absorb(&mut self, other: &Self) -> Vec<u32> {
        self.overflowed |= other.overflowed;
        let mut numbers: Vec<u32> = (0..Family::COUNT as u32).collect();
        for entry in Family::COUNT..other.len() {
            let (prefix, mut symbol) = (other.prefix[entry], other.symbol[entry]);
            // A subtree consists of a label and then of features.
            let subtree = other.family[entry] == Family::Subtree as u8;
            if subtree && prefix as usize >= Family::COUNT {
                symbol = numbers[symbol as usize];
            }
            let number = self.intern(numbers[prefix as usize], symbol);
            numbers.push(number.unwrap_or(0));
        }
        numbers
    }
}

fn symbol_of(label: Option<i32>) -> Option<u32> {
    label.map_or(Some(STAR), |code| u32::try_from(code).ok())
}

/// A trie that learns every string.
impl Book for Trie {
    type Id = u32;

    fn family(&self, family: Family) -> u32 {
        family as u32
    }

    fn label(&mut self, prefix: u32, label: Option<i32>) -> Option<u32> {
        self.intern(prefix, symbol_of(label)?)
    }

    fn feature(&mut self, prefix: u32, feature: u32) -> Option<u32> {
        self.intern(prefix, feature)
    }
}

/// A trie that learns nothing more.
impl Book for &Trie {
    type Id = u32;

    fn family(&self, family: Family) -> u32 {
        family as u32
    }

    fn label(&mut self, prefix: u32, label: Option<i32>) -> Option<u32> {
        self.find(prefix, symbol_of(label)?)
    }

    fn feature(&mut self, prefix: u32, feature: u32) -> Option<u32> {
        self.find(prefix, feature)
    }
}
