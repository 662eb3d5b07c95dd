//! Assistants as files: `frontdesk assistant pull`, `push`, `diff` and `test`.
//!
//! These commands work over the API of a server, with a key, and never on the database. So the same command serves
//! a laptop, a CI job and the machine that the server runs on, the server checks what is sent as it checks any other
//! request, and a key decides what may be done. A push is one request, which the server carries out as a whole or not at all.

mod api;
mod content;
mod conversation;
mod diff;
mod directory;
mod fields;
mod format;
mod judge;
mod lock;
mod pull;
mod push;
mod remote;
mod slug;
mod test;

pub(in crate::cli) use diff::Diff;
pub(in crate::cli) use pull::Pull;
pub(in crate::cli) use push::Push;
pub(in crate::cli) use test::Test;
