//! The product's own statements, so that a ceiling runs exactly what the server runs.

use std::sync::LazyLock;

use frontdesk_crm::contacts;
use frontdesk_inbox::{conversations, messages, outbox, sender};
use frontdesk_platform::{events, limits, webhooks};
use frontdesk_search as search;

/// Counts the units of a request on PostgreSQL.
pub(crate) fn admit() -> &'static str {
    named(limits::POSTGRES_STATEMENTS, "limits::ADMIT")
}

/// Reads the account's limit and custom fields, together with the insert of a contact.
pub(crate) fn limit_and_fields() -> &'static str {
    named(contacts::STATEMENTS, "LIMIT_AND_FIELDS")
}

pub(crate) fn insert_contact() -> &'static str {
    named(contacts::STATEMENTS, "INSERT")
}

/// Adds a new contact to SQLite's full-text index.
pub(crate) fn index_contact() -> &'static str {
    named(search::contacts::STATEMENTS, "ADD")
}

pub(crate) fn add_tag() -> &'static str {
    named(contacts::STATEMENTS, "ADD_TAG")
}

pub(crate) fn set_value() -> &'static str {
    named(contacts::STATEMENTS, "SET_VALUE")
}

/// Inserts an event on PostgreSQL.
pub(crate) fn insert_event() -> &'static str {
    named(events::order::POSTGRES_STATEMENTS, "order::INSERT_POSTGRES")
}

/// Inserts an event on SQLite.
pub(crate) fn insert_event_on_sqlite() -> &'static str {
    named(events::order::SQLITE_STATEMENTS, "order::INSERT_SQLITE")
}

pub(crate) fn insert_delivery() -> &'static str {
    static FOUND: LazyLock<&str> = LazyLock::new(|| {
        let mut all = webhooks::statements().into_iter();
        let found = all.find(|(_, statement)| statement.starts_with("INSERT INTO deliveries "));
        found.expect("the product has a statement that inserts a delivery").1
    });
    *FOUND
}

pub(crate) fn insert_message() -> &'static str {
    named(&MESSAGES, "INSERT")
}

/// Stores what the channel reported about a message, and the channel's id for it.
pub(crate) fn set_message() -> &'static str {
    named(&MESSAGES, "SET")
}

/// Records that a message has reached a status.
pub(crate) fn insert_status() -> &'static str {
    static FOUND: LazyLock<&str> = LazyLock::new(|| {
        let mut all = messages::statements().into_iter();
        let found = all.find(|(_, statement)| statement.starts_with("INSERT INTO message_statuses "));
        found.expect("the product has a statement that inserts a status").1
    });
    *FOUND
}

/// Updates a conversation after the customer has written.
pub(crate) fn conversation_inbound() -> &'static str {
    named(conversations::STATEMENTS, "NOTE_INBOUND")
}

pub(crate) fn contact_inbound() -> &'static str {
    named(contacts::STATEMENTS, "NOTE_INBOUND")
}

/// Updates a conversation after our side has written.
pub(crate) fn conversation_outbound() -> &'static str {
    named(conversations::STATEMENTS, "NOTE_OUTBOUND")
}

pub(crate) fn queue_send() -> &'static str {
    named(&OUTBOX, "INSERT")
}

/// Queues a message for the search index.
pub(crate) fn queue_for_search() -> &'static str {
    named(search::messages::STATEMENTS, "QUEUE")
}

pub(crate) fn leave_search_queue() -> &'static str {
    named(search::messages::STATEMENTS, "LEAVE")
}

pub(crate) fn end_send() -> &'static str {
    named(&SENDER, "FORGET")
}

pub(crate) fn insert_recipient() -> &'static str {
    static FOUND: LazyLock<&str> = LazyLock::new(|| {
        let mut all = frontdesk_broadcasts::statements().into_iter();
        let found = all.find(|(_, statement)| statement.starts_with("INSERT INTO broadcast_recipients "));
        found.expect("the product has a statement that inserts a recipient").1
    });
    *FOUND
}

static MESSAGES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(messages::statements);
static OUTBOX: LazyLock<Vec<(&str, &str)>> = LazyLock::new(outbox::statements);
static SENDER: LazyLock<Vec<(&str, &str)>> = LazyLock::new(sender::statements);

fn named(statements: &[(&'static str, &'static str)], name: &str) -> &'static str {
    let found = statements.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("the product has no statement {name}")).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_has_every_statement_and_takes_its_values_in_this_order() {
        assert!(admit().contains("rate_windows"));
        assert!(insert_contact().contains(
            "contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at, labels, name_order, company_order)"
        ));
        assert!(limit_and_fields().contains("custom_fields"));
        assert!(index_contact().contains("contact_search (rowid, words)"));
        assert!(insert_event().contains("events (account_id, id, event_type, data)"));
        assert!(insert_event_on_sqlite().contains("events (account_id, id, event_type, data, position)"));
        assert!(insert_delivery().contains(
            "deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, step, next_attempt_at)"
        ));
        assert!(insert_delivery().ends_with("($1, $2, $3, $4, $5, 'pending', 0, 0, $6)"));
        assert!(insert_message().contains(
            "messages (account_id, id, conversation_id, connection_id, direction, sender_type, type, text, media_id, media_url,
        template_name, details, status, channel_message_id, reply_to_message_id, author_user_id, search)"
        ));
        assert!(set_message().contains(
            "messages SET status = $3, error = $4, channel_message_id = $5, status_changes = $6 WHERE account_id = $1 AND id = $2"
        ));
        assert!(insert_status().contains("message_statuses (account_id, message_id, n, status, at, error)"));
        assert!(
            conversation_inbound()
                .contains("status = $3, last_message_at = $4, last_message_text = $5, updated_at = $4")
        );
        let rest = "handler = $7, assistant_id = $8, opened_at = CASE WHEN $9 THEN";
        assert!(conversation_inbound().contains(rest) && !conversation_inbound().contains("$10"));
        assert!(
            contact_inbound().contains("contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2")
        );
        assert!(conversation_outbound().contains(
            "last_message_at = $3, last_message_text = $4, updated_at = $3 WHERE account_id = $1 AND id = $2"
        ));
        assert!(queue_send().contains(
            "sends (account_id, message_id, part, connection_id, conversation_id, person, payload, reply_to, priority, state, due_at, tries, ready)"
        ));
        assert!(queue_send().contains("$9, 'queued', $10, 0, $11)"));
        assert!(insert_recipient().contains(
            "broadcast_recipients (account_id, broadcast_id, id, contact_id, phone, params, status, marks, error, updated_at)"
        ));
        assert!(queue_for_search().contains("message_queue (account_id, message_id)"));
        assert!(leave_search_queue().ends_with("message_queue WHERE num <= $1"));
        assert!(end_send().ends_with("sends WHERE account_id = $1 AND message_id = $2 AND part = $3"));
        assert!(add_tag().contains("contact_tags (account_id, contact_id, tag_id)"));
        assert!(set_value().contains("contact_values (account_id, contact_id, field_id, value)"));
    }
}
