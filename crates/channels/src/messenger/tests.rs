use frontdesk_kernel::{Secret, Timestamp};
use serde_json::Value;

use super::*;
use crate::call::Class;
use crate::incoming::{Content, MediaKind, Message, Person, Report, ReportStatus};
use crate::outgoing::Payload;

const AT: Timestamp = Timestamp::from_millis(1_700_000_000_123);

fn messenger() -> Page {
    Page::messenger("PAGE".to_owned(), credentials())
}

fn instagram() -> Page {
    Page::instagram("PAGE".to_owned(), credentials())
}

fn credentials() -> GraphCredentials {
    GraphCredentials {
        graph_url: "https://graph.example".to_owned(),
        version: "v23.0".to_owned(),
        access_token: Secret::new("EAAJB"),
        app_secret: Secret::new("app-secret"),
        verify_token: Secret::new("verify"),
    }
}

fn received(events: &Value) -> Vec<Incoming> {
    let entry = json!({"id": "PAGE", "time": 1_700_000_000_999_i64, "messaging": events});
    let webhook = json!({"object": "page", "entry": [entry]});
    messenger().receive(webhook.to_string().as_bytes()).unwrap()
}

/// An event of Ann's with this one part.
fn event(part: &str, value: Value) -> Value {
    json!({"sender": {"id": "ANN"}, "recipient": {"id": "PAGE"}, "timestamp": AT.millis(), part: value})
}

fn ann() -> Person {
    Person { id: "ANN".to_owned(), also: None, phone: None, name: None }
}

fn message(id: &str, content: Content) -> Message {
    Message { channel_message_id: id.to_owned(), person: ann(), echo: false, at: AT, content, reply_to: None }
}

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

fn media(kind: MediaKind, url: &str) -> Content {
    Content::Media {
        kind,
        source: MediaSource { url: Some(url.to_owned()), ..MediaSource::default() },
        caption: None,
    }
}

#[test]
fn a_text_is_told_with_what_it_answers() {
    let said = json!({"mid": "m_1", "text": "hi", "reply_to": {"mid": "m_0"}});
    let told = Message { reply_to: Some("m_0".to_owned()), ..message("m_1", text("hi")) };
    assert_eq!(received(&json!([event("message", said)])), [Incoming::Message(told)]);
}

#[test]
fn an_echo_is_what_the_page_said_to_the_person() {
    let echo = json!({
        "sender": {"id": "PAGE"}, "recipient": {"id": "ANN"}, "timestamp": AT.millis(),
        "message": {"is_echo": true, "app_id": 1, "mid": "m_1", "text": "hello"},
    });
    assert_eq!(
        received(&json!([echo])),
        [Incoming::Message(Message { echo: true, ..message("m_1", text("hello")) })]
    );
}

#[test]
fn several_parts_become_several_messages_each_with_its_own_id() {
    let file = |kind: &str, url: &str| json!({"type": kind, "payload": {"url": url}});
    let files = [file("image", "https://c/1"), file("video", "https://c/2")];
    let said = json!({"mid": "m_1", "text": "look", "attachments": files});
    assert_eq!(
        received(&json!([event("message", said)])),
        [
            Incoming::Message(message("m_1", text("look"))),
            Incoming::Message(message("m_1#1", media(MediaKind::Image, "https://c/1"))),
            Incoming::Message(message("m_1#2", media(MediaKind::Video, "https://c/2"))),
        ]
    );
}

#[test]
fn every_kind_of_attachment_is_told_as_what_it_is() {
    for (attachment, content) in [
        (json!({"type": "image", "payload": {"url": "https://c/1"}}), media(MediaKind::Image, "https://c/1")),
        (json!({"type": "video", "payload": {"url": "https://c/1"}}), media(MediaKind::Video, "https://c/1")),
        (json!({"type": "audio", "payload": {"url": "https://c/1"}}), media(MediaKind::Audio, "https://c/1")),
        (
            json!({"type": "file", "payload": {"url": "https://c/1"}}),
            media(MediaKind::Document, "https://c/1"),
        ),
        (json!({"type": "share", "payload": {"url": "https://c/1"}}), text("[share] https://c/1")),
        (
            json!({"type": "story_mention", "payload": {"url": "https://c/1"}}),
            text("[story_mention] https://c/1"),
        ),
        (
            json!({"type": "fallback", "title": "A page", "url": "https://c/1"}),
            text("[fallback] https://c/1"),
        ),
        (json!({"type": "template", "title": "A card"}), text("[template] A card")),
        (json!({"type": "image", "payload": {}}), text("[image]")),
        (
            json!({"type": "location", "payload": {"coordinates": {"lat": 1.5, "long": -2}}}),
            Content::Location { latitude: 1.5, longitude: -2.0, name: None, address: None },
        ),
        (json!({"type": "location", "payload": {"url": "https://c/1"}}), text("[location] https://c/1")),
        (json!({}), text("[attachment]")),
    ] {
        let told = received(&json!([event("message", json!({"mid": "m", "attachments": [attachment]}))]));
        assert_eq!(told, [Incoming::Message(message("m", content))], "{attachment}");
    }
}

#[test]
fn the_preview_of_a_link_is_not_told_beside_its_text() {
    let said = json!({"mid": "m", "text": "see https://c", "attachments": [{"type": "fallback", "url": "https://c"}]});
    assert_eq!(
        received(&json!([event("message", said)])),
        [Incoming::Message(message("m", text("see https://c")))]
    );
}

#[test]
fn deleted_messages_are_left_out_and_unsupported_ones_are_kept() {
    assert_eq!(received(&json!([event("message", json!({"mid": "m", "is_deleted": true}))])), []);
    let unsupported = Incoming::Message(message("m", text("[unsupported message]")));
    assert_eq!(
        received(&json!([event("message", json!({"mid": "m", "is_unsupported": true}))])),
        [unsupported]
    );
}

#[test]
fn a_choice_is_told_from_a_button_or_a_quick_reply() {
    let choice = |id: &str, title: &str| Content::Choice { id: id.to_owned(), title: title.to_owned() };
    for (part, value, told) in [
        (
            "postback",
            json!({"mid": "m", "title": "Start", "payload": "GO"}),
            message("m", choice("GO", "Start")),
        ),
        ("postback", json!({"payload": "GO"}), message("postback:ANN:1700000000123", choice("GO", "GO"))),
        (
            "message",
            json!({"mid": "m", "text": "Red", "quick_reply": {"payload": "R"}}),
            message("m", choice("R", "Red")),
        ),
    ] {
        assert_eq!(received(&json!([event(part, value)])), [Incoming::Message(told)]);
    }
}

#[test]
fn a_delivery_names_messages_and_says_up_to_when() {
    let report = |id: &str, status| {
        let channel_message_id = id.to_owned();
        Incoming::Report(Report { channel_message_id, our_id: None, status, at: AT, error: None })
    };
    let watermark =
        |status, at| Incoming::Watermark { person: "ANN".to_owned(), status, at: Timestamp::from_millis(at) };
    let told = |part: &str, value: Value| received(&json!([event(part, value)]));
    assert_eq!(
        told("delivery", json!({"mids": ["a", "b"], "watermark": 1_699_999_999_000_i64})),
        [
            report("a", ReportStatus::Delivered),
            report("b", ReportStatus::Delivered),
            watermark(ReportStatus::Delivered, 1_699_999_999_000),
        ]
    );
    assert_eq!(told("delivery", json!({"watermark": 5})), [watermark(ReportStatus::Delivered, 5)]);
    assert_eq!(told("read", json!({"watermark": 5})), [watermark(ReportStatus::Read, 5)]);
    assert_eq!(told("read", json!({"mid": "a"})), [report("a", ReportStatus::Read)], "as Instagram tells it");
}

#[test]
fn a_reaction_is_set_and_taken_back() {
    let told = |value: Value| received(&json!([event("reaction", value)]));
    let reaction = |emoji: Option<&str>| {
        let (channel_message_id, emoji) = ("m_0".to_owned(), emoji.map(str::to_owned));
        [Incoming::Reaction { person: ann(), channel_message_id, emoji, at: AT }]
    };
    assert_eq!(
        told(json!({"mid": "m_0", "action": "react", "reaction": "love", "emoji": "❤️"})),
        reaction(Some("❤️"))
    );
    assert_eq!(told(json!({"mid": "m_0", "action": "react", "reaction": "love"})), reaction(Some("love")));
    assert_eq!(told(json!({"mid": "m_0", "action": "unreact"})), reaction(None));
    assert_eq!(told(json!({"mid": "m_0", "action": "react"})), []);
}

#[test]
fn one_odd_event_does_not_lose_its_siblings() {
    let good = || event("message", json!({"mid": "m", "text": "hi"}));
    let mut untimed = good();
    untimed.as_object_mut().unwrap().remove("timestamp");
    let odd = [
        json!(null),
        json!({"message": {"text": "no one"}}),
        event("message", json!({"text": "no id"})),
        event("referral", json!({})),
    ];
    let mut events = vec![good()];
    events.extend(odd);
    events.push(untimed);
    let told = received(&Value::Array(events));
    let later = Message { at: Timestamp::from_millis(1_700_000_000_999), ..message("m", text("hi")) };
    assert_eq!(told, [Incoming::Message(message("m", text("hi"))), Incoming::Message(later)]);
}

#[test]
fn each_product_reads_its_own_webhooks() {
    let webhook = |object: &str, id: &str| {
        let said = event("message", json!({"mid": "m", "text": "hi"}));
        json!({"object": object, "entry": [{"id": id, "messaging": [said]}]}).to_string()
    };
    let count = |page: Page, body: String| page.receive(body.as_bytes()).unwrap().len();
    assert_eq!(count(messenger(), webhook("page", "PAGE")), 1);
    assert_eq!(count(messenger(), webhook("page", "OTHER")), 0);
    assert_eq!(count(messenger(), webhook("instagram", "PAGE")), 0);
    assert_eq!(count(instagram(), webhook("instagram", "17841400000000")), 1);
    assert_eq!(count(instagram(), webhook("page", "PAGE")), 0);
    assert!(messenger().receive(b"?").is_err());
}

fn sent(payload: Payload, reply_to: Option<&str>) -> Value {
    let (our_id, to, reply_to) = ("o".to_owned(), "ANN".to_owned(), reply_to.map(str::to_owned));
    let call = messenger().send(&Outgoing { our_id, to, payload, reply_to });
    assert_eq!(
        (call.method.as_str(), call.url.as_str()),
        ("POST", "https://graph.example/v23.0/PAGE/messages")
    );
    assert_eq!(call.authorization.unwrap().1.reveal(), "Bearer EAAJB");
    serde_json::from_slice(&call.body).unwrap()
}

#[test]
fn a_text_is_sent_as_a_response() {
    let mut body =
        json!({"recipient": {"id": "ANN"}, "messaging_type": "RESPONSE", "message": {"text": "hi"}});
    assert_eq!(sent(Payload::Text("hi".to_owned()), None), body);
    body["reply_to"] = json!({"mid": "m_0"});
    assert_eq!(sent(Payload::Text("hi".to_owned()), Some("m_0")), body);
    assert_eq!(sent(Payload::Text("hi".to_owned()), Some("m_0#2")), body, "a part is quoted by its whole");
}

#[test]
fn a_media_is_sent_by_its_address_without_a_caption() {
    for (kind, word) in [
        (MediaKind::Image, "image"),
        (MediaKind::Video, "video"),
        (MediaKind::Audio, "audio"),
        (MediaKind::Document, "file"),
    ] {
        let (url, caption) = ("https://a/f".to_owned(), Some("c".to_owned()));
        let body = sent(
            Payload::Media {
                kind,
                url,
                bytes: None,
                caption,
                filename: None,
                content_type: None,
                uploaded: None,
            },
            None,
        );
        assert_eq!(body["message"], json!({"attachment": {"type": word, "payload": {"url": "https://a/f"}}}));
    }
}

#[test]
fn a_template_is_sent_as_what_it_says() {
    let composed =
        crate::template::Composed { text: "Hi Ann".to_owned(), ..crate::template::Composed::default() };
    let body = sent(Payload::Template { name: "t".to_owned(), language: "en".to_owned(), composed }, None);
    assert_eq!(body["message"], json!({"text": "Hi Ann"}));
}

#[test]
fn reading_is_told_for_the_whole_chat() {
    let call = instagram().read_receipt("ANN", "m_1").unwrap();
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(body, json!({"recipient": {"id": "ANN"}, "sender_action": "mark_seen"}));
}

#[test]
fn media_is_fetched_without_the_page_s_token() {
    let page = messenger();
    let source = MediaSource { url: Some("https://cdn/1".to_owned()), ..MediaSource::default() };
    assert!(page.locate_media(&source).is_none());
    assert!(page.download_media(&source).unwrap().authorization.is_none());
}

#[test]
fn answers_are_understood() {
    let headers = HeaderMap::new();
    let sent = |status: u16, body: &str| {
        messenger().sent(&VendorResponse { status, headers: &headers, body: body.as_bytes() })
    };
    let accepted = Accepted { channel_message_id: Some("m_1".to_owned()), person: None };
    assert_eq!(sent(200, r#"{"recipient_id":"ANN","message_id":"m_1"}"#), Ok(accepted));
    for (code, subcode, class) in [
        (551, None, Class::Recipient),
        (551, Some(1_545_041), Class::Recipient),
        (1_545_041, None, Class::Recipient),
        (200, Some(1_545_041), Class::Recipient),
        (100, Some(2_018_001), Class::Recipient),
        (10, Some(2_018_278), Class::OutsideWindow),
        (10, Some(2_534_022), Class::OutsideWindow),
        (10, None, Class::Channel),
        (10, Some(1), Class::Channel),
        (613, None, Class::Retry),
        (4, None, Class::Retry),
        (80006, None, Class::Retry),
        (1200, None, Class::Retry),
        (190, Some(463), Class::Token),
        (100, None, Class::Request),
        (100, Some(2_018_047), Class::RetryOnce),
        (230, None, Class::Channel),
        (368, None, Class::Channel),
        (999_999, None, Class::Request),
    ] {
        let body = json!({"error": {"message": "m", "code": code, "error_subcode": subcode}}).to_string();
        let refusal = sent(400, &body).unwrap_err();
        assert_eq!((refusal.class, refusal.code), (class, code.to_string()), "{code} {subcode:?}");
    }
    assert_eq!(sent(502, "").unwrap_err().class, Class::Retry);
}

#[test]
fn the_challenge_and_the_signature_are_meta_s() {
    let page = messenger();
    assert_eq!(
        page.challenge("hub.mode=subscribe&hub.verify_token=verify&hub.challenge=7").as_deref(),
        Some("7")
    );
    assert!(!page.is_genuine(&HeaderMap::new(), b"{}"));
}
