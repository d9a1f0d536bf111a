//! The vector operations spelt out lane by lane: the obvious twin of every instruction set, for tests.

use super::portable::Lane;
use super::{Simd, Sources, Vectorized};

/// Lanes of `E`, `N` at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Twin<E, const N: usize>(std::marker::PhantomData<E>);

impl<E, const N: usize> Twin<E, N> {
    pub(crate) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// One vector. A lane of a mask is 0 or not.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Array<E, const N: usize>([E; N]);

fn greater<E: PartialOrd>(a: E, b: E) -> E {
    if b > a { b } else { a }
}

impl<E: Lane, const N: usize> Simd for Twin<E, N> {
    type Elem = E;
    type Vector = Array<E, N>;
    type Scan = [i32; N];
    type Pick = [Option<u8>; N];
    type Far = [Option<u8>; N];
    type Gather = [u32; N];
    const LANES: usize = N;
    // Halves of 32 bytes, as AVX2 has them, and whole vectors of other lengths.
    const PARTS: usize = if N * size_of::<E>() == 32 { 2 } else { 1 };
    // Both ways have a twin: shuffles for narrow lanes, gathers for wide ones.
    const GATHERS: bool = N <= 4;
    const FEW_PORTS: bool = false;

    fn zero() -> Self::Vector {
        Array([E::default(); N])
    }
    fn splat(value: E) -> Self::Vector {
        Array([value; N])
    }
    fn elements(vectors: &[Self::Vector]) -> &[E] {
        // A transparent wrapper of an array has the array's layout; std does the rest safely.
        Array::flatten(vectors)
    }
    fn elements_mut(vectors: &mut [Self::Vector]) -> &mut [E] {
        Array::flatten_mut(vectors)
    }
    fn mask(lanes: impl Fn(usize) -> bool) -> Self::Vector {
        Array(std::array::from_fn(|q| if lanes(q) { E::of(1) } else { E::default() }))
    }
    fn scan_control(starts: &[i32]) -> Self::Scan {
        std::array::from_fn(|q| starts[q])
    }
    fn pick_control(sources: &Sources) -> Self::Pick {
        std::array::from_fn(|q| sources[q])
    }
    fn far_control(sources: &Sources) -> Self::Far {
        std::array::from_fn(|q| sources[q])
    }
    fn gather_control(sources: &[u32]) -> Self::Gather {
        std::array::from_fn(|q| sources[q])
    }
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Array(std::array::from_fn(|q| a.0[q] + b.0[q]))
    }
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Array(std::array::from_fn(|q| greater(a.0[q], b.0[q])))
    }
    fn and(self, a: Self::Vector, mask: Self::Vector) -> Self::Vector {
        Array(std::array::from_fn(|q| if mask.0[q] == E::default() { mask.0[q] } else { a.0[q] }))
    }
    fn shift(self, a: Self::Vector) -> Self::Vector {
        self.shift_in(Self::zero(), a)
    }
    fn shift_in(self, before: Self::Vector, a: Self::Vector) -> Self::Vector {
        Array(std::array::from_fn(|q| if q == 0 { before.0[N - 1] } else { a.0[q - 1] }))
    }
    fn last(self, a: Self::Vector) -> Self::Vector {
        Array([a.0[N - 1]; N])
    }
    fn scan(self, a: Self::Vector, starts: &Self::Scan) -> Self::Vector {
        Array(std::array::from_fn(|q| {
            (starts[q].max(0) as usize..q).fold(a.0[q], |m, k| greater(m, a.0[k]))
        }))
    }
    fn pick(self, a: Self::Vector, sources: &Self::Pick) -> Self::Vector {
        Array(std::array::from_fn(|q| sources[q].map_or(E::default(), |s| a.0[s as usize])))
    }
    fn pick_far(
        self,
        into: Self::Vector,
        from: &Self::Vector,
        part: usize,
        control: &Self::Far,
    ) -> Self::Vector {
        let offset = part * (N / Self::PARTS);
        Array(std::array::from_fn(|q| {
            control[q].map_or(into.0[q], |lane| from.0[offset + lane as usize])
        }))
    }
    fn gather(self, from: &[E], control: &Self::Gather) -> Self::Vector {
        Array(std::array::from_fn(|q| from[control[q] as usize]))
    }
    fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

impl<E, const N: usize> Array<E, N> {
    #[allow(unsafe_code)]
    fn flatten(vectors: &[Self]) -> &[E] {
        // SAFETY: `Array` is a transparent wrapper of `[E; N]`, so `vectors` is exactly
        // `N * vectors.len()` initialised values of `E` in a row.
        unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), N * vectors.len()) }
    }
    #[allow(unsafe_code)]
    fn flatten_mut(vectors: &mut [Self]) -> &mut [E] {
        // SAFETY: as in `flatten`; the mutable borrow is passed on, so there is no alias.
        unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), N * vectors.len()) }
    }
}
