//! Arrays that results are written to: floats, and integers for distances that are whole.

use crate::error::{Error, Result};
use crate::parallel::Cancel;
use numpy::ndarray::{ArrayViewMut, Dimension, Ix1, Ix2};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadwriteArray};
use pyo3::prelude::*;

/// Above this, a float64 does not represent every whole number.
const WHOLE: f64 = (1u64 << 53) as f64;

/// A type of results.
trait Entry: Element + Copy {
    /// Its name in NumPy with what it holds, and its largest value, if it is not float64.
    const LIMIT: Option<(&'static str, f64)>;

    /// A distance as this type; `None` if it does not fit.
    fn of(distance: f64) -> Option<Self>;
}

macro_rules! entries {
    (floats $($float:ident $limit:expr),*; integers $($integer:ident $name:literal),*) => {
        $(impl Entry for $float {
            const LIMIT: Option<(&'static str, f64)> = $limit;

            #[inline(always)]
            fn of(distance: f64) -> Option<Self> {
                // Infinity is a distance above the cutoff, and no rounded distance.
                let value = distance as $float;
                (value.is_finite() || !distance.is_finite()).then_some(value)
            }
        })*
        $(impl Entry for $integer {
            const LIMIT: Option<(&'static str, f64)> = {
                let largest = $integer::MAX as f64;
                Some((concat!($name, " holds whole distances"), if largest < WHOLE { largest } else { WHOLE }))
            };

            #[inline(always)]
            fn of(distance: f64) -> Option<Self> {
                let largest = Self::LIMIT.map_or(0.0, |(_, largest)| largest);
                let fits = (0.0..=largest).contains(&distance) && distance.fract() == 0.0;
                fits.then_some(distance as $integer)
            }
        })*

        /// Does something with an array of one or two dimensions, while nobody else may use it.
        pub(super) fn with_values<T>(
            out: &Bound<'_, PyAny>,
            work: impl FnOnce(&mut dyn Values) -> PyResult<T>,
        ) -> PyResult<T> {
            $(
                if let Ok(array) = out.cast::<PyArray2<$float>>() {
                    return work(&mut locked(array)?.as_array_mut());
                }
                if let Ok(array) = out.cast::<PyArray1<$float>>() {
                    return work(&mut locked(array)?.as_array_mut());
                }
            )*
            $(
                if let Ok(array) = out.cast::<PyArray2<$integer>>() {
                    return work(&mut locked(array)?.as_array_mut());
                }
                if let Ok(array) = out.cast::<PyArray1<$integer>>() {
                    return work(&mut locked(array)?.as_array_mut());
                }
            )*
            Err(Error::Invalid("out has a dtype that holds no distances".to_owned()).into())
        }
    };
}

entries! {
    floats f64 None, f32 Some(("float32 holds distances", f32::MAX as f64));
    integers i8 "int8", i16 "int16", i32 "int32", i64 "int64",
        u8 "uint8", u16 "uint16", u32 "uint32", u64 "uint64"
}

fn locked<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    let busy = |_| Error::Invalid("out is in use by another call".to_owned());
    Ok(array.try_readwrite().map_err(busy)?)
}

/// An array of any type of results.
pub(super) trait Values: Send {
    /// Its dimensions.
    fn shape(&self) -> &[usize];

    /// Stores a distance; the second index counts in arrays of two dimensions only. Whether it
    /// fits.
    fn put(&mut self, i: usize, j: usize, distance: f64) -> bool;

    /// What a type holds, and its largest value, if it is not float64.
    fn limit(&self) -> Option<(&'static str, f64)>;
}

impl<T: Entry> Values for ArrayViewMut<'_, T, Ix1> {
    fn shape(&self) -> &[usize] {
        self.shape()
    }

    #[inline]
    fn put(&mut self, i: usize, _: usize, distance: f64) -> bool {
        T::of(distance).map(|value| self[i] = value).is_some()
    }

    fn limit(&self) -> Option<(&'static str, f64)> {
        T::LIMIT
    }
}

impl<T: Entry> Values for ArrayViewMut<'_, T, Ix2> {
    fn shape(&self) -> &[usize] {
        self.shape()
    }

    #[inline]
    fn put(&mut self, i: usize, j: usize, distance: f64) -> bool {
        T::of(distance).map(|value| self[[i, j]] = value).is_some()
    }

    fn limit(&self) -> Option<(&'static str, f64)> {
        T::LIMIT
    }
}

/// Stores distances until one does not fit, which stops the work.
pub(super) struct Sink<'a> {
    values: &'a mut dyn Values,
    cancel: &'a Cancel,
    misfit: Option<f64>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(values: &'a mut dyn Values, cancel: &'a Cancel) -> Self {
        Self { values, cancel, misfit: None }
    }

    #[inline]
    pub(super) fn put(&mut self, i: usize, j: usize, distance: f64) {
        if !self.values.put(i, j, distance) {
            self.misfit.get_or_insert(distance);
            self.cancel.cancel();
        }
    }

    /// The outcome of the work, or that a distance did not fit.
    pub(super) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        match (self.misfit, self.values.limit()) {
            (Some(distance), Some((what, largest))) => {
                let word = |x: f64| if x > 2.0 * WHOLE { format!("{x:e}") } else { x.to_string() };
                let (largest, distance) = (word(largest), word(distance));
                Err(Error::Invalid(format!(
                    "dtype {what} up to {largest}, but a distance is {distance}; pass a wider dtype"
                )))
            }
            _ => outcome,
        }
    }
}

/// The error for an array of another shape than the result.
pub(super) fn wrong_shape(values: &dyn Values) -> PyErr {
    Error::Invalid(format!("out has the wrong shape {:?}", values.shape())).into()
}
