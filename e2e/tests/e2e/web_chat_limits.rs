//! How much a visitor, an address and a server have of a web chat.

use std::time::Duration;

use frontdesk_e2e::{Engine, Response, came_true, came_true_within, on_every_engine, on_sqlite};
use serde_json::json;

use crate::inbox_scene::start;
use crate::shapes::NOTHING;
use crate::web_chat_scene::{Chat, Stream, Visitor, door};

on_every_engine! {
    alone an_address_that_creates_too_many_visitors_gets_retry_after,
    alone a_visitor_who_writes_too_often_gets_retry_after,
    alone a_visitor_who_reads_too_often_gets_retry_after,
    alone an_office_that_creates_too_many_visitors_blocks_no_other_address,
    alone an_office_that_writes_too_often_gets_retry_after,
    alone a_network_that_reads_too_often_gets_retry_after,
    alone a_server_full_of_streams_takes_no_other_until_one_ends,
    alone an_address_has_only_its_share_of_the_streams,
}

// The deadline is the server's alone, and waiting for it takes half a minute.
on_sqlite! {
    a_visitor_who_does_not_read_loses_the_stream,
}

/// A closed stream is free at once. On a busy machine, the test is slower than the server.
const SOON: Duration = Duration::from_secs(10);
const ORIGIN: &str = "https://shop.example";
const OFFICE: &str = "203.0.113.7";
const ELSEWHERE: &str = "203.0.113.8";

/// A chat behind a proxy, which tells where its visitors are.
fn behind_a_proxy(engine: Engine) -> Chat {
    Chat::of(start(engine).env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8"))
}

/// Demands a refusal that says when to come back.
#[track_caller]
fn is_too_much(response: Response) {
    let response = response.expect(429);
    response.error("rate_limited");
    let wait: u64 = response.header("retry-after").expect("when to come back").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
}

fn an_address_that_creates_too_many_visitors_gets_retry_after(chat: Chat) {
    chat.app.begin_minute();
    let early = chat.visitor();
    for _ in 1..30 {
        chat.visitor();
    }
    is_too_much(chat.anybody().post(&chat.path("visitors"), json!({})));
    // Another chat on the same server counts as well; whoever is here may go on.
    let other = chat.connect("web_chat");
    is_too_much(chat.anybody().with("origin", ORIGIN).post(&door(&other, "visitors"), json!({})));
    early.says("Hello!");
    chat.advance(60);
    chat.visitor();
}

fn a_visitor_who_writes_too_often_gets_retry_after(chat: Chat) {
    chat.app.begin_minute();
    let (ann, bob) = (chat.visitor(), chat.visitor());
    for number in 0..30 {
        ann.says(&number.to_string());
    }
    is_too_much(ann.post("messages", json!({ "text": "One more" })));
    bob.says("Hello!");
    assert_eq!(ann.sees().len(), 30);
    chat.advance(60);
    ann.says("One more");
}

fn a_visitor_who_reads_too_often_gets_retry_after(chat: Chat) {
    chat.app.begin_minute();
    let (ann, bob) = (chat.visitor(), chat.visitor());
    for _ in 0..120 {
        ann.get("messages").expect(200);
    }
    is_too_much(ann.get("messages"));
    is_too_much(ann.get("stream"));
    is_too_much(ann.post("read", json!({ "message_id": NOTHING })));
    bob.get("messages").expect(200);
    ann.says("I can still speak");
}

fn an_office_that_creates_too_many_visitors_blocks_no_other_address(engine: Engine) {
    let chat = behind_a_proxy(engine);
    chat.app.begin_minute();
    let arrives = |address: &str| {
        chat.anybody().with("x-forwarded-for", address).post(&chat.path("visitors"), json!({}))
    };
    for _ in 0..30 {
        arrives(OFFICE).expect(201);
    }
    is_too_much(arrives(OFFICE));
    // What the visitor wrote there themselves is not believed.
    is_too_much(arrives(&format!("{ELSEWHERE}, {OFFICE}")));
    arrives(ELSEWHERE).expect(201);
    // Whoever's address is not told is counted, too, with the others of whom that is so.
    for _ in 0..30 {
        chat.visitor();
    }
    is_too_much(chat.anybody().post(&chat.path("visitors"), json!({})));
    arrives(ELSEWHERE).expect(201);
}

fn an_office_that_writes_too_often_gets_retry_after(engine: Engine) {
    let chat = behind_a_proxy(engine);
    let people: Vec<Visitor> = (0..5).map(|_| chat.visitor().at(OFFICE)).collect();
    let (last, talkers) = people.split_last().unwrap();
    chat.app.begin_minute();
    for talker in talkers {
        for number in 0..30 {
            talker.says(&number.to_string());
        }
    }
    // Each of the talkers had what is theirs; the last one has said nothing yet.
    is_too_much(last.post("messages", json!({ "text": "May I?" })));
    assert_eq!(last.sees().len(), 0);
    last.at(ELSEWHERE).says("From home");
    chat.advance(60);
    last.says("Now I may");
}

fn a_network_that_reads_too_often_gets_retry_after(engine: Engine) {
    let chat = behind_a_proxy(engine);
    // Each at an address of their own, of one network.
    let people: Vec<Visitor> =
        (1..=6).map(|number| chat.visitor().at(&format!("2001:db8:1:2::{number}"))).collect();
    let (last, onlookers) = people.split_last().unwrap();
    chat.app.begin_minute();
    for onlooker in onlookers {
        for _ in 0..120 {
            onlooker.get("messages").expect(200);
        }
    }
    is_too_much(last.get("messages"));
    is_too_much(last.get("stream"));
    is_too_much(last.post("read", json!({ "message_id": NOTHING })));
    last.says("I can still speak");
    last.at("2001:db8:1:3::6").get("messages").expect(200);
    chat.advance(60);
    last.get("messages").expect(200);
}

fn a_server_full_of_streams_takes_no_other_until_one_ends(engine: Engine) {
    let chat = Chat::of(start(engine).env("FRONTDESK_CHAT_STREAMS", "3"));
    let ((ann, _), (bob, conversation)) = (chat.met(), chat.met());
    let mut streams: Vec<Stream> = vec![chat.stream(&ann, None), chat.stream(&ann, None)];
    let mut bobs = chat.stream(&bob, None);
    bobs.hears_up_to("Hello!");
    let page = chat.anybody().with("origin", ORIGIN);
    let knock = |visitor: &Visitor| page.get(&chat.path(&format!("stream?token={}", visitor.token)));
    for visitor in [&ann, &bob, &chat.visitor()] {
        let refused = knock(visitor).expect(503);
        refused.error("internal");
        assert_eq!(refused.header("retry-after"), Some("30"));
        // A page can read it.
        assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    }
    // Whoever has a seat keeps it, and everybody may still talk and look.
    chat.replies(&conversation, "Welcome!");
    bobs.hears_up_to("Welcome!");
    assert_eq!(bob.sees().len(), 2);
    ann.says("Is there room?");
    for stream in &mut streams {
        stream.hears_up_to("Is there room?");
    }
    // The stream of a page that was closed is free at once.
    drop(bobs);
    assert!(came_true_within(SOON, || streams_open(&chat) == 2), "nobody missed the page that was closed");
    streams.push(chat.stream(&bob, None));
    assert_eq!(streams_open(&chat), 3);
    knock(&ann).expect(503);
}

/// The streams that the server has open.
#[track_caller]
fn streams_open(chat: &Chat) -> usize {
    let metrics = chat.anybody().get("/metrics").expect(200).text;
    let open = metrics.lines().find_map(|line| line.strip_prefix("frontdesk_web_chat_streams "));
    open.map_or(0, |open| open.parse().expect("a number"))
}

fn an_address_has_only_its_share_of_the_streams(engine: Engine) {
    let proxy = start(engine).env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8");
    let chat = Chat::of(proxy.env("FRONTDESK_CHAT_STREAMS_PER_ADDRESS", "3"));
    // Each with a token of their own, at addresses of one network.
    let network: Vec<Visitor> =
        (1..=4).map(|number| chat.visitor().at(&format!("2001:db8:1:2::{number}"))).collect();
    let knock = |visitor: &Visitor, address: &str| {
        let mut wire = chat.app.wire();
        let (path, token) = (&visitor.path, &visitor.token);
        let head = format!("GET {path}stream?token={token} HTTP/1.1\r\nHost: a\r\n");
        wire.send(format!("{head}X-Forwarded-For: {address}\r\n\r\n")).expect("the server reads");
        (wire.begun(), wire)
    };
    let mut open = Vec::new();
    for visitor in &network[1..] {
        let (head, wire) = knock(visitor, "2001:db8:1:2::9");
        head.expect(200);
        open.push(wire);
    }
    let refused = network[0].get(&format!("stream?token={}", network[0].token)).expect(429);
    refused.error("rate_limited");
    assert_eq!(refused.header("retry-after"), Some("30"));
    // Everybody else has theirs, and the address has its own again once one is closed.
    knock(&network[0], "2001:db8:1:3::1").0.expect(200);
    knock(&network[0], OFFICE).0.expect(200);
    network[0].get("messages").expect(200);
    drop(open);
    let is_free = || knock(&network[0], "2001:db8:1:2::1").0.status == 200;
    assert!(came_true_within(SOON, is_free), "nobody missed the pages that were closed");
}

fn a_visitor_who_does_not_read_loses_the_stream(chat: Chat) {
    // More than the buffers between a server and a client hold.
    const MESSAGES: usize = 400;
    let (ann, conversation) = chat.met();
    let first = ann.sees()[0]["id"].as_str().expect("an id").to_owned();
    let long = "\u{1f600}".repeat(4_000);
    for _ in 0..MESSAGES {
        chat.replies(&conversation, &long);
    }
    let _unread = chat.stream(&ann, Some(&first));
    assert_eq!(streams_open(&chat), 1);
    let is_cut = || streams_open(&chat) == 0;
    assert!(came_true(is_cut), "it keeps the stream");
}
