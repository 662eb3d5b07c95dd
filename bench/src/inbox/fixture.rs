//! A WhatsApp number of the first account, and the customers who have written to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use frontdesk_crm::contacts::ContactId;
use frontdesk_inbox::connections::ConnectionId;
use frontdesk_inbox::conversations::ConversationId;
use serde_json::{Value, json};

use super::graph::{self, NUMBER};
use crate::error::Result;
use crate::load::Request;
use crate::people::{self, Person};
use crate::relay::{self, Sink};
use crate::server::Server;
use crate::site::Site;
use crate::{clock, http};

const MESSAGES: &str = "/api/v1/messages";
const PAGE_MAX: usize = 100;

pub(crate) struct Fixture {
    pub(super) connection: ConnectionId,
    pub(crate) conversations: Vec<Conversation>,
    key: String,
    customers: Arc<Vec<Person>>,
    posted: Arc<AtomicU64>,
}

#[derive(Clone, Copy)]
pub(crate) struct Conversation {
    pub(crate) id: ConversationId,
    pub(crate) contact: ContactId,
}

impl Fixture {
    /// Connects the number and sends it one message from each of this many of the account's contacts.
    pub(crate) fn open(site: &Site, sink: &Sink, connections: usize, customers: u64) -> Result<Self> {
        let connection = site.connect(&NUMBER, sink.address)?;
        let customers = (0..customers.min(site.each)).map(|place| people::member(0, place, site.each));
        let (customers, key) = (Arc::new(customers.collect::<Vec<_>>()), site.accounts[0].key.clone());
        let mut fixture =
            Self { connection, conversations: Vec::new(), key, customers, posted: Arc::default() };
        let server = site.serve()?;
        let contacts = "SELECT count(*) FROM contacts";
        let known = site.database.count(contacts)?;
        relay::send(server.address, connections, fixture.questions(), fixture.customers.len())?;
        fixture.conversations = conversations(&server, &fixture.key)?;
        if fixture.conversations.len() != fixture.customers.len() || site.database.count(contacts)? != known {
            return Err(format!(
                "{} conversations of {} customers",
                fixture.conversations.len(),
                fixture.customers.len()
            )
            .into());
        }
        server.stop()?;
        Ok(fixture)
    }

    /// Webhooks with one message each. The customers take turns.
    pub(crate) fn questions(&self) -> Request {
        let (customers, path) = (self.customers.clone(), format!("/channels/whatsapp/{}", self.connection));
        Arc::new(move |number, out| {
            let from = &customers[number as usize % customers.len()];
            graph::write_webhook(&path, from, number, clock::now(), out);
        })
    }

    /// Messages to the customers, who take turns.
    pub(crate) fn news(&self) -> Request {
        let (key, conversations, posted) =
            (self.key.clone(), self.conversations.clone(), self.posted.clone());
        Arc::new(move |number, out| {
            let to = conversations[number as usize % conversations.len()].id;
            let body =
                json!({ "type": "text", "to": { "conversation_id": to }, "text": graph::news(number) });
            http::write_post(MESSAGES, &key, &body.to_string(), out);
            posted.fetch_add(1, Ordering::Relaxed);
        })
    }

    /// How many requests for messages to customers have been built so far.
    pub(super) fn posted(&self) -> u64 {
        self.posted.load(Ordering::Relaxed)
    }

    /// The channel's id of one of the customers.
    pub(super) fn person(&self) -> &str {
        self.customers[0].phone.digits()
    }
}

fn conversations(server: &Server, key: &str) -> Result<Vec<Conversation>> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/api/v1/conversations?limit={PAGE_MAX}{cursor}");
        let (_, body) = server.ask(&http::get(&path, key))?;
        let page: Value = serde_json::from_slice(&body)?;
        for conversation in page["data"].as_array().ok_or("no list of conversations")? {
            let id = |name: &str| conversation[name].as_str().ok_or("a conversation without ids");
            found.push(Conversation { id: id("id")?.parse()?, contact: id("contact_id")?.parse()? });
        }
        match page["meta"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(found),
        }
    }
}
