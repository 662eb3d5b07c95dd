//! Channels: the vendors' bytes on one side, neutral messages on the other.
//!
//! An adapter is made from a connection's settings and is pure: it reads a webhook's bytes into [`Incoming`] things,
//! turns an [`Outgoing`] message into a [`Call`] to be made, and reads what was answered. It makes no call itself,
//! reads no clock and keeps no state, so every rule of a vendor's wire format is tested without a network.
//!
//! It never fails a webhook for a kind of event that it does not know: what it cannot use, it leaves out.

mod adapter;
mod call;
mod graph;
mod incoming;
mod outgoing;
mod reading;
mod template;
mod verdict;
#[cfg(test)]
mod webhooks_of_any_shape;

pub mod messenger;
pub mod personal_whatsapp;
pub mod whatsapp;

pub use adapter::{Adapter, Identity, Unreadable};
pub use call::{Accepted, Call, Class, Refusal, VendorResponse};
pub use incoming::{
    Content, Incoming, MediaKind, MediaSource, Message, Person, Report, ReportStatus, SessionState,
};
pub use outgoing::{Outgoing, Payload};
pub use template::{
    ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter, Layout, Mismatch, Template,
    TemplateFill, TemplatePage,
};
pub use verdict::reasons;
