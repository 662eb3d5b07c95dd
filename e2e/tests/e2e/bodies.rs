//! What may be sent, and how what may not is refused.

use frontdesk_e2e::{App, Response, Wire, on_every_engine, on_sqlite};
use serde_json::json;

use crate::app_scene::Browser;

const BODY_BYTES_MAX: usize = 1 << 20;

on_every_engine! {
    blank_optional_text_is_none,
    a_replay_names_the_ignored_fields_again,
}

on_sqlite! {
    malformed_json_is_a_bad_request,
    a_body_that_is_not_an_object_fails_at_its_root,
    every_failure_of_a_body_is_named_at_once,
    a_body_may_be_a_mebibyte_and_no_more,
    a_body_without_a_length_is_held_to_the_same_limit,
    only_json_is_taken,
    a_call_that_takes_no_body_needs_no_content_type,
    fields_that_an_operation_does_not_know_are_named,
    the_dashboard_names_ignored_fields_too,
    names_of_ignored_fields_cannot_break_the_header,
}

fn malformed_json_is_a_bad_request(app: App) {
    let client = app.tenant().client;
    let deep = "[".repeat(100_000);
    let bodies: [&[u8]; 10] = [
        b"{",
        b"nonsense",
        b"{\"name\":}",
        b"{'name':'Ada'}",
        b"{\"name\":\"Ada\"} trailing",
        b"{\"name\":\"Ada\",}",
        b"{\"name\":\"\xff\xfe\"}",
        b"{\"name\":\"\\ud800\"}",
        b"\x00",
        deep.as_bytes(),
    ];
    for body in bodies {
        let response = client.post_text("/contacts", body);
        assert_eq!(response.status, 400, "{:?}", String::from_utf8_lossy(&body[..body.len().min(40)]));
        response.error("bad_request");
    }
    assert_eq!(client.post_text("/contacts", "").status, 400);
    assert_eq!(client.get("/contacts").expect(200).data(), &json!([]));
}

fn a_body_that_is_not_an_object_fails_at_its_root(app: App) {
    let client = app.tenant().client;
    for body in ["[]", "[{\"name\":\"Ada\"}]", "\"Ada\"", "1", "true", "null"] {
        let response = client.post_text("/contacts", body).expect(400);
        response.error("validation_error");
        response.details_at(&[""]);
    }
}

fn every_failure_of_a_body_is_named_at_once(app: App) {
    let client = app.tenant().client;
    let body = json!({ "name": 7, "phone": "not a number", "email": "nowhere", "tag_ids": ["vip", 4] });
    let response = client.post("/contacts", body).expect(400);
    response.error("validation_error");
    response.details_at(&["name", "phone", "email", "tag_ids.0", "tag_ids.1"]);
}

fn a_body_may_be_a_mebibyte_and_no_more(app: App) {
    let client = app.tenant().client;
    let start = "{\"name\":\"Ada\",\"padding\":\"";
    let body = |bytes: usize| format!("{start}{}\"}}", "x".repeat(bytes - start.len() - 2));
    client.post_text("/contacts", body(BODY_BYTES_MAX)).expect(201);
    for bytes in [BODY_BYTES_MAX + 1, 2 * BODY_BYTES_MAX] {
        let response = client.post_text("/contacts", body(bytes)).expect(413);
        response.error("bad_request");
    }
    client.get("/me").expect(200);
}

fn a_body_without_a_length_is_held_to_the_same_limit(app: App) {
    let secret = app.tenant().key.secret;
    let send = |body: &str| -> Response {
        let mut wire: Wire = app.wire();
        let head = format!(
            "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\
             Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        wire.send(head).unwrap();
        for chunk in body.as_bytes().chunks(64 * 1024) {
            let framed = [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
            // A server that has read enough may hang up, having said why.
            if wire.send(framed).is_err() {
                return wire.response();
            }
        }
        let _ = wire.send("0\r\n\r\n");
        wire.response()
    };
    send("{\"name\":\"Ada\"}").expect(201);
    let large = format!("{{\"name\":\"Ada\",\"padding\":\"{}\"}}", "x".repeat(BODY_BYTES_MAX));
    send(&large).expect(413).error("bad_request");
}

fn only_json_is_taken(app: App) {
    let client = app.tenant().client;
    let body: &[u8] = b"{\"name\":\"Ada\"}";
    for other in
        ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application", "json"]
    {
        let response = client.with("content-type", other).send("POST", "/contacts", Some(body)).expect(415);
        response.error("bad_request");
    }
    client.send("POST", "/contacts", Some(body)).expect(415).error("bad_request");
    for json in ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"] {
        client.with("content-type", json).send("POST", "/contacts", Some(body)).expect(201);
    }
}

fn a_call_that_takes_no_body_needs_no_content_type(app: App) {
    let client = app.tenant().client;
    let id = client.post("/contacts", json!({ "name": "Ada" })).expect(201).id();
    let path = format!("/contacts/{id}/opt-out");
    let response = client.send("PUT", &path, None).expect(200);
    assert_eq!(response.data()["opted_out"], true);
    assert_eq!(client.delete(&path).expect(200).data()["opted_out"], false);
}

fn blank_optional_text_is_none(app: App) {
    let client = app.tenant().client;
    let made = client.post("/contacts", json!({ "name": "Ada", "company": "  ", "email": "" })).expect(201);
    assert_eq!(made.data()["company"], json!(null));
    assert_eq!(made.data()["email"], json!(null));
    client.post("/contacts", json!({ "name": " ", "phone": "", "email": null })).expect(400);
}

const IGNORED: &str = "frontdesk-ignored-fields";

fn fields_that_an_operation_does_not_know_are_named(app: App) {
    let client = app.tenant().client;
    let hook = json!({ "url": "https://example.com/hook", "events": ["contact.created"] });
    let made = client.post("/webhooks", hook).expect(201);
    assert_eq!(made.header(IGNORED), Some("events"));

    let rules = json!([{ "field": "name", "op": "contains", "value": "a", "valu": "b" }]);
    let segment = client.post("/segments", json!({ "name": "A", "rules": rules, "match": "all" }));
    assert_eq!(segment.header(IGNORED), Some("rules.0.valu"), "{}", segment.text);

    // A body with problems, a duplicate and something missing name them too.
    let wrong = client.post("/contacts", json!({ "name": 7, "fone": "+14155550123" })).expect(400);
    assert_eq!(wrong.header(IGNORED), Some("fone"));
    let ann = json!({ "name": "Ann", "phone": "+14155550123", "address": { "citty": "Bonn" } });
    assert_eq!(client.post("/contacts", ann.clone()).expect(201).header(IGNORED), Some("address"));
    assert_eq!(client.post("/contacts", ann).expect(409).header(IGNORED), Some("address"));
    let nobody = "/contacts/01890a5d-ac96-774b-bcce-b302099a8057";
    assert_eq!(client.patch(nobody, json!({ "nam": "x" })).expect(404).header(IGNORED), Some("nam"));

    // The variant that its type names decides what is known.
    let text =
        json!({ "type": "text", "to": { "phone": "+14155550123", "name": "x" }, "text": "hi", "media": {} });
    assert_eq!(client.post("/messages", text).header(IGNORED), Some("to.name, media"));

    // Known fields, maps with keys of the account's own, and requests without a body have no such header.
    let fine = client.post("/contacts", json!({ "name": "Bob", "email": null })).expect(201);
    assert_eq!(fine.header(IGNORED), None);
    let field = client.post("/custom-fields", json!({ "name": "Size", "type": "text" }));
    let values = json!({ field.id(): "large" });
    let sized = client.patch(&format!("/contacts/{}", fine.id()), json!({ "custom_fields": values }));
    assert_eq!(sized.header(IGNORED), None, "{}", sized.text);
    assert_eq!(client.get("/contacts?nonsense=1").expect(200).header(IGNORED), None);
}

fn a_replay_names_the_ignored_fields_again(app: App) {
    let client = app.tenant().client.with("idempotency-key", "k");
    let body = json!({ "name": "Ann", "fone": "+14155550123" });
    let first = client.post("/contacts", body.clone()).expect(201);
    let again = client.post("/contacts", body).expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!((again.text.as_str(), again.header(IGNORED)), (first.text.as_str(), Some("fone")));
    // Nothing is read of a request whose key belongs to another one.
    let other = client.post("/contacts", json!({ "name": "Bob", "mail": "x" })).expect(422);
    assert_eq!(other.header(IGNORED), None);
}

fn the_dashboard_names_ignored_fields_too(app: App) {
    let body = json!({ "email": "nobody@example.com", "password": "wrong", "pasword": "x" });
    let response = Browser::new(&app).post("/session", body);
    assert_eq!((response.status, response.header(IGNORED)), (401, Some("pasword")));
}

fn names_of_ignored_fields_cannot_break_the_header(app: App) {
    let client = app.tenant().client;
    let odd = json!({ "name": "Ann", "a\r\nSet-Cookie: x=y": 1, "b, c.d": 2, "\u{e9}": 3 });
    let response = client.post("/contacts", odd).expect(201);
    assert_eq!(response.header(IGNORED), Some("a%0D%0ASet-Cookie%3A%20x%3Dy, b%2C%20c%2Ed, %C3%A9"));
    assert_eq!(response.header("set-cookie"), None);

    let mut many: serde_json::Map<String, serde_json::Value> =
        (0..40_000).map(|number| (format!("field_{number:05}"), json!(0))).collect();
    many.insert("name".into(), json!("Ann"));
    let response = client.post("/contacts", many.into()).expect(201);
    assert_eq!(response.header(IGNORED).unwrap().split(", ").count(), 20);
    let long = client.post("/contacts", json!({ "name": "Ann", "x".repeat(900_000): 1 })).expect(201);
    assert_eq!(long.header(IGNORED).unwrap().len(), 128);
}
