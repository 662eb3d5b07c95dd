//! Anthropic's wire format: messages.

mod reply;
mod request;

pub(crate) use reply::reply;
pub(crate) use request::body;
