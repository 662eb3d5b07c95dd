//! Brings a chat that WhatsApp's phone app has exported into a contact's conversation.
//!
//! The archive is never unpacked to a disk: the chat's text and the files are read from it by name, up to the limits in
//! [`archive`]. Phones write times and markers in their own language and order; [`stamp`] and [`chat`] read the usual ones, and
//! refuse a chat with words beside its times that they do not know.
//! A line is known by its time, its author and its text, so bringing the chat again, or a later export of it, adds only what
//! is new.

mod archive;
mod chat;
#[cfg(test)]
mod fuzzed;
mod marker;
mod media;
mod run;
mod stamp;

pub(crate) use archive::Archive;
pub(crate) use chat::Chat;
pub(crate) use run::{Import, Place};
pub(crate) use stamp::DateOrder;
