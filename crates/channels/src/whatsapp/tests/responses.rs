//! What the answers to our calls mean.

use std::time::Duration;

use super::*;
use crate::call::Class;

fn refused(status: u16, body: &str) -> Refusal {
    whatsapp().sent(&response(status, body, &HeaderMap::new())).unwrap_err()
}

fn error(code: i64) -> String {
    json!({"error": {
        "message": format!("(#{code}) Parameter of template does not match"), "type": "OAuthException", "code": code,
        "error_data": {"messaging_product": "whatsapp", "details": "told in detail"}, "fbtrace_id": "A",
    }})
    .to_string()
}

#[test]
fn an_accepted_message_has_the_channel_s_id() {
    let headers = HeaderMap::new();
    let accepted = |body: &str| whatsapp().sent(&response(200, body, &headers)).unwrap();
    let body = |wa_id: &str| {
        format!(
            r#"{{"messaging_product":"whatsapp","contacts":[{{"input":"+5511987654321","wa_id":"{wa_id}"}}],
            "messages":[{{"id":"wamid.1","message_status":"accepted"}}]}}"#
        )
    };
    let id = Some("wamid.1".to_owned());
    assert_eq!(accepted(&body("5511987654321")), Accepted { channel_message_id: id.clone(), person: None });
    let person = Some("551187654321".to_owned());
    assert_eq!(accepted(&body("551187654321")), Accepted { channel_message_id: id, person }, "another id");
    // It was taken, so it must not be sent again, whatever the body says.
    assert_eq!(accepted("<html>"), Accepted { channel_message_id: None, person: None });
}

#[test]
fn every_code_of_the_table_has_its_class_and_its_word() {
    let mut table: Vec<(Class, &str, Vec<i64>)> = vec![
        (Class::Retry, "rate_limited", vec![4, 17, 80007, 130_429]),
        (Class::Retry, "temporary", vec![2, 131_000, 131_016, 131_057]),
        (Class::RetryPerson, "rate_limited", vec![131_056]),
        (Class::RetryOnce, "media_unavailable", vec![131_052, 131_053]),
        (Class::RetryOnce, "bad_request", vec![135_000]),
        (
            Class::Recipient,
            "recipient_unreachable",
            vec![131_026, 131_021, 131_030, 131_051, 130_472, 131_062, 131_049],
        ),
        (Class::OptedOut, "opted_out", vec![131_050]),
        (Class::OutsideWindow, "outside_window", vec![131_047]),
        (
            Class::Request,
            "bad_request",
            vec![100, 131_008, 131_009, 132_000, 132_001, 132_005, 132_007, 132_008, 132_012],
        ),
        (Class::Template, "template_stopped", vec![132_015, 132_016, 132_068, 132_069, 131_063, 131_064]),
        (Class::Token, "token_invalid", vec![0, 190]),
        (
            Class::Channel,
            "channel_stopped",
            vec![3, 10, 131_005, 131_031, 131_037, 131_042, 131_045, 131_048, 368, 130_497],
        ),
    ];
    table.push((Class::Channel, "channel_stopped", (200..=299).collect()));
    for (class, reason, codes) in table {
        for code in codes {
            let refusal = refused(400, &error(code));
            assert_eq!((refusal.class, refusal.reason), (class, reason), "{code}");
            assert_eq!((refusal.code, refusal.message.as_str()), (code.to_string(), "told in detail"));
        }
    }
}

#[test]
fn a_code_that_is_not_known_is_permanent_unless_it_says_otherwise() {
    assert_eq!(refused(400, &error(999_999)).class, Class::Request);
    assert_eq!(refused(503, &error(999_999)).class, Class::Retry);
    let transient = r#"{"error":{"message":"m","code":999999,"is_transient":true}}"#;
    assert_eq!(refused(400, transient).class, Class::Retry);
}

#[test]
fn without_a_readable_body_the_status_decides() {
    for (status, class, reason) in [
        (500, Class::Retry, "temporary"),
        (503, Class::Retry, "temporary"),
        (429, Class::Retry, "rate_limited"),
        (401, Class::Token, "token_invalid"),
        (400, Class::Request, "bad_request"),
        (404, Class::Request, "bad_request"),
    ] {
        for body in ["", "<html>", "{}", r#"{"error":"text"}"#] {
            let refusal = refused(status, body);
            assert_eq!((refusal.class, refusal.reason), (class, reason), "{status} {body}");
            assert_eq!(refusal.code, format!("http_{status}"));
        }
    }
    assert_eq!(refused(401, &error(999_999)).class, Class::Token);
    assert_eq!(refused(200, &error(132_000)).class, Class::Request, "an error is one whatever its status");
}

#[test]
fn the_wait_that_is_asked_for_is_told() {
    let wait = |value: &str| {
        let headers = HeaderMap::from_iter([(http::header::RETRY_AFTER, value.parse().unwrap())]);
        whatsapp().sent(&response(429, "", &headers)).unwrap_err().retry_after
    };
    assert_eq!(wait("30"), Some(Duration::from_secs(30)));
    assert_eq!(wait(&u64::MAX.to_string()), Some(Duration::from_hours(24)), "no longer than a day");
    assert_eq!(wait("Wed, 21 Oct 2026 07:28:00 GMT"), None);
}

#[test]
fn templates_are_asked_for_page_by_page() {
    let first = whatsapp().templates(None);
    let start = "https://graph.example/v23.0/102290129340398/message_templates?limit=100&fields=id%2Cname%2C";
    assert!(first.url.starts_with(start), "{}", first.url);
    assert!(!first.url.contains("after"));
    assert!(whatsapp().templates(Some("a b&c")).url.ends_with("&after=a%20b%26c"));
}

#[test]
fn a_page_of_templates_is_read() {
    let headers = HeaderMap::new();
    let listed = |body: &Value| whatsapp().templates_listed(&response(200, &body.to_string(), &headers));
    let components = json!([{"type": "BODY", "text": "Hi {{name}}"}]);
    let mut body = json!({
        "data": [
            {"id": "1", "name": "a", "language": "en_US", "category": "UTILITY", "status": "APPROVED",
             "parameter_format": "NAMED", "components": components},
            {"id": "2", "name": "b", "language": "de", "category": "MARKETING", "status": "WHO_KNOWS"},
            {"id": "3"},
        ],
        "paging": {"cursors": {"before": "x", "after": "y"}, "next": "https://graph.example/…"},
    });
    let page = listed(&body).unwrap();
    assert_eq!(page.after.as_deref(), Some("y"));
    let [a, b] = page.templates.as_slice() else { panic!("{page:?}") };
    assert_eq!((a.name.as_str(), a.status.as_str(), a.named), ("a", "APPROVED", true));
    assert_eq!((a.channel_template_id.as_deref(), &a.components), (Some("1"), &components));
    assert_eq!(
        (b.name.as_str(), b.status.as_str(), b.named, &b.components),
        ("b", "DISABLED", false, &json!([]))
    );

    body["paging"].as_object_mut().unwrap().remove("next");
    assert_eq!(listed(&body).unwrap().after, None, "the last page has a cursor too");
    assert_eq!(listed(&Value::Null).unwrap_err().class, Class::Retry);
    assert_eq!(
        whatsapp().templates_listed(&response(400, &error(190), &headers)).unwrap_err().class,
        Class::Token
    );
}

#[test]
fn the_address_is_proved_and_bodies_are_checked() {
    let query = "hub.mode=subscribe&hub.verify_token=verify&hub.challenge=42";
    assert_eq!(whatsapp().challenge(query).as_deref(), Some("42"));
    assert_eq!(whatsapp().challenge(&query.replace("=verify", "=other")), None);
    assert!(!whatsapp().is_genuine(&HeaderMap::new(), b"{}"));
}
