//! What comes with messages: fetched in the background, kept, and served at links that are the only way to it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{Engine, Reply, Response, Sink, at_once, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, Inbox, TestConnection, events, fresh, messages, start};
use crate::shapes::text;
use crate::webhooks_scene::{DAY, PRIVATE_TARGETS};

on_every_engine! {
    media_is_fetched_and_served_as_it_was_sent,
    large_media_comes_whole,
    media_that_is_too_large_is_not_kept,
    a_vendor_that_fails_for_a_while_is_asked_again,
    a_vendor_that_never_works_is_given_up,
    media_that_the_vendor_lost_is_not_found,
    a_link_is_good_for_a_day_and_a_new_one_is_given_out,
    a_link_cannot_be_made_up,
    media_from_customers_is_never_executed,
    an_address_that_a_user_chose_is_not_trusted,
    a_fetch_that_a_dead_server_began_is_taken_up,
    a_server_that_is_asked_to_end_leaves_its_fetches_to_the_next,
    a_link_is_for_reading_only,
    duplicates_at_once_are_fetched_once,
    a_slow_download_delays_no_other,
}

on_shared_stores! {
    any_server_serves_what_another_fetched,
}

/// Bytes in no order that a gap or a repetition would leave unnoticed.
fn bytes(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A customer sends media, by way of the vendor: the message.
#[track_caller]
fn send(inbox: &Inbox, connection: &TestConnection, media: Value) -> Value {
    let path = format!("/sandbox/customers/{ANN}/messages");
    let said = json!({ "connection_id": connection.id, "media": media });
    inbox.vendors.calls().post(&path, said).expect(200);
    inbox.last()
}

#[track_caller]
fn send_bytes(
    inbox: &Inbox,
    connection: &TestConnection,
    kind: &str,
    content_type: &str,
    bytes: &[u8],
) -> Value {
    let encoded = STANDARD.encode(bytes);
    send(inbox, connection, json!({ "kind": kind, "base64": encoded, "content_type": content_type }))
}

/// The path of a message's media on whichever server.
#[track_caller]
fn link(message: &Value) -> String {
    let url = text(&message["media_url"]);
    let at = url.find("/media/").unwrap_or_else(|| panic!("no link to media: {url}"));
    url[at..].to_owned()
}

#[track_caller]
fn open(inbox: &Inbox, link: &str) -> Response {
    inbox.app.anonymous().vendors().get(link)
}

/// What a link opens, once it has been fetched.
#[track_caller]
fn fetched(inbox: &Inbox, message: &Value) -> Response {
    let link = link(message);
    assert!(came_true(|| open(inbox, &link).status != 503), "it was never fetched");
    open(inbox, &link)
}

fn media_is_fetched_and_served_as_it_was_sent(inbox: Inbox) {
    let line = inbox.whatsapp();
    for (kind, stored, content_type) in [
        ("image", "image", "image/png"),
        ("sticker", "image", "image/webp"),
        ("video", "video", "video/mp4"),
        ("voice", "audio", "audio/ogg; codecs=opus"),
        ("document", "document", "application/pdf"),
    ] {
        let content = bytes(1000 + kind.len());
        let message = send_bytes(&inbox, &line, kind, content_type, &content);
        assert_eq!(message["type"], stored);
        let response = fetched(&inbox, &message).expect(200);
        assert_eq!(
            (response.header("content-type"), &response.body),
            (Some(content_type), &content),
            "{kind}"
        );
        assert_eq!(response.header("content-length"), Some(content.len().to_string().as_str()));
        assert!(text(&message["media_url"]).starts_with(&inbox.app.base()), "{message}");
    }
    let named = send(&inbox, &line, json!({ "kind": "document", "filename": "Report \"7\"\r\n.pdf" }));
    let response = fetched(&inbox, &named).expect(200);
    assert_eq!(response.header("content-disposition"), Some("attachment; filename=\"Report 7.pdf\""));
    let empty = send_bytes(&inbox, &line, "document", "text/plain", b"");
    assert!(fetched(&inbox, &empty).expect(200).body.is_empty());
}

fn large_media_comes_whole(inbox: Inbox) {
    let connection = inbox.whatsapp();
    // Around the size of a piece, and several pieces.
    for length in [(512 << 10) - 1, 512 << 10, (512 << 10) + 1, (7 << 20) + 12_345] {
        let content = bytes(length);
        let message = send_bytes(&inbox, &connection, "document", "application/zip", &content);
        let response = fetched(&inbox, &message).expect(200);
        assert_eq!(response.body.len(), length);
        assert!(response.body == content, "the bytes are others");
    }
}

fn media_that_is_too_large_is_not_kept(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let sink = Sink::start();
    for (kind, most) in [("image", 5 << 20), ("audio", 16 << 20)] {
        for (extra, status) in [(0, 200), (1, 404)] {
            let path = format!("/{kind}-{extra}");
            sink.respond(&path, Reply::status(200).body(vec![7; most + extra]));
            let media = json!({ "kind": kind, "url": sink.url(&path), "content_type": "image/png" });
            let response = fetched(&inbox, &send(&inbox, &connection, media)).expect(status);
            if status == 404 {
                let error = response.error("not_found");
                assert!(text(&error["message"]).contains("too large"), "{error}");
            } else {
                assert_eq!(response.body.len(), most);
            }
        }
    }
}

fn a_vendor_that_fails_for_a_while_is_asked_again(inbox: Inbox) {
    let connection = inbox.whatsapp();
    // First where it is, then the thing itself, then the connection.
    inbox.vendors.faults(json!([
        { "on": "media", "kind": "status", "status": 500, "times": 1 },
        { "on": "media", "kind": "error", "code": 131_016, "times": 1 },
        { "on": "media", "kind": "cut", "times": 1 },
        { "on": "media", "kind": "delay", "millis": 1, "times": 1 },
        { "on": "media", "kind": "status", "status": 503, "times": 1 },
    ]));
    let content = bytes(5000);
    let message = send_bytes(&inbox, &connection, "image", "image/png", &content);
    let link = link(&message);
    for (left, pause) in [(4, 11), (3, 21), (2, 41), (0, 81)] {
        assert!(came_true(|| inbox.vendors.faults_left() <= left));
        inbox.advance(0);
        let response = open(&inbox, &link).expect(503);
        let said = text(&response.json["error"]["message"]);
        assert!(said.contains("still being fetched") && said.contains("Retry-After"), "{said}");
        assert!(response.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()));
        inbox.advance(pause);
    }
    assert_eq!(open(&inbox, &link).expect(200).body, content);
}

fn a_vendor_that_never_works_is_given_up(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.faults(json!([{ "on": "media", "kind": "status", "status": 500 }]));
    let message = send_bytes(&inbox, &connection, "image", "image/png", b"never");
    inbox.advance(0);
    for pause in [11, 21, 41, 81, 161] {
        open(&inbox, &link(&message)).expect(503);
        inbox.advance(pause);
    }
    open(&inbox, &link(&message)).expect(404).error("not_found");
    inbox.vendors.faults(json!([]));
    inbox.advance(3600);
    open(&inbox, &link(&message)).expect(404);
    // The message itself is there all the same.
    assert_eq!(inbox.read(text(&message["id"]))["type"], "image");
}

fn media_that_the_vendor_lost_is_not_found(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let said =
        inbox.message(ANN, &fresh("gone"), "image", json!({ "id": "404404", "mime_type": "image/png" }));
    inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    fetched(&inbox, &inbox.last()).expect(404).error("not_found");
    let sink = Sink::start();
    sink.respond("/gone", Reply::status(410));
    let media = json!({ "kind": "image", "url": sink.url("/gone"), "content_type": "image/png" });
    fetched(&inbox, &send(&inbox, &connection, media)).expect(404);
    assert_eq!(sink.count("/gone"), 1);
}

fn a_link_is_good_for_a_day_and_a_new_one_is_given_out(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let message = send_bytes(&inbox, &connection, "image", "image/png", b"hello");
    fetched(&inbox, &message).expect(200);
    let (id, old) = (text(&message["id"]), link(&message));
    inbox.advance(DAY - 60);
    assert_eq!(open(&inbox, &old).expect(200).body, b"hello");
    inbox.advance(DAY);
    open(&inbox, &old).expect(404).error("not_found");
    let again = inbox.read(id);
    assert_ne!(link(&again), old);
    assert_eq!(open(&inbox, &link(&again)).expect(200).body, b"hello");
    // A link that was made before a restart is as good after it.
    inbox.app.restart();
    assert_eq!(open(&inbox, &link(&again)).expect(200).body, b"hello");
}

fn a_link_cannot_be_made_up(inbox: Inbox) {
    let line = inbox.whatsapp();
    let first = link(&send_bytes(&inbox, &line, "image", "image/png", b"one"));
    let second = send_bytes(&inbox, &line, "image", "image/png", b"two");
    fetched(&inbox, &second).expect(200);
    let second = link(&second);
    let token = second.strip_prefix("/media/").unwrap();
    for at in [0, 7, 15, 21, 25, 31, 40, token.len() - 1] {
        let mut altered = token.as_bytes().to_vec();
        altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
        open(&inbox, &format!("/media/{}", String::from_utf8(altered).unwrap()))
            .expect(404)
            .error("not_found");
    }
    // One link's name with the other's signature.
    let other = first.strip_prefix("/media/").unwrap();
    open(&inbox, &format!("/media/{}{}", &other[..24], &token[24..])).expect(404);
    for wrong in
        ["", "x", &token[1..], &token[..token.len() - 1], &format!("{token}A"), &format!("{token}/x")]
    {
        open(&inbox, &format!("/media/{wrong}")).expect(404);
    }
    // Who has the link has all it takes: a key, anybody's, neither opens nor closes it.
    let stranger = inbox.app.tenant().client.vendors();
    assert_eq!(stranger.get(&second).expect(200).body, b"two");
    assert_eq!(inbox.app.anonymous().with_key("wrong").vendors().get(&second).expect(200).body, b"two");
}

fn media_from_customers_is_never_executed(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let page = b"<script>alert(1)</script>";
    for content_type in ["text/html", "image/svg+xml", "application/xhtml+xml"] {
        let message = send_bytes(&inbox, &connection, "document", content_type, page);
        let response = fetched(&inbox, &message).expect(200);
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let policy = response.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
        assert!(!policy.contains("allow-scripts"), "{policy}");
    }
}

fn an_address_that_a_user_chose_is_not_trusted(engine: Engine) {
    let sink = Sink::start();
    sink.respond("/a.png", Reply::status(200).header("Content-Type", "image/png").body("inside"));
    let attachment = json!({ "type": "image", "payload": { "url": sink.url("/a.png") } });
    let attached = |inbox: &Inbox, connection: &TestConnection| {
        let told = json!({
            "sender": { "id": "7001" }, "recipient": { "id": connection.page_id() }, "timestamp": inbox.vendors.now(),
            "message": { "mid": fresh("m"), "attachments": [attachment] },
        });
        inbox.tell(connection, &events(connection, &[told])).expect(200);
        inbox.last()
    };
    // An attachment's address comes from outside: it does not lead into our own network.
    let inbox = Inbox::of(start(engine));
    let message = attached(&inbox, &inbox.page("messenger"));
    inbox.advance(0);
    assert!(matches!(open(&inbox, &link(&message)).status, 404 | 503));
    assert_eq!(sink.count("/a.png"), 0, "it was fetched from an address inside");
    drop(inbox);
    let inbox = Inbox::of(start(engine).env(PRIVATE_TARGETS, "true"));
    let response = fetched(&inbox, &attached(&inbox, &inbox.page("messenger"))).expect(200);
    assert_eq!(
        (response.header("content-type"), response.body.as_slice()),
        (Some("image/png"), &b"inside"[..])
    );
    // The page's token is not shown to whoever serves it.
    assert!(!sink.at("/a.png")[0].headers.contains_key("authorization"));
}

fn a_fetch_that_a_dead_server_began_is_taken_up(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let sink = Sink::start();
    sink.answer_in_turn("/slow", [Reply::status(200).held()], Reply::status(200).body("at last"));
    let media = json!({ "kind": "image", "url": sink.url("/slow"), "content_type": "image/png" });
    let message = send(&inbox, &connection, media);
    sink.wait("/slow", 1);
    inbox.app.kill();
    inbox.app.restart();
    let response = fetched(&inbox, &inbox.read(text(&message["id"]))).expect(200);
    assert_eq!(response.body, b"at last");
    assert_eq!(sink.count("/slow"), 2);
}

fn a_server_that_is_asked_to_end_leaves_its_fetches_to_the_next(inbox: Inbox) {
    // Interrupted more often than a fetch may fail.
    const ENDS: usize = 7;
    let connection = inbox.whatsapp();
    let sink = Sink::start();
    let held = std::iter::repeat_with(|| Reply::status(200).held()).take(ENDS);
    sink.answer_in_turn("/slow", held, Reply::status(200).body("at last"));
    let media = json!({ "kind": "image", "url": sink.url("/slow"), "content_type": "image/png" });
    let message = send(&inbox, &connection, media);
    for end in 1..=ENDS {
        sink.wait("/slow", end);
        assert!(inbox.app.stop().success());
        inbox.app.restart();
    }
    let response = fetched(&inbox, &inbox.read(text(&message["id"]))).expect(200);
    assert_eq!(response.body, b"at last");
    assert_eq!(sink.count("/slow"), ENDS + 1);
}

fn a_slow_download_delays_no_other(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let sink = Sink::start();
    sink.respond("/slow", Reply::status(200).held());
    sink.respond("/quick", Reply::status(200).body("here"));
    let media = |path: &str| json!({ "kind": "image", "url": sink.url(path), "content_type": "image/png" });
    let slow = send(&inbox, &connection, media("/slow"));
    sink.wait("/slow", 1);
    // One after the other: each would wait for the batch of the one before.
    for _ in 0..2 {
        let quick = send(&inbox, &connection, media("/quick"));
        assert_eq!(fetched(&inbox, &quick).expect(200).body, b"here");
    }
    assert_eq!(open(&inbox, &link(&slow)).status, 503, "the slow one is still under way");
    sink.release();
    fetched(&inbox, &slow).expect(200);
}

fn a_link_is_for_reading_only(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let message = send_bytes(&inbox, &connection, "image", "image/png", &bytes(700_000));
    let whole = fetched(&inbox, &message).expect(200);
    let link = link(&message);
    let caller = inbox.app.anonymous().vendors();
    let head = caller.send("HEAD", &link, None).expect(200);
    assert!(head.body.is_empty());
    for name in [
        "content-type",
        "content-length",
        "x-content-type-options",
        "content-security-policy",
        "cache-control",
    ] {
        assert_eq!(head.header(name), whole.header(name), "{name}");
        assert!(head.header(name).is_some(), "{name}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        let response = caller.send(method, &link, None).expect(405);
        assert_eq!(response.header("allow"), Some("GET, HEAD"));
    }
}

fn duplicates_at_once_are_fetched_once(engine: Engine) {
    const MESSAGES: usize = 12;
    let inbox = Inbox::of(start(engine).env(PRIVATE_TARGETS, "true"));
    let connection = inbox.page("messenger");
    let sink = Sink::start();
    let told = |message: Value| {
        let (sender, recipient) = (json!({ "id": "7001" }), json!({ "id": connection.page_id() }));
        let at = inbox.vendors.now();
        events(
            &connection,
            &[json!({ "sender": sender, "recipient": recipient, "timestamp": at, "message": message })],
        )
    };
    inbox.tell(&connection, &told(json!({ "mid": fresh("m"), "text": "Look" }))).expect(200);
    for number in 0..MESSAGES {
        let path = format!("/{number}.png");
        sink.respond(&path, Reply::status(200).header("Content-Type", "image/png").body("one"));
        let attachment = json!({ "type": "image", "payload": { "url": sink.url(&path) } });
        let body = told(json!({ "mid": fresh("m"), "attachments": [attachment] }));
        at_once(6, |_| drop(inbox.tell(&connection, &body).expect(200)));
    }
    inbox.advance(0);
    assert_eq!(inbox.all().len(), MESSAGES + 1);
    for number in 0..MESSAGES {
        assert_eq!(sink.count(&format!("/{number}.png")), 1, "message {number}");
    }
}

fn any_server_serves_what_another_fetched(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    let second = inbox.app.second_server();
    let connection = inbox.whatsapp();
    let content = bytes(1_500_000);
    let message = send_bytes(&inbox, &connection, "document", "application/pdf", &content);
    fetched(&inbox, &message).expect(200);
    let there = inbox.app.anonymous().at(&second).vendors().get(&link(&message)).expect(200);
    assert!(there.body == content, "the bytes are others");
}
