//! Channels: convert between the vendors' formats and neutral messages.
//!
//! An adapter is built from a connection's credentials and is pure: it parses a webhook's bytes into
//! [`Incoming`] items, turns an [`Outgoing`] message into a [`Call`], and parses the response. It makes no
//! call itself, reads no clock and has no state, so every rule of a vendor's wire format is tested without a
//! network.
//!
//! It never fails a webhook because of an unknown kind of event: unusable items are left out.

mod adapter;
mod call;
#[cfg(test)]
mod fuzzed;
mod incoming;
mod outgoing;
mod reading;
mod template;
mod verdict;
#[cfg(test)]
mod webhooks_of_any_shape;

pub mod graph;
pub mod messenger;
pub mod personal_whatsapp;
pub mod whatsapp;

pub use adapter::{Adapter, Identity};
pub use call::{Accepted, Call, Class, Refusal, VendorResponse};
pub use incoming::{
    Content, Incoming, MediaKind, MediaSource, Message, Person, Report, ReportStatus, SessionState,
};
pub use outgoing::{File, Outgoing, Payload};
pub use reading::Unreadable;
pub use template::{
    ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter, Layout, Mismatch, Template,
    TemplateFill, TemplatePage,
};
pub use verdict::reasons;
