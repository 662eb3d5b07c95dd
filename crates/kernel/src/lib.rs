//! Common values: ids, time, money, scopes, phones, cursors.
//!
//! Everything here is pure. Nothing reads a clock, touches a disk or opens a socket, and every value is
//! valid, because it was parsed on its way in.

pub mod country;
pub mod cursor;
pub mod date;
pub mod email;
#[cfg(test)]
mod fuzzed;
mod hex;
pub mod id;
pub mod key;
pub mod mac;
pub mod money;
pub mod patch;
pub mod phone;
pub mod scope;
pub mod secret;
pub mod storable;
pub mod text;
pub mod time;

pub use country::Country;
pub use date::Date;
pub use email::Email;
pub use hex::{hex, unhex};
pub use id::{Id, Ids};
pub use money::{Currency, Money};
pub use patch::Patch;
pub use phone::Phone;
pub use scope::Scope;
pub use secret::Secret;
pub use text::Text;
pub use time::Timestamp;

/// Ids that several crates use.
pub mod ids {
    use crate::Id;

    /// Marks the id of an account.
    pub enum Account {}
    /// Marks the id of a member of an account.
    pub enum User {}
    /// Marks the id of an API key.
    pub enum ApiKey {}
    /// Marks the id of an assistant.
    pub enum Assistant {}
    /// Marks the id of a conversation.
    pub enum Conversation {}

    pub type AccountId = Id<Account>;
    pub type UserId = Id<User>;
    pub type ApiKeyId = Id<ApiKey>;
    pub type AssistantId = Id<Assistant>;
    pub type ConversationId = Id<Conversation>;
}
