//! Controls of segmented prefix maxima, as bytes, for vectors of parts of 16 bytes.
//!
//! Column tables of trees that meet once take as long as their distance, and most of them are these
//! controls. So they are made by loops over whole vectors of bytes.

/// Bytes of a part.
const PART: usize = 16;

/// The byte that every byte takes at each step, for lanes of `size` bytes: the steps inside a part,
/// then the last lane of the part before for every other part, then the last lane of the lower
/// half for the upper one.
pub(super) const fn steps<const N: usize, const STEPS: usize>(size: usize) -> [[u8; N]; STEPS] {
    let mut steps = [[0; N]; STEPS];
    let mut at = 0;
    while at < STEPS * N {
        let (step, byte) = (at / N, at % N);
        let inside = size << step;
        steps[step][byte] = (if inside < PART {
            if byte % PART >= inside { byte - inside } else { byte }
        } else if inside == PART {
            if byte / PART % 2 == 1 { byte / PART * PART - size + byte % size } else { byte }
        } else if byte >= 2 * PART {
            2 * PART - size + byte % size
        } else {
            byte
        }) as u8;
        at += 1;
    }
    steps
}

/// The first byte of the segment of each byte, or 0 if that is in an earlier vector, where `starts` are
/// the first lanes of the segments of lanes.
fn first_bytes<const N: usize>(size: usize, starts: &[i32]) -> [u8; N] {
    let mut first = [0; N];
    for (bytes, &start) in first.chunks_exact_mut(size).zip(starts) {
        bytes.fill((start.max(0) as usize * size) as u8);
    }
    first
}

/// The same steps, but a byte takes itself where it would take one of another segment: the maximum of
/// a value with itself is no news.
pub(super) fn within<const N: usize, const STEPS: usize>(
    mut steps: [[u8; N]; STEPS],
    size: usize,
    starts: &[i32],
) -> [[u8; N]; STEPS] {
    let first = first_bytes::<N>(size, starts);
    for step in &mut steps {
        for (byte, (from, first)) in step.iter_mut().zip(first).enumerate() {
            *from = if *from >= first { *from } else { byte as u8 };
        }
    }
    steps
}
