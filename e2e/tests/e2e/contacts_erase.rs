//! Erasing a contact: nothing of it is shown, and then nothing of it is stored.

use frontdesk_e2e::{Engine, Stopwatch, at_once, came_true, on_every_engine};
use postgres::{Client as Postgres, NoTls, SimpleQueryMessage};
use serde_json::{Value, json};

use crate::bookings::{Calendar, booking};
use crate::inbox_scene::{ANN, ANN_PHONE, Inbox, reply, start};
use crate::people::{add, field, tag, walk};
use crate::shapes::text;

on_every_engine! {
    alone an_erased_contact_is_in_no_table,
    an_erased_contact_is_shown_nowhere_and_told_once,
    deals_inquiries_and_bookings_stay_without_their_contact,
    queued_messages_of_an_erased_contact_are_not_sent,
    a_call_under_way_settles_quietly,
    an_erased_contact_frees_its_place_and_its_number,
    alone a_contact_with_many_messages_is_gone_at_once,
    alone an_erasure_that_a_crash_interrupts_is_finished_after_the_restart,
    alone inbound_messages_during_an_erasure_leave_no_orphans,
}

/// Every row of every table as text, but for the tables that keep what happened.
fn rows(inbox: &Inbox) -> Vec<(String, String)> {
    let kept = |table: &str| ["events", "deliveries"].contains(&table);
    let mut found = Vec::new();
    if let Some(path) = inbox.app.database().strip_prefix("sqlite:") {
        let db = rusqlite::Connection::open(path).unwrap();
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
        let names: Vec<String> = db
            .prepare(tables)
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for table in names.into_iter().filter(|table| !kept(table)) {
            let mut statement = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let columns = statement.column_count();
            let mut all = statement.query([]).unwrap();
            while let Some(row) = all.next().unwrap() {
                let row: Vec<String> = (0..columns).map(|at| cell(row.get_ref(at).unwrap())).collect();
                found.push((table.clone(), row.join("|")));
            }
        }
        return found;
    }
    let mut db = Postgres::connect(inbox.app.database(), NoTls).unwrap();
    let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";
    let names: Vec<String> = db.query(tables, &[]).unwrap().iter().map(|row| row.get(0)).collect();
    for table in names.into_iter().filter(|table| !kept(table)) {
        for message in db.simple_query(&format!("SELECT t::text FROM {table} t")).unwrap() {
            if let SimpleQueryMessage::Row(row) = message {
                found.push((table.clone(), row.get(0).unwrap_or_default().to_owned()));
            }
        }
    }
    found
}

fn cell(value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        // Ids are kept as bytes, and are looked for as they are printed.
        ValueRef::Blob(bytes) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
            let text = String::from_utf8_lossy(bytes);
            match hex.len() {
                32 => [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"),
                _ => text.into_owned(),
            }
        }
    }
}

#[track_caller]
fn mentions(inbox: &Inbox, needles: &[String]) -> Vec<(String, String)> {
    let is_found = |row: &str| needles.iter().any(|needle| row.contains(needle.as_str()));
    rows(inbox).into_iter().filter(|(_, row)| is_found(row)).collect()
}

fn told(inbox: &Inbox, event: &str) -> Vec<Value> {
    walk(&inbox.client, &format!("/events?event_type={event}"))
}

#[track_caller]
fn erase(inbox: &Inbox, contact: &str) {
    let erased = inbox.client.delete(&format!("/contacts/{contact}")).expect(200);
    assert_eq!(*erased.data(), json!({ "id": contact, "deleted": true }));
}

fn an_erased_contact_is_in_no_table(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "remember the aubergine");
    let contact = text(&conversation["contact_id"]).to_owned();
    let conversation_id = text(&conversation["id"]).to_owned();
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image", "caption": "an aubergine" } }));
    inbox.settle();
    let key = inbox.client.with("idempotency-key", "aubergine-1");
    let sent = key.post("/messages", reply(&conversation_id, "the aubergine is noted")).expect(201);
    let message = sent.id();
    inbox.settle();
    let vip = tag(&inbox.client, "vip");
    let plan = field(&inbox.client, "Plan", "text");
    inbox
        .client
        .patch(&format!("/conversations/{conversation_id}"), json!({ "status": "closed" }))
        .expect(200);
    let path = format!("/contacts/{contact}");
    let fields =
        json!({ "name": "Aubergine Ann", "tag_ids": [vip], "custom_fields": { plan.as_str(): "aubergine" } });
    inbox.client.patch(&path, fields).expect(200);
    let note = json!({ "body": "likes aubergine" });
    inbox.client.with("idempotency-key", "aubergine-2").post(&format!("{path}/notes"), note).expect(201);
    inbox.client.post("/deals", json!({ "title": "Chairs", "contact_id": contact })).expect(201);
    let news = json!({
        "name": "News", "template": { "name": "appointment_reminder", "language": "pt_BR" }, "audience": { "type": "all" },
        "variables": { "1": { "type": "field", "value": "name" }, "2": { "type": "static", "value": "maio" } },
    });
    inbox.client.post("/broadcasts", news).expect(202);
    let assistant = inbox.client.post("/assistants", json!({ "name": "Robin" })).expect(201).id();
    let trigger = json!({
        "assistant_id": assistant, "name": "Reminder", "goal": "Sell vegetables.", "kind": "once", "run_at": "2090-01-01",
        "audience_type": "contact", "contact_id": contact,
    });
    inbox.client.post("/triggers", trigger).expect(201);
    inbox.settle();

    let needles = ["ubergine".to_owned(), contact.clone(), conversation_id, message, ANN.to_owned()];
    let before = mentions(&inbox, &needles);
    for table in [
        "contacts",
        "conversations",
        "conversation_changes",
        "messages",
        "identities",
        "notes",
        "contact_values",
        "idempotency",
        "broadcast_recipients",
        "triggers",
    ] {
        assert!(
            before.iter().any(|(found, _)| found == table),
            "nothing in {table} to begin with: {before:?}"
        );
    }
    erase(&inbox, &contact);
    let gone = came_true(|| mentions(&inbox, &needles).is_empty());
    assert!(gone, "{:?}", mentions(&inbox, &needles));
    let media = rows(&inbox).into_iter().find(|(table, _)| table == "media" || table == "media_chunks");
    assert_eq!(media, None);
}

fn an_erased_contact_is_shown_nowhere_and_told_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "hello");
    let (contact, conversation_id) = (text(&conversation["contact_id"]), text(&conversation["id"]));
    let message = inbox.sends(reply(conversation_id, "hi"));
    inbox.client.post(&format!("/contacts/{contact}/notes"), json!({ "body": "x" })).expect(201);
    let before = inbox.client.get(&format!("/contacts/{contact}")).expect(200).data().clone();
    erase(&inbox, contact);
    for path in [
        format!("/contacts/{contact}"),
        format!("/contacts/{contact}/notes"),
        format!("/conversations/{conversation_id}"),
        format!("/conversations/{conversation_id}/messages"),
        format!("/messages/{}", text(&message["id"])),
    ] {
        inbox.client.get(&path).expect(404).error("not_found");
    }
    for path in ["/contacts", "/contacts?q=1415", "/conversations", "/contacts?phone=%2B14155550123"] {
        assert_eq!(walk(&inbox.client, path).len(), 0, "{path}");
    }
    inbox.client.delete(&format!("/contacts/{contact}")).expect(404).error("not_found");
    let told = told(&inbox, "contact.deleted");
    assert_eq!(told.len(), 1);
    let data = &told[0]["data"]["contact"];
    assert_eq!((&data["id"], &data["created_at"]), (&before["id"], &before["created_at"]));
    for field in ["name", "phone", "email", "company", "avatar_url"] {
        assert_eq!(data[field], Value::Null, "{field}");
    }
    assert_eq!((&data["tags"], &data["custom_fields"]), (&json!([]), &json!([])));
    // Whoever writes again is somebody new.
    let again = inbox.hears(ANN, "me again");
    assert_ne!(again["contact_id"], conversation["contact_id"]);
    assert_ne!(again["id"], conversation["id"]);
}

fn deals_inquiries_and_bookings_stay_without_their_contact(inbox: Inbox) {
    let client = &inbox.client;
    let calendar = Calendar::connect(&inbox.app, &inbox.tenant);
    assert!(calendar.tell("BOOKING_CREATED", booking("abc")));
    let booked = walk(client, "/bookings");
    let contact = text(&booked[0]["contact_id"]).to_owned();
    let deal = client.post("/deals", json!({ "title": "Chairs", "contact_id": contact })).expect(201).id();
    let wrote = json!({ "name": "Ann", "email": "ann@example.com", "message": "Hello" });
    let inquiry = client.post("/inquiries", wrote).expect(201);
    assert_eq!(inquiry.data()["contact_id"], contact.as_str());
    erase(&inbox, &contact);
    for path in [format!("/deals/{deal}"), format!("/inquiries/{}", inquiry.id())] {
        assert_eq!(client.get(&path).expect(200).data()["contact_id"], Value::Null, "{path}");
    }
    let booked = walk(client, "/bookings");
    assert_eq!((booked.len(), &booked[0]["contact_id"]), (1, &Value::Null));
}

fn queued_messages_of_an_erased_contact_are_not_sent(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "hello");
    inbox.faults(json!([{ "on": "send", "kind": "status", "status": 500, "times": 1000 }]));
    let message = inbox.sends(reply(text(&conversation["id"]), "too late"));
    erase(&inbox, text(&conversation["contact_id"]));
    // A call that was under way at the erasure cannot be recalled; it ends while the channel still refuses it.
    inbox.settle();
    inbox.heal();
    inbox.advance(3600);
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 0);
    inbox.client.get(&format!("/messages/{}", text(&message["id"]))).expect(404);
    let failed = told(&inbox, "message.status_changed");
    assert!(failed.is_empty(), "{failed:?}");
}

/// The call has gone out when the contact is erased; its outcome and the channel's reports change nothing.
fn a_call_under_way_settles_quietly(inbox: Inbox) {
    inbox.report_by_hand();
    let conversation = inbox.hears(ANN, "hello");
    inbox.faults(json!([{ "on": "send", "kind": "delay", "millis": 1000, "times": 1 }]));
    inbox.sends(reply(text(&conversation["id"]), "going out"));
    // The fault is used up when the call has begun.
    let is_under_way = || inbox.sandbox().get("/sandbox/faults").expect(200).data()["faults"] == json!([]);
    assert!(came_true(is_under_way), "no call was made");
    erase(&inbox, text(&conversation["contact_id"]));
    let before = walk(&inbox.client, "/events").len();
    let sent = inbox.sent_soon(&inbox.whatsapp, 1);
    inbox.settle();
    inbox.report(text(&sent[0]["channel_message_id"]), "delivered");
    inbox.report(text(&sent[0]["channel_message_id"]), "read");
    inbox.settle();
    assert_eq!(walk(&inbox.client, "/events").len(), before);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 0);
}

fn an_erased_contact_frees_its_place_and_its_number(inbox: Inbox) {
    let app = &inbox.app;
    app.cli(&["account", "set", &inbox.tenant.account.id, "--contact-limit", "2"]);
    let ann = add(&inbox.client, json!({ "name": "Ann", "phone": ANN_PHONE }));
    add(&inbox.client, json!({ "name": "Bob" }));
    inbox.client.post("/contacts", json!({ "name": "Cid" })).expect(402);
    erase(&inbox, &ann);
    add(&inbox.client, json!({ "name": "Cid", "phone": ANN_PHONE }));
    inbox.client.post("/contacts", json!({ "name": "Dan" })).expect(402);
}

fn a_contact_with_many_messages_is_gone_at_once(inbox: Inbox) {
    const MANY: i64 = 20_000;
    let conversation = inbox.hears(ANN, "hello");
    let first = walk(&inbox.client, &format!("/conversations/{}/messages", text(&conversation["id"])));
    let first = text(&first[0]["id"]);
    copy_message(&inbox, first, MANY);
    let begun = Stopwatch::start();
    erase(&inbox, text(&conversation["contact_id"]));
    let took = begun.elapsed();
    assert!(took.as_secs() < 2, "{took:?}");
    inbox.client.get(&format!("/messages/{first}")).expect(404);
    inbox.settle();
    let left =
        rows(&inbox).into_iter().filter(|(table, _)| table == "messages" || table == "erasures").count();
    assert_eq!(left, 0);
}

fn an_erasure_that_a_crash_interrupts_is_finished_after_the_restart(inbox: Inbox) {
    const MANY: i64 = 20_000;
    let left =
        || rows(&inbox).into_iter().filter(|(table, _)| table == "messages" || table == "erasures").count();
    let conversation = inbox.hears(ANN, "hello");
    let first = walk(&inbox.client, &format!("/conversations/{}/messages", text(&conversation["id"])));
    copy_message(&inbox, text(&first[0]["id"]), MANY);
    erase(&inbox, text(&conversation["contact_id"]));
    inbox.app.kill();
    let interrupted = left();
    assert!(interrupted > 0, "the crash came too late to interrupt anything");
    inbox.app.restart();
    inbox.settle();
    assert_eq!(left(), 0, "of {interrupted} rows");
    inbox.client.get(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(404);
}

/// Writes copies of a message's row straight into the database.
fn copy_message(inbox: &Inbox, id: &str, many: i64) {
    let columns = "conversation_id, connection_id, direction, sender_type, type, text, status";
    if let Some(path) = inbox.app.database().strip_prefix("sqlite:") {
        let db = rusqlite::Connection::open(path).unwrap();
        db.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        let copy = format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many})
             INSERT INTO messages (account_id, id, {columns}) SELECT account_id, randomblob(16), {columns} FROM messages, n
             WHERE lower(hex(id)) = '{}'",
            id.replace('-', "")
        );
        db.execute_batch(&copy).unwrap();
        return;
    }
    let copy = format!(
        "INSERT INTO messages (account_id, id, {columns}) SELECT account_id, gen_random_uuid(), {columns}
         FROM messages, generate_series(1, {many}) WHERE id = '{id}'"
    );
    Postgres::connect(inbox.app.database(), NoTls).unwrap().batch_execute(&copy).unwrap();
}

fn inbound_messages_during_an_erasure_leave_no_orphans(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    for round in 0..5 {
        inbox.hears(ANN, "hello");
        let contact = text(&walk(&inbox.client, "/contacts")[0]["id"]).to_owned();
        let erased = format!("/contacts/{contact}");
        at_once(4, |at| {
            if at == 0 {
                inbox.client.delete(&erased).expect(200);
            } else {
                inbox.says(&inbox.whatsapp, ANN, json!({ "text": format!("{round} {at}") }));
            }
        });
        inbox.settle();
        // Whatever the order was, every conversation has its contact, and every message its conversation.
        for conversation in walk(&inbox.client, "/conversations") {
            assert_ne!(conversation["contact_id"], contact.as_str());
            inbox.client.get(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
        }
        let left: Vec<String> =
            mentions(&inbox, std::slice::from_ref(&contact)).into_iter().map(|(table, _)| table).collect();
        assert_eq!(left, [""; 0], "round {round}");
        for left in walk(&inbox.client, "/contacts") {
            erase(&inbox, text(&left["id"]));
        }
        inbox.settle();
    }
}
