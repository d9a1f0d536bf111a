//! The labels of one tree in those of another, by hashes that are computed once.
//!
//! A dictionary would do the same; but it is asked through Python's interface, label by label, which
//! takes as long as the distance of two small trees.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The hashes of the labels of a tree, and where to look for each.
pub(super) struct LabelTable {
    hashes: Vec<isize>,
    /// Codes of labels by the last bits of their hashes, or the next free place; [`FREE`] where
    /// there is none. At most half of the places are taken.
    places: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl LabelTable {
    /// The table of labels that are all different.
    pub(super) fn new(alphabet: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let hashes = alphabet.iter().map(|label| label.hash()).collect::<PyResult<Vec<_>>>()?;
        let mut table =
            Self { places: vec![FREE; (2 * hashes.len()).next_power_of_two()], hashes: Vec::new() };
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

    /// The code of a label with this hash, among these labels.
    fn find(
        &self,
        alphabet: &Bound<'_, PyTuple>,
        label: &Bound<'_, PyAny>,
        hash: isize,
    ) -> PyResult<Option<u32>> {
        let mut place = self.place(hash);
        while self.places[place] != FREE {
            let code = self.places[place];
            if self.hashes[code as usize] == hash {
                let known = alphabet.get_borrowed_item(code as usize)?;
                if known.is(label) || known.eq(label)? {
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
        for (label, &hash) in others.iter_borrowed().zip(&other.hashes) {
            codes.push(self.find(alphabet, &label, hash)?.unwrap_or_else(|| {
                new += 1;
                new - 1
            }));
        }
        Ok(())
    }
}
