//! The product's own statements, so that a ceiling runs what the server runs, to the letter.

use std::sync::LazyLock;

use frontdesk_crm::contacts;
use frontdesk_platform::{events, limits, webhooks};

/// What SQLite's full-text index is told of a new contact.
pub(crate) const INDEX_CONTACT: &str =
    "INSERT INTO contact_search (rowid, grams, starts) VALUES ($1, $2, $3)";

/// Takes the units of a request on PostgreSQL.
pub(crate) fn admit() -> &'static str {
    named(limits::POSTGRES_STATEMENTS, "limits::ADMIT")
}

/// The account's custom fields.
pub(crate) fn fields() -> &'static str {
    named(&CONTACTS, "FIELDS")
}

pub(crate) fn insert_contact() -> &'static str {
    named(&CONTACTS, "INSERT")
}

pub(crate) fn add_tag() -> &'static str {
    named(&CONTACTS, "ADD_TAG")
}

pub(crate) fn set_value() -> &'static str {
    named(&CONTACTS, "SET_VALUE")
}

pub(crate) fn insert_event() -> &'static str {
    named(events::STATEMENTS, "INSERT")
}

pub(crate) fn insert_delivery() -> &'static str {
    static FOUND: LazyLock<&str> = LazyLock::new(|| {
        let mut all = webhooks::statements().into_iter();
        let found = all.find(|(_, statement)| statement.starts_with("INSERT INTO deliveries "));
        found.expect("the product has a statement that inserts a delivery").1
    });
    *FOUND
}

static CONTACTS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(contacts::statements);

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
        assert!(fields().contains("custom_fields WHERE account_id = $1"));
        assert!(insert_contact().contains(
            "contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, updated_at)"
        ));
        assert!(insert_event().contains("events (account_id, id, event_type, data)"));
        assert!(insert_delivery().contains(
            "deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, step, next_attempt_at)"
        ));
        assert!(insert_delivery().ends_with("($1, $2, $3, $4, $5, 'pending', 0, 0, $6)"));
        assert!(add_tag().contains("contact_tags (account_id, contact_id, tag_id)"));
        assert!(set_value().contains("contact_values (account_id, contact_id, field_id, value)"));
    }
}
