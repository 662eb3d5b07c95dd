//! The secret key: a wrong or a lost one is refused, and never replaced.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{App, Engine, Received, on_every_engine};
use hmac::{Hmac, KeyInit, Mac};
use postgres::{Client as Postgres, NoTls};
use sha2::Sha256;

use crate::webhooks_scene::{Hook, Scene, start};

on_every_engine! {
    a_server_with_another_key_or_none_refuses_to_start,
    a_database_from_before_there_was_a_canary_is_judged_by_its_secrets,
    a_key_from_the_environment_must_be_32_bytes_in_base64,
    a_lost_key_can_be_given_up,
}

pub(crate) const VARIABLE: &str = "FRONTDESK_SECRET_KEY";
pub(crate) const PREVIOUS: &str = "FRONTDESK_SECRET_KEY_PREVIOUS";

/// A key made of one byte.
pub(crate) fn key(byte: u8) -> String {
    STANDARD.encode([byte; 32])
}

/// Changes the database behind the server's back.
pub(crate) fn execute(app: &App, statement: &str) {
    match app.database().strip_prefix("sqlite:") {
        Some(path) => {
            let database = rusqlite::Connection::open(path).unwrap();
            database.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
            database.execute_batch(statement).unwrap();
        }
        None => Postgres::connect(app.database(), NoTls).unwrap().batch_execute(statement).unwrap(),
    }
}

/// The file beside a SQLite database that holds its key.
pub(crate) fn key_file(app: &App) -> PathBuf {
    format!("{}.key", app.database().strip_prefix("sqlite:").expect("SQLite")).into()
}

/// Demands that a delivery is signed with the endpoint's secret.
#[track_caller]
pub(crate) fn is_signed(hook: &Hook, sent: &Received) {
    let secret = STANDARD.decode(hook.secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
    mac.update(format!("{}.{}.", sent.header("webhook-id"), sent.header("webhook-timestamp")).as_bytes());
    mac.update(&sent.body);
    let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(sent.header("webhook-signature"), signature);
}

#[track_caller]
fn refused(app: &App, environment: &[(&str, &str)]) -> String {
    let started = app.try_second_server_with(environment);
    let said = started.map(|server| server.base()).expect_err("it started");
    assert!(!said.contains("panicked") && !said.contains("listening"), "{said}");
    assert!(said.contains("secret key") && said.contains(VARIABLE), "it says not what to do: {said}");
    said
}

fn a_server_with_another_key_or_none_refuses_to_start(engine: Engine) {
    let (right, wrong) = (key(1), key(2));
    let scene = Scene::of(start(engine).env(VARIABLE, &right));
    let (app, made) = (&scene.app, scene.hook("/hook"));
    app.stop();
    assert!(refused(app, &[(VARIABLE, &wrong)]).contains("wrong"));
    assert!(refused(app, &[(VARIABLE, "")]).contains("missing"));
    for environment in [(VARIABLE, wrong.as_str()), (VARIABLE, "")] {
        let create = ["booking-source", "create", "--account", &scene.tenant.account.id];
        let said = app.run_with(&[environment], &create).expect_failure();
        assert!(said.contains("secret key"), "{said}");
    }
    if engine == Engine::Sqlite {
        assert!(!key_file(app).exists(), "a lost key was replaced");
        fs::write(key_file(app), key(3)).unwrap();
        assert!(refused(app, &[(VARIABLE, "")]).contains("frontdesk.db.key"));
        // The right key works from the file as well.
        fs::write(key_file(app), format!("{right}\n")).unwrap();
        app.restart_with(&[(VARIABLE, "")]);
    } else {
        app.restart();
    }
    scene.contact();
    is_signed(&made, &scene.sink.wait("/hook", 1)[0]);
}

fn a_database_from_before_there_was_a_canary_is_judged_by_its_secrets(engine: Engine) {
    let scene = Scene::of(start(engine).env(VARIABLE, &key(1)));
    let (app, made) = (&scene.app, scene.hook("/hook"));
    app.stop();
    execute(app, "DELETE FROM settings WHERE name = 'secret_canary'");
    refused(app, &[(VARIABLE, &key(2))]);
    refused(app, &[(VARIABLE, "")]);
    app.restart();
    scene.contact();
    is_signed(&made, &scene.sink.wait("/hook", 1)[0]);
    app.stop();
    // Now there is one, whatever is sealed.
    execute(app, "DELETE FROM webhook_endpoints; DELETE FROM connections");
    refused(app, &[(VARIABLE, &key(2))]);
}

fn a_key_from_the_environment_must_be_32_bytes_in_base64(engine: Engine) {
    let app = App::start(engine).env(VARIABLE, &key(1)).unstarted();
    for wrong in ["a key of 32 characters, or nearly", "c2hvcnQ=", &STANDARD.encode([1; 33])] {
        assert!(refused(&app, &[(VARIABLE, wrong)]).contains("32 bytes in base64"));
    }
    app.restart();
    // Every way to write the bytes is the same key.
    app.restart_with(&[(VARIABLE, key(1).trim_end_matches('='))]);
}

fn a_lost_key_can_be_given_up(engine: Engine) {
    let scene = Scene::of(start(engine).env(VARIABLE, &key(1)));
    let (app, made) = (&scene.app, scene.hook("/hook"));
    assert!(app.run(&["secret", "rotate", "--lost"]).expect_failure().contains("not lost"));
    app.stop();
    let new = [(VARIABLE, key(2))];
    let new: Vec<(&str, &str)> = new.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let done = app.run_with(&new, &["secret", "rotate", "--lost", "--json"]).expect_success().json();
    let lost: Vec<&str> =
        done["unreadable"].as_array().unwrap().iter().map(|value| value["id"].as_str().unwrap()).collect();
    assert!(lost.contains(&made.path.strip_prefix("/webhooks/").unwrap()), "{done}");
    app.restart_with(&new);
    scene.client.post(&format!("{}/secret", made.path), serde_json::json!({})).expect(200);
    scene.contact();
    assert_eq!(scene.sink.wait("/hook", 1).len(), 1);
}
