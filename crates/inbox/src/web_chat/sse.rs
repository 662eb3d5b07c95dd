//! Server-sent events.

use std::fmt::Write;
use std::time::Duration;

use super::conversation::{StreamedMessage, VisitorMessage};
use crate::messages::MessageId;

/// Keeps proxies from closing an idle connection. Browsers ignore it.
pub(super) const PING: &str = ": ping\n\n";

/// How long a browser waits before it reconnects.
pub(super) fn retry(pause: Duration) -> String {
    format!("retry: {}\n\n", pause.as_millis())
}

/// Messages as events, each with its id, which a browser sends when it reconnects.
pub(super) fn messages(found: &[StreamedMessage]) -> String {
    found.iter().fold(String::new(), |text, found| message(text, &found.seen))
}

/// How far the team has read the visitor's messages. It has no id: a browser that reconnects gets it again.
pub(super) fn read(up_to: MessageId) -> String {
    format!("event: read\ndata: {{\"message_id\":\"{up_to}\"}}\n\n")
}

/// Whether somebody of the team is typing.
pub(super) fn typing(is_typing: bool) -> String {
    format!("event: typing\ndata: {{\"typing\":{is_typing}}}\n\n")
}

fn message(mut text: String, seen: &VisitorMessage) -> String {
    // JSON on one line: a line break in a text is escaped, so it cannot end the event.
    let data = serde_json::to_string(seen).expect("a message has text for keys");
    let _ = write!(text, "id: {}\nevent: message\ndata: {data}\n\n", seen.id);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Direction, MessageType, SenderType};
    use frontdesk_kernel::Timestamp;

    #[test]
    fn an_event_is_three_lines_for_any_text() {
        let id = MessageId::first_at(Timestamp::from_millis(1_800_000_000_000));
        let said = |text: &str| StreamedMessage {
            seen: VisitorMessage {
                id,
                direction: Direction::Outbound,
                sender_type: SenderType::Agent,
                r#type: MessageType::Text,
                text: Some(text.to_owned()),
                media_url: None,
                filename: None,
                client_id: None,
                created_at: id.created_at(),
            },
            is_news: true,
        };
        let frames = messages(&[said("hi"), said("a\r\n\ndata: b\u{2028}c\rd")]);
        let events: Vec<&str> = frames.split_terminator("\n\n").collect();
        assert_eq!(events.len(), 2);
        assert_eq!(
            events[0],
            "id: 01a3185c-5000-7000-8000-000000000000\nevent: message\ndata: \
             {\"id\":\"01a3185c-5000-7000-8000-000000000000\",\"direction\":\"outbound\",\"sender_type\":\"agent\",\"type\":\"text\",\
             \"text\":\"hi\",\"media_url\":null,\"filename\":null,\"client_id\":null,\"created_at\":\"2027-01-15T08:00:00.000Z\"}"
        );
        assert_eq!(events[1].lines().count(), 3);
        assert!(!frames.contains('\r'));
    }

    #[test]
    fn a_mark_has_no_id() {
        let id = MessageId::first_at(Timestamp::from_millis(1_800_000_000_000));
        assert_eq!(
            read(id),
            "event: read\ndata: {\"message_id\":\"01a3185c-5000-7000-8000-000000000000\"}\n\n"
        );
        assert_eq!(typing(true), "event: typing\ndata: {\"typing\":true}\n\n");
    }

    #[test]
    fn a_pause_is_told_in_milliseconds() {
        assert_eq!(retry(Duration::from_secs(3)), "retry: 3000\n\n");
        assert!(PING.starts_with(':') && PING.ends_with("\n\n"));
    }
}
