//! Merging two contacts: everything of the other one is found at the one that stays.

use frontdesk_e2e::{App, Engine, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, BOB, BOB_PHONE, Inbox, reply};
use crate::people::{add, field, tag, walk};
use crate::shapes::{NOTHING, text};
use crate::waiting::{Watch, connect};

on_every_engine! {
    missing_fields_are_filled_from_the_other_contact,
    rows_of_the_other_contact_move,
    the_merged_contacts_number_leads_to_this_contact,
    of_two_threads_the_later_active_goes_on,
    an_opt_out_of_either_holds,
    a_merge_is_refused_for_what_cannot_be_merged,
    merges_that_cross_leave_one_contact,
    inbound_messages_during_a_merge_reach_the_contact_that_stays,
}

#[track_caller]
fn merge(client: &frontdesk_e2e::Client, into: &str, other: &str) -> Value {
    client.post(&format!("/contacts/{into}/merge"), json!({ "contact_id": other })).expect(200).data().clone()
}

fn missing_fields_are_filled_from_the_other_contact(app: App) {
    let client = app.tenant().client;
    let (vip, new) = (tag(&client, "vip"), tag(&client, "new"));
    let (plan, size) = (field(&client, "Plan", "text"), field(&client, "Size", "text"));
    let ann =
        add(&client, json!({ "name": "Ann", "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" } }));
    let other = add(
        &client,
        json!({
            "name": "Annie", "phone": ANN_PHONE, "email": "ann@example.com", "company": "Acme", "tag_ids": [vip, new],
            "custom_fields": { plan.as_str(): "silver", size.as_str(): "L" },
        }),
    );
    let merged = merge(&client, &ann, &other);
    assert_eq!(merged["id"], ann.as_str());
    let expected = ["Ann", ANN_PHONE, "ann@example.com", "Acme"];
    for (name, value) in ["name", "phone", "email", "company"].into_iter().zip(expected) {
        assert_eq!(merged[name], value, "{name}");
    }
    let tags: Vec<&str> = merged["tags"].as_array().unwrap().iter().map(|tag| text(&tag["name"])).collect();
    assert_eq!(tags, ["new", "vip"]);
    let values: Vec<&Value> =
        merged["custom_fields"].as_array().unwrap().iter().map(|one| &one["value"]).collect();
    assert_eq!(values, [&json!("gold"), &json!("L")]);
    assert_eq!(client.get(&format!("/contacts/{ann}")).expect(200).data(), &merged);
    client.get(&format!("/contacts/{other}")).expect(404);
    assert_eq!(walk(&client, "/contacts?q=acme").len(), 1);
    let told = walk(&client, "/events?event_type=contact.merged");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["data"], json!({ "contact": merged, "previous": { "contact_id": other } }));
    assert_eq!(walk(&client, "/events?event_type=contact.deleted").len(), 0);
}

fn rows_of_the_other_contact_move(inbox: Inbox) {
    let client = &inbox.client;
    let ann = add(client, json!({ "name": "Ann" }));
    let conversation = inbox.hears(BOB, "hello");
    let other = text(&conversation["contact_id"]).to_owned();
    client.post(&format!("/contacts/{other}/notes"), json!({ "body": "of the other" })).expect(201);
    let deal = client.post("/deals", json!({ "title": "Chairs", "contact_id": other })).expect(201).id();
    merge(client, &ann, &other);
    assert_eq!(client.get(&format!("/deals/{deal}")).expect(200).data()["contact_id"], ann.as_str());
    assert_eq!(walk(client, &format!("/contacts/{ann}/notes"))[0]["body"], "of the other");
    let moved = inbox.conversation(text(&conversation["id"]));
    assert_eq!((&moved["contact_id"], &moved["status"]), (&json!(ann), &json!("open")));
    assert_eq!(moved["unread_count"], 1);
    // Its identity came along: the next message goes on in the same conversation.
    assert_eq!(inbox.hears(BOB, "me again")["id"], conversation["id"]);
    inbox.sends(reply(text(&conversation["id"]), "welcome"));
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 1).len(), 1);
}

fn the_merged_contacts_number_leads_to_this_contact(inbox: Inbox) {
    let client = &inbox.client;
    let ann = add(client, json!({ "name": "Ann", "phone": ANN_PHONE }));
    let other = add(client, json!({ "name": "Ann too", "phone": BOB_PHONE }));
    assert_eq!(merge(client, &ann, &other)["phone"], ANN_PHONE);
    for phone in [ANN_PHONE, BOB_PHONE] {
        let taken = client.post("/contacts", json!({ "name": "New", "phone": phone })).expect(409);
        assert_eq!(taken.error("conflict")["details"][0]["contact_id"], ann.as_str(), "{phone}");
        let found = client.get(&format!("/contacts?phone={}", phone.replace('+', "%2B"))).expect(200);
        assert_eq!(found.data().as_array().unwrap().len(), 1, "{phone}");
        assert_eq!(found.data()[0]["id"], ann.as_str(), "{phone}");
    }
    let third = add(client, json!({ "name": "Third" }));
    let taken = client.patch(&format!("/contacts/{third}"), json!({ "phone": BOB_PHONE })).expect(409);
    assert_eq!(taken.error("conflict")["details"][0]["contact_id"], ann.as_str());
    assert_eq!(inbox.hears(BOB, "hello")["contact_id"], ann.as_str());
    let inquiry = client.post("/inquiries", json!({ "phone": BOB_PHONE, "message": "Hi" })).expect(201);
    assert_eq!(inquiry.data()["contact_id"], ann.as_str());
    let sent = inbox.sends(crate::inbox_scene::hello_to(BOB_PHONE));
    assert_eq!(inbox.conversation(text(&sent["conversation_id"]))["contact_id"], ann.as_str());
    // The number moves on with the contact it leads to, and is free when that is erased.
    merge(client, &third, &ann);
    assert_eq!(inbox.hears(BOB, "hello")["contact_id"], third.as_str());
    client.delete(&format!("/contacts/{third}")).expect(200);
    add(client, json!({ "name": "New", "phone": BOB_PHONE }));
}

fn of_two_threads_the_later_active_goes_on(inbox: Inbox) {
    let client = &inbox.client;
    let later = inbox.hears(ANN, "first");
    let earlier = inbox.hears(BOB, "second");
    inbox.advance(60);
    inbox.hears(ANN, "third");
    let (stays, other) = (text(&earlier["contact_id"]), text(&later["contact_id"]));
    merge(client, stays, other);
    let closed = inbox.conversation(text(&earlier["id"]));
    assert_eq!((&closed["status"], &closed["unread_count"]), (&json!("closed"), &json!(1)));
    let open = inbox.conversation(text(&later["id"]));
    assert_eq!((&open["status"], &open["contact_id"]), (&json!("open"), &json!(stays)));
    let told = walk(client, "/events?event_type=conversation.updated");
    assert_eq!(told[0]["data"]["conversation"], closed);
    // Whichever number writes, the one conversation goes on.
    assert_eq!(inbox.hears(BOB, "fourth")["id"], later["id"]);
    assert_eq!(inbox.hears(ANN, "fifth")["id"], later["id"]);
    assert_eq!(walk(client, &format!("/conversations?contact_id={stays}")).len(), 2);
    assert_eq!(inbox.conversation(text(&earlier["id"]))["status"], "closed");
}

fn an_opt_out_of_either_holds(app: App) {
    let client = app.tenant().client;
    let (ann, other) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Annie" })));
    client.put(&format!("/contacts/{other}/opt-out"), json!({})).expect(200);
    let before = client.get(&format!("/contacts/{other}/opt-out")).expect(200).data().clone();
    merge(&client, &ann, &other);
    let after = client.get(&format!("/contacts/{ann}/opt-out")).expect(200).data().clone();
    for name in ["opted_out", "opted_out_at", "source"] {
        assert_eq!(after[name], before[name], "{name}");
    }
    let told = walk(&client, "/events?event_type=contact.opted_out");
    assert_eq!((told.len(), &told[0]["data"]["contact"]["id"]), (2, &json!(ann)));
}

fn a_merge_is_refused_for_what_cannot_be_merged(app: App) {
    let (client, theirs) = (app.tenant().client, app.tenant().client);
    let (ann, foreign) = (add(&client, json!({ "name": "Ann" })), add(&theirs, json!({ "name": "Eve" })));
    let path = format!("/contacts/{ann}/merge");
    let same = client.post(&path, json!({ "contact_id": ann })).expect(422);
    assert_eq!(same.error("unprocessable")["reason"], "same_contact");
    for missing in [NOTHING, &foreign] {
        client.post(&path, json!({ "contact_id": missing })).expect(404).error("not_found");
        client.post(&format!("/contacts/{missing}/merge"), json!({ "contact_id": ann })).expect(404);
    }
    client.post(&path, json!({})).expect(400).error("validation_error");
    theirs.get(&format!("/contacts/{foreign}")).expect(200);
}

fn merges_that_cross_leave_one_contact(app: App) {
    let client = app.tenant().client;
    for round in 0..5 {
        let one = add(&client, json!({ "name": format!("One {round}") }));
        let two = add(&client, json!({ "name": format!("Two {round}") }));
        let responses = at_once(2, |at| {
            let (into, other) = if at == 0 { (&one, &two) } else { (&two, &one) };
            client.post(&format!("/contacts/{into}/merge"), json!({ "contact_id": other })).status
        });
        let mut responses = responses;
        responses.sort_unstable();
        assert_eq!(responses, [200, 404]);
    }
    assert_eq!(walk(&client, "/contacts").len(), 5);
}

fn inbound_messages_during_a_merge_reach_the_contact_that_stays(inbox: Inbox) {
    let client = &inbox.client;
    let stays = text(&inbox.hears(ANN, "hello")["contact_id"]).to_owned();
    let other = text(&inbox.hears(BOB, "hello")["contact_id"]).to_owned();
    at_once(5, |at| match at {
        0 => drop(merge(client, &stays, &other)),
        at => drop(inbox.says(
            &inbox.whatsapp,
            if at % 2 == 0 { ANN } else { BOB },
            json!({ "text": at.to_string() }),
        )),
    });
    inbox.settle();
    assert_eq!(walk(client, "/contacts").len(), 1);
    let conversations = walk(client, "/conversations");
    assert_eq!(conversations.len(), 2);
    let mut messages = 0;
    for conversation in &conversations {
        assert_eq!(conversation["contact_id"], stays.as_str());
        messages += walk(client, &format!("/conversations/{}/messages", text(&conversation["id"]))).len();
    }
    assert_eq!(messages, 6);
    assert_eq!(inbox.hears(BOB, "after")["id"], inbox.hears(ANN, "after")["id"]);
}

#[test]
fn a_create_that_waits_for_a_merge_finds_where_the_number_leads() {
    let app = App::start(Engine::Postgres).ready();
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", "10"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let ann = add(&client, json!({ "name": "Ann", "phone": ANN_PHONE }));
    let other = add(&client, json!({ "name": "Ann too", "phone": BOB_PHONE }));
    let (mut database, mut watch) = (connect(&app), Watch::of(&app));
    // The merge has deleted the other contact, and waits to count one contact less.
    let mut stopped = database.transaction().unwrap();
    stopped.batch_execute("SELECT id FROM accounts FOR NO KEY UPDATE").unwrap();
    let created = std::thread::scope(|scope| {
        let merged = scope.spawn(|| merge(&client, &ann, &other));
        watch.until(1);
        let created = scope.spawn(|| client.post("/contacts", json!({ "name": "New", "phone": BOB_PHONE })));
        watch.until(2);
        stopped.commit().unwrap();
        merged.join().unwrap();
        created.join().unwrap()
    });
    let taken = created.expect(409);
    assert_eq!(taken.error("conflict")["details"][0]["contact_id"], ann.as_str());
    assert_eq!(walk(&client, "/contacts").len(), 1);
}
