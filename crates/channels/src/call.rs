//! Calls to a vendor, and what their responses mean.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::Secret;
use http::header::RETRY_AFTER;
use http::{HeaderMap, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but what may stand in a part of a path or of a query as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The longest wait that a vendor can ask for.
const RETRY_AFTER_SECONDS_MAX: u64 = 24 * 60 * 60;

/// A request that is ready to be made.
#[derive(Debug)]
pub struct Call {
    pub method: Method,
    pub url: String,
    pub content_type: Option<Cow<'static, str>>,
    /// The header that proves who we are, and its value.
    pub authorization: Option<(&'static str, Secret)>,
    pub body: Bytes,
}

/// A vendor's response.
#[derive(Clone, Copy, Debug)]
pub struct VendorResponse<'a> {
    pub status: u16,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

impl VendorResponse<'_> {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// How long the vendor asks to wait, up to a day. The header's other form, a date, would need a clock and is left
    /// alone.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds: u64 = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds.min(RETRY_AFTER_SECONDS_MAX)))
    }
}

/// The channel took a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The channel's own id of the message; none when its answer did not name one.
    pub channel_message_id: Option<String>,
    /// The channel's id of the person, when it differs from what we addressed or was not known.
    pub person: Option<String>,
}

/// What to do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Try again later, and slow this number down.
    Retry,
    /// Try again later: too much to this one person.
    RetryPerson,
    /// Try once more, then give up.
    RetryOnce,
    /// This person cannot be reached this way.
    Recipient,
    /// The person asked not to be written to.
    OptedOut,
    /// The 24 hours in which free text may be sent are over.
    OutsideWindow,
    /// The request itself is wrong and will stay so.
    Request,
    /// The template cannot be sent any more.
    Template,
    /// Nothing can be sent over this connection at present.
    Channel,
    /// The connection's token is no longer good: the connection is to be disconnected.
    Token,
}

/// The channel did not take a message, or did not answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub class: Class,
    /// The vendor's code, as text.
    pub code: String,
    /// A stable word for integrators, `outside_window` for one.
    pub reason: &'static str,
    /// The vendor's words for a person.
    pub message: String,
    /// How long the vendor asked to wait.
    pub retry_after: Option<Duration>,
}

/// A part of an address, which can then hold anything without becoming two parts.
pub(crate) fn escaped(part: &str) -> String {
    utf8_percent_encode(part, ESCAPED).to_string()
}
