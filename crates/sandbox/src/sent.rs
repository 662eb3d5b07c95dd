//! The newest messages that the installation sent, with their statuses.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use crate::mark;

/// Maximum number of stored messages.
pub(crate) const MESSAGES_MAX: usize = 10_000;
/// Messages in one response: the maximum and the default.
const LIST_MAX: usize = 1000;
const LIST_DEFAULT: usize = 100;

/// The status of a message, in its possible order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    Accepted,
    Sent,
    Delivered,
    Read,
    Failed,
}

impl Status {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }
}

/// A message that a simulator accepted.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) id: String,
    pub(crate) connection_id: String,
    pub(crate) channel: String,
    pub(crate) to: String,
    pub(crate) kind: String,
    /// The text that the customer reads; for a template, the filled-in body.
    pub(crate) text: Option<String>,
    pub(crate) template: Option<Value>,
    pub(crate) media: Option<Value>,
    pub(crate) reply_to: Option<String>,
    /// The sender's own id, if the channel returns it in reports.
    pub(crate) our_id: Option<String>,
    pub(crate) status: Status,
    pub(crate) error_code: Option<i64>,
    pub(crate) at: i64,
    /// The body as it was received.
    pub(crate) raw: Value,
}

impl Sent {
    pub(crate) fn show(&self) -> Value {
        json!({
            "channel_message_id": self.id,
            "connection_id": self.connection_id,
            "channel": self.channel,
            "to": self.to,
            "type": self.kind,
            "text": self.text,
            "template": self.template,
            "media": self.media,
            "reply_to": self.reply_to,
            "our_id": self.our_id,
            "status": self.status.as_str(),
            "error_code": self.error_code,
            "sent_at": mark::time(self.at),
            "raw": self.raw,
        })
    }
}

/// Which messages to list.
#[derive(Debug, Default)]
pub(crate) struct Filter<'a> {
    pub(crate) connection_id: Option<&'a str>,
    pub(crate) to: Option<&'a str>,
    /// Only messages sent at this time or later.
    pub(crate) since: Option<i64>,
    pub(crate) limit: Option<usize>,
}

/// The messages, found by id and listed by age.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    order: VecDeque<String>,
    messages: HashMap<String, Sent>,
}

impl Outbox {
    pub(crate) fn keep(&mut self, message: Sent) {
        if self.order.len() == MESSAGES_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.messages.remove(&oldest);
        }
        self.order.push_back(message.id.clone());
        self.messages.insert(message.id.clone(), message);
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Sent> {
        self.messages.get(id)
    }

    /// Stores a message's status; true if it has changed.
    pub(crate) fn advance(&mut self, id: &str, status: Status, error_code: Option<i64>) -> bool {
        match self.messages.get_mut(id) {
            Some(message) if message.status < status => {
                message.status = status;
                message.error_code = error_code;
                true
            }
            _ => false,
        }
    }

    /// The newest that fit, oldest first.
    pub(crate) fn list(&self, filter: &Filter<'_>) -> Vec<&Sent> {
        let limit = filter.limit.unwrap_or(LIST_DEFAULT).min(LIST_MAX);
        let wanted = |message: &&Sent| {
            filter.connection_id.is_none_or(|id| message.connection_id == id)
                && filter.to.is_none_or(|to| message.to == to)
                && filter.since.is_none_or(|since| message.at >= since)
        };
        let newest = self.order.iter().rev().filter_map(|id| self.messages.get(id));
        let mut found: Vec<_> = newest.filter(wanted).take(limit).collect();
        found.reverse();
        found
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: usize) -> Sent {
        Sent {
            id: id.to_string(),
            connection_id: "c".into(),
            channel: "whatsapp".into(),
            to: if id.is_multiple_of(2) { "even" } else { "odd" }.into(),
            kind: "text".into(),
            text: None,
            template: None,
            media: None,
            reply_to: None,
            our_id: None,
            status: Status::Accepted,
            error_code: None,
            at: id as i64,
            raw: Value::Null,
        }
    }

    #[test]
    fn only_the_newest_messages_are_kept() {
        let mut outbox = Outbox::default();
        (0..=MESSAGES_MAX).for_each(|id| outbox.keep(message(id)));
        assert!(outbox.find("0").is_none() && outbox.find("1").is_some());
        assert_eq!((outbox.order.len(), outbox.messages.len()), (MESSAGES_MAX, MESSAGES_MAX));
    }

    #[test]
    fn a_list_ends_with_the_newest_that_fits() {
        let mut outbox = Outbox::default();
        (0..10).for_each(|id| outbox.keep(message(id)));
        let ids = |filter| outbox.list(&filter).iter().map(|message| message.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(Filter { limit: Some(2), ..Filter::default() }), ["8", "9"]);
        assert_eq!(ids(Filter { to: Some("odd"), since: Some(6), ..Filter::default() }), ["7", "9"]);
    }

    #[test]
    fn a_message_never_moves_backwards() {
        let mut outbox = Outbox::default();
        outbox.keep(message(1));
        assert!(outbox.advance("1", Status::Read, None));
        assert!(!outbox.advance("1", Status::Delivered, None));
        assert_eq!(outbox.find("1").unwrap().status, Status::Read);
    }
}
