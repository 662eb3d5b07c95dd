//! Changes of many conversations and contacts at once, in the background.

use std::collections::BTreeSet;

use frontdesk_e2e::{App, Client, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{Inbox, eventually, id};
use crate::people::{add, encoded, tag, walk};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    conversations_are_changed_by_their_ids,
    conversations_are_changed_by_a_filter,
    contacts_are_tagged_by_a_filter,
    contacts_are_tagged_by_their_ids,
    what_is_made_later_is_not_part_of_it,
    nothing_to_change_is_done_at_once,
    everything_wrong_with_a_bulk_change_is_told,
    a_job_is_its_accounts_and_its_kinds,
    a_job_goes_on_after_a_crash,
    each_batch_of_a_job_has_a_time_of_its_own,
}

/// The job, once it is over.
#[track_caller]
fn over(client: &Client, path: &str, job: &Value) -> Value {
    let path = format!("{path}/{}", text(&job["id"]));
    eventually("the end of a job", || {
        let now = client.get(&path).expect(200).data().clone();
        (now["status"] != "running").then_some(now)
    })
}

fn conversations_are_changed_by_their_ids(inbox: Inbox) {
    let mia = inbox.member("mia@example.com");
    let conversations: Vec<Value> =
        (0..5).map(|number| inbox.hears(&format!("1415555{number:04}"), "Hi!")).collect();
    let ids: Vec<&str> = conversations[..3].iter().map(|conversation| id(conversation)).collect();
    let body = json!({ "ids": ids, "status": "closed", "assigned_user_id": mia });
    let job = inbox.client.post("/conversations/bulk", body).expect(202);
    has_fields(job.data(), "id total done failed status");
    assert_eq!(job.data()["total"], 3);
    let done = over(&inbox.client, "/conversations/bulk", job.data());
    assert_eq!((&done["done"], &done["failed"], &done["status"]), (&json!(3), &json!(0), &json!("done")));
    for (at, conversation) in conversations.iter().enumerate() {
        let now = inbox.conversation(id(conversation));
        let wanted = if at < 3 { ("closed", json!(mia)) } else { ("open", Value::Null) };
        assert_eq!((&now["status"], &now["assigned_user_id"]), (&json!(wanted.0), &wanted.1), "{at}");
    }
    assert_eq!(inbox.events("conversation.updated").len(), 3);
}

fn conversations_are_changed_by_a_filter(inbox: Inbox) {
    let conversations: Vec<Value> =
        (0..4).map(|number| inbox.hears(&format!("1415555{number:04}"), "Hi!")).collect();
    inbox
        .client
        .patch(&format!("/conversations/{}", id(&conversations[0])), json!({ "status": "pending" }))
        .expect(200);
    let body = json!({ "filter": { "status": "open", "channel": "whatsapp" }, "status": "closed" });
    let job = inbox.client.post("/conversations/bulk", body).expect(202);
    assert_eq!(job.data()["total"], 3);
    let done = over(&inbox.client, "/conversations/bulk", job.data());
    assert_eq!((&done["total"], &done["done"]), (&json!(3), &json!(3)));
    assert_eq!(walk(&inbox.client, "/conversations?status=closed").len(), 3);
    assert_eq!(inbox.conversation(id(&conversations[0]))["status"], "pending");
}

fn contacts_are_tagged_by_a_filter(app: App) {
    let client = app.tenant().client;
    let (vip, old) = (tag(&client, "vip"), tag(&client, "old"));
    // More than two batches.
    for number in 0..250 {
        let tags = if number % 2 == 0 { json!([old]) } else { json!([]) };
        add(&client, json!({ "name": format!("Row {number}"), "tag_ids": tags }));
    }
    add(&client, json!({ "name": "Somebody else" }));
    let body = json!({ "filter": { "q": "row" }, "add_tag_ids": [vip], "remove_tag_ids": [old] });
    let job = client.post("/contacts/bulk", body).expect(202);
    assert_eq!(job.data()["total"], 250);
    let done = over(&client, "/contacts/bulk", job.data());
    assert_eq!((&done["done"], &done["failed"], &done["status"]), (&json!(250), &json!(0), &json!("done")));
    assert_eq!(walk(&client, &format!("/contacts?tag_id={vip}")).len(), 250);
    assert_eq!(walk(&client, &format!("/contacts?tag_id={old}")).len(), 0);
    assert_eq!(walk(&client, "/events?event_type=contact.updated").len(), 250);
}

fn contacts_are_tagged_by_their_ids(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    let body = json!({ "ids": [ann, bob], "add_tag_ids": [vip] });
    let job = client.post("/contacts/bulk", body.clone()).expect(202);
    over(&client, "/contacts/bulk", job.data());
    // Once more changes nothing, and no event is written.
    let job = client.post("/contacts/bulk", body).expect(202);
    assert_eq!(over(&client, "/contacts/bulk", job.data())["done"], 2);
    assert_eq!(walk(&client, "/events?event_type=contact.updated").len(), 2);
}

fn what_is_made_later_is_not_part_of_it(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    for _ in 0..120 {
        add(&client, json!({ "name": "Row" }));
    }
    let job = client.post("/contacts/bulk", json!({ "filter": {}, "add_tag_ids": [vip] })).expect(202);
    add(&client, json!({ "name": "Later" }));
    let done = over(&client, "/contacts/bulk", job.data());
    assert_eq!((&done["total"], &done["done"]), (&json!(120), &json!(120)));
    assert_eq!(walk(&client, &format!("/contacts?tag_id={vip}")).len(), 120);
}

fn nothing_to_change_is_done_at_once(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    for body in [
        json!({ "filter": { "q": "nobody" }, "add_tag_ids": [vip] }),
        json!({ "ids": [], "add_tag_ids": [vip] }),
    ] {
        let job = client.post("/contacts/bulk", body).expect(202);
        assert_eq!((&job.data()["total"], &job.data()["status"]), (&json!(0), &json!("done")));
    }
}

fn everything_wrong_with_a_bulk_change_is_told(inbox: Inbox) {
    let client = &inbox.client;
    let other = add(&inbox.app.tenant().client, json!({ "name": "Not ours" }));
    let vip = tag(client, "vip");
    let many: Vec<&str> = vec![NOTHING; 1_001];
    let conversations: [(Value, &[&str]); 6] = [
        (json!({ "status": "closed" }), &["ids"]),
        (json!({ "ids": [], "filter": {}, "status": "closed" }), &["ids"]),
        (json!({ "ids": [] }), &["status"]),
        (json!({ "ids": ["x"], "status": "lost" }), &["ids.0", "status"]),
        (
            json!({ "filter": { "status": "lost", "unread": "yes" }, "status": "open" }),
            &["filter.status", "filter.unread"],
        ),
        (json!({ "ids": [NOTHING], "status": "open" }), &["ids.0"]),
    ];
    for (body, paths) in conversations {
        let response = client.post("/conversations/bulk", body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
    let contacts: [(Value, &[&str]); 5] = [
        (json!({ "ids": [other], "add_tag_ids": [vip] }), &["ids.0"]),
        (json!({ "filter": {}, "add_tag_ids": [vip, NOTHING] }), &["add_tag_ids.1"]),
        (json!({ "filter": {}, "remove_tag_ids": [NOTHING] }), &["remove_tag_ids.0"]),
        (json!({ "filter": {} }), &["add_tag_ids"]),
        (json!({ "ids": many, "add_tag_ids": [vip] }), &["ids"]),
    ];
    for (body, paths) in contacts {
        let response = client.post("/contacts/bulk", body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
    let somebody = json!({ "filter": {}, "assigned_user_id": NOTHING });
    client.post("/conversations/bulk", somebody).expect(404).error("not_found");
    let segment = json!({ "filter": { "segment_id": NOTHING }, "add_tag_ids": [vip] });
    client.post("/contacts/bulk", segment).expect(404).error("not_found");
}

fn a_job_is_its_accounts_and_its_kinds(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    let job = client.post("/contacts/bulk", json!({ "filter": {}, "add_tag_ids": [vip] })).expect(202).id();
    client.get(&format!("/contacts/bulk/{job}")).expect(200);
    client.get(&format!("/conversations/bulk/{job}")).expect(404).error("not_found");
    app.tenant().client.get(&format!("/contacts/bulk/{job}")).expect(404);
    client.get(&format!("/contacts/bulk/{NOTHING}")).expect(404);
}

fn a_job_goes_on_after_a_crash(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    for _ in 0..300 {
        add(&client, json!({ "name": "Row" }));
    }
    let job = client.post("/contacts/bulk", json!({ "filter": {}, "add_tag_ids": [vip] })).expect(202);
    app.kill();
    app.restart();
    let done = over(&client, "/contacts/bulk", job.data());
    assert_eq!((&done["done"], &done["failed"]), (&json!(300), &json!(0)));
    assert_eq!(walk(&client, "/events?event_type=contact.updated").len(), 300);
}

fn each_batch_of_a_job_has_a_time_of_its_own(app: App) {
    const CONTACTS: usize = 250;
    let client = app.tenant().client;
    let vip = tag(&client, "VIP");
    at_once(5, |part| {
        for number in 0..CONTACTS / 5 {
            add(&client, json!({ "name": format!("Contact {part} {number}") }));
        }
    });
    let body = json!({ "filter": {}, "add_tag_ids": [vip] });
    let job = client.post("/contacts/bulk", body).expect(202);
    // A reader that asks for changes since its last look sees every contact, however long the job takes.
    let mut seen = BTreeSet::new();
    let mut since = String::new();
    let mut is_over = false;
    loop {
        let filter =
            if since.is_empty() { String::new() } else { format!("&updated_since={}", encoded(&since)) };
        for contact in walk(&client, &format!("/contacts?tag_id={vip}{filter}")) {
            since = since.max(text(&contact["updated_at"]).to_owned());
            seen.insert(text(&contact["id"]).to_owned());
        }
        if is_over {
            break;
        }
        is_over =
            client.get(&format!("/contacts/bulk/{}", job.id())).expect(200).data()["status"] != "running";
    }
    assert_eq!(seen.len(), CONTACTS);
    let times: BTreeSet<String> =
        walk(&client, "/contacts").iter().map(|contact| text(&contact["updated_at"]).to_owned()).collect();
    assert!(times.len() >= 3, "the batches share a time: {times:?}");
}
