//! Vectors of 16 bytes on any machine: arrays in loops that the compiler turns into vector
//! instructions, as far as the machine has them.
//!
//! Few machines shuffle by a control from memory. So a scan shifts by 1, 2, 4, … lanes, which are
//! constants, and masks what crosses a segment; picks load lane by lane.
//! 128-bit tables use these vectors too, along inner paths.

use super::{Element, InstructionSet, Simd, Sources, Vectorized};

/// The proof that needs no instructions in particular.
#[allow(dead_code)] // on machines with vectors of their own only tests use it
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

#[allow(dead_code)]
impl Portable {
    #[allow(clippy::unnecessary_wraps)] // as all detectors
    pub(crate) fn detect() -> Option<Self> {
        Some(Self)
    }
}

/// Lanes of `E`, `N` at a time; `N` is a power of two up to 16.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrays<E, const N: usize>(std::marker::PhantomData<E>);

impl<E, const N: usize> Arrays<E, N> {
    pub(crate) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// One vector.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Array<E, const N: usize>([E; N]);

/// What the vectors need of their lanes.
pub(crate) trait Lane: Element {
    /// All bits set.
    const KEEP: Self;
    /// The bits that both have.
    fn masked(self, mask: Self) -> Self;
    /// The sum; of bytes and words at most the largest number.
    fn plus(self, other: Self) -> Self;
}

macro_rules! lane {
    ($($type:ident by |$a:ident, $b:ident| $plus:expr;)*) => { $(impl Lane for $type {
        const KEEP: Self = !0;
        #[inline(always)]
        fn masked(self, mask: Self) -> Self { self & mask }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            let ($a, $b) = (self, other);
            $plus
        }
    })* };
}
lane!(
    u8 by |a, b| a.saturating_add(b);
    u16 by |a, b| a.saturating_add(b);
    i32 by |a, b| a + b;
    i64 by |a, b| a + b;
    i128 by |a, b| a + b;
);

impl Lane for f64 {
    const KEEP: Self = Self::from_bits(!0);
    #[inline(always)]
    fn masked(self, mask: Self) -> Self {
        Self::from_bits(self.to_bits() & mask.to_bits())
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Steps of a scan of 16 lanes, by 1, 2, 4 and 8 lanes; fewer lanes use the first ones.
const STEPS: usize = 4;

/// A vector lane by lane: a loop without calls, which need not be inlined for it to be vectorised.
macro_rules! lanes {
    (|$q:ident| $value:expr) => {{
        let mut lanes = [E::default(); N];
        let mut $q = 0;
        while $q < N {
            lanes[$q] = $value;
            $q += 1;
        }
        Array(lanes)
    }};
}

impl<E: Lane, const N: usize> Array<E, N> {
    #[inline(always)]
    fn shifted<const BY: usize>(self) -> Self {
        lanes!(|q| if q < BY { E::default() } else { self.0[q - BY] })
    }
}

/// Where the lanes of a pick come from, and which lanes have a source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick<E, const N: usize> {
    from: [u8; N],
    keep: Array<E, N>,
}

impl<E: Lane, const N: usize> Simd for Arrays<E, N> {
    type Elem = E;
    type Vector = Array<E, N>;
    /// For each step, the lanes whose source is in their segment.
    type Scan = [Array<E, N>; STEPS];
    type Pick = Pick<E, N>;
    type Far = Pick<E, N>;
    type Gather = [u32; N];
    const LANES: usize = N;
    const PARTS: usize = 1;
    const GATHERS: bool = true;
    const FEW_PORTS: bool = true;

    #[inline(always)]
    fn zero() -> Self::Vector {
        Array([E::default(); N])
    }
    #[inline(always)]
    fn splat(value: E) -> Self::Vector {
        Array([value; N])
    }
    #[inline(always)]
    fn elements(vectors: &[Self::Vector]) -> &[E] {
        Array::flatten(vectors)
    }
    #[inline(always)]
    fn elements_mut(vectors: &mut [Self::Vector]) -> &mut [E] {
        Array::flatten_mut(vectors)
    }
    fn mask(lanes: impl Fn(usize) -> bool) -> Self::Vector {
        lanes!(|q| if lanes(q) { E::KEEP } else { E::default() })
    }
    fn scan_control(starts: &[i32]) -> Self::Scan {
        std::array::from_fn(|step| {
            let by = 1 << step;
            Self::mask(|q| q >= by && (q - by) as i32 >= starts[q])
        })
    }
    fn pick_control(sources: &Sources) -> Self::Pick {
        Pick {
            from: std::array::from_fn(|q| sources[q].unwrap_or(0)),
            keep: Self::mask(|q| sources[q].is_some()),
        }
    }
    fn far_control(sources: &Sources) -> Self::Far {
        Self::pick_control(sources)
    }
    fn gather_control(sources: &[u32]) -> Self::Gather {
        std::array::from_fn(|q| sources[q])
    }
    #[inline(always)]
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        lanes!(|q| a.0[q].plus(b.0[q]))
    }
    #[inline(always)]
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        lanes!(|q| if b.0[q] > a.0[q] { b.0[q] } else { a.0[q] })
    }
    #[inline(always)]
    fn and(self, a: Self::Vector, mask: Self::Vector) -> Self::Vector {
        lanes!(|q| a.0[q].masked(mask.0[q]))
    }
    #[inline(always)]
    fn shift(self, a: Self::Vector) -> Self::Vector {
        a.shifted::<1>()
    }
    #[inline(always)]
    fn shift_in(self, before: Self::Vector, a: Self::Vector) -> Self::Vector {
        lanes!(|q| if q == 0 { before.0[N - 1] } else { a.0[q - 1] })
    }
    #[inline(always)]
    fn last(self, a: Self::Vector) -> Self::Vector {
        Array([a.0[N - 1]; N])
    }
    #[inline(always)]
    fn scan(self, a: Self::Vector, control: &Self::Scan) -> Self::Vector {
        let mut x = self.max(a, self.and(a.shifted::<1>(), control[0]));
        if N > 2 {
            x = self.max(x, self.and(x.shifted::<2>(), control[1]));
        }
        if N > 4 {
            x = self.max(x, self.and(x.shifted::<4>(), control[2]));
        }
        if N > 8 {
            x = self.max(x, self.and(x.shifted::<8>(), control[3]));
        }
        x
    }
    #[inline(always)]
    fn pick(self, a: Self::Vector, control: &Self::Pick) -> Self::Vector {
        self.and(lanes!(|q| a.0[control.from[q] as usize % N]), control.keep)
    }
    #[inline(always)]
    fn pick_far(
        self,
        into: Self::Vector,
        from: &Self::Vector,
        _: usize,
        control: &Self::Far,
    ) -> Self::Vector {
        self.max(into, self.pick(*from, control))
    }
    #[inline(always)]
    fn gather(self, from: &[E], control: &Self::Gather) -> Self::Vector {
        lanes!(|q| from[control[q] as usize])
    }
    #[inline(always)]
    fn run<K: Vectorized<Self>>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

impl InstructionSet for Portable {
    type Bytes = Arrays<u8, 16>;
    type Words = Arrays<u16, 8>;
    type Ints = Arrays<i32, 4>;
    type Doubles = Arrays<f64, 2>;
    type Longs = Arrays<i64, 2>;
    fn bytes(self) -> Self::Bytes {
        Arrays::new()
    }
    fn words(self) -> Self::Words {
        Arrays::new()
    }
    fn ints(self) -> Self::Ints {
        Arrays::new()
    }
    fn doubles(self) -> Self::Doubles {
        Arrays::new()
    }
    fn longs(self) -> Self::Longs {
        Arrays::new()
    }
}

impl<E, const N: usize> Array<E, N> {
    /// An array of lanes fills its vector, so that a row of vectors is a row of lanes.
    const FULL: () = assert!(size_of::<Self>() == N * size_of::<E>());

    #[allow(unsafe_code)]
    fn flatten(vectors: &[Self]) -> &[E] {
        let () = Self::FULL;
        // SAFETY: `Array` is `[E; N]` without padding, so `vectors` is exactly
        // `N * vectors.len()` initialised values of `E` in a row.
        unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), N * vectors.len()) }
    }
    #[allow(unsafe_code)]
    fn flatten_mut(vectors: &mut [Self]) -> &mut [E] {
        let () = Self::FULL;
        // SAFETY: as in `flatten`; the mutable borrow is passed on, so there is no alias.
        unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), N * vectors.len()) }
    }
}
