//! What may be sent, and how what may not is refused.

use frontdesk_e2e::{App, Response, Wire, on_every_engine};
use serde_json::json;

const BODY_BYTES_MAX: usize = 1 << 20;

on_every_engine! {
    malformed_json_is_a_bad_request,
    a_body_that_is_not_an_object_fails_at_its_root,
    every_failure_of_a_body_is_named_at_once,
    a_body_may_be_a_mebibyte_and_no_more,
    a_body_without_a_length_is_held_to_the_same_limit,
    only_json_is_taken,
    a_call_that_takes_no_body_needs_no_content_type,
    blank_optional_text_is_none,
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
