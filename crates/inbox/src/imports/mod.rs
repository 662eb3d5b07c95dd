//! Brings conversations from another system: its channels as disconnected connections, its conversations, messages and
//! files.
//!
//! What is brought happened long ago: no event is written, nothing is sent, nobody is told, and nothing counts as unread.
//! Each row has the time at which it was made there. Messages have ids that are the same whenever they are brought again,
//! so a message is never there twice.

mod files;
mod sql;
mod thread;
mod written;

pub use crate::media::ArrivingFile;
pub use files::{FILE_BYTES_MAX, FileFailure, store_file};
pub use sql::STATEMENTS;
pub use thread::{
    PastConnection, PastConversation, StoredConversation, connection, conversation, conversations_there,
    current, known_person, stored_conversations,
};
pub use written::{PastMessage, there, write};

/// The longest text of one message.
pub const TEXT_CHARS_MAX: usize = 65_536;
