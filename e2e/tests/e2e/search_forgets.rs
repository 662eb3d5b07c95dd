//! The search files of SQLite forget what was erased.

use std::fs;

use frontdesk_e2e::{came_true, on_sqlite};
use serde_json::json;

use crate::inbox_scene::{ANN, BOB, Inbox};
use crate::shapes::text;

on_sqlite! {
    the_search_files_forget_an_erased_contact_at_once,
}

/// Whether a page of an index has these letters.
fn has(inbox: &Inbox, extension: &str, table: &str, letters: &str) -> bool {
    let path = inbox.app.database().strip_prefix("sqlite:").expect("a path").to_owned();
    let file = rusqlite::Connection::open(format!("{path}.{extension}")).unwrap();
    let query = format!(
        "SELECT EXISTS (SELECT 1 FROM {table}_data WHERE instr(block, CAST('{letters}' AS BLOB)) > 0)"
    );
    file.query_row(&query, [], |row| row.get(0)).unwrap()
}

fn the_search_files_forget_an_erased_contact_at_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "My word is qzwxj.");
    inbox.hears(BOB, "My word is harmless.");
    let contact = format!("/contacts/{}", text(&conversation["contact_id"]));
    for name in ["Gvjkq", "Wvjkp"] {
        inbox.client.patch(&contact, json!({ "name": name })).expect(200);
        let letters = name[1..4].to_owned();
        assert!(came_true(|| has(&inbox, "search", "contact_search", &letters)), "{name}");
    }
    assert!(came_true(|| has(&inbox, "message_search", "message_search", "zwx")));
    inbox.client.delete(&contact).expect(200);
    assert!(came_true(|| !has(&inbox, "search", "contact_search", "vjk")), "the contact's name");
    assert!(came_true(|| !has(&inbox, "message_search", "message_search", "zwx")), "the message's text");
    let found = inbox.client.get("/messages?q=harmless").expect(200);
    assert_eq!(found.data().as_array().map(Vec::len), Some(1), "other messages are still found");
    inbox.app.stop();
    let path = inbox.app.database().strip_prefix("sqlite:").expect("a path").to_owned();
    for (extension, letters) in [("search", "vjk"), ("message_search", "qzwx")] {
        let bytes = fs::read(format!("{path}.{extension}")).unwrap();
        let is_there = bytes.windows(letters.len()).any(|window| window == letters.as_bytes());
        assert!(!is_there, "{letters} is still in the file {extension}");
    }
}
