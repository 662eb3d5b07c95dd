//! Moving: everything arrives in the other database, nothing is done twice, and a copy that was killed goes on.

use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Client, Engine, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, set_password};
use crate::backups::{elsewhere, take_back_newest_migration};
use crate::inbound_scene::{ANN, Inbox, start};
use crate::people::{add, walk};
use crate::secret_key::{VARIABLE, key};
use crate::shapes::text;
use crate::uploads::upload;

on_every_engine! {
    everything_moves_to_the_other_engine_and_back,
    a_copy_that_is_killed_goes_on_until_it_is_complete,
    the_session_of_a_copy_that_was_killed_is_waited_for,
    a_running_server_keeps_a_copy_from_beginning,
    a_server_that_was_killed_does_not,
    a_source_of_an_older_version_is_brought_up_to_date_first,
    a_copy_goes_on_only_with_the_secret_key,
    a_move_that_is_undone_leaves_the_source_in_service,
    what_was_queued_is_sent_once_by_the_new_database,
}

/// The lock that a copy holds on PostgreSQL.
const COPY_LOCK: i64 = 0x6672_6f6e_7463_6f70;

fn other(engine: Engine) -> Engine {
    if engine == Engine::Sqlite { Engine::Postgres } else { Engine::Sqlite }
}

fn arguments<'a>(from: &'a App, to: &'a App) -> [&'a str; 5] {
    ["copy", "--from", from.database(), "--to", to.database()]
}

#[track_caller]
fn copy(from: &App, to: &App) -> Value {
    let copied = to.cli(&arguments(from, to));
    assert_eq!(copied["identical"], true, "{copied}");
    copied
}

/// The server does not start, and says why.
#[track_caller]
fn refused(app: &App) -> String {
    app.try_second_server().map(|server| server.base()).expect_err("it started")
}

#[track_caller]
fn advance(place: &App, inbox: &Inbox, seconds: u64) {
    inbox.vendors.advance(seconds);
    place.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
}

/// What the API shows, as text.
fn shown(client: &Client, paths: &[String]) -> Vec<Vec<Value>> {
    paths.iter().map(|path| walk(client, path)).collect()
}

fn everything_moves_to_the_other_engine_and_back(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let (client, account) = (&inbox.client, &inbox.tenant.account);
    inbox.app.cli(&["account", "set", &account.id, "--owner-email", OWNER]);
    set_password(&inbox.app, &account.owner, PASSWORD);
    let signed_in = Browser::new(&inbox.app).try_sign_in(OWNER, PASSWORD).expect(200);
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.sent(&conversation, "The aubergine is ripe \u{1F346}");
    for number in 0..60 {
        add(
            client,
            json!({ "name": format!("Person {number} Ünal"), "phone": format!("+4917612345{number:02}") }),
        );
    }
    let ada = add(client, json!({ "name": "Ada" }));
    let deal = client.post("/deals", json!({ "title": "Chairs", "contact_id": ada })).expect(201).id();
    client.post(&format!("/contacts/{ada}/notes"), json!({ "body": "likes chairs" })).expect(201);
    let file: Vec<u8> = (0..700_000_u32).map(|at| (at * 31 % 251) as u8).collect();
    let media = upload(client, "chair.pdf", "application/pdf", &file);
    let assistant = client.post("/assistants", json!({ "name": "Robin" })).expect(201).id();
    client.post("/memories", json!({ "content": "Ripe in May.", "assistant_id": assistant })).expect(201);
    client.post("/webhooks", json!({ "url": "https://hooks.example/x", "enabled": false })).expect(201);
    let lists: Vec<String> = [
        "/contacts",
        "/conversations",
        "/deals",
        "/events",
        "/assistants",
        "/memories",
        "/webhooks",
        "/channels",
        "/pipelines",
        "/tags",
    ]
    .map(ToOwned::to_owned)
    .into();
    let messages = format!("/conversations/{conversation}/messages");
    let lists = [lists, vec![messages]].concat();
    let before = shown(client, &lists);
    // A consumer has read half of the events.
    let events = before[3].clone();
    let middle = events[events.len() / 2]["event_id"].clone();
    let after = |client: &Client| {
        client.get(&format!("/events?after={}&limit=100", text(&middle))).expect(200).data().clone()
    };
    // On PostgreSQL an event shows once no older transaction runs, in whatever database of the cluster.
    let number = events.len() / 2;
    assert!(came_true(|| after(client).as_array().is_some_and(|rest| rest.len() == number)));
    let rest = after(client);
    inbox.app.stop();

    let mut from = &inbox.app;
    let places = [elsewhere(other(engine)), elsewhere(engine)];
    for place in &places {
        let copied = copy(from, place);
        assert!(copied["tables"].as_array().unwrap().len() > 70, "{copied}");
        assert_eq!((&copied["secret_key"], &copied["resumed"]), (&json!("copied"), &json!(false)));
        // The source is out of service, for servers and for commands.
        assert!(refused(from).contains("was moved to"), "{}", refused(from));
        let said = from.run(&["account", "list"]).expect_failure();
        assert!(said.contains("was moved to") && said.contains("--undo"), "{said}");
        let said = place.run(&arguments(from, place)).expect_failure();
        assert!(said.contains("was moved to"), "{said}");

        place.restart();
        let client = place.anonymous().with_key(&inbox.tenant.key.secret);
        if place.engine() != engine {
            assert_eq!(shown(&client, &lists), before);
            assert_eq!(after(&client), rest, "a consumer lost or repeats events");
        }
        assert!(Browser::new(place).keeping(&signed_in).is_in(), "the session ended");
        let found = |path: &str| client.get(path).expect(200).data().as_array().unwrap().len();
        for (path, many) in [
            ("/contacts?q=person%207%20%C3%BCn", 1),
            ("/contacts?q=1761234501", 1),
            ("/contacts?q=%C3%BCnal&limit=100", 60),
            ("/messages?q=AUBERGINE", 1),
            ("/deals?q=chair", 1),
        ] {
            assert!(came_true(|| found(path) == many), "{path}: {}", found(path));
        }
        assert_eq!(client.get(&format!("/deals/{deal}")).expect(200).data()["title"], "Chairs");
        let url = text(&media["url"]);
        let path = &url[url.find("/media/").expect("a file's address")..];
        assert_eq!(place.anonymous().vendors().get(path).expect(200).body, file);
        // The channel's token opens, so the secret key is there; and new events come after all others.
        let newest = client.get("/events?limit=1").expect(200).data()[0].clone();
        let many = inbox.vendors.sent().len();
        let to = json!({ "conversation_id": conversation });
        client.post("/messages", json!({ "type": "text", "to": to, "text": "Back" })).expect(201);
        assert!(came_true(|| inbox.vendors.sent().len() == many + 1));
        let new = add(&client, json!({ "name": "New" }));
        let events = || client.get(&format!("/events?after={}", text(&newest["event_id"]))).expect(200).text;
        assert!(came_true(|| events().contains(&new)), "{}", events());
        place.stop();
        from = place;
    }
}

fn a_copy_that_is_killed_goes_on_until_it_is_complete(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    for number in 0..80 {
        add(&tenant.client, json!({ "name": format!("Person {number}") }));
    }
    let before = walk(&tenant.client, "/contacts");
    app.stop();
    let place = elsewhere(other(engine));
    let mut was_interrupted = false;
    for millis in [30, 80, 150, 220, 300, 400, 550, 700] {
        let mut killed = place.begin(&arguments(&app, &place));
        thread::sleep(Duration::from_millis(millis));
        killed.kill().expect("it runs or has run");
        was_interrupted |= !killed.wait().expect("it ended").success();
        let said = app.run(&["account", "list"]);
        if said.err.contains("is being moved to") {
            assert!(refused(&app).contains("is being moved to"));
        }
    }
    assert!(was_interrupted);
    let outcome = place.run(&arguments(&app, &place));
    assert!(outcome.code == Some(0) || outcome.err.contains("was moved to"), "{}", outcome.err);
    place.restart();
    assert_eq!(walk(&place.anonymous().with_key(&tenant.key.secret), "/contacts"), before);
}

fn the_session_of_a_copy_that_was_killed_is_waited_for(engine: Engine) {
    let app = App::start(engine).alone().ready();
    app.tenant();
    app.stop();
    let place = elsewhere(other(engine));
    let database = if engine == Engine::Sqlite { place.database() } else { app.database() };
    let mut session = postgres::Client::connect(database, postgres::NoTls).expect("a session");
    session.execute("SELECT pg_advisory_lock($1)", &[&COPY_LOCK]).expect("the lock");
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_secs(2));
            drop(session);
        });
        copy(&app, &place);
    });
}

fn a_running_server_keeps_a_copy_from_beginning(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    let place = elsewhere(other(engine));
    let said = place.run(&arguments(&app, &place)).expect_failure();
    assert!(said.contains("server") && said.contains("stop"), "{said}");
    // Nothing has changed.
    add(&tenant.client, json!({ "name": "Ada" }));
    app.restart();
    add(&tenant.client, json!({ "name": "Bob" }));
    // Nor is a target taken on which a server runs.
    let target = App::start(other(engine)).alone().ready();
    app.stop();
    let said = target.run(&arguments(&app, &target)).expect_failure();
    assert!(said.contains("server runs") || said.contains("secret key"), "{said}");
    app.restart();
    assert_eq!(walk(&tenant.client, "/contacts").len(), 2);
}

fn a_server_that_was_killed_does_not(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    add(&tenant.client, json!({ "name": "Ada" }));
    app.kill();
    let place = elsewhere(other(engine));
    copy(&app, &place);
    place.restart();
    assert_eq!(walk(&place.anonymous().with_key(&tenant.key.secret), "/contacts").len(), 1);
}

fn a_source_of_an_older_version_is_brought_up_to_date_first(engine: Engine) {
    let app = App::start(engine).alone().ready();
    app.tenant();
    app.stop();
    take_back_newest_migration(&app);
    let place = elsewhere(other(engine));
    let said = place.run(&arguments(&app, &place)).expect_failure();
    assert!(said.contains("older version") && said.contains("account list"), "{said}");
    app.cli(&["account", "list"]);
    copy(&app, &place);
}

fn a_copy_goes_on_only_with_the_secret_key(engine: Engine) {
    let (right, wrong) = (key(1), key(2));
    let inbox = Inbox::of(start(engine).alone().env(VARIABLE, &right));
    inbox.whatsapp();
    inbox.app.stop();
    let place = elsewhere(other(engine));
    let arguments = arguments(&inbox.app, &place);
    for environment in [&[][..], &[(VARIABLE, wrong.as_str())]] {
        let said = place.run_with(environment, &arguments).expect_failure();
        assert!(said.contains(VARIABLE), "{said}");
        assert!(!said.contains(&right) && !said.contains(&wrong), "{said}");
    }
    // The source is as it was.
    inbox.app.restart();
    inbox.app.stop();
    let copied = place.run_with(&[(VARIABLE, &right)], &[&arguments[..], &["--json"]].concat());
    assert_eq!(copied.expect_success().json()["secret_key"], "already_there");
    assert!(refused(&place).contains("secret key"));
    place.restart_with(&[(VARIABLE, &right)]);
}

fn a_move_that_is_undone_leaves_the_source_in_service(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    app.stop();
    let place = elsewhere(other(engine));
    copy(&app, &place);
    let undone = place.cli(&["copy", "--undo", app.database()]);
    assert!(undone["was_moved_to"].is_string(), "{undone}");
    app.restart();
    add(&tenant.client, json!({ "name": "Ada" }));
    app.stop();
    // What was copied is a database of its own, and is not overwritten.
    let said = place.run(&arguments(&app, &place)).expect_failure();
    assert!(said.contains("never overwrites"), "{said}");
    let undone = place.cli(&["copy", "--undo", app.database()]);
    assert!(undone["was_moved_to"].is_null(), "{undone}");
    copy(&app, &elsewhere(other(engine)));
    for wrong in [&["copy"][..], &["copy", "--from", app.database()]] {
        assert_eq!(place.run_bare(wrong).code, Some(2));
    }
    let said =
        place.run_bare(&["copy", "--from", "sqlite:none.db", "--to", "sqlite:new.db"]).expect_failure();
    assert!(said.contains("no Frontdesk database"), "{said}");
}

fn what_was_queued_is_sent_once_by_the_new_database(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "status", "status": 503 }]));
    let id = inbox.say(&conversation, "Once");
    inbox.advance(0);
    assert_eq!(inbox.status(&id), "sending");
    inbox.app.stop();
    inbox.vendors.faults(json!([]));
    let place = elsewhere(other(engine));
    copy(&inbox.app, &place);
    assert!(refused(&inbox.app).contains("was moved to"));
    place.restart();
    for _ in 0..3 {
        advance(&place, &inbox, 120);
    }
    assert!(came_true(|| inbox.vendors.sent().len() == 1));
    let client = place.anonymous().with_key(&inbox.tenant.key.secret);
    assert!(came_true(|| client.get(&format!("/messages/{id}")).expect(200).data()["status"] != "sending"));
    assert_eq!(inbox.vendors.sent().len(), 1, "it was sent twice");
}
