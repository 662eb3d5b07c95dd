//! Opening a conversation: the requests that the dashboard sends for it, sent as a browser sends them.

use std::cell::RefCell;
use std::time::Instant;

use serde_json::json;
use tokio::runtime;

use super::Office;
use super::members::Member;
use crate::error::Result;
use crate::histogram::Histogram;
use crate::http::Connection;
use crate::inbox::fixture::Conversation;
use crate::server::Server;

const SWITCHES: usize = 500;
/// A browser opens six connections to a host, and the stream takes one.
const CONNECTIONS: usize = 5;
/// The distance between two conversations that are opened one after the other. It is a prime, so that they are far
/// apart.
const STEP: usize = 7_919;

/// Measures how long it takes until the dashboard has everything that it shows of a conversation.
pub(super) fn measure(office: &Office<'_>) -> Result<Histogram> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut connections = Vec::with_capacity(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            connections.push(Connection::open(office.server.address).await?);
        }
        let mut connections: [Connection; CONNECTIONS] =
            connections.try_into().map_err(|_| "a browser has five connections")?;
        let conversations = &office.fixture.conversations;
        let mut took = Histogram::new();
        for number in 0..SWITCHES {
            let member = &office.members[number % office.members.len()];
            let conversation = &conversations[number * STEP % conversations.len()];
            let waiting = RefCell::new(requests(office.server, member, conversation));
            let begun = Instant::now();
            let [first, second, third, fourth, fifth] = &mut connections;
            tokio::try_join!(
                ask(first, &waiting),
                ask(second, &waiting),
                ask(third, &waiting),
                ask(fourth, &waiting),
                ask(fifth, &waiting)
            )?;
            took.record(begun.elapsed());
        }
        Ok(took)
    })
}

/// Sends requests until none is left.
async fn ask(connection: &mut Connection, waiting: &RefCell<Vec<Vec<u8>>>) -> Result<()> {
    loop {
        let next = waiting.borrow_mut().pop();
        let Some(request) = next else { return Ok(()) };
        let response = connection.exchange(&request).await?;
        if !(200..300).contains(&response.status) {
            let (line, body) = (request.split(|byte| *byte == b'\r').next(), response.body);
            let line = String::from_utf8_lossy(line.unwrap_or_default());
            return Err(format!("{line}: {} {}", response.status, String::from_utf8_lossy(body)).into());
        }
    }
}

/// The requests that open a conversation, in reverse order.
fn requests(server: &Server, member: &Member, conversation: &Conversation) -> Vec<Vec<u8>> {
    let (conversation, contact) = (conversation.id, conversation.contact);
    let presence = json!({ "conversation_id": conversation, "typing": false }).to_string();
    let mut requests: Vec<Vec<u8>> = [
        format!("/inbox/{conversation}"),
        format!("/conversations/{conversation}/messages?limit=50"),
        format!("/v1/conversations/{conversation}/notes?limit=100"),
        format!("/v1/contacts/{contact}"),
        format!("/v1/contacts/{contact}/opt-out"),
        format!("/v1/contacts/{contact}/notes?limit=100"),
        format!("/v1/deals?contact_id={contact}&limit=100"),
        format!("/v1/conversations?contact_id={contact}&limit=100"),
    ]
    .iter()
    .map(|path| member.get(&format!("/app/api{path}")))
    .collect();
    let read = format!("/app/api/v1/conversations/{conversation}/read");
    requests.push(member.post(server, &read, None));
    requests.push(member.post(server, "/app/api/presence", Some(&presence)));
    requests.reverse();
    requests
}
