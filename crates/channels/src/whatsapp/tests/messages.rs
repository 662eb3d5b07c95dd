//! Every kind of message that a person can send.

use super::*;
use crate::incoming::{Content, MediaKind, Message};

/// A message of Ann's with these fields beside the ones that all have.
fn from_ann(fields: Value) -> Value {
    let mut message = json!({"from": "16505551234", "id": "wamid.1", "timestamp": AT_SECONDS});
    message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    message
}

fn told(message: Value) -> Vec<Incoming> {
    received(&webhook("messages", value("messages", json!([message]))))
}

fn content_of(message: Value) -> Content {
    match told(message).as_slice() {
        [Incoming::Message(message)] => message.content.clone(),
        other => panic!("not one message: {other:?}"),
    }
}

fn media(kind: MediaKind, id: &str, content_type: &str) -> Content {
    let source = MediaSource {
        id: Some(id.to_owned()),
        content_type: Some(content_type.to_owned()),
        ..MediaSource::default()
    };
    Content::Media { kind, source, caption: None }
}

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

fn choice(id: &str, title: &str) -> Content {
    Content::Choice { id: id.to_owned(), title: title.to_owned() }
}

#[test]
fn a_text_is_told_with_who_when_and_what_it_answers() {
    let message = from_ann(
        json!({"type": "text", "text": {"body": "hi"}, "context": {"from": "15550783881", "id": "wamid.0"}}),
    );
    assert_eq!(
        told(message),
        [Incoming::Message(Message {
            channel_message_id: "wamid.1".to_owned(),
            person: ann(),
            echo: false,
            at: AT,
            content: text("hi"),
            reply_to: Some("wamid.0".to_owned()),
        })]
    );
}

#[test]
fn every_kind_of_message_is_told_as_what_it_says() {
    let file = |content_type: &str| json!({"id": "m1", "mime_type": content_type, "sha256": "x"});
    for (fields, content) in [
        (json!({"type": "image", "image": file("image/jpeg")}), media(MediaKind::Image, "m1", "image/jpeg")),
        (json!({"type": "video", "video": file("video/mp4")}), media(MediaKind::Video, "m1", "video/mp4")),
        (
            json!({"type": "sticker", "sticker": file("image/webp")}),
            media(MediaKind::Image, "m1", "image/webp"),
        ),
        (
            json!({"type": "audio", "audio": {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "voice": true}}),
            media(MediaKind::Audio, "m1", "audio/ogg; codecs=opus"),
        ),
        (
            json!({"type": "location", "location": {"latitude": 37.48, "longitude": -122.15, "name": "HQ"}}),
            Content::Location {
                latitude: 37.48,
                longitude: -122.15,
                name: Some("HQ".to_owned()),
                address: None,
            },
        ),
        (
            json!({"type": "contacts", "contacts": [
                {"name": {"formatted_name": "Bo Diaz"},
                 "phones": [{"phone": "+1 650-555-1111"}, {"phone": "+1 650-555-2222"}]},
                {"name": {"formatted_name": "Cy"}},
                {},
            ]}),
            text("Bo Diaz, +1 650-555-1111, +1 650-555-2222\nCy"),
        ),
        (
            json!({"type": "interactive", "interactive":
                {"type": "button_reply", "button_reply": {"id": "b1", "title": "Yes"}}}),
            choice("b1", "Yes"),
        ),
        (
            json!({"type": "interactive", "interactive":
                {"type": "list_reply", "list_reply": {"id": "l1", "title": "Large", "description": "L"}}}),
            choice("l1", "Large"),
        ),
        (json!({"type": "button", "button": {"payload": "p1", "text": "Thanks"}}), choice("p1", "Thanks")),
        (
            json!({"type": "order", "order": {"catalog_id": "1", "text": "soon please"}}),
            text("[order] soon please"),
        ),
        (json!({"type": "order", "order": {"catalog_id": "1"}}), text("[order]")),
        (
            json!({"type": "system", "system": {"body": "Ann's security code changed"}}),
            text("Ann's security code changed"),
        ),
        (json!({"type": "unsupported", "errors": [{"code": 131_051}]}), text("[unsupported message]")),
        (json!({"type": "hologram", "hologram": {}}), text("[unsupported message]")),
        (json!({}), text("[unsupported message]")),
    ] {
        assert_eq!(content_of(from_ann(fields.clone())), content, "{fields}");
    }
}

#[test]
fn a_document_keeps_its_name_and_caption() {
    let document = json!({"id": "m1", "mime_type": "application/pdf", "filename": "a.pdf", "caption": "see"});
    let Content::Media { kind, source, caption } =
        content_of(from_ann(json!({"type": "document", "document": document})))
    else {
        panic!("not a media");
    };
    assert_eq!(
        (kind, source.filename.as_deref(), caption.as_deref()),
        (MediaKind::Document, Some("a.pdf"), Some("see"))
    );
}

#[test]
fn a_message_that_lacks_its_own_part_is_not_lost() {
    for fields in [
        json!({"type": "text"}),
        json!({"type": "text", "text": "no object"}),
        json!({"type": "image", "image": {"mime_type": "image/png"}}),
        json!({"type": "location", "location": {"latitude": "north"}}),
        json!({"type": "interactive", "interactive": {"type": "nfm_reply", "nfm_reply": {"body": "Sent"}}}),
        json!({"type": "contacts", "contacts": []}),
    ] {
        assert_eq!(content_of(from_ann(fields.clone())), text("[unsupported message]"), "{fields}");
    }
}

#[test]
fn a_reaction_is_no_message() {
    let reaction = |emoji: Value| {
        told(from_ann(json!({"type": "reaction", "reaction": {"message_id": "wamid.0", "emoji": emoji}})))
    };
    let expected = |emoji: Option<&str>| {
        let emoji = emoji.map(str::to_owned);
        [Incoming::Reaction { person: ann(), channel_message_id: "wamid.0".to_owned(), emoji, at: AT }]
    };
    assert_eq!(reaction(json!("👍")), expected(Some("👍")));
    assert_eq!(reaction(json!("")), expected(None), "taken back");
    assert_eq!(reaction(Value::Null), expected(None), "taken back");
}

#[test]
fn a_changed_number_moves_the_person() {
    let system = |system: Value| told(from_ann(json!({"type": "system", "system": system})));
    let bo = Person {
        id: "16505559999".to_owned(),
        also: None,
        phone: Some("+16505559999".to_owned()),
        name: None,
    };
    let moved = [Incoming::Moved { from: "16505551234".to_owned(), to: bo.clone() }];
    assert_eq!(system(json!({"type": "user_changed_number", "body": "…", "wa_id": "16505559999"})), moved);
    assert_eq!(system(json!({"type": "customer_changed_number", "new_wa_id": "16505559999"})), moved);

    let hidden = json!({"id": "w", "timestamp": "1", "type": "system", "system":
        {"type": "user_changed_user_id", "previous_user_id": "US.1", "user_id": "US.2"}});
    let to = Person { id: "US.2".to_owned(), also: None, phone: None, name: None };
    assert_eq!(told(hidden), [Incoming::Moved { from: "US.1".to_owned(), to }]);
}

#[test]
fn a_person_is_known_by_their_number_or_by_their_id_with_us() {
    let person = |ids: Value, contacts: Value| {
        let mut message = json!({"id": "w", "timestamp": AT_SECONDS, "type": "text", "text": {"body": "hi"}});
        message.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        let mut value = value("messages", json!([message]));
        value["contacts"] = contacts;
        match received(&webhook("messages", value)).as_slice() {
            [Incoming::Message(message)] => Some(message.person.clone()),
            _ => None,
        }
    };
    let contact = json!([
        {"wa_id": "1", "profile": {"name": "Other"}},
        {"user_id": "US.7", "profile": {"name": "Ann Lee"}},
    ]);
    let hidden = Person { id: "US.7".to_owned(), also: None, phone: None, name: Some("Ann Lee".to_owned()) };
    assert_eq!(person(json!({"from_user_id": "US.7"}), contact.clone()), Some(hidden));

    let both = Person { also: Some("US.7".to_owned()), ..ann() };
    assert_eq!(person(json!({"from": "16505551234", "from_user_id": "US.7"}), contact), Some(both.clone()));
    let told_by_contact =
        json!([{"wa_id": "16505551234", "user_id": "US.7", "profile": {"name": "Ann Lee"}}]);
    assert_eq!(person(json!({"from": "16505551234"}), told_by_contact), Some(both));

    assert_eq!(person(json!({"from": "16505551234"}), json!([])), Some(Person { name: None, ..ann() }));
    assert_eq!(person(json!({}), json!([])), None);
}

#[test]
fn one_odd_message_does_not_lose_its_siblings() {
    let good = |id: &str| {
        let text = json!({"body": id});
        json!({"from": "16505551234", "id": id, "timestamp": 1_700_000_000, "type": "text", "text": text})
    };
    let messages =
        json!([good("a"), null, 7, {"from": {}}, {"from": "1", "id": "x", "timestamp": "soon"}, good("b")]);
    let mut hook = webhook("messages", value("messages", messages));
    let entry = hook["entry"][0].clone();
    hook["entry"].as_array_mut().unwrap().extend([json!("odd"), entry]);
    let ids: Vec<String> = received(&hook)
        .into_iter()
        .map(|told| match told {
            Incoming::Message(message) => message.channel_message_id,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, ["a", "b", "a", "b"]);
}

#[test]
fn another_number_s_messages_and_a_group_s_are_left_out() {
    let message = from_ann(json!({"type": "text", "text": {"body": "hi"}}));
    let mut other = value("messages", json!([message]));
    other["metadata"]["phone_number_id"] = json!("999");
    assert_eq!(received(&webhook("messages", other)), []);
    assert_eq!(told(from_ann(json!({"type": "text", "text": {"body": "hi"}, "group_id": "g1"}))), []);
}
