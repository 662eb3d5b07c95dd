//! Who somebody is that writes: one contact each, whatever the channel knows them by.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, EVE, Inbox, fresh, from_one_named, messages, start};
use crate::people::{add, walk};
use crate::shapes::text;

on_every_engine! {
    a_name_is_filled_in_and_never_overwritten,
    a_number_that_is_known_is_the_contact_it_belongs_to,
    the_extra_nine_makes_no_second_contact,
    a_person_without_a_number_gets_a_contact,
    a_number_that_is_shown_later_belongs_to_the_same_contact,
    a_person_who_hides_their_number_keeps_their_contact,
    a_number_that_another_contact_has_is_not_taken_from_them,
    a_changed_number_is_the_same_person,
    the_contact_limit_never_refuses_a_customer,
    one_person_on_two_numbers_is_one_contact_with_two_conversations,
    accounts_do_not_share_people,
}

/// Somebody's name says hello.
#[track_caller]
fn hello(inbox: &Inbox, connection: &crate::inbound_scene::TestConnection, from: &str, name: &str) {
    let said = inbox.message(from, &fresh("hello"), "text", json!({ "body": "Hello" }));
    inbox.tell(connection, &from_one_named(connection, name, said)).expect(200);
}

/// Somebody says hello, known by a number, by an id with this business, or by both.
#[track_caller]
fn hello_by(
    inbox: &Inbox,
    connection: &crate::inbound_scene::TestConnection,
    number: Option<&str>,
    user_id: Option<&str>,
) {
    let mut said = inbox.message("", &fresh("hello"), "text", json!({ "body": "Hello" }));
    (said["from"], said["from_user_id"]) = (json!(number), json!(user_id));
    inbox.tell(connection, &from_one_named(connection, "Ann", said)).expect(200);
}

#[track_caller]
fn only_contact(inbox: &Inbox) -> Value {
    let mut found = walk(&inbox.client, "/contacts");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn a_name_is_filled_in_and_never_overwritten(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let nameless = add(&inbox.client, json!({ "phone": format!("+{ANN}") }));
    add(&inbox.client, json!({ "phone": format!("+{EVE}"), "name": "Evelyn" }));
    hello(&inbox, &connection, ANN, "Ann 🌻");
    hello(&inbox, &connection, ANN, "Not Ann");
    hello(&inbox, &connection, EVE, "Eve");
    let name = |number: &str| {
        let path = format!("/contacts/{}", inbox.contact(number));
        inbox.client.get(&path).expect(200).data()["name"].clone()
    };
    assert_eq!((name(ANN), name(EVE)), (json!("Ann 🌻"), json!("Evelyn")));
    let updated = inbox.events("contact.updated");
    assert_eq!(updated.len(), 1, "{updated:?}");
    assert_eq!(updated[0]["contact"]["id"], nameless);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 2);
}

fn a_number_that_is_known_is_the_contact_it_belongs_to(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let known = add(&inbox.client, json!({ "phone": "+1 (650) 555-0101", "name": "Ann" }));
    inbox.hear(&connection, ANN);
    assert_eq!(only_contact(&inbox)["id"], known);
    assert_eq!(inbox.only_conversation()["contact_id"], known);
}

fn the_extra_nine_makes_no_second_contact(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for number in ["5511987654321", "551187654321", "5491123456789", "541123456789"] {
        hello(&inbox, &connection, number, "Ana");
    }
    let contacts = walk(&inbox.client, "/contacts");
    let phones: Vec<&Value> = contacts.iter().map(|contact| &contact["phone"]).collect();
    assert_eq!(phones, ["+5491123456789", "+5511987654321"]);
    let conversations = inbox.conversations("");
    assert!(
        conversations.len() == 2
            && conversations.iter().all(|conversation| conversation["unread_count"] == 2),
        "{conversations:?}"
    );
}

fn a_person_without_a_number_gets_a_contact(inbox: Inbox) {
    let connection = inbox.whatsapp();
    hello_by(&inbox, &connection, None, Some("US.13491208655302741918"));
    hello_by(&inbox, &connection, None, Some("US.13491208655302741918"));
    let contact = only_contact(&inbox);
    assert_eq!((&contact["phone"], &contact["name"]), (&Value::Null, &json!("Ann")));
    assert_eq!(inbox.only_conversation()["unread_count"], 2);
    // They can be answered, by what they are known by.
    let (_, named) = inbox.sent(text(&inbox.only_conversation()["id"]), "Hello, whoever you are");
    let sent = inbox.vendors.sent();
    assert_eq!(
        (&sent[0]["channel_message_id"], &sent[0]["to"]),
        (&json!(named), &json!("US.13491208655302741918"))
    );
    hello_by(&inbox, &connection, None, Some("US.2"));
    assert_eq!(inbox.conversations("").len(), 2);
}

fn a_number_that_is_shown_later_belongs_to_the_same_contact(inbox: Inbox) {
    let connection = inbox.whatsapp();
    hello_by(&inbox, &connection, None, Some("US.1"));
    assert_eq!(only_contact(&inbox)["phone"], Value::Null);
    hello_by(&inbox, &connection, Some(ANN), Some("US.1"));
    assert_eq!(only_contact(&inbox)["phone"], format!("+{ANN}"));
    hello_by(&inbox, &connection, Some(ANN), None);
    hello_by(&inbox, &connection, None, Some("US.1"));
    only_contact(&inbox);
    assert_eq!(inbox.only_conversation()["unread_count"], 4);
}

fn a_person_who_hides_their_number_keeps_their_contact(inbox: Inbox) {
    let connection = inbox.whatsapp();
    hello_by(&inbox, &connection, Some(ANN), None);
    hello_by(&inbox, &connection, Some(ANN), Some("US.1"));
    hello_by(&inbox, &connection, None, Some("US.1"));
    only_contact(&inbox);
    assert_eq!(inbox.only_conversation()["unread_count"], 3);
}

fn a_number_that_another_contact_has_is_not_taken_from_them(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let owner = add(&inbox.client, json!({ "phone": format!("+{ANN}"), "name": "Owner" }));
    hello_by(&inbox, &connection, None, Some("US.1"));
    hello_by(&inbox, &connection, Some(ANN), Some("US.1"));
    assert_eq!(inbox.contact(ANN), owner);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 2);
    assert_eq!(inbox.events("message.received").len(), 2);
}

fn a_changed_number_is_the_same_person(inbox: Inbox) {
    let connection = inbox.whatsapp();
    hello(&inbox, &connection, ANN, "Ann");
    let (contact, conversation) =
        (only_contact(&inbox)["id"].clone(), inbox.only_conversation()["id"].clone());
    let part = json!({ "body": "Ann changed from A to B", "wa_id": EVE, "type": "user_changed_number" });
    let notice = inbox.message(ANN, "wamid.moved", "system", part);
    inbox.tell(&connection, &messages(&connection, &[notice])).expect(200);
    hello(&inbox, &connection, EVE, "Ann");
    assert_eq!(only_contact(&inbox)["id"], contact);
    assert_eq!(inbox.only_conversation()["id"], conversation);
    // What is said to them goes to the number they have now.
    let (_, _) = inbox.sent(text(&conversation), "Nice number");
    assert_eq!(inbox.vendors.sent()[0]["to"], EVE);
}

fn the_contact_limit_never_refuses_a_customer(engine: frontdesk_e2e::Engine) {
    let mut inbox = Inbox::of(start(engine));
    let account = inbox.app.account_with(&["--rate-limit", "1000000", "--contact-limit", "1"]);
    let key = inbox.app.key_with(&account, &["--all-scopes"]);
    inbox.client = inbox.app.client(&key);
    let connection = inbox.connect("whatsapp", &account.id, &inbox.vendors.graph_url(), &[]);
    for from in [ANN, EVE, "16505550103"] {
        hello(&inbox, &connection, from, "Somebody");
    }
    assert_eq!((walk(&inbox.client, "/contacts").len(), inbox.conversations("").len()), (3, 3));
    inbox.client.post("/contacts", json!({ "name": "One more" })).expect(402).error("plan_limit_reached");
}

fn one_person_on_two_numbers_is_one_contact_with_two_conversations(inbox: Inbox) {
    let (sales, support) = (inbox.whatsapp(), inbox.whatsapp());
    let (first, second) = (inbox.hear(&sales, ANN), inbox.hear(&support, ANN));
    assert_ne!(first, second);
    only_contact(&inbox);
    // The same id of a message on another number is another message.
    for connection in [&sales, &support] {
        let said = inbox.message(ANN, "wamid.same", "text", json!({ "body": "Again" }));
        inbox.tell(connection, &messages(connection, &[said])).expect(200);
    }
    assert!(inbox.conversations("").iter().all(|conversation| conversation["unread_count"] == 2));
}

fn accounts_do_not_share_people(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let other = inbox.app.tenant();
    let theirs = inbox.connect("whatsapp", &other.account.id, &inbox.vendors.graph_url(), &[]);
    hello(&inbox, &connection, ANN, "Ann");
    hello(&inbox, &theirs, ANN, "Ann of theirs");
    assert_eq!(only_contact(&inbox)["name"], "Ann");
    let found = walk(&other.client, "/contacts");
    assert_eq!((found.len(), &found[0]["name"]), (1, &json!("Ann of theirs")));
    assert_eq!((inbox.conversations("").len(), walk(&other.client, "/conversations").len()), (1, 1));
}
