//! The stream of events, which resumes by itself.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::call::Call;
use crate::client::Client;
use crate::error::{Error, ErrorCode, Result};
use crate::request::read;
use crate::retry::backoff;
use crate::send::{Unopened, chance};
use crate::sse::{Parser, Sent};
use crate::types::Event;

const STREAM: &str = "/api/v1/events/stream";
const EVENTS: &str = "/api/v1/events";
/// The server sends a comment every three seconds. A connection that is silent for longer than this is given up.
const SILENCE_MAX: Duration = Duration::from_secs(15);
/// The longest pause that the server may ask for.
const PAUSE_MAX: Duration = Duration::from_mins(2);
/// The name of the event that says that the last one is no longer known.
const RESET: &str = "reset";

/// Events as they happen. Broken connections are made again, and the stream goes on after the last event: none is skipped or
/// repeated.
///
/// It waits for a server that is away for as long as it is polled. A refusal that would stay, such as of a revoked key, is an
/// error and ends it. [`Error::EventsLost`] does not end it.
///
/// ```no_run
/// # async fn example(client: frontdesk::Client) -> frontdesk::Result<()> {
/// use frontdesk::types::EventData;
///
/// let mut events = client.events().stream();
/// while let Some(event) = events.next().await {
///     match event?.data {
///         EventData::ContactCreated(data) => println!("{:?} is new", data.contact.name),
///         EventData::Unknown { event_type, .. } => println!("{event_type} is newer than this program"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing unless it is polled"]
pub struct EventStream {
    /// Until it is polled.
    feed: Option<Box<Feed>>,
    /// Since then.
    events: Option<Pin<Box<dyn Stream<Item = Result<Event>> + Send>>>,
}

struct Feed {
    client: Client,
    /// The last event that was passed on, or after which the stream begins.
    last: Option<String>,
    /// Whether `last` is where the stream begins. Before its first event a stream has to find out.
    is_placed: bool,
    connection: Option<(Incoming, Parser)>,
    events: VecDeque<Sent>,
    /// Events that were listed, and that the stream may send as well.
    listed: HashSet<String>,
    /// Attempts since the last bytes.
    failures: u32,
    has_ended: bool,
}

impl EventStream {
    pub(crate) fn new(client: &Client) -> Self {
        let feed = Feed {
            client: client.clone(),
            last: None,
            is_placed: false,
            connection: None,
            events: VecDeque::new(),
            listed: HashSet::new(),
            failures: 0,
            has_ended: false,
        };
        Self { feed: Some(Box::new(feed)), events: None }
    }

    /// Begins after this event, rather than with the next one that happens. It has no effect once the stream is polled.
    pub fn after(mut self, event_id: impl Into<String>) -> Self {
        if let Some(feed) = &mut self.feed {
            feed.last = Some(event_id.into());
            feed.is_placed = true;
        }
        self
    }

    /// The next event. None after an error that stays.
    pub async fn next(&mut self) -> Option<Result<Event>> {
        StreamExt::next(self).await
    }
}

impl Stream for EventStream {
    type Item = Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
        if let Some(feed) = self.feed.take() {
            self.events = Some(Box::pin(stream::unfold(feed, |mut feed| async move {
                feed.next().await.map(|event| (event, feed))
            })));
        }
        match &mut self.events {
            Some(events) => events.as_mut().poll_next(cx),
            None => Poll::Ready(None),
        }
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

impl Feed {
    async fn next(&mut self) -> Option<Result<Event>> {
        loop {
            if self.has_ended {
                return None;
            }
            if let Some(sent) = self.events.pop_front() {
                return Some(self.take(sent));
            }
            if let Err(error) = self.advance().await {
                self.has_ended = true;
                return Some(Err(error));
            }
        }
    }

    fn take(&mut self, sent: Sent) -> Result<Event> {
        if sent.id.is_some() {
            self.last = sent.id;
        }
        if sent.event == RESET {
            return Err(Error::EventsLost { resumes_after: self.last.clone() });
        }
        Event::read(&sent.data)
    }

    /// Opens the connection if there is none, and reads what comes next.
    async fn advance(&mut self) -> Result<()> {
        let Some((body, parser)) = &mut self.connection else { return self.connect().await };
        let frame = timeout(SILENCE_MAX, body.frame()).await;
        let Ok(Some(Ok(frame))) = frame else {
            self.lose_connection();
            return Ok(());
        };
        self.failures = 0;
        let bytes = frame.into_data().unwrap_or_else(|_| Bytes::new());
        match parser.push(&bytes) {
            Ok(events) => {
                let is_new = |sent: &Sent| sent.id.as_ref().is_none_or(|id| !self.listed.contains(id));
                self.events.extend(events.into_iter().filter(is_new));
            }
            Err(_) => self.lose_connection(),
        }
        Ok(())
    }

    /// The next connection is made after a pause, also if this one has worked.
    fn lose_connection(&mut self) {
        self.connection = None;
        self.failures = self.failures.max(1);
    }

    async fn connect(&mut self) -> Result<()> {
        if self.failures > 0 {
            sleep(backoff(self.failures, chance())).await;
        }
        self.failures = self.failures.saturating_add(1);
        if !self.is_placed {
            match newest(&self.client).await {
                Ok(newest) => self.last = newest,
                Err(error) if passes(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
            self.is_placed = true;
        }
        let mut call = Call::get(STREAM);
        if let Some(last) = &self.last {
            call.header("last-event-id", last);
        }
        match self.client.open(&call, SILENCE_MAX).await {
            Ok(body) => {
                // There was no event when the stream began, so all that there are have happened since.
                if self.last.is_none() {
                    match all(&self.client).await {
                        Ok(events) => self.events.extend(events),
                        Err(error) if passes(&error) => return Ok(()),
                        Err(error) => return Err(error),
                    }
                    self.listed = self.events.iter().filter_map(|sent| sent.id.clone()).collect();
                }
                self.connection = Some((body, Parser::default()));
            }
            Err(Unopened::Again(pause)) => sleep(pause.unwrap_or_default().min(PAUSE_MAX)).await,
            Err(Unopened::Refused(error)) => return Err(error),
        }
        Ok(())
    }
}

/// The id of the newest event, so that a stream that breaks before its first event misses none.
async fn newest(client: &Client) -> Result<Option<String>> {
    Ok(page(client, 1, None).await?.0.first().and_then(id_of))
}

/// All events, the oldest first, as a stream sends them.
async fn all(client: &Client) -> Result<Vec<Sent>> {
    let (mut rows, mut next) = page(client, 100, None).await?;
    while let Some(cursor) = next {
        let (more, after) = page(client, 100, Some(&cursor)).await?;
        rows.extend(more);
        next = after;
    }
    let sent = |row: &Value| Sent { id: id_of(row), event: String::new(), data: row.to_string() };
    Ok(rows.iter().rev().map(sent).collect())
}

/// A page of events, the newest first, and where the next one begins.
async fn page(client: &Client, limit: u32, cursor: Option<&str>) -> Result<(Vec<Value>, Option<String>)> {
    #[derive(Deserialize)]
    struct Events {
        data: Vec<Value>,
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        next_cursor: Option<String>,
    }

    let mut call = Call::get(EVENTS);
    call.query("limit", limit);
    if let Some(cursor) = cursor {
        call.query("cursor", cursor);
    }
    let Events { data, meta } = read(&client.send(&call).await?)?;
    Ok((data, meta.next_cursor))
}

fn id_of(row: &Value) -> Option<String> {
    row["event_id"].as_str().map(str::to_owned)
}

/// Whether it is worth to try again, however often.
fn passes(error: &Error) -> bool {
    match error {
        Error::Connection { .. } | Error::Timeout { .. } => true,
        Error::Api(refusal) => refusal.status().is_server_error() || refusal.code == ErrorCode::RateLimited,
        _ => false,
    }
}
