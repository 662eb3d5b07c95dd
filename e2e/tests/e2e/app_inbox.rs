//! The dashboard's views: the inbox by activity, counts, and a conversation with what stands beside its messages.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::inbox_scene::{ANN, BOB, CONVERSATION, Inbox, MESSAGE, id, reply};
use crate::people::add;
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    the_inbox_is_ordered_by_activity,
    the_inbox_is_walked_page_by_page,
    the_inbox_is_filtered_and_searched,
    open_conversations_are_counted,
    a_thread_shows_what_stands_beside_its_messages,
    names_and_sums_come_in_one_request,
}

/// A member's browser at this inbox, and the member's id.
fn desk(inbox: &Inbox) -> (Browser, String) {
    let id = member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    (Browser::new(&inbox.app).sign_in("mia@example.com"), id)
}

#[track_caller]
fn listed(browser: &Browser, query: &str) -> Vec<String> {
    let list = browser.get(&format!("/inbox?{query}")).expect(200);
    list.data()
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| text(&row["conversation"]["id"]).to_owned())
        .collect()
}

fn the_inbox_is_ordered_by_activity(inbox: Inbox) {
    let (browser, _) = desk(&inbox);
    let ann = inbox.hears(ANN, "Hi!");
    inbox.advance(10);
    let bob = inbox.hears(BOB, "Hello!");
    assert_eq!(listed(&browser, ""), [id(&bob), id(&ann)]);
    inbox.advance(10);
    let sent = inbox.sends(reply(id(&ann), "Good morning."));
    let sent = inbox.becomes(&sent, "delivered");
    let list = browser.get("/inbox").expect(200);
    let row = &list.data()[0];
    has_fields(row, "conversation contact last_message last_activity_at needs_person_since");
    has_fields(&row["conversation"], CONVERSATION);
    has_fields(&row["contact"], "id name phone avatar_url");
    assert_eq!(row["conversation"], inbox.conversation(id(&ann)));
    assert_eq!(row["contact"]["id"], ann["contact_id"]);
    assert_eq!(row["last_activity_at"], row["conversation"]["last_message_at"]);
    let last = json!({
        "id": sent["id"], "direction": "outbound", "sender_type": "bot", "type": "text",
        "text": "Good morning.", "status": "delivered",
    });
    assert_eq!(row["last_message"], last);
    let one = browser.get(&format!("/inbox/{}", id(&ann))).expect(200);
    assert_eq!(one.data(), row);
    browser.get(&format!("/inbox/{NOTHING}")).expect(404).error("not_found");
}

fn the_inbox_is_walked_page_by_page(inbox: Inbox) {
    let (browser, _) = desk(&inbox);
    let mut wanted: Vec<String> = (0..7)
        .map(|number| {
            inbox.advance(1);
            id(&inbox.hears(&format!("1415555{number:04}"), "Hi!")).to_owned()
        })
        .collect();
    wanted.reverse();
    for limit in [1, 3, 7, 8] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = browser.get(&format!("/inbox?limit={limit}&cursor={cursor}")).expect(200);
            let rows = page.data().as_array().expect("a list");
            found.extend(rows.iter().map(|row| text(&row["conversation"]["id"]).to_owned()));
            match page.json["meta"]["next_cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => break,
            }
        }
        assert_eq!(found, wanted, "by {limit}");
    }
    // Whoever moves up during a walk hides nobody.
    let first = browser.get("/inbox?limit=3").expect(200);
    let next = text(&first.json["meta"]["next_cursor"]).to_owned();
    inbox.hears("14155550004", "Me again!");
    let rest = listed(&browser, &format!("limit=100&cursor={next}"));
    assert_eq!(rest, wanted[3..]);
    browser.get("/inbox?cursor=x").expect(400).error("bad_request");
}

fn the_inbox_is_filtered_and_searched(inbox: Inbox) {
    let (browser, mia) = desk(&inbox);
    let page = inbox.connect("messenger");
    let (ann, bob) = (inbox.hears(ANN, "Is the blue Sofa there?"), inbox.hears(BOB, "Hi!"));
    let eve = inbox.hears_on(&page, "6543219876543210", "Bonjour");
    let contact = format!("/contacts/{}", text(&bob["contact_id"]));
    inbox.client.patch(&contact, json!({ "name": "Jörg Müller" })).expect(200);
    inbox
        .client
        .patch(&format!("/conversations/{}", id(&ann)), json!({ "assigned_user_id": mia }))
        .expect(200);
    inbox.client.patch(&format!("/conversations/{}", id(&eve)), json!({ "status": "closed" })).expect(200);
    inbox.client.send("POST", &format!("/conversations/{}/read", id(&bob)), None).expect(200);
    let cases: [(&str, &[&Value]); 13] = [
        ("assigned=me", &[&ann]),
        ("assigned=nobody", &[&eve, &bob]),
        (&format!("assigned={mia}"), &[&ann]),
        ("unread=true", &[&eve, &ann]),
        ("unread=false", &[&bob]),
        ("channel=messenger", &[&eve]),
        (&format!("connection_id={page}"), &[&eve]),
        ("status=closed", &[&eve]),
        ("status=open&assigned=nobody", &[&bob]),
        ("handler=assistant", &[]),
        ("q=m%C3%BCLL", &[&bob]),
        ("q=4155550123", &[&ann]),
        ("q=sofa", &[&ann]),
    ];
    for (query, wanted) in cases {
        let wanted: Vec<&str> = wanted.iter().map(|conversation| id(conversation)).collect();
        let mut found = listed(&browser, query);
        let mut expected: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{query}");
    }
    for wrong in ["assigned=somebody", "status=lost", "unread=1", "channel=sms", "connection_id=x"] {
        browser.get(&format!("/inbox?{wrong}")).expect(400).error("bad_request");
    }
}

fn open_conversations_are_counted(inbox: Inbox) {
    let (browser, mia) = desk(&inbox);
    assert_eq!(
        browser.get("/inbox/counts").expect(200).data(),
        &json!({ "mine": 0, "unassigned": 0, "all": 0, "unread": 0, "needs_person": 0, "with_assistant": 0 })
    );
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let eve = inbox.hears("14155550177", "Hi!");
    inbox
        .client
        .patch(&format!("/conversations/{}", id(&ann)), json!({ "assigned_user_id": mia }))
        .expect(200);
    inbox.client.patch(&format!("/conversations/{}", id(&eve)), json!({ "status": "closed" })).expect(200);
    inbox.client.send("POST", &format!("/conversations/{}/read", id(&bob)), None).expect(200);
    assert_eq!(
        browser.get("/inbox/counts").expect(200).data(),
        &json!({ "mine": 1, "unassigned": 1, "all": 2, "unread": 1, "needs_person": 0, "with_assistant": 0 })
    );
}

fn a_thread_shows_what_stands_beside_its_messages(inbox: Inbox) {
    let (browser, mia) = desk(&inbox);
    let conversation = inbox.hears(ANN, "Hi!");
    let path = format!("/conversations/{}/messages", id(&conversation));
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 131_026 }]));
    let failed = browser.post("/v1/messages", reply(id(&conversation), "Lost.")).expect(201).data().clone();
    inbox.becomes(&failed, "failed");
    inbox.heal();
    let by_key = inbox.sends(reply(id(&conversation), "By a program."));
    inbox.becomes(&by_key, "delivered");
    let messages = browser.get(&path).expect(200);
    let rows = messages.data().as_array().expect("a list");
    assert_eq!(rows.len(), 3);
    has_fields(&rows[0], &format!("{MESSAGE} author_user_id assistant_id run_id error media reactions"));
    assert_eq!((&rows[0]["sender_type"], &rows[0]["author_user_id"]), (&json!("bot"), &Value::Null));
    assert_eq!((&rows[1]["sender_type"], &rows[1]["author_user_id"]), (&json!("agent"), &json!(mia)));
    has_fields(&rows[1]["error"], "code reason message");
    assert_eq!(
        (&rows[0]["error"], &rows[0]["media"], &rows[0]["reactions"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    let public = inbox.client.get(&path).expect(200);
    for (row, message) in rows.iter().zip(public.data().as_array().expect("a list")) {
        for (field, value) in message.as_object().expect("a message") {
            assert_eq!(&row[field], value, "{field}");
        }
    }
    let asked = text(&rows[2]["channel_message_id"]).to_owned();
    inbox.says(&inbox.whatsapp, ANN, json!({ "reaction": { "message_id": asked, "emoji": "👍" } }));
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image", "caption": "Look" } }));
    inbox.settle();
    let rows = browser.get(&path).expect(200).data().clone();
    let media = &rows[0]["media"];
    has_fields(media, "content_type filename size");
    assert!(text(&media["content_type"]).starts_with("image/"), "{media}");
    let reactions = &rows[3]["reactions"];
    assert_eq!((&reactions[0]["emoji"], &reactions[0]["from"]), (&json!("👍"), &json!("customer")));
    browser.get(&format!("/conversations/{NOTHING}/messages")).expect(404);
}

fn names_and_sums_come_in_one_request(app: App) {
    let account = crate::app_scene::account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(crate::app_scene::OWNER);
    let (ann, bob) =
        (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "phone": "+14155550123" })));
    let names = browser.get(&format!("/contacts/names?ids={ann},{bob},{NOTHING}")).expect(200);
    let mut found: Vec<&Value> = names.data().as_array().expect("a list").iter().collect();
    found.sort_by_key(|row| text(&row["id"]).to_owned());
    assert_eq!(found.len(), 2);
    assert_eq!(*found[0], json!({ "id": ann, "name": "Ann", "phone": null, "avatar_url": null }));
    browser.get("/contacts/names?ids=x").expect(400).error("bad_request");
    let inquiry =
        client.post("/inquiries", json!({ "message": "Hello?", "phone": "+14155550123" })).expect(201);
    let of_bob = browser.get(&format!("/contacts/{bob}/inquiries")).expect(200);
    assert_eq!(of_bob.data(), &json!([inquiry.data()]));

    let pipeline = client.get("/pipelines").expect(200).data()[0].clone();
    let stage = |at: usize| text(&pipeline["stages"][at]["id"]).to_owned();
    for (at, value, currency) in [(0, 10.5, "EUR"), (0, 0.25, "EUR"), (0, 7.0, "USD"), (1, 3.0, "EUR")] {
        let deal = json!({ "title": "Chairs", "stage_id": stage(at), "value": value, "currency": currency });
        client.post("/deals", deal).expect(201);
    }
    let won = client.post("/deals", json!({ "title": "Won", "value": 100 })).expect(201).id();
    client.post(&format!("/deals/{won}/close"), json!({ "outcome": "won" })).expect(200);
    let totals = browser.get(&format!("/deals/totals?pipeline_id={}", text(&pipeline["id"]))).expect(200);
    let of = |id: String| {
        let rows = totals.data().as_array().expect("a list");
        rows.iter().find(|row| row["stage_id"] == id).cloned().unwrap_or_default()
    };
    let sums = json!([
        { "currency": "EUR", "value": 10.75, "count": 2 },
        { "currency": "USD", "value": 7.0, "count": 1 },
    ]);
    assert_eq!((&of(stage(0))["count"], &of(stage(0))["sums"]), (&json!(3), &sums));
    assert_eq!(of(stage(1))["count"], 1);
    browser.get("/deals/totals").expect(400).error("bad_request");
    browser.get(&format!("/deals/totals?pipeline_id={NOTHING}")).expect(200);
}
