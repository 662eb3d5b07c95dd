//! Contacts from a file as people keep them: national numbers, placeholders, typing errors, duplicates, spreadsheets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member};
use crate::people::{field, walk};
use crate::shapes::text;

on_every_engine! {
    five_hundred_messy_rows_come_in_with_warnings,
    numbers_are_read_with_the_country_of_the_account_or_of_the_batch,
    a_row_that_was_corrected_is_imported_again,
    the_rows_of_a_spreadsheet_are_read,
    huge_values_are_left_out,
}

/// A spreadsheet as office programs write it: headings, a row with a national number as a number, and a formula.
const PEOPLE: &[u8] = include_bytes!("people.xlsx");
/// Rows of one round of [`messy`], and how many rounds there are.
const ROUND: usize = 20;
const ROUNDS: usize = 25;

/// A row with every oddity in turn. `born` is a field of dates and `seats` one of numbers.
fn messy(n: usize, born: &str, seats: &str) -> Value {
    let (name, email) = (format!("Jürgen Müller {n}"), format!("p{n}@example.com"));
    let tail = format!("{n:07}");
    let good = format!("+49 151 {tail}");
    let mut row = match n % ROUND {
        0 => json!({ "phone": format!("+49 (0)151 {tail}") }),
        1 => json!({ "phone": format!("0151 {tail}") }),
        2 => json!({ "phone": format!("151{tail}") }),
        3 => json!({ "phone": format!("'0151/{tail}") }),
        4 => json!({ "phone": "n/a", "email": email }),
        5 => json!({ "phone": "-", "email": "ann(at)example.com" }),
        6 => json!({ "phone": good, "email": "nowhere@" }),
        7 => json!({ "phone": good, "email": "N/A", "company": "-" }),
        8 => json!({ "phone": good, "custom_fields": { born: "31.02.2026" } }),
        9 => json!({ "phone": good, "custom_fields": { born: "1.12.1990", seats: "12,5" } }),
        10 => json!({ "phone": "12", "email": email }),
        11 => json!({ "phone": "0151" }),
        // The first row of the round, written in another way.
        12 => {
            json!({ "phone": format!("0049-151-{:07}", n - 12), "name": format!("Jürgen Müller {}", n - 12) })
        }
        13 => json!({ "phone": good, "company": "Müller\nSöhne; \"KG\"" }),
        14 => json!({ "phone": good, "name": "k.A." }),
        15 => json!({ "email": "" }),
        16 => json!({ "phone": format!("0049 151 {tail}") }),
        17 => json!({ "phone": format!("+1 (415) 555-{:04}", n) }),
        18 => json!({ "phone": good, "custom_fields": { seats: "viele" } }),
        _ => json!({ "phone": good, "tags": ["vip", "x".repeat(101)] }),
    };
    row["line"] = json!(n + 2);
    if row.get("name").is_none() {
        row["name"] = json!(name);
    }
    row
}

fn batch(dry_run: bool, rows: &[Value]) -> Value {
    json!({ "dry_run": dry_run, "match_by": "phone", "update_existing": true, "rows": rows })
}

#[track_caller]
fn results(browser: &Browser, batch: Value) -> Vec<Value> {
    let response = browser.post("/contacts/import", batch).expect(200);
    response.data()["results"].as_array().expect("results").clone()
}

fn count(results: &[Value], outcome: &str) -> usize {
    results.iter().filter(|result| result["outcome"] == outcome).count()
}

/// The paths of the first problems of the rows, each once.
fn paths(results: &[Value], kind: &str) -> Vec<String> {
    let firsts = results.iter().filter_map(|result| result[kind][0]["path"].as_str().map(ToOwned::to_owned));
    let mut paths: Vec<String> = firsts.collect();
    paths.sort();
    paths.dedup();
    paths
}

fn five_hundred_messy_rows_come_in_with_warnings(app: App) {
    let account = account(&app);
    app.cli(&["account", "set", &account.id, "--country", "DE"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let (born, seats) = (field(&client, "Born", "date"), field(&client, "Seats", "number"));
    let browser = Browser::new(&app).sign_in(OWNER);
    let rows: Vec<Value> = (0..ROUND * ROUNDS).map(|n| messy(n, &born, &seats)).collect();
    let dry = results(&browser, batch(true, &rows));
    let found = results(&browser, batch(false, &rows));
    let reports = |results: &[Value]| -> Vec<Value> {
        results.iter().map(|it| json!([it["line"], it["outcome"], it["errors"], it["warnings"]])).collect()
    };
    assert_eq!(reports(&dry), reports(&found), "the dry run reports the same");

    assert_eq!((count(&found, "created"), count(&found, "unchanged")), (16 * ROUNDS, ROUNDS));
    assert_eq!(count(&found, "rejected"), 3 * ROUNDS);
    let warned = found.iter().filter(|result| result["warnings"] != json!([])).count();
    assert_eq!(warned, 5 * ROUNDS);
    let born_path = format!("custom_fields.{born}");
    let mut warnings = vec!["email", "phone", "tags.1", &born_path];
    let seats_path = format!("custom_fields.{seats}");
    warnings.push(&seats_path);
    warnings.sort_unstable();
    assert_eq!(paths(&found, "warnings"), warnings);
    assert_eq!(paths(&found, "errors"), ["email", "phone"]);
    let reason = |n: usize| json!([found[n]["errors"][0]["message"], found[n]["errors"][0]["value"]]);
    assert_eq!(reason(5)[1], "ann(at)example.com");
    assert_eq!(reason(11), json!(["is too short for a phone number of DE", "0151"]));
    assert_eq!(reason(15)[1], Value::Null);

    let contacts = walk(&client, "/contacts");
    assert_eq!(contacts.len(), 16 * ROUNDS);
    let phones: Vec<&str> = contacts.iter().filter_map(|contact| contact["phone"].as_str()).collect();
    assert_eq!(phones.len(), 14 * ROUNDS);
    let right =
        |phone: &&&str| phone.len() == 13 && phone.starts_with("+49151") || phone.starts_with("+1415555");
    assert_eq!(phones.iter().filter(right).count(), phones.len(), "{phones:?}");
    // The same file again changes nothing.
    let again = results(&browser, batch(false, &rows));
    assert_eq!((count(&again, "unchanged"), count(&again, "rejected")), (17 * ROUNDS, 3 * ROUNDS));
}

fn numbers_are_read_with_the_country_of_the_account_or_of_the_batch(app: App) {
    let account = account(&app);
    app.cli(&["account", "set", &account.id, "--country", "DE"]);
    let browser = Browser::new(&app).sign_in(OWNER);
    let outcome = |country: Option<Value>, phone: &str| {
        let mut batch = batch(true, &[json!({ "phone": phone })]);
        if let Some(country) = country {
            batch["country"] = country;
        }
        text(&results(&browser, batch)[0]["outcome"]).to_owned()
    };
    assert_eq!(outcome(None, "1510000482"), "created");
    assert_eq!(outcome(Some(json!("US")), "1510000482"), "rejected");
    assert_eq!(outcome(Some(json!("US")), "(415) 555-0123"), "created");
    // Without a country, digits need their country code, and must be a number that can exist.
    assert_eq!(outcome(Some(Value::Null), "1510000482"), "rejected");
    assert_eq!(outcome(Some(Value::Null), "14155550123"), "created");
    let mut wrong = batch(true, &[]);
    wrong["country"] = json!("XX");
    browser.post("/contacts/import", wrong).expect(400).details_at(&["country"]);
    // Nobody imports without a session, and a member of another account imports into that one.
    Browser::new(&app).post("/contacts/import", batch(false, &[])).expect(401);
    let other = app.account_with(&["--rate-limit", "100000"]);
    member(&app, &other, "other@example.com", "agent");
    let stranger = Browser::new(&app).sign_in("other@example.com");
    results(&stranger, batch(false, &[json!({ "phone": "+491510000482" })]));
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    assert_eq!(walk(&client, "/contacts").len(), 0);
}

fn a_row_that_was_corrected_is_imported_again(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    let rows = [json!({ "line": 2, "name": "Ann", "phone": "+1 415 555" })];
    let rejected = results(&browser, batch(false, &rows));
    assert_eq!(rejected[0]["errors"][0]["value"], "+1 415 555");
    let rows = [json!({ "line": 2, "name": "Ann", "phone": "+1 415 555 0123" })];
    assert_eq!(count(&results(&browser, batch(false, &rows)), "created"), 1);
    assert_eq!(walk(&client, "/contacts").len(), 1);
}

fn the_rows_of_a_spreadsheet_are_read(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let read = |bytes: &[u8]| {
        browser.post("/contacts/import/spreadsheet", json!({ "content": STANDARD.encode(bytes) }))
    };
    let found = read(PEOPLE).expect(200);
    assert_eq!(found.data()["sheet"], "People");
    let rows = json!([
        { "line": 1, "cells": ["Name", "Handy", "Geburtstag", "Plätze"] },
        { "line": 2, "cells": ["Jürgen Müller", "1510000482", "1990-12-01", "12"] },
        { "line": 3, "cells": ["Zoë, \"Z\"", "+49 (0)151 0000489", "", "24"] },
    ]);
    assert_eq!(found.data()["rows"], rows);
    for (bytes, reason) in [
        (&b"%PDF-1.7\0"[..], "not_a_spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not_a_spreadsheet"),
        (&PEOPLE[..PEOPLE.len() / 2], "not_a_spreadsheet"),
        (&vec![0; 701 << 10], "too_large"),
    ] {
        let refused = read(bytes).expect(422);
        assert_eq!(refused.error("unprocessable")["reason"], reason);
    }
    browser.post("/contacts/import/spreadsheet", json!({})).expect(400).details_at(&["content"]);
    Browser::new(&app).post("/contacts/import/spreadsheet", json!({ "content": "" })).expect(401);
}

fn huge_values_are_left_out(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let huge = "x".repeat(200_000);
    let rows =
        [json!({ "phone": "+14155550123", "name": huge, "email": ",".repeat(200_000), "tags": [huge] })];
    let found = results(&browser, batch(false, &rows));
    assert_eq!(paths(&found, "warnings"), ["email"]);
    assert_eq!(
        (&found[0]["outcome"], found[0]["warnings"].as_array().map(Vec::len)),
        (&json!("created"), Some(3))
    );
    assert_eq!(text(&found[0]["warnings"][0]["value"]).len(), 200);
}
