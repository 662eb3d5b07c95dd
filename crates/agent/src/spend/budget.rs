//! The arithmetic of a month's budget. Pure.

use frontdesk_kernel::Timestamp;
use frontdesk_models::MicroUsd;
use frontdesk_platform::accounts::Account;
use jiff::tz::TimeZone;

/// The share of the budget at which the account is warned, in percent.
const WARNING_PERCENT: u128 = 80;
const MICROS_PER_USD: f64 = 1e6;

/// The budget of a month, and what is spent and reserved of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// None for no limit.
    pub limit: Option<MicroUsd>,
    pub spent: MicroUsd,
    /// The worst-case cost of calls in progress.
    pub reserved: MicroUsd,
}

impl Budget {
    /// Whether the budget has room for a call with this worst-case cost.
    pub fn admits(&self, worst: MicroUsd) -> bool {
        self.limit.is_none_or(|limit| self.spent + self.reserved + worst <= limit)
    }

    /// Whether nothing is left, so that no run starts.
    pub fn is_exhausted(&self) -> bool {
        self.limit.is_some_and(|limit| self.spent >= limit)
    }

    /// Whether enough is spent to warn the account.
    pub fn is_nearly_spent(&self) -> bool {
        self.limit.is_some_and(|limit| {
            u128::from(self.spent.micros()) * 100 >= u128::from(limit.micros()) * WARNING_PERCENT
        })
    }
}

/// The budget of an account, within the operator's limit.
pub fn budget_of(account: &Account) -> Option<MicroUsd> {
    account
        .effective_ai_budget_usd()
        .map(|usd| MicroUsd::from_micros((usd.max(0.0) * MICROS_PER_USD).round() as u64))
}

/// The month and the day of a moment, in an account's timezone: `2026-01` and `2026-01-31`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    pub month: String,
    pub day: String,
}

impl Period {
    pub fn at(now: Timestamp, timezone: &str) -> Self {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let moment = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let day = moment.to_zoned(zone).date().to_string();
        Self { month: day.chars().take("2026-01".len()).collect(), day }
    }

    /// The first day of the month.
    pub fn first_day(&self) -> String {
        format!("{}-01", self.month)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn micros(micros: u64) -> MicroUsd {
        MicroUsd::from_micros(micros)
    }

    fn budget(limit: u64, spent: u64, reserved: u64) -> Budget {
        Budget { limit: Some(micros(limit)), spent: micros(spent), reserved: micros(reserved) }
    }

    #[test]
    fn a_call_is_admitted_while_its_worst_case_fits() {
        assert!(budget(100, 50, 30).admits(micros(20)));
        assert!(!budget(100, 50, 30).admits(micros(21)));
        assert!(!budget(0, 0, 0).admits(micros(1)));
        assert!(Budget { limit: None, ..budget(0, 9, 9) }.admits(MicroUsd::MAX));
    }

    #[test]
    fn a_warning_comes_at_four_fifths() {
        assert!(!budget(100, 79, 21).is_nearly_spent());
        assert!(budget(100, 80, 0).is_nearly_spent());
        assert!(budget(100, 100, 0).is_exhausted() && !budget(100, 99, 9).is_exhausted());
        assert!(budget(0, 0, 0).is_exhausted(), "a budget of nothing is spent from the start");
    }

    #[test]
    fn days_and_months_are_the_accounts_own() {
        let moment: Timestamp = "2026-01-31T23:30:00Z".parse().unwrap();
        let at = |zone| Period::at(moment, zone);
        assert_eq!(at("UTC"), Period { month: "2026-01".into(), day: "2026-01-31".into() });
        assert_eq!(at("Europe/Berlin"), Period { month: "2026-02".into(), day: "2026-02-01".into() });
        assert_eq!(at("nowhere"), at("UTC"));
        assert_eq!(at("Europe/Berlin").first_day(), "2026-02-01");
    }

    proptest! {
        /// In whatever order calls are reserved and settled, spent and reserved together never exceed the limit.
        #[test]
        fn the_budget_holds(limit in 0_u64..10_000, calls in proptest::collection::vec((0_u64..2_000, 0_u64..=100), 0..60)) {
            let mut now = budget(limit, 0, 0);
            let mut open: Vec<(u64, u64)> = Vec::new();
            for (worst, percent) in calls {
                if now.admits(micros(worst)) {
                    now.reserved = now.reserved + micros(worst);
                    open.push((worst, worst * percent / 100));
                }
                if percent % 3 == 0 && let Some((worst, cost)) = open.pop() {
                    now.reserved = now.reserved.saturating_sub(micros(worst));
                    now.spent = now.spent + micros(cost);
                }
                prop_assert!((now.spent + now.reserved).micros() <= limit);
            }
        }
    }
}
