//! `frontdesk secret rotate`: everything is sealed under a new key, whatever comes in between.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{App, Engine, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::secret_key::{PREVIOUS, VARIABLE, execute, is_signed, key, key_file};
use crate::webhooks_scene::{Hook, Scene, hook, start};

on_every_engine! {
    a_rotation_seals_every_secret_under_a_new_key,
    a_rotation_that_is_killed_leaves_a_working_installation_and_can_be_finished,
    a_key_from_the_environment_is_rotated_while_servers_run,
    a_rotation_refuses_while_a_server_seals_under_the_old_key,
}

/// Rows killed rotations have to work on: several batches.
const HOOKS: usize = 250;

/// Every sealed value of the installation.
fn sealed(app: &App) -> Vec<String> {
    let columns = "SELECT secret FROM webhook_endpoints UNION ALL SELECT old_secret FROM webhook_endpoints
        WHERE old_secret IS NOT NULL UNION ALL SELECT settings FROM connections UNION ALL SELECT secret FROM booking_sources
        UNION ALL SELECT body FROM idempotency WHERE body NOT LIKE '{%'
        UNION ALL SELECT value FROM settings WHERE name = 'secret_canary' OR (name = 'redis' AND value <> '')";
    if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).unwrap();
        let mut rows = database.prepare(columns).unwrap();
        return rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    }
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    database.query(columns, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// The keys that values are sealed under.
fn key_ids(app: &App) -> Vec<String> {
    let mut ids: Vec<String> = sealed(app)
        .iter()
        .map(|value| {
            value.strip_prefix("v2.").and_then(|rest| rest.split('.').next()).expect("v2.ID.…").to_owned()
        })
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

fn rotate(app: &App) -> Value {
    app.run(&["secret", "rotate", "--json"]).expect_success().json()
}

/// A retried creation of an endpoint, whose stored answer is sealed.
fn retried(scene: &Scene) -> String {
    let retrying = scene.client.with("idempotency-key", "hook-1");
    retrying.post("/webhooks", json!({ "url": scene.sink.url("/retried") })).expect(201).text
}

/// Demands that everything that is sealed can be used.
#[track_caller]
fn works(scene: &Scene, made: &Hook, retried_before: &str) {
    let before = scene.sink.count("/hook");
    scene.contact();
    is_signed(made, scene.sink.wait("/hook", before + 1).last().unwrap());
    assert_eq!(retried(scene), retried_before);
    let listed = scene.app.cli(&["channel", "list", "--account", &scene.tenant.account.id]);
    let connection = listed[0]["id"].as_str().expect("a connection");
    // The templates are read with the connection's token.
    scene.app.run(&["channel", "sync", connection]).expect_success();
}

fn scene_with_secrets(start: frontdesk_e2e::Start) -> (Scene, Hook, String) {
    let scene = Scene::of(start);
    let made = scene.hook("/hook");
    let account = scene.tenant.account.id.as_str();
    scene.app.cli(&["channel", "connect", "--account", account, "--channel", "whatsapp", "--sandbox"]);
    scene.app.cli(&["booking-source", "create", "--account", account]);
    let other = scene.hook_for("/rotated", &["deal.deleted"]);
    scene.client.post(&format!("{}/secret", other.path), json!({})).expect(200);
    let text = retried(&scene);
    (scene, made, text)
}

fn a_rotation_seals_every_secret_under_a_new_key(engine: Engine) {
    let (scene, made, retried) = scene_with_secrets(start(engine));
    let app = &scene.app;
    works(&scene, &made, &retried);
    app.stop();
    let (before, values) = (key_ids(app), sealed(app).len() as u64);
    let file = (engine == Engine::Sqlite).then(|| fs::read_to_string(key_file(app)).unwrap());
    let done = rotate(app);
    assert_eq!((&done["resealed"], &done["unreadable"]), (&json!(values), &json!([])));
    let after = key_ids(app);
    assert_eq!(after, [done["key_id"].as_str().unwrap()]);
    assert_ne!(before, after);
    app.restart();
    works(&scene, &made, &retried);
    if let Some(old) = file {
        let new = fs::read_to_string(key_file(app)).unwrap();
        assert_eq!(new.lines().count(), 1, "the old key is still there");
        assert_ne!(new, old);
        app.stop();
        fs::write(key_file(app), old).unwrap();
        app.try_second_server().map(|server| server.base()).expect_err("the old key still works");
        fs::write(key_file(app), new).unwrap();
        app.restart();
    }
    app.stop();
    assert_eq!(rotate(app)["resealed"], json!(values), "it can be rotated again");
}

fn a_rotation_that_is_killed_leaves_a_working_installation_and_can_be_finished(engine: Engine) {
    let (scene, made, retried) = scene_with_secrets(start(engine));
    let app = &scene.app;
    for _ in 0..HOOKS / 50 {
        let client = app.tenant().client;
        for number in 0..50 {
            let url = scene.sink.url(&format!("/{number}"));
            hook(&client, json!({ "url": url, "event_types": ["deal.deleted"] }));
        }
    }
    let mut interrupted = 0;
    for millis in [1, 15, 30, 45, 60, 80, 100, 130] {
        app.stop();
        let mut rotation = app.begin(&["secret", "rotate"]);
        sleep(Duration::from_millis(millis));
        // It may have ended by itself, which is as good.
        let _ = rotation.kill();
        rotation.wait().unwrap();
        interrupted += usize::from(key_ids(app).len() > 1);
        app.restart();
        works(&scene, &made, &retried);
    }
    eprintln!("{interrupted} rotations were killed between two batches");
    app.stop();
    let done = rotate(app);
    assert_eq!(key_ids(app), [done["key_id"].as_str().unwrap()]);
    app.restart();
    works(&scene, &made, &retried);
}

fn a_key_from_the_environment_is_rotated_while_servers_run(engine: Engine) {
    let (old, new) = (key(1), key(2));
    let (scene, made, retried) = scene_with_secrets(start(engine).env(VARIABLE, &old));
    let app = &scene.app;
    let said = app.run(&["secret", "rotate"]).expect_failure();
    assert!(said.contains(VARIABLE) && said.contains(PREVIOUS), "{said}");
    let both = [(VARIABLE, new.as_str()), (PREVIOUS, old.as_str())];
    // The server does not know the new key yet.
    assert!(app.run_with(&both, &["secret", "rotate"]).expect_failure().contains("server"));
    assert_eq!(key_ids(app).len(), 1);
    app.restart_with(&both);
    let hooked = scene.hook_for("/late", &["deal.deleted"]);
    assert_eq!(key_ids(app).len(), 2, "{} is sealed under the new key", hooked.path);
    app.run_with(&both, &["secret", "rotate"]).expect_success();
    assert_eq!(key_ids(app).len(), 1);
    scene.contact();
    is_signed(&made, scene.sink.wait("/hook", 1).last().unwrap());
    app.restart_with(&[(VARIABLE, &new)]);
    scene.contact();
    is_signed(&made, scene.sink.wait("/hook", 2).last().unwrap());
    let replayed = scene.client.with("idempotency-key", "hook-1");
    assert_eq!(
        replayed.post("/webhooks", json!({ "url": scene.sink.url("/retried") })).expect(201).text,
        retried
    );
}

fn a_rotation_refuses_while_a_server_seals_under_the_old_key(engine: Engine) {
    let (scene, made, retried) = scene_with_secrets(start(engine));
    let app = &scene.app;
    let before = sealed(app);
    let said = app.run(&["secret", "rotate"]).expect_failure();
    assert!(said.contains("Stop every server"), "{said}");
    assert_eq!(sealed(app), before);
    works(&scene, &made, &retried);
    // A server that was killed is not waited for longer than it takes to be sure.
    app.kill();
    execute(app, "DELETE FROM servers");
    rotate(app);
    app.restart();
    works(&scene, &made, &retried);
}
