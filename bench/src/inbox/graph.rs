//! The requests and responses between WhatsApp's Cloud API and the server, as bytes.

use std::fmt::Write as _;

use frontdesk_kernel::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::http;
use crate::people::Person;
use crate::relay::SinkBehavior;
use crate::site::Number;

pub(super) const NUMBER: Number<'static> =
    Number { id: "106540352242922", waba_id: "102290129340398", secret: "not much of a secret" };

/// The stand-in: it accepts every message and has no templates.
pub(crate) const STAND_IN: SinkBehavior = SinkBehavior { told_of, response: respond };

/// The same stand-in with one template.
pub(super) const TEMPLATES_STAND_IN: SinkBehavior = SinkBehavior { told_of, response: answer_with_template };

const TEMPLATES: &str = r#"{"data":[{"id":"1","name":"hello_world","language":"en_US","category":"UTILITY","status":"APPROVED","components":[{"type":"BODY","text":"Welcome! This message shows that you can send messages."}]}]}"#;

/// The text before the order number in every message.
const MARK: &str = "order no. ";
const DIGITS: usize = 10;

/// The text of a message from a customer.
pub(crate) fn question(number: u64) -> String {
    format!("Is {MARK}{number:0DIGITS$} on its way? It was to be here by noon.")
}

/// The text of a message to a customer.
pub(super) fn news(number: u64) -> String {
    format!("Your {MARK}{number:0DIGITS$} is on its way and will be with you by noon.")
}

/// WhatsApp's id of a message from a customer.
pub(super) fn name_of(number: u64) -> String {
    format!("wamid.in.{number:0DIGITS$}")
}

/// WhatsApp's id of a message that it has accepted.
pub(super) fn taken(turn: u64) -> String {
    format!("wamid.out.{turn:0DIGITS$}")
}

/// A signed webhook with one message.
pub(super) fn write_webhook(path: &str, from: &Person, number: u64, now: Timestamp, out: &mut Vec<u8>) {
    let (from, name, id, text) = (from.phone.digits(), &from.name, name_of(number), question(number));
    let (ours, waba, at) = (NUMBER.id, NUMBER.waba_id, now.millis() / 1000);
    let body = format!(
        r#"{{"object":"whatsapp_business_account","entry":[{{"id":"{waba}","changes":[{{"value":{{"messaging_product":"whatsapp","metadata":{{"display_phone_number":"15550783881","phone_number_id":"{ours}"}},"contacts":[{{"profile":{{"name":"{name}"}},"wa_id":"{from}"}}],"messages":[{{"from":"{from}","id":"{id}","timestamp":"{at}","text":{{"body":"{text}"}},"type":"text"}}]}},"field":"messages"}}]}}]}}"#
    );
    let proof = sign(NUMBER.secret, body.as_bytes());
    http::write_vouched(path, ("X-Hub-Signature-256: sha256=", &proof), &body, out);
}

/// The request in which the server hands over a message to a customer.
pub(super) fn write_send(number: u64, out: &mut Vec<u8>) {
    let (path, text) = (format!("/v25.0/{}/messages", NUMBER.id), news(number));
    let body = format!(
        r#"{{"biz_opaque_callback_data":"{number:036}","messaging_product":"whatsapp","recipient_type":"individual","text":{{"body":"{text}","preview_url":false}},"to":"15551234567","type":"text"}}"#
    );
    http::write_post(&path, "bench", &body, out);
}

fn sign(key: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(body);
    mac.finalize().into_bytes().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The order number in a message.
pub(crate) fn told_of(body: &[u8]) -> Option<u64> {
    let digits = after(body, MARK)?.get(..DIGITS)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The Graph API's response: a message's id and recipient, or the list of all templates.
fn respond(body: &[u8], turn: u64, out: &mut Vec<u8>) {
    let to = after(body, r#""to":""#).and_then(|rest| rest.split(|byte| *byte == b'"').next());
    let Some(to) = to.and_then(|to| std::str::from_utf8(to).ok()) else {
        return http::write_answer(r#"{"data":[]}"#, out);
    };
    let response = format!(
        r#"{{"messaging_product":"whatsapp","contacts":[{{"input":"{to}","wa_id":"{to}"}}],"messages":[{{"id":"{}"}}]}}"#,
        taken(turn)
    );
    http::write_answer(&response, out);
}

fn answer_with_template(body: &[u8], turn: u64, out: &mut Vec<u8>) {
    if body.is_empty() { http::write_answer(TEMPLATES, out) } else { respond(body, turn, out) }
}

fn after<'b>(body: &'b [u8], mark: &str) -> Option<&'b [u8]> {
    http::find(body, mark.as_bytes()).map(|at| &body[at + mark.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people;
    use serde_json::Value;

    #[test]
    fn a_webhook_is_what_the_product_reads_and_believes() {
        // RFC 4231, test case 2.
        let signature = sign("Jefe", b"what do ya want for nothing?");
        assert_eq!(signature, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let mut request = Vec::new();
        write_webhook(
            "/x",
            &people::newcomer(5),
            17,
            Timestamp::from_millis(1_700_000_000_999),
            &mut request,
        );
        let request = String::from_utf8(request).unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("sha256={}\r\n", sign(NUMBER.secret, body.as_bytes()))), "{head}");
        let body: Value = serde_json::from_str(body).unwrap();
        let message = &body["entry"][0]["changes"][0]["value"]["messages"][0];
        assert_eq!((&message["id"], &message["timestamp"]), (&name_of(17).into(), &"1700000000".into()));
    }

    #[test]
    fn the_stand_in_takes_messages_and_has_no_templates() {
        let body =
            format!(r#"{{"biz_opaque_callback_data":"x","text":{{"body":"{}"}},"to":"15551234"}}"#, news(42));
        assert_eq!(told_of(body.as_bytes()), Some(42));
        assert_eq!(told_of(question(43).as_bytes()), Some(43));
        assert_eq!(told_of(b""), None);
        let said = |body: &[u8]| {
            let mut out = Vec::new();
            respond(body, 7, &mut out);
            let text = String::from_utf8(out).unwrap();
            serde_json::from_str::<Value>(text.split_once("\r\n\r\n").unwrap().1).unwrap()
        };
        let taken = said(body.as_bytes());
        assert_eq!(
            (&taken["messages"][0]["id"], &taken["contacts"][0]["wa_id"]),
            (&super::taken(7).into(), &"15551234".into())
        );
        assert_eq!(said(b"")["data"], Value::Array(Vec::new()));
    }
}
