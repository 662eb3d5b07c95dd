//! The calls that send and fetch, and what their answers mean.

use super::*;
use crate::call::Class;
use crate::incoming::MediaKind;
use crate::outgoing::Payload;

fn sent(to: &str, payload: Payload, reply_to: Option<&str>) -> (String, Value) {
    let (our_id, to, reply_to) = ("o".to_owned(), to.to_owned(), reply_to.map(str::to_owned));
    let call = bridge().send(&Outgoing { our_id, to, payload, reply_to });
    let (name, key) = call.authorization.as_ref().unwrap();
    assert_eq!((call.method.as_str(), *name, key.reveal()), ("POST", "x-api-key", "api-key"));
    (call.url.replace("http://bridge.example:3000", ""), serde_json::from_slice(&call.body).unwrap())
}

#[test]
fn a_text_goes_to_a_number_s_chat() {
    for to in ["12132132130", "+12132132130", "12132132130@c.us", "12132132130@s.whatsapp.net"] {
        let body =
            json!({"session": "sales", "chatId": "12132132130@c.us", "text": "hi", "reply_to": "false_x"});
        let expected = ("/api/sendText".to_owned(), body);
        assert_eq!(sent(to, Payload::Text("hi".to_owned()), Some("false_x")), expected, "{to}");
    }
    let (_, body) = sent("98765432101234@lid", Payload::Text("hi".to_owned()), None);
    assert_eq!(body["chatId"], "98765432101234@lid");
}

#[test]
fn a_media_goes_by_its_kind() {
    for (kind, path, usual, carries_caption) in [
        (MediaKind::Image, "/api/sendImage", "image/jpeg", true),
        (MediaKind::Video, "/api/sendVideo", "video/mp4", true),
        (MediaKind::Document, "/api/sendFile", "application/octet-stream", true),
        (MediaKind::Audio, "/api/sendVoice", "audio/ogg; codecs=opus", false),
    ] {
        let (url, caption, filename) =
            ("https://a/f".to_owned(), Some("c".to_owned()), Some("n.x".to_owned()));
        let bytes = Some(Bytes::from_static(b"file"));
        let payload =
            Payload::Media { kind, url, bytes, caption, filename, content_type: None, uploaded: None };
        let (to, body) = sent("12132132130", payload, None);
        assert_eq!(to, path);
        assert_eq!(body["file"], json!({"mimetype": usual, "data": "ZmlsZQ==", "filename": "n.x"}));
        assert_eq!(body.get("caption").is_some(), carries_caption, "{path}");
    }
}

#[test]
fn a_template_is_sent_as_what_it_says() {
    let composed =
        crate::template::Composed { text: "Hi Ann".to_owned(), ..crate::template::Composed::default() };
    let (path, body) =
        sent("1", Payload::Template { name: "t".to_owned(), language: "en".to_owned(), composed }, None);
    assert_eq!((path.as_str(), &body["text"]), ("/api/sendText", &json!("Hi Ann")));
}

#[test]
fn the_message_s_id_is_read_as_every_engine_writes_it() {
    for (body, id, person) in [
        (r#"{"id":"true_12132132130@c.us_A"}"#, Some("true_12132132130@c.us_A"), Some("12132132130@c.us")),
        (
            r#"{"id":{"fromMe":true,"id":"A","_serialized":"true_12132132130@c.us_A"}}"#,
            Some("true_12132132130@c.us_A"),
            Some("12132132130@c.us"),
        ),
        (
            r#"{"key":{"id":"A","fromMe":true,"remoteJid":"12132132130@s.whatsapp.net"}}"#,
            Some("true_12132132130@c.us_A"),
            Some("12132132130@c.us"),
        ),
        (r#"{"key":{"id":"A"}}"#, Some("A"), None),
        ("", None, None),
    ] {
        let accepted =
            Accepted { channel_message_id: id.map(str::to_owned), person: person.map(str::to_owned) };
        assert_eq!(answered(201, body, Bridge::sent), Ok(accepted), "{body}");
    }
}

#[test]
fn the_status_of_a_refusal_decides() {
    for (status, class) in [
        (500, Class::Retry),
        (502, Class::Retry),
        (429, Class::Retry),
        (401, Class::Token),
        (403, Class::Token),
        (404, Class::Channel),
        (422, Class::Channel),
        (400, Class::Request),
        (413, Class::Request),
    ] {
        let refusal = answered(status, r#"{"message":"why","error":"E"}"#, Bridge::sent).unwrap_err();
        assert_eq!((refusal.class, refusal.message.as_str()), (class, "why"), "{status}");
        assert_eq!(refusal.code, format!("http_{status}"));
    }
    for (body, message) in [
        (r#"{"message":["a","b"]}"#, "a, b"),
        (r#"{"exception":{"message":"deep"},"message":"shallow"}"#, "deep"),
        (r#"{"error":"short"}"#, "short"),
        ("<html>", "the bridge answered 500 without saying why"),
    ] {
        assert_eq!(answered(500, body, Bridge::sent).unwrap_err().message, message);
    }
}

#[test]
fn a_ban_stops_the_channel_and_is_not_tried_again() {
    let body = r#"{"statusCode":500,"exception":{"message":"server returned error 463"}}"#;
    assert_eq!(answered(500, body, Bridge::sent).unwrap_err().class, Class::Channel);
}

#[test]
fn a_read_receipt_names_the_chat_and_the_message() {
    let call = bridge().read_receipt("12132132130", "false_x").unwrap();
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(call.url, "http://bridge.example:3000/api/sendSeen");
    assert_eq!(body, json!({"session": "sales", "chatId": "12132132130@c.us", "messageIds": ["false_x"]}));
}

#[test]
fn the_key_is_shown_to_the_bridge_alone() {
    let keyed = |url: &str| {
        let source = MediaSource { url: Some(url.to_owned()), ..MediaSource::default() };
        assert!(bridge().locate_media(&source).is_none());
        bridge().download_media(&source).unwrap().authorization.is_some()
    };
    assert!(keyed("http://bridge.example:3000/api/files/a.jpg"));
    for elsewhere in [
        "https://bucket.example/a.jpg",
        "http://bridge.example:30000/a",
        "http://bridge.example:3000.evil/a",
        "http://bridge.example:3000@evil/a",
    ] {
        assert!(!keyed(elsewhere), "{elsewhere}");
    }
    assert!(bridge().download_media(&MediaSource::default()).is_none());
}
