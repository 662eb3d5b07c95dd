use super::*;
use uuid::Uuid;

fn rendered(failure: &Failure) -> (u16, Value) {
    let reply = failure.render(&RequestId::from_uuid(Uuid::from_u128(7)));
    (reply.status.as_u16(), serde_json::from_slice(&reply.body).unwrap())
}

#[test]
fn statuses_and_codes_are_those_of_the_specification() {
    for (failure, status, code) in [
        (Failure::bad_request("x"), 400, "bad_request"),
        (Failure::validation(Problems::one("name", "is required")), 400, "validation_error"),
        (Failure::unauthorized(), 401, "unauthorized"),
        (Failure::plan_limit("contacts", 5), 402, "plan_limit_reached"),
        (Failure::forbidden("scope", "x"), 403, "forbidden"),
        (Failure::suspended(), 403, "account_suspended"),
        (Failure::not_found("x"), 404, "not_found"),
        (Failure::method_not_allowed("GET"), 405, "bad_request"),
        (Failure::request_timeout(), 408, "bad_request"),
        (Failure::conflict("x"), 409, "conflict"),
        (Failure::too_large(1), 413, "bad_request"),
        (Failure::unsupported_media_type(), 415, "bad_request"),
        (Failure::unprocessable("outside_window", "x"), 422, "unprocessable"),
        (Failure::channel_not_connected("x"), 422, "channel_not_connected"),
        (Failure::rate_limited("x", 3), 429, "rate_limited"),
        (Failure::internal(), 500, "internal"),
        (Failure::busy(1), 503, "internal"),
        (Failure::not_yet("Wait.", 1), 503, "internal"),
    ] {
        let (sent, body) = rendered(&failure);
        assert_eq!((sent, body["error"]["code"].as_str()), (status, Some(code)), "{failure}");
        assert_eq!(body["error"]["request_id"], "req_00000000000000000000000000000007");
        assert!(!body["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn reason_and_details_are_left_out_when_there_are_none() {
    let (_, body) = rendered(&Failure::bad_request("x"));
    let keys: Vec<_> = body["error"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["code", "message", "request_id"]);
}

#[test]
fn details_carry_paths_limits_and_what_is_added() {
    let (_, body) = rendered(&Failure::validation(Problems::one("a.0", "must be a string")));
    assert_eq!(body["error"]["details"], json!([{ "path": "a.0", "message": "must be a string" }]));
    let (_, body) = rendered(&Failure::plan_limit("contacts", 5));
    assert_eq!(body["error"]["details"], json!([{ "limit": 5, "resource": "contacts" }]));
    let (_, body) = rendered(&Failure::conflict("x").detail(json!({ "contact_id": "c" })));
    assert_eq!(body["error"]["details"], json!([{ "contact_id": "c" }]));
    let (_, body) = rendered(&Failure::forbidden("scope", "x"));
    assert_eq!(body["error"]["reason"], "scope");
}

#[test]
fn headers_tell_when_to_retry_and_what_is_allowed() {
    let id = RequestId::from_uuid(Uuid::nil());
    let headers = |failure: Failure| failure.render(&id).headers;
    assert_eq!(headers(Failure::rate_limited("x", 31)), [(RETRY_AFTER, HeaderValue::from(31))]);
    assert_eq!(headers(Failure::busy(2)), [(RETRY_AFTER, HeaderValue::from(2))]);
    assert_eq!(
        headers(Failure::method_not_allowed("GET, HEAD")),
        [(ALLOW, HeaderValue::from_static("GET, HEAD"))]
    );
    assert!(headers(Failure::internal()).is_empty());
}

#[test]
fn a_stored_answer_is_sent_as_it_was() {
    let reply = Reply::new(StatusCode::CREATED, "{\"data\":1}");
    let failure = Failure::stored(reply.clone()).detail(json!(1));
    assert_eq!(failure.render(&RequestId::from_uuid(Uuid::nil())), reply);
    assert_eq!(failure.status(), StatusCode::CREATED);
    assert!(failure.is_stored());
}

#[test]
fn a_failure_is_one_word_wide() {
    assert_eq!(size_of::<Failure>(), size_of::<usize>());
}
