//! Event streams: many idle ones, and some on which messages arrive.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::runtime;
use tokio::task::LocalSet;
use tokio::time::{interval, sleep};

use super::Office;
use super::members::Member;
use crate::error::Result;
use crate::histogram::Histogram;
use crate::http::{self, Connection};
use crate::inbox::graph;
use crate::people;

const PATH: &str = "/app/api/stream";
/// Messages from customers per second.
const MESSAGES_PER_SECOND: u32 = 20;
/// How long the last message may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_PERIOD: Duration = Duration::from_millis(10);
const EVENT: &[u8] = b"event: message.received\n";

/// Opens streams of the members in turn.
pub(super) fn open(address: SocketAddr, members: &[Member], count: usize) -> Result<Vec<TcpStream>> {
    (0..count).map(|number| open_one(address, &members[number % members.len()])).collect()
}

/// Opens a stream and reads the head of its response.
fn open_one(address: SocketAddr, member: &Member) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(&member.get(PATH))?;
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    if head.starts_with(b"HTTP/1.1 200") {
        return Ok(stream);
    }
    Err(format!("a stream was refused: {}", String::from_utf8_lossy(&head)).into())
}

/// When messages were sent, and how long they took to reach each stream.
#[derive(Default)]
struct Journal {
    sent: HashMap<u64, Instant>,
    took: Vec<Duration>,
}

/// Sends messages from customers for a while, and measures how long each takes to reach each member's stream.
pub(super) fn listen(office: &Office<'_>, time: Duration) -> Result<Histogram> {
    let streams = open(office.server.address, office.members, office.members.len())?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let journal = Rc::new(RefCell::new(Journal::default()));
    let listeners = streams.len();
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        for stream in streams {
            stream.set_nonblocking(true)?;
            tokio::task::spawn_local(read(tokio::net::TcpStream::from_std(stream)?, journal.clone()));
        }
        let messages = (time.as_secs() as u32 * MESSAGES_PER_SECOND) as usize;
        send(office, messages, &journal).await?;
        let begun = Instant::now();
        while journal.borrow().took.len() < messages * listeners {
            if begun.elapsed() > PATIENCE {
                let heard = journal.borrow().took.len();
                return Err(format!("{heard} of {} were heard", messages * listeners).into());
            }
            sleep(LOOK_PERIOD).await;
        }
        let mut histogram = Histogram::new();
        journal.borrow().took.iter().for_each(|took| histogram.record(*took));
        Ok(histogram)
    })
}

/// Sends the vendor's webhooks one after the other, at a steady rate.
async fn send(office: &Office<'_>, messages: usize, journal: &RefCell<Journal>) -> Result<()> {
    let (request, mut vendor) = (office.fixture.questions(), Connection::open(office.server.address).await?);
    let first = people::reserve(messages as u64);
    let mut turns = interval(Duration::from_secs(1) / MESSAGES_PER_SECOND);
    for number in (first..).take(messages) {
        turns.tick().await;
        let mut bytes = Vec::new();
        request(number, &mut bytes);
        journal.borrow_mut().sent.insert(number, Instant::now());
        let response = vendor.exchange(&bytes).await?;
        if !(200..300).contains(&response.status) {
            return Err(format!("a webhook got {}", response.status).into());
        }
    }
    Ok(())
}

/// Reads a stream and records how long each message took to arrive on it.
async fn read(mut stream: tokio::net::TcpStream, journal: Rc<RefCell<Journal>>) {
    let mut unread = Vec::new();
    // A stream that ends early misses messages, and the caller reports that.
    while stream.read_buf(&mut unread).await.is_ok_and(|bytes| bytes > 0) {
        let now = Instant::now();
        for number in take_messages(&mut unread) {
            let mut journal = journal.borrow_mut();
            if let Some(sent) = journal.sent.get(&number).copied() {
                journal.took.push(now - sent);
            }
        }
    }
}

/// Removes whole events from the buffer and returns the numbers of the messages that were received.
fn take_messages(unread: &mut Vec<u8>) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Some(end) = http::find(unread, b"\n\n") {
        let event = &unread[..end];
        if http::find(event, EVENT).is_some() {
            numbers.extend(graph::told_of(event));
        }
        unread.drain(..end + 2);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_from_whole_events() {
        let event = |name: &str, number| {
            let text = graph::question(number);
            format!("2a\r\nid: evt_1\nevent: {name}\ndata: {{\"text\":\"{text}\"}}\n\n\r\n")
        };
        let text =
            event("message.received", 7) + &event("conversation.updated", 8) + &event("message.received", 9);
        let mut unread = text.into_bytes();
        let tail = unread.split_off(unread.len() - 20);
        assert_eq!(take_messages(&mut unread), [7]);
        unread.extend(tail);
        assert_eq!(take_messages(&mut unread), [9]);
    }
}
