//! Searching messages by any part of their text.

use std::fs;
use std::path::Path;

use frontdesk_e2e::{Client, Engine, Given, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, BOB, Inbox, MESSAGE, id, reply};
use crate::people::{encoded, walk};
use crate::shapes::{has_fields, text};

on_every_engine! {
    any_part_of_a_text_is_found_whatever_its_case,
    messages_of_both_sides_are_found_newest_first,
    a_search_is_narrowed_by_filters,
    a_search_is_walked_page_by_page,
    what_waits_for_the_index_is_found_at_once,
    an_erased_contact_is_not_found,
    nobody_finds_what_belongs_to_another,
    a_search_needs_words,
}

/// More than one batch of the indexer.
const REFILLED_MESSAGES: usize = 600;

#[track_caller]
fn found(client: &Client, q: &str) -> Vec<String> {
    let rows = walk(client, &format!("/messages?q={}", encoded(q)));
    rows.iter().map(|row| text(&row["text"]).to_owned()).collect()
}

fn any_part_of_a_text_is_found_whatever_its_case(inbox: Inbox) {
    let said = ["Is the blue SOFA there?", "Grüße aus KÖLN", "100% sure_thing\\", "two\nlines", "x"];
    for words in said {
        inbox.hears(ANN, words);
    }
    for settled in [false, true] {
        if settled {
            inbox.settle();
        }
        for (q, wanted) in [
            ("sofa", vec![said[0]]),
            ("BLUE so", vec![said[0]]),
            ("e t", vec![]),
            ("re?", vec![said[0]]),
            ("köln", vec![said[1]]),
            ("ÜSSE", vec![]),
            ("grüße", vec![said[1]]),
            ("0% sure_", vec![said[2]]),
            ("g\\", vec![said[2]]),
            ("o lin", vec![said[3]]),
            ("x", vec![said[4]]),
            ("sofas", vec![]),
        ] {
            assert_eq!(found(&inbox.client, q), wanted, "{q}, settled: {settled}");
        }
    }
}

fn messages_of_both_sides_are_found_newest_first(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Is the chair there?");
    let sent = inbox.sends(reply(id(&conversation), "The chair is."));
    inbox.becomes(&sent, "delivered");
    let rows = walk(&inbox.client, "/messages?q=chair");
    assert_eq!(rows.len(), 2);
    has_fields(&rows[0], MESSAGE);
    assert_eq!(rows[0], inbox.message(&sent["id"]));
    assert_eq!(rows[1]["direction"], "inbound");
}

fn a_search_is_narrowed_by_filters(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "A chair, please."), inbox.hears(BOB, "A chair, please."));
    inbox.advance(3_600);
    let later = inbox.hears(ANN, "And another chair.");
    let of = |filter: String| walk(&inbox.client, &format!("/messages?q=chair&{filter}")).len();
    assert_eq!(of(format!("conversation_id={}", id(&ann))), 2);
    assert_eq!(of(format!("contact_id={}", text(&bob["contact_id"]))), 1);
    let since = encoded(text(&later["last_message_at"]));
    assert_eq!(of(format!("since={since}")), 1);
    assert_eq!(of(format!("since={since}&contact_id={}", text(&bob["contact_id"]))), 0);
}

fn a_search_is_walked_page_by_page(inbox: Inbox) {
    for number in 0..7 {
        inbox.hears(ANN, &format!("Chair number {number}"));
        if number == 3 {
            inbox.settle();
        }
    }
    let whole: Vec<Value> = walk(&inbox.client, "/messages?q=chair");
    assert_eq!(whole.len(), 7);
    assert!(whole.windows(2).all(|pair| text(&pair[0]["id"]) > text(&pair[1]["id"])));
    for limit in [1, 2, 3, 7] {
        assert_eq!(walk(&inbox.client, &format!("/messages?q=chair&limit={limit}")), whole, "by {limit}");
    }
}

fn what_waits_for_the_index_is_found_at_once(inbox: Inbox) {
    for number in 0..20 {
        let words = format!("Parcel {number} of twenty");
        inbox.hears(ANN, &words);
        assert_eq!(found(&inbox.client, &format!("parcel {number} of")), [words]);
    }
    inbox.app.restart();
    assert_eq!(found(&inbox.client, "of twenty").len(), 20);
}

fn an_erased_contact_is_not_found(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Forget this chair.");
    inbox.settle();
    inbox.client.delete(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    assert_eq!(found(&inbox.client, "chair"), Vec::<String>::new());
    inbox.settle();
    inbox.hears(ANN, "Another chair.");
    assert_eq!(found(&inbox.client, "chair"), ["Another chair."]);
}

fn nobody_finds_what_belongs_to_another(inbox: Inbox) {
    inbox.hears(ANN, "Our chair.");
    inbox.settle();
    let other = inbox.app.tenant().client;
    assert_eq!(found(&other, "chair"), Vec::<String>::new());
    let reader = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "conversations:read"));
    reader.get("/messages?q=chair").expect(403).error("forbidden");
}

fn a_search_needs_words(inbox: Inbox) {
    for query in ["", "?q=", "?q=%20", "?conversation_id=x"] {
        inbox.client.get(&format!("/messages{query}")).expect(400).error("bad_request");
    }
    let long = "x".repeat(101);
    let response = inbox.client.get(&format!("/messages?q={long}")).expect(400);
    response.error("validation_error");
    assert_eq!(
        response.json["error"]["details"],
        json!([{ "path": "q", "message": "must have at most 100 characters" }])
    );
}

/// SQLite's index is a file of its own, which a server fills anew if it is missing or broken.
#[test]
fn every_message_is_found_while_a_new_index_fills() {
    let inbox = Inbox::given(Engine::Sqlite);
    for number in 0..REFILLED_MESSAGES {
        inbox.hears(ANN, &format!("Chair number {number}"));
    }
    inbox.settle();
    let index = format!("{}.message_search", inbox.app.database().trim_start_matches("sqlite:"));
    assert!(Path::new(&index).exists(), "{index} is not the index's file");
    let wanted: Vec<String> =
        (0..REFILLED_MESSAGES).rev().map(|number| format!("Chair number {number}")).collect();
    for broken in [false, true] {
        inbox.app.stop();
        for ending in ["", "-wal", "-shm"] {
            // The log of writes may not exist.
            let _ = fs::remove_file(format!("{index}{ending}"));
        }
        if broken {
            fs::write(&index, "this is no database").expect("a file");
        }
        inbox.app.restart();
        assert_eq!(found(&inbox.client, "air numb"), wanted, "at once, broken: {broken}");
        inbox.hears(ANN, "A table");
        assert_eq!(found(&inbox.client, "number 17"), found_by_hand(&wanted, "number 17"));
        assert_eq!(found(&inbox.client, "table").len(), 1 + usize::from(broken));
        inbox.settle();
        assert_eq!(found(&inbox.client, "air numb"), wanted, "after it was filled, broken: {broken}");
        assert!(Path::new(&index).exists(), "there is no new index");
    }
}

fn found_by_hand(texts: &[String], part: &str) -> Vec<String> {
    texts.iter().filter(|text| text.contains(part)).cloned().collect()
}
