//! The calls that are made.

use http::Method;

use super::*;
use crate::incoming::MediaKind;
use crate::outgoing::Payload;
use crate::template::{ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter};

fn sent(to: &str, payload: Payload, reply_to: Option<&str>) -> Value {
    let reply_to = reply_to.map(str::to_owned);
    let call = whatsapp().send(&Outgoing { our_id: "m_1".to_owned(), to: to.to_owned(), payload, reply_to });
    assert_eq!(call.method, Method::POST);
    assert_eq!(call.url, "https://graph.example/v23.0/106540352242922/messages");
    assert_eq!(call.content_type.as_deref(), Some("application/json"));
    let (name, value) = call.authorization.as_ref().unwrap();
    assert_eq!((*name, value.reveal()), ("authorization", "Bearer EAAJB"));
    body_of(&call)
}

fn media(kind: MediaKind) -> Payload {
    Payload::Media {
        kind,
        bytes: None,
        url: "https://a.example/f".to_owned(),
        caption: Some("c".to_owned()),
        filename: Some("a.pdf".to_owned()),
        content_type: None,
        uploaded: None,
    }
}

#[test]
fn a_text_goes_to_the_digits_of_a_number() {
    assert_eq!(
        sent("+16505551234", Payload::Text("hi".to_owned()), Some("wamid.0")),
        json!({
            "messaging_product": "whatsapp", "recipient_type": "individual", "to": "16505551234", "type": "text",
            "text": {"body": "hi", "preview_url": false}, "context": {"message_id": "wamid.0"},
            "biz_opaque_callback_data": "m_1",
        })
    );
}

#[test]
fn a_person_with_a_hidden_number_is_addressed_by_id() {
    let body = sent("US.13491208655302741918", Payload::Text("hi".to_owned()), None);
    assert_eq!(body["recipient"], "US.13491208655302741918");
    assert_eq!((body.get("to"), body.get("context")), (None, None));
}

#[test]
fn a_media_goes_by_its_link_with_what_its_kind_can_carry() {
    for (kind, part) in [
        (MediaKind::Image, json!({"link": "https://a.example/f", "caption": "c"})),
        (MediaKind::Video, json!({"link": "https://a.example/f", "caption": "c"})),
        (MediaKind::Document, json!({"link": "https://a.example/f", "caption": "c", "filename": "a.pdf"})),
        (MediaKind::Audio, json!({"link": "https://a.example/f"})),
    ] {
        let body = sent("16505551234", media(kind), None);
        assert_eq!((&body["type"], &body[kind.as_str()]), (&json!(kind.as_str()), &part));
    }
}

fn template(composed: Composed) -> Value {
    let payload = Payload::Template { name: "t".to_owned(), language: "en_US".to_owned(), composed };
    let body = sent("16505551234", payload, None);
    assert_eq!((&body["type"], &body["biz_opaque_callback_data"]), (&json!("template"), &json!("m_1")));
    body["template"].clone()
}

fn parameter(name: Option<&str>, text: &str) -> ComposedParameter {
    ComposedParameter { name: name.map(str::to_owned), text: text.to_owned() }
}

#[test]
fn a_template_goes_with_every_part_that_was_filled_in() {
    let link = "https://a.example/i.png".to_owned();
    let composed = Composed {
        header: Some(ComposedHeader::Image { link }),
        body: vec![parameter(None, "Ann")],
        buttons: vec![
            ComposedButton { index: 0, kind: ButtonKind::Url, value: "suffix".to_owned() },
            ComposedButton { index: 1, kind: ButtonKind::CopyCode, value: "X25".to_owned() },
        ],
        text: String::new(),
    };
    assert_eq!(
        template(composed),
        json!({"name": "t", "language": {"code": "en_US"}, "components": [
            {"type": "header", "parameters": [{"type": "image", "image": {"link": "https://a.example/i.png"}}]},
            {"type": "body", "parameters": [{"type": "text", "text": "Ann"}]},
            {"type": "button", "sub_type": "url", "index": "0", "parameters": [{"type": "text", "text": "suffix"}]},
            {"type": "button", "sub_type": "copy_code", "index": "1",
             "parameters": [{"type": "coupon_code", "coupon_code": "X25"}]},
        ]})
    );
}

#[test]
fn a_template_that_takes_nothing_has_no_components() {
    assert_eq!(template(Composed::default()), json!({"name": "t", "language": {"code": "en_US"}}));
}

#[test]
fn a_header_goes_as_what_it_is() {
    let link = || "https://a.example/f".to_owned();
    for (header, parameter) in [
        (ComposedHeader::Text(parameter(None, "A-17")), json!({"type": "text", "text": "A-17"})),
        (
            ComposedHeader::Text(parameter(Some("order"), "A-17")),
            json!({"type": "text", "parameter_name": "order", "text": "A-17"}),
        ),
        (ComposedHeader::Video { link: link() }, json!({"type": "video", "video": {"link": link()}})),
        (
            ComposedHeader::Document { link: link(), filename: Some("a.pdf".to_owned()) },
            json!({"type": "document", "document": {"link": link(), "filename": "a.pdf"}}),
        ),
        (
            ComposedHeader::Document { link: link(), filename: None },
            json!({"type": "document", "document": {"link": link()}}),
        ),
    ] {
        let sent = template(Composed { header: Some(header), ..Composed::default() });
        assert_eq!(sent["components"], json!([{"type": "header", "parameters": [parameter]}]));
    }
}

#[test]
fn named_parameters_go_with_their_names() {
    let sent = template(Composed { body: vec![parameter(Some("first_name"), "Ann")], ..Composed::default() });
    let parameters = &sent["components"][0]["parameters"];
    assert_eq!(*parameters, json!([{"type": "text", "parameter_name": "first_name", "text": "Ann"}]));
}

#[test]
fn a_read_receipt_names_the_message() {
    let call = whatsapp().read_receipt("16505551234", "wamid.1").unwrap();
    assert_eq!(call.url, "https://graph.example/v23.0/106540352242922/messages");
    assert_eq!(
        body_of(&call),
        json!({"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1"})
    );
}

#[test]
fn a_media_is_located_and_then_fetched_with_the_token() {
    let source = MediaSource { id: Some("m/1".to_owned()), ..MediaSource::default() };
    let locate = whatsapp().locate_media(&source).unwrap();
    assert_eq!((locate.method, locate.url.as_str()), (Method::GET, "https://graph.example/v23.0/m%2F1"));
    assert!(whatsapp().download_media(&source).is_none(), "there is no address yet");

    let headers = HeaderMap::new();
    let body =
        r#"{"url":"https://lookaside.example/1?a=b","mime_type":"image/jpeg","file_size":303833,"id":"1"}"#;
    let located = whatsapp().media_located(&response(200, body, &headers)).unwrap();
    assert_eq!((located.bytes, located.content_type.as_deref()), (Some(303_833), Some("image/jpeg")));
    let fetch = whatsapp().download_media(&located).unwrap();
    assert_eq!(fetch.url, "https://lookaside.example/1?a=b");
    assert_eq!(fetch.authorization.unwrap().1.reveal(), "Bearer EAAJB");

    assert!(whatsapp().media_located(&response(200, "{}", &headers)).is_err());
}
