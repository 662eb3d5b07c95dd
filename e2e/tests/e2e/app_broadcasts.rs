//! What the dashboard's pages of broadcasts ask for: the size of an audience, a report, and what a copy starts from.

use frontdesk_e2e::{Client, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, signed_in, stranger};
use crate::broadcasts_scene::{
    announced, becomes, counts, counts_become, hello, numbers, once, path, people, phones,
};
use crate::inbound_scene;
use crate::inbox_scene::Inbox;
use crate::people::{add, field, tag};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    an_audience_is_counted_without_storing_anything,
    a_list_of_numbers_is_counted_without_making_contacts,
    an_audience_that_cannot_be_is_refused_as_it_is_on_creation,
    the_preview_names_the_number_its_pace_and_the_rest_of_the_month,
    the_report_counts_recipients_by_status_and_failures_by_reason,
    the_report_says_how_many_a_retry_would_reach,
    a_copy_starts_with_the_audience_and_the_values_that_were_chosen,
    a_copy_leaves_out_what_is_gone,
    only_those_who_may_see_a_broadcast_see_its_report,
}

fn admin(inbox: &Inbox) -> Browser {
    signed_in(&inbox.app, &inbox.tenant.account, "admin@example.com", "admin")
}

#[track_caller]
fn preview(browser: &Browser, audience: Value) -> Value {
    let shown = browser.post("/broadcasts/preview", json!({ "audience": audience })).expect(200);
    has_fields(
        shown.data(),
        "recipients sample left_out new_contacts messages_per_second connection broadcasts_left",
    );
    shown.data().clone()
}

/// Those who would get it, and those who would not: opted out, without a phone, excluded, listed twice.
#[track_caller]
fn sizes(preview: &Value) -> (i64, [i64; 4]) {
    let left_out = &preview["left_out"];
    has_fields(left_out, "opted_out without_phone excluded_by_tag listed_twice");
    assert_eq!(preview["recipients"]["is_more"], false);
    let number = |value: &Value| value.as_i64().expect("a number");
    let fields = ["opted_out", "without_phone", "excluded_by_tag", "listed_twice"];
    (number(&preview["recipients"]["count"]), fields.map(|field| number(&left_out[field])))
}

fn names(preview: &Value) -> Vec<&str> {
    preview["sample"].as_array().expect("a list").iter().map(|one| text(&one["name"])).collect()
}

fn opt_out(client: &Client, contact: &str) {
    client.put(&format!("/contacts/{contact}/opt-out"), json!({})).expect(200);
}

fn an_audience_is_counted_without_storing_anything(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    assert_eq!(sizes(&preview(&browser, json!({ "type": "all" }))), (0, [0; 4]));
    let (vip, old) = (tag(client, "VIP"), tag(client, "Old"));
    let person = |name: &str, phone: Option<&str>, tags: Vec<&String>| {
        add(client, json!({ "name": name, "phone": phone, "tag_ids": tags, "company": "Acme" }))
    };
    person("Ann", Some("+14155550101"), vec![&vip]);
    person("Ben", Some("+14155550102"), vec![&vip, &old]);
    opt_out(client, &person("Cy", Some("+14155550103"), vec![&vip]));
    person("Dee", None, vec![&vip, &old]);
    let eve = person("Eve", Some("+14155550105"), vec![]);
    // Another account's contact is nobody's business.
    let other = inbox.app.tenant().client;
    other.post("/contacts", json!({ "phone": "+14155550109" })).expect(201);

    let all = preview(&browser, json!({ "type": "all" }));
    assert_eq!(sizes(&all), (3, [1, 1, 0, 0]));
    assert_eq!(names(&all), ["Eve", "Ben", "Ann"]);
    let without_old = preview(&browser, json!({ "type": "all", "exclude_tag_ids": [old] }));
    // Dee has no phone, whatever her tags are: each is counted once.
    assert_eq!(sizes(&without_old), (2, [1, 1, 1, 0]));
    assert_eq!(names(&without_old), ["Eve", "Ann"]);
    // Whoever has both tags is one person.
    let tagged = preview(&browser, json!({ "type": "tags", "tag_ids": [vip, old] }));
    assert_eq!(sizes(&tagged), (2, [1, 1, 0, 0]));
    assert_eq!(sizes(&preview(&browser, json!({ "type": "tags", "tag_ids": [] }))), (0, [0; 4]));
    let rules = json!([{ "field": "company", "op": "is", "value": "Acme" }]);
    let segment = client.post("/segments", json!({ "name": "Acme", "rules": rules })).expect(201).id();
    let found =
        preview(&browser, json!({ "type": "segment", "segment_id": segment, "exclude_tag_ids": [vip] }));
    assert_eq!((sizes(&found), names(&found)), ((1, [1, 1, 2, 0]), vec!["Eve"]));
    let listed = preview(&browser, json!({ "type": "contacts", "contact_ids": [eve, eve] }));
    assert_eq!((sizes(&listed), names(&listed)), ((1, [0, 0, 0, 1]), vec!["Eve"]));
    // A broadcast reaches exactly those.
    for (audience, expected) in [
        (json!({ "type": "all", "exclude_tag_ids": [old] }), 2),
        (json!({ "type": "tags", "tag_ids": [vip, old] }), 2),
        (json!({ "type": "segment", "segment_id": segment, "exclude_tag_ids": [vip] }), 1),
    ] {
        assert_eq!(announced(client, hello(audience))["counts"]["total"], expected);
    }
}

fn a_list_of_numbers_is_counted_without_making_contacts(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    let known = add(client, json!({ "name": "Ann", "phone": "+4915112345601" }));
    opt_out(client, &add(client, json!({ "name": "Ben", "phone": "+4915112345602" })));
    let shown = preview(
        &browser,
        json!({
            "type": "phones", "country": "DE",
            "phones": ["0151 12345601", "+4915112345601", "+4915112345602", "+4915112345603", "0151 12345603"],
        }),
    );
    assert_eq!(sizes(&shown), (2, [1, 0, 0, 2]));
    assert_eq!(shown["new_contacts"], 1);
    assert_eq!((names(&shown), &shown["sample"][0]["id"]), (vec!["Ann"], &json!(known)));
    assert_eq!(browser.get("/contacts/count").expect(200).data()["count"], 2);
    // More numbers than one statement looks up.
    let many = preview(&browser, phones(&numbers(2_100)));
    assert_eq!((sizes(&many), &many["new_contacts"]), ((2_100, [0; 4]), &json!(2_100)));
}

fn an_audience_that_cannot_be_is_refused_as_it_is_on_creation(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    for audience in [
        json!({ "type": "everybody" }),
        json!({ "type": "tags", "tag_ids": [NOTHING] }),
        json!({ "type": "all", "exclude_tag_ids": [NOTHING, "x"] }),
        json!({ "type": "segment", "segment_id": NOTHING }),
        json!({ "type": "contacts", "contact_ids": [NOTHING] }),
        json!({ "type": "phones", "phones": ["x"] }),
        json!(null),
    ] {
        let created = client.post("/broadcasts", hello(audience.clone()));
        let shown = browser.post("/broadcasts/preview", json!({ "audience": audience }));
        assert_eq!(shown.status, created.status, "{audience}: {}", shown.text);
        let details = |json: &Value| json["error"]["details"].clone();
        assert_eq!(details(&shown.json), details(&created.json), "{audience}");
    }
    // Tags and contacts of another account are as unknown as those that never were.
    let other = inbox.app.tenant().client;
    let foreign = tag(&other, "Theirs");
    let refused =
        browser.post("/broadcasts/preview", json!({ "audience": { "type": "tags", "tag_ids": [foreign] } }));
    refused.expect(400).details_at(&["audience.tag_ids.0"]);
    let agent = signed_in(&inbox.app, &inbox.tenant.account, "agent@example.com", "agent");
    let body = json!({ "audience": { "type": "all" } });
    assert_eq!(
        agent.post("/broadcasts/preview", body.clone()).expect(403).error("forbidden")["reason"],
        "scope"
    );
    Browser::new(&inbox.app).post("/broadcasts/preview", body).expect(401).error("unauthorized");
}

fn the_preview_names_the_number_its_pace_and_the_rest_of_the_month(inbox: Inbox) {
    let (account, browser) = (&inbox.tenant.account, admin(&inbox));
    let shown = preview(&browser, json!({ "type": "all" }));
    assert_eq!(shown["connection"]["id"], inbox.whatsapp.as_str());
    has_fields(&shown["connection"], "id name address");
    assert_eq!((&shown["messages_per_second"], &shown["broadcasts_left"]), (&json!(80.0), &Value::Null));
    inbox.app.cli(&["account", "set", &account.id, "--broadcast-limit", "2"]);
    announced(&inbox.client, hello(phones(&numbers(1))));
    assert_eq!(preview(&browser, json!({ "type": "all" }))["broadcasts_left"], 1);
    inbox.app.cli(&["account", "set", &account.id, "--broadcast-limit", "0"]);
    assert_eq!(preview(&browser, json!({ "type": "all" }))["broadcasts_left"], 0);
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let shown = preview(&browser, json!({ "type": "all" }));
    assert_eq!((&shown["connection"], &shown["messages_per_second"]), (&Value::Null, &Value::Null));
}

#[track_caller]
fn report(browser: &Browser, broadcast: &Value) -> Value {
    let shown = browser.get(&format!("{}/report", path(broadcast))).expect(200);
    has_fields(shown.data(), "statuses failures retryable retryable_unknown messages_per_second created_by");
    has_fields(&shown.data()["statuses"], "pending sent delivered read replied failed cancelled");
    shown.data().clone()
}

fn the_report_counts_recipients_by_status_and_failures_by_reason(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    inbox.report_by_hand();
    let mut later = hello(phones(&numbers(6)));
    later["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = browser.post("/v1/broadcasts", later).expect(202).data().clone();
    let waiting = report(&browser, &made);
    assert_eq!(waiting["statuses"]["pending"], 6);
    assert_eq!((&waiting["failures"], &waiting["retryable"]), (&json!([]), &json!(0)));
    assert_eq!((&waiting["created_by"], &waiting["messages_per_second"]), (&json!("Mia"), &json!(80.0)));
    // One is rejected for good.
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 131_026, "times": 1 }]));
    client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    counts_become(client, &made, &counts(6, 5, 0, 0, 0, 1));
    let sent = inbox.sent_soon(&inbox.whatsapp, 5);
    let name = |at: usize| text(&sent[at]["channel_message_id"]);
    inbox.report(name(0), "delivered");
    inbox.report(name(1), "read");
    inbox.hears(text(&sent[2]["to"]), "Yes!");
    counts_become(client, &made, &counts(6, 5, 2, 1, 1, 1));
    let done = report(&browser, &made);
    let expected = json!({
        "pending": 0, "sent": 2, "delivered": 1, "read": 1, "replied": 1, "failed": 1, "cancelled": 0,
    });
    assert_eq!(done["statuses"], expected);
    let failures = done["failures"].as_array().expect("a list");
    assert_eq!(failures.len(), 1, "{failures:?}");
    has_fields(&failures[0], "reason code message count is_temporary");
    assert_eq!((&failures[0]["code"], &failures[0]["count"]), (&json!("131026"), &json!(1)));
    assert_eq!(failures[0]["is_temporary"], false);
    assert_eq!((&done["retryable"], &done["retryable_unknown"]), (&json!(0), &json!(0)));
    // One that a key has made was made by nobody here.
    let by_key = announced(client, hello(phones(&numbers(1))));
    assert_eq!(report(&browser, &by_key)["created_by"], Value::Null);
}

fn the_report_says_how_many_a_retry_would_reach(inbox: inbound_scene::Inbox) {
    let client = &inbox.client;
    let browser = signed_in(&inbox.app, &inbox.tenant.account, "admin@example.com", "admin");
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    let ids = people(client, &numbers(4));
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut", "times": 1 }]));
    let made = announced(client, hello(json!({ "type": "contacts", "contact_ids": ids })));
    once(client, &made, |now| now["counts"]["sent"] == 3);
    inbox.advance(inbound_scene::DOUBT + 5);
    becomes(client, &made, "sent");
    // Two fail for a while after they were accepted. One of them opts out.
    let sent = inbox.vendors.sent();
    for one in &sent[..2] {
        let mut told = inbound_scene::status(text(&one["channel_message_id"]), "failed");
        told["errors"] = json!([{ "code": 130_429, "title": "Rate limit hit" }]);
        inbox.tell(&connection, &inbound_scene::statuses(&connection, &[told])).expect(200);
    }
    counts_become(client, &made, &counts(4, 3, 0, 0, 0, 3));
    let shown = report(&browser, &made);
    assert_eq!((&shown["retryable"], &shown["retryable_unknown"]), (&json!(2), &json!(1)));
    let reasons: Vec<(&str, i64, bool)> = shown["failures"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let count = one["count"].as_i64().expect("a number");
            (text(&one["reason"]), count, one["is_temporary"] == true)
        })
        .collect();
    assert_eq!(reasons, [("rate_limited", 2, true), ("unknown_outcome", 1, false)]);
    let refused = client.get(&format!("{}/recipients?status=failed", path(&made))).expect(200);
    let rows = refused.data().as_array().expect("a list").clone();
    let limited = rows.iter().find(|one| one["error"]["reason"] == "rate_limited").expect("one");
    opt_out(client, text(&limited["contact_id"]));
    assert_eq!(report(&browser, &made)["retryable"], 1);
    let again = client.post(&format!("{}/retry", path(&made)), json!({})).expect(200);
    assert_eq!(again.data()["counts"]["failed"], 2);
}

#[track_caller]
fn copy(browser: &Browser, broadcast: &Value) -> Value {
    let shown = browser.get(&format!("{}/copy", path(broadcast))).expect(200);
    has_fields(shown.data(), "name template variables header_media_url audience");
    shown.data().clone()
}

fn a_copy_starts_with_the_audience_and_the_values_that_were_chosen(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    let (vip, old) = (tag(client, "VIP"), tag(client, "Old"));
    let plan = field(client, "Plan", "text");
    let ann = add(client, json!({ "name": "Ann", "phone": "+14155550101", "tag_ids": [vip] }));
    let rules = json!([{ "field": "name", "op": "is", "value": "Ann" }]);
    let segment = client.post("/segments", json!({ "name": "Ann", "rules": rules })).expect(201).id();
    let variables = json!({
        "1": { "type": "field", "value": "name", "fallback": "friend" },
        "2": { "type": "custom_field", "value": plan, "fallback": "basic" },
    });
    let with = |audience: Value| {
        let mut body = hello(audience);
        body["template"] = json!({ "name": "appointment_reminder", "language": "en_US" });
        body["variables"] = variables.clone();
        body
    };
    for audience in [
        json!({ "type": "all", "exclude_tag_ids": [old] }),
        json!({ "type": "tags", "tag_ids": [vip], "exclude_tag_ids": [old] }),
        json!({ "type": "segment", "segment_id": segment }),
        json!({ "type": "contacts", "contact_ids": [ann] }),
    ] {
        let made = announced(client, with(audience.clone()));
        becomes(client, &made, "sent");
        let copied = copy(&browser, &made);
        for (field, value) in audience.as_object().expect("an object") {
            assert_eq!(&copied["audience"][field], value, "{copied}");
        }
        assert_eq!(copied["name"], "Hello");
        assert_eq!(copied["template"], json!({ "name": "appointment_reminder", "language": "en_US" }));
        for key in ["1", "2"] {
            assert_eq!(copied["variables"][key], variables[key], "{copied}");
        }
        // What comes back is accepted as it is.
        let again = json!({
            "name": "Again", "template": copied["template"], "variables": copied["variables"],
            "audience": copied["audience"],
        });
        assert_eq!(announced(client, again)["counts"]["total"], 1);
    }
    // A list of numbers comes back as the contacts that they are now.
    let made = announced(client, with(phones(&["+14155550101".to_owned()])));
    let copied = copy(&browser, &made);
    assert_eq!(copied["audience"]["type"], "contacts");
    assert_eq!(copied["audience"]["contact_ids"], json!([ann]));
}

fn a_copy_leaves_out_what_is_gone(inbox: Inbox) {
    let (client, browser) = (&inbox.client, admin(&inbox));
    let (vip, old) = (tag(client, "VIP"), tag(client, "Old"));
    let ann = add(client, json!({ "name": "Ann", "phone": "+14155550101", "tag_ids": [vip] }));
    let tagged =
        announced(client, hello(json!({ "type": "tags", "tag_ids": [vip], "exclude_tag_ids": [old] })));
    let listed = announced(client, hello(json!({ "type": "contacts", "contact_ids": [ann] })));
    for made in [&tagged, &listed] {
        becomes(client, made, "sent");
    }
    client.delete(&format!("/tags/{old}")).expect(200);
    assert_eq!(copy(&browser, &tagged)["audience"]["exclude_tag_ids"], json!([]));
    client.delete(&format!("/tags/{vip}")).expect(200);
    assert_eq!(copy(&browser, &tagged)["audience"], Value::Null);
    client.delete(&format!("/contacts/{ann}")).expect(200);
    assert_eq!(copy(&browser, &listed)["audience"], Value::Null);
}

fn only_those_who_may_see_a_broadcast_see_its_report(inbox: Inbox) {
    let made = announced(&inbox.client, hello(phones(&numbers(1))));
    let agent = signed_in(&inbox.app, &inbox.tenant.account, "agent@example.com", "agent");
    let (stranger, nobody) = (stranger(&inbox.app), Browser::new(&inbox.app));
    report(&agent, &made);
    // An agent may look at broadcasts and sends none.
    let refused = agent.get(&format!("{}/copy", path(&made))).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "scope");
    for view in ["report", "copy"] {
        stranger.get(&format!("{}/{view}", path(&made))).expect(404).error("not_found");
        stranger.get(&format!("/broadcasts/nothing/{view}")).expect(404).error("not_found");
        nobody.get(&format!("{}/{view}", path(&made))).expect(401).error("unauthorized");
    }
}
