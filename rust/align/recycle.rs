//! Buffers that go from one pair to the next: large ones are expensive to get from the system.

use crate::error::Result;
use crate::memory;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Buffers above this many bytes are given back.
const KEEP_BYTES: usize = 2 << 20;
/// So are more than this many of one type.
const KEEP_COUNT: usize = 8;

/// What buffers can hold. Types that are rare do not keep any.
pub(crate) trait Recycle: Clone + 'static {
    /// Works on the buffers that this thread has left over.
    fn with_left_over<T>(_work: impl FnOnce(&mut Vec<Vec<Self>>) -> Option<T>) -> Option<T> {
        None
    }
}

macro_rules! recycle {
    ($($type:ty),*) => { $(impl Recycle for $type {
        fn with_left_over<T>(work: impl FnOnce(&mut Vec<Vec<Self>>) -> Option<T>) -> Option<T> {
            thread_local! {
                static LEFT_OVER: RefCell<Vec<Vec<$type>>> = const { RefCell::new(Vec::new()) };
            }
            // At the end of a thread there may be nothing to work on.
            LEFT_OVER.try_with(|buffers| work(&mut buffers.borrow_mut())).ok().flatten()
        }
    })* };
}
recycle!(i64, f64, u8, bool);
impl Recycle for i128 {}
impl Recycle for super::amount::Scaled {}
impl Recycle for num_bigint::BigUint {}

/// A vector that is left to the next one when dropped.
#[derive(Debug)]
pub(crate) struct Recycled<T: Recycle>(Vec<T>);

impl<T: Recycle> Default for Recycled<T> {
    /// With whatever is left over in it.
    fn default() -> Self {
        Self(T::with_left_over(Vec::pop).unwrap_or_default())
    }
}

impl<T: Recycle> Recycled<T> {
    /// Of this length, with one value everywhere.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if that does not fit.
    pub(crate) fn filled(len: usize, value: T) -> Result<Self> {
        let mut new = Self::default();
        new.0.clear();
        new.reserve_len(len, value)?;
        Ok(new)
    }

    /// At least of this length; entries that were there stay.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if that does not fit.
    pub(crate) fn reserve_len(&mut self, len: usize, value: T) -> Result<()> {
        if self.0.len() < len {
            let more = len - self.0.len();
            memory::reserve("the alignment of one pair of trees", &mut self.0, more)?;
            self.0.resize(len, value);
        }
        Ok(())
    }
}

impl<T: Recycle> Drop for Recycled<T> {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        let bytes = buffer.capacity() * size_of::<T>();
        if bytes == 0 || bytes > KEEP_BYTES {
            return;
        }
        let _ =
            T::with_left_over(|buffers| (buffers.len() < KEEP_COUNT).then(|| buffers.push(buffer)));
    }
}

impl<T: Recycle> Deref for Recycled<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Recycle> DerefMut for Recycled<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_and_are_as_asked_for() {
        let mut first = Recycled::filled(100, 1.5f64).unwrap();
        let place = first.as_ptr();
        first[3] = 2.0;
        drop(first);
        let second = Recycled::filled(50, 0.5f64).unwrap();
        assert_eq!(second.as_ptr(), place);
        assert_eq!(*second, vec![0.5; 50]);
        let third = Recycled::filled(50, 0.5f64).unwrap();
        assert_ne!(third.as_ptr(), place);
    }

    #[test]
    fn large_and_many_buffers_are_given_back() {
        drop(Recycled::filled(KEEP_BYTES + 1, 0u8).unwrap());
        assert!(Recycled::<u8>::default().is_empty());
        drop((0..20).map(|_| Recycled::filled(10, 1i64).unwrap()).collect::<Vec<_>>());
        let left = i64::with_left_over(|buffers| Some(buffers.len()));
        assert_eq!(left, Some(KEEP_COUNT));
    }
}
