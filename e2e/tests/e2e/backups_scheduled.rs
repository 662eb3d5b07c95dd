//! Scheduled backups: on time, complete, as many as are wanted, and told of when they fail.

use std::fs;

use frontdesk_e2e::{App, Engine, came_true, on_every_engine, on_shared_stores};
use serde_json::json;

use crate::backups::{Files, elsewhere};
use crate::shapes::text;

on_every_engine! {
    backups_are_taken_on_time_and_the_oldest_are_deleted,
    a_backup_that_fails_is_told_of_and_tried_again,
}

on_shared_stores! {
    one_of_two_servers_takes_a_backup,
}

const HOUR: u64 = 3_600;

fn is_backup(name: &str) -> bool {
    name.strip_suffix(".backup").is_some()
}

#[track_caller]
fn advance(app: &App, seconds: u64) {
    app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
}

fn ready(app: &App) -> String {
    app.anonymous().vendors().get("/readyz").expect(200).text
}

fn backups_are_taken_on_time_and_the_oldest_are_deleted(engine: Engine) {
    let files = Files::new();
    let app = App::start(engine)
        .env("FRONTDESK_SANDBOX_CLOCK", "true")
        .env("FRONTDESK_BACKUP_TO", &files.path("daily"))
        .env("FRONTDESK_BACKUP_EVERY", "24h")
        .env("FRONTDESK_BACKUP_KEEP", "3")
        .env("FRONTDESK_BACKUP_SECRET_KEY", "true")
        .ready();
    let names = || -> Vec<String> {
        let found = fs::read_dir(files.path("daily")).map(|dir| dir.flatten().collect()).unwrap_or_default();
        let found: Vec<fs::DirEntry> = found;
        let mut names: Vec<String> =
            found.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert!(came_true(|| names().iter().any(|name| is_backup(name))), "the first is taken at once");
    fs::write(files.path("daily/notes.txt"), "mine").unwrap();
    // Left by a server that died.
    fs::write(files.path("daily/frontdesk-20200101T000000Z.backup.00ff.partial"), "half").unwrap();
    advance(&app, 23 * HOUR);
    assert_eq!(names().iter().filter(|name| is_backup(name)).count(), 1, "{:?}", names());
    let tenant = app.tenant();
    let ann = tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201).id();
    for day in 2..6_usize {
        advance(&app, if day == 2 { HOUR } else { 24 * HOUR });
        let found = names();
        let backups: Vec<&String> = found.iter().filter(|name| is_backup(name)).collect();
        assert_eq!(backups.len(), day.min(3), "{found:?}");
        assert!(!found.iter().any(|name| name.ends_with("partial")), "{found:?}");
    }
    assert!(names().contains(&"notes.txt".to_owned()), "a file of somebody else was deleted");
    assert!(!ready(&app).contains("backup"), "{}", ready(&app));
    let metrics = app.anonymous().vendors().get("/metrics").expect(200).text;
    assert!(metrics.contains("frontdesk_backup_last_success_timestamp_seconds"), "{metrics}");
    assert!(metrics.contains("frontdesk_backups_total{outcome=\"done\"} 5"), "{metrics}");
    let newest = names().into_iter().rfind(|name| is_backup(name)).unwrap();
    let place = elsewhere(engine);
    let restored = place.cli(&["restore", &files.path(&format!("daily/{newest}"))]);
    assert_eq!(restored["secret_key"], "restored");
    place.restart();
    place.anonymous().with_key(&tenant.key.secret).get(&format!("/contacts/{ann}")).expect(200);
}

fn a_backup_that_fails_is_told_of_and_tried_again(engine: Engine) {
    let files = Files::new();
    fs::write(files.path("daily"), "a file where the directory should be").unwrap();
    let app = App::start(engine)
        .env("FRONTDESK_SANDBOX_CLOCK", "true")
        .env("FRONTDESK_BACKUP_TO", &files.path("daily"))
        .ready();
    assert!(came_true(|| ready(&app).contains("the last attempt at a backup failed")), "{}", ready(&app));
    assert!(ready(&app).contains("there is no backup yet"));
    let report = app.run(&["doctor", "--listen", "127.0.0.1:0", "--json"]).json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "backups").expect("a check");
    assert_eq!(check["status"], "warning", "{check}");
    fs::remove_file(files.path("daily")).unwrap();
    advance(&app, HOUR);
    assert!(!ready(&app).contains("backup"), "{}", ready(&app));
    assert_eq!(fs::read_dir(files.path("daily")).unwrap().count(), 1);
    let report = app.run(&["doctor", "--listen", "127.0.0.1:0", "--json"]).json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "backups").expect("a check");
    assert!(text(&check["message"]).contains("the last backup is"), "{check}");
}

fn one_of_two_servers_takes_a_backup(engine: Engine) {
    let files = Files::new();
    let app = App::start(engine).alone().env("FRONTDESK_BACKUP_TO", &files.path("daily")).ready();
    let second = app.second_server();
    let backups = || fs::read_dir(files.path("daily")).map_or(0, Iterator::count);
    assert!(came_true(|| backups() == 1));
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(backups(), 1, "both took one");
    drop(second);
}
