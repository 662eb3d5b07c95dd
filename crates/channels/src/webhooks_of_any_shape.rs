//! Every adapter parses any webhook without failing.

use frontdesk_kernel::{Secret, storable};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::adapter::Adapter;
use crate::graph::{DEFAULT_GRAPH_URL, DEFAULT_VERSION, GraphCredentials};
use crate::incoming::Incoming;
use crate::messenger::Page;
use crate::personal_whatsapp::{self, Bridge};
use crate::whatsapp::WhatsApp;

/// The vendors' own field names, so that generated values reach deep into the readers.
const KEYS: [&str; 64] = [
    "object",
    "entry",
    "id",
    "changes",
    "field",
    "value",
    "metadata",
    "phone_number_id",
    "contacts",
    "profile",
    "name",
    "wa_id",
    "user_id",
    "messages",
    "statuses",
    "from",
    "from_user_id",
    "timestamp",
    "type",
    "text",
    "body",
    "image",
    "mime_type",
    "caption",
    "location",
    "latitude",
    "longitude",
    "interactive",
    "button_reply",
    "list_reply",
    "title",
    "button",
    "payload",
    "reaction",
    "message_id",
    "emoji",
    "system",
    "status",
    "errors",
    "code",
    "user_preferences",
    "event",
    "message_template_name",
    "message_template_language",
    "messaging",
    "sender",
    "recipient",
    "message",
    "mid",
    "attachments",
    "url",
    "coordinates",
    "delivery",
    "mids",
    "watermark",
    "read",
    "postback",
    "action",
    "fromMe",
    "to",
    "media",
    "replyTo",
    "ack",
    "vCards",
];
const WORDS: [&str; 24] = [
    "messages",
    "user_preferences",
    "message_template_status_update",
    "text",
    "image",
    "contacts",
    "interactive",
    "reaction",
    "system",
    "failed",
    "read",
    "stop",
    "1700000000",
    "16505551234",
    "APPROVED",
    "message.any",
    "message.ack",
    "message.reaction",
    "session.status",
    "12132132130@c.us",
    "1@lid",
    "react",
    "WORKING",
    "fallback",
];

/// Characters that stand for escapes which no `Value` can hold, or no database.
const ODD: [(&str, &str); 3] = [("\u{E000}", "\\u0000"), ("\u{E001}", "\\ud800"), ("\u{E002}", "\\udc00")];

/// A webhook's bytes, with the escapes in it.
fn written(webhook: &Value) -> String {
    ODD.iter().fold(webhook.to_string(), |text, (mark, escape)| text.replace(mark, escape))
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(WORDS.as_slice()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        (any::<String>(), prop::sample::select(WORDS.as_slice()), prop::sample::select(ODD.as_slice()))
            .prop_map(|(before, after, (mark, _))| Value::from(format!("{before}{mark}{after}"))),
    ];
    leaf.prop_recursive(8, 128, 6, |inner| {
        let member = (prop::sample::select(KEYS.as_slice()), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            prop::collection::vec(member, 0..8).prop_map(|members| {
                Value::Object(
                    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

fn adapters() -> Vec<Box<dyn Adapter>> {
    let secret = || Secret::new("secret");
    let id = || "1".to_owned();
    let graph = || GraphCredentials {
        graph_url: DEFAULT_GRAPH_URL.to_owned(),
        version: DEFAULT_VERSION.to_owned(),
        access_token: secret(),
        app_secret: secret(),
        verify_token: secret(),
    };
    vec![
        Box::new(WhatsApp::new(id(), id(), graph())),
        Box::new(Page::messenger(id(), graph())),
        Box::new(Page::instagram(id(), graph())),
        Box::new(Bridge::new(personal_whatsapp::Credentials {
            bridge_url: "http://bridge.example".to_owned(),
            key: secret(),
            session: "1".to_owned(),
            webhook_key: secret(),
        })),
    ]
}

/// Wraps a value in each vendor's envelope, so that it is not rejected early.
fn enveloped(inner: &Value) -> [Value; 4] {
    [
        serde_json::json!({"entry": [{"changes": [{"field": "messages", "value": {
            "messages": [inner], "statuses": [inner], "contacts": [inner],
        }}]}]}),
        serde_json::json!({"entry": [{"messaging": [
            inner, {"sender": {"id": "2"}, "timestamp": 1, "message": inner},
        ]}]}),
        serde_json::json!({"event": "message.any", "timestamp": 1, "payload": inner}),
        inner.clone(),
    ]
}

/// Whether any text in it holds a NUL, which a debug print writes as an escape.
fn holds_nul(told: &Incoming) -> bool {
    format!("{told:?}").replace("\\\\", "").contains("\\0")
}

proptest! {
    #[test]
    fn any_json_is_read(inner in any_json()) {
        for webhook in enveloped(&inner) {
            for adapter in adapters() {
                let told = adapter.receive(written(&webhook).as_bytes());
                prop_assert!(told.is_ok());
                prop_assert!(!told.unwrap().iter().any(holds_nul));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), query in any::<String>()) {
        for adapter in adapters() {
            let read = adapter.receive(&bytes);
            prop_assert_eq!(read.is_ok(), serde_json::from_slice::<Value>(&storable::json(&bytes)).is_ok());
            prop_assert_eq!(adapter.challenge(&query), None);
            prop_assert!(!adapter.is_genuine(&http::HeaderMap::new(), &bytes));
        }
    }

    #[test]
    fn any_answer_is_understood(status in any::<u16>(), body in any_json()) {
        let (headers, body) = (http::HeaderMap::new(), body.to_string());
        let response = crate::call::VendorResponse { status, headers: &headers, body: body.as_bytes() };
        for adapter in adapters() {
            let _ = adapter.sent(&response);
            let _ = adapter.media_located(&response);
        }
    }
}
