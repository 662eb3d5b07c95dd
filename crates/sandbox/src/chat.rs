//! Customers' messages, and when each customer last wrote.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use crate::mark;
use crate::sent::{MESSAGES_MAX, Outbox, Sent};
use crate::settings::Window;

/// Maximum number of remembered people.
const PEOPLE_MAX: usize = 10_000;
/// Maximum number of messages in one chat.
const CHAT_MAX: usize = 200;
/// Maximum number of people offered on the page.
const OFFERED_MAX: usize = 50;
/// How long free text may be sent after a customer's message.
const WINDOW_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A customer's message.
#[derive(Debug)]
pub(crate) struct CustomerMessage {
    pub(crate) id: String,
    pub(crate) connection_id: String,
    pub(crate) customer: String,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) media: Option<Value>,
    pub(crate) at: i64,
    /// Whether the business has marked it as read.
    pub(crate) seen: bool,
}

#[derive(Debug)]
struct Person {
    name: String,
    /// None until they have written.
    heard_at: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct Chats {
    received: VecDeque<CustomerMessage>,
    /// By connection and customer.
    people: HashMap<(String, String), Person>,
}

impl Chats {
    /// Stores a customer's message, and opens their window.
    pub(crate) fn keep(&mut self, received: CustomerMessage, name: &str) {
        if self.people.len() >= PEOPLE_MAX {
            let oldest = self.people.iter().min_by_key(|(_, person)| person.heard_at);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.people.remove(&oldest);
            }
        }
        let key = (received.connection_id.clone(), received.customer.clone());
        let person = self.people.entry(key).or_insert(Person { name: String::new(), heard_at: None });
        name.clone_into(&mut person.name);
        person.heard_at = person.heard_at.max(Some(received.at));
        if self.received.len() == MESSAGES_MAX {
            self.received.pop_front();
        }
        self.received.push_back(received);
    }

    /// A customer's name, from their earlier messages.
    pub(crate) fn name(&self, connection: &str, customer: &str) -> Option<&str> {
        let person = self.people.get(&(connection.to_owned(), customer.to_owned()));
        person.map(|person| person.name.as_str())
    }

    /// Whether free text may be sent to a customer now.
    pub(crate) fn is_open(&self, connection: &str, customer: &str, window: Window, now: i64) -> bool {
        let person = self.people.get(&(connection.to_owned(), customer.to_owned()));
        match person.and_then(|person| person.heard_at) {
            Some(heard_at) => now - heard_at < WINDOW_MILLIS,
            None => window == Window::Lenient,
        }
    }

    /// Marks a message as read; in WhatsApp this includes all earlier ones.
    pub(crate) fn see(&mut self, connection: &str, id: &str) {
        let read =
            self.received.iter().find(|received| received.connection_id == connection && received.id == id);
        if let Some((customer, at)) = read.map(|received| (received.customer.clone(), received.at)) {
            self.see_until(connection, &customer, at);
        }
    }

    /// Marks all messages of a customer up to then as read.
    pub(crate) fn see_until(&mut self, connection: &str, customer: &str, until: i64) {
        for received in &mut self.received {
            received.seen |=
                received.connection_id == connection && received.customer == customer && received.at <= until;
        }
    }

    /// One chat, both sides, oldest first.
    pub(crate) fn show(&self, outbox: &Outbox, connection: &str, customer: &str) -> Vec<Value> {
        let said = self.received.iter().rev();
        let said =
            said.filter(|received| received.connection_id == connection && received.customer == customer);
        let filter =
            crate::sent::Filter { connection_id: Some(connection), to: Some(customer), ..Default::default() };
        let sent = outbox.list(&filter).into_iter().map(|sent| (sent.at, show_sent(sent)));
        let mut entries: Vec<_> = said
            .take(CHAT_MAX)
            .map(|received| (received.at, show_customer_message(received)))
            .chain(sent)
            .collect();
        entries.sort_by_key(|(at, _)| *at);
        let surplus = entries.len().saturating_sub(CHAT_MAX);
        entries.into_iter().skip(surplus).map(|(_, entry)| entry).collect()
    }

    /// The customers of a connection, the latest first.
    pub(crate) fn customers(&self, outbox: &Outbox, connection: &str) -> Vec<Value> {
        let said = self.people.iter().filter(|((id, _), _)| id == connection);
        let mut latest: HashMap<&str, i64> =
            said.map(|((_, customer), person)| (customer.as_str(), person.heard_at.unwrap_or(0))).collect();
        let filter = crate::sent::Filter {
            connection_id: Some(connection),
            limit: Some(MESSAGES_MAX),
            ..Default::default()
        };
        for sent in outbox.list(&filter) {
            let at = latest.entry(&sent.to).or_insert(sent.at);
            *at = sent.at.max(*at);
        }
        let mut latest: Vec<_> = latest.into_iter().collect();
        latest.sort_by_key(|(customer, at)| (-at, *customer));
        latest.truncate(OFFERED_MAX);
        let show = |(id, _): (&str, i64)| json!({ "id": id, "name": self.name(connection, id) });
        latest.into_iter().map(show).collect()
    }
}

fn show_sent(sent: &Sent) -> Value {
    json!({
        "from": "business",
        "id": sent.id,
        "type": sent.kind,
        "text": sent.text,
        "media": sent.media,
        "template": sent.template.as_ref().map(|template| &template["name"]),
        "status": sent.status.as_str(),
        "error_code": sent.error_code,
        "at": mark::time(sent.at),
    })
}

fn show_customer_message(received: &CustomerMessage) -> Value {
    json!({
        "from": "customer",
        "id": received.id,
        "type": received.kind,
        "text": received.text,
        "media": received.media,
        "seen": received.seen,
        "at": mark::time(received.at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(id: &str, at: i64) -> CustomerMessage {
        CustomerMessage {
            id: id.into(),
            connection_id: "c".into(),
            customer: "1".into(),
            kind: "text",
            text: "hi".into(),
            media: None,
            at,
            seen: false,
        }
    }

    #[test]
    fn a_window_is_open_for_a_day_from_the_last_message() {
        let mut chats = Chats::default();
        chats.keep(received("a", 1000), "Ann");
        assert!(chats.is_open("c", "1", Window::Strict, 1000 + WINDOW_MILLIS - 1));
        assert!(!chats.is_open("c", "1", Window::Lenient, 1000 + WINDOW_MILLIS));
    }

    #[test]
    fn the_window_is_open_for_unknown_customers_unless_strict() {
        let chats = Chats::default();
        assert!(chats.is_open("c", "1", Window::Lenient, 0) && !chats.is_open("c", "1", Window::Strict, 0));
    }

    #[test]
    fn reading_one_message_reads_those_before_it() {
        let mut chats = Chats::default();
        for received in [received("a", 1), received("b", 2), received("c", 3)] {
            chats.keep(received, "Ann");
        }
        chats.see("c", "b");
        let seen: Vec<_> =
            chats.show(&Outbox::default(), "c", "1").iter().map(|e| e["seen"].clone()).collect();
        assert_eq!(seen, [true, true, false]);
    }
}
