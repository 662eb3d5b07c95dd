//! How a number is linked.

use super::*;
use crate::call::Class;
use crate::incoming::SessionState;

#[test]
fn a_session_is_started_with_its_webhook() {
    let call = bridge().start_session("https://us.example/in");
    assert_eq!(
        (call.method.as_str(), call.url.as_str()),
        ("POST", "http://bridge.example:3000/api/sessions")
    );
    let mut body = json!({"name": "sales", "start": true, "config": {"webhooks": [{
        "url": "https://us.example/in",
        "events": ["message.any", "message.ack", "message.reaction", "session.status"],
        "hmac": {"key": "my-secret-key"},
    }]}});
    assert_eq!(serde_json::from_slice::<Value>(&call.body).unwrap(), body);

    let again = bridge().update_session("https://us.example/in");
    assert_eq!(
        (again.method.as_str(), again.url.as_str()),
        ("PUT", "http://bridge.example:3000/api/sessions/sales")
    );
    body.as_object_mut().unwrap().remove("start");
    assert_eq!(serde_json::from_slice::<Value>(&again.body).unwrap(), body);
}

#[test]
fn a_session_is_asked_about_paired_and_stopped() {
    let odd = Bridge { session: "a/b c".to_owned(), ..bridge() };
    assert_eq!(odd.session().url, "http://bridge.example:3000/api/sessions/a%2Fb%20c");
    assert_eq!(bridge().qr().url, "http://bridge.example:3000/api/sales/auth/qr?format=raw");
    let code = bridge().request_code("+1 213 213-2130");
    assert_eq!(code.url, "http://bridge.example:3000/api/sales/auth/request-code");
    assert_eq!(&code.body[..], br#"{"phoneNumber":"12132132130"}"#);
    let stop = bridge().stop_session();
    assert_eq!(
        (stop.method.as_str(), stop.url.as_str()),
        ("POST", "http://bridge.example:3000/api/sessions/sales/stop")
    );
}

#[test]
fn a_session_s_answers_are_read() {
    let session = |status, body: &str| answered(status, body, Bridge::session_read);
    assert_eq!(session(200, r#"{"name":"sales","status":"WORKING","me":{}}"#), Ok(SessionState::Working));
    assert_eq!(session(201, r#"{"status":"STARTING"}"#), Ok(SessionState::Starting));
    assert_eq!(session(404, r#"{"message":"Session not found"}"#).unwrap_err().class, Class::Channel);
    assert_eq!(session(200, "{}").unwrap_err().class, Class::Retry);

    let qr = answered(200, r#"{"value":"2@abc"}"#, Bridge::qr_read);
    assert_eq!(qr.as_deref(), Ok("2@abc"));
    let code = answered(200, r#"{"code":"ABCD-ABCD"}"#, Bridge::code_read);
    assert_eq!(code.as_deref(), Ok("ABCD-ABCD"));
    assert!(answered(200, "{}", Bridge::code_read).is_err());
}
