//! Numbers that look random and follow from a seed.

/// A generator. Two with the same seed give the same numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`; 0 if there are none.
    pub fn roll(&mut self, sides: usize) -> usize {
        if sides == 0 { 0 } else { (self.number() % sides as u64) as usize }
    }

    /// True in one of so many cases.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.roll(cases) == 0
    }

    /// One of them. Panics if there is none.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.roll(of.len())]
    }

    /// A length up to `most`. Short ones are more frequent.
    pub fn length(&mut self, most: usize) -> usize {
        let most = most >> self.roll(8);
        self.roll(most + 1)
    }
}
