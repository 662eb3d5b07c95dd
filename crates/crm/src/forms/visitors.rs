//! How often one address may send one form. Each server counts for itself, in memory: a flood should not reach the store.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use frontdesk_kernel::Timestamp;
use frontdesk_platform::client_network;

use super::FormId;

/// Sendings of one form from one address in a minute.
const PER_MINUTE_MAX: u32 = 20;
/// Addresses remembered in a minute. When there are more, those that follow are not counted.
const REMEMBERED_MAX: usize = 100_000;

/// Who has sent what in this minute.
#[derive(Default)]
pub(super) struct Visitors(Mutex<Minute>);

#[derive(Default)]
struct Minute {
    number: i64,
    sent: HashMap<(FormId, Option<IpAddr>), u32>,
}

impl Visitors {
    /// Counts a sending. Past the limit, says how many seconds to wait.
    pub(super) fn count(&self, form: FormId, address: Option<IpAddr>, now: Timestamp) -> Result<(), i64> {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.number != now.minute() {
            *minute = Minute { number: now.minute(), sent: HashMap::new() };
        }
        let who = (form, address.map(client_network));
        if minute.sent.len() >= REMEMBERED_MAX && !minute.sent.contains_key(&who) {
            return Ok(());
        }
        let sent = minute.sent.entry(who).or_default();
        *sent += 1;
        if *sent > PER_MINUTE_MAX {
            let left = Timestamp::of_minute(now.minute() + 1).millis() - now.millis();
            return Err((left + 999) / 1000);
        }
        Ok(())
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
        assert_eq!(visitors.count(form, address("2001:db8::ffff:1"), now), Err(30));
        assert_eq!(visitors.count(form, address("2001:db8:0:1::1"), now), Ok(()));
        assert_eq!(visitors.count(form, address("192.0.2.1"), now), Ok(()));
        assert_eq!(visitors.count(other, address("2001:db8::1"), now), Ok(()));
        assert_eq!(visitors.count(form, None, now), Ok(()));
        assert_eq!(visitors.count(form, address("2001:db8::1"), Timestamp::from_millis(120_000)), Ok(()));
    }
}
