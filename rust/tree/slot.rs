//! Room in a tree for what a higher room keeps with it.

use std::any::Any;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A value of one type that this room does not know, made when first asked for, and a count of
/// uses.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    uses: AtomicU32,
    value: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Slot {
    /// Counts a use, up to `most`, and returns the number of uses before.
    #[inline]
    pub(crate) fn count_use(&self, most: u32) -> u32 {
        // Off by a few under races: it only steers choices that do not show in results.
        let before = self.uses.load(Ordering::Relaxed);
        if before < most {
            self.uses.store(before + 1, Ordering::Relaxed);
        }
        before
    }

    /// The value; `None` if the slot holds a value of another type.
    #[inline]
    pub(crate) fn get_or_default<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        self.value.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_keeps_one_value_of_one_type() {
        let slot = Slot::default();
        let first: Option<&AtomicU32> = slot.get_or_default();
        first.unwrap().store(7, Ordering::Relaxed);
        let again: Option<&AtomicU32> = slot.get_or_default();
        assert_eq!(again.unwrap().load(Ordering::Relaxed), 7);
        assert_eq!(slot.get_or_default::<String>(), None);
    }

    #[test]
    fn uses_are_counted_up_to_a_limit() {
        let slot = Slot::default();
        let counted: Vec<_> = (0..4).map(|_| slot.count_use(2)).collect();
        assert_eq!(counted, [0, 1, 2, 2]);
    }
}
