//! Templates: as the vendor last told them.

use frontdesk_e2e::{Client, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{Inbox as Outer, TestConnection, status, statuses, webhook};
use crate::inbox_scene::{Inbox, eventually, id};
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    a_template_has_exactly_its_fields,
    the_placeholders_are_those_of_the_body,
    templates_are_listed_by_each_filter,
    syncing_takes_over_what_the_vendor_has,
    a_template_that_did_not_change_stays_as_it_is,
    a_decision_of_the_vendor_applies_at_once,
    accounts_do_not_share_templates,
    a_sync_that_fails_says_why_and_keeps_what_there_was,
    a_template_that_is_not_known_is_read_by_itself,
    a_burst_of_unknown_templates_makes_one_sync,
    a_sync_in_the_background_is_tried_again_and_outlives_the_server,
    a_template_that_a_report_says_was_stopped_is_paused,
}

/// Names and languages, as listed.
#[track_caller]
fn listed(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/templates{query}")).expect(200);
    let rows = list.data().as_array().expect("a list");
    let mut names: Vec<String> =
        rows.iter().map(|row| format!("{} {}", text(&row["name"]), text(&row["language"]))).collect();
    names.sort();
    names
}

#[track_caller]
fn named(client: &Client, name: &str) -> Value {
    let list = client.get(&format!("/templates?q={name}")).expect(200);
    list.data().as_array().expect("a list").iter().find(|row| row["name"] == name).expect(name).clone()
}

/// Changes the vendor's templates.
#[track_caller]
fn vendor(inbox: &Inbox, templates: Value, replace: bool) {
    let body = json!({ "connection_id": inbox.whatsapp, "templates": templates, "replace": replace });
    inbox.sandbox().put("/sandbox/templates", body).expect(200);
}

fn a_template_has_exactly_its_fields(inbox: Inbox) {
    let list = inbox.client.get("/templates").expect(200);
    for row in list.data().as_array().unwrap() {
        has_fields(row, "id name language category status components placeholders created_at updated_at");
        is_id(&row["id"]);
        is_moment(&row["created_at"]);
        is_moment(&row["updated_at"]);
    }
    assert_eq!(list.json["meta"], json!({ "next_cursor": null, "has_more": false, "limit": 9 }));
    let template = named(&inbox.client, "promo_code");
    for (field, value) in [
        ("language", json!("en_US")),
        ("category", json!("MARKETING")),
        ("status", json!("APPROVED")),
        ("placeholders", json!(["1"])),
        (
            "components",
            json!([
                { "type": "BODY", "text": "Here is {{1}} off your next order." },
                { "type": "BUTTONS", "buttons": [{ "type": "COPY_CODE", "text": "Copy offer code", "example": ["SAVE25"] }] },
            ]),
        ),
    ] {
        assert_eq!(template[field], value, "{field}");
    }
}

fn the_placeholders_are_those_of_the_body(inbox: Inbox) {
    for (name, wanted) in [
        ("hello_world", json!([])),
        ("appointment_reminder", json!(["1", "2"])),
        ("order_update", json!([])),
        ("welcome_named", json!(["customer_name", "manager"])),
    ] {
        assert_eq!(named(&inbox.client, name)["placeholders"], wanted, "{name}");
    }
}

fn templates_are_listed_by_each_filter(inbox: Inbox) {
    let approved = listed(&inbox.client, "?status=APPROVED");
    assert_eq!(approved.len(), 7);
    for (query, wanted) in [
        ("?status=PENDING", &["pending_review en_US"][..]),
        ("?status=REJECTED", &["rejected_offer en_US"]),
        ("?status=PAUSED", &[]),
        ("?language=pt_BR", &["appointment_reminder pt_BR"]),
        ("?language=de", &[]),
        ("?q=appointment", &["appointment_reminder en_US", "appointment_reminder pt_BR"]),
        ("?q=REMINDER&language=en_US", &["appointment_reminder en_US"]),
        ("?q=offer&status=APPROVED", &[]),
        ("?q=offer&status=REJECTED", &["rejected_offer en_US"]),
        ("?q=%25", &[]),
    ] {
        assert_eq!(listed(&inbox.client, query), wanted, "{query}");
    }
    for query in ["?status=approved", "?status=GOOD"] {
        inbox.client.get(&format!("/templates{query}")).expect(400).error("bad_request");
    }
    let reader = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "templates:read"));
    assert_eq!(listed(&reader, "").len(), 9);
    let other = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "messages:read"));
    other.get("/templates").expect(403).error("forbidden");
}

fn syncing_takes_over_what_the_vendor_has(inbox: Inbox) {
    let kept = named(&inbox.client, "hello_world");
    vendor(
        &inbox,
        json!([
            { "name": "hello_world", "components": [{ "type": "BODY", "text": "Hello, {{1}}." }], "category": "MARKETING" },
            { "name": "brand_new", "language": "de", "status": "PENDING" },
        ]),
        true,
    );
    let synced = inbox.app.cli(&["channel", "sync", &inbox.whatsapp]);
    assert_eq!(synced, json!({ "connection_id": inbox.whatsapp, "templates": 2 }));
    assert_eq!(listed(&inbox.client, ""), ["brand_new de", "hello_world en_US"]);
    let changed = named(&inbox.client, "hello_world");
    assert_eq!((&changed["id"], &changed["placeholders"]), (&kept["id"], &json!(["1"])));
    assert_eq!((&changed["category"], &changed["created_at"]), (&json!("MARKETING"), &kept["created_at"]));
    assert_ne!(changed["updated_at"], kept["updated_at"]);
    assert_eq!(named(&inbox.client, "brand_new")["status"], "PENDING");
    let hello = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "promo_code", "body_params": ["x"] } });
    assert_eq!(inbox.send(hello).expect(422).error("unprocessable")["reason"], "template_not_found");
}

fn a_template_that_did_not_change_stays_as_it_is(inbox: Inbox) {
    let before = inbox.client.get("/templates").expect(200).json;
    inbox.app.cli(&["channel", "sync", &inbox.whatsapp]);
    assert_eq!(inbox.client.get("/templates").expect(200).json, before);
}

fn a_decision_of_the_vendor_applies_at_once(inbox: Inbox) {
    for status in ["PAUSED", "DISABLED", "REJECTED", "APPROVED"] {
        vendor(&inbox, json!([{ "name": "hello_world", "status": status }]), false);
        eventually(status, || Some(()).filter(|()| named(&inbox.client, "hello_world")["status"] == status));
    }
    // What was under review and is approved can be sent at once.
    vendor(&inbox, json!([{ "name": "pending_review", "status": "APPROVED" }]), false);
    eventually("the approval", || {
        Some(()).filter(|()| named(&inbox.client, "pending_review")["status"] == "APPROVED")
    });
    inbox.sends(json!({
        "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "pending_review", "body_params": ["Ann"] },
    }));
    // The other language is another template.
    vendor(
        &inbox,
        json!([{ "name": "appointment_reminder", "language": "pt_BR", "status": "PAUSED" }]),
        false,
    );
    eventually("the pause", || {
        Some(()).filter(|()| listed(&inbox.client, "?status=PAUSED") == ["appointment_reminder pt_BR"])
    });
}

fn accounts_do_not_share_templates(inbox: Inbox) {
    let theirs = inbox.app.tenant().client;
    assert_eq!(listed(&theirs, ""), [""; 0]);
    vendor(&inbox, json!([{ "name": "only_ours" }]), true);
    inbox.app.cli(&["channel", "sync", &inbox.whatsapp]);
    assert_eq!(listed(&inbox.client, ""), ["only_ours en_US"]);
    assert_eq!(listed(&theirs, ""), [""; 0]);
}

fn a_sync_that_fails_says_why_and_keeps_what_there_was(inbox: Inbox) {
    let before = inbox.client.get("/templates").expect(200).json;
    inbox.faults(json!([{ "on": "templates", "kind": "error", "code": 190, "times": 1 }]));
    let said = inbox.app.run(&["channel", "sync", &inbox.whatsapp]).expect_failure();
    assert!(said.contains("190"), "{said}");
    inbox.faults(json!([{ "on": "templates", "kind": "status", "status": 503, "times": 1 }]));
    inbox.app.run(&["channel", "sync", &inbox.whatsapp]).expect_failure();
    let page = inbox.connect("messenger");
    let said = inbox.app.run(&["channel", "sync", &page]).expect_failure();
    assert!(said.contains("whatsapp"), "{said}");
    assert_eq!(inbox.client.get("/templates").expect(200).json, before);
    assert!(!id(&before["data"][0]).is_empty());
}

/// The vendor tells of a template's status, without having been asked.
#[track_caller]
fn told(inbox: &Outer, connection: &TestConnection, name: &str, status: &str) {
    let value = json!({ "event": status, "message_template_id": 1, "message_template_name": name, "message_template_language": "en_US" });
    let change = json!([{ "field": "message_template_status_update", "value": value }]);
    inbox.tell(connection, &webhook(connection, change)).expect(200);
}

/// The vendor gets a template, of which it says nothing.
#[track_caller]
fn keeps(inbox: &Outer, connection: &TestConnection, name: &str) {
    inbox.vendors.faults(json!([{ "on": "webhook", "kind": "cut", "times": 1 }]));
    let body = json!({ "connection_id": connection.id, "templates": [{ "name": name }], "replace": false });
    inbox.vendors.calls().put("/sandbox/templates", body).expect(200);
    eventually("the lost webhook", || Some(()).filter(|()| inbox.vendors.faults_left() == 0));
}

/// Counts the calls for templates from here on.
#[track_caller]
fn count_calls(inbox: &Outer) {
    inbox.vendors.faults(json!([{ "on": "templates", "kind": "delay", "millis": 1, "times": 1000 }]));
}

#[track_caller]
fn calls(inbox: &Outer) -> u64 {
    let left = inbox.vendors.calls().get("/sandbox/faults").expect(200);
    1000 - left.data()["faults"][0]["times"].as_u64().expect("a number")
}

fn a_template_that_is_not_known_is_read_by_itself(inbox: Inbox) {
    vendor(&inbox, json!([{ "name": "brand_new", "status": "APPROVED" }]), false);
    // By itself: no clock is moved for it.
    eventually("the new template", || {
        Some(()).filter(|()| listed(&inbox.client, "?q=brand_new") == ["brand_new en_US"])
    });
    inbox.sends(
        json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "brand_new" } }),
    );
}

fn a_burst_of_unknown_templates_makes_one_sync(inbox: Outer) {
    let connection = inbox.whatsapp();
    keeps(&inbox, &connection, "brand_new");
    count_calls(&inbox);
    at_once(8, |at| told(&inbox, &connection, ["brand_new", "elsewhere"][at % 2], "APPROVED"));
    // One that is known is no reason to read them all.
    told(&inbox, &connection, "hello_world", "APPROVED");
    inbox.advance(3);
    assert_eq!((calls(&inbox), listed(&inbox.client, "?q=brand_new").len()), (1, 1));
    inbox.advance(3600);
    assert_eq!(calls(&inbox), 1);
}

fn a_sync_in_the_background_is_tried_again_and_outlives_the_server(inbox: Outer) {
    let connection = inbox.whatsapp();
    keeps(&inbox, &connection, "brand_new");
    inbox.vendors.faults(json!([{ "on": "templates", "kind": "status", "status": 503, "times": 1 }]));
    told(&inbox, &connection, "brand_new", "APPROVED");
    inbox.advance(3);
    assert_eq!(inbox.vendors.faults_left(), 0);
    assert_eq!(listed(&inbox.client, "?q=brand_new"), [""; 0]);
    inbox.app.kill();
    inbox.app.restart();
    inbox.advance(21);
    assert_eq!(listed(&inbox.client, "?q=brand_new"), ["brand_new en_US"]);
}

fn a_template_that_a_report_says_was_stopped_is_paused(inbox: Outer) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let template =
        json!({ "name": "appointment_reminder", "language": "pt_BR", "body_params": ["Ann", "10:00"] });
    let sends = || {
        let message = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": template });
        inbox.client.post("/messages", message).expect(201).id()
    };
    let failed = |named: &str, code: i64| {
        let mut failed = status(named, "failed");
        failed["errors"] = json!([{ "code": code, "title": "Stopped" }]);
        inbox.tell(&connection, &statuses(&connection, &[failed])).expect(200);
    };
    let first = sends();
    inbox.becomes(&first, "sent");
    // A failure that is not the template's fault leaves it alone.
    failed(text(&inbox.read(&first)["channel_message_id"]), 131_026);
    inbox.becomes(&first, "failed");
    assert_eq!(listed(&inbox.client, "?status=PAUSED"), [""; 0]);
    let second = sends();
    inbox.becomes(&second, "sent");
    failed(text(&inbox.read(&second)["channel_message_id"]), 132_015);
    inbox.becomes(&second, "failed");
    assert_eq!(listed(&inbox.client, "?status=PAUSED"), ["appointment_reminder pt_BR"]);
    let message = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": template });
    let refused = inbox.client.post("/messages", message).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "template_not_approved");
    // And when the report comes before the answer to our own call.
    told(&inbox, &connection, "hello_world", "APPROVED");
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 1500, "times": 1 }]));
    let hello = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "hello_world" } });
    let third = inbox.client.post("/messages", hello).expect(201).id();
    eventually("the call", || Some(()).filter(|()| inbox.vendors.sent().len() == 3));
    failed(text(&inbox.vendors.sent()[2]["channel_message_id"]), 132_016);
    inbox.becomes(&third, "failed");
    assert_eq!(listed(&inbox.client, "?status=PAUSED"), ["appointment_reminder pt_BR", "hello_world en_US"]);
}
