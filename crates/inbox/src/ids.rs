//! The ids that several slices name, below all of them, so that none imports another for an id alone.

use frontdesk_kernel::Id;

pub use frontdesk_kernel::ids::ConversationId;

/// Marks the id of a message.
pub enum MessageRow {}
pub type MessageId = Id<MessageRow>;
