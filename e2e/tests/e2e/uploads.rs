//! Files that are uploaded to us and go with messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{Client, Response, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::broadcasts_scene::{announce, announced, becomes as broadcast_becomes, recipients};
use crate::inbox_scene::{ANN, ANN_PHONE, BOB, BOB_PHONE, Inbox, eventually, id};
use crate::shapes::{has_fields, is_id, text};
use crate::webhooks_scene::DAY;

on_every_engine! {
    an_upload_is_served_as_it_came,
    an_upload_reaches_each_channel_by_its_own_way,
    an_upload_is_sent_again_and_outlives_one_of_its_messages,
    an_upload_of_another_account_is_not_sent,
    a_file_that_a_customer_sent_is_passed_on,
    an_upload_that_is_not_sent_is_deleted_after_a_week,
    the_url_of_an_upload_works_until_its_file_is_deleted,
    an_upload_that_a_template_or_a_broadcast_refers_to_is_kept,
    a_file_of_a_customer_that_was_passed_on_goes_on_being_shown,
    only_pictures_and_recordings_are_shown_in_a_browser,
    everything_wrong_with_an_upload_is_told,
    a_member_uploads_in_the_dashboard,
    a_channel_that_fails_for_a_while_gets_the_file_later,
}

const BOUNDARY: &str = "x1x2x3";

fn form(name: &str, filename: &str, kind: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhm\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; \
         name=\"{name}\"; filename=\"{filename}\"\r\nContent-Type: {kind}\r\n\r\n"
    );
    [head.as_bytes(), content, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat()
}

fn send(client: &Client, path: &str, body: &[u8]) -> Response {
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    client.with("content-type", kind).send("POST", path, Some(body))
}

#[track_caller]
pub(crate) fn upload(client: &Client, filename: &str, kind: &str, content: &[u8]) -> Value {
    send(client, "/media", &form("file", filename, kind, content)).expect(201).data().clone()
}

#[track_caller]
pub(crate) fn open(inbox: &Inbox, url: &Value) -> Response {
    let path = text(url).strip_prefix(&inbox.app.base()).expect("our own address").to_owned();
    inbox.app.anonymous().vendors().get(&path)
}

pub(crate) fn sending(conversation: &Value, kind: &str, upload: &Value) -> Value {
    let media = json!({ "kind": kind, "url": upload["url"], "caption": "Look" });
    json!({ "type": "media", "to": { "conversation_id": id(conversation) }, "media": media })
}

fn an_upload_is_served_as_it_came(inbox: Inbox) {
    // Around the size of a piece, and several pieces.
    for length in [0, 1, (512 << 10) - 1, 512 << 10, (3 << 20) + 17] {
        let content: Vec<u8> = (0..length).map(|at: usize| (at * 31 % 251) as u8).collect();
        let made = upload(&inbox.client, "a.png", "image/png", &content);
        has_fields(&made, "id url content_type size");
        is_id(&made["id"]);
        assert_eq!((&made["content_type"], &made["size"]), (&json!("image/png"), &json!(length)));
        let response = open(&inbox, &made["url"]).expect(200);
        assert_eq!(response.header("content-type"), Some("image/png"));
        assert!(response.body == content, "{length}: the bytes are others");
    }
}

fn an_upload_reaches_each_channel_by_its_own_way(inbox: Inbox) {
    let (page, device) = (inbox.connect("messenger"), inbox.connect("personal_whatsapp"));
    let content = b"not really a picture".to_vec();
    let conversation = inbox.hears(ANN, "Show me.");
    let message =
        inbox.sends(sending(&conversation, "image", &upload(&inbox.client, "a.png", "image/png", &content)));
    assert!(text(&message["media_url"]).starts_with(&inbox.app.base()), "{message}");
    inbox.becomes(&message, "delivered");
    let image = &inbox.sent_soon(&inbox.whatsapp, 1)[0]["raw"]["image"];
    assert!(image["id"].is_string() && image["link"].is_null(), "{image}");
    let conversation = inbox.hears_on(&page, "6543219876543210", "Show me.");
    inbox.sends(sending(&conversation, "image", &upload(&inbox.client, "a.png", "image/png", &content)));
    let payload = &inbox.sent_soon(&page, 2)[0]["raw"]["message"]["attachment"]["payload"];
    assert!(payload["attachment_id"].is_string() && payload["url"].is_null(), "{payload}");
    let conversation = inbox.hears_on(&device, BOB, "Show me.");
    inbox.sends(sending(
        &conversation,
        "document",
        &upload(&inbox.client, "a.pdf", "application/pdf", &content),
    ));
    let file = &inbox.sent_soon(&device, 1)[0]["raw"]["file"];
    assert_eq!((&file["mimetype"], &file["filename"]), (&json!("application/pdf"), &json!("a.pdf")));
    assert_eq!(file["data"], STANDARD.encode(&content));
}

fn an_upload_is_sent_again_and_outlives_one_of_its_messages(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Show me."), inbox.hears(BOB, "Show me."));
    let file = upload(&inbox.client, "a.png", "image/png", b"the picture");
    for conversation in [&ann, &ann, &bob] {
        let message = inbox.sends(sending(conversation, "image", &file));
        inbox.becomes(&message, "delivered");
    }
    let erase = |conversation: &Value| {
        inbox.client.delete(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
        inbox.settle();
    };
    erase(&ann);
    assert_eq!(open(&inbox, &file["url"]).expect(200).text, "the picture");
    erase(&bob);
    open(&inbox, &file["url"]).expect(404);
    let conversation = inbox.hears(ANN, "Once more?");
    let gone = inbox.send(sending(&conversation, "image", &file)).expect(422);
    assert_eq!(gone.error("unprocessable")["reason"], "media_unavailable");
}

fn an_upload_of_another_account_is_not_sent(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Show me.");
    let theirs = upload(&inbox.app.tenant().client, "a.png", "image/png", b"x");
    let refused = inbox.send(sending(&conversation, "image", &theirs)).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "media_unavailable");
}

fn a_file_that_a_customer_sent_is_passed_on(inbox: Inbox) {
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image" } }));
    let heard = eventually("the picture", || inbox.events("message.received").pop());
    let url = &inbox.message(&heard["message"]["id"])["media_url"];
    let conversation = inbox.hears(BOB, "Do you have a picture?");
    inbox.sends(sending(&conversation, "image", &json!({ "url": url })));
    let image = &inbox.sent_soon(&inbox.whatsapp, 1)[0]["raw"]["image"];
    assert_eq!(image["link"], *url);
}

fn an_upload_that_is_not_sent_is_deleted_after_a_week(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Show me.");
    let file = upload(&inbox.client, "a.png", "image/png", b"sent");
    let message = inbox.sends(sending(&conversation, "image", &file));
    inbox.becomes(&message, "delivered");
    inbox.advance(6 * DAY);
    let waiting = upload(&inbox.client, "b.png", "image/png", b"not sent");
    inbox.advance(8 * DAY);
    let kept = inbox.message(&message["id"]);
    assert_eq!(open(&inbox, &kept["media_url"]).expect(200).text, "sent");
    let conversation = inbox.hears(ANN, "Still there?");
    inbox.send(sending(&conversation, "image", &waiting)).expect(422);
}

fn the_url_of_an_upload_works_until_its_file_is_deleted(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Show me.");
    let (sent, waiting) = (
        upload(&inbox.client, "a.png", "image/png", b"sent"),
        upload(&inbox.client, "b.png", "image/png", b"not sent"),
    );
    // The link of a message is good for a day.
    inbox.advance(26 * 60 * 60);
    open(&inbox, &waiting["url"]).expect(200);
    inbox.hears(ANN, "Still there?");
    let message = inbox.sends(sending(&conversation, "image", &sent));
    assert_eq!(open(&inbox, &message["media_url"]).expect(200).text, "sent");
    inbox.becomes(&message, "delivered");
    inbox.advance(5 * DAY);
    assert_eq!(open(&inbox, &waiting["url"]).expect(200).text, "not sent");
    inbox.advance(30 * DAY);
    let is_gone = || open(&inbox, &waiting["url"]).status == 404;
    assert!(came_true(is_gone), "it is still there");
    assert_eq!(open(&inbox, &sent["url"]).expect(200).text, "sent");
    assert_eq!(open(&inbox, &inbox.message(&message["id"])["media_url"]).expect(200).text, "sent");
    // What the message said when it was sent still works, as in its event.
    assert_eq!(open(&inbox, &message["media_url"]).expect(200).text, "sent");
}

fn an_upload_that_a_template_or_a_broadcast_refers_to_is_kept(inbox: Inbox) {
    let [one, many, unused] = ["one.pdf", "many.pdf", "unused.pdf"]
        .map(|name| upload(&inbox.client, name, "application/pdf", name.as_bytes()));
    let template = json!({ "name": "invoice_ready", "header_media_url": one["url"], "body_params": ["Ann"] });
    let message =
        inbox.sends(json!({ "type": "template", "to": { "phone": ANN_PHONE }, "template": template }));
    let broadcast = |url: &Value| {
        json!({
            "name": "Invoices", "template": { "name": "invoice_ready" }, "audience": { "type": "phones", "phones": [BOB_PHONE] },
            "variables": { "1": { "type": "static", "value": "Bob" } }, "header_media_url": url,
        })
    };
    let made = announced(&inbox.client, broadcast(&many["url"]));
    broadcast_becomes(&inbox.client, &made, "sent");
    let recipient = recipients(&inbox.client, &made, "").remove(0);
    let links: Vec<Value> = (inbox.sent_soon(&inbox.whatsapp, 2).iter())
        .map(|sent| sent["raw"]["template"]["components"][0]["parameters"][0]["document"]["link"].clone())
        .collect();
    inbox.advance(40 * DAY);
    let is_gone = || open(&inbox, &unused["url"]).status == 404;
    assert!(came_true(is_gone), "it is still there");
    for link in &links {
        open(&inbox, link).expect(200);
    }
    assert_eq!(open(&inbox, &inbox.message(&message["id"])["media_url"]).expect(200).text, "one.pdf");
    assert_eq!(
        open(&inbox, &inbox.message(&recipient["message_id"])["media_url"]).expect(200).text,
        "many.pdf"
    );
    let template =
        json!({ "name": "invoice_ready", "header_media_url": unused["url"], "body_params": ["Ann"] });
    let refused =
        inbox.send(json!({ "type": "template", "to": { "phone": ANN_PHONE }, "template": template }));
    assert_eq!(refused.expect(422).error("unprocessable")["reason"], "media_unavailable");
    let refused = announce(&inbox.client, broadcast(&unused["url"])).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "media_unavailable");
}

fn a_file_of_a_customer_that_was_passed_on_goes_on_being_shown(inbox: Inbox) {
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image" } }));
    let heard = eventually("the picture", || inbox.events("message.received").pop());
    let url = inbox.message(&heard["message"]["id"])["media_url"].clone();
    assert!(came_true(|| open(&inbox, &url).status == 200), "it was never fetched");
    let conversation = inbox.hears(BOB, "Do you have a picture?");
    let message = inbox.sends(sending(&conversation, "image", &json!({ "url": url })));
    inbox.becomes(&message, "delivered");
    inbox.advance(3 * DAY);
    open(&inbox, &url).expect(404);
    open(&inbox, &inbox.message(&message["id"])["media_url"]).expect(200);
}

fn only_pictures_and_recordings_are_shown_in_a_browser(inbox: Inbox) {
    for (kind, shown) in [
        ("image/png", "inline"),
        ("audio/ogg", "inline"),
        ("video/mp4", "inline"),
        ("application/pdf", "attachment"),
        ("text/html", "attachment"),
    ] {
        let made = upload(&inbox.client, "a \"b\".bin", kind, b"x");
        let response = open(&inbox, &made["url"]).expect(200);
        let disposition = response.header("content-disposition").expect("a disposition");
        assert!(disposition.starts_with(shown), "{kind}: {disposition}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    }
}

fn everything_wrong_with_an_upload_is_told(inbox: Inbox) {
    let client = &inbox.client;
    let other = send(client, "/media", &form("other", "a", "text/plain", b"x")).expect(400);
    other.error("validation_error");
    other.details_at(&["file"]);
    send(client, "/media", b"--x1x2x3\r\nbroken").expect(400).error("bad_request");
    client.post("/media", json!({ "file": "x" })).expect(415).error("bad_request");
    client.send("POST", "/media", None).expect(415);
    client.get("/media").expect(405).error("bad_request");
    let lacking = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "messages:read"));
    let whole = form("file", "a", "text/plain", b"x");
    assert_eq!(send(&lacking, "/media", &whole).expect(403).error("forbidden")["reason"], "scope");
    send(&inbox.app.anonymous(), "/media", &whole).expect(401);
}

fn a_member_uploads_in_the_dashboard(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    let conversation = inbox.hears(ANN, "Show me.");
    let whole = form("file", "a.png", "image/png", b"x");
    let made = send(&browser.client, "/app/api/v1/media", &whole).expect(201);
    let message = browser.post("/v1/messages", sending(&conversation, "image", made.data())).expect(201);
    inbox.becomes(message.data(), "delivered");
    let foreign = browser.client.with("origin", "https://evil.example");
    assert_eq!(
        send(&foreign, "/app/api/v1/media", &whole).expect(403).error("forbidden")["reason"],
        "origin"
    );
    send(&Browser::new(&inbox.app).client, "/app/api/v1/media", &whole).expect(401).error("unauthorized");
}

fn a_channel_that_fails_for_a_while_gets_the_file_later(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Show me.");
    let file = upload(&inbox.client, "a.png", "image/png", b"x");
    inbox.faults(json!([{ "on": "media", "kind": "status", "status": 503, "times": 1 }]));
    let message = inbox.sends(sending(&conversation, "image", &file));
    inbox.advance(30);
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}
