//! What happened to a conversation beside its messages: closed, reopened, assigned, handed over. A conversation shows these as
//! lines between the messages.

use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::{Actor, By};
use frontdesk_web::{Page, choice, resource};

use super::conversation::{Conversation, ConversationId, ConversationStatus, Handler};
use super::sql::{ERASE, INSERT_CHANGE};
use crate::ids::ConversationChangeId;

choice! {
    /// What happened.
    pub enum ConversationChangeKind {
        Closed => "closed",
        Reopened => "reopened",
        Assigned => "assigned",
        Unassigned => "unassigned",
        ToAssistant => "to_assistant",
        ToPerson => "to_person",
    }
}

db::text_column!(ConversationChangeKind);

resource! {
    /// One change of a conversation.
    pub struct ConversationChange {
        pub id: ConversationChangeId,
        pub kind: ConversationChangeKind,
        /// The member who did it.
        pub by_user_id: Option<UserId>,
        /// The assistant that did it. Neither is there when the customer, an API key or a timer did.
        pub by_assistant_id: Option<AssistantId>,
        /// The member it was assigned to.
        pub user_id: Option<UserId>,
        /// The assistant it was handed over to.
        pub assistant_id: Option<AssistantId>,
        pub created_at: Timestamp,
    }
}

/// Records what is different. This transaction has locked the conversation.
pub(super) fn record(tx: &mut Tx<'_>, by: &By, before: &Conversation, now: &Conversation) -> db::Result<()> {
    let (user, assistant) = match by.actor {
        Actor::Member(user) => (Some(user), None),
        Actor::Assistant(assistant) => (None, Some(assistant)),
        Actor::Key(_) | Actor::System => (None, None),
    };
    for kind in differences(before, now) {
        let assigned = now.assigned_user_id.filter(|_| kind == ConversationChangeKind::Assigned);
        let given = now.assistant_id.filter(|_| kind == ConversationChangeKind::ToAssistant);
        let id: ConversationChangeId = by.new_id();
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(now.id),
            Box::new(id),
            Box::new(kind),
            Box::new(user),
            Box::new(assistant),
            Box::new(assigned),
            Box::new(given),
        ];
        tx.execute_along(Query::whole(INSERT_CHANGE, params))?;
    }
    Ok(())
}

/// A conversation that begins has no changes: who handles it is where it starts.
fn differences(before: &Conversation, now: &Conversation) -> Vec<ConversationChangeKind> {
    use ConversationChangeKind as Kind;
    let mut kinds = Vec::new();
    if before.last_message_at.is_none() {
        return kinds;
    }
    let is_closed = |conversation: &Conversation| conversation.status == ConversationStatus::Closed;
    match (is_closed(before), is_closed(now)) {
        (true, false) => kinds.push(Kind::Reopened),
        (false, true) => kinds.push(Kind::Closed),
        _ => {}
    }
    if (before.handler, before.assistant_id) != (now.handler, now.assistant_id) {
        kinds.push(if now.handler == Handler::Assistant { Kind::ToAssistant } else { Kind::ToPerson });
    }
    if before.assigned_user_id != now.assigned_user_id {
        kinds.push(if now.assigned_user_id.is_some() { Kind::Assigned } else { Kind::Unassigned });
    }
    kinds
}

/// Changes of a conversation, newest first.
pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    conversation: ConversationId,
    page: &Page,
) -> db::Result<Vec<ConversationChange>> {
    let mut query = Query::new(
        "SELECT id, kind, by_user_id, by_assistant_id, user_id, assistant_id FROM conversation_changes WHERE account_id = ",
    );
    query.bind(account).push(" AND conversation_id = ").bind(conversation);
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, |row| {
        let id: ConversationChangeId = row.next()?;
        Ok(ConversationChange {
            id,
            kind: row.next()?,
            by_user_id: row.next()?,
            by_assistant_id: row.next()?,
            user_id: row.next()?,
            assistant_id: row.next()?,
            created_at: id.created_at(),
        })
    })
}

pub(crate) fn erase(tx: &mut Tx<'_>, account: AccountId, conversation: ConversationId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(ERASE, &[&account, &conversation])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use frontdesk_web::example::{self, Example};

    use super::*;

    #[test]
    fn each_difference_is_one_change_and_a_new_conversation_has_none() {
        use ConversationChangeKind as Kind;
        let open = Conversation::example();
        let closed = Conversation { status: ConversationStatus::Closed, ..open.clone() };
        let helped =
            Conversation { handler: Handler::Assistant, assistant_id: Some(example::id()), ..open.clone() };
        let assigned = Conversation { assigned_user_id: Some(example::id()), ..open.clone() };
        let pending = Conversation { status: ConversationStatus::Pending, ..open.clone() };
        let cases = [
            (&open, &closed, vec![Kind::Closed]),
            (&closed, &open, vec![Kind::Reopened]),
            (&open, &pending, vec![]),
            (&open, &helped, vec![Kind::ToAssistant]),
            (&helped, &open, vec![Kind::ToPerson]),
            (&helped, &assigned, vec![Kind::ToPerson, Kind::Assigned]),
            (&assigned, &open, vec![Kind::Unassigned]),
            (&closed, &helped, vec![Kind::Reopened, Kind::ToAssistant]),
        ];
        for (before, now, expected) in cases {
            assert_eq!(differences(before, now), expected);
            let new = Conversation { last_message_at: None, ..before.clone() };
            assert_eq!(differences(&new, now), []);
        }
    }
}
