//! The ids that several slices name, below all of them, so that none imports another for an id alone.

use frontdesk_kernel::Id;

pub use frontdesk_kernel::ids::ConversationId;

/// Marks the id of a message.
pub enum MessageRow {}
pub type MessageId = Id<MessageRow>;

/// Marks the id of a change of a conversation.
pub enum ConversationChangeRow {}
pub type ConversationChangeId = Id<ConversationChangeRow>;

/// Marks the id of an assistant's run, which a crate above keeps.
pub enum AssistantRun {}
pub type AssistantRunId = Id<AssistantRun>;
