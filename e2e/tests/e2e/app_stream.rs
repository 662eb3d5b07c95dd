//! Live events: resumable without gap and without repetition, filtered by what the listener may see.

use std::collections::HashSet;
use std::time::Duration;

use frontdesk_e2e::{App, Response, Stopwatch, Wire, at_once, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, account, cookie, member};
use crate::inbox_scene::{ANN, Inbox, id};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, text};

on_every_engine! {
    a_member_hears_of_what_happens,
    a_stream_goes_on_where_it_was_without_gap_or_repetition,
    an_event_that_is_written_while_a_stream_opens_is_sent,
    an_event_that_is_not_known_resets_the_listener,
    a_member_gets_the_row_of_a_conversation_before_its_last_event,
    a_member_hears_what_the_role_may_see,
    a_stream_is_for_those_who_may_listen,
    a_stream_ends_with_its_session,
    a_changed_role_holds_in_an_open_stream,
    the_stream_of_a_removed_member_ends_at_once,
    members_see_who_looks_at_a_conversation,
    members_hear_of_a_reaction_and_of_its_removal,
    a_program_hears_of_everything,
    a_server_that_ends_lets_its_streams_go,
}

on_shared_stores! {
    what_another_server_writes_is_heard,
    a_reaction_at_another_server_is_heard,
}

/// A stream as a browser reads it.
pub(crate) struct Stream {
    wire: Wire,
    unread: String,
}

/// The name, the id and the data of an event.
pub(crate) type Told = (String, String, Value);

impl Stream {
    #[track_caller]
    pub(crate) fn open(wire: Wire, path: &str, headers: &str) -> Self {
        let (stream, head) = Self::ask(wire, path, headers);
        let head = head.expect(200);
        assert_eq!(head.header("content-type"), Some("text/event-stream; charset=utf-8"));
        stream
    }

    #[track_caller]
    fn ask(mut wire: Wire, path: &str, headers: &str) -> (Self, Response) {
        wire.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n")).expect("the server reads");
        let head = wire.begun();
        (Self { wire, unread: String::new() }, head)
    }

    /// The next event; none when the stream has ended. Notices may come at any time: a server that has just connected to its
    /// database does not know what it has missed.
    #[track_caller]
    fn next(&mut self) -> Option<Told> {
        std::iter::from_fn(|| self.next_or_notice())
            .find(|(name, ..)| !matches!(name.as_str(), "changed" | "thread"))
    }

    /// The next event or notice; none when the stream has ended.
    #[track_caller]
    fn next_or_notice(&mut self) -> Option<Told> {
        loop {
            while let Some((frame, rest)) = self.unread.split_once("\n\n") {
                let part =
                    |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                let told = (part("event: "), part("id: ").unwrap_or_default(), part("data: "));
                self.unread = rest.to_owned();
                if let (Some(name), id, Some(data)) = told {
                    return Some((name, id, serde_json::from_str(&data).expect("JSON")));
                }
            }
            let chunk = self.wire.chunk().unwrap_or_else(|error| panic!("the stream broke off: {error}"));
            if chunk.is_empty() {
                return None;
            }
            self.unread.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    /// Events up to the first of this name.
    #[track_caller]
    pub(crate) fn up_to(&mut self, name: &str) -> Vec<Told> {
        let mut told = Vec::new();
        while told.last().is_none_or(|(last, ..): &Told| last != name) {
            told.push(self.next_or_notice().expect("it ended"));
        }
        told
    }
}

/// The cookie of a member who has just signed in.
#[track_caller]
pub(crate) fn cookie_of(app: &App, email: &str) -> String {
    cookie(&Browser::new(app).try_sign_in(email, PASSWORD).expect(200))
}

/// A member's stream, after this event if one is given.
#[track_caller]
pub(crate) fn listen(app: &App, cookie: &str, last: Option<&str>) -> Stream {
    let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
    Stream::open(app.wire(), "/app/api/stream", &format!("Cookie: {cookie}\r\n{last}"))
}

fn a_member_hears_of_what_happens(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    inbox.hears(ANN, "Before.");
    let mut stream = listen(&inbox.app, &cookie_of(&inbox.app, "mia@example.com"), None);
    let conversation = inbox.hears(ANN, "Hello!");
    // On PostgreSQL a transaction of another test can hold streams back, so the earlier message may come first.
    let mut told = stream.up_to("message.received");
    if told.last().expect("an event").2["data"]["message"]["text"] == "Before." {
        told = stream.up_to("message.received");
    }
    let (_, event, data) = told.last().expect("an event");
    assert_eq!(data["data"]["message"]["text"], "Hello!");
    assert_eq!(data["data"]["message"]["conversation_id"], conversation["id"]);
    // It is the envelope of GET /events, to the letter.
    let listed = walk(&inbox.client, "/events?event_type=message.received");
    assert_eq!(listed[0], *data);
    assert_eq!(data["event_id"], event.as_str());
}

fn a_member_gets_the_row_of_a_conversation_before_its_last_event(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let cookie = cookie_of(&inbox.app, "mia@example.com");
    let headers = format!("Authorization: Bearer {}\r\n", inbox.tenant.key.secret);
    let mut program = Stream::open(inbox.app.wire(), "/api/v1/events/stream", &headers);
    let mut stream = listen(&inbox.app, &cookie, None);
    let conversation = inbox.hears(ANN, "Hello!");
    let told = stream.up_to("message.received");
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    let row = browser.get(&format!("/inbox/{}", id(&conversation))).expect(200);
    let (last, earlier) = told.split_last().expect("events");
    assert_eq!(last.2["data"]["message"]["conversation_id"], conversation["id"]);
    // The events of a batch share one row, which is not an event itself: it has no id to continue from.
    let (_, event_id, sent) =
        earlier.iter().rfind(|(name, ..)| name == "inbox_row").expect("a row before the event");
    assert_eq!((event_id.as_str(), sent), ("", row.data()));
    assert!(program.up_to("message.received").iter().all(|(name, ..)| name != "inbox_row"));
}

fn a_stream_goes_on_where_it_was_without_gap_or_repetition(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let cookie = cookie_of(&app, OWNER);
    let mut stream = listen(&app, &cookie, None);
    add(&client, json!({ "name": "First" }));
    let (mut last, mut heard) = (String::new(), Vec::new());
    let mut hear = |stream: &mut Stream, heard: &mut Vec<String>, count: usize| {
        while heard.len() < count {
            let (name, id, _) = stream.next().expect("it ended");
            assert_eq!(name, "contact.created");
            heard.push(id.clone());
            last = id;
        }
        last.clone()
    };
    let at = hear(&mut stream, &mut heard, 1);
    drop(stream);
    // More than a batch, by many at once, while nobody listens.
    at_once(8, |number| {
        for _ in 0..40 {
            add(&client, json!({ "name": format!("Row {number}") }));
        }
    });
    let mut stream = listen(&app, &cookie, Some(&at));
    at_once(4, |_| drop(add(&client, json!({ "name": "Live" }))));
    hear(&mut stream, &mut heard, 1 + 320 + 4);
    let distinct: HashSet<&String> = heard.iter().collect();
    assert_eq!(distinct.len(), heard.len(), "an event came twice");
    let listed: HashSet<String> = walk(&client, "/events?event_type=contact.created")
        .iter()
        .map(|event| text(&event["event_id"]).to_owned())
        .collect();
    assert_eq!(listed, heard.iter().cloned().collect());
}

/// The event may be written after the stream's own first read and before that of the task that reads for all streams.
fn an_event_that_is_written_while_a_stream_opens_is_sent(app: App) {
    const STREAMS: usize = 40;
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let cookie = cookie_of(&app, OWNER);
    let mut stream = listen(&app, &cookie, None);
    add(&client, json!({ "name": "First" }));
    let mut at = stream.next().expect("an event").1;
    for number in 0..STREAMS {
        drop(stream);
        stream = std::thread::scope(|scope| {
            scope.spawn(|| drop(add(&client, json!({ "name": format!("Row {number}") }))));
            listen(&app, &cookie, Some(&at))
        });
        let (name, id, event) = stream.next().expect("an event");
        assert_eq!(
            (name.as_str(), &event["data"]["contact"]["name"]),
            ("contact.created", &json!(format!("Row {number}")))
        );
        at = id;
    }
}

fn an_event_that_is_not_known_resets_the_listener(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let cookie = cookie_of(&app, OWNER);
    let mut stream = listen(&app, &cookie, None);
    add(&client, json!({ "name": "Ann" }));
    // On PostgreSQL a transaction of another test can hold streams back, so wait until streams see the event.
    let newest = stream.next().expect("an event").1;
    assert_eq!(client.get("/events").expect(200).data()[0]["event_id"], newest.as_str());
    let unknown = format!("evt_{}", NOTHING.replace('-', ""));
    let mut stream = listen(&app, &cookie, Some(&unknown));
    assert_eq!(stream.next(), Some(("reset".to_owned(), newest.clone(), json!({}))));
    // Another account's event is unknown as well.
    let other = app.tenant().client;
    add(&other, json!({ "name": "Bob" }));
    let theirs = text(&other.get("/events").expect(200).data()[0]["event_id"]).to_owned();
    let mut stream = listen(&app, &cookie, Some(&theirs));
    assert_eq!(stream.next().expect("an event").0, "reset");
    let headers = format!("Cookie: {cookie}\r\nLast-Event-ID: nonsense\r\n");
    Stream::ask(app.wire(), "/app/api/stream", &headers).1.expect(400);
}

fn a_member_hears_what_the_role_may_see(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let mut agent = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    let mut owner = listen(&app, &cookie_of(&app, OWNER), None);
    let hook = client.post("/webhooks", json!({ "url": "https://example.com/hook" })).expect(201).id();
    client.send("POST", &format!("/webhooks/{hook}/test"), None).expect(202);
    let other = app.tenant().client;
    add(&other, json!({ "name": "Not ours" }));
    add(&client, json!({ "name": "Ann" }));
    let next = |stream: &mut Stream| {
        // Notices are tested by themselves.
        stream.next().expect("an event")
    };
    assert_eq!(next(&mut owner).0, "webhook.test");
    for stream in [&mut agent, &mut owner] {
        let (name, _, data) = next(stream);
        assert_eq!((name.as_str(), &data["data"]["contact"]["name"]), ("contact.created", &json!("Ann")));
    }
}

fn a_stream_is_for_those_who_may_listen(app: App) {
    let account = account(&app);
    let key = app.key_with(&account, &["--all-scopes"]).secret;
    let refused = |path: &str, headers: &str| Stream::ask(app.wire(), path, headers).1.status;
    assert_eq!(refused("/app/api/stream", ""), 401);
    assert_eq!(refused("/app/api/stream", "Cookie: frontdesk_session=x\r\n"), 401);
    assert_eq!(refused("/app/api/stream", &format!("Authorization: Bearer {key}\r\n")), 401);
    assert_eq!(refused("/api/v1/events/stream", ""), 401);
    let cookie = cookie_of(&app, OWNER);
    assert_eq!(refused("/api/v1/events/stream", &format!("Cookie: {cookie}\r\n")), 401);
    let lacking = app.key(&account, "contacts:read").secret;
    assert_eq!(refused("/api/v1/events/stream", &format!("Authorization: Bearer {lacking}\r\n")), 403);
    app.client(&app.key_with(&account, &["--all-scopes"])).post("/events/stream", json!({})).expect(405);
}

fn a_stream_ends_with_its_session(app: App) {
    account(&app);
    let browser = Browser::new(&app);
    let response = browser.try_sign_in(OWNER, PASSWORD).expect(200);
    let mut stream = listen(&app, &cookie(&response), None);
    browser.keeping(&response).send("DELETE", "/session").expect(200);
    // It is checked every 15 seconds.
    assert_eq!(stream.next(), None);
}

/// A change of a member holds in open streams within 3 seconds. On a busy machine it may take a little longer; the
/// regular check, every 15 seconds, comes later still.
const PROMPT: Duration = Duration::from_secs(10);

fn a_changed_role_holds_in_an_open_stream(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "admin");
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let hook = client.post("/webhooks", json!({ "url": "https://example.com/hook" })).expect(201).id();
    let mut stream = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    let mut sees_tests = || {
        client.send("POST", &format!("/webhooks/{hook}/test"), None).expect(202);
        add(&client, json!({ "name": "Ann" }));
        stream.up_to("contact.created").iter().any(|(name, ..)| name == "webhook.test")
    };
    assert!(sees_tests());
    let owner = Browser::new(&app).sign_in(OWNER);
    let change = |role: &str| {
        owner.patch(&format!("/admin/members/{mia}"), json!({ "role": role })).expect(200);
        Stopwatch::start()
    };
    let demoted = change("agent");
    while sees_tests() {
        assert!(demoted.elapsed() < PROMPT, "a demoted member still hears what admins hear");
    }
    let promoted = change("admin");
    while !sees_tests() {
        assert!(promoted.elapsed() < PROMPT, "a promoted member does not hear what admins hear");
    }
}

fn the_stream_of_a_removed_member_ends_at_once(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "agent");
    let mut stream = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    app.cli(&["member", "remove", &mia]);
    let removed = Stopwatch::start();
    assert_eq!(stream.next(), None);
    assert!(removed.elapsed() < PROMPT, "it ended after {:?}", removed.elapsed());
}

fn members_see_who_looks_at_a_conversation(inbox: Inbox) {
    let mia = member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    member(&inbox.app, &inbox.tenant.account, "max@example.com", "agent");
    let conversation = inbox.hears(ANN, "Hi!");
    let mut stream = listen(&inbox.app, &cookie_of(&inbox.app, "max@example.com"), None);
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    let looks = |conversation: Value, typing: bool| {
        let body = json!({ "conversation_id": conversation, "typing": typing });
        browser.post("/presence", body).expect(200)
    };
    looks(conversation["id"].clone(), true);
    let (name, event, data) = stream.next().expect("an event");
    assert_eq!((name.as_str(), event.as_str()), ("presence", ""));
    assert_eq!(
        data,
        json!({ "conversation_id": id(&conversation), "members": [{ "user_id": mia, "typing": true }] })
    );
    looks(Value::Null, false);
    assert_eq!(
        stream.next().expect("an event").2,
        json!({ "conversation_id": id(&conversation), "members": [] })
    );
    browser.post("/presence", json!({ "typing": 7 })).expect(400).details_at(&["typing"]);
    Browser::new(&inbox.app).post("/presence", json!({ "typing": false })).expect(401);
}

/// The customer reacts to the first message of the conversation, or takes the reaction back.
fn react(inbox: &Inbox, message: &Value, emoji: Option<&str>) {
    let reaction = json!({ "message_id": message["channel_message_id"], "emoji": emoji });
    inbox.says(&inbox.whatsapp, ANN, json!({ "reaction": reaction }));
}

fn members_hear_of_a_reaction_and_of_its_removal(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let conversation = inbox.hears(ANN, "Hi!");
    let path = format!("/conversations/{}/messages", id(&conversation));
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    let message = browser.get(&path).expect(200).data()[0].clone();
    let headers = format!("Authorization: Bearer {}\r\n", inbox.tenant.key.secret);
    let mut program = Stream::open(inbox.app.wire(), "/api/v1/events/stream", &headers);
    let mut stream = listen(&inbox.app, &cookie_of(&inbox.app, "mia@example.com"), None);
    for emoji in [Some("👍"), None] {
        react(&inbox, &message, emoji);
        // One without a conversation is told when the server has just connected to its database.
        let (name, event, data) = std::iter::from_fn(|| stream.next_or_notice())
            .find(|(.., data)| *data != json!({}))
            .expect("a notice");
        assert_eq!((name.as_str(), event.as_str()), ("thread", ""));
        assert_eq!(data, json!({ "conversation_id": id(&conversation) }));
        // The change has committed when the notice comes.
        let reactions = browser.get(&path).expect(200).data()[0]["reactions"].clone();
        assert_eq!(reactions[0]["emoji"].as_str(), emoji, "{reactions}");
    }
    // Removing it again changes nothing, so no notice comes before the next message. It is no event either.
    react(&inbox, &message, None);
    inbox.hears(ANN, "Still there?");
    for stream in [&mut stream, &mut program] {
        assert!(stream.up_to("message.received").iter().all(|(name, ..)| name != "thread"));
    }
}

fn a_reaction_at_another_server_is_heard(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let conversation = inbox.hears(ANN, "Hi!");
    let message =
        inbox.client.get(&format!("/conversations/{}/messages", id(&conversation))).expect(200).data()[0]
            .clone();
    let second = inbox.app.second_server();
    let cookie = cookie_of(&inbox.app, "mia@example.com");
    let mut stream = Stream::open(second.wire(), "/app/api/stream", &format!("Cookie: {cookie}\r\n"));
    react(&inbox, &message, Some("👍"));
    // Until the servers have found each other, a notice names nothing.
    let named = || stream.up_to("thread").pop().map(|(_, _, data)| data["conversation_id"].clone());
    let named = std::iter::from_fn(named).find(|named| !named.is_null());
    assert_eq!(named.as_ref(), Some(&conversation["id"]));
}

fn a_program_hears_of_everything(app: App) {
    let tenant = app.tenant();
    let headers = format!("Authorization: Bearer {}\r\n", tenant.key.secret);
    let mut stream = Stream::open(app.wire(), "/api/v1/events/stream", &headers);
    let ann = add(&tenant.client, json!({ "name": "Ann" }));
    tenant.client.delete(&format!("/contacts/{ann}")).expect(200);
    let told = stream.up_to("contact.deleted");
    assert_eq!(
        told.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(),
        ["contact.created", "contact.deleted"]
    );
    let last = &told[0].1;
    let mut again =
        Stream::open(app.wire(), "/api/v1/events/stream", &format!("{headers}Last-Event-ID: {last}\r\n"));
    assert_eq!(again.next().as_ref(), Some(&told[1]));
}

fn a_server_that_ends_lets_its_streams_go(app: App) {
    account(&app);
    let mut stream = listen(&app, &cookie_of(&app, OWNER), None);
    assert!(app.stop().success());
    assert_eq!(stream.next(), None);
}

fn what_another_server_writes_is_heard(app: App) {
    let account = account(&app);
    let second = app.second_server();
    let client = app.client(&app.key_with(&account, &["--all-scopes"])).at(&second);
    let mut stream = listen(&app, &cookie_of(&app, OWNER), None);
    add(&client, json!({ "name": "Ann" }));
    assert_eq!(stream.next().expect("an event").0, "contact.created");
}
