//! The stream of a web chat: told as it is said, and nothing left out however often it breaks off.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Stopwatch, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbox_scene::{id, reply};
use crate::shapes::text;
use crate::web_chat_scene::{Chat, Heard, Stream, Visitor, texts};

on_every_engine! {
    a_stream_is_framed_as_browsers_read_it,
    a_streamed_message_is_marked_as_delivered,
    a_stream_continues_where_another_broke_off,
    a_stream_continues_after_a_restart,
    a_long_thread_is_caught_up_with,
    every_stream_of_a_visitor_gets_messages_and_no_other_does,
    one_stream_too_many_takes_the_place_of_the_oldest,
    an_idle_stream_is_kept_alive,
    a_stream_ends_after_an_hour_and_another_goes_on,
    a_server_that_ends_lets_go_of_its_streams,
}

on_shared_stores! {
    a_stream_sends_messages_from_another_server,
}

#[track_caller]
fn words(heard: &[Heard]) -> Vec<&str> {
    heard.iter().map(|(_, message)| text(&message["text"])).collect()
}

fn a_stream_is_framed_as_browsers_read_it(chat: Chat) {
    let ann = chat.visitor();
    // Opened before anything was said.
    let mut stream = chat.stream(&ann, None);
    for (name, value) in [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-store"),
        ("access-control-allow-origin", "*"),
        ("x-accel-buffering", "no"),
        ("transfer-encoding", "chunked"),
    ] {
        assert_eq!(stream.head.header(name), Some(value), "{name}");
    }
    assert!(stream.head.header("content-encoding").is_none());
    assert_eq!(stream.frame().unwrap(), "retry: 3000");
    let said = ann.tells(json!({ "text": "a\r\n\ndata: b\u{2028}c\rd\n\nid: 1", "client_id": "x" }));
    let frame = stream.frame().unwrap();
    let lines: Vec<&str> = frame.split(['\n', '\r']).collect();
    let [id_line, event_line, data_line] = lines[..] else { panic!("{frame}") };
    assert_eq!((id_line, event_line), (format!("id: {}", id(&said)).as_str(), "event: message"));
    let data: Value = serde_json::from_str(data_line.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(data, said);
    assert_eq!(ann.sees(), [said]);
    // The token may also come in the usual header.
    let mut wire = chat.app.wire();
    let path = chat.path("stream");
    let asked = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\r\n", ann.token);
    wire.send(asked).unwrap();
    wire.begun().expect(200);
}

fn a_streamed_message_is_marked_as_delivered(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut stream = chat.stream(&ann, None);
    assert_eq!(stream.hears().1["text"], "Hello!");
    let response = chat.replies(&conversation, "Welcome!");
    let (event, heard) = stream.hears();
    assert_eq!((event.as_str(), &heard["direction"]), (id(&response), &json!("outbound")));
    chat.becomes(&response, "delivered");
    let media = json!({ "kind": "document", "url": "https://files.example/a.pdf", "filename": "a.pdf" });
    let sheet =
        chat.sends(json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media }));
    let (_, heard) = stream.hears();
    assert_eq!(
        (&heard["id"], &heard["type"], &heard["media_url"]),
        (&sheet["id"], &json!("document"), &json!("https://files.example/a.pdf"))
    );
    chat.becomes(&sheet, "delivered");
    ann.post("read", json!({ "message_id": sheet["id"] })).expect(200);
    for message in [&response, &sheet] {
        assert_eq!(chat.message(&message["id"])["status"], "read");
        let told = chat.events("message.status_changed");
        let about = told.iter().filter(|data| data["message"]["id"] == message["id"]);
        let statuses: Vec<&str> = about.map(|data| text(&data["message"]["status"])).collect();
        // A stream may be quicker than the sender, which then has nothing to tell.
        assert!(
            statuses == ["sent", "delivered", "read"] || statuses == ["delivered", "read"],
            "{statuses:?}"
        );
    }
}

/// Demands that what was heard before and after a break is everything, and that what came twice is the same.
#[track_caller]
fn is_everything(visitor: &Visitor, heard: &[Heard]) {
    let all = visitor.sees();
    let known: BTreeSet<&str> = heard.iter().map(|(event, _)| event.as_str()).collect();
    let wanted: BTreeSet<&str> = all.iter().map(id).collect();
    assert_eq!(known, wanted);
    for (event, message) in heard {
        assert_eq!(event, id(message));
        assert!(all.contains(message), "{message}");
    }
}

fn a_stream_continues_where_another_broke_off(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut heard = Vec::new();
    for round in 0..4 {
        let last = heard.last().map(|(event, _): &Heard| event.clone());
        let mut stream = chat.stream(&ann, last.as_deref());
        let lasting = format!("{round}, while it lasts");
        chat.replies(&conversation, &lasting);
        let told = stream.hears_up_to(&lasting);
        let ids: BTreeSet<&String> = told.iter().map(|(event, _)| event).collect();
        assert_eq!(ids.len(), told.len(), "one stream told something twice: {told:?}");
        heard.extend(told);
        drop(stream);
        ann.says(&format!("{round}, in between"));
        chat.replies(&conversation, &format!("{round}, in between as well"));
    }
    let last = heard.last().map(|(event, _)| event.clone());
    heard.extend(chat.stream(&ann, last.as_deref()).hears_up_to("3, in between as well"));
    is_everything(&ann, &heard);
    // A page that knows the last message may name it in the address; the header is the later one.
    let all = ann.sees();
    let path = |after: &Value| chat.path(&format!("stream?token={}&after={}", ann.token, id(after)));
    chat.advance(60);
    chat.replies(&conversation, "Much later");
    let told = chat.stream_by(&path(&all[0]), None).hears_up_to("Much later");
    assert_eq!(told.len(), all.len(), "{:?}", words(&told));
    let told = chat.stream(&ann, None).hears_up_to("Much later");
    let latest = told.last().unwrap().0.clone();
    chat.advance(60);
    chat.replies(&conversation, "At last");
    let told = chat.stream_by(&path(&all[0]), Some(&latest)).hears_up_to("At last");
    assert_eq!(words(&told), ["At last"]);
    // What is no id is as good as none.
    let told = chat.stream(&ann, Some("nonsense")).hears_up_to("At last");
    assert_eq!(told.len(), all.len() + 2);
}

fn a_stream_continues_after_a_restart(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut stream = chat.stream(&ann, None);
    let mut heard = stream.hears_up_to("Hello!");
    chat.app.kill();
    drop(stream);
    chat.app.restart();
    let message = chat.replies(&conversation, "Back again");
    let last = heard.last().map(|(event, _)| event.clone());
    let mut stream = chat.stream(&ann, last.as_deref());
    heard.extend(stream.hears_up_to("Back again"));
    is_everything(&ann, &heard);
    chat.becomes(&message, "delivered");
}

fn a_long_thread_is_caught_up_with(chat: Chat) {
    let (ann, conversation) = chat.met();
    let first = ann.sees().remove(0);
    for number in 0..120 {
        chat.replies(&conversation, &format!("{number:03}"));
    }
    // The latest to whoever has nothing, all of them to whoever has some.
    let told = chat.stream(&ann, None).hears_up_to("119");
    assert_eq!((words(&told)[0], told.len()), ("070", 50));
    let told = chat.stream(&ann, Some(id(&first))).hears_up_to("119");
    let wanted: Vec<String> = (0..120).map(|number| format!("{number:03}")).collect();
    assert_eq!(words(&told), wanted);
}

fn every_stream_of_a_visitor_gets_messages_and_no_other_does(chat: Chat) {
    let ((ann, conversation), (bob, other)) = (chat.met(), chat.met());
    let mut streams: Vec<Stream> = (0..4).map(|_| chat.stream(&ann, None)).collect();
    let mut elsewhere = chat.stream(&bob, None);
    chat.replies(&conversation, "For Ann");
    ann.says("From Ann");
    for stream in &mut streams {
        assert_eq!(words(&stream.hears_up_to("From Ann")), ["Hello!", "For Ann", "From Ann"]);
    }
    chat.replies(&other, "For Bob");
    assert_eq!(words(&elsewhere.hears_up_to("For Bob")), ["Hello!", "For Bob"]);
    // One that is closed takes no other with it.
    streams.remove(0);
    chat.replies(&conversation, "Still here");
    for stream in &mut streams {
        assert_eq!(stream.hears().1["text"], "Still here");
    }
    assert_eq!(texts(&ann.sees()).len(), 4);
}

fn one_stream_too_many_takes_the_place_of_the_oldest(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut streams: Vec<Stream> = (0..7).map(|_| chat.stream(&ann, None)).collect();
    let told = streams.remove(0).ends();
    assert_eq!(told.last().map(String::as_str), Some("retry: 60000"), "{told:?}");
    chat.replies(&conversation, "Six of you");
    for stream in &mut streams {
        stream.hears_up_to("Six of you");
    }
}

fn an_idle_stream_is_kept_alive(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut stream = chat.stream(&ann, None);
    stream.hears_up_to("Hello!");
    let (begun, watch) = (Instant::now(), Stopwatch::start());
    // A comment, which browsers pass over.
    assert_eq!(stream.frame().as_deref(), Some(": ping"));
    let (taken, counted) = (begun.elapsed(), watch.elapsed());
    assert!(taken > Duration::from_secs(1) && counted < Duration::from_secs(20), "it took {taken:?}");
    chat.replies(&conversation, "Still there?");
    assert_eq!(stream.hears().1["text"], "Still there?");
}

fn a_stream_ends_after_an_hour_and_another_goes_on(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut stream = chat.stream(&ann, None);
    stream.hears_up_to("Hello!");
    chat.advance(50 * 60);
    chat.replies(&conversation, "Not yet");
    let (last, _) = stream.hears_up_to("Not yet").remove(0);
    chat.advance(10 * 60);
    let told = stream.ends();
    assert!(told.iter().all(|frame| frame == ": ping"), "{told:?}");
    chat.replies(&conversation, "In between");
    let mut another = chat.stream(&ann, Some(&last));
    assert_eq!(another.frame().as_deref(), Some("retry: 3000"));
    another.hears_up_to("In between");
    // It has an hour of its own.
    chat.advance(50 * 60);
    chat.replies(&conversation, "Still here");
    another.hears_up_to("Still here");
}

fn a_server_that_ends_lets_go_of_its_streams(chat: Chat) {
    let ((ann, _), (bob, _)) = (chat.met(), chat.met());
    let mut streams = [chat.stream(&ann, None), chat.stream(&ann, None), chat.stream(&bob, None)];
    for stream in &mut streams {
        stream.hears_up_to("Hello!");
    }
    let begun = Stopwatch::start();
    let status = chat.app.stop();
    let taken = begun.elapsed();
    assert!(status.success(), "{status}: {}", chat.app.logs());
    assert!(taken < Duration::from_secs(7), "it took {taken:?}");
    for stream in streams {
        assert_eq!(stream.ends(), [""; 0]);
    }
    assert!(!chat.app.logs().contains("did not finish"), "{}", chat.app.logs());
}

fn a_stream_sends_messages_from_another_server(chat: Chat) {
    let (ann, conversation) = chat.met();
    let second = chat.app.second_server();
    let mut stream = chat.stream(&ann, None);
    stream.hears_up_to("Hello!");
    let there = chat.anybody().at(&second).with_key(&ann.token);
    there.post(&chat.path("messages"), json!({ "text": "From another page" })).expect(201);
    chat.client.at(&second).post("/messages", reply(&conversation, "From another desk")).expect(201);
    let told = stream.hears_up_to("From another desk");
    assert_eq!(words(&told), ["From another page", "From another desk"]);
}
