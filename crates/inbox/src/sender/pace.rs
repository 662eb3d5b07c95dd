//! The pace of a connection.

use crate::connections::{Channel, Credentials, StoredConnection};

/// The vendors' limits for a number or a page, in messages per second.
const WHATSAPP_PER_SECOND: f64 = 80.0;
const PAGE_PER_SECOND: f64 = 40.0;
/// A linked device is a person's phone, so it is limited to a person's speed.
const DEVICE_PER_SECOND: f64 = 1.0;
/// Our own channel has no vendor limit.
const OWN_PER_SECOND: f64 = 10_000.0;
/// The pace of a connection until its first claim.
pub(super) const FIRST_PER_SECOND: f64 = WHATSAPP_PER_SECOND;

/// Messages per second that a connection may send.
pub fn per_second(connection: &StoredConnection, credentials: Option<&Credentials>) -> f64 {
    let own = match credentials {
        // Credentials may contain a zero, with which the next time could not be computed.
        Some(Credentials::WhatsApp(number)) => number.messages_per_second.map(|most| f64::from(most.max(1))),
        _ => None,
    };
    own.unwrap_or(match connection.channel() {
        Channel::Whatsapp => WHATSAPP_PER_SECOND,
        Channel::Messenger | Channel::Instagram => PAGE_PER_SECOND,
        Channel::PersonalWhatsapp if connection.sandbox => WHATSAPP_PER_SECOND,
        Channel::PersonalWhatsapp => DEVICE_PER_SECOND,
        Channel::WebChat => OWN_PER_SECOND,
    })
}
