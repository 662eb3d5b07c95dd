//! Backups to S3-compatible storage, which checks every signature, fails, and is slow.

use std::collections::VecDeque;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{App, Engine, came_true, on_every_engine, on_sqlite};
use serde_json::json;

use crate::backups::{Files, elsewhere};
use crate::s3_storage::{BUCKET, PART_MIB, SECRET, Storage};

on_every_engine! {
    backups_go_to_a_bucket_and_the_oldest_are_deleted,
}

on_sqlite! {
    a_large_backup_goes_in_parts_through_errors_and_a_slow_network,
    a_wrong_key_is_told_of_and_stores_nothing,
}

fn start(storage: &Storage, engine: Engine, secret: &str) -> App {
    let start = App::start(engine)
        .env("FRONTDESK_SANDBOX_CLOCK", "true")
        .env("FRONTDESK_BACKUP_TO", &format!("s3://{BUCKET}/shops/acme"))
        .env("FRONTDESK_BACKUP_KEEP", "2");
    storage.variables(start, secret).ready()
}

#[track_caller]
fn advance(app: &App, seconds: u64) {
    app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
}

fn backups_go_to_a_bucket_and_the_oldest_are_deleted(engine: Engine) {
    let (files, storage) = (Files::new(), Storage::start());
    let other = "shops/acme/frontdesk-mine.backup".to_owned();
    storage.shelf.lock().unwrap().objects.insert(other.clone(), Vec::new());
    let app = start(&storage, engine, SECRET);
    assert!(came_true(|| storage.keys().len() == 2), "{}", app.logs());
    let tenant = app.tenant();
    let ann = tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201).id();
    for _ in 0..3 {
        advance(&app, 86_400);
    }
    let keys = storage.keys();
    assert_eq!((keys.len(), keys.contains(&other)), (3, true), "{keys:?}");
    let newest = keys.iter().rfind(|key| **key != other).unwrap();
    assert!(newest.starts_with("shops/acme/frontdesk-20"), "{newest}");
    std::fs::write(files.path("fetched"), &storage.shelf.lock().unwrap().objects[newest]).unwrap();
    if engine == Engine::Sqlite {
        app.cli(&["backup", &files.path("with-key"), "--with-secret-key"]);
    }
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("fetched")]);
    let copy = place.cli(&["backup", &files.path("copy")]);
    let contacts =
        copy["tables"].as_array().unwrap().iter().find(|sum| sum["table"] == "contacts").unwrap().clone();
    assert_eq!(contacts["rows"], 1, "{ann} is not there: {contacts}");
}

fn a_large_backup_goes_in_parts_through_errors_and_a_slow_network(engine: Engine) {
    let (files, storage) = (Files::new(), Storage::start());
    let app = start(&storage, engine, SECRET);
    assert!(came_true(|| storage.keys().len() == 1), "{}", app.logs());
    let tenant = app.tenant();
    // Random text does not become smaller.
    let noise = || STANDARD.encode((0..7_000).map(|_| rand::random::<u8>()).collect::<Vec<u8>>());
    let contact = tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201).id();
    for _ in 0..1_700 {
        tenant.client.post(&format!("/contacts/{contact}/notes"), json!({ "body": noise() })).expect(201);
    }
    {
        let mut shelf = storage.shelf.lock().unwrap();
        shelf.requests.clear();
        shelf.failures = VecDeque::from([503, 500]);
        shelf.pause = Duration::from_millis(300);
    }
    advance(&app, 86_400);
    let shelf = storage.shelf.lock().unwrap();
    let parts = shelf.requests.iter().filter(|request| *request == "PUT partNumber").count();
    assert!(parts >= 3, "{:?}", shelf.requests);
    assert!(shelf.uploads.is_empty() && shelf.failures.is_empty());
    let (_, newest) = shelf.objects.last_key_value().unwrap();
    assert!(newest.len() > (2 * PART_MIB) << 20, "{}", newest.len());
    std::fs::write(files.path("fetched"), newest).unwrap();
    drop(shelf);
    let place = elsewhere(engine);
    place.cli(&["restore", &files.path("fetched")]);
}

fn a_wrong_key_is_told_of_and_stores_nothing(engine: Engine) {
    let storage = Storage::start();
    let app = start(&storage, engine, "another secret");
    let ready = || app.anonymous().vendors().get("/readyz").expect(200).text;
    assert!(came_true(|| ready().contains("SignatureDoesNotMatch")), "{}", ready());
    assert!(storage.keys().is_empty());
    assert!(!app.logs().contains("another secret"), "the log has the key");
}
