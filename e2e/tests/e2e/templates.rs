//! Templates: as the vendor last told them.

use frontdesk_e2e::{Client, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{Inbox, eventually, id};
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    a_template_has_exactly_its_fields,
    the_placeholders_are_those_of_the_body,
    templates_are_listed_by_each_filter,
    syncing_takes_over_what_the_vendor_has,
    a_template_that_did_not_change_stays_as_it_is,
    the_vendors_word_counts_at_once,
    accounts_do_not_share_templates,
    a_sync_that_fails_says_why_and_keeps_what_there_was,
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

fn the_vendors_word_counts_at_once(inbox: Inbox) {
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
