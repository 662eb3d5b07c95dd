//! The inbox's list: conversations by their last activity, filtered and searched.

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::Text;
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::{By, Caller, Error};
use frontdesk_search::Needle;
use frontdesk_web::{
    Components, Data, Describe, List, Listing, Page, Param, Path, Result, filters, resource,
};
use serde_json::{Value, json};

use super::row::{self, Found, InboxRow};
use super::sql::COUNT;
use crate::connections::{Channel, ConnectionId};
use crate::conversations::{ConversationId, ConversationStatus, Handler, MISSING};

/// Whose conversations are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assigned {
    Me,
    Nobody,
    To(UserId),
}

impl Param for Assigned {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        match text {
            "me" => Ok(Self::Me),
            "nobody" => Ok(Self::Nobody),
            id => id.parse().map(Self::To).map_err(|_| "must be me, nobody or a member's id".to_owned()),
        }
    }

    fn schema(components: &mut Components) -> Value {
        json!({ "anyOf": [{ "type": "string", "enum": ["me", "nobody"] }, <UserId as Describe>::schema(components)] })
    }
}

filters! {
    /// Which conversations to list.
    pub struct InboxFilters {
        /// `me`, `nobody` or a member's id. Conversations with an assistant do not count as assigned to nobody.
        pub assigned: Option<Assigned>,
        /// Conversations with an assistant do not count as unread.
        pub unread: Option<bool>,
        /// Conversations that were handed off and that no person has answered yet, or the others.
        pub needs_person: Option<bool>,
        pub channel: Option<Channel>,
        pub connection_id: Option<ConnectionId>,
        pub status: Option<ConversationStatus>,
        pub handler: Option<Handler>,
        /// Any part of the contact's name, phone or email, or of the last message.
        pub q: Option<Text<100>>,
    }
}

resource! {
    /// Open conversations, counted for the list's tabs.
    pub struct InboxCounts {
        pub mine: i64,
        /// Those without a member or an assistant.
        pub unassigned: i64,
        pub all: i64,
        /// Those with unread messages, except those with an assistant.
        pub unread: i64,
        /// Those that were handed off and that no person has answered yet.
        pub needs_person: i64,
        /// Those that an assistant handles.
        pub with_assistant: i64,
    }
}

pub(super) async fn list(caller: Caller, listing: Listing<InboxFilters>) -> Result<List<InboxRow>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller.scan(move |tx, by| find(tx, by, &filters, &asked).map_err(Error::from)).await?;
    Ok(page.finish_at(rows, |row| (row.last_activity_at, row.conversation.id.uuid())))
}

pub(super) async fn get(caller: Caller, Path(id): Path<ConversationId>) -> Result<Data<InboxRow>> {
    let row =
        caller.read(move |tx, by| row::by_ids(tx, by.account, &[id])?.into_iter().next().ok_or(MISSING));
    row.await.map(Data)
}

pub(super) async fn counts(caller: Caller) -> Result<Data<InboxCounts>> {
    let counted = caller.scan(move |tx, by| {
        let me = by.author(tx)?;
        let counts = tx.find(COUNT, &[&by.account, &me], |row| {
            Ok(InboxCounts {
                all: row.next()?,
                mine: row.next()?,
                unassigned: row.next()?,
                unread: row.next()?,
                needs_person: row.next()?,
                with_assistant: row.next()?,
            })
        })?;
        counts.ok_or(Error::Store(db::Error::Decode("counts")))
    });
    counted.await.map(Data)
}

fn find(tx: &mut ReadTx<'_>, by: &By, filters: &InboxFilters, page: &Page) -> db::Result<Vec<InboxRow>> {
    let mut query = Query::new(row::SELECT);
    query.bind(by.account).push(" AND v.last_message_at IS NOT NULL");
    match filters.assigned {
        Some(Assigned::Me) => {
            let me = by.author(tx)?;
            query.push(" AND v.assigned_user_id = ").bind(me);
        }
        Some(Assigned::To(user)) => {
            query.push(" AND v.assigned_user_id = ").bind(user);
        }
        Some(Assigned::Nobody) => {
            query.push(" AND v.assigned_user_id IS NULL AND v.handler = 'human'");
        }
        None => {}
    }
    match filters.unread {
        Some(true) => query.push(" AND v.unread_count > 0 AND v.handler = 'human'"),
        Some(false) => query.push(" AND (v.unread_count = 0 OR v.handler = 'assistant')"),
        None => &mut query,
    };
    match filters.needs_person {
        Some(true) => query.push(" AND v.handed_off_at IS NOT NULL"),
        Some(false) => query.push(" AND v.handed_off_at IS NULL"),
        None => &mut query,
    };
    if let Some(channel) = filters.channel {
        query.push(" AND v.channel = ").bind(channel);
    }
    if let Some(connection_id) = filters.connection_id {
        query.push(" AND v.connection_id = ").bind(connection_id);
    }
    match filters.status {
        // Written out, so that the index of open conversations serves it.
        Some(ConversationStatus::Open) => query.push(" AND v.status = 'open'"),
        Some(status) => query.push(" AND v.status = ").bind(status),
        None => &mut query,
    };
    if let Some(handler) = filters.handler {
        query.push(" AND v.handler = ").bind(handler);
    }
    if let (Some(at), Some(id)) = (page.before_at, page.before) {
        query.push(" AND (v.last_message_at, v.id) < (").bind(at).push(", ").bind(id).push(")");
    }
    query.push(" ORDER BY v.last_message_at DESC, v.id DESC");
    let needle = filters.q.as_ref().and_then(|q| Needle::new(q.as_str()));
    let found = if let Some(needle) = needle {
        tx.pick(&query, page.fetch() as usize, |row| {
            let found = row::read(row)?;
            Ok(is_meant(&found, &needle).then_some(found))
        })?
    } else {
        query.push(" LIMIT ").bind(page.fetch());
        tx.run(&query, row::read)?
    };
    row::complete(tx, by.account, found)
}

/// Whether a row matches the search.
fn is_meant(found: &Found, needle: &Needle) -> bool {
    let Found { conversation, contact, email, .. } = found;
    let fields = [
        contact.name.as_deref(),
        contact.phone.as_deref(),
        email.as_deref(),
        conversation.last_message_text.as_deref(),
    ];
    needle.is_in(&frontdesk_search::text(fields))
}
