//! Subscriptions of browsers, and reports of what members look at, that nobody wrote.

use bytes::Bytes;
use frontdesk_fuzz::Target;
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::Value;

use super::device::{NewPushDevice, Target as PushTarget};
use crate::presence;

#[test]
fn fuzzed_subscriptions_have_keys_that_can_be_used() {
    let examples = [
        r#"{"endpoint":"https://push.example/x","p256dh":"BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI","auth":"FPssNDTKnInHVndSTdbKFw","kinds":["mentions"],"with_text":true,"language":"en"}"#,
        r#"{"endpoint":"https://push.example/x","p256dh":"BA","auth":"AA=="}"#,
    ];
    let words = ["endpoint", "p256dh", "auth", "kinds", "language", "http://127.0.0.1/", "=", "BIPUL12D", ""];
    Target::new("push subscription").examples(examples).words(words).bytes_max(16 << 10).run(|bytes| {
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return 0 };
        let new = NewPushDevice::read(Some(&value), &mut FieldPath::root(), &mut Problems::new());
        match new.map(|new| PushTarget::new(&new)) {
            Some(Ok(target)) => {
                assert!(target.keys().is_some() && target.endpoint.starts_with("http"));
                3
            }
            Some(Err(_)) => 2,
            None => 1,
        }
    });
}

#[test]
fn fuzzed_reports_of_presence_are_read_or_refused() {
    let example = r#"{"conversation_id":"01890a5d-ac96-774b-bcce-b302099a8057","typing":true}"#;
    Target::new("presence")
        .examples([example])
        .words(["conversation_id", "typing", "null"])
        .run(|bytes| presence::read(&Bytes::copy_from_slice(bytes)).is_ok());
}
