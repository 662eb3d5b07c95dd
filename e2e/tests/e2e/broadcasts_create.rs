//! Making a broadcast: whom it reaches, what it says, and every way in which it is refused.

use std::collections::BTreeSet;

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::broadcasts_scene::{
    BROADCAST, COUNTS, RECIPIENT, announce, announced, becomes, counts, hello, numbers, once, path, people,
    phones, reached, read, recipients,
};
use crate::inbox_scene::{Inbox, connect, reachable};
use crate::people::{add, field, tag, walk};
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    a_broadcast_reaches_every_number_once_and_unknown_ones_become_contacts,
    every_audience_reaches_its_contacts,
    contacts_without_a_phone_and_opted_out_ones_are_skipped,
    variables_are_filled_in_for_each_recipient_and_stay,
    an_empty_audience_ends_as_sent,
    all_problems_are_reported_at_once,
    templates_are_refused_as_for_messages,
    a_broadcast_needs_a_connected_channel,
    an_unknown_segment_is_not_found,
    it_costs_five_units_and_is_made_once_for_an_idempotency_key,
    the_monthly_limit_counts_in_the_accounts_timezone,
    numbers_that_do_not_fit_the_limit_refuse_the_whole_broadcast,
    alone recipients_beyond_five_thousand_are_added_after_the_response,
    broadcasts_are_listed_by_status_and_name,
}

fn a_broadcast_reaches_every_number_once_and_unknown_ones_become_contacts(inbox: Inbox) {
    let known = add(&inbox.client, json!({ "phone": "+14155550123", "name": "Ann" }));
    let given = ["+14155550123", "+1 (415) 555-0123", "+14155550150", "+1 415 555 0151", "+14155550150"];
    let made = announced(&inbox.client, hello(json!({ "type": "phones", "phones": given })));
    has_fields(&made, BROADCAST);
    has_fields(&made["counts"], COUNTS);
    is_id(&made["id"]);
    is_moment(&made["scheduled_at"]);
    assert_eq!(
        (&made["status"], &made["kind"], &made["channel"]),
        (&json!("sending"), &json!("template"), &json!("whatsapp"))
    );
    assert_eq!(made["template"], json!({ "name": "hello_world", "language": "en_US" }));
    assert_eq!(made["counts"], counts(3, 0, 0, 0, 0, 0));
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!(
        (&done["counts"]["total"], &done["counts"]["sent"], &done["counts"]["failed"]),
        (&json!(3), &json!(3), &json!(0))
    );
    assert_eq!(reached(&inbox.client, &made), ["+14155550123", "+14155550150", "+14155550151"]);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 3);
    let sent = inbox.sent_soon(&inbox.whatsapp, 3);
    let to: BTreeSet<&str> = sent.iter().map(|one| text(&one["to"])).collect();
    assert_eq!(to, ["14155550123", "14155550150", "14155550151"].into());
    for recipient in recipients(&inbox.client, &made, "") {
        has_fields(&recipient, RECIPIENT);
        let message = inbox.message(&recipient["message_id"]);
        assert_eq!((&message["type"], &message["sender_type"]), (&json!("template"), &json!("bot")));
        assert_eq!(message["template_name"], "hello_world");
        assert!(recipient["phone"] != "+14155550123" || recipient["contact_id"] == known.as_str());
    }
    let told: Vec<String> =
        inbox.told().into_iter().filter(|event| event.starts_with("broadcast.")).collect();
    assert_eq!(told, ["broadcast.started", "broadcast.completed"]);
    let completed = inbox.events("broadcast.completed").remove(0);
    assert_eq!(
        (&completed["broadcast"]["id"], &completed["broadcast"]["status"]),
        (&made["id"], &json!("sent"))
    );
    assert_eq!(completed["broadcast"]["counts"]["sent"], 3);
}

fn every_audience_reaches_its_contacts(inbox: Inbox) {
    let client = &inbox.client;
    let (vip, lead, left) = (tag(client, "vip"), tag(client, "lead"), tag(client, "left"));
    let person = |name: &str, phone: &str, tags: Value| {
        add(client, json!({ "name": name, "phone": phone, "tag_ids": tags }))
    };
    let ann = person("Ann", "+14155550001", json!([vip]));
    person("Ben", "+14155550002", json!([vip, lead]));
    person("Cat", "+14155550003", json!([lead, left]));
    let dan = person("Dan", "+14155550004", json!([]));
    let rules = json!([{ "field": "name", "op": "is_not", "value": "Dan" }]);
    let segment = client.post("/segments", json!({ "name": "No Dan", "rules": rules })).expect(201).id();
    let cases = [
        (json!({ "type": "contacts", "contact_ids": [ann, dan, ann] }), vec![1, 4]),
        (json!({ "type": "tags", "tag_ids": [vip, lead] }), vec![1, 2, 3]),
        (json!({ "type": "tags", "tag_ids": [vip, lead], "exclude_tag_ids": [left] }), vec![1, 2]),
        (json!({ "type": "all" }), vec![1, 2, 3, 4]),
        (json!({ "type": "all", "exclude_tag_ids": [vip, left] }), vec![4]),
        (json!({ "type": "segment", "segment_id": segment }), vec![1, 2, 3]),
        (json!({ "type": "segment", "segment_id": segment, "exclude_tag_ids": [lead] }), vec![1]),
    ];
    for (audience, expected) in cases {
        let made = announced(client, hello(audience.clone()));
        assert_eq!(made["counts"]["total"], expected.len(), "{audience}");
        let expected: Vec<String> = expected.iter().map(|last| format!("+1415555000{last}")).collect();
        assert_eq!(reached(client, &made), expected, "{audience}");
        becomes(client, &made, "sent");
    }
}

fn contacts_without_a_phone_and_opted_out_ones_are_skipped(inbox: Inbox) {
    let client = &inbox.client;
    let mut ids = people(client, &numbers(3));
    ids.push(add(client, json!({ "name": "No phone" })));
    client.put(&format!("/contacts/{}/opt-out", ids[1]), json!({})).expect(200);
    let by_ids = announced(client, hello(json!({ "type": "contacts", "contact_ids": ids })));
    assert_eq!(by_ids["counts"]["total"], 2);
    let by_phone = announced(client, hello(phones(&numbers(3))));
    assert_eq!(by_phone["counts"]["total"], 2);
    let all = announced(client, hello(json!({ "type": "all" })));
    assert_eq!(all["counts"]["total"], 2);
    // Whoever opts out before it starts is left out too.
    let mut later = hello(json!({ "type": "all" }));
    later["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let later = announced(client, later);
    assert_eq!((&later["status"], &later["counts"]["total"]), (&json!("scheduled"), &json!(2)));
    client.put(&format!("/contacts/{}/opt-out", ids[0]), json!({})).expect(200);
    client.post(&format!("{}/schedule", path(&later)), json!({})).expect(200);
    let done = becomes(client, &later, "sent");
    assert_eq!((&done["counts"]["sent"], &done["counts"]["failed"]), (&json!(1), &json!(0)));
    let cancelled = recipients(client, &later, "?status=cancelled");
    assert_eq!((cancelled.len(), &cancelled[0]["error"]["reason"]), (1, &json!("opted_out")));
}

fn variables_are_filled_in_for_each_recipient_and_stay(inbox: Inbox) {
    let client = &inbox.client;
    let day = field(client, "Day", "text");
    let person = |phone: &str, name: Value, value: Value| {
        let body = json!({ "phone": phone, "name": name, "email": "x@example.com", "custom_fields": { day.as_str(): value } });
        add(client, body)
    };
    let ana = person("+5511987654321", json!("Ana"), json!("5 de maio"));
    person("+5511987654322", json!(null), json!("6 de maio"));
    person("+5511987654323", json!("Caio"), json!(null));
    let body = json!({
        "name": "Lembrete", "template": { "name": "appointment_reminder", "language": "pt_BR" },
        "audience": { "type": "all" }, "schedule_at": "2999-01-01T00:00:00Z",
        "variables": {
            "1": { "type": "field", "value": "name", "fallback": "cliente" },
            "2": { "type": "custom_field", "value": day },
        },
    });
    let made = announced(client, body);
    assert_eq!(made["counts"], counts(3, 0, 0, 0, 0, 1));
    // What was found when the recipient was made is what is said, whatever has changed since.
    client.patch(&format!("/contacts/{ana}"), json!({ "name": "Anna" })).expect(200);
    client.post(&format!("{}/schedule", path(&made)), json!({})).expect(200);
    let done = becomes(client, &made, "sent");
    assert_eq!((&done["counts"]["sent"], &done["counts"]["failed"]), (&json!(2), &json!(1)));
    let mut said: Vec<String> =
        inbox.sent_soon(&inbox.whatsapp, 2).iter().map(|one| text(&one["text"]).to_owned()).collect();
    said.sort();
    assert_eq!(
        said,
        [
            "Olá Ana, lembramos da sua consulta em 5 de maio.",
            "Olá cliente, lembramos da sua consulta em 6 de maio."
        ]
    );
    let failed = recipients(client, &made, "?status=failed");
    assert_eq!((failed.len(), &failed[0]["message_id"]), (1, &Value::Null));
    assert_eq!(failed[0]["error"]["reason"], "template_params_mismatch");
    assert!(text(&failed[0]["error"]["message"]).contains("variables.2"), "{}", failed[0]);
    let media = json!({
        "name": "Invoices", "template": { "name": "invoice_ready" }, "audience": { "type": "contacts", "contact_ids": [ana] },
        "variables": { "1": { "type": "static", "value": "Ana" } }, "header_media_url": "https://files.example/a.pdf",
    });
    let media = announced(client, media);
    becomes(client, &media, "sent");
    let sent = inbox.sent_soon(&inbox.whatsapp, 3).pop().unwrap();
    assert_eq!(
        sent["raw"]["template"]["components"][0]["parameters"][0]["document"]["link"],
        "https://files.example/a.pdf"
    );
}

fn an_empty_audience_ends_as_sent(inbox: Inbox) {
    let made = announced(&inbox.client, hello(json!({ "type": "all" })));
    assert_eq!(made["counts"]["total"], 0);
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!(done["counts"], counts(0, 0, 0, 0, 0, 0));
    assert_eq!(inbox.events("broadcast.completed").len(), 1);
}

fn all_problems_are_reported_at_once(inbox: Inbox) {
    let (theirs, nobody) = (tag(&inbox.app.tenant().client, "vip"), "01890a5d-ac96-774b-bcce-b302099a8057");
    let wrong = |body: Value| -> Vec<String> {
        let response = announce(&inbox.client, body).expect(400);
        let details = response.error("validation_error")["details"].as_array().expect("a list").clone();
        details.iter().map(|detail| text(&detail["path"]).to_owned()).collect()
    };
    assert_eq!(wrong(json!({})), ["name", "template", "audience"]);
    let body = json!({
        "name": "", "template": { "name": "hello_world" },
        "audience": { "type": "tags", "tag_ids": [theirs], "exclude_tag_ids": [nobody] },
        "variables": { "1": { "type": "custom_field", "value": nobody }, "2": { "type": "static", "value": "x" } },
    });
    let mut found = wrong(body);
    found.sort();
    assert_eq!(found, ["audience.exclude_tag_ids.0", "audience.tag_ids.0", "name", "variables.1.value"]);
    let ann = add(&inbox.client, json!({ "phone": "+14155550123" }));
    assert_eq!(
        wrong(hello(json!({ "type": "contacts", "contact_ids": [ann, nobody] }))),
        ["audience.contact_ids.1"]
    );
    assert_eq!(
        wrong(hello(json!({ "type": "phones", "phones": ["12", "+14155550123"] }))),
        ["audience.phones.0"]
    );
    assert_eq!(walk(&inbox.client, "/broadcasts").len(), 0);
}

fn templates_are_refused_as_for_messages(inbox: Inbox) {
    let refused = |template: Value, variables: Value| {
        let body = json!({ "name": "x", "template": template, "audience": { "type": "all" }, "variables": variables });
        let response = announce(&inbox.client, body).expect(422);
        let error = response.error("unprocessable").clone();
        (text(&error["reason"]).to_owned(), error["details"].clone())
    };
    assert_eq!(refused(json!({ "name": "nothing" }), json!({})).0, "template_not_found");
    assert_eq!(
        refused(json!({ "name": "hello_world", "language": "xx" }), json!({})).0,
        "template_not_found"
    );
    let pending = walk_templates(&inbox.client, "PENDING");
    assert_eq!(refused(pending, json!({})).0, "template_not_approved");
    let reminder = json!({ "name": "appointment_reminder", "language": "pt_BR" });
    let (reason, details) = refused(
        reminder,
        json!({ "1": { "type": "field", "value": "name" }, "7": { "type": "static", "value": "x" } }),
    );
    assert_eq!(reason, "template_params_mismatch");
    let paths: Vec<&str> = details.as_array().unwrap().iter().map(|detail| text(&detail["path"])).collect();
    assert_eq!(paths, ["variables.2", "variables.7"]);
}

/// A template of the account with this status.
#[track_caller]
fn walk_templates(client: &Client, status: &str) -> Value {
    let found = client.get(&format!("/templates?status={status}")).expect(200);
    let one = &found.data()[0];
    json!({ "name": one["name"], "language": one["language"] })
}

fn a_broadcast_needs_a_connected_channel(app: App) {
    let tenant = app.tenant();
    let refused = announce(&tenant.client, hello(json!({ "type": "all" }))).expect(422);
    refused.error("channel_not_connected");
    let connection = connect(&app, &tenant.account, "whatsapp");
    let made = announced(&tenant.client, hello(json!({ "type": "all" })));
    becomes(&tenant.client, &made, "sent");
    app.cli(&["channel", "disconnect", &connection]);
    announce(&tenant.client, hello(json!({ "type": "all" }))).expect(422).error("channel_not_connected");
}

fn an_unknown_segment_is_not_found(app: App) {
    let client = reachable(&app).client;
    let nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    announce(&client, hello(json!({ "type": "segment", "segment_id": nobody }))).expect(404);
    client.get(&format!("/broadcasts/{nobody}")).expect(404);
    client.get(&format!("/broadcasts/{nobody}/recipients")).expect(404);
}

fn it_costs_five_units_and_is_made_once_for_an_idempotency_key(app: App) {
    let client = reachable(&app).client.with("Idempotency-Key", "spring");
    let made = announce(&client, hello(phones(&numbers(2)))).expect(202);
    let again = announce(&client, hello(phones(&numbers(2)))).expect(202);
    assert_eq!(made.body, again.body);
    assert_eq!(again.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(walk(&client, "/broadcasts").len(), 1);
    let left = |response: &frontdesk_e2e::Response| -> i64 {
        response.header("X-RateLimit-Remaining").expect("a header").parse().expect("a number")
    };
    let taken = left(&made) - left(&again);
    assert!(taken == 5 || taken < 0, "another minute, or five units: {taken}");
    announce(&client, hello(phones(&numbers(3)))).expect(422);
}

fn the_monthly_limit_counts_in_the_accounts_timezone(inbox: Inbox) {
    let account = inbox.app.account_with(&[
        "--rate-limit",
        "1000000",
        "--broadcast-limit",
        "2",
        "--timezone",
        "Pacific/Auckland",
    ]);
    let client = inbox.app.client(&inbox.app.key_with(&account, &["--all-scopes"]));
    connect(&inbox.app, &account, "whatsapp");
    announced(&client, hello(json!({ "type": "all" })));
    announced(&client, hello(json!({ "type": "all" })));
    let refused = announce(&client, hello(phones(&numbers(1)))).expect(402);
    assert_eq!(
        refused.error("plan_limit_reached")["details"],
        json!([{ "limit": 2, "resource": "broadcasts" }])
    );
    assert_eq!(walk(&client, "/contacts").len(), 0, "nothing was made");
    inbox.advance(32 * 24 * 60 * 60);
    announced(&client, hello(json!({ "type": "all" })));
}

fn numbers_that_do_not_fit_the_limit_refuse_the_whole_broadcast(app: App) {
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", "3"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    connect(&app, &account, "whatsapp");
    add(&client, json!({ "phone": numbers(1)[0] }));
    let refused = announce(&client, hello(phones(&numbers(4)))).expect(402);
    assert_eq!(
        refused.error("plan_limit_reached")["details"],
        json!([{ "limit": 3, "resource": "contacts" }])
    );
    assert_eq!((walk(&client, "/contacts").len(), walk(&client, "/broadcasts").len()), (1, 0));
    let made = announced(&client, hello(phones(&numbers(3))));
    assert_eq!(made["counts"]["total"], 3);
    becomes(&client, &made, "sent");
    client.post("/contacts", json!({ "name": "One too many" })).expect(402);
}

fn recipients_beyond_five_thousand_are_added_after_the_response(inbox: Inbox) {
    const MANY: usize = 6_500;
    let mut body = hello(phones(&numbers(MANY)));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(&inbox.client, body);
    assert_eq!(made["counts"]["total"], 5_000);
    let whole = once(&inbox.client, &made, |now| now["counts"]["total"] == MANY);
    assert_eq!(whole["status"], "scheduled");
    // The same people, found in another way.
    let mut all = hello(json!({ "type": "all" }));
    all["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let all = announced(&inbox.client, all);
    once(&inbox.client, &all, |now| now["counts"]["total"] == MANY);
    let found: BTreeSet<String> = reached(&inbox.client, &all).into_iter().collect();
    assert_eq!(found, numbers(MANY).into_iter().collect());
}

fn broadcasts_are_listed_by_status_and_name(app: App) {
    let client = reachable(&app).client;
    let mut named = hello(json!({ "type": "all" }));
    named["name"] = json!("Spring SALE 100%");
    named["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let later = announced(&client, named);
    let now = announced(&client, hello(json!({ "type": "all" })));
    becomes(&client, &now, "sent");
    let ids = |query: &str| -> Vec<Value> {
        walk(&client, &format!("/broadcasts{query}")).iter().map(|row| row["id"].clone()).collect()
    };
    assert_eq!(ids(""), [now["id"].clone(), later["id"].clone()]);
    assert_eq!(ids("?status=scheduled"), [later["id"].clone()]);
    assert_eq!(ids("?q=sale%20100%25"), [later["id"].clone()]);
    assert_eq!(ids("?q=winter"), Vec::<Value>::new());
    client.get("/broadcasts?status=lost").expect(400);
    assert_eq!(read(&client, &later)["id"], later["id"]);
}
