//! The ceilings: the rows of messages, written without the server.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::Path;

use frontdesk_inbox::messages::{
    Direction, Message, MessageId, MessageStatus, MessageType, SenderType, event_types,
};
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_platform::events::EventId;
use frontdesk_search::messages as search;
use rusqlite::{CachedStatement, params};
use serde_json::json;

use super::fixture::{Conversation, Fixture};
use super::graph;
use crate::error::Result;
use crate::load::Load;
use crate::pgbench::MessageScripts;
use crate::run::Run;
use crate::site::Site;
use crate::{clock, people, raw, statements};

/// A message and what is written with it.
struct Row {
    conversation: Conversation,
    message: Message,
    text: String,
    event_id: EventId,
    event: String,
}

impl Row {
    fn inbound(conversation: Conversation, ids: &Ids) -> Self {
        let (now, number) = (clock::now(), people::reserve(1));
        let message = Message {
            direction: Direction::Inbound,
            sender_type: SenderType::Customer,
            status: MessageStatus::Delivered,
            channel_message_id: Some(graph::name_of(number)),
            ..going_out(conversation, ids, now, number)
        };
        Self::of(conversation, message, ids, now)
    }

    fn outbound(conversation: Conversation, ids: &Ids) -> Self {
        let (now, number) = (clock::now(), people::reserve(1));
        Self::of(conversation, going_out(conversation, ids, now, number), ids, now)
    }

    fn of(conversation: Conversation, message: Message, ids: &Ids, now: Timestamp) -> Self {
        let text = message.text.clone().unwrap_or_default();
        let event = json!({ "message": message }).to_string();
        Self { conversation, message, text, event_id: ids.next(now), event }
    }

    fn now(&self) -> i64 {
        self.message.created_at.millis()
    }

    fn change(&self) -> String {
        json!({ "message": self.message, "previous": { "status": MessageStatus::Sending } }).to_string()
    }

    fn payload(&self) -> String {
        json!({ "kind": "text", "text": self.text }).to_string()
    }
}

fn going_out(conversation: Conversation, ids: &Ids, now: Timestamp, number: u64) -> Message {
    let id: MessageId = ids.next(now);
    Message {
        id,
        conversation_id: conversation.id,
        direction: Direction::Outbound,
        sender_type: SenderType::Bot,
        r#type: MessageType::Text,
        text: Some(graph::news(number)),
        media_url: None,
        template_name: None,
        status: MessageStatus::Sending,
        channel_message_id: None,
        reply_to_message_id: None,
        created_at: id.created_at(),
    }
}

/// The values for pgbench's scripts.
pub(super) fn scripts(site: &Site, fixture: &Fixture) -> MessageScripts {
    let row = Row::outbound(fixture.conversations[0], &Ids::new());
    MessageScripts {
        account: site.accounts[0].id.to_string(),
        connection: fixture.connection.to_string(),
        conversations: fixture
            .conversations
            .iter()
            .map(|it| (it.id.to_string(), it.contact.to_string()))
            .collect(),
        person: fixture.person().to_owned(),
        payload: row.payload(),
        change: row.change(),
        event: row.event,
        text: row.text,
    }
}

/// Writes inbound messages on SQLite: the message, its conversation, its contact, its event and its row in the search
/// queue.
pub(super) fn inbound(file: &Path, site: &Site, fixture: &Fixture, load: &Load) -> Result<Run> {
    let search = SearchQueue::default();
    let (ids, mut turns) = (Ids::new(), fixture.conversations.iter().cycle());
    let make = || Ok(Row::inbound(*turns.next().ok_or("no conversations")?, &ids));
    let statements = [
        statements::insert_message(),
        statements::conversation_inbound(),
        statements::contact_inbound(),
        statements::insert_event_on_sqlite(),
        statements::queue_for_search(),
        statements::leave_search_queue(),
    ];
    let account = site.accounts[0].id.uuid();
    let account = account.as_bytes();
    let rows_max = load.connections;
    raw::run(file, load, rows_max, statements, make, |[message, heard, contact, event, queue, leave], row| {
        write_message(message, account, fixture, row)?;
        search.pass(queue, leave, account, row)?;
        let conversation = row.conversation.id.uuid();
        // The channel's timestamps are in seconds.
        let at = row.now() / 1000 * 1000;
        touched(heard.execute(params![
            account,
            conversation.as_bytes(),
            "open",
            row.now(),
            row.text,
            at,
            "human",
            None::<String>,
            false,
        ])?)?;
        // A contact is updated at most once a second, so this may touch no row.
        contact.execute(params![account, row.conversation.contact.uuid().as_bytes(), at])?;
        let kind = event_types::RECEIVED.name();
        event.execute(params![account, row.event_id.uuid().as_bytes(), kind, row.event])?;
        Ok(())
    })
}

/// Writes outbound messages on SQLite: the message, its conversation and its rows in the queues. One commit later it
/// writes that the channel accepted the message, with two events. A commit has at most `rows_max` messages.
pub(super) fn outbound(
    file: &Path,
    site: &Site,
    fixture: &Fixture,
    load: &Load,
    rows_max: usize,
) -> Result<Run> {
    let search = SearchQueue::default();
    let (ids, mut turns) = (Ids::new(), fixture.conversations.iter().cycle());
    // The messages of one commit are handed over while those of the next are written.
    let ahead = rows_max;
    let mut under_way = VecDeque::with_capacity(ahead + 1);
    let make = || {
        let row = Row::outbound(*turns.next().ok_or("no conversations")?, &ids);
        let number = people::reserve(1);
        let beside: EventId = ids.next(clock::now());
        let taken =
            Taken { message: row.message.id, name: graph::taken(number), change: row.change(), beside };
        under_way.push_back(taken);
        let taken = if under_way.len() > ahead { under_way.pop_front() } else { None };
        Ok((row.payload(), row, taken))
    };
    let statements = [
        statements::insert_message(),
        statements::conversation_outbound(),
        statements::queue_send(),
        statements::end_send(),
        statements::set_message(),
        statements::insert_status(),
        statements::insert_event_on_sqlite(),
        statements::queue_for_search(),
        statements::leave_search_queue(),
    ];
    let account = site.accounts[0].id.uuid();
    let account = account.as_bytes();
    let none = None::<String>;
    raw::run(
        file,
        load,
        rows_max,
        statements,
        make,
        |[message, said, send, end, set, status, event, queue, leave], (payload, row, taken)| {
            let (id, conversation) = (row.message.id.uuid(), row.conversation.id.uuid());
            let (id, conversation, connection) =
                (id.as_bytes(), conversation.as_bytes(), fixture.connection.uuid());
            write_message(message, account, fixture, row)?;
            search.pass(queue, leave, account, row)?;
            touched(said.execute(params![account, conversation, row.now(), row.text])?)?;
            let (connection, person) = (connection.as_bytes(), fixture.person());
            let queued =
                params![account, id, 0, connection, conversation, person, payload, none, 0, row.now(), true];
            touched(send.execute(queued)?)?;
            let Some(Taken { message, name, change, beside }) = taken else { return Ok(()) };
            let message = message.uuid();
            let message = message.as_bytes();
            touched(end.execute(params![account, message, 0])?)?;
            touched(set.execute(params![account, message, "sent", none, name, 1])?)?;
            touched(status.execute(params![account, message, 1, "sent", row.now(), none])?)?;
            let [sent, changed] = [event_types::SENT.name(), event_types::STATUS_CHANGED.name()];
            event.execute(params![account, row.event_id.uuid().as_bytes(), sent, row.event])?;
            event.execute(params![account, beside.uuid().as_bytes(), changed, change])?;
            Ok(())
        },
    )
}

/// The queue of messages that wait to be indexed for search. The index has its own writer.
#[derive(Default)]
struct SearchQueue {
    rows: Cell<i64>,
}

impl SearchQueue {
    /// Adds a message to the queue. The messages before it are removed in batches.
    fn pass(
        &self,
        queue: &mut CachedStatement<'_>,
        leave: &mut CachedStatement<'_>,
        account: &[u8; 16],
        row: &Row,
    ) -> Result<()> {
        let last = queue.insert(params![account, row.message.id.uuid().as_bytes()])?;
        self.rows.set(self.rows.get() + 1);
        if self.rows.get() % search::BATCH == 0 {
            leave.execute(params![last])?;
        }
        Ok(())
    }
}

/// A message of an earlier commit that the channel has accepted since.
struct Taken {
    message: MessageId,
    name: String,
    change: String,
    beside: EventId,
}

fn write_message(
    statement: &mut CachedStatement<'_>,
    account: &[u8; 16],
    fixture: &Fixture,
    row: &Row,
) -> Result<()> {
    let Row { message, .. } = row;
    let none = None::<String>;
    touched(statement.execute(params![
        account,
        message.id.uuid().as_bytes(),
        message.conversation_id.uuid().as_bytes(),
        fixture.connection.uuid().as_bytes(),
        message.direction.as_str(),
        message.sender_type.as_str(),
        message.r#type.as_str(),
        message.text,
        none,
        none,
        none,
        none,
        message.status.as_str(),
        message.channel_message_id,
        none,
        none,
        none,
    ])?)
}

fn touched(rows: usize) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(format!("{rows} rows where there should be one").into()) }
}
