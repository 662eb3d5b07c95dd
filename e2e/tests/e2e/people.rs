//! Contacts for tests, and who is in a list of them.

use frontdesk_e2e::{Client, Response};
use serde_json::Value;

/// Adds a contact and returns its id.
#[track_caller]
pub(crate) fn add(client: &Client, contact: Value) -> String {
    client.post("/contacts", contact).expect(201).id()
}

/// Adds a tag and returns its id.
#[track_caller]
pub(crate) fn tag(client: &Client, name: &str) -> String {
    client.post("/tags", serde_json::json!({ "name": name })).expect(201).id()
}

/// Adds a custom field of this type and returns its id.
#[track_caller]
pub(crate) fn field(client: &Client, name: &str, kind: &str) -> String {
    client.post("/custom-fields", serde_json::json!({ "name": name, "type": kind })).expect(201).id()
}

/// The names in a page of contacts, in the order of the page; an unnamed contact goes by its email.
#[track_caller]
pub(crate) fn names(page: &Response) -> Vec<String> {
    let rows = page.data().as_array().expect("a list");
    let name = |row: &Value| row["name"].as_str().or(row["email"].as_str()).map(ToOwned::to_owned);
    rows.iter().map(|row| name(row).unwrap_or_else(|| panic!("nobody: {row}"))).collect()
}

/// Who is listed under this query, by name, in the order of the alphabet.
#[track_caller]
pub(crate) fn listed(client: &Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("/contacts?limit=100&{query}")).expect(200);
    assert_eq!(page.json["meta"]["has_more"], false, "more than a page under {query}");
    let mut names = names(&page);
    names.sort();
    names
}

/// Every row of a list, page by page.
#[track_caller]
pub(crate) fn walk(client: &Client, path: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let page = client.get(&format!("{path}{sign}limit=100&cursor={cursor}")).expect(200);
        rows.extend(page.data().as_array().expect("a list").iter().cloned());
        match page.json["meta"]["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return rows,
        }
    }
}

/// A value as it stands in a query string.
pub(crate) fn encoded(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a String takes whatever is written to it");
        }
        out
    })
}
