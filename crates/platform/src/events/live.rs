//! Live events: an account's events as server-sent events, without gaps or repetitions.
//!
//! A stream reads events in the order of [`order`], from its client's position. For each account with open
//! streams, one task reads new events once and passes them to all of them; a stream that is behind reads the
//! database itself until it has caught up. Passing events on is only an optimisation: a stream takes only
//! events after its own position, and reads the database itself if events are missing in between.

mod feed;
mod notified;
mod seats;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::scope::Scopes;
use frontdesk_web::{Failure, Param, Reply, Result};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use self::feed::Feed;
use self::seats::Seats;
use super::order::{self, EventPosition};
use super::{Event, PublicId, WRITTEN, public_id};
use crate::error::store_failure;
use crate::{auth_version, notices, public_endpoint};

/// Events that are read at a time.
const BATCH_ROWS_MAX: i64 = 200;
/// Batches that wait for a slow stream before it has to read the database itself.
const BATCHES_KEPT: usize = 64;
/// How often new events are polled for, and the minimum time between two reads.
const LOOK_PERIOD: Duration = Duration::from_secs(5);
const LOOK_GAP: Duration = Duration::from_millis(20);
/// On PostgreSQL an event may be visible a moment after its wake-up, so the read is repeated this often.
const LOOKS_AFTER_WAKE: u32 = 5;
/// Keeps proxies from closing an idle connection, and lets one notice that its own client has left: it closes the
/// stream when a ping cannot be passed on.
const PING_PERIOD: Duration = Duration::from_secs(3);
const PING: &[u8] = b": ping\n\n";
/// How often a stream checks that the caller may still listen, if no member, key or account has changed.
const CHECK_PERIOD: Duration = Duration::from_secs(15);
/// How often a server looks for changes of members, keys and accounts. Open streams then check at once.
const RIGHTS_PERIOD: Duration = Duration::from_secs(1);
/// The pause after a failed read.
const PAUSE: Duration = Duration::from_secs(1);
/// When a client reconnects after its stream has ended.
const RETRY_MILLIS: u64 = 1_000;
/// The name of the notice that carries a row of the inbox.
const ROW_NOTICE: &str = "inbox_row";

/// Reads the rows of the inbox that events have changed, as JSON, in the transaction that reads the events.
/// Returns one entry per event: the row of its conversation if no later event of the batch concerns the same
/// one. Each row is read once for all members who listen, so that none of them has to request it.
pub type RowReader = fn(&mut db::ReadTx<'_>, AccountId, &[&Event]) -> db::Result<Vec<Option<String>>>;

/// The open streams of one server; clones share them.
#[derive(Clone)]
pub struct Live(Arc<Inner>);

struct Inner {
    store: Store,
    rows: RowReader,
    accounts: Mutex<HashMap<AccountId, broadcast::Sender<Item>>>,
    seats: Seats,
    closing: watch::Sender<bool>,
    /// The version of members, keys and accounts that was seen last.
    rights: watch::Sender<i64>,
    /// The operator's last command that streams know of. None while no stream is open.
    last_command: Mutex<Option<LastCommand>>,
}

/// What differs after each command of the operator; none before the first.
type LastCommand = Option<String>;

/// An item for the streams of an account.
#[derive(Clone)]
enum Item {
    Events(Arc<Batch>),
    /// Not an event, such as presence. It is for members only, and for those with the scope if it has one.
    Notice(Option<Scope>, Bytes),
}

impl Item {
    fn notice(name: &str, data: &str) -> Self {
        Self::Notice(None, Bytes::from(format!("event: {name}\ndata: {data}\n\n")))
    }
}

/// Consecutive events.
struct Batch {
    after: EventPosition,
    through: EventPosition,
    events: Vec<Told>,
}

/// An event in the form in which it is sent.
struct Told {
    place: EventPosition,
    scope: Option<Scope>,
    text: String,
    /// A notice with the row of the event's conversation, for members.
    row: Option<String>,
}

/// The kind of listener.
#[derive(Clone, Copy, Debug)]
pub enum Listener {
    /// A program with a key: every event.
    Key,
    /// A member: the events that these scopes allow, and notices.
    Member(Scopes),
}

/// Whether a caller may still listen.
#[derive(Clone, Copy, Debug)]
pub enum Standing {
    /// With these rights, which may differ from before.
    Listens(Listener),
    Ended,
    /// The database did not respond: nothing changes.
    Unknown,
}

/// Checks whether the caller may still listen, and to what.
pub type StillGood = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Standing> + Send>> + Send + Sync>;

impl Live {
    pub fn new(store: Store, rows: RowReader) -> Self {
        Self(Arc::new(Inner {
            store,
            rows,
            accounts: Mutex::default(),
            seats: Seats::default(),
            closing: watch::Sender::default(),
            rights: watch::Sender::default(),
            last_command: Mutex::default(),
        }))
    }

    /// Closes every stream, now and from now on, because the server stops.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// How many streams are open.
    pub fn open_streams(&self) -> usize {
        self.0.seats.taken()
    }

    /// Sends a notice to the members who listen to an account.
    pub fn notify(&self, account: AccountId, name: &str, data: &str) {
        let accounts = self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = accounts.get(&account) {
            // There may be no listener.
            let _ = sender.send(Item::notice(name, data));
        }
    }

    /// Sends notices, as the text of a stream, to the members who listen to an account and have the scope.
    pub(super) fn notify_members(&self, account: AccountId, scope: Option<Scope>, stream: String) {
        let accounts = self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = accounts.get(&account) {
            // There may be no listener.
            let _ = sender.send(Item::Notice(scope, Bytes::from(stream)));
        }
    }

    /// Sends a notice to the members who listen to any account.
    pub(super) fn notify_all(&self, name: &str, data: &str) {
        let accounts = self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in accounts.values() {
            // There may be no listener.
            let _ = sender.send(Item::notice(name, data));
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.0.closing.subscribe()
    }

    /// Passes notices on, and applies changed rights to open streams, until the server stops.
    pub async fn keep_up(self) {
        tokio::join!(self.clone().pass_on_notices(), self.watch_rights());
    }

    /// Makes open streams check their callers when a member, a key or an account has changed, and tells them of the
    /// operator's commands, until the server stops.
    async fn watch_rights(self) {
        let mut closing = self.closing();
        loop {
            tokio::select! {
                () = closed(&mut closing) => return,
                () = sleep(RIGHTS_PERIOD) => {}
            }
            if self.0.seats.taken() == 0 {
                *self.known_command() = None;
                continue;
            }
            let look = |tx: &mut db::ReadTx<'_>| -> db::Result<_> {
                Ok((auth_version::version(tx)?, notices::last_command(tx)?))
            };
            match self.0.store.read(look).await {
                Ok((seen, command)) => {
                    self.0.rights.send_if_modified(|known| std::mem::replace(known, seen) != seen);
                    let known = self.known_command().replace(command.clone());
                    if known.is_some_and(|known| known != command) {
                        self.tell_anything();
                    }
                }
                Err(error) => tracing::warn!(%error, "changes of members could not be read; retrying in 1 s"),
            }
        }
    }

    fn known_command(&self) -> MutexGuard<'_, Option<LastCommand>> {
        self.0.last_command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream of a key or a session, `caller`, from the event that `Last-Event-ID` names, or from now on.
    #[expect(clippy::disallowed_methods, reason = "sets the times of pings and checks")]
    pub async fn open(
        &self,
        account: AccountId,
        caller: Uuid,
        listener: Listener,
        headers: &HeaderMap,
        still_good: StillGood,
    ) -> Result<public_endpoint::PublicResponse> {
        let last = last_event(headers)?;
        let seat = self.0.seats.take(account, caller)?;
        // Subscribed before the first read, so that no event is missed.
        let items = self.join(account);
        let begin = move |tx: &mut db::ReadTx<'_>| {
            let newest = order::newest(tx, account)?;
            let known = match last {
                Some(PublicId(id)) => order::place_of(tx, account, id)?,
                None => None,
            };
            db::Result::Ok((newest, known, notices::last_command(tx)?))
        };
        let (newest, known, command) =
            self.0.store.read(begin).await.map_err(|error| store_failure(&error))?;
        // The first stream begins to watch for commands.
        self.known_command().get_or_insert(command);
        let mut first = format!("retry: {RETRY_MILLIS}\n\n");
        if last.is_some() && known.is_none() {
            // The client reads everything again, and continues from here.
            first.push_str(&reset(newest));
        }
        let now = Instant::now();
        let feed = Feed {
            live: self.clone(),
            account,
            listener,
            items,
            place: known.unwrap_or(newest),
            is_behind: true,
            first: Some(Bytes::from(first)),
            closing: self.0.closing.subscribe(),
            still_good,
            ping: now + PING_PERIOD,
            check: now + CHECK_PERIOD,
            rights: self.0.rights.subscribe(),
            _seat: seat,
        };
        let frames =
            stream::unfold(feed, |mut feed| async move { feed.next().await.map(|bytes| (bytes, feed)) });
        let reply = Reply::new(StatusCode::OK, "")
            .header(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"))
            .header(CACHE_CONTROL, HeaderValue::from_static("no-store"))
            // Asks a proxy not to buffer.
            .header(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        Ok(public_endpoint::PublicResponse { reply, live: Some(Box::pin(frames)) })
    }

    /// Subscribes to an account's events. The first subscriber starts the task that reads for all.
    fn join(&self, account: AccountId) -> broadcast::Receiver<Item> {
        let mut accounts = self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = accounts.get(&account).filter(|sender| sender.receiver_count() > 0) {
            return sender.subscribe();
        }
        let (sender, receiver) = broadcast::channel(BATCHES_KEPT);
        accounts.insert(account, sender.clone());
        tokio::spawn(self.clone().read_for_all(account, sender));
        receiver
    }

    /// Reads new events of an account and passes them on while there are listeners. If it ends early, its
    /// streams end too, and their clients reconnect.
    async fn read_for_all(self, account: AccountId, sender: broadcast::Sender<Item>) {
        let reader = AccountReader { live: &self, account, sender };
        if let Err(error) = self.follow(account, &reader.sender).await {
            tracing::warn!(%account, %error, "live events were interrupted; clients come back by themselves");
        }
    }

    async fn follow(&self, account: AccountId, sender: &broadcast::Sender<Item>) -> db::Result<()> {
        let store = &self.0.store;
        let mut woken = store.wakes().subscribe(WRITTEN);
        let mut closing = self.0.closing.subscribe();
        let mut place = store.read(move |tx| order::newest(tx, account)).await?;
        // A listener may have read the database before this read. It must not wait for the next event to learn that it has
        // missed one.
        let _ =
            sender.send(Item::Events(Arc::new(Batch { after: place, through: place, events: Vec::new() })));
        loop {
            let mut looks = 1;
            tokio::select! {
                () = closed(&mut closing) => return Ok(()),
                Ok(()) = woken.changed() => {
                    if store.is_shared() {
                        looks = LOOKS_AFTER_WAKE;
                    }
                }
                () = sleep(LOOK_PERIOD) => {}
            }
            if sender.receiver_count() == 0 {
                return Ok(());
            }
            for look in 1..=looks {
                let events = self.read(account, place).await?;
                if let Some(last) = events.last() {
                    let through = last.place;
                    let is_full = events.len() as i64 == BATCH_ROWS_MAX;
                    // The loop notices above that there is no listener.
                    let _ = sender.send(Item::Events(Arc::new(Batch { after: place, through, events })));
                    place = through;
                    if is_full {
                        woken.mark_changed();
                    }
                    break;
                }
                sleep(LOOK_GAP * look).await;
            }
            sleep(LOOK_GAP).await;
        }
    }

    async fn read(&self, account: AccountId, place: EventPosition) -> db::Result<Vec<Told>> {
        let read_rows = self.0.rows;
        let read = move |tx: &mut db::ReadTx<'_>| {
            let events = order::after_place(tx, account, place, BATCH_ROWS_MAX)?;
            let rows = read_rows(tx, account, &events.iter().map(|(_, event)| event).collect::<Vec<_>>())?;
            let told = events.into_iter().zip(rows).map(|((place, event), row)| told(place, &event, row));
            Ok(told.collect())
        };
        self.0.store.read(read).await
    }
}

/// Waits until the server stops.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // The sender lives as long as there are streams, so this does not fail.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// The last event that the client has.
fn last_event(headers: &HeaderMap) -> Result<Option<PublicId>> {
    let Some(given) = headers.get("last-event-id") else { return Ok(None) };
    let text = given.to_str().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    PublicId::parse(text).map(Some).map_err(|wrong| {
        Failure::bad_request(format!(
            "The header Last-Event-ID {wrong}. Send the id of the last event, or leave it out."
        ))
    })
}

fn told(place: EventPosition, event: &Event, row: Option<String>) -> Told {
    // JSON on one line: a line break in a text is escaped, so it cannot end the event.
    let data = serde_json::to_string(event).unwrap_or_default();
    let Event { event_id, event_type, .. } = event;
    let text = format!("id: {event_id}\nevent: {event_type}\ndata: {data}\n\n");
    let row = row.map(|row| format!("event: {ROW_NOTICE}\ndata: {row}\n\n"));
    Told { place, scope: scope_of(event_type), text, row }
}

fn reset(newest: EventPosition) -> String {
    let id = newest.event().map(|id| format!("id: {}\n", public_id(id))).unwrap_or_default();
    format!("{id}event: reset\ndata: {{}}\n\n")
}

/// The scope that a member needs to see an event; none for events that every member may see.
fn scope_of(event_type: &str) -> Option<Scope> {
    let noun = event_type.split('.').next().unwrap_or_default();
    match noun {
        "contact" | "booking" => Some(Scope::ContactsRead),
        "note" | "conversation" => Some(Scope::ConversationsRead),
        "message" => Some(Scope::MessagesRead),
        "broadcast" => Some(Scope::BroadcastsRead),
        "deal" => Some(Scope::DealsRead),
        "inquiry" => Some(Scope::InquiriesRead),
        "run" => Some(Scope::RunsRead),
        "ask" => Some(Scope::AsksRead),
        "ai" => Some(Scope::AiUsage),
        "channel" => None,
        // Unknown types need the widest scope.
        _ => Some(Scope::WebhooksManage),
    }
}

/// The task that reads for the streams of an account. When it ends, even by a panic, its streams end too.
struct AccountReader<'l> {
    live: &'l Live,
    account: AccountId,
    sender: broadcast::Sender<Item>,
}

impl Drop for AccountReader<'_> {
    fn drop(&mut self) {
        let mut accounts = self.live.0.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.get(&self.account).is_some_and(|current| current.same_channel(&self.sender)) {
            accounts.remove(&self.account);
        }
    }
}

impl Listener {
    fn may_see(self, scope: Option<Scope>) -> bool {
        match self {
            Self::Key => true,
            Self::Member(scopes) => scope.is_none_or(|scope| scopes.contains(scope)),
        }
    }

    /// Whether notices with this scope are sent to this listener.
    fn hears(self, scope: Option<Scope>) -> bool {
        matches!(self, Self::Member(_)) && self.may_see(scope)
    }

    /// Whether rows of the inbox are sent to this listener.
    fn sees_rows(self) -> bool {
        matches!(self, Self::Member(scopes) if scopes.contains(Scope::ConversationsRead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_sees_what_the_role_may_see() {
        let agent = Listener::Member(crate::members::Role::Agent.scopes());
        let owner = Listener::Member(crate::members::Role::Owner.scopes());
        for seen in
            ["message.received", "conversation.updated", "deal.closed", "channel.connected", "ask.created"]
        {
            assert!(agent.may_see(scope_of(seen)), "{seen}");
        }
        for hidden in ["ai.budget_warning", "webhook.test", "unheard.of"] {
            assert!(!agent.may_see(scope_of(hidden)), "{hidden}");
            assert!(owner.may_see(scope_of(hidden)) && Listener::Key.may_see(scope_of(hidden)), "{hidden}");
        }
        assert!(agent.sees_rows() && owner.sees_rows() && !Listener::Key.sees_rows());
        let keys = Some(Scope::WebhooksManage);
        assert!(
            owner.hears(keys) && !agent.hears(keys) && agent.hears(None),
            "keys are for owners and admins"
        );
        assert!(!Listener::Key.hears(keys) && !Listener::Key.hears(None), "notices are for members");
    }
}
