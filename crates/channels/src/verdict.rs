//! The meanings of refusals. Every `reason` of a failure that integrators read is here.

use std::time::Duration;

use crate::call::{Class, Refusal};

/// The reasons that other modules use.
pub mod reasons {
    pub const MEDIA_UNAVAILABLE: &str = "media_unavailable";
    pub const OPTED_OUT: &str = "opted_out";
    pub const TEMPLATE_STOPPED: &str = "template_stopped";
    pub const CHANNEL_STOPPED: &str = "channel_stopped";
    pub const TOKEN_INVALID: &str = "token_invalid";
}

/// How to handle a refusal, and its stable name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classification {
    pub(crate) class: Class,
    pub(crate) reason: &'static str,
}

pub(crate) const TEMPORARY: Classification = verdict(Class::Retry, "temporary");
pub(crate) const RATE_LIMITED: Classification = verdict(Class::Retry, "rate_limited");
pub(crate) const RATE_LIMITED_PERSON: Classification = verdict(Class::RetryPerson, "rate_limited");
pub(crate) const MEDIA_UNAVAILABLE: Classification = verdict(Class::RetryOnce, reasons::MEDIA_UNAVAILABLE);
/// The vendor does not say what is wrong with the request, and a retry sometimes helps.
pub(crate) const BAD_REQUEST_ONCE_MORE: Classification = verdict(Class::RetryOnce, "bad_request");
pub(crate) const RECIPIENT_UNREACHABLE: Classification = verdict(Class::Recipient, "recipient_unreachable");
pub(crate) const OPTED_OUT: Classification = verdict(Class::OptedOut, reasons::OPTED_OUT);
pub(crate) const OUTSIDE_WINDOW: Classification = verdict(Class::OutsideWindow, "outside_window");
pub(crate) const BAD_REQUEST: Classification = verdict(Class::Request, "bad_request");
pub(crate) const TEMPLATE_STOPPED: Classification = verdict(Class::Template, reasons::TEMPLATE_STOPPED);
pub(crate) const CHANNEL_STOPPED: Classification = verdict(Class::Channel, reasons::CHANNEL_STOPPED);
pub(crate) const TOKEN_INVALID: Classification = verdict(Class::Token, reasons::TOKEN_INVALID);

const fn verdict(class: Class, reason: &'static str) -> Classification {
    Classification { class, reason }
}

impl Classification {
    pub(crate) fn refusal(self, code: String, message: String, retry_after: Option<Duration>) -> Refusal {
        Refusal { class: self.class, code, reason: self.reason, message, retry_after }
    }
}
