//! Chance that a seed repeats.

use std::sync::atomic::{AtomicU64, Ordering};

/// A sequence of numbers that depends on its seed alone (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Dice(AtomicU64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Dice for a part of the program, so that what one part draws changes nothing for the others.
    pub(crate) fn of(&self, part: u64) -> Self {
        Self::new(mixed(self.0.load(Ordering::Relaxed) ^ mixed(part)))
    }

    fn next(&self) -> u64 {
        mixed(self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed))
    }

    /// A number from 0 to before this one.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True so many times in a hundred.
    pub(crate) fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one_of<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}

fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
