//! How much a visitor, an address and a server have of a web chat.

use frontdesk_e2e::{Answer, Engine, came_true, on_every_engine, wait_for_room_in_the_minute};
use serde_json::json;

use crate::inbox_scene::start;
use crate::shapes::NOTHING;
use crate::web_chat_scene::{Chat, Stream, Visitor, door};

on_every_engine! {
    an_address_that_arrives_too_often_is_told_when_to_come_back,
    a_visitor_who_says_too_much_is_told_when_to_come_back,
    a_visitor_who_looks_too_often_is_told_when_to_come_back,
    an_office_that_arrives_too_often_keeps_nobody_else_out,
    an_office_that_says_too_much_is_told_when_to_come_back,
    a_network_that_looks_too_often_is_told_when_to_come_back,
    a_server_full_of_streams_takes_no_other_until_one_ends,
}

const ORIGIN: &str = "https://shop.example";
const OFFICE: &str = "203.0.113.7";
const ELSEWHERE: &str = "203.0.113.8";

/// A chat behind a proxy, which tells where its visitors are.
fn behind_a_proxy(engine: Engine) -> Chat {
    Chat::of(start(engine).env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8"))
}

/// Demands a refusal that says when to come back.
#[track_caller]
fn is_too_much(answer: Answer) {
    let answer = answer.expect(429);
    answer.error("rate_limited");
    let wait: u64 = answer.header("retry-after").expect("when to come back").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
}

fn an_address_that_arrives_too_often_is_told_when_to_come_back(chat: Chat) {
    wait_for_room_in_the_minute(20);
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

fn a_visitor_who_says_too_much_is_told_when_to_come_back(chat: Chat) {
    wait_for_room_in_the_minute(20);
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

fn a_visitor_who_looks_too_often_is_told_when_to_come_back(chat: Chat) {
    wait_for_room_in_the_minute(20);
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

fn an_office_that_arrives_too_often_keeps_nobody_else_out(engine: Engine) {
    let chat = behind_a_proxy(engine);
    wait_for_room_in_the_minute(20);
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

fn an_office_that_says_too_much_is_told_when_to_come_back(engine: Engine) {
    let chat = behind_a_proxy(engine);
    let people: Vec<Visitor> = (0..5).map(|_| chat.visitor().at(OFFICE)).collect();
    let (last, talkers) = people.split_last().unwrap();
    wait_for_room_in_the_minute(30);
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

fn a_network_that_looks_too_often_is_told_when_to_come_back(engine: Engine) {
    let chat = behind_a_proxy(engine);
    // Each at an address of their own, of one network.
    let people: Vec<Visitor> =
        (1..=6).map(|number| chat.visitor().at(&format!("2001:db8:1:2::{number}"))).collect();
    let (last, onlookers) = people.split_last().unwrap();
    wait_for_room_in_the_minute(40);
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
    // A page that was closed is missed when something is told to it.
    drop(bobs);
    chat.replies(&conversation, "Are you there?");
    let is_open = |many: usize| {
        let metrics = chat.anybody().get("/metrics").expect(200).text;
        metrics.lines().any(|line| line == format!("frontdesk_web_chat_streams {many}"))
    };
    assert!(came_true(|| is_open(2)), "nobody missed the page that was closed");
    streams.push(chat.stream(&bob, None));
    assert!(is_open(3));
    knock(&ann).expect(503);
}
