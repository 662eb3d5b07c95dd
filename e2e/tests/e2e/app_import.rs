//! Contacts from a file and into one.

use std::collections::BTreeSet;

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account};
use crate::people::{add, field, listed, tag, walk};
use crate::shapes::text;

on_every_engine! {
    rows_create_and_update_contacts,
    a_dry_run_reports_the_same_and_writes_nothing,
    a_row_that_cannot_be_taken_is_rejected_alone,
    a_row_is_matched_by_email,
    what_exists_can_be_left_alone,
    everything_wrong_with_a_batch_is_told,
    a_file_holds_what_the_filters_choose,
    the_parts_of_a_batch_have_times_of_their_own,
}

fn scene(app: &App) -> (Client, Browser) {
    let account = account(app);
    (app.client(&app.key_with(&account, &["--all-scopes"])), Browser::new(app).sign_in(OWNER))
}

fn batch(dry_run: bool, rows: Value) -> Value {
    json!({ "dry_run": dry_run, "match_by": "phone", "update_existing": true, "rows": rows })
}

#[track_caller]
fn outcomes(browser: &Browser, batch: Value) -> Vec<(i64, String)> {
    let response = browser.post("/contacts/import", batch).expect(200);
    let rows = response.data()["results"].as_array().expect("results");
    rows.iter().map(|row| (row["line"].as_i64().expect("a line"), text(&row["outcome"]).to_owned())).collect()
}

fn rows_create_and_update_contacts(app: App) {
    let (client, browser) = scene(&app);
    let plan = field(&client, "Plan", "text");
    tag(&client, "VIP");
    let bob = add(&client, json!({ "name": "Bob", "phone": "+14155550199", "company": "Acme" }));
    let rows = json!([
        { "line": 2, "name": "Ann", "phone": "+1 415 555 0123", "tags": ["vip", "new"], "custom_fields": { plan.as_str(): "gold" } },
        { "line": 3, "name": "Robert", "phone": "14155550199", "tags": ["vip"] },
        { "line": 4, "phone": "+14155550199" },
        { "line": 5, "phone": "(415) 555-0123 ext" , "name": "Nobody" },
    ]);
    let found = outcomes(&browser, batch(false, rows));
    let wanted = [(2, "created"), (3, "updated"), (4, "unchanged"), (5, "rejected")];
    assert_eq!(found, wanted.map(|(line, outcome)| (line, outcome.to_owned())));
    let now = client.get(&format!("/contacts/{bob}")).expect(200);
    assert_eq!((&now.data()["name"], &now.data()["company"]), (&json!("Robert"), &json!("Acme")));
    assert_eq!(now.data()["tags"][0]["name"], "VIP");
    let ann = client.get("/contacts?phone=%2B14155550123").expect(200).data()[0].clone();
    assert_eq!(ann["custom_fields"][0]["value"], "gold");
    assert_eq!(ann["tags"].as_array().map(Vec::len), Some(2));
    assert_eq!(client.get("/tags").expect(200).data().as_array().map(Vec::len), Some(2));
    assert_eq!(walk(&client, "/events?event_type=contact.created").len(), 2);
}

fn a_dry_run_reports_the_same_and_writes_nothing(app: App) {
    let (client, browser) = scene(&app);
    add(&client, json!({ "name": "Bob", "phone": "+14155550199" }));
    let rows = json!([
        { "line": 1, "name": "Ann", "phone": "+14155550123", "tags": ["new"] },
        { "line": 2, "name": "Ann Lee", "phone": "+14155550123" },
        { "line": 3, "name": "Robert", "phone": "+14155550199" },
        { "line": 4, "name": "No number" },
        { "line": 5, "phone": "+14155550124", "email": "nowhere" },
        { "line": 6, "email": "cleo@example.com" },
        { "line": 7, "email": "CLEO@example.com", "name": "Cleo" },
    ]);
    let before = walk(&client, "/events");
    let dry = outcomes(&browser, batch(true, rows.clone()));
    assert_eq!(listed(&client, ""), ["Bob"]);
    assert_eq!(client.get("/tags").expect(200).data(), &json!([]));
    assert_eq!(walk(&client, "/events"), before);
    assert_eq!(outcomes(&browser, batch(false, rows)), dry);
    let rows = walk(&client, "/contacts");
    let mut names: Vec<_> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!((names, rows.len()), (vec!["Ann Lee", "Cleo", "Robert"], 4));
}

fn a_row_that_cannot_be_taken_is_rejected_alone(app: App) {
    let (client, browser) = scene(&app);
    let foreign = field(&app.tenant().client, "Plan of another account", "text");
    let rows = json!([
        { "line": 1, "phone": "x", "email": "nowhere" },
        { "line": 2, "phone": "+14155550123", "tags": ["x".repeat(101)] },
        { "line": 3, "phone": "+14155550124", "custom_fields": { "unknown": "x" } },
        "no row at all",
        { "line": 5, "phone": "+14155550125" },
        { "line": 6, "phone": "+14155550126", "custom_fields": { foreign.as_str(): "x" } },
    ]);
    let response = browser.post("/contacts/import", batch(false, rows)).expect(200);
    let results = response.data()["results"].as_array().expect("results").clone();
    let paths = |at: usize, kind: &str| -> Vec<&str> {
        results[at][kind].as_array().expect("a list").iter().map(|error| text(&error["path"])).collect()
    };
    assert_eq!(paths(0, "errors"), ["phone", "email"]);
    assert_eq!(results[0]["errors"][1]["value"], "nowhere");
    // A value that cannot be taken is left out, and the row is kept.
    assert_eq!((paths(1, "warnings"), &results[1]["outcome"]), (vec!["tags.0"], &json!("created")));
    for unknown in [2, 5] {
        assert!(paths(unknown, "errors")[0].starts_with("custom_fields"), "{:?}", results[unknown]);
    }
    assert_eq!(paths(3, "errors"), [""]);
    assert_eq!((&results[4]["outcome"], &results[4]["line"]), (&json!("created"), &json!(5)));
    assert_eq!(walk(&client, "/contacts").len(), 2);
}

fn a_row_is_matched_by_email(app: App) {
    let (client, browser) = scene(&app);
    let ann = add(&client, json!({ "name": "Ann", "email": "ann@example.com" }));
    add(&client, json!({ "name": "Bob", "phone": "+14155550199" }));
    let body = json!({ "dry_run": false, "match_by": "email", "update_existing": true, "rows": [
        { "line": 1, "email": "ANN@example.com", "company": "Acme" },
        { "line": 2, "email": "ann@example.com", "phone": "+14155550199" },
        { "line": 3, "phone": "+14155550123" },
    ] });
    // A row without an email address is matched by its number.
    let wanted = [(1, "updated"), (2, "rejected"), (3, "created")];
    assert_eq!(outcomes(&browser, body), wanted.map(|(line, outcome)| (line, outcome.to_owned())));
    let now = client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!((&now.data()["company"], &now.data()["phone"]), (&json!("Acme"), &Value::Null));
}

fn what_exists_can_be_left_alone(app: App) {
    let (client, browser) = scene(&app);
    add(&client, json!({ "name": "Bob", "phone": "+14155550199" }));
    let mut body =
        batch(false, json!([{ "line": 1, "name": "Robert", "phone": "+14155550199", "tags": ["new"] }]));
    body["update_existing"] = json!(false);
    assert_eq!(outcomes(&browser, body), [(1, "unchanged".to_owned())]);
    assert_eq!(listed(&client, ""), ["Bob"]);
    assert_eq!(client.get("/tags").expect(200).data(), &json!([]));
}

fn everything_wrong_with_a_batch_is_told(app: App) {
    let (_, browser) = scene(&app);
    let many: Vec<Value> = vec![json!({}); 501];
    browser.post("/contacts/import", batch(true, json!(many))).expect(400).details_at(&["rows"]);
    let wrong = browser.post("/contacts/import", json!({ "match_by": "name" })).expect(400);
    wrong.details_at(&["dry_run", "match_by", "update_existing", "rows"]);
}

fn a_file_holds_what_the_filters_choose(app: App) {
    let (client, browser) = scene(&app);
    let plan = field(&client, "Plan", "text");
    let vip = tag(&client, "vip");
    let values = json!({ plan.as_str(): "=HYPERLINK(\"x\")" });
    let body =
        json!({ "name": "Ann, \"A\"", "phone": "+14155550123", "tag_ids": [vip], "custom_fields": values });
    add(&client, body);
    add(&client, json!({ "name": "Bob" }));
    let file = browser.get(&format!("/contacts/export.csv?tag_id={vip}")).expect(200);
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(file.header("content-disposition").is_some_and(|header| header.starts_with("attachment")));
    let wanted = "\u{feff}name,phone,email,company,tags,Plan\r\n\"Ann, \"\"A\"\"\",+14155550123,,,vip,\"'=HYPERLINK(\"\"x\"\")\"\r\n";
    assert_eq!(file.text, wanted);
    let all = browser.get("/contacts/export.csv").expect(200);
    assert_eq!(all.text.lines().count(), 3);
    browser.get("/contacts/export.csv?tag_id=x").expect(400).error("bad_request");
}

fn the_parts_of_a_batch_have_times_of_their_own(app: App) {
    let (client, browser) = scene(&app);
    let rows: Vec<Value> =
        (0..500).map(|line| json!({ "line": line, "phone": format!("+1415555{line:04}") })).collect();
    assert_eq!(outcomes(&browser, batch(false, json!(rows))).len(), 500);
    let contacts = walk(&client, "/contacts");
    let times: BTreeSet<&str> = contacts.iter().map(|contact| text(&contact["updated_at"])).collect();
    assert!(contacts.len() == 500 && times.len() >= 2, "one time for {} contacts", contacts.len());
}
