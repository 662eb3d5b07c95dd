//! Two first messages of one person at the same time: one contact, one conversation, and both messages.

use frontdesk_e2e::{Client, Engine, at_once, came_true, on_every_engine, on_shared_stores};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::inbound_scene::{Inbox, TestConnection, fresh, messages, start, tell};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    two_first_messages_at_once_meet_in_one_conversation,
    a_first_message_and_a_first_send_meet_in_one_conversation,
    batches_of_the_same_people_in_opposite_orders_are_all_kept,
    a_person_who_changes_number_and_writes_in_one_batch_is_one_contact,
}

on_shared_stores! {
    two_first_messages_at_two_servers_meet_in_one_conversation,
    a_duplicate_at_two_servers_is_kept_once,
}

const ROUNDS: usize = 24;

/// The names that somebody new goes by in a round, one for each of two messages.
fn names(round: usize) -> [Value; 2] {
    let number = format!("1650557{round:04}");
    match round % 4 {
        0 => [json!({ "from": number }), json!({ "from": number })],
        1 => {
            let hidden = json!({ "from_user_id": format!("US.{round}") });
            [hidden.clone(), hidden]
        }
        // With and without the extra digit of a Brazilian mobile.
        2 => [
            json!({ "from": format!("55119876{round:05}") }),
            json!({ "from": format!("5511876{round:05}") }),
        ],
        _ => {
            let both = json!({ "from": number, "from_user_id": format!("US.{round}") });
            [both, json!({ "from_user_id": format!("US.{round}") })]
        }
    }
}

#[track_caller]
fn meet(inbox: &Inbox, connection: &TestConnection, callers: &[Client; 2]) {
    for round in 0..ROUNDS {
        let bodies = names(round).map(|name| {
            let mut said = inbox.message("", &fresh("first"), "text", json!({ "body": "Hello" }));
            said["from"] = Value::Null;
            said.as_object_mut().unwrap().extend(name.as_object().unwrap().clone());
            messages(connection, &[said])
        });
        at_once(2, |at| drop(tell(&callers[at], connection, &bodies[at]).expect(200)));
    }
    let conversations = inbox.conversations("");
    let odd: Vec<&Value> =
        conversations.iter().filter(|conversation| conversation["unread_count"] != 2).collect();
    assert!(
        conversations.len() == ROUNDS && odd.is_empty(),
        "{} conversations; {odd:?}",
        conversations.len()
    );
    assert_eq!(walk(&inbox.client, "/contacts").len(), ROUNDS);
    assert_eq!(inbox.events("message.received").len(), 2 * ROUNDS);
    assert_eq!(
        (inbox.events("contact.created").len(), inbox.events("conversation.created").len()),
        (ROUNDS, ROUNDS)
    );
    for conversation in conversations {
        assert_eq!(inbox.said(&conversation["id"]).len(), 2);
    }
}

fn two_first_messages_at_once_meet_in_one_conversation(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let caller = inbox.app.anonymous();
    meet(&inbox, &connection, &[caller.clone(), caller]);
}

fn two_first_messages_at_two_servers_meet_in_one_conversation(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    let second = inbox.app.second_server();
    let connection = inbox.whatsapp();
    meet(&inbox, &connection, &[inbox.app.anonymous(), inbox.app.anonymous().at(&second)]);
}

fn a_duplicate_at_two_servers_is_kept_once(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    let second = inbox.app.second_server();
    let connection = inbox.whatsapp();
    let callers = [inbox.app.anonymous(), inbox.app.anonymous().at(&second)];
    for round in 0..ROUNDS {
        let part = json!({ "id": round.to_string(), "caption": "Look" });
        let said = inbox.message(&format!("1650558{:04}", round / 3), &fresh("twice"), "image", part);
        let body = messages(&connection, &[said]);
        at_once(4, |at| drop(tell(&callers[at % 2], &connection, &body).expect(200)));
    }
    assert_eq!(inbox.events("message.received").len(), ROUNDS);
    let unread: u64 =
        inbox.conversations("").iter().filter_map(|conversation| conversation["unread_count"].as_u64()).sum();
    assert_eq!((unread, inbox.conversations("").len()), (ROUNDS as u64, ROUNDS / 3));
}

fn a_first_message_and_a_first_send_meet_in_one_conversation(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for round in 0..ROUNDS {
        let number = format!("1650559{round:04}");
        let said = inbox.message(&number, &fresh("first"), "text", json!({ "body": "Hello" }));
        let body = messages(&connection, &[said]);
        at_once(2, |at| {
            if at == 0 {
                inbox.tell(&connection, &body).expect(200);
            } else {
                let template = json!({ "name": "hello_world" });
                let to = json!({ "phone": format!("+{number}") });
                let new = json!({ "type": "template", "to": to, "template": template });
                inbox.client.post("/messages", new).expect(201);
            }
        });
    }
    let conversations = inbox.conversations("");
    assert_eq!((conversations.len(), walk(&inbox.client, "/contacts").len()), (ROUNDS, ROUNDS));
    for conversation in conversations {
        let said = inbox.said(&conversation["id"]);
        let mut types: Vec<&str> = said.iter().map(|message| text(&message["type"])).collect();
        types.sort_unstable();
        assert_eq!(types, ["template", "text"]);
    }
}

fn batches_of_the_same_people_in_opposite_orders_are_all_kept(inbox: Inbox) {
    const PEOPLE: usize = 10;
    let connection = inbox.whatsapp();
    let batch = |backwards: bool| {
        let hello = |number| {
            inbox.message(&format!("1650554{number:04}"), &fresh("batch"), "text", json!({ "body": "Hello" }))
        };
        let mut told: Vec<Value> = (0..PEOPLE).map(hello).collect();
        if backwards {
            told.reverse();
        }
        messages(&connection, &told)
    };
    // They are strangers the first time, and known from then on.
    for _ in 0..3 {
        let batches: Vec<Value> = (0..4).map(|number| batch(number % 2 == 0)).collect();
        at_once(batches.len(), |number| drop(inbox.tell(&connection, &batches[number]).expect(200)));
    }
    let conversations = inbox.conversations("");
    assert_eq!((conversations.len(), walk(&inbox.client, "/contacts").len()), (PEOPLE, PEOPLE));
    assert!(conversations.iter().all(|conversation| conversation["unread_count"] == 12), "{conversations:?}");
}

fn a_person_who_changes_number_and_writes_in_one_batch_is_one_contact(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.hear(&connection, "16505550109");
    // Their new number comes before the old one in every order but that of the batch.
    let part = json!({ "body": "changed", "wa_id": "16505550100", "type": "user_changed_number" });
    let moved = inbox.message("16505550109", &fresh("moved"), "system", part);
    let hello = inbox.message("16505550100", &fresh("hello"), "text", json!({ "body": "It is still me" }));
    inbox.tell(&connection, &messages(&connection, &[moved, hello])).expect(200);
    assert_eq!((inbox.all().len(), walk(&inbox.client, "/contacts").len()), (2, 1));
}

#[test]
fn a_name_that_a_message_brings_undoes_no_change_made_meanwhile() {
    let inbox = Inbox::of(start(Engine::Postgres));
    let connection = inbox.whatsapp();
    let number = "16505550110";
    let contact = inbox.client.post("/contacts", json!({ "phone": format!("+{number}") })).expect(201).id();
    let path = format!("/contacts/{contact}");
    let said = inbox.message(number, &fresh("named"), "text", json!({ "body": "Hello" }));
    let mut body = messages(&connection, &[said]);
    body["entry"][0]["changes"][0]["value"]["contacts"] =
        json!([{ "profile": { "name": "Ann" }, "wa_id": number }]);
    let [mut database, mut observer] =
        [1, 2].map(|_| Postgres::connect(inbox.app.database(), NoTls).unwrap());
    let mut waiting = || {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        observer.query_one(count, &[]).unwrap().get::<_, i64>(0)
    };
    // The PATCH has changed the row and waits to write its event.
    let mut stopped = database.transaction().unwrap();
    stopped.batch_execute("LOCK TABLE events IN SHARE MODE").unwrap();
    std::thread::scope(|scope| {
        let patch = json!({ "email": "ann@example.com", "company": "Acme" });
        let patched = scope.spawn(|| inbox.client.patch(&path, patch));
        assert!(came_true(|| waiting() == 1), "the PATCH never began to wait");
        // The message that brings a name waits for the PATCH's row lock.
        let told = scope.spawn(|| inbox.tell(&connection, &body));
        assert!(came_true(|| waiting() == 2), "the message never began to wait");
        stopped.commit().unwrap();
        patched.join().unwrap().expect(200);
        told.join().unwrap().expect(200);
    });
    let known = inbox.client.get(&path).expect(200);
    let known = known.data();
    assert_eq!(
        [&known["name"], &known["email"], &known["company"]],
        ["Ann", "ann@example.com", "Acme"],
        "{known}"
    );
}
