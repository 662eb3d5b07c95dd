//! Queues notifications in the transaction of the event that they are about.
//!
//! Nobody is told about what they did themselves. Whether a notification is still worth sending is decided when it is sent.

use std::time::Duration;

use frontdesk_agent::asks;
use frontdesk_crm::notes;
use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_inbox::conversations::{self, ConversationId, Handler};
use frontdesk_inbox::messages;
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::events::{EventListener, WrittenEvent};
use frontdesk_platform::members::Role;
use frontdesk_platform::sign_in::sessions;
use frontdesk_platform::{Actor, By};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::FRESH_MAX;
use super::device::{DeviceId, PushKind, read_kinds};
use super::notice::{NoticeKind, may_answer};
use super::queue::{NotificationId, NotificationRow, PUSHES};
use super::sql::{ANY_DEVICE, ASSIGNED_NOW, CONVERSATION, LIVE, QUEUE};

/// Notifications that wait for one device. More than these nobody reads, so they are not queued.
const WAITING_MAX: i64 = 50;
/// A customer's message waits this long: whoever looks at the conversation reads it meanwhile, and a burst is told once.
const MESSAGE_DELAY: Duration = Duration::from_secs(1);

/// Tells members' browsers about events.
pub struct Notifications;

#[derive(Deserialize)]
struct OfMessage {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    id: Uuid,
    conversation_id: Uuid,
}

#[derive(Deserialize)]
struct OfNote {
    note: Note,
    #[serde(default)]
    mentioned_user_ids: Vec<Uuid>,
}

#[derive(Deserialize)]
struct Note {
    id: Uuid,
    conversation_id: Option<Uuid>,
    author_user_id: Uuid,
}

#[derive(Deserialize)]
struct OfConversation {
    conversation: Conversation,
}

#[derive(Deserialize)]
struct Conversation {
    id: Uuid,
    assigned_user_id: Option<Uuid>,
}

#[derive(Deserialize)]
struct OfAsk {
    ask: Ask,
}

#[derive(Deserialize)]
struct Ask {
    id: Uuid,
    tool: Option<String>,
}

/// A device with a valid session.
struct Device {
    id: DeviceId,
    user: UserId,
    kinds: Vec<PushKind>,
    scopes: Scopes,
}

/// A notification for everybody who wants it.
struct News {
    kind: NoticeKind,
    /// A later notification of the kind about the same takes its place.
    about: Uuid,
    /// What it is read from when it is sent.
    cause: Uuid,
    actor: Option<UserId>,
    delay: Duration,
}

impl EventListener for Notifications {
    /// Customers' messages are written by the system, and are the only frequent events that are told.
    fn expect(&self, tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
        if by.actor != Actor::System {
            return Ok(());
        }
        tx.prefetch(Query::whole(ANY_DEVICE, vec![Box::new(by.account)]))
    }

    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        let told: fn(&mut Tx<'_>, &By, &WrittenEvent<'_>) -> db::Result<()> = match event.event_type {
            name if name == messages::event_types::RECEIVED.name() => received,
            name if name == notes::CREATED.name() => noted,
            name if name == conversations::event_types::UPDATED.name() => assigned,
            name if name == conversations::event_types::HANDED_OVER.name() => handed_over,
            name if name == asks::event_types::CREATED.name() => asked,
            _ => return Ok(()),
        };
        if tx.find(ANY_DEVICE, &[&by.account], only::<DeviceId>)?.is_none() {
            return Ok(());
        }
        told(tx, by, event)
    }
}

fn read<T: DeserializeOwned>(event: &WrittenEvent<'_>) -> db::Result<T> {
    serde_json::from_str(event.data).map_err(|_| db::Error::Decode("event"))
}

fn received(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfMessage { message } = read(event)?;
    let news = News {
        kind: NoticeKind::Message,
        about: message.conversation_id,
        cause: message.id,
        actor: None,
        delay: MESSAGE_DELAY,
    };
    let devices = live(tx, by)?;
    if !devices.iter().any(|one| one.wants(PushKind::Messages) || one.wants(PushKind::Unassigned)) {
        return Ok(());
    }
    let found = tx.find(CONVERSATION, &[&by.account, &message.conversation_id], |row| {
        Ok((row.next::<Option<UserId>>()?, row.next::<Handler>()?))
    })?;
    let Some((assigned, Handler::Human)) = found else { return Ok(()) };
    tell(tx, by, &devices, &news, |device| match assigned {
        Some(user) => device.user == user && device.wants(PushKind::Messages),
        None => device.wants(PushKind::Unassigned),
    })
}

fn noted(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfNote { note, mentioned_user_ids: mentioned } = read(event)?;
    let Some(conversation) = note.conversation_id.filter(|_| !mentioned.is_empty()) else { return Ok(()) };
    let author = UserId::from_uuid(note.author_user_id);
    let news = News {
        kind: NoticeKind::Mention,
        about: conversation,
        cause: note.id,
        actor: Some(author),
        delay: Duration::ZERO,
    };
    let devices = live(tx, by)?;
    tell(tx, by, &devices, &news, |device| {
        device.user != author && mentioned.contains(&device.user.uuid()) && device.wants(PushKind::Mentions)
    })
}

fn assigned(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfConversation { conversation } = read(event)?;
    let Some(user) = conversation.assigned_user_id.map(UserId::from_uuid) else { return Ok(()) };
    let id = ConversationId::from_uuid(conversation.id);
    let since = Id::<NotificationRow>::first_at(by.now);
    // The event does not say what has changed. The line of the thread, written just before it, does.
    let params: &[&dyn db::Param] = &[&by.account, &id, &since, &user];
    if tx.find(ASSIGNED_NOW, params, only::<Uuid>)?.is_none() {
        return Ok(());
    }
    let devices = live(tx, by)?;
    let news = given(by, id);
    tell(tx, by, &devices, &news, |device| device.user == user && device.wants(PushKind::Assignments))
}

/// A conversation that an assistant hands over waits for the member it is assigned to, or for whoever takes it.
fn handed_over(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfConversation { conversation } = read(event)?;
    let id = ConversationId::from_uuid(conversation.id);
    let waits = tx.find(CONVERSATION, &[&by.account, &id], |row| {
        let (assigned, handler) = (row.next::<Option<UserId>>()?, row.next::<Handler>()?);
        let (_unread, handed_off): (i64, Option<Timestamp>) = (row.next()?, row.next()?);
        Ok((handler == Handler::Human && handed_off.is_some()).then_some(assigned))
    })?;
    match waits.flatten() {
        None => assigned(tx, by, event),
        Some(assigned) => {
            let devices = live(tx, by)?;
            let kind = if assigned.is_some() { NoticeKind::Assignment } else { NoticeKind::HandedOff };
            let news = News { kind, ..given(by, id) };
            tell(tx, by, &devices, &news, |device| match assigned {
                Some(user) => device.user == user && device.wants(PushKind::Assignments),
                None => device.wants(PushKind::Unassigned),
            })
        }
    }
}

fn given(by: &By, conversation: ConversationId) -> News {
    let actor = match by.actor {
        Actor::Member(user) => Some(user),
        Actor::Key(_) | Actor::Assistant(_) | Actor::System => None,
    };
    let id = conversation.uuid();
    News { kind: NoticeKind::Assignment, about: id, cause: id, actor, delay: Duration::ZERO }
}

fn asked(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfAsk { ask } = read(event)?;
    let devices = live(tx, by)?;
    let news =
        News { kind: NoticeKind::Ask, about: ask.id, cause: ask.id, actor: None, delay: Duration::ZERO };
    tell(tx, by, &devices, &news, |device| {
        device.wants(PushKind::Asks) && may_answer(device.scopes, ask.tool.as_deref())
    })
}

/// Queues a test for a device of the caller.
pub(super) fn queue_test(tx: &mut Tx<'_>, by: &By, device: DeviceId) -> db::Result<()> {
    let id = device.uuid();
    let news = News { kind: NoticeKind::Test, about: id, cause: id, actor: None, delay: Duration::ZERO };
    queue(tx, by, device, &news)
}

impl Device {
    fn wants(&self, kind: PushKind) -> bool {
        self.kinds.contains(&kind)
    }
}

fn live(tx: &mut Tx<'_>, by: &By) -> db::Result<Vec<Device>> {
    let (used_after, made_after) = sessions::bounds(by.now);
    tx.query(LIVE, &[&by.account, &used_after, &made_after], |row| {
        Ok(Device {
            id: row.next()?,
            user: row.next()?,
            kinds: read_kinds(&row.next::<String>()?),
            scopes: row.next::<Role>()?.scopes().effective(),
        })
    })
}

/// Queues the news for every device that is to be told, except those of the member who did it.
fn tell(
    tx: &mut Tx<'_>,
    by: &By,
    devices: &[Device],
    news: &News,
    is_told: impl Fn(&Device) -> bool,
) -> db::Result<()> {
    let others = devices.iter().filter(|device| by.actor != Actor::Member(device.user));
    others.filter(|device| is_told(device)).try_for_each(|device| queue(tx, by, device.id, news))
}

fn queue(tx: &mut Tx<'_>, by: &By, device: DeviceId, news: &News) -> db::Result<()> {
    let id: NotificationId = by.new_id();
    let (due_at, expires_at) = (by.now + news.delay, by.now + FRESH_MAX);
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &device,
        &news.kind,
        &news.about,
        &news.cause,
        &news.actor,
        &due_at,
        &expires_at,
        &WAITING_MAX,
    ];
    let _too_many_wait_already = tx.execute(QUEUE, params)?;
    PUSHES.wake(tx, device);
    Ok(())
}
