//! Brings data from other systems: [`chatwoot`], rows of [`csv`] files, and chats of [`whatsapp`].
//!
//! Every import is silent unless it is told otherwise: no event is written, so no webhook, trigger or assistant learns of it.
//! It may be killed and run again, and then brings only what is missing. It works beside running servers, in small
//! transactions. One import runs at a time.

pub(crate) mod chatwoot;
pub(crate) mod csv;
mod lease;
mod tally;
pub(crate) mod whatsapp;

pub(crate) use lease::under_lease;
pub(crate) use tally::Tally;
