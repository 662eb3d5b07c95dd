//! Work that can never succeed is set aside after a few tries, and keeps no other work of its kind waiting.

use frontdesk_e2e::{App, came_true, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, says};
use crate::broadcasts_scene::{announced, becomes, hello, numbers, phones};
use crate::inbox_scene::{Inbox, eventually, id};
use crate::people::{add, tag};
use crate::triggers_scene::{Business, advance, advance_to, written};

on_every_engine! {
    a_run_that_cannot_be_read_fails_and_others_go_on,
    a_broadcast_that_cannot_be_read_fails_and_others_are_sent,
    a_trigger_that_cannot_be_read_is_left_and_others_fire,
    a_bulk_job_that_always_fails_ends_and_others_go_on,
    an_erasure_that_always_fails_keeps_no_other_waiting,
}

/// Longer than any pause before a retry, in seconds.
const PAUSE: i64 = 10;
/// More rounds than any work has tries.
const ROUNDS: usize = 12;

/// Runs statements in the database.
fn run(app: &App, statements: &str) {
    if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).unwrap();
        database.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        return database.execute_batch(statements).unwrap();
    }
    Postgres::connect(app.database(), NoTls).unwrap().batch_execute(statements).unwrap();
}

/// The text that a query returns.
pub(crate) fn read(app: &App, query: &str) -> Option<String> {
    if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).unwrap();
        return database.query_row(query, [], |row| row.get(0)).unwrap();
    }
    Postgres::connect(app.database(), NoTls).unwrap().query_one(query, &[]).unwrap().get(0)
}

/// Makes rows unreadable.
fn spoil(app: &App, table: &str, column: &str, of: &str) {
    run(app, &format!("UPDATE {table} SET {column} = 'spoiled' WHERE {of}"));
}

fn a_run_that_cannot_be_read_fails_and_others_go_on(desk: Desk) {
    let app = &desk.inbox.app;
    desk.script(json!([says("Done."), says("Done.")]));
    app.restart_with(&[("FRONTDESK_ROLE", "api")]);
    let bad = desk.starts(json!({ "goal": "Spoiled." }));
    let good = desk.starts(json!({ "goal": "Good." }));
    spoil(app, "runs", "machine", "goal = 'Spoiled.'");
    app.restart();
    desk.script(json!([says("Done."), says("Done.")]));
    desk.becomes(&good, "succeeded");
    let status = || read(app, "SELECT status FROM runs WHERE goal = 'Spoiled.'");
    assert!(came_true(|| status().as_deref() == Some("failed")), "{bad}: {:?}", status());
    assert!(desk.inbox.app.logs().contains("was set aside"));
}

fn a_broadcast_that_cannot_be_read_fails_and_others_are_sent(inbox: Inbox) {
    let at = inbox.advance(0) + 3_600_000;
    let broadcast = |name: &str| {
        let mut broadcast = hello(phones(&numbers(3)));
        broadcast["name"] = json!(name);
        broadcast["schedule_at"] = json!(written(at));
        announced(&inbox.client, broadcast)
    };
    let (_bad, good) = (broadcast("Spoiled"), broadcast("Good"));
    inbox.settle();
    spoil(&inbox.app, "broadcasts", "content", "name = 'Spoiled'");
    inbox.advance(3_601);
    becomes(&inbox.client, &good, "sent");
    let status = || read(&inbox.app, "SELECT status FROM broadcasts WHERE name = 'Spoiled'");
    for _ in 0..ROUNDS {
        advance(&inbox.app, PAUSE);
    }
    assert_eq!(status().as_deref(), Some("failed"));
}

fn a_trigger_that_cannot_be_read_is_left_and_others_fire(business: Business) {
    let due = business.now() + 3_600_000;
    let once = |name: &str| business.makes(json!({ "name": name, "kind": "once", "run_at": written(due) }));
    let (_bad, good) = (once("Spoiled"), once("Good"));
    spoil(&business.app, "triggers", "kind", "name = 'Spoiled'");
    advance_to(&business.app, due);
    assert!(came_true(|| business.runs(&good).len() == 1));
    let error = || read(&business.app, "SELECT last_error FROM triggers WHERE name = 'Spoiled'");
    for _ in 0..ROUNDS {
        business.advance(PAUSE);
    }
    assert!(error().is_some(), "it was not left");
    let waiting = read(
        &business.app,
        "SELECT CASE WHEN due_at IS NULL THEN 'no' ELSE 'yes' END FROM triggers WHERE name = 'Spoiled'",
    );
    assert_eq!(waiting.as_deref(), Some("no"));
}

fn a_bulk_job_that_always_fails_ends_and_others_go_on(inbox: Inbox) {
    inbox.app.restart_with(&[("FRONTDESK_ROLE", "api")]);
    let (ann, bob) =
        (add(&inbox.client, json!({ "name": "Ann" })), add(&inbox.client, json!({ "name": "Bob" })));
    let vip = tag(&inbox.client, "vip");
    let job = |contact: &str| -> Value {
        let body = json!({ "ids": [contact], "add_tag_ids": [vip] });
        inbox.client.post("/contacts/bulk", body).expect(202).data().clone()
    };
    let (bad, good) = (job(&ann), job(&bob));
    let spoiled = json!({ "ids": [ann], "add_tag_ids": "spoiled" });
    run(&inbox.app, &format!("UPDATE bulk_jobs SET request = '{spoiled}' WHERE request LIKE '%{ann}%'"));
    inbox.app.restart();
    let ends = |job: &Value| {
        let path = format!("/contacts/bulk/{}", id(job));
        eventually("the end of a job", || {
            let status = inbox.client.get(&path).expect(200).data()["status"].clone();
            (status != "running").then_some(status)
        })
    };
    assert_eq!(ends(&good), "done");
    assert_eq!(ends(&bad), "failed");
}

fn an_erasure_that_always_fails_keeps_no_other_waiting(inbox: Inbox) {
    let (ann, bob) = (inbox.hears("14155550123", "I am spoiled."), inbox.hears("14155550199", "I am good."));
    let refuse = if inbox.app.database().starts_with("sqlite:") {
        "CREATE TRIGGER refuse BEFORE DELETE ON messages WHEN OLD.text = 'I am spoiled.'
            BEGIN SELECT RAISE(ABORT, 'refused'); END"
    } else {
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF OLD.text = 'I am spoiled.' THEN RAISE EXCEPTION 'refused'; END IF; RETURN OLD; END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON messages FOR EACH ROW EXECUTE FUNCTION refuse()"
    };
    run(&inbox.app, refuse);
    for conversation in [&ann, &bob] {
        let contact = conversation["contact_id"].as_str().unwrap();
        inbox.client.delete(&format!("/contacts/{contact}")).expect(200);
    }
    let left = |text: &str| {
        let found = format!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM messages WHERE text = '{text}') THEN 'yes' ELSE 'no' END"
        );
        read(&inbox.app, &found).unwrap()
    };
    assert!(came_true(|| left("I am good.") == "no"));
    assert!(came_true(|| inbox.app.logs().contains("was set aside")));
    assert_eq!(left("I am spoiled."), "yes");
}
