//! The page of the website that a visitor is on: who reports it, what is stored of it, and who sees it.

use frontdesk_e2e::{at_once, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::app_scene::{Browser, signed_in, stranger};
use crate::app_stream::{cookie_of, listen};
use crate::inbox_scene::ANN;
use crate::shapes::{NOTHING, has_fields, text};
use crate::web_chat_scene::{Chat, Visitor, door};

on_every_engine! {
    members_see_the_last_pages_of_a_visitor,
    an_address_is_stored_without_its_query_and_only_of_the_web,
    a_visitor_reports_for_nobody_else,
    alone a_thousand_reports_in_a_minute_write_a_few_rows,
    nothing_is_stored_where_it_is_turned_off,
    the_pages_go_with_their_contact,
    an_export_has_the_pages_of_a_visitor,
}

on_sqlite! {
    a_report_that_cannot_be_read_is_refused,
}

const SHOP: &str = "https://shop.example/chairs";

#[track_caller]
fn goes_to(visitor: &Visitor, url: &str, title: &str) {
    visitor.post("page", json!({ "url": url, "title": title })).expect(200);
}

#[track_caller]
fn pages(browser: &Browser, conversation: &str) -> Vec<Value> {
    browser
        .get(&format!("/conversations/{conversation}/pages"))
        .expect(200)
        .data()
        .as_array()
        .expect("a list")
        .clone()
}

#[track_caller]
fn addresses(browser: &Browser, conversation: &str) -> Vec<String> {
    pages(browser, conversation).iter().map(|page| text(&page["url"]).to_owned()).collect()
}

fn members_see_the_last_pages_of_a_visitor(chat: Chat) {
    let mia = signed_in(&chat.app, &chat.tenant.account, "mia@example.com", "agent");
    let mut stream = listen(&chat.app, &cookie_of(&chat.app, "mia@example.com"), None);
    let quiet = chat.visitor();
    // Nobody knows of a visitor who has not written.
    goes_to(&quiet, SHOP, "Chairs");
    let (ann, conversation) = chat.met();
    assert_eq!(pages(&mia, &conversation), [Value::Null; 0]);
    goes_to(&ann, SHOP, "Chairs");
    let told = loop {
        let (_, _, data) = stream.up_to("changed").pop().expect("a notice");
        if data["resource"] == "visited-pages" {
            break data;
        }
    };
    assert_eq!(told, json!({ "resource": "visited-pages", "id": conversation }));
    let page = pages(&mia, &conversation).remove(0);
    has_fields(&page, "id url title seen_at");
    assert_eq!((&page["url"], &page["title"]), (&json!(SHOP), &json!("Chairs")));
    // The same page again is nothing new until a while has passed.
    goes_to(&ann, SHOP, "Chairs");
    assert_eq!(pages(&mia, &conversation), std::slice::from_ref(&page));
    chat.advance(61);
    goes_to(&ann, SHOP, "Chairs");
    let again = pages(&mia, &conversation);
    assert_eq!(again.len(), 1);
    assert!(text(&again[0]["seen_at"]) > text(&page["seen_at"]));
    for number in 1..=6 {
        ann.post("page", json!({ "url": format!("{SHOP}/{number}") })).expect(200);
    }
    let last: Vec<String> = (2..=6).rev().map(|number| format!("{SHOP}/{number}")).collect();
    assert_eq!(addresses(&mia, &conversation), last);
    assert_eq!(pages(&mia, &conversation)[0]["title"], Value::Null);
    // Conversations of other channels have none.
    let other = chat.hears(ANN, "Hello!");
    assert_eq!(pages(&mia, text(&other["id"])), [Value::Null; 0]);
}

fn an_address_is_stored_without_its_query_and_only_of_the_web(chat: Chat) {
    let (ann, conversation) = chat.met();
    let admin = chat.admin();
    goes_to(&ann, &format!("{SHOP}?reset=secret#token=secret"), "Chairs");
    assert_eq!(addresses(&admin, &conversation), [SHOP]);
    for wrong in [
        "javascript:alert(1)",
        "JavaScript:alert(1)//https://shop.example",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "https://user:password@shop.example/",
        "//shop.example/chairs",
        "/chairs",
        "",
        &format!("https://shop.example/{}", "x".repeat(3_000)),
    ] {
        ann.post("page", json!({ "url": wrong })).expect(400).details_at(&["url"]);
    }
    let title = "t".repeat(201);
    ann.post("page", json!({ "url": SHOP, "title": title })).expect(400).details_at(&["title"]);
    assert_eq!(addresses(&admin, &conversation), [SHOP]);
    // A title is text, whatever it looks like.
    goes_to(&ann, SHOP, "<img src=x onerror=alert(1)>");
    assert_eq!(pages(&admin, &conversation)[0]["title"], "<img src=x onerror=alert(1)>");
}

fn a_visitor_reports_for_nobody_else(chat: Chat) {
    let admin = chat.admin();
    let (ann, of_ann) = chat.met();
    let (bob, of_bob) = chat.met();
    goes_to(&ann, SHOP, "Chairs");
    goes_to(&bob, "https://shop.example/tables", "Tables");
    assert_eq!(addresses(&admin, &of_ann), [SHOP]);
    assert_eq!(addresses(&admin, &of_bob), ["https://shop.example/tables"]);
    // Naming another conversation changes nothing.
    bob.post("page", json!({ "url": SHOP, "conversation_id": of_ann })).expect(200);
    assert_eq!(pages(&admin, &of_ann).len(), 1);
    // A token is good for its own chat, and nobody reports without one.
    let other = chat.connect("web_chat");
    let elsewhere = chat.visitor_of(&other, json!({})).with_token(&ann.token);
    elsewhere.post("page", json!({ "url": SHOP })).expect(403).error("forbidden");
    chat.anybody().post(&chat.path("page"), json!({ "url": SHOP })).expect(403).error("forbidden");
    ann.with_token("forged").post("page", json!({ "url": SHOP })).expect(403).error("forbidden");
    let unknown = door(NOTHING, "page");
    chat.anybody().with_key(&ann.token).post(&unknown, json!({ "url": SHOP })).expect(404);
    chat.anybody().with_key(&ann.token).get(&chat.path("page")).expect(405);
    // Another account reads none of it.
    let list = format!("/conversations/{of_ann}/pages");
    stranger(&chat.app).get(&list).expect(404).error("not_found");
    Browser::new(&chat.app).get(&list).expect(401).error("unauthorized");
    assert_eq!(addresses(&admin, &of_ann), [SHOP]);
}

fn a_thousand_reports_in_a_minute_write_a_few_rows(chat: Chat) {
    let admin = chat.admin();
    let (ann, conversation) = chat.met();
    chat.app.begin_minute();
    let statuses: Vec<u16> = (0..1_000)
        .map(|number| ann.post("page", json!({ "url": format!("{SHOP}/{number}") })).status)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 20);
    assert!(statuses.iter().all(|status| matches!(status, 200 | 429)), "{statuses:?}");
    assert_eq!(pages(&admin, &conversation).len(), 5);
    // It is no reason not to be heard, and the next minute is another one.
    ann.says("Sorry!");
    chat.advance(60);
    goes_to(&ann, SHOP, "Chairs");
    assert_eq!(addresses(&admin, &conversation)[0], SHOP);
    chat.advance(60);
    at_once(8, |number| goes_to(&ann, &format!("{SHOP}/{number}"), "At once"));
    assert_eq!(pages(&admin, &conversation).len(), 5);
}

fn nothing_is_stored_where_it_is_turned_off(chat: Chat) {
    let admin = chat.admin();
    let (ann, conversation) = chat.met();
    goes_to(&ann, SHOP, "Chairs");
    let settings = format!("/app/api/admin/connections/{}/widget", chat.connection);
    admin.client.put(&settings, json!({ "shows_page": false })).expect(200);
    assert_eq!(chat.config()["shows_page"], false);
    assert_eq!(pages(&admin, &conversation), [Value::Null; 0], "what was stored is deleted");
    // A page that has not noticed yet goes on reporting.
    goes_to(&ann, SHOP, "Chairs");
    assert_eq!(pages(&admin, &conversation), [Value::Null; 0]);
    admin.client.put(&settings, json!({})).expect(200);
    goes_to(&ann, SHOP, "Chairs");
    assert_eq!(addresses(&admin, &conversation), [SHOP]);
}

fn the_pages_go_with_their_contact(chat: Chat) {
    let admin = chat.admin();
    let (ann, conversation) = chat.met();
    let (_, of_bob) = chat.met();
    goes_to(&ann, SHOP, "Chairs");
    let contact = |conversation: &str| text(&chat.conversation(conversation)["contact_id"]).to_owned();
    // A merge moves conversations, and the pages stay with theirs.
    let merge = json!({ "contact_id": contact(&conversation) });
    chat.client.post(&format!("/contacts/{}/merge", contact(&of_bob)), merge).expect(200);
    assert_eq!(addresses(&admin, &conversation), [SHOP]);
    chat.client.delete(&format!("/contacts/{}", contact(&conversation))).expect(200);
    admin.get(&format!("/conversations/{conversation}/pages")).expect(404);
    assert_eq!(crate::export::exported(&admin).rows("visited_pages"), [Value::Null; 0]);
    // The page that is still open reports into nothing.
    goes_to(&ann, SHOP, "Chairs");
    assert_eq!(crate::export::exported(&admin).rows("visited_pages"), [Value::Null; 0]);
}

fn an_export_has_the_pages_of_a_visitor(chat: Chat) {
    let admin = chat.admin();
    let (ann, conversation) = chat.met();
    let (bob, _) = chat.met();
    goes_to(&ann, SHOP, "Chairs");
    goes_to(&bob, "https://shop.example/tables", "Tables");
    assert_eq!(crate::export::exported(&admin).rows("visited_pages").len(), 2);
    let contact = text(&chat.conversation(&conversation)["contact_id"]).to_owned();
    let one = admin.get(&format!("/contacts/{contact}/export")).expect(200);
    let archive = crate::export::Archive::read(one.body);
    let rows = archive.rows("visited_pages");
    assert_eq!((rows.len(), &rows[0]["url"]), (1, &json!(SHOP)));
}

fn a_report_that_cannot_be_read_is_refused(chat: Chat) {
    let (ann, conversation) = chat.met();
    ann.post("page", json!({})).expect(400).details_at(&["url"]);
    ann.post("page", json!([])).expect(400);
    ann.post("page", json!({ "url": 7, "title": {} })).expect(400).details_at(&["url", "title"]);
    ann.post("page", json!({ "url": SHOP, "title": "x".repeat(100_000) })).expect(413);
    assert_eq!(pages(&chat.admin(), &conversation), [Value::Null; 0]);

    chat.app.cli(&["channel", "disconnect", &chat.connection]);
    ann.post("page", json!({ "url": SHOP })).expect(422);
}
