//! Brings everything of a Chatwoot installation from its database, which is only read.
//!
//! Each of its accounts becomes an account here, or goes into one that is named. Rows come page by page in the order of their
//! numbers there, each page in transactions of its own, so memory is constant however much there is. What has been brought
//! is known by [`imports`](frontdesk_platform::imports), and messages by ids that are made from theirs, so a run that was
//! killed goes on and a later run brings only what is new. At the end everything is read again on both sides and compared.
//!
//! The names of tables and columns, and the numbers that stand for types and states, are facts of Chatwoot's schema.

mod account;
mod attachments;
mod channel;
mod compare;
mod contact_rows;
mod contacts;
mod conversations;
mod counts;
mod fields;
mod files;
mod import;
mod inboxes;
mod labels;
mod members;
mod messages;
mod notes;
mod pages;
mod parts;
mod people;
mod replies;
mod run;
mod source;

pub(crate) use account::TheirAccount;
pub(crate) use compare::{Compared, ComparedRows};
pub(crate) use counts::{count, steps};
pub(crate) use files::FileDirectory;
pub(crate) use import::{Import, Options};
pub(crate) use source::Source;
