use super::*;
use crate::types::EventData;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SENT: i64 = 1_767_225_600;
const BODY: &str = r#"{"event_id":"evt_01890a5dac96774bbcceb302099a8057","event_type":"webhook.test",
    "created_at":"2026-01-01T00:00:00.000Z","account_id":"01890a5d-ac96-774b-bcce-b302099a8057","api_version":"v1",
    "data":{"webhook":{}}}"#;

fn sign(secret: &str, id: &str, seconds: i64, body: &str) -> String {
    let key = STANDARD.decode(secret.strip_prefix(SECRET_PREFIX).unwrap()).unwrap();
    let mut signer = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    signer.update(format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(signer.finalize().into_bytes()))
}

fn headers(signature: &str) -> [(&'static str, String); 3] {
    [
        ("Webhook-Id", "evt_1".to_owned()),
        ("Webhook-Timestamp", SENT.to_string()),
        ("Webhook-Signature", signature.to_owned()),
    ]
}

fn read(headers: &(impl Headers + ?Sized), body: &str, after_seconds: i64) -> Result<Event, WebhookError> {
    unwrap_at(body.as_bytes(), headers, SECRET, Timestamp::from_unix_seconds(SENT + after_seconds))
}

#[test]
fn the_example_of_the_standard_is_accepted() {
    // From the libraries of Standard Webhooks.
    let headers = [
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    ];
    let now = Timestamp::from_unix_seconds(1_614_265_330);
    verify(br#"{"test": 2432232314}"#, &headers, SECRET, now).unwrap();
}

#[test]
fn an_event_is_returned_however_the_headers_are_kept() {
    let pairs = headers(&sign(SECRET, "evt_1", SENT, BODY));
    let map: HashMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut typed = HeaderMap::new();
    for (name, value) in &pairs {
        typed.insert(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    for event in [read(&pairs, BODY, 0), read(&map, BODY, 0), read(&typed, BODY, 0)] {
        assert_eq!(event.unwrap().event_id, "evt_01890a5dac96774bbcceb302099a8057");
    }
}

#[test]
fn one_of_several_signatures_is_enough() {
    let right = sign(SECRET, "evt_1", SENT, BODY);
    let other = sign("whsec_AAAA", "evt_1", SENT, BODY);
    assert!(read(&headers(&format!("{other} v2,abc v1a,x {right}")), BODY, 0).is_ok());
    assert!(matches!(read(&headers(&other), BODY, 0), Err(WebhookError::Signature)));
}

#[test]
fn nothing_else_is_accepted() {
    let right = sign(SECRET, "evt_1", SENT, BODY);
    assert!(matches!(read(&headers(&right), &BODY.replace("test", "tess"), 0), Err(WebhookError::Signature)));
    for wrong in ["", "v1,", "v1", &right.replace("v1,", "v2,"), &right[3..], "v1,!!!"] {
        assert!(matches!(read(&headers(wrong), BODY, 0), Err(WebhookError::Signature)), "{wrong}");
    }
    let [id, time, signature] = headers(&right);
    let other_id = [("webhook-id", "evt_2".to_owned()), time.clone(), signature.clone()];
    assert!(matches!(read(&other_id, BODY, 0), Err(WebhookError::Signature)));
    for (incomplete, name) in [
        ([time.clone(), signature.clone()], "webhook-id"),
        ([id.clone(), signature], "webhook-timestamp"),
        ([id, time], "webhook-signature"),
    ] {
        let refused = read(&incomplete, BODY, 0);
        assert!(matches!(refused, Err(WebhookError::MissingHeader(missing)) if missing == name));
    }
    for secret in ["", "whsec_", "whsec_!"] {
        let refused = unwrap(BODY.as_bytes(), &headers(&right), secret);
        assert!(matches!(refused, Err(WebhookError::Secret)), "{secret}");
    }
}

#[test]
fn an_old_webhook_is_refused() {
    let signed = headers(&sign(SECRET, "evt_1", SENT, BODY));
    for (after, is_accepted) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
        assert_eq!(read(&signed, BODY, after).is_ok(), is_accepted, "after {after} seconds");
    }
    let [id, _, signature] = headers("v1,");
    for time in ["soon", "", "9223372036854775807", "-9223372036854775808"] {
        let odd = [id.clone(), ("webhook-timestamp", time.to_owned()), signature.clone()];
        assert!(matches!(read(&odd, BODY, 0), Err(WebhookError::Timestamp)), "{time}");
    }
}

#[test]
fn what_is_newer_than_this_crate_is_unknown_and_no_error() {
    let newer = BODY.replace("webhook.test", "parcel.lost").replace(r#"{"webhook":{}}"#, r#"{"parcel":7}"#);
    let event = read(&headers(&sign(SECRET, "evt_1", SENT, &newer)), &newer, 0).unwrap();
    assert_eq!(event.event_type(), "parcel.lost");
    let EventData::Unknown { data, .. } = event.data else { panic!("it is unknown") };
    assert_eq!(data["parcel"], 7);
    // So is a known type whose content has another shape.
    let odd = BODY.replace("webhook.test", "contact.created");
    let event = read(&headers(&sign(SECRET, "evt_1", SENT, &odd)), &odd, 0).unwrap();
    assert_eq!(event.event_type(), "contact.created");
    assert!(matches!(event.data, EventData::Unknown { .. }));
    let none = r#"{"hello": true}"#;
    let refused = read(&headers(&sign(SECRET, "evt_1", SENT, none)), none, 0);
    assert!(matches!(refused, Err(WebhookError::NotAnEvent(_))));
}
