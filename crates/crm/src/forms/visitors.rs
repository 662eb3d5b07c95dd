//! The limit of submissions per form and address. Each server counts in memory: a flood must not reach the
//! database.

use std::net::IpAddr;

use frontdesk_kernel::Timestamp;
use frontdesk_platform::client_network;
use frontdesk_platform::limits::{PerMinute, UsedUp};

use super::FormId;

/// Submissions of one form from one address per minute.
const PER_MINUTE_MAX: i64 = 20;
/// Addresses counted in a minute.
const COUNTED_MAX: usize = 100_000;

/// Submissions of this minute, by form and address. None is for all unknown addresses.
pub(super) struct Visitors(PerMinute<(FormId, Option<IpAddr>)>);

impl Default for Visitors {
    fn default() -> Self {
        Self(PerMinute::new(COUNTED_MAX))
    }
}

impl Visitors {
    /// Counts a submission.
    pub(super) fn count(&self, form: FormId, address: Option<IpAddr>, now: Timestamp) -> Result<(), UsedUp> {
        self.0.admit((form, address.map(client_network)), PER_MINUTE_MAX, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_limit_until_the_minute_ends() {
        let visitors = Visitors::default();
        let (form, other) =
            (FormId::first_at(Timestamp::from_millis(1)), FormId::first_at(Timestamp::from_millis(2)));
        let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        let now = Timestamp::from_millis(90_500);
        for _ in 0..PER_MINUTE_MAX {
            assert_eq!(visitors.count(form, address("2001:db8::1"), now), Ok(()));
        }
        assert_eq!(visitors.count(form, address("2001:db8::ffff:1"), now), Err(UsedUp { seconds_left: 30 }));
        assert_eq!(visitors.count(form, address("2001:db8:0:1::1"), now), Ok(()));
        assert_eq!(visitors.count(form, address("192.0.2.1"), now), Ok(()));
        assert_eq!(visitors.count(other, address("2001:db8::1"), now), Ok(()));
        assert_eq!(visitors.count(form, None, now), Ok(()));
        assert_eq!(visitors.count(form, address("2001:db8::1"), Timestamp::from_millis(120_000)), Ok(()));
    }
}
