//! Limits per minute, for visitors and addresses.
//!
//! Each server counts in memory. The limits keep one website's visitors from crowding out others; they are
//! not exact accounting.

use std::net::IpAddr;

use frontdesk_kernel::Timestamp;
use frontdesk_platform::client_network;
use frontdesk_platform::limits::{PerMinute, UsedUp};
use frontdesk_web::{Failure, Result};

use super::token::VisitorId;

/// Per minute. A whole office may share one address, so its limits are higher than a visitor's.
const ARRIVALS_PER_ADDRESS_MAX: i64 = 30;
const MESSAGES_PER_ADDRESS_MAX: i64 = 120;
const MESSAGES_PER_VISITOR_MAX: i64 = 30;
const LOOKS_PER_ADDRESS_MAX: i64 = 600;
const LOOKS_PER_VISITOR_MAX: i64 = 120;
const FILES_PER_ADDRESS_MAX: i64 = 60;
const FILES_PER_VISITOR_MAX: i64 = 15;
const TYPING_PER_ADDRESS_MAX: i64 = 300;
const TYPING_PER_VISITOR_MAX: i64 = 40;
/// Each may write to the database, and the widget reports a page every few seconds at most.
const VISITS_PER_ADDRESS_MAX: i64 = 240;
const VISITS_PER_VISITOR_MAX: i64 = 20;
/// Addresses and visitors counted in a minute.
const COUNTED_MAX: usize = 100_000;

/// The counted action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    /// Creates a visitor.
    Arrive,
    Say,
    /// Reads messages, opens a stream, or marks messages as read.
    Look,
    SendFile,
    Type,
    /// Reports the page that the visitor is on.
    Visit,
}

/// An address or a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LimitKey {
    /// None is for all callers with an unknown address.
    Address(Option<IpAddr>),
    Visitor(VisitorId),
}

impl LimitKey {
    /// The key of an address. An IPv6 /64 network is one key, because one household has all of its addresses.
    pub(super) fn at(address: Option<IpAddr>) -> Self {
        Self::Address(address.map(client_network))
    }
}

fn most(act: Action, who: LimitKey) -> i64 {
    match (act, who) {
        // A visitor exists only after this action.
        (Action::Arrive, _) => ARRIVALS_PER_ADDRESS_MAX,
        (Action::Say, LimitKey::Address(_)) => MESSAGES_PER_ADDRESS_MAX,
        (Action::Say, LimitKey::Visitor(_)) => MESSAGES_PER_VISITOR_MAX,
        (Action::Look, LimitKey::Address(_)) => LOOKS_PER_ADDRESS_MAX,
        (Action::Look, LimitKey::Visitor(_)) => LOOKS_PER_VISITOR_MAX,
        (Action::SendFile, LimitKey::Address(_)) => FILES_PER_ADDRESS_MAX,
        (Action::SendFile, LimitKey::Visitor(_)) => FILES_PER_VISITOR_MAX,
        (Action::Type, LimitKey::Address(_)) => TYPING_PER_ADDRESS_MAX,
        (Action::Type, LimitKey::Visitor(_)) => TYPING_PER_VISITOR_MAX,
        (Action::Visit, LimitKey::Address(_)) => VISITS_PER_ADDRESS_MAX,
        (Action::Visit, LimitKey::Visitor(_)) => VISITS_PER_VISITOR_MAX,
    }
}

/// The counts of this minute.
pub(super) struct Limits(PerMinute<(Action, LimitKey)>);

impl Default for Limits {
    fn default() -> Self {
        Self(PerMinute::new(COUNTED_MAX))
    }
}

impl Limits {
    /// Counts an action, or returns when to retry.
    pub(super) fn admit(&self, act: Action, who: LimitKey, now: Timestamp) -> Result<()> {
        self.0.admit((act, who), most(act, who), now).map_err(|UsedUp { seconds_left }| {
            let message = format!(
                "This is more than one may do here in a minute. Try again in {seconds_left} seconds."
            );
            Failure::rate_limited(message, seconds_left).of_limit("web_chat_rate")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn admitted(limits: &Limits, act: Action, who: LimitKey, now: Timestamp) -> i64 {
        (0..1_000).filter(|_| limits.admit(act, who, now).is_ok()).count() as i64
    }

    #[test]
    fn everybody_has_a_minute_of_their_own() {
        let limits = Limits::default();
        let here = LimitKey::at(Some("203.0.113.7".parse().unwrap()));
        let there = LimitKey::at(None);
        let visitor = LimitKey::Visitor(VisitorId::from_uuid(Uuid::from_u128(1)));
        assert_eq!(admitted(&limits, Action::Arrive, here, NOW), ARRIVALS_PER_ADDRESS_MAX);
        assert_eq!(admitted(&limits, Action::Arrive, there, NOW), ARRIVALS_PER_ADDRESS_MAX);
        assert_eq!(admitted(&limits, Action::Say, here, NOW), MESSAGES_PER_ADDRESS_MAX);
        assert_eq!(admitted(&limits, Action::Say, visitor, NOW), MESSAGES_PER_VISITOR_MAX);
        let next = Timestamp::of_minute(NOW.minute() + 1);
        assert_eq!(admitted(&limits, Action::Say, visitor, next), MESSAGES_PER_VISITOR_MAX);
    }

    #[test]
    fn a_refused_visitor_learns_when_to_retry() {
        let limits = Limits::default();
        let now = Timestamp::from_millis(Timestamp::of_minute(NOW.minute()).millis() + 45_000);
        admitted(&limits, Action::Arrive, LimitKey::at(None), now);
        let refused = limits.admit(Action::Arrive, LimitKey::at(None), now).unwrap_err();
        assert_eq!(refused.status(), 429);
        assert!(refused.to_string().contains("in 15 seconds"), "{refused}");
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address() {
        let at = |text: &str| LimitKey::at(Some(text.parse().unwrap()));
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:203.0.113.7"), at("203.0.113.7"));
    }
}
