//! One text against many: the others are patterns, side by side in the lanes of vectors.
//!
//! The token of a column is the same for all patterns, so the rows where it occurs in them are one
//! load, and a step is the same operations on all lanes: the compiler makes vector instructions of
//! the loops over lanes. Texts of up to 16 tokens take lanes of 16 bits, and so on; only texts of
//! more than 64 tokens take several words.

use super::words::{Word, advance};
use std::collections::HashMap;

/// Tokens that have a place in a table of their own: most texts are in English.
const COMMON: usize = 128;

/// Texts that are compared with many others.
#[derive(Debug)]
pub(crate) struct TextBatch {
    /// Numbers of the tokens that occur, from 1 on.
    common: [u32; COMMON],
    others: HashMap<u32, u32>,
    lengths: Vec<u32>,
    short: Patterns<u16, 16>,
    middle: Patterns<u32, 8>,
    long: Patterns<u64, 4>,
}

/// Texts of similar lengths, as blocks of patterns.
#[derive(Debug, Default)]
struct Patterns<W, const LANES: usize>(Vec<Block<W, LANES>>);

#[derive(Debug)]
struct Block<W, const LANES: usize> {
    /// Words of a column.
    words: usize,
    /// For every number of a token, and every word, where it occurs; nowhere for 0.
    masks: Vec<[W; LANES]>,
    /// For every word, the rows of each pattern.
    rows: Vec<[W; LANES]>,
    /// Which texts these are.
    places: Vec<u32>,
}

impl TextBatch {
    /// Takes texts.
    pub(crate) fn new(texts: &[&[u32]]) -> Self {
        let (mut common, mut others) = ([0; COMMON], HashMap::new());
        let mut tokens = 0;
        let numbered: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| {
                let number = |&token: &u32| {
                    let number = match common.get_mut(token as usize) {
                        Some(number) => number,
                        None => others.entry(token).or_insert(0),
                    };
                    if *number == 0 {
                        tokens += 1;
                        *number = tokens;
                    }
                    *number
                };
                text.iter().map(number).collect()
            })
            .collect();
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        order.sort_by_key(|&place| texts[place as usize].len());
        let end = |most: usize| order.partition_point(|&place| texts[place as usize].len() <= most);
        let (short, middle) = (end(16), end(32));
        let numbers = tokens as usize + 1;
        Self {
            common,
            others,
            lengths: texts.iter().map(|text| text.len() as u32).collect(),
            short: Patterns::new(&numbered, &order[..short], numbers),
            middle: Patterns::new(&numbered, &order[short..middle], numbers),
            long: Patterns::new(&numbered, &order[middle..], numbers),
        }
    }

    /// The lengths of the texts.
    pub(crate) fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The distances of a text from all texts.
    #[inline(always)]
    pub(crate) fn distances(&self, text: &[u32], out: &mut [u32]) {
        let number = |&token: &u32| match self.common.get(token as usize) {
            Some(&number) => number,
            None => self.others.get(&token).copied().unwrap_or(0),
        };
        let text: Vec<u32> = text.iter().map(number).collect();
        self.short.distances(&text, out);
        self.middle.distances(&text, out);
        self.long.distances(&text, out);
    }
}

impl<W: Word, const LANES: usize> Patterns<W, LANES> {
    fn new(texts: &[Vec<u32>], order: &[u32], numbers: usize) -> Self {
        let block = |places: &[u32]| {
            let longest = places.iter().map(|&place| texts[place as usize].len()).max();
            let words = longest.unwrap_or(0).div_ceil(W::BITS).max(1);
            let mut masks = vec![[W::ZERO; LANES]; numbers * words];
            let mut rows = vec![[W::ZERO; LANES]; words];
            for (lane, &place) in places.iter().enumerate() {
                let text = &texts[place as usize];
                for (row, &number) in text.iter().enumerate() {
                    let mask = &mut masks[number as usize * words + row / W::BITS][lane];
                    *mask = mask.with(row % W::BITS);
                }
                for (word, rows) in rows.iter_mut().enumerate() {
                    rows[lane] = W::lowest(text.len().saturating_sub(word * W::BITS));
                }
            }
            Block { words, masks, rows, places: places.to_vec() }
        };
        Self(order.chunks(LANES).map(block).collect())
    }

    #[inline(always)]
    fn distances(&self, text: &[u32], out: &mut [u32]) {
        for block in &self.0 {
            if block.words == 1 {
                block.one_word(text, out);
            } else {
                block.many_words(text, out);
            }
        }
    }
}

impl<W: Word, const LANES: usize> Block<W, LANES> {
    #[inline(always)]
    fn one_word(&self, text: &[u32], out: &mut [u32]) {
        let (mut rising, mut falling) = ([!W::ZERO; LANES], [W::ZERO; LANES]);
        for &number in text {
            let matches = &self.masks[number as usize];
            for lane in 0..LANES {
                let column = (rising[lane], falling[lane]);
                // The row above the pattern rises by one with every column.
                let (column, _) = advance(column, matches[lane], (W::ONE, W::ZERO));
                (rising[lane], falling[lane]) = column;
            }
        }
        let mut distances = [text.len() as u32; LANES];
        self.add_changes(0, &rising, &falling, &mut distances);
        self.write(&distances, out);
    }

    #[inline(always)]
    fn many_words(&self, text: &[u32], out: &mut [u32]) {
        let mut columns = vec![([!W::ZERO; LANES], [W::ZERO; LANES]); self.words];
        for &number in text {
            let masks = &self.masks[number as usize * self.words..][..self.words];
            let mut carried = ([W::ONE; LANES], [W::ZERO; LANES]);
            for ((rising, falling), matches) in columns.iter_mut().zip(masks) {
                for lane in 0..LANES {
                    let column = (rising[lane], falling[lane]);
                    let above = (carried.0[lane], carried.1[lane]);
                    let (column, (rise, fall)) = advance(column, matches[lane], above);
                    (rising[lane], falling[lane]) = column;
                    (carried.0[lane], carried.1[lane]) = (rise.top(), fall.top());
                }
            }
        }
        let mut distances = [text.len() as u32; LANES];
        for (word, (rising, falling)) in columns.iter().enumerate() {
            self.add_changes(word, rising, falling, &mut distances);
        }
        self.write(&distances, out);
    }

    /// The last column starts with the number of tokens of the text, and changes from there.
    #[inline(always)]
    fn add_changes(
        &self,
        word: usize,
        rising: &[W; LANES],
        falling: &[W; LANES],
        distances: &mut [u32; LANES],
    ) {
        let rows = &self.rows[word];
        let (mut rises, mut falls) = ([W::ZERO; LANES], [W::ZERO; LANES]);
        for lane in 0..LANES {
            rises[lane] = (rising[lane] & rows[lane]).ones();
            falls[lane] = (falling[lane] & rows[lane]).ones();
        }
        for lane in 0..LANES {
            distances[lane] = distances[lane] + rises[lane].number() - falls[lane].number();
        }
    }

    #[inline(always)]
    fn write(&self, distances: &[u32; LANES], out: &mut [u32]) {
        for lane in 0..self.places.len().min(LANES) {
            out[self.places[lane] as usize] = distances[lane];
        }
    }
}

/// The edit distance of two texts.
pub(crate) fn levenshtein(a: &[u32], b: &[u32]) -> u32 {
    let mut out = [0];
    TextBatch::new(&[a]).distances(b, &mut out);
    out[0]
}
