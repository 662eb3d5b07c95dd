//! What the bridge's webhooks tell.

use frontdesk_kernel::Timestamp;

use super::*;
use crate::call::Class;
use crate::incoming::{Content, MediaKind, Message, Person, Report, ReportStatus, SessionState};

/// 2023-11-14T22:13:20Z, and when the bridge told of it.
const AT: Timestamp = Timestamp::from_millis(1_700_000_000_000);
const TOLD_AT: Timestamp = Timestamp::from_millis(1_700_000_001_234);

fn received(event: &str, payload: Value) -> Vec<Incoming> {
    let event = json!({
        "id": "evt_1", "timestamp": TOLD_AT.millis(), "event": event, "session": "sales",
        "me": {"id": "15550001111@c.us", "pushName": "Us"}, "payload": payload, "engine": "WEBJS",
    });
    bridge().receive(event.to_string().as_bytes()).unwrap()
}

/// A message of Ann's with these fields beside the ones that all have.
fn from_ann(fields: &Value) -> Value {
    let mut payload = json!({
        "id": "false_12132132130@c.us_AAA", "timestamp": 1_700_000_000, "from": "12132132130@c.us", "fromMe": false,
        "to": "15550001111@c.us", "body": "hi", "hasMedia": false, "ack": 1, "vCards": [],
    });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    payload
}

fn ann() -> Person {
    Person {
        id: "12132132130@c.us".to_owned(),
        also: None,
        phone: Some("+12132132130".to_owned()),
        name: None,
    }
}

fn message(fields: &Value) -> Option<Message> {
    match received("message.any", from_ann(fields)).as_slice() {
        [] => None,
        [Incoming::Message(message)] => Some(message.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_told_with_who_and_when() {
    let told = Message {
        channel_message_id: "false_12132132130@c.us_AAA".to_owned(),
        person: ann(),
        echo: false,
        at: AT,
        content: Content::Text("hi".to_owned()),
        reply_to: None,
    };
    for event in ["message", "message.any"] {
        assert_eq!(received(event, from_ann(&json!({}))), [Incoming::Message(told.clone())], "{event}");
    }
    assert_eq!(message(&json!({"timestamp": null})).unwrap().at, TOLD_AT);
}

#[test]
fn the_owners_messages_from_the_phone_are_echoes() {
    let ours = json!({"fromMe": true, "from": "15550001111@c.us", "to": "12132132130@c.us", "source": "app",
        "id": "true_12132132130@c.us_BBB", "_data": {"notifyName": "Us", "key": {"senderPn": "15550001111@c.us"}}});
    let told = message(&ours).unwrap();
    assert_eq!((told.echo, told.person), (true, ann()));
}

#[test]
fn messages_sent_through_the_bridge_are_not_reported_again() {
    assert_eq!(message(&json!({"fromMe": true, "to": "12132132130@c.us", "source": "api"})), None);
}

#[test]
fn only_chats_with_one_person_are_told() {
    for from in [
        "120363@g.us",
        "status@broadcast",
        "1234567890@broadcast",
        "1234567890@newsletter",
        "0@c.us",
        "x",
        "",
    ] {
        assert_eq!(message(&json!({"from": from})), None, "{from}");
    }
    assert_eq!(message(&json!({"_data": {"type": "e2e_notification"}, "body": ""})), None);
}

#[test]
fn a_person_has_one_id_however_the_engine_writes_it() {
    let lid = "98765432101234@lid";
    let person = |id: &str, also: Option<&str>, phone: Option<&str>| Person {
        id: id.to_owned(),
        also: also.map(str::to_owned),
        phone: phone.map(str::to_owned),
        name: None,
    };
    for (fields, expected) in [
        (json!({"from": "12132132130@s.whatsapp.net"}), ann()),
        (json!({"from": "12132132130:17@s.whatsapp.net"}), ann()),
        (json!({"from": lid}), person(lid, None, None)),
        (
            json!({"from": lid, "_data": {"key": {"remoteJid": lid, "remoteJidAlt": "12132132130@s.whatsapp.net"}}}),
            person(lid, Some("12132132130@c.us"), Some("+12132132130")),
        ),
        (
            json!({"from": lid, "_data": {"key": {"senderPn": "12132132130@s.whatsapp.net"}}}),
            person(lid, Some("12132132130@c.us"), Some("+12132132130")),
        ),
        (
            json!({"_data": {"key": {"remoteJid": "12132132130@s.whatsapp.net", "remoteJidAlt": lid}}}),
            Person { also: Some(lid.to_owned()), ..ann() },
        ),
        (json!({"_data": {"notifyName": "Ann"}}), Person { name: Some("Ann".to_owned()), ..ann() }),
        (json!({"_data": {"pushName": "Ann"}}), Person { name: Some("Ann".to_owned()), ..ann() }),
        (json!({"_data": {"Info": {"PushName": "Ann"}}}), Person { name: Some("Ann".to_owned()), ..ann() }),
    ] {
        assert_eq!(message(&fields).unwrap().person, expected, "{fields}");
    }
}

#[test]
fn every_kind_of_message_is_told_as_what_it_says() {
    let media = |kind, url: &str, content_type: &str, caption: Option<&str>| Content::Media {
        kind,
        source: MediaSource {
            url: Some(url.to_owned()),
            content_type: Some(content_type.to_owned()),
            ..MediaSource::default()
        },
        caption: caption.map(str::to_owned),
    };
    let text = |text: &str| Content::Text(text.to_owned());
    let attached = |content_type: &str| json!({"hasMedia": true, "body": null, "media": {"url": "http://b/f", "mimetype": content_type}});
    for (fields, content) in [
        (attached("image/jpeg"), media(MediaKind::Image, "http://b/f", "image/jpeg", None)),
        (attached("video/mp4"), media(MediaKind::Video, "http://b/f", "video/mp4", None)),
        (
            attached("audio/ogg; codecs=opus"),
            media(MediaKind::Audio, "http://b/f", "audio/ogg; codecs=opus", None),
        ),
        (attached("application/pdf"), media(MediaKind::Document, "http://b/f", "application/pdf", None)),
        (
            json!({"hasMedia": true, "body": "see", "media": {"url": "http://b/f", "mimetype": "image/png"}}),
            media(MediaKind::Image, "http://b/f", "image/png", Some("see")),
        ),
        (
            json!({"hasMedia": true, "body": "see", "media": {"url": null, "mimetype": "image/png"}}),
            text("[image] see"),
        ),
        (json!({"hasMedia": true, "body": "", "media": null}), text("[document]")),
        (
            json!({"body": "", "location": {"latitude": "1.5", "longitude": "-2", "description": "HQ"}}),
            Content::Location { latitude: 1.5, longitude: -2.0, name: Some("HQ".to_owned()), address: None },
        ),
        (
            json!({"vCards": ["BEGIN:VCARD\r\nFN:Bo Diaz\r\nitem1.TEL;waid=1:+1 650-555-1111\r\nEND:VCARD"]}),
            text("Bo Diaz, +1 650-555-1111"),
        ),
        (json!({"body": ""}), text("[unsupported message]")),
    ] {
        assert_eq!(message(&fields).unwrap().content, content, "{fields}");
    }
}

#[test]
fn a_quoted_message_is_named_in_full() {
    let quoted = |reply: Value| message(&json!({"replyTo": reply})).unwrap().reply_to;
    for (reply, id) in [
        (json!("true_12132132130@c.us_ZZZ"), "true_12132132130@c.us_ZZZ"),
        (json!({"id": "false_12132132130@c.us_ZZZ"}), "false_12132132130@c.us_ZZZ"),
        (json!({"id": "ZZZ", "participant": "15550001111@c.us"}), "true_12132132130@c.us_ZZZ"),
        (json!({"id": "ZZZ", "participant": "12132132130@c.us"}), "false_12132132130@c.us_ZZZ"),
        (json!({"id": "ZZZ"}), "ZZZ"),
    ] {
        assert_eq!(quoted(reply.clone()).as_deref(), Some(id), "{reply}");
    }
    assert_eq!(quoted(Value::Null), None);
}

#[test]
fn a_reaction_is_set_and_taken_back() {
    let told = |text: &str, from_us: bool| {
        received(
            "message.reaction",
            json!({
                "id": "false_12132132130@c.us_R", "from": "12132132130@c.us", "fromMe": from_us,
                "to": "12132132130@c.us", "timestamp": 1_700_000_000.5,
                "reaction": {"text": text, "messageId": "true_12132132130@c.us_ZZZ"},
            }),
        )
    };
    let at = Timestamp::from_millis(1_700_000_000_500);
    let reaction = |emoji: Option<&str>| {
        let (channel_message_id, emoji) = ("true_12132132130@c.us_ZZZ".to_owned(), emoji.map(str::to_owned));
        [Incoming::Reaction { person: ann(), channel_message_id, emoji, at }]
    };
    assert_eq!(told("🙏", false), reaction(Some("🙏")));
    assert_eq!(told("", false), reaction(None));
    assert_eq!(told("🙏", true), [], "our own");
}

#[test]
fn a_report_is_told_at_its_own_moment() {
    let told = |ack: i64| {
        let (id, from) = ("true_12132132130@c.us_ZZZ", "12132132130@c.us");
        let payload = json!({"id": id, "from": from, "fromMe": true, "ack": ack});
        received("message.ack", payload)
    };
    for (ack, status) in [
        (1, ReportStatus::Sent),
        (2, ReportStatus::Delivered),
        (3, ReportStatus::Read),
        (4, ReportStatus::Read),
    ] {
        let channel_message_id = "true_12132132130@c.us_ZZZ".to_owned();
        let report = Report { channel_message_id, our_id: None, status, at: TOLD_AT, error: None };
        assert_eq!(told(ack), [Incoming::Report(report)], "{ack}");
    }
    assert_eq!(told(0), [], "still on its way");
    let [Incoming::Report(failed)] = &told(-1)[..] else { panic!("not one report") };
    assert_eq!(
        (failed.status, failed.error.as_ref().unwrap().class),
        (ReportStatus::Failed, Class::Recipient)
    );
}

#[test]
fn reports_on_what_is_not_ours_are_left_out() {
    for payload in [
        json!({"id": "false_12132132130@c.us_ZZZ", "from": "12132132130@c.us", "fromMe": false, "ack": 3}),
        json!({"id": "true_1@g.us_ZZZ", "from": "1234567890@g.us", "fromMe": true, "ack": 3}),
        json!({"from": "12132132130@c.us", "fromMe": true, "ack": 3}),
    ] {
        assert_eq!(received("message.ack", payload.clone()), [], "{payload}");
    }
}

#[test]
fn the_session_s_state_is_told() {
    for (word, state, detail) in [
        ("STOPPED", SessionState::Stopped, None),
        ("STARTING", SessionState::Starting, None),
        ("SCAN_QR_CODE", SessionState::Pairing, None),
        ("PASSKEY_REQUIRED", SessionState::Pairing, Some("PASSKEY_REQUIRED")),
        ("WORKING", SessionState::Working, None),
        ("FAILED", SessionState::Failed, None),
    ] {
        let told = Incoming::Session { state, detail: detail.map(str::to_owned) };
        assert_eq!(received("session.status", json!({"status": word, "statuses": []})), [told], "{word}");
    }
    assert_eq!(received("session.status", json!({"status": "DREAMING"})), []);
}

#[test]
fn another_session_s_events_and_unknown_ones_are_left_out() {
    let other =
        json!({"event": "message", "session": "support", "payload": from_ann(&json!({}))}).to_string();
    assert_eq!(bridge().receive(other.as_bytes()).unwrap(), []);
    assert_eq!(received("presence.update", json!({"id": "12132132130@c.us"})), []);
    assert_eq!(bridge().receive(b"[]").unwrap(), []);
    assert!(bridge().receive(b"no").is_err());
}

#[test]
fn only_the_key_s_own_signature_is_genuine() {
    let body = br#"{"event":"message","session":"default","engine":"WEBJS"}"#;
    // The bridge's own example.
    let signed = "208f8a55dde9e05519e898b10b89bf0d0b3b0fdf11fdbf09b6b90476301b98d8\
                  097c462b2b17a6ce93b6b47a136cf2e78a33a63f6752c2c1631777076153fa89";
    let genuine = |hex: &str, body: &[u8]| {
        let headers =
            HeaderMap::from_iter([(http::HeaderName::from_static(SIGNATURE), hex.parse().unwrap())]);
        bridge().is_genuine(&headers, body)
    };
    assert!(genuine(signed, body));
    assert!(genuine(&signed.to_uppercase(), body));
    assert!(!genuine(signed, b"{}"));
    assert!(!genuine("", body));
    assert!(!genuine(&signed[2..], body));
    assert!(!bridge().is_genuine(&HeaderMap::new(), body));
    assert_eq!(bridge().challenge("hub.mode=subscribe&hub.verify_token=my-secret-key&hub.challenge=1"), None);
}
