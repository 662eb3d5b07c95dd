//! The stream: new messages of a visitor's conversation, as server-sent events.
//!
//! It begins with the latest messages, or after the last one that the visitor has. Commits wake it, and it
//! also polls, so a lost wake-up delays a message by seconds and loses none. A message written to the visitor
//! counts as delivered. Between messages it tells how far the team has read, and whether a member is typing.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_channels::ReportStatus;
use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::public_endpoint::{ByteStream, PublicResponse};
use frontdesk_platform::{ServerContext, events};
use frontdesk_web::{Failure, Pairs, Reply, Result};
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, StatusCode};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::chat_request::ChatRequest;
use super::conversation::{StreamedMessage, VisitorConversation};
use super::limits::{Action, LimitKey};
use super::messages::report;
use super::progress::Progress;
use super::registry::{CloseReason, NoSlot, StreamSlot};
use super::sse;
use super::typing_members::{TypingMembers, TypingWatch};
use crate::connections::StoredConnection;
use crate::conversations::ConversationId;
use crate::media::Links;
use crate::messages::MessageId;

/// A stream ends after this long by the server's clock, and the browser opens another. The clock is checked
/// with every read.
const STREAM_MILLIS_MAX: i64 = 60 * 60 * 1_000;
/// Messages at the beginning of a stream for a visitor who has none.
const HISTORY_ROWS_MAX: i64 = 50;
/// Messages sent at a time.
const BATCH_ROWS_MAX: i64 = 100;
/// How often a stream polls, and the minimum time between two reads however often it is woken.
const LOOK_PERIOD: Duration = Duration::from_secs(5);
const LOOK_GAP: Duration = Duration::from_millis(500);
/// A proxy closes the stream when it cannot pass a ping on, because its own client has left.
const PING_PERIOD: Duration = Duration::from_secs(3);
/// When a browser reconnects after a stream that ended, and after one that was replaced. A shorter delay
/// would make the pages of a visitor with too many of them replace each other's streams constantly.
const RETRY_PAUSE: Duration = Duration::from_secs(3);
const REPLACED_PAUSE: Duration = Duration::from_mins(1);
/// `Retry-After` if the server has no slot left, or none for this address.
const FULL_SECONDS: i64 = 30;

/// Opens a stream of the visitor's conversation.
#[expect(clippy::disallowed_methods, reason = "paces pings and looks")]
pub(super) fn open(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor_by_address(Action::Look)?;
    let progress = last_known(chat)?.map_or_else(Progress::default, Progress::from);
    let slot = chat.registry.slot(visitor.id, LimitKey::at(chat.request.address)).map_err(no_seat)?;
    let server = chat.server.clone();
    let now = Instant::now();
    let feed = Feed {
        // Subscribed before the first read, so that no wake-up is missed.
        woken: server.store.wakes().subscribe(events::WRITTEN),
        theirs: VisitorConversation::new(&chat.connection, &visitor, Links::of(&server.services)),
        connection: chat.connection.clone(),
        server,
        slot,
        typing_members: chat.registry.typing().clone(),
        typing: None,
        progress,
        read_by_team: None,
        conversation: None,
        page: None,
        written: Vec::new(),
        is_greeted: false,
        is_over: false,
        is_woken: false,
        looked: now,
        look: now,
        ping: now + PING_PERIOD,
        end: Timestamp::from_millis(chat.request.now.millis() + STREAM_MILLIS_MAX),
    };
    let live: ByteStream =
        Box::pin(stream::unfold(
            feed,
            |mut feed| async move { feed.next().await.map(|bytes| (bytes, feed)) },
        ));
    let reply = Reply::new(StatusCode::OK, "")
        .header(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"))
        // Asks a proxy not to buffer.
        .header(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(PublicResponse { reply, live: Some(live) })
}

fn no_seat(why: NoSlot) -> Failure {
    match why {
        NoSlot::Full => Failure::busy(FULL_SECONDS).of_limit("web_chat_streams"),
        NoSlot::AddressFull => Failure::rate_limited(
            format!(
                "Too many chat streams are open from this address. Close one, or try again in {FULL_SECONDS} seconds; \
                 GET …/messages works meanwhile."
            ),
            FULL_SECONDS,
        )
        .of_limit("web_chat_streams"),
    }
}

/// The last message that the visitor has. A reconnecting browser sends it in a header, a page in the query;
/// the header is more recent.
fn last_known(chat: &ChatRequest<'_>) -> Result<Option<MessageId>> {
    if let Some(last) = chat.request.header("last-event-id").and_then(|id| id.trim().parse().ok()) {
        return Ok(Some(last));
    }
    let query = Pairs::parse(&chat.request.query);
    let Some(after) = query.given("after") else { return Ok(None) };
    after.parse().map(Some).map_err(|_| {
        Failure::bad_request("The query parameter after must be a message's id. Correct it or leave it out.")
    })
}

/// Waits until a member types or stops, if the visitor has a conversation.
async fn told(typing: &mut Option<TypingWatch>) -> bool {
    match typing {
        Some(typing) => typing.changed().await,
        None => std::future::pending().await,
    }
}

/// One stream and its position.
struct Feed {
    server: ServerContext,
    connection: StoredConnection,
    theirs: VisitorConversation,
    slot: StreamSlot,
    woken: watch::Receiver<u64>,
    typing_members: TypingMembers,
    /// Set once the visitor has a conversation.
    typing: Option<TypingWatch>,
    progress: Progress,
    /// How far the team had read when it was last told.
    read_by_team: Option<MessageId>,
    conversation: Option<ConversationId>,
    /// Where the next read continues, if a read found more than one batch.
    page: Option<MessageId>,
    /// Messages that were written to the connection and are not marked as delivered yet.
    written: Vec<MessageId>,
    is_greeted: bool,
    is_over: bool,
    is_woken: bool,
    looked: Instant,
    look: Instant,
    ping: Instant,
    end: Timestamp,
}

impl Feed {
    /// The next bytes to write. A call means that the previous bytes were written.
    #[expect(clippy::disallowed_methods, reason = "paces pings and looks")]
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if !self.is_greeted {
            self.is_greeted = true;
            return Some(sse::retry(RETRY_PAUSE).into());
        }
        self.note_delivered().await;
        while (self.server.clock)() < self.end {
            tokio::select! {
                biased;
                closed = self.slot.closed() => {
                    self.is_over = true;
                    return (closed == CloseReason::Replaced).then(|| sse::retry(REPLACED_PAUSE).into());
                }
                () = sleep_until(self.look) => {
                    let news = self.look().await;
                    if !news.is_empty() {
                        return Some(news.into());
                    }
                }
                () = sleep_until(self.ping) => {
                    self.ping = Instant::now() + PING_PERIOD;
                    return Some(Bytes::from_static(sse::PING.as_bytes()));
                }
                is_typing = told(&mut self.typing) => return Some(sse::typing(is_typing).into()),
                Ok(()) = self.woken.changed(), if !self.is_woken => {
                    self.is_woken = true;
                    self.look = self.look.min(self.looked + LOOK_GAP);
                }
            }
        }
        None
    }

    /// What to send of messages and of how far they are read. A failed read is repeated at the next poll.
    #[expect(clippy::disallowed_methods, reason = "paces pings and looks")]
    async fn look(&mut self) -> String {
        self.is_woken = false;
        self.looked = Instant::now();
        self.look = self.looked + LOOK_PERIOD;
        let (found, read_by_team) = match self.read().await {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(%error, "reading messages for a web chat stream failed");
                return String::new();
            }
        };
        self.page = found.last().filter(|_| found.len() as i64 == BATCH_ROWS_MAX).map(|last| last.seen.id);
        if self.page.is_some() {
            self.look = self.looked;
        }
        let news = self.progress.mark_sent(found);
        self.written.extend(news.iter().filter(|found| found.is_news).map(|found| found.seen.id));
        let mut frames = sse::messages(&news);
        if let Some(read) = read_by_team.filter(|read| Some(*read) > self.read_by_team) {
            self.read_by_team = Some(read);
            frames.push_str(&sse::read(read));
        }
        frames
    }

    /// The next messages, and how far the team has read.
    async fn read(&mut self) -> db::Result<(Vec<StreamedMessage>, Option<MessageId>)> {
        let (theirs, known, now) = (self.theirs.clone(), self.conversation, (self.server.clock)());
        let from = self.page.or_else(|| self.progress.has_begun().then(|| self.progress.floor()));
        let read = self.server.store.read(move |tx| {
            let Some(conversation) = known.map_or_else(|| theirs.find(tx), |known| Ok(Some(known)))? else {
                return db::Result::Ok((None, Vec::new(), None));
            };
            let found = match from {
                Some(from) => theirs.after(tx, conversation, from, BATCH_ROWS_MAX, now)?,
                None => theirs.recent(tx, conversation, HISTORY_ROWS_MAX, now)?,
            };
            Ok((Some(conversation), found, theirs.read_by_team(tx, conversation)?))
        });
        let (conversation, found, read_by_team) = read.await?;
        if let (None, Some(new)) = (self.conversation, conversation) {
            self.typing = Some(self.typing_members.watch(self.connection.account, new));
        }
        self.conversation = conversation;
        Ok((found, read_by_team))
    }

    async fn note_delivered(&mut self) {
        let now = (self.server.clock)();
        match report(&self.server, &self.connection, &self.written, ReportStatus::Delivered, now).await {
            Ok(()) => self.written.clear(),
            // Retried with the next write.
            Err(error) => tracing::warn!(%error, "marking web chat messages as delivered failed"),
        }
    }
}
