//! Backups: everything comes back elsewhere, nothing is overwritten, and nothing that is damaged is restored.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Client, Engine, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, DOUBT, Inbox, start};
use crate::secret_key::{PREVIOUS, VARIABLE, key, key_file};
use crate::shapes::text;

on_every_engine! {
    everything_is_restored_elsewhere,
    a_backup_under_load_has_every_write_acknowledged_before_it_began,
    nothing_is_overwritten,
    a_damaged_backup_is_refused_and_leaves_nothing,
    a_backup_without_the_key_says_which_is_needed,
    a_restore_goes_on_only_with_the_key_of_the_backup,
    what_was_queued_waits_after_a_restore_until_it_is_resumed,
    what_was_queued_is_given_up_on_request,
    what_was_being_sent_is_not_sent_again,
    a_backup_that_is_killed_leaves_no_file,
    a_restore_that_is_killed_leaves_all_or_nothing,
    an_older_database_is_restored_and_brought_up_to_date,
    a_backup_of_another_engine_is_refused,
    of_two_restores_at_once_one_is_refused,
    new_events_come_after_those_of_a_busier_cluster,
    webhooks_that_were_pending_wait,
}

const NEWEST_MIGRATION: i64 = 155;

/// A directory of a test, gone when it is dropped.
pub(crate) struct Files(PathBuf);

impl Files {
    pub(crate) fn new() -> Self {
        let dir = std::env::temp_dir().join(format!("frontdesk-backups-{:016x}", rand::random::<u64>()));
        fs::create_dir(&dir).unwrap();
        Self(dir)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("text").to_owned()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _gone_already_is_fine = fs::remove_dir_all(&self.0);
    }
}

/// A place for a restored database, with no server yet.
pub(crate) fn elsewhere(engine: Engine) -> App {
    start(engine).args(&["--no-demo"]).unstarted()
}

#[track_caller]
fn contact(client: &Client, name: &str) -> String {
    client.post("/contacts", json!({ "name": name })).expect(201).id()
}

/// Leaves the database as the version before the newest migration did. A new migration changes this.
pub(crate) fn take_back_newest_migration(app: &App) {
    let change =
        format!("DROP TABLE imported_rows; DELETE FROM migrations WHERE version >= {NEWEST_MIGRATION};");
    crate::secret_key::execute(app, &change);
}

/// A backup with the key.
#[track_caller]
fn backup(app: &App, file: &str) -> Value {
    app.cli(&["backup", file, "--with-secret-key"])
}

/// The same client, at another installation.
fn at(app: &App, inbox: &Inbox) -> Client {
    app.anonymous().with_key(&inbox.tenant.key.secret)
}

#[track_caller]
fn advance(app: &App, inbox: &Inbox, seconds: u64) {
    inbox.vendors.advance(seconds);
    app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
}

fn everything_is_restored_elsewhere(engine: Engine) {
    let (files, inbox) = (Files::new(), Inbox::of(start(engine).alone()));
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.sent(&conversation, "Hello \u{1F600}");
    let contacts: Vec<String> =
        (0..150).map(|n| contact(&inbox.client, &format!("Person {n} Ünal"))).collect();
    let deal = inbox
        .client
        .post("/deals", json!({ "title": "Big", "contact_id": contacts[0] }))
        .expect(201)
        .data()
        .clone();
    let last = inbox.client.get("/events?limit=1").expect(200).data()[0].clone();
    inbox.app.stop();
    let made = backup(&inbox.app, &files.path("all"));
    assert_eq!((&made["has_secret_key"], &made["engine"]), (&json!(true), &json!(engine_name(engine))));
    assert_eq!(fs::metadata(files.path("all")).unwrap().len(), made["bytes"].as_u64().unwrap());
    assert_eq!(files.names(), ["all"]);

    let place = elsewhere(engine);
    if engine == Engine::Sqlite {
        // Left by another database of this name.
        for stale in ["search", "message_search", "calls", "search-wal"] {
            fs::write(format!("{}.{stale}", database_file(&place)), "stale").unwrap();
        }
        fs::write(format!("{}-wal", database_file(&place)), "stale").unwrap();
    }
    let restored = place.cli(&["restore", &files.path("all"), "--resume-sending"]);
    assert_eq!(
        (&restored["rows"], &restored["secret_key"], &restored["is_held"]),
        (&made["rows"], &json!("restored"), &json!(false))
    );
    if engine == Engine::Sqlite {
        assert!(!PathBuf::from(format!("{}.search", database_file(&place))).exists());
        assert!(!PathBuf::from(format!("{}.calls", database_file(&place))).exists());
        assert_eq!(fs::read(key_file(&place)).unwrap(), fs::read(key_file(&inbox.app)).unwrap());
    }
    let again = backup(&place, &files.path("again"));
    let tables = made["tables"].as_array().unwrap();
    assert!(tables.len() > 60, "{made}");
    for (before, after) in tables.iter().zip(again["tables"].as_array().unwrap()) {
        assert_eq!(before, after);
    }
    place.restart();
    let client = at(&place, &inbox);
    for contact in [&contacts[0], &contacts[149]] {
        assert!(
            text(&client.get(&format!("/contacts/{contact}")).expect(200).data()["name"]).contains("Ünal")
        );
    }
    assert_eq!(client.get(&format!("/deals/{}", text(&deal["id"]))).expect(200).data(), &deal);
    let found = client.get("/contacts?q=149%20%C3%BCnal").expect(200);
    assert_eq!(found.data().as_array().unwrap().len(), 1, "{}", found.text);
    // The channel's token opens, and new messages go out.
    let to = json!({ "conversation_id": conversation });
    let sent = client.post("/messages", json!({ "type": "text", "to": to, "text": "Back" })).expect(201).id();
    assert!(frontdesk_e2e::came_true(|| inbox
        .vendors
        .sent()
        .iter()
        .any(|one| one["our_id"] == sent.as_str())));
    assert_eq!(inbox.vendors.sent().len(), 2, "what was sent was sent again");
    // New events come after the old ones.
    let new = contact(&client, "New");
    let events = || client.get(&format!("/events?after={}", text(&last["event_id"]))).expect(200).text;
    assert!(frontdesk_e2e::came_true(|| events().contains(&new)), "{}", events());
}

fn engine_name(engine: Engine) -> &'static str {
    if engine == Engine::Sqlite { "sqlite" } else { "postgres" }
}

fn database_file(app: &App) -> String {
    app.database().strip_prefix("sqlite:").expect("SQLite").to_owned()
}

fn a_backup_under_load_has_every_write_acknowledged_before_it_began(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let (is_over, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let before = thread::scope(|scope| {
        for worker in 0..4 {
            let (client, is_over, acknowledged) = (tenant.client.clone(), &is_over, &acknowledged);
            scope.spawn(move || {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let id = contact(&client, &format!("Worker {worker} number {number}"));
                    acknowledged.lock().unwrap().push(id);
                    number += 1;
                }
            });
        }
        assert!(frontdesk_e2e::came_true(|| acknowledged.lock().unwrap().len() > 200));
        let before = acknowledged.lock().unwrap().clone();
        let made = app.run(&["backup", &files.path("load"), "--with-secret-key", "--json"]);
        let during = acknowledged.lock().unwrap().len();
        is_over.store(true, Ordering::Relaxed);
        made.expect_success();
        assert!(during > before.len(), "nothing was written meanwhile");
        before
    });
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("load"), "--resume-sending"]);
    place.restart();
    let client = place.anonymous().with_key(&tenant.key.secret);
    for id in &before {
        client.get(&format!("/contacts/{id}")).expect(200);
    }
    // Counts, rows and events are of one moment.
    let contacts = crate::people::walk(&client, "/contacts").len();
    assert!(contacts >= before.len());
    assert_eq!(crate::people::walk(&client, "/events?event_type=contact.created").len(), contacts);
}

fn nothing_is_overwritten(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let ann = contact(&tenant.client, "Ann");
    backup(&app, &files.path("one"));
    let first = fs::read(files.path("one")).unwrap();
    let said = app.run(&["backup", &files.path("one")]).expect_failure();
    assert!(said.contains("replaces no file"), "{said}");
    assert_eq!(fs::read(files.path("one")).unwrap(), first);
    assert_eq!(files.names(), ["one"]);
    for is_running in [true, false] {
        if !is_running {
            app.stop();
        }
        let said = app.run(&["restore", &files.path("one")]).expect_failure();
        assert!(said.contains("never overwrites") || said.contains("server is running"), "{said}");
    }
    app.restart();
    tenant.client.get(&format!("/contacts/{ann}")).expect(200);
    // A second restore finds the accounts of the first.
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("one")]);
    let said = place.run(&["restore", &files.path("one")]).expect_failure();
    assert!(said.contains("never overwrites"), "{said}");
    app.run_bare(&["backup", &files.path("none"), "--database", "sqlite:nothing.db"]).expect_failure();
    assert_eq!(files.names(), ["one"]);
}

fn a_damaged_backup_is_refused_and_leaves_nothing(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let ann = contact(&tenant.client, "Ann");
    backup(&app, &files.path("whole"));
    let whole = fs::read(files.path("whole")).unwrap();
    let place = elsewhere(engine);
    let refused = |bytes: &[u8], expected: &[&str]| {
        fs::write(files.path("bad"), bytes).unwrap();
        let said = place.run(&["restore", &files.path("bad")]).expect_failure();
        assert!(expected.iter().any(|expected| said.contains(expected)), "{said}");
    };
    for length in [0, 10, 100, whole.len() / 2, whole.len() - 33, whole.len() - 1] {
        refused(&whole[..length], &["not a backup", "incomplete"]);
    }
    for at in [25, whole.len() / 2, whole.len() - 50, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        refused(&flipped, &["damaged", "incomplete"]);
    }
    refused(&[&whole[..], b"more"].concat(), &["incomplete"]);
    refused(b"PK\x03\x04 something else entirely", &["not a backup"]);
    if engine == Engine::Sqlite {
        assert!(!PathBuf::from(database_file(&place)).exists(), "a database was made");
    }
    place.cli(&["restore", &files.path("whole"), "--resume-sending"]);
    place.restart();
    place.anonymous().with_key(&tenant.key.secret).get(&format!("/contacts/{ann}")).expect(200);
}

fn a_backup_without_the_key_says_which_is_needed(engine: Engine) {
    let (files, right, wrong) = (Files::new(), key(1), key(2));
    let inbox = Inbox::of(start(engine).alone().env(VARIABLE, &right));
    inbox.whatsapp();
    let made = inbox.app.cli(&["backup", &files.path("keyless")]);
    assert_eq!(made["has_secret_key"], false);
    assert!(!String::from_utf8_lossy(&fs::read(files.path("keyless")).unwrap()).contains(&right));
    let place = elsewhere(engine);
    let said = place.run_with(&[(VARIABLE, &wrong)], &["restore", &files.path("keyless")]).expect_failure();
    assert!(said.contains(text(&made["secret_key_id"])), "{said}");
    let restored = place.cli(&["restore", &files.path("keyless")]);
    assert_eq!(
        (&restored["secret_key"], &restored["missing_key_id"]),
        (&json!("missing"), &made["secret_key_id"])
    );
    let refused = place.try_second_server().map(|server| server.base()).expect_err("it has no key");
    assert!(refused.contains(text(&made["secret_key_id"])), "{refused}");
    place.restart_with(&[(VARIABLE, &right)]);
    at(&place, &inbox).get("/channels").expect(200);
}

fn a_restore_goes_on_only_with_the_key_of_the_backup(engine: Engine) {
    let (files, right, wrong) = (Files::new(), key(1), key(2));
    let inbox = Inbox::of(start(engine).alone().env(VARIABLE, &right));
    inbox.whatsapp();
    backup(&inbox.app, &files.path("keyed"));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(files.path("keyed")).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let place = elsewhere(engine);
    let refused = place.run_with(&[(VARIABLE, &wrong)], &["restore", &files.path("keyed")]).expect_failure();
    assert!(refused.contains(VARIABLE), "{refused}");
    if engine == Engine::Sqlite {
        fs::write(key_file(&place), &wrong).unwrap();
        let refused = place.run(&["restore", &files.path("keyed")]).expect_failure();
        assert!(refused.contains("frontdesk.db.key"), "{refused}");
        assert_eq!(fs::read_to_string(key_file(&place)).unwrap(), wrong, "a key was replaced");
        fs::remove_file(key_file(&place)).unwrap();
    }
    assert_eq!(place.cli(&["restore", &files.path("keyed")])["secret_key"], "restored");
    place.restart_with(&[(VARIABLE, ""), (PREVIOUS, "")]);
    at(&place, &inbox).get("/channels").expect(200);
    // Without a key of its own, a database cannot add it.
    let said = inbox.app.run_with(&[(VARIABLE, &wrong)], &["backup", &files.path("x"), "--with-secret-key"]);
    assert!(said.expect_failure().contains("--with-secret-key"));
    assert_eq!(files.names(), ["keyed"]);
}

/// A message that its channel refuses for now, in a backup, and sent by the server that it was taken from.
fn queued(engine: Engine, files: &Files) -> (Inbox, String) {
    let inbox = Inbox::of(start(engine).alone());
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "status", "status": 503 }]));
    let id = inbox.say(&conversation, "Once");
    inbox.advance(0);
    assert_eq!(inbox.status(&id), "sending");
    backup(&inbox.app, &files.path("queued"));
    inbox.vendors.faults(json!([]));
    inbox.advance(120);
    inbox.advance(120);
    assert_eq!(inbox.vendors.sent().len(), 1, "the original sends it after the backup");
    inbox.app.stop();
    (inbox, id)
}

fn what_was_queued_waits_after_a_restore_until_it_is_resumed(engine: Engine) {
    let files = Files::new();
    let (inbox, id) = queued(engine, &files);
    let place = elsewhere(engine);
    assert_eq!(place.cli(&["restore", &files.path("queued")])["is_held"], true);
    place.restart();
    for _ in 0..3 {
        advance(&place, &inbox, 600);
    }
    assert_eq!(inbox.vendors.sent().len(), 1, "it was sent twice");
    let client = at(&place, &inbox);
    assert_eq!(client.get(&format!("/messages/{id}")).expect(200).data()["status"], "sending");
    let ready = place.anonymous().vendors().get("/readyz").expect(200);
    assert!(ready.text.contains("resume-sending"), "{}", ready.text);
    assert!(place.logs().contains("resume-sending"));
    let report = place.run(&["doctor", "--listen", "127.0.0.1:0"]);
    assert!(report.out.contains("resume-sending"), "{}", report.out);
    // It is the operator's decision.
    let resumed = place.cli(&["resume-sending"]);
    assert_eq!((&resumed["accounts"], &resumed["messages_given_up"]), (&json!(1), &json!(0)));
    advance(&place, &inbox, 1);
    assert!(frontdesk_e2e::came_true(|| inbox.vendors.sent().len() == 2));
    assert_eq!(place.cli(&["resume-sending"])["accounts"], 0);
    let ready = place.anonymous().vendors().get("/readyz").expect(200);
    assert!(!ready.text.contains("resume-sending"), "{}", ready.text);
}

fn what_was_queued_is_given_up_on_request(engine: Engine) {
    let files = Files::new();
    let (inbox, id) = queued(engine, &files);
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("queued")]);
    place.restart();
    let resumed = place.cli(&["resume-sending", "--give-up-queued"]);
    assert_eq!(resumed["messages_given_up"], 1);
    let client = at(&place, &inbox);
    let message = || client.get(&format!("/messages/{id}")).expect(200).data().clone();
    assert_eq!(message()["status"], "sending");
    advance(&place, &inbox, DOUBT + 60);
    assert!(frontdesk_e2e::came_true(|| message()["status"] == "failed"), "{}", message());
    assert_eq!(inbox.vendors.sent().len(), 1, "it was sent twice");
    // What is written afterwards goes out.
    let to = json!({ "conversation_id": message()["conversation_id"] });
    client.post("/messages", json!({ "type": "text", "to": to, "text": "New" })).expect(201);
    advance(&place, &inbox, 1);
    assert!(frontdesk_e2e::came_true(|| inbox.vendors.sent().len() == 2));
}

fn what_was_being_sent_is_not_sent_again(engine: Engine) {
    let (files, inbox) = (Files::new(), Inbox::of(start(engine).alone()));
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.report_by_hand();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 18_000, "times": 1 }]));
    let id = inbox.say(&conversation, "Once");
    assert!(frontdesk_e2e::came_true(|| inbox.vendors.faults_left() == 0), "the call never began");
    backup(&inbox.app, &files.path("sending"));
    assert!(frontdesk_e2e::came_true(|| inbox.vendors.sent().len() == 1));
    inbox.app.kill();
    let place = elsewhere(engine);
    // Not even then: nobody knows what became of the call.
    place.cli(&["restore", &files.path("sending"), "--resume-sending"]);
    place.restart();
    let client = at(&place, &inbox);
    let message = || client.get(&format!("/messages/{id}")).expect(200).data().clone();
    assert_eq!(message()["status"], "sending");
    advance(&place, &inbox, DOUBT + 60);
    assert!(frontdesk_e2e::came_true(|| message()["status"] == "failed"), "{}", message());
    assert_eq!(inbox.vendors.sent().len(), 1, "it was sent twice");
    let told = crate::people::walk(&client, "/events?event_type=message.status_changed");
    assert_eq!(told[0]["data"]["error"]["reason"], "unknown_outcome", "{}", told[0]);
}

fn a_backup_that_is_killed_leaves_no_file(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    for number in 0..50 {
        contact(&tenant.client, &format!("Person {number}"));
    }
    for millis in [1, 20, 50, 80, 120] {
        let mut killed = app.begin(&["backup", &files.path("killed")]);
        thread::sleep(Duration::from_millis(millis));
        killed.kill().expect("it runs or has run");
        killed.wait().expect("it ended");
        if files.names().iter().any(|name| name == "killed") {
            // It was done before: then it is whole.
            let place = elsewhere(engine);
            place.cli(&["restore", &files.path("killed")]);
            fs::remove_file(files.path("killed")).unwrap();
        }
    }
    backup(&app, &files.path("killed"));
}

fn a_restore_that_is_killed_leaves_all_or_nothing(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let ids: Vec<String> = (0..100).map(|n| contact(&tenant.client, &format!("Person {n}"))).collect();
    backup(&app, &files.path("whole"));
    let place = elsewhere(engine);
    let mut is_done = false;
    for millis in [5, 30, 60, 120, 240, 400] {
        let mut killed = place.begin(&["restore", &files.path("whole"), "--resume-sending"]);
        thread::sleep(Duration::from_millis(millis));
        killed.kill().expect("it runs or has run");
        killed.wait().expect("it ended");
    }
    while !is_done {
        let outcome = place.run(&["restore", &files.path("whole"), "--resume-sending"]);
        // Whether it was complete before or is now, the next one finds accounts.
        is_done = outcome.code == Some(0) || outcome.err.contains("never overwrites");
        assert!(is_done, "{}", outcome.err);
    }
    place.restart();
    let client = place.anonymous().with_key(&tenant.key.secret);
    assert_eq!(crate::people::walk(&client, "/contacts").len(), ids.len());
}

fn an_older_database_is_restored_and_brought_up_to_date(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let ann = contact(&tenant.client, "Ann");
    app.stop();
    take_back_newest_migration(&app);
    let made = backup(&app, &files.path("old"));
    assert!(made["schema"].as_i64().unwrap() < NEWEST_MIGRATION, "{made}");
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("old")]);
    place.restart();
    let client = place.anonymous().with_key(&tenant.key.secret);
    client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!(place.cli(&["resume-sending"])["accounts"], 1, "its work did not wait");
    // A backup of a newer version is not understood.
    crate::secret_key::execute(&place, "INSERT INTO migrations VALUES (999999);");
    place.stop();
    place.cli(&["backup", &files.path("future")]);
    let said = elsewhere(engine).run(&["restore", &files.path("future")]).expect_failure();
    assert!(said.contains("newer frontdesk"), "{said}");
}

fn a_backup_of_another_engine_is_refused(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    app.tenant();
    app.cli(&["backup", &files.path("one")]);
    let other = if engine == Engine::Sqlite { Engine::Postgres } else { Engine::Sqlite };
    let said = elsewhere(other).run(&["restore", &files.path("one")]).expect_failure();
    assert!(said.contains("SQLite") && said.contains("PostgreSQL"), "{said}");
}

fn webhooks_that_were_pending_wait(engine: Engine) {
    let files = Files::new();
    let scene = crate::webhooks_scene::Scene::of(crate::webhooks_scene::start(engine).alone());
    scene.sink.respond("/hook", frontdesk_e2e::Reply::status(500));
    scene.hook("/hook");
    scene.contact();
    scene.sink.wait("/hook", 1);
    backup(&scene.app, &files.path("pending"));
    scene.app.stop();
    scene.sink.respond("/hook", frontdesk_e2e::Reply::status(200));
    let place = App::start(engine)
        .env("FRONTDESK_SANDBOX_CLOCK", "true")
        .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
        .args(&["--no-demo"])
        .unstarted();
    place.cli(&["restore", &files.path("pending")]);
    place.restart();
    let advance = |seconds: u64| {
        place.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
    };
    let before = scene.sink.count("/hook");
    advance(86_400);
    assert_eq!(scene.sink.count("/hook"), before, "it was delivered");
    place.cli(&["resume-sending"]);
    advance(60);
    scene.sink.wait("/hook", before + 1);
}

fn of_two_restores_at_once_one_is_refused(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    let ids: Vec<String> = (0..50).map(|n| contact(&tenant.client, &format!("Person {n}"))).collect();
    backup(&app, &files.path("whole"));
    let place = elsewhere(engine);
    let outcomes =
        frontdesk_e2e::at_once(2, |_| place.run(&["restore", &files.path("whole"), "--resume-sending"]));
    let (done, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.code == Some(0));
    assert_eq!((done.len(), refused.len()), (1, 1), "{refused:?}");
    refused.into_iter().next().unwrap().expect_failure();
    place.restart();
    let client = place.anonymous().with_key(&tenant.key.secret);
    assert_eq!(crate::people::walk(&client, "/contacts").len(), ids.len());
}

fn new_events_come_after_those_of_a_busier_cluster(engine: Engine) {
    let (files, app) = (Files::new(), App::start(engine).alone().ready());
    let tenant = app.tenant();
    contact(&tenant.client, "Old");
    let last = tenant.client.get("/events?limit=1").expect(200).data()[0].clone();
    app.stop();
    crate::secret_key::execute(&app, "UPDATE events SET position = position + 1000000000000;");
    backup(&app, &files.path("busy"));
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("busy")]);
    place.restart();
    let client = place.anonymous().with_key(&tenant.key.secret);
    let new = contact(&client, "New");
    let events = || client.get(&format!("/events?after={}", text(&last["event_id"]))).expect(200).text;
    assert!(frontdesk_e2e::came_true(|| events().contains(&new)), "{}", events());
}
