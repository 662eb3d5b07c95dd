//! Notices: a committed transaction tells the dashboards of its account to read something again.
//!
//! A notice is for changes that no event type reports, such as a customer's reaction. It has no id and is not stored,
//! so a stream that is not open misses it; the dashboard reads its threads again when it reconnects. Streams on the same
//! server learn which conversation has changed. Streams on other servers learn only that one has.

use frontdesk_db::{Topic, Tx};
use frontdesk_kernel::ids::{AccountId, ConversationId};
use serde_json::json;

use super::live::Live;
use crate::by::By;

/// The topic that carries notices between transactions and streams.
const TOPIC: Topic = "notices";
/// The name under which it is streamed.
const NAME: &str = "thread";
/// The data for streams that cannot know which thread has changed.
const ANY_THREAD: &str = "{}";

/// A conversation whose messages were changed.
struct ChangedConversation {
    account: AccountId,
    conversation: ConversationId,
}

/// Tells members' streams, once this transaction has committed, that a conversation's thread has changed.
pub fn thread_changed(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) {
    tx.send(TOPIC, ChangedConversation { account: by.account, conversation });
    // Wakes the other servers.
    tx.wake(TOPIC);
}

impl Live {
    /// Passes notices on to the streams of this server until it stops.
    pub(super) async fn pass_on_notices(self) {
        let wakes = self.store().wakes().clone();
        let mailbox = wakes.mailbox::<ChangedConversation>(TOPIC);
        let mut elsewhere = wakes.subscribe_elsewhere(TOPIC);
        let mut closing = self.closing();
        loop {
            tokio::select! {
                _ = closing.wait_for(|closing| *closing) => return,
                () = mailbox.wait() => {}
                Ok(()) = elsewhere.changed() => self.notify_all(NAME, ANY_THREAD),
            }
            for changed in mailbox.take_jobs() {
                let data = json!({ "conversation_id": changed.conversation });
                self.notify(changed.account, NAME, &data.to_string());
            }
        }
    }
}
