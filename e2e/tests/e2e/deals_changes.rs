//! What happened to deals: who did what and when, on the deal's page and on its contact's.

use frontdesk_e2e::{App, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::app_scene::{Browser, OWNER, account, signed_in, stranger};
use crate::people::add;
use crate::sales::{deal, first_pipeline, pipeline};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    every_change_of_a_deal_is_kept_with_who_did_it,
    what_is_refused_or_changes_nothing_leaves_no_trace,
    pages_of_changes_join_without_gaps,
    an_assistants_change_names_the_assistant,
    a_contact_shows_what_happened_to_all_of_its_deals,
    a_merge_moves_the_changes_and_an_erased_contact_is_in_none,
    changes_go_with_their_deal,
    nobody_else_reads_what_happened_to_a_deal,
    an_export_has_what_happened_to_deals,
    moves_at_the_same_time_are_kept_in_their_order,
}

/// A browser of an account's owner, who is also a program.
fn desk(app: &App) -> (Browser, frontdesk_e2e::Client, frontdesk_e2e::Account) {
    let account = account(app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    (Browser::new(app).sign_in(OWNER), client, account)
}

/// What happened to a deal, oldest first, as kind, value before and value since.
#[track_caller]
fn changes(browser: &Browser, deal: &str) -> Vec<(String, Value, Value)> {
    let mut rows = listed(browser, &format!("{deal}/changes?limit=100"));
    rows.reverse();
    let short =
        |row: &Value| (text(&row["kind"]).to_owned(), row["old_value"].clone(), row["new_value"].clone());
    rows.iter().map(short).collect()
}

#[track_caller]
fn listed(browser: &Browser, path: &str) -> Vec<Value> {
    browser.get(path).expect(200).data().as_array().expect("a list").clone()
}

fn change(kind: &str, before: Value, since: Value) -> (String, Value, Value) {
    (kind.to_owned(), before, since)
}

fn every_change_of_a_deal_is_kept_with_who_did_it(app: App) {
    let (owner, client, account) = desk(&app);
    let mia = signed_in(&app, &account, "mia@example.com", "agent");
    let (first, other) = (first_pipeline(&client), pipeline(&client));
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    let made = deal(&client, json!({ "value": 1200, "currency": "EUR", "contact_id": ann }));
    let here = format!("/v1{made}");
    mia.patch(&here, json!({ "title": "Fifty chairs", "value": 1500.5 })).expect(200);
    mia.patch(&here, json!({ "currency": "USD", "owner_user_id": null })).expect(200);
    owner.patch(&here, json!({ "contact_id": bob, "expected_close_date": "2026-02-28" })).expect(200);
    owner.patch(&here, json!({ "value": null, "contact_id": null })).expect(200);
    client.post(&format!("{made}/move"), json!({ "stage_id": first.stages[1] })).expect(200);
    client.patch(&made, json!({ "pipeline_id": other.id })).expect(200);
    client.post(&format!("{made}/close"), json!({ "outcome": "lost", "reason": "Too late" })).expect(200);
    client.post(&format!("{made}/reopen"), json!({})).expect(200);
    client.post(&format!("{made}/close"), json!({ "outcome": "won" })).expect(200);
    let wanted = [
        change("created", Value::Null, Value::Null),
        change("title", json!("Forty chairs"), json!("Fifty chairs")),
        change("value", json!("1200 EUR"), json!("1500.5 EUR")),
        change("value", json!("1500.5 EUR"), json!("1500.5 USD")),
        change("owner", json!(account.owner), Value::Null),
        change("expected_close_date", Value::Null, json!("2026-02-28")),
        change("contact", json!(ann), json!(bob)),
        change("value", json!("1500.5 USD"), Value::Null),
        change("contact", json!(bob), Value::Null),
        change("stage", json!(first.stages[0]), json!(first.stages[1])),
        change("stage", json!(first.stages[1]), json!(other.stages[0])),
        change("lost", Value::Null, json!("Too late")),
        change("reopened", Value::Null, Value::Null),
        change("won", Value::Null, Value::Null),
    ];
    assert_eq!(changes(&owner, &made), wanted);
    let rows = listed(&owner, &format!("{made}/changes"));
    has_fields(
        &rows[0],
        "id deal_id kind old_value new_value by_user_id by_assistant_id by_key_id by_key_name created_at",
    );
    let by = |kind: &str| {
        let row = rows.iter().rev().find(|row| row["kind"] == kind).expect("such a change");
        (row["by_user_id"].clone(), row["by_key_id"].is_string(), row["by_assistant_id"].clone())
    };
    let me = |browser: &Browser| browser.get("/session").expect(200).data()["user"]["id"].clone();
    assert_eq!(by("title"), (me(&mia), false, Value::Null));
    assert_eq!(by("contact"), (me(&owner), false, Value::Null));
    assert_eq!(by("won"), (Value::Null, true, Value::Null));
    assert!(rows[0]["by_key_name"].is_string(), "{}", rows[0]);
}

fn what_is_refused_or_changes_nothing_leaves_no_trace(app: App) {
    let (owner, client, _) = desk(&app);
    let made = deal(&client, json!({ "value": 5 }));
    let before = client.get(&made).expect(200).data().clone();
    client.patch(&made, json!({ "title": "Forty chairs", "value": 5 })).expect(200);
    client.post(&format!("{made}/move"), json!({ "stage_id": before["stage_id"] })).expect(200);
    client.patch(&made, json!({ "title": "New", "owner_user_id": NOTHING })).expect(404);
    client.patch(&made, json!({ "title": "New", "stage_id": NOTHING })).expect(404);
    client.post(&format!("{made}/reopen"), json!({})).expect(409);
    client.post(&format!("{made}/close"), json!({ "outcome": "won" })).expect(200);
    client.patch(&made, json!({ "title": "New", "stage_id": before["stage_id"] })).expect(409);
    client.post(&format!("{made}/close"), json!({ "outcome": "lost" })).expect(409);
    let kinds: Vec<String> = changes(&owner, &made).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["created", "won"]);
}

fn pages_of_changes_join_without_gaps(app: App) {
    let (owner, client, _) = desk(&app);
    let contact = add(&client, json!({ "name": "Ann" }));
    let made = deal(&client, json!({ "contact_id": contact }));
    for number in 1..=6 {
        client.patch(&made, json!({ "value": number })).expect(200);
    }
    for list in [format!("{made}/changes"), format!("/contacts/{contact}/deal-changes")] {
        let whole = listed(&owner, &format!("{list}?limit=100"));
        let (mut joined, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = owner.get(&format!("{list}?limit=3&cursor={cursor}")).expect(200);
            let rows = page.data().as_array().expect("a list").clone();
            assert!(rows.len() <= 3);
            joined.extend(rows);
            let Some(next) = page.json["meta"]["next_cursor"].as_str() else { break };
            next.clone_into(&mut cursor);
            // What happens meanwhile is on no later page.
            client.patch(&made, json!({ "value": 100 + joined.len() })).expect(200);
        }
        assert!(whole.len() >= 7);
        assert_eq!(joined, whole);
        owner.get(&format!("{list}?limit=101")).expect(400);
        owner.get(&format!("{list}?cursor=nonsense")).expect(400);
    }
}

fn an_assistants_change_names_the_assistant(desk: Desk) {
    let client = &desk.client;
    let stage = first_pipeline(client).stages[1].clone();
    let made = deal(client, json!({}));
    desk.set(json!({ "tool_access": { "move_deal": true } }));
    let id = made.trim_start_matches("/deals/");
    desk.script(json!([
        calls(&[("move_deal", json!({ "deal_id": id, "stage_id": stage }))]),
        says("Moved.")
    ]));
    let run = desk.starts(json!({}));
    desk.becomes(&run, "succeeded");
    let owner = signed_in(&desk.inbox.app, &desk.inbox.tenant.account, "ada@example.com", "admin");
    let moved = listed(&owner, &format!("{made}/changes")).remove(0);
    assert_eq!((&moved["kind"], &moved["new_value"]), (&json!("stage"), &json!(stage)));
    assert_eq!(moved["by_assistant_id"], desk.assistant.as_str());
    assert_eq!((&moved["by_user_id"], &moved["by_key_id"]), (&Value::Null, &Value::Null));
}

fn a_contact_shows_what_happened_to_all_of_its_deals(app: App) {
    let (owner, client, _) = desk(&app);
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    let one = deal(&client, json!({ "title": "One", "contact_id": ann }));
    let two = deal(&client, json!({ "title": "Two", "contact_id": ann }));
    deal(&client, json!({ "title": "Three", "contact_id": bob }));
    deal(&client, json!({ "title": "Four" }));
    client.patch(&one, json!({ "value": 7 })).expect(200);
    let feed = |contact: &str| {
        let rows = listed(&owner, &format!("/contacts/{contact}/deal-changes"));
        rows.iter()
            .map(|row| format!("/deals/{} {}", text(&row["deal_id"]), text(&row["kind"])))
            .collect::<Vec<_>>()
    };
    let newest = [format!("{one} value"), format!("{two} created"), format!("{one} created")];
    assert_eq!(feed(&ann), newest);
    // A deal takes what happened to it along.
    client.patch(&one, json!({ "contact_id": bob })).expect(200);
    assert_eq!(feed(&ann), [format!("{two} created")]);
    assert_eq!(feed(&bob).len(), 4);
}

fn a_merge_moves_the_changes_and_an_erased_contact_is_in_none(app: App) {
    let (owner, client, _) = desk(&app);
    let [ann, annie, bob] = ["Ann", "Annie", "Bob"].map(|name| add(&client, json!({ "name": name })));
    let made = deal(&client, json!({ "contact_id": annie }));
    client.patch(&made, json!({ "contact_id": bob })).expect(200);
    client.patch(&made, json!({ "contact_id": annie })).expect(200);
    client.post(&format!("/contacts/{ann}/merge"), json!({ "contact_id": annie })).expect(200);
    let contacts = |browser: &Browser| changes(browser, &made)[1..].to_vec();
    let merged = [change("contact", json!(ann), json!(bob)), change("contact", json!(bob), json!(ann))];
    assert_eq!(contacts(&owner), merged);
    assert_eq!(listed(&owner, &format!("/contacts/{ann}/deal-changes")).len(), 3);
    client.delete(&format!("/contacts/{bob}")).expect(200);
    let erased = [change("contact", json!(ann), Value::Null), change("contact", Value::Null, json!(ann))];
    assert_eq!(contacts(&owner), erased);
    client.delete(&format!("/contacts/{ann}")).expect(200);
    let nobody = change("contact", Value::Null, Value::Null);
    assert_eq!(contacts(&owner), [nobody.clone(), nobody]);
    owner.get(&format!("/contacts/{ann}/deal-changes")).expect(404).error("not_found");
}

fn changes_go_with_their_deal(app: App) {
    let (owner, client, _) = desk(&app);
    let contact = add(&client, json!({ "name": "Ann" }));
    let made = deal(&client, json!({ "contact_id": contact }));
    client.delete(&made).expect(200);
    owner.get(&format!("{made}/changes")).expect(404).error("not_found");
    assert_eq!(listed(&owner, &format!("/contacts/{contact}/deal-changes")), [Value::Null; 0]);
    let archive = crate::export::exported(&owner);
    assert_eq!(archive.rows("deal_changes"), [Value::Null; 0]);
}

fn nobody_else_reads_what_happened_to_a_deal(app: App) {
    let (owner, client, account) = desk(&app);
    let contact = add(&client, json!({ "name": "Ann" }));
    let made = deal(&client, json!({ "contact_id": contact }));
    let lists = [format!("{made}/changes"), format!("/contacts/{contact}/deal-changes")];
    let mia = signed_in(&app, &account, "mia@example.com", "agent");
    let eve = stranger(&app);
    for list in &lists {
        assert_eq!(listed(&mia, list), listed(&owner, list));
        eve.get(list).expect(404).error("not_found");
        Browser::new(&app).get(list).expect(401).error("unauthorized");
    }
    owner.get(&format!("/deals/{NOTHING}/changes")).expect(404).error("not_found");
}

fn an_export_has_what_happened_to_deals(app: App) {
    let (owner, client, _) = desk(&app);
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    let made = deal(&client, json!({ "contact_id": bob }));
    client.patch(&made, json!({ "value": 5, "contact_id": ann })).expect(200);
    let archive = crate::export::exported(&owner);
    assert_eq!(archive.rows("deal_changes").len(), 3);
    let one = owner.get(&format!("/contacts/{ann}/export")).expect(200);
    let archive = crate::export::Archive::read(one.body);
    let kinds: Vec<Value> = archive.rows("deal_changes").iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["created", "value"], "a line that names somebody else is not exported");
    assert_eq!(archive.mentions(&bob), Vec::<&str>::new());
}

fn moves_at_the_same_time_are_kept_in_their_order(app: App) {
    let (owner, client, _) = desk(&app);
    let stages = first_pipeline(&client).stages;
    let made = deal(&client, json!({}));
    at_once(8, |number| {
        let stage = &stages[1 + number % 3];
        client.post(&format!("{made}/move"), json!({ "stage_id": stage })).expect(200);
    });
    let kept = changes(&owner, &made);
    // Each begins where the one before ended.
    for pair in kept[1..].windows(2) {
        assert_eq!(pair[0].2, pair[1].1);
    }
    assert_eq!(kept.last().expect("a change").2, client.get(&made).expect(200).data()["stage_id"]);
}
