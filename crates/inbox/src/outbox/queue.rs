//! Queueing: what is to be handed over becomes a row.

use std::sync::{Arc, OnceLock};

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Tx};
use frontdesk_jobs::Place;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::job::{Job, LEASE, SendPayload, Subject};
use super::sql::{BEFORE, IN_FRONT, INSERT, INSERT_CLAIMED, OVERTAKE};
use super::{QUEUE, strangers};
use crate::connections::{Channel, ConnectionId, StoredConnection};
use crate::identities;
use crate::ids::{ConversationId, MessageId};
use crate::message::Message;

/// The lock of the row in front of a new one (`order`).
const FOR_SHARE: &str = "FOR SHARE";

/// What goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// Somebody waits for it.
    Interactive,
    /// One of many, such as a broadcast's: nobody waits for it.
    Bulk,
    /// Nobody does, and no message waits for it.
    Receipt,
}

impl Priority {
    pub(super) fn rank(self) -> i64 {
        match self {
            Self::Interactive => 0,
            Self::Bulk => 5,
            // The statements of `order` know this number too.
            Self::Receipt => 9,
        }
    }
}

/// A message to be queued.
pub(crate) struct Waiting {
    pub(crate) subject: Subject,
    /// The channel's id of the person.
    pub(crate) person: String,
    pub(crate) payload: SendPayload,
    /// The channel's id of the quoted message.
    pub(crate) reply_to: Option<String>,
    /// The message as its row was written; none if the row says more than the message.
    pub(crate) written: Option<Message>,
    /// Whether a contact has this id of the person.
    pub(crate) is_person_known: bool,
}

/// Queues a message for its channel.
pub(crate) fn queue(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &Arc<StoredConnection>,
    waiting: Waiting,
    priority: Priority,
) -> db::Result<()> {
    let parts = parts(connection.channel(), &waiting.payload);
    if parts.len() == 1
        && let Some(place) = take_place(tx, connection, waiting.subject.conversation)?
    {
        return hand_over(tx, by, vec![(place, claimed(by, connection, waiting))], priority);
    }
    line_up(tx, by, connection, &[(waiting, parts)], priority)
}

/// Queues messages with their parts, to be claimed.
pub(super) fn line_up(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    messages: &[(Waiting, Vec<SendPayload>)],
    priority: Priority,
) -> db::Result<()> {
    // The planned time of a message to a stranger depends on those before it.
    let at_once = if strangers::is_minded(connection) { 1 } else { usize::MAX };
    for messages in messages.chunks(at_once) {
        let due = strangers::due(tx, by, connection, messages[0].0.subject)?;
        line_up_for(tx, by, connection, messages, priority, due)?;
    }
    QUEUE.wake(tx, connection.id());
    Ok(())
}

/// Queues messages for a time. A row is ready from the start if nothing of its conversation is in front of it.
fn line_up_for(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    messages: &[(Waiting, Vec<SendPayload>)],
    priority: Priority,
    due: Timestamp,
) -> db::Result<()> {
    let (connection_id, rank) = (connection.id(), priority.rank());
    let turns: Vec<[&dyn db::Param; 3]> = messages
        .iter()
        .map(|(it, _)| [&connection_id as &dyn db::Param, &it.subject.conversation, &rank])
        .collect();
    tx.plan_by_index()?;
    if priority == Priority::Interactive {
        let _any_number = tx.execute_each(OVERTAKE, &turns)?;
    }
    let in_front = tx.find_each_locked(IN_FRONT, FOR_SHARE, &turns, db::only::<MessageId>)?;
    let mut parts = Vec::new();
    for ((it, payloads), in_front) in messages.iter().zip(in_front) {
        for (part, payload) in payloads.iter().enumerate() {
            // Only the first part quotes.
            let reply_to = it.reply_to.as_deref().filter(|_| part == 0);
            parts.push((it, part as i64, written(payload)?, reply_to, in_front.is_none() && part == 0));
        }
    }
    let mut rows: Vec<[&dyn db::Param; 11]> = Vec::with_capacity(parts.len());
    for (Waiting { subject, person, .. }, part, payload, reply_to, is_ready) in &parts {
        rows.push([
            &by.account,
            &subject.message,
            part,
            &connection_id,
            &subject.conversation,
            person,
            payload,
            reply_to,
            &rank,
            &due,
            is_ready,
        ]);
    }
    tx.execute_each(INSERT, &rows)?.into_iter().try_for_each(|touched| touched.exactly(1))
}

/// Takes a place with the sender of this process, so that a new message need not be claimed: if the sender has room, and
/// nothing of the conversation is before the message. Where another server may have charge of the connection, the sender
/// has none.
pub(super) fn take_place(
    tx: &mut Tx<'_>,
    connection: &StoredConnection,
    conversation: ConversationId,
) -> db::Result<Option<Place<ConnectionId, Job>>> {
    if strangers::is_minded(connection) {
        return Ok(None);
    }
    let Some(place) = QUEUE.take_place(tx, connection.id()) else { return Ok(None) };
    let before = tx.find(BEFORE, &[&connection.id(), &conversation], db::only::<MessageId>)?;
    Ok(before.is_none().then_some(place))
}

/// The job of a new message that the sender of this process gets at once.
pub(super) fn claimed(by: &By, connection: &Arc<StoredConnection>, waiting: Waiting) -> Job {
    let Waiting { subject, person, payload, reply_to, written, is_person_known } = waiting;
    Job {
        account: by.account,
        connection_id: connection.id(),
        message: subject.message,
        part: 0,
        conversation: subject.conversation,
        person,
        payload: Some(payload),
        reply_to,
        tries: 1,
        lease: db::new_lease(),
        mark: OnceLock::new(),
        connection: connection.clone(),
        written,
        is_person_known,
    }
}

/// Writes messages as claimed and hands them to the sender of this process.
pub(super) fn hand_over(
    tx: &mut Tx<'_>,
    by: &By,
    jobs: Vec<(Place<ConnectionId, Job>, Job)>,
    priority: Priority,
) -> db::Result<()> {
    let payloads = jobs.iter().filter_map(|(_, job)| job.payload.as_ref());
    let payloads: Vec<String> = payloads.map(written).collect::<db::Result<_>>()?;
    let priority = priority.rank();
    let mut rows: Vec<[&dyn db::Param; 12]> = Vec::with_capacity(jobs.len());
    for ((_, job), payload) in jobs.iter().zip(&payloads) {
        rows.push([
            &job.account,
            &job.message,
            &job.connection_id,
            &job.conversation,
            &job.person,
            payload,
            &priority,
            &by.now,
            &job.tries,
            &by.now,
            &job.lease,
            &job.reply_to,
        ]);
    }
    tx.insert_each(INSERT_CLAIMED, &rows)?;
    for (place, job) in jobs {
        place.hand_over(tx, job, by.now + LEASE);
    }
    Ok(())
}

/// What is said at once may take more than one call: where media has no caption, that follows as a text.
fn parts(channel: Channel, payload: &SendPayload) -> Vec<SendPayload> {
    match payload {
        SendPayload::Media { kind, url, caption: Some(caption), filename, upload }
            if matches!(channel, Channel::Messenger | Channel::Instagram) || kind == "audio" =>
        {
            let bare = SendPayload::Media {
                kind: kind.clone(),
                url: url.clone(),
                caption: None,
                filename: filename.clone(),
                upload: *upload,
            };
            vec![bare, SendPayload::Text { text: caption.clone() }]
        }
        whole => vec![whole.clone()],
    }
}

/// Queues the channel's read receipt.
pub(crate) fn queue_receipt(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    last: Subject,
    contact: ContactId,
    channel_message_id: &str,
) -> db::Result<()> {
    let person = identities::person_of(tx, by.account, contact, connection.id())?;
    let Some(person) = person else { return Ok(()) };
    let payload = SendPayload::Receipt { channel_message_id: channel_message_id.to_owned() };
    let none: Option<&str> = None;
    let params: &[&dyn db::Param] = &[
        &by.account,
        &last.message,
        &0_i64,
        &connection.id(),
        &last.conversation,
        &person,
        &written(&payload)?,
        &none,
        &Priority::Receipt.rank(),
        &by.now,
        // It waits for nothing.
        &true,
    ];
    let _queued_already_is_fine = tx.execute(INSERT, params)?;
    QUEUE.wake(tx, connection.id());
    Ok(())
}

pub(super) fn written(payload: &SendPayload) -> db::Result<String> {
    serde_json::to_string(payload).map_err(|_| db::Error::Decode("payload"))
}
