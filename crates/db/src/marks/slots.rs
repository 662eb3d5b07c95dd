//! Which slots are free.

use super::MarkSlot;

#[derive(Default)]
pub(super) struct Slots {
    free: Vec<u64>,
    /// Slots that have been used so far.
    used: u64,
}

impl Slots {
    pub(super) fn take(&mut self) -> MarkSlot {
        MarkSlot(self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        }))
    }

    pub(super) fn free(&mut self, slot: MarkSlot) {
        self.free.push(slot.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_used_again_only_after_it_was_freed() {
        let mut slots = Slots::default();
        let (first, second) = (slots.take(), slots.take());
        assert_ne!(first, second);
        slots.free(first);
        assert_eq!(slots.take(), first);
        assert_eq!(slots.take(), MarkSlot(2));
    }
}
