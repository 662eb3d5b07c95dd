//! Files of contacts, however many there are and however slowly they are read.

use frontdesk_e2e::{App, Client, Wire, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, account, cookie};
use crate::people::field;
use crate::shapes::text;

on_every_engine! {
    a_file_that_is_read_slowly_is_whole,
    a_file_that_cannot_be_written_to_its_end_breaks_off,
}

/// Contacts whose file is far larger than what a connection buffers.
const CONTACTS: usize = 1_000;
/// A field's longest value, in letters of four bytes.
const FIELDS: usize = 2;
const VALUE_CHARS: usize = 1_000;

/// Rows of one import.
const ROWS: usize = 100;

/// An account with many large contacts, all of company Acme: a key, a browser, and the browser's cookie.
fn filled(app: &App) -> (Client, Browser, String) {
    let account = account(app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let signed_in = Browser::new(app).try_sign_in(OWNER, PASSWORD).expect(200);
    let browser = Browser::new(app).keeping(&signed_in);
    let fields: Vec<String> =
        (0..FIELDS).map(|number| field(&client, &format!("Field {number}"), "text")).collect();
    let value = "\u{1f96d}".repeat(VALUE_CHARS);
    let row = |number: usize| {
        let values: Value = fields
            .iter()
            .map(|field| (field.clone(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        json!({ "line": number, "name": format!("Contact {number}"), "company": "Acme",
            "email": format!("contact{number}@example.com"), "custom_fields": values })
    };
    for batch in 0..CONTACTS / ROWS {
        let rows: Vec<Value> = (batch * ROWS..(batch + 1) * ROWS).map(row).collect();
        let asked = json!({ "dry_run": false, "match_by": "email", "update_existing": false, "rows": rows });
        browser.post("/contacts/import", asked).expect(200);
    }
    (client, browser, cookie(&signed_in))
}

/// A connection on which a file is being sent.
#[track_caller]
fn begun(app: &App, cookie: &str, query: &str) -> Wire {
    let mut wire = app.wire();
    wire.send(format!(
        "GET /app/api/contacts/export.csv{query} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nAccept: text/csv\r\n\r\n"
    ))
    .expect("a request");
    let head = wire.begun().expect(200);
    assert_eq!(head.header("transfer-encoding"), Some("chunked"), "the file is streamed");
    wire
}

fn a_file_that_is_read_slowly_is_whole(app: App) {
    let (client, _, cookie) = filled(&app);
    let mut wire = begun(&app, &cookie, "");
    let mut file = wire.chunk().expect("the first page");
    // While nobody reads on, the server has other things to do.
    for _ in 0..20 {
        client.get("/contacts?limit=1").expect(200);
    }
    loop {
        let chunk = wire.chunk().expect("the next page");
        if chunk.is_empty() {
            break;
        }
        file.extend(chunk);
    }
    let file = String::from_utf8(file).expect("text");
    assert_eq!(file.lines().count(), CONTACTS + 1);
    let mut names: Vec<&str> = file.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CONTACTS, "each contact is there once");
    // A client that goes away ends the file, and nothing else.
    drop(begun(&app, &cookie, ""));
    client.get("/contacts?limit=1").expect(200);
}

fn a_file_that_cannot_be_written_to_its_end_breaks_off(app: App) {
    let (client, browser, cookie) = filled(&app);
    let rules = json!([{ "field": "company", "op": "is", "value": "Acme" }]);
    let segment = client.post("/segments", json!({ "name": "Acme", "rules": rules })).expect(201);
    let id = text(&segment.data()["id"]).to_owned();
    let mut wire = begun(&app, &cookie, &format!("?segment_id={id}"));
    wire.chunk().expect("the first page");
    client.delete(&format!("/segments/{id}")).expect(200);
    let broken = loop {
        match wire.chunk() {
            Ok(chunk) if chunk.is_empty() => panic!("a part was taken for the whole"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(broken.kind(), std::io::ErrorKind::UnexpectedEof, "{broken}");
    // What is wrong from the start is said with a status.
    browser.get(&format!("/contacts/export.csv?segment_id={id}")).expect(404).error("not_found");
}
