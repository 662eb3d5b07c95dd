mod messages;
mod news;
mod responses;
mod sends;

use frontdesk_kernel::{Secret, Timestamp};
use http::HeaderMap;
use serde_json::{Value, json};

use super::*;
use crate::incoming::Person;

/// 2023-11-14T22:13:20Z.
const AT_SECONDS: &str = "1700000000";
const AT: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn whatsapp() -> WhatsApp {
    let credentials = GraphCredentials {
        graph_url: "https://graph.example/".to_owned(),
        version: "v23.0".to_owned(),
        access_token: Secret::new("EAAJB"),
        app_secret: Secret::new("app-secret"),
        verify_token: Secret::new("verify"),
    };
    WhatsApp::new("106540352242922".to_owned(), "102290129340398".to_owned(), credentials)
}

fn ann() -> Person {
    Person {
        id: "16505551234".to_owned(),
        also: None,
        phone: Some("+16505551234".to_owned()),
        name: Some("Ann Lee".to_owned()),
    }
}

/// A webhook whose one change is this.
fn webhook(field: &str, value: Value) -> Value {
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": [{"field": field, "value": value}]}],
    })
}

/// The value of a change, with what every one of them has.
fn value(key: &str, items: Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
        "contacts": [{"profile": {"name": "Ann Lee"}, "wa_id": "16505551234"}],
    });
    value[key] = items;
    value
}

fn received(webhook: &Value) -> Vec<Incoming> {
    whatsapp().receive(webhook.to_string().as_bytes()).unwrap()
}

fn body_of(call: &Call) -> Value {
    serde_json::from_slice(&call.body).unwrap()
}

fn response<'a>(status: u16, body: &'a str, headers: &'a HeaderMap) -> VendorResponse<'a> {
    VendorResponse { status, headers, body: body.as_bytes() }
}
