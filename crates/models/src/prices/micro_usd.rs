//! Amounts of money, in millionths of a dollar.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

/// Prices are per million tokens.
const MILLION: u128 = 1_000_000;

/// An amount in millionths of a dollar. Sums saturate at the largest number that the database can store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroUsd(u64);

impl MicroUsd {
    pub const ZERO: Self = Self(0);
    pub const MAX: Self = Self(i64::MAX as u64);

    pub fn from_micros(micros: u64) -> Self {
        Self(micros).min(Self::MAX)
    }

    /// Never more than `i64::MAX`.
    pub fn micros(self) -> u64 {
        self.0
    }

    /// Dollars, for people.
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The price of counts at rates per million, rounded up.
    pub(super) fn of(counts: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let products = counts.into_iter().map(|(count, rate)| u128::from(count) * u128::from(rate));
        let total = products.fold(0, u128::saturating_add);
        Self::from_micros(u64::try_from(total.div_ceil(MILLION)).unwrap_or(u64::MAX))
    }
}

impl Add for MicroUsd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::from_micros(self.0.saturating_add(other.0))
    }
}

impl Sum for MicroUsd {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_rounded_up_once() {
        assert_eq!(MicroUsd::of([(1, 1)]).micros(), 1);
        assert_eq!(MicroUsd::of([(500_000, 1), (500_000, 1)]).micros(), 1);
        assert_eq!(MicroUsd::of([]), MicroUsd::ZERO);
        assert_eq!(MicroUsd::from_micros(1_250_001).to_string(), "$1.250001");
    }

    #[test]
    fn absurd_counts_stop_at_the_largest_number() {
        assert_eq!(MicroUsd::of([(u64::MAX, u64::MAX), (u64::MAX, u64::MAX)]), MicroUsd::MAX);
        assert_eq!(MicroUsd::MAX + MicroUsd::from_micros(1), MicroUsd::MAX);
    }
}
