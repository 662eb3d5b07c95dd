//! How fast a connection may send.

use crate::connections::{Channel, Credentials, StoredConnection};

/// What vendors allow a number or a page, in messages a second.
const WHATSAPP_PER_SECOND: f64 = 80.0;
const PAGE_PER_SECOND: f64 = 40.0;
/// A linked device is a person's phone: it writes no faster than a person could.
const DEVICE_PER_SECOND: f64 = 1.0;
/// Our own channel has no vendor to mind.
const OWN_PER_SECOND: f64 = 10_000.0;
/// The pace of a connection until its first claim has read what it is.
pub(super) const FIRST_PER_SECOND: f64 = WHATSAPP_PER_SECOND;

/// How many messages a connection may send in a second.
pub fn per_second(connection: &StoredConnection, credentials: Option<&Credentials>) -> f64 {
    let own = match credentials {
        // Settings may hold a zero, at which there would be no telling when the next one goes.
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
