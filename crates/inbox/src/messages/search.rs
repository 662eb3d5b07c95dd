//! Searching messages by any part of their text, whatever its case.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_search::messages::{MessageSearch, Messages, plain};
use frontdesk_web::{Page, filters};
use uuid::Uuid;

use super::message::{Message, MessageId};
use super::sql::message_columns;
use crate::conversations::ConversationId;
use crate::media::Links;

filters! {
    /// Which messages to search.
    pub struct SearchFilters {
        /// Any part of the text, whatever its case. Required.
        pub q: Option<Text<100>>,
        pub conversation_id: Option<ConversationId>,
        pub contact_id: Option<ContactId>,
        /// Only messages since this moment.
        pub since: Option<Timestamp>,
    }
}

/// A page of the messages that contain the query, newest first.
pub(super) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &SearchFilters,
    page: &Page,
    links: &Links,
    now: Timestamp,
) -> db::Result<Vec<Message>> {
    let Some(q) = filters.q.as_ref().map(|q| plain(q.as_str())) else { return Ok(Vec::new()) };
    let search = MessageSearch {
        account,
        q: &q,
        messages: &Wanted { filters, page, links, now },
        is_narrow: filters.conversation_id.is_some(),
        before: page.before,
        since: filters.since,
        rows_max: page.fetch() as usize,
    };
    search.find(tx)
}

/// The messages that a search looks at.
struct Wanted<'a> {
    filters: &'a SearchFilters,
    page: &'a Page,
    links: &'a Links,
    now: Timestamp,
}

impl Messages for Wanted<'_> {
    type Message = Message;
    const COLUMNS: &'static str = message_columns!("m.");

    /// Adds the filters. Messages of an erased contact are not found, although some may be left.
    fn narrow(&self, query: &mut Query) {
        query.push(" AND m.text IS NOT NULL AND ");
        if let Some(contact) = self.filters.contact_id {
            query.push("EXISTS (SELECT 1 FROM conversations v WHERE v.account_id = m.account_id AND v.id = m.conversation_id AND v.contact_id = ");
            query.bind(contact).push(")");
        } else {
            // A value, which is looked up for each message that is found. PostgreSQL makes a join of EXISTS, and may
            // then begin with every conversation of the account.
            query.push("(SELECT v.id FROM conversations v WHERE v.account_id = m.account_id AND v.id = m.conversation_id) IS NOT NULL");
        }
        if let Some(conversation) = self.filters.conversation_id {
            query.push(" AND m.conversation_id = ").bind(conversation);
        }
        if let Some(since) = self.filters.since {
            query.push(" AND m.id >= ").bind(MessageId::first_at(since));
        }
        if let Some(before) = self.page.before {
            query.push(" AND m.id < ").bind(before);
        }
    }

    fn read(&self, row: &mut Row<'_>) -> db::Result<Message> {
        super::read(row, self.links, self.now)
    }

    fn id(message: &Message) -> Uuid {
        message.id.uuid()
    }

    fn text(message: &Message) -> Option<&str> {
        message.text.as_deref()
    }
}
