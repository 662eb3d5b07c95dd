//! One account's heavy requests do not hold up the writes of everybody else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Client, Stopwatch, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account};
use crate::forms::{form, send, visitor};
use crate::people::{add, walk};
use crate::shapes::text;
use crate::triggers_hooks::hook;
use crate::triggers_scene::Business;

on_every_engine! {
    alone a_large_import_does_not_hold_up_other_accounts,
    alone a_dry_run_of_a_large_import_says_the_same_as_the_import,
    alone a_row_with_too_many_tags_comes_in_without_them,
    alone imports_past_the_plan_limit_reject_rows,
    alone a_body_full_of_marks_takes_no_longer_than_any_other,
    alone a_form_with_thousands_of_fields_is_refused_at_once,
}

/// A request must not take this many times as long as an ordinary one of the same size. Quadratic work takes hundreds of
/// times as long.
const TIMES_MAX: u32 = 20;
/// Added to a bound that is a multiple of a short time, which the machine's load can stretch.
const SLACK: Duration = Duration::from_secs(1);

/// Rows of a large import. Each has a hundred tags, so it takes dozens of transactions.
const ROWS: usize = 40;

/// An import of so many rows, each with so many tags.
fn batch(dry_run: bool, rows: usize, tags: usize) -> Value {
    let tags: Vec<String> = (0..tags).map(|number| format!("t{number}")).collect();
    let rows: Vec<Value> = (0..rows)
        .map(|line| json!({ "line": line, "phone": format!("+1415{line:07}", line = 5_550_000 + line), "tags": tags }))
        .collect();
    json!({ "dry_run": dry_run, "match_by": "phone", "update_existing": true, "rows": rows })
}

#[track_caller]
fn outcomes(browser: &Browser, batch: Value) -> Vec<String> {
    let response = browser.post("/contacts/import", batch).expect(200);
    let rows = response.data()["results"].as_array().expect("results");
    rows.iter().map(|row| text(&row["outcome"]).to_owned()).collect()
}

/// The slowest of the writes that an account makes until it is told to stop.
fn slowest_write(client: &Client, is_over: &AtomicBool) -> Duration {
    let mut slowest = Duration::ZERO;
    while !is_over.load(Ordering::Acquire) {
        let began = Stopwatch::start();
        add(client, json!({ "name": "Bob" }));
        slowest = slowest.max(began.elapsed());
    }
    slowest
}

fn a_large_import_does_not_hold_up_other_accounts(app: App) {
    account(&app);
    let (noisy, quiet) = (Browser::new(&app).sign_in(OWNER), app.tenant().client);
    let is_over = AtomicBool::new(false);
    let (whole, slowest) = thread::scope(|scope| {
        let slowest = scope.spawn(|| slowest_write(&quiet, &is_over));
        let began = Stopwatch::start();
        let imported = outcomes(&noisy, batch(false, ROWS, 100));
        let whole = began.elapsed();
        is_over.store(true, Ordering::Release);
        assert_eq!(imported, vec!["created"; ROWS]);
        (whole, slowest.join().expect("the other account"))
    });
    // In one transaction, the other account would wait for nearly all of it.
    assert!(slowest < whole / 3, "a write took {slowest:?} of {whole:?}");
}

fn a_dry_run_of_a_large_import_says_the_same_as_the_import(app: App) {
    let account = account(&app);
    let (client, browser) =
        (app.client(&app.key_with(&account, &["--all-scopes"])), Browser::new(&app).sign_in(OWNER));
    add(&client, json!({ "name": "Ann", "phone": "+14155550001", "email": "ann@example.com" }));
    add(&client, json!({ "name": "Bob", "phone": "+14155550002" }));
    for match_by in ["phone", "email"] {
        let rows = json!([
            { "line": 1, "phone": "+14155550003", "email": "new@example.com", "tags": ["a", "A", "b"] },
            { "line": 2, "phone": "+14155550003", "email": "new@example.com", "tags": ["a"] },
            { "line": 3, "phone": "+14155550003", "email": "NEW@example.com", "company": "Acme" },
            { "line": 4, "phone": "+14155550001", "email": "ann@example.com", "name": "Ann" },
            { "line": 5, "phone": "+14155550002", "email": "ann@example.com", "name": "Annie" },
            { "line": 6, "phone": "+14155550004", "email": "four@example.com", "custom_fields": { "x": "1" } },
            { "line": 7, "phone": "+14155550003", "email": "other@example.com" },
            { "line": 8, "phone": "+14155550005", "email": "five@example.com" },
            { "line": 9, "phone": "+14155550005", "email": "six@example.com" },
        ]);
        let asked = |dry_run: bool| json!({ "dry_run": dry_run, "match_by": match_by, "update_existing": true, "rows": rows });
        let before = walk(&client, "/events").len();
        let told = outcomes(&browser, asked(true));
        assert_eq!(walk(&client, "/events").len(), before, "a dry run writes nothing");
        assert_eq!(outcomes(&browser, asked(false)), told, "by {match_by}");
        assert!(told.contains(&"rejected".to_owned()) && told.contains(&"unchanged".to_owned()), "{told:?}");
        // Once it is done, there is nothing left to create.
        assert!(!outcomes(&browser, asked(true)).contains(&"created".to_owned()));
    }
}

fn a_row_with_too_many_tags_comes_in_without_them(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    for dry_run in [true, false] {
        let response = browser.post("/contacts/import", batch(dry_run, 2, 101)).expect(200);
        let first = &response.data()["results"][0];
        assert_eq!((&first["outcome"], &first["warnings"][0]["path"]), (&json!("created"), &json!("tags")));
    }
    assert_eq!(browser.get("/v1/tags").expect(200).data(), &json!([]));
}

fn imports_past_the_plan_limit_reject_rows(app: App) {
    let account = account(&app);
    app.cli(&["account", "set", &account.id, "--contact-limit", "3"]);
    let browser = Browser::new(&app).sign_in(OWNER);
    let wanted: Vec<&str> = [["created"; 3], ["rejected"; 3]].concat();
    for dry_run in [true, false] {
        assert_eq!(outcomes(&browser, batch(dry_run, 6, 1)), wanted);
    }
    let wanted: Vec<&str> = [["unchanged"; 3], ["rejected"; 3]].concat();
    assert_eq!(outcomes(&browser, batch(false, 6, 1)), wanted);
}

fn a_body_full_of_marks_takes_no_longer_than_any_other(business: Business) {
    let (_, caller, path) = hook(&business, json!({ "goal": "Look into it." }));
    let timed = |body: Value| {
        let began = Stopwatch::start();
        caller.post(&path, body).expect(202);
        began.elapsed()
    };
    let plain = timed(json!("aubergine".repeat(7_000)));
    let marked = timed(json!("<record>".repeat(7_800)));
    assert!(marked < plain * TIMES_MAX + SLACK, "{marked:?} instead of {plain:?}");
}

fn a_form_with_thousands_of_fields_is_refused_at_once(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let (script, browser) = (visitor(&app), visitor(&app).with("accept", "text/html"));
    let timed = |client: &Client, body: &str, status: u16| {
        let began = Stopwatch::start();
        let response = send(client, &path, body).expect(status);
        (began.elapsed(), response)
    };
    let (usual, _) = timed(&script, &format!("name=Ann&message={}", "x".repeat(9_000)), 201);
    let fields: Vec<String> = (0..9_000).map(|number| format!("{number}=1")).collect();
    for body in [vec!["a=1"; 16_000].join("&"), fields.join("&")] {
        let (taken, refused) = timed(&script, &body, 400);
        assert!(taken < usual * TIMES_MAX + SLACK, "{taken:?} instead of {usual:?}");
        refused.error("validation_error");
        let (taken, page) = timed(&browser, &body, 400);
        assert!(taken < usual * TIMES_MAX + SLACK, "{taken:?} instead of {usual:?}");
        assert!(page.text.len() < 10_000, "the page repeats what was sent");
    }
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 1);
}
