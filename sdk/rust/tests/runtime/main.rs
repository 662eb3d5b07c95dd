//! The client against a server that says what a test wants it to say.

mod events;
mod lists;
mod retries;
mod server;

use frontdesk::types::{ContactPatch, DealStatus, NewText, ToPhone};
use frontdesk::{Client, Error, ErrorCode, Upload, Uuid};

use self::server::{Reply, Server, json, refused};

const ID: Uuid = Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_b302_099a_8057);
const TAG: &str = r##"{"id":"01890a5d-ac96-774b-bcce-b302099a8057","name":"vip","color":"#2563eb",
    "created_at":"2026-01-31T09:30:00.000Z","updated_at":"2026-01-31T09:30:00.000Z"}"##;

fn tag() -> Reply {
    json(200, &format!(r#"{{"data":{TAG}}}"#))
}

#[tokio::test]
async fn a_request_is_sent_as_the_api_reads_it() {
    let server = Server::start([tag(), refused(422, "unprocessable")]);
    let client = server.client();
    let change = ContactPatch::new().name("Zoë").company(None);
    let _ = client.contacts().update(ID, change).header("x-trace", "7").await;
    let text = NewText::new(ToPhone::new("+4915100004820").country("DE"), "Hello");
    let _ = client.messages().send(text).await;

    let requests = server.requests();
    assert_eq!(requests[0].method, "PATCH");
    assert_eq!(requests[0].target, "/api/v1/contacts/01890a5d-ac96-774b-bcce-b302099a8057");
    assert_eq!(requests[0].body, r#"{"company":null,"name":"Zoë"}"#);
    assert_eq!(requests[0].header("authorization"), Some("Bearer frontdesk_live_secret"));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert_eq!(requests[0].header("x-trace"), Some("7"));
    assert_eq!(requests[0].header("idempotency-key"), None);
    assert!(requests[0].header("user-agent").unwrap().starts_with("frontdesk-rust/"));
    let wanted = r#"{"type":"text","to":{"phone":"+4915100004820","country":"DE"},"text":"Hello"}"#;
    assert_eq!(requests[1].body, wanted);
    assert!(requests[1].header("idempotency-key").is_some());
}

#[tokio::test]
async fn a_refusal_tells_what_is_wrong() {
    let body = r#"{"error":{"code":"conflict","message":"Use that contact.","request_id":"req_7","reason":"taken",
        "details":[{"path":"phone","message":"belongs to a contact","contact_id":"c1"}]}}"#;
    let server = Server::start([json(409, body), json(418, "<html>"), refused(400, "too_odd")]);
    let client = server.client();

    let error = client.contacts().get(ID).await.unwrap_err();
    assert_eq!((error.code(), error.reason()), (Some(&ErrorCode::Conflict), Some("taken")));
    assert_eq!(error.request_id(), Some("req_7"));
    let refusal = error.api().unwrap();
    assert_eq!(refusal.details[0].more["contact_id"], "c1");
    assert_eq!(
        error.to_string(),
        "Use that contact. (409 conflict, taken, request req_7); phone belongs to a contact"
    );

    let error = client.contacts().get(ID).await.unwrap_err();
    let refusal = error.api().unwrap();
    assert_eq!((refusal.status().as_u16(), &refusal.code), (418, &ErrorCode::BadRequest));
    assert_eq!(refusal.response.body(), "<html>");

    let error = client.contacts().get(ID).await.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::Unknown("too_odd".to_owned())));
}

#[tokio::test]
async fn a_response_and_the_budget_are_at_hand() {
    let reply = tag()
        .with("x-ratelimit-limit", "60")
        .with("x-ratelimit-remaining", "58")
        .with("x-ratelimit-reset", "1767225600")
        .with("x-request-id", "req_9")
        .with("idempotent-replayed", "true")
        .with("frontdesk-ignored-fields", "colour, a.b");
    let server = Server::start([reply.clone(), reply]);
    let client = server.client();
    assert_eq!(client.rate_limit(), None);
    let response = client.tags().create(frontdesk::types::NewTag::new("vip")).response().await.unwrap();
    assert_eq!((response.data.name.as_str(), response.raw.status().as_u16()), ("vip", 200));
    assert_eq!(response.raw.request_id(), Some("req_9"));
    assert!(response.raw.is_replayed());
    assert_eq!(response.raw.ignored_fields(), ["colour", "a.b"]);
    let left = client.rate_limit().unwrap();
    assert_eq!((left.limit, left.remaining, left.resets_at.unix_seconds()), (60, 58, 1_767_225_600));

    let raw = client.request("POST", "/api/v1/odd").query("a b", "c&d").json(&[1, 2]).send().await.unwrap();
    assert!(raw.body().starts_with(b"{\"data\""));
    let sent = server.requests().remove(1);
    assert_eq!((sent.target.as_str(), sent.body.as_str()), ("/api/v1/odd?a%20b=c%26d", "[1,2]"));
}

#[tokio::test]
async fn a_value_that_is_newer_than_the_crate_is_unknown() {
    let deal = r#"{"data":{"id":"01890a5d-ac96-774b-bcce-b302099a8057","title":"Chairs","value":1200.5,"currency":"EUR",
        "pipeline_id":"01890a5d-ac96-774b-bcce-b302099a8057","stage_id":"01890a5d-ac96-774b-bcce-b302099a8057",
        "contact_id":null,"owner_user_id":null,"status":"frozen","lost_reason":null,"expected_close_date":"2026-02-28",
        "closed_at":null,"created_at":"2026-01-31T09:30:00.000Z","updated_at":"2026-01-31T09:30:00.000Z",
        "melts_at":{"degrees":0}}}"#;
    let server = Server::start([json(200, deal)]);
    let deal = server.client().deals().get(ID).await.unwrap();
    assert_eq!(deal.status, DealStatus::Unknown("frozen".to_owned()));
    assert_eq!(deal.status.as_str(), "frozen");
    assert_eq!(deal.expected_close_date.unwrap().to_string(), "2026-02-28");
}

#[tokio::test]
async fn a_response_of_another_shape_is_an_error_that_has_it() {
    let server = Server::start([json(200, r#"{"data":{"name":7}}"#).with("x-request-id", "req_3")]);
    let error = server.client().contacts().get(ID).await.unwrap_err();
    assert_eq!(error.request_id(), Some("req_3"));
    let Error::Decode { response, .. } = error else { panic!("{error}") };
    assert_eq!(response.body(), r#"{"data":{"name":7}}"#);
}

#[tokio::test]
async fn the_key_follows_no_redirect() {
    let other = Server::start([tag()]);
    let server = Server::start([json(307, "").with("location", &format!("{}/api/v1/contacts", other.url()))]);
    let error = server.client().contacts().get(ID).await.unwrap_err();
    assert_eq!(error.api().unwrap().status().as_u16(), 307);
    assert_eq!((server.requests().len(), other.requests().len()), (1, 0));
}

#[tokio::test]
async fn a_file_is_uploaded_as_a_form() {
    let reply = r#"{"data":{"id":"01890a5d-ac96-774b-bcce-b302099a8057","url":"https://desk.example/media/A",
        "content_type":"text/plain","size":5}}"#;
    let limited = refused(429, "rate_limited").with("retry-after", "0");
    let server = Server::start([limited, json(201, reply)]);
    let upload = Upload::new("hello.txt", "hello").content_type("text/plain");
    let file = server.client().media().upload(upload).await.unwrap();
    assert_eq!(file.size, 5);
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!(first.body, second.body);
    let boundary = first.header("content-type").unwrap().split_once("boundary=").unwrap().1;
    let part =
        "Content-Disposition: form-data; name=\"file\"; filename=\"hello.txt\"\r\nContent-Type: text/plain";
    assert_eq!(first.body, format!("--{boundary}\r\n{part}\r\n\r\nhello\r\n--{boundary}--\r\n"));
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_sent() {
    for url in
        ["", "desk.example", "ftp://desk.example", "https://", "https://desk.example?a=b", "frontdesk_live_x"]
    {
        let error = Client::new(url, "frontdesk_live_x").unwrap_err();
        let text = error.to_string();
        assert!(text.contains("the address of the server") && !text.contains("live"), "{url}: {text}");
    }
    assert!(
        Client::new("https://desk.example/desk/", "frontdesk_live_x").is_ok() || cfg!(not(feature = "tls"))
    );
    let error = Client::new("http://desk.example", "two\nlines").unwrap_err();
    assert!(!error.to_string().contains("lines"), "{error}");
    let client = Client::new("http://desk.example", "frontdesk_live_secret").unwrap();
    assert!(!format!("{client:?} {:?}", client.contacts().get(ID)).contains("secret"));
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_an_error() {
    let server = Server::start([]);
    let error = server.client().contacts().get(ID).header("x-a", "1\r\nx-b: 2").await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let error = server.client().request("GET", "@elsewhere.example/").await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn the_readme_shows_the_example_that_is_run() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../../examples/send.rs");
    assert!(
        readme.contains(&format!("```rust,no_run\n{example}```")),
        "README.md does not show examples/send.rs"
    );
}
