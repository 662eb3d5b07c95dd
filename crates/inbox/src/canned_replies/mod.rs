//! Canned replies: texts with files that members insert by a shortcut. The client that inserts them fills in
//! placeholders such as `{{contact.name}}`. A shortcut is unique in its account, regardless of case.
//!
//! Files are uploads. An upload is kept as long as a canned reply or a message has it.

mod api;
mod files;
mod ops;
mod reply;
mod sql;

pub use api::routes;
pub(crate) use ops::EXPORTED;
pub use ops::{create, delete, list, patch};
pub use reply::{
    CannedReply, CannedReplyError, CannedReplyFile, CannedReplyId, CannedReplyPatch, NewCannedReply,
};

/// Every statement of canned replies, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
