//! The labels of one tree in those of another, by hashes that are computed once.
//!
//! A dictionary would do the same; but it is asked through Python's interface, label by label, which
//! takes as long as the distance of two small trees.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A short text with its length: Python is not asked whether two of them are equal.
type Key = [u8; 16];

/// The hashes of the labels of a tree, and where to look for each.
pub(super) struct LabelTable {
    hashes: Vec<isize>,
    /// The labels that are short texts; of all others, whose length is more, [`LONG`].
    keys: Vec<Key>,
    /// Codes of labels by the last bits of their hashes, or the next free place; [`FREE`] where
    /// there is none. At most half of the places are taken.
    places: Vec<u32>,
}

const FREE: u32 = u32::MAX;
const LONG: Key = [u8::MAX; 16];

/// The key of a label. Instances of subclasses of `str` may be equal to what they like.
fn key_of(label: &Bound<'_, PyAny>) -> Key {
    let text = label.cast_exact::<PyString>().ok().and_then(|text| text.to_str().ok());
    let Some(text) = text.filter(|text| text.len() < LONG.len()) else { return LONG };
    let mut key = [0; 16];
    key[..text.len()].copy_from_slice(text.as_bytes());
    key[LONG.len() - 1] = text.len() as u8;
    key
}

impl LabelTable {
    /// The table of labels that are all different.
    pub(super) fn new(alphabet: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let hashes = alphabet.iter().map(|label| label.hash()).collect::<PyResult<Vec<_>>>()?;
        let keys = alphabet.iter().map(|label| key_of(&label)).collect();
        let places = vec![FREE; (2 * hashes.len()).next_power_of_two()];
        let mut table = Self { places, keys, hashes: Vec::new() };
        for (code, &hash) in (0..).zip(&hashes) {
            let mut place = table.place(hash);
            while table.places[place] != FREE {
                place = table.after(place);
            }
            table.places[place] = code;
        }
        table.hashes = hashes;
        Ok(table)
    }

    fn place(&self, hash: isize) -> usize {
        // Hashes of small integers differ in their last bits, those of texts everywhere.
        hash as usize & (self.places.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    /// The code, among these labels, of a label of another tree.
    #[inline]
    fn find(
        &self,
        alphabet: &Bound<'_, PyTuple>,
        (others, other): (&Bound<'_, PyTuple>, &Self),
        label: usize,
    ) -> PyResult<Option<u32>> {
        let (hash, key) = (other.hashes[label], other.keys[label]);
        let mut place = self.place(hash);
        while self.places[place] != FREE {
            let code = self.places[place];
            if self.hashes[code as usize] == hash {
                let known = self.keys[code as usize];
                let equal = if key != LONG && known != LONG {
                    key == known
                } else {
                    let known = alphabet.get_borrowed_item(code as usize)?;
                    let label = others.get_borrowed_item(label)?;
                    known.is(&*label) || known.eq(&*label)?
                };
                if equal {
                    return Ok(Some(code));
                }
            }
            place = self.after(place);
        }
        Ok(None)
    }

    /// Codes under which the labels of another tree can be compared with these: their own, or new
    /// ones after the last.
    pub(super) fn match_labels(
        &self,
        alphabet: &Bound<'_, PyTuple>,
        (others, other): (&Bound<'_, PyTuple>, &Self),
        codes: &mut Vec<u32>,
    ) -> PyResult<()> {
        let mut new = self.hashes.len() as u32;
        codes.clear();
        for label in 0..other.hashes.len() {
            codes.push(self.find(alphabet, (others, other), label)?.unwrap_or_else(|| {
                new += 1;
                new - 1
            }));
        }
        Ok(())
    }
}
