//! Presence: which member currently looks at which conversation, and who is typing.
//!
//! Nothing is stored. Each server has its own members; a member without a report for 45 seconds is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use frontdesk_inbox::web_chat::VisitorRegistry;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, ConversationId, UserId};
use frontdesk_platform::events::live::Live;
use frontdesk_web::{Failure, FieldPath, Input, Problems, Result, input, resource};
use serde_json::Value;

/// A member without a report for this long is gone.
const SEEN_FOR: Duration = Duration::from_secs(45);
/// The name under which presence is streamed.
const NAME: &str = "presence";

input! {
    /// What a member looks at.
    pub struct Seen {
        /// Null for none.
        pub conversation_id: Option<ConversationId>,
        pub typing: bool,
    }
}

/// Reads a member's report.
pub(crate) fn read(body: &Bytes) -> Result<Seen> {
    let value: Value = serde_json::from_slice(body).map_err(|wrong| {
        Failure::bad_request(format!("The body is not JSON: {wrong}. Correct it and send it again."))
    })?;
    let mut problems = Problems::new();
    Seen::read(Some(&value), &mut FieldPath::root(), &mut problems)
        .ok_or_else(|| Failure::validation(problems))
}

/// The conversation that one member looks at.
#[derive(Clone, Copy)]
struct Place {
    conversation: ConversationId,
    typing: bool,
    until: Timestamp,
}

/// What each member on this server looks at.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<HashMap<AccountId, HashMap<UserId, Place>>>>);

impl Places {
    /// Whether a member looks at a conversation.
    pub fn is_at(
        &self,
        account: AccountId,
        user: UserId,
        conversation: ConversationId,
        now: Timestamp,
    ) -> bool {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = accounts.get(&account).and_then(|members| members.get(&user));
        place.is_some_and(|place| place.conversation == conversation && place.until > now)
    }
}

/// The presence of all members on this server.
pub struct Presence {
    live: Live,
    visitors: VisitorRegistry,
    places: Places,
}

resource! {
    /// Everyone who looks at a conversation, as the stream sends it.
    pub struct ConversationPresence {
        pub conversation_id: ConversationId,
        pub members: Vec<PresentMember>,
    }
}

resource! {
    /// A member who looks at a conversation.
    pub struct PresentMember {
        pub user_id: UserId,
        pub typing: bool,
    }
}

resource! {
    /// The response to a report.
    pub struct SeenReply {
        pub ok: bool,
    }
}

impl Presence {
    pub fn new(live: Live, visitors: VisitorRegistry, places: Places) -> Self {
        Self { live, visitors, places }
    }

    pub(crate) fn live(&self) -> &Live {
        &self.live
    }

    /// Stores what a member looks at, and notifies the others about every conversation in which that changed. A website
    /// visitor learns whether somebody is typing.
    pub(crate) fn put(&self, account: AccountId, user: UserId, seen: Seen, now: Timestamp) {
        let published: Vec<ConversationPresence> = {
            let mut accounts = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
            let members = accounts.entry(account).or_default();
            let mut changed = gone(members, now);
            let before = members.remove(&user);
            changed.extend(before.map(|place| place.conversation));
            if let Some(conversation) = seen.conversation_id {
                members.insert(user, Place { conversation, typing: seen.typing, until: now + SEEN_FOR });
                changed.push(conversation);
            }
            changed.sort_unstable();
            changed.dedup();
            let published = changed.into_iter().map(|conversation| present(members, conversation)).collect();
            if members.is_empty() {
                accounts.remove(&account);
            }
            published
        };
        for present in published {
            let is_typing = present.members.iter().any(|member| member.typing);
            self.visitors.set_typing(account, present.conversation_id, is_typing);
            if let Ok(data) = serde_json::to_string(&present) {
                self.live.notify(account, NAME, &data);
            }
        }
    }
}

/// Removes members without a recent report; returns the conversations that they looked at.
fn gone(members: &mut HashMap<UserId, Place>, now: Timestamp) -> Vec<ConversationId> {
    let left: Vec<UserId> =
        members.iter().filter(|(_, place)| place.until <= now).map(|(user, _)| *user).collect();
    left.into_iter().filter_map(|user| members.remove(&user)).map(|place| place.conversation).collect()
}

fn present(members: &HashMap<UserId, Place>, conversation: ConversationId) -> ConversationPresence {
    let mut here: Vec<PresentMember> = members
        .iter()
        .filter(|(_, place)| place.conversation == conversation)
        .map(|(user, place)| PresentMember { user_id: *user, typing: place.typing })
        .collect();
    here.sort_unstable_by_key(|member| member.user_id);
    ConversationPresence { conversation_id: conversation, members: here }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn user(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn talk(number: u128) -> ConversationId {
        ConversationId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn whoever_says_nothing_is_gone() {
        let at = Timestamp::from_millis(1_000_000);
        let place = |conversation, until| Place { conversation, typing: true, until };
        let mut members = HashMap::from([
            (user(1), place(talk(7), at)),
            (user(2), place(talk(7), at + SEEN_FOR)),
            (user(3), place(talk(8), at + SEEN_FOR)),
        ]);
        assert_eq!(gone(&mut members, at), [talk(7)]);
        let here = present(&members, talk(7));
        assert_eq!(here.members.iter().map(|member| member.user_id).collect::<Vec<_>>(), [user(2)]);
        assert!(present(&members, talk(9)).members.is_empty());
    }

    #[test]
    fn what_is_said_must_be_whole() {
        let read = |text: &'static str| read(&Bytes::from_static(text.as_bytes()));
        assert!(read(r#"{"conversation_id":null,"typing":false}"#).unwrap().conversation_id.is_none());
        for wrong in ["", "[]", "{}", r#"{"conversation_id":"x","typing":true}"#, r#"{"typing":"yes"}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
