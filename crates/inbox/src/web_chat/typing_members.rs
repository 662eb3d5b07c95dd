//! Members who are typing, for the visitors of the conversations.
//!
//! Nothing is stored. Like presence, it is known only on the server that was told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::ids::AccountId;
use tokio::sync::watch;

use crate::conversations::ConversationId;

type Key = (AccountId, ConversationId);

/// The conversations whose visitors have a stream open, and whether a member types in each; clones share it.
#[derive(Clone, Default)]
pub(super) struct TypingMembers(Arc<Mutex<HashMap<Key, watch::Sender<bool>>>>);

impl TypingMembers {
    /// Tells the visitor's streams whether a member is typing.
    pub(super) fn set(&self, account: AccountId, conversation: ConversationId, is_typing: bool) {
        let watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = watched.get(&(account, conversation))
            && (is_typing || *sender.borrow())
        {
            sender.send_replace(is_typing);
        }
    }

    /// Watches a conversation for a visitor's stream.
    pub(super) fn watch(&self, account: AccountId, conversation: ConversationId) -> TypingWatch {
        let key = (account, conversation);
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut receiver = watched.entry(key).or_insert_with(|| watch::Sender::new(false)).subscribe();
        if *receiver.borrow() {
            receiver.mark_changed();
        }
        TypingWatch { members: self.clone(), key, receiver }
    }
}

/// One stream's watch, ended when it is dropped.
pub(super) struct TypingWatch {
    members: TypingMembers,
    key: Key,
    receiver: watch::Receiver<bool>,
}

impl TypingWatch {
    /// Waits until something is told: whether a member is typing.
    pub(super) async fn changed(&mut self) -> bool {
        // The sender lives as long as this watch.
        let _ = self.receiver.changed().await;
        *self.receiver.borrow_and_update()
    }
}

impl Drop for TypingWatch {
    fn drop(&mut self) {
        let mut watched = self.members.0.lock().unwrap_or_else(PoisonError::into_inner);
        // This one is still counted.
        if watched.get(&self.key).is_some_and(|sender| sender.receiver_count() <= 1) {
            watched.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use uuid::Uuid;

    fn account(number: u128) -> AccountId {
        AccountId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn only_the_conversation_of_the_same_account_is_told() {
        let members = TypingMembers::default();
        let conversation = ConversationId::from_uuid(Uuid::from_u128(7));
        let mut watch = members.watch(account(1), conversation);
        members.set(account(2), conversation, true);
        members.set(account(1), ConversationId::from_uuid(Uuid::from_u128(8)), true);
        members.set(account(1), conversation, false);
        assert_eq!(watch.changed().now_or_never(), None, "nobody was typing before, and nobody is now");
        members.set(account(1), conversation, true);
        assert_eq!(watch.changed().now_or_never(), Some(true));
        assert_eq!(members.watch(account(1), conversation).changed().now_or_never(), Some(true));
        members.set(account(1), conversation, false);
        assert_eq!(watch.changed().now_or_never(), Some(false));
    }

    #[test]
    fn a_conversation_without_a_stream_is_forgotten() {
        let members = TypingMembers::default();
        let conversation = ConversationId::from_uuid(Uuid::from_u128(7));
        let (one, other) = (members.watch(account(1), conversation), members.watch(account(1), conversation));
        drop(one);
        assert_eq!(members.0.lock().unwrap().len(), 1);
        drop(other);
        assert!(members.0.lock().unwrap().is_empty());
    }
}
