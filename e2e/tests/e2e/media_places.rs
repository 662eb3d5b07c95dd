//! Files outside the database: in a directory, and in a bucket. They are served, sent, backed up and erased as before; a place
//! that fails harms nothing but the files in it; and nobody reaches a file by its name.

use std::fs;
use std::path::{Path, PathBuf};

use frontdesk_e2e::{App, Client, Engine, Response, Start, Wire, came_true, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::backups::{Files, elsewhere};
use crate::inbox_scene::{ANN, BOB, Inbox, eventually, start};
use crate::s3_storage::{BUCKET, Reading, SECRET, Storage};
use crate::shapes::text;
use crate::uploads::{sending, upload};

on_every_engine! {
    files_go_to_a_directory_and_are_served_sent_and_erased,
    files_go_to_a_bucket_and_are_served_sent_and_erased,
    what_a_crash_leaves_while_a_file_is_written_is_deleted,
    a_backup_has_the_files_that_are_outside,
    the_files_of_a_deleted_account_are_gone_and_those_of_others_are_there,
}

on_sqlite! {
    a_bucket_that_fails_takes_files_later_and_says_503_for_those_it_has,
    a_file_that_is_truncated_or_altered_is_never_taken_for_whole,
    a_file_outside_is_reached_by_its_link_alone,
    the_doctor_tries_the_place_of_files,
    an_upload_that_expires_is_deleted_outside_once_the_bucket_works,
}

/// Longer than a file may be written.
const HOURS_7: u64 = 7 * 60 * 60;

/// A place outside the database.
pub(crate) enum Outside {
    Directory(Files),
    Bucket(Storage),
}

impl Outside {
    pub(crate) fn directory() -> Self {
        Self::Directory(Files::new())
    }

    pub(crate) fn bucket() -> Self {
        Self::Bucket(Storage::start())
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Directory(files) => format!("file://{}", files.path("media")),
            Self::Bucket(storage) => {
                format!("s3://{BUCKET}/desk?endpoint={}&region=eu-central-1", storage.address)
            }
        }
    }

    /// The variables with which a server reaches it. New files go there if `target`.
    pub(crate) fn variables(&self, start: Start, target: bool) -> Start {
        let start = match self {
            Self::Directory(_) => start,
            Self::Bucket(storage) => storage.variables(start, SECRET),
        };
        if target { start.env("FRONTDESK_MEDIA", &self.url()) } else { start }
    }

    /// The names of its files.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::Directory(files) => {
                let root = PathBuf::from(files.path("media"));
                let mut found = Vec::new();
                walk(&root, &root, &mut found);
                found
            }
            Self::Bucket(storage) => {
                let keys = storage.keys();
                keys.iter().map(|key| key.strip_prefix("desk/").expect("the prefix").to_owned()).collect()
            }
        }
    }

    fn storage(&self) -> &Storage {
        match self {
            Self::Bucket(storage) => storage,
            Self::Directory(_) => panic!("it is a directory"),
        }
    }
}

fn walk(root: &Path, directory: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}

/// What a link opens. The address changes when a server is started again.
pub(crate) fn open(inbox: &Inbox, url: &Value) -> Response {
    let url = text(url);
    let at = url.find("/media/").unwrap_or_else(|| panic!("no link to media: {url}"));
    inbox.app.anonymous().vendors().get(&url[at..])
}

/// A server whose new files go to a place.
fn inbox(engine: Engine, place: &Outside) -> Inbox {
    Inbox::of(place.variables(start(engine), true))
}

/// Bytes in no order that a gap or a repetition would leave unnoticed.
pub(crate) fn content(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 31 % 251) as u8 ^ (at >> 12) as u8).collect()
}

pub(crate) fn status(app: &App) -> Value {
    app.cli(&["media", "status"])
}

/// How many files are in the places whose names begin so.
pub(crate) fn files_in(status: &Value, kind: &str) -> i64 {
    let places = status["places"].as_array().expect("places");
    let of_kind = places.iter().filter(|place| text(&place["place"]).starts_with(kind));
    of_kind.map(|place| place["files"].as_i64().unwrap()).sum()
}

/// Waits until so many files are outside, and nothing is left to do.
#[track_caller]
fn all_outside(app: &App, place: &Outside, files: usize) {
    let is_done = || {
        let status = status(app);
        files_in(&status, "database") == 0
            && files_in(&status, "") == files as i64
            && status["removals"].as_array().unwrap().is_empty()
            && place.names().len() == files
    };
    assert!(came_true(is_done), "{} {:?}\n{}", status(app), place.names(), app.logs());
}

fn files_go_to_a_directory_and_are_served_sent_and_erased(engine: Engine) {
    files_are_served_sent_and_erased(engine, &Outside::directory());
}

fn files_go_to_a_bucket_and_are_served_sent_and_erased(engine: Engine) {
    files_are_served_sent_and_erased(engine, &Outside::bucket());
}

fn files_are_served_sent_and_erased(engine: Engine, place: &Outside) {
    let inbox = inbox(engine, place);
    let device = inbox.connect("personal_whatsapp");
    let lengths = [0, 1, (512 << 10) + 1, (6 << 20) + 17];
    let made: Vec<Value> = lengths
        .iter()
        .map(|length| upload(&inbox.client, "a.bin", "application/octet-stream", &content(*length)))
        .collect();
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image" } }));
    let heard = eventually("the picture", || inbox.events("message.received").pop());
    let photo = inbox.message(&heard["message"]["id"])["media_url"].clone();
    assert!(came_true(|| open(&inbox, &photo).status == 200), "it was never fetched");
    all_outside(&inbox.app, place, lengths.len() + 1);
    for name in place.names() {
        let parts: Vec<&str> = name.split('/').collect();
        assert_eq!(parts.len(), 3, "{name}");
        assert_eq!((parts[0], parts[1]), (inbox.tenant.account.id.as_str(), &parts[2][34..]), "{name}");
    }
    for (length, made) in lengths.iter().zip(&made) {
        let response = open(&inbox, &made["url"]).expect(200);
        assert_eq!(response.header("content-length"), Some(length.to_string().as_str()));
        assert!(response.body == content(*length), "{length}: the bytes are others");
    }
    assert!(!open(&inbox, &photo).expect(200).body.is_empty());
    // A channel that takes files gets the bytes, and the file goes with its contact.
    let conversation = inbox.hears_on(&device, BOB, "Show me.");
    let message = inbox.sends(sending(&conversation, "document", &made[2]));
    inbox.becomes(&message, "delivered");
    inbox.client.delete(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    open(&inbox, &made[2]["url"]).expect(404);
    all_outside(&inbox.app, place, lengths.len());
    // What is kept after a restart is read with nothing but its row.
    inbox.app.restart();
    assert!(open(&inbox, &made[3]["url"]).expect(200).body == content(lengths[3]));
}

fn what_a_crash_leaves_while_a_file_is_written_is_deleted(engine: Engine) {
    let place = Outside::bucket();
    let inbox = Inbox::of(place.variables(start(engine).alone(), true));
    let shelf = &place.storage().shelf;
    // While the copy is written, while it is read back, and while the old file is deleted.
    for (round, method) in ["PUT", "GET", "DELETE"].into_iter().enumerate() {
        shelf.lock().unwrap().held = Some(method);
        let made = upload(&inbox.client, "a.bin", "text/plain", &content(1_000 + round));
        if method == "DELETE" {
            let moved = || files_in(&status(&inbox.app), "database") == 0;
            assert!(came_true(moved), "{}", status(&inbox.app));
            inbox.app.cli(&["media", "move", "--to", "database"]);
        }
        assert!(came_true(|| shelf.lock().unwrap().waiting > 0), "{method}: {}", status(&inbox.app));
        inbox.app.kill();
        shelf.lock().unwrap().held = None;
        assert!(came_true(|| shelf.lock().unwrap().waiting == 0));
        inbox.app.restart();
        let response = open(&inbox, &made["url"]).expect(200);
        assert!(response.body == content(1_000 + round), "{method}: the bytes are others");
    }
    inbox.advance(HOURS_7);
    let is_done = || {
        let status = status(&inbox.app);
        status["removals"].as_array().unwrap().is_empty() && status["waiting_to_move"] == 0
    };
    assert!(came_true(is_done), "{}\n{}", status(&inbox.app), inbox.app.logs());
    let status = status(&inbox.app);
    assert_eq!(place.names().len() as i64, files_in(&status, "bucket"), "{status} {:?}", place.names());
    assert_eq!(files_in(&status, ""), 3, "{status}");
}

fn a_backup_has_the_files_that_are_outside(engine: Engine) {
    let (files, place) = (Files::new(), Outside::directory());
    let inbox = Inbox::of(place.variables(start(engine).alone(), true));
    let lengths = [0, 700, (512 << 10) * 2, (2 << 20) + 5];
    let made: Vec<Value> = lengths
        .iter()
        .map(|length| upload(&inbox.client, "a.bin", "application/octet-stream", &content(*length)))
        .collect();
    all_outside(&inbox.app, &place, lengths.len());
    let backup = inbox.app.cli(&["backup", &files.path("all"), "--with-secret-key"]);
    assert_eq!((&backup["has_outside_files"], &backup["outside"]["files"]), (&json!(true), &json!(4)));
    let bare = inbox.app.cli(&["backup", &files.path("bare"), "--with-secret-key", "--without-media"]);
    assert_eq!((&bare["has_outside_files"], &bare["outside"]["left_out_files"]), (&json!(false), &json!(4)));
    let said = inbox.app.run(&["backup", &files.path("bare-2"), "--without-media"]).expect_success();
    assert!(said.out.contains("WARNING") && said.out.contains("not in this backup"), "{}", said.out);
    // An export has them too.
    let account = &inbox.tenant.account.id;
    let exported = files.path("export.zip");
    inbox.app.cli(&["export", "--account", account, "--output", &exported]);
    let mut zip = zip::ZipArchive::new(fs::File::open(&exported).unwrap()).unwrap();
    let id = text(&made[3]["id"]);
    let mut entry = zip.by_name(&format!("media/{id}.bin")).unwrap();
    let mut read = Vec::new();
    std::io::Read::read_to_end(&mut entry, &mut read).unwrap();
    assert!(read == content(lengths[3]), "the exported bytes are others");
    // A file that is lost is told of by name, and the backup has everything else.
    let lost = place.names().into_iter().find(|name| size_of(&place, name) == 700).unwrap();
    let Outside::Directory(directory) = &place else { panic!("a directory") };
    fs::remove_file(Path::new(&directory.path("media")).join(lost)).unwrap();
    let damaged = inbox.app.cli(&["backup", &files.path("damaged")]);
    assert_eq!(damaged["outside"]["damaged_files"], 1, "{damaged}");
    assert!(
        damaged["outside"]["damaged"][0].as_str().unwrap().starts_with(text(&made[1]["id"])),
        "{damaged}"
    );
    inbox.app.stop();
    fs::remove_dir_all(directory.path("media")).unwrap();
    let restored = elsewhere(engine);
    restored.cli(&["restore", &files.path("all")]);
    restored.restart();
    for (length, made) in lengths.iter().zip(&made) {
        let url = text(&made["url"]);
        let path = &url[url.find("/media/").unwrap()..];
        let response = restored.anonymous().vendors().get(path).expect(200);
        assert!(response.body == content(*length), "{length}: the restored bytes are others");
    }
    assert_eq!(files_in(&status(&restored), "database"), 4);
}

fn the_files_of_a_deleted_account_are_gone_and_those_of_others_are_there(engine: Engine) {
    for place in [Outside::directory(), Outside::bucket()] {
        let inbox = Inbox::of(place.variables(start(engine).alone(), true));
        let (app, account) = (&inbox.app, &inbox.tenant.account.id);
        let others = app.tenant();
        let lengths = [0, 700, (2 << 20) + 5];
        let store = |client: &Client| -> Vec<Value> {
            let kind = "application/octet-stream";
            lengths.iter().map(|length| upload(client, "a.bin", kind, &content(*length))).collect()
        };
        let (ours, theirs) = (store(&inbox.client), store(&others.client));
        all_outside(app, &place, 2 * lengths.len());
        let accounts = app.cli(&["account", "list"]);
        let accounts = accounts.as_array().unwrap();
        let name = text(&accounts.iter().find(|one| one["id"] == *account).unwrap()["name"]);
        app.cli(&["account", "delete", account, "--yes-delete", name]);
        all_outside(app, &place, lengths.len());
        let is_theirs = |name: &String| name.starts_with(&others.account.id);
        assert!(place.names().iter().all(is_theirs), "{:?}", place.names());
        for (length, (our, their)) in lengths.iter().zip(ours.iter().zip(&theirs)) {
            open(&inbox, &our["url"]).expect(404);
            assert!(open(&inbox, &their["url"]).expect(200).body == content(*length), "{length}");
        }
    }
}

fn size_of(place: &Outside, name: &str) -> u64 {
    match place {
        Outside::Directory(files) => fs::metadata(Path::new(&files.path("media")).join(name)).unwrap().len(),
        Outside::Bucket(storage) => {
            storage.shelf.lock().unwrap().objects[&format!("desk/{name}")].len() as u64
        }
    }
}

fn a_bucket_that_fails_takes_files_later_and_says_503_for_those_it_has(engine: Engine) {
    let place = Outside::bucket();
    let inbox = inbox(engine, &place);
    let shelf = &place.storage().shelf;
    let kept = upload(&inbox.client, "a.bin", "text/plain", &content(5_000));
    all_outside(&inbox.app, &place, 1);
    let said = |response: &Response| text(&response.error("internal")["message"]).to_owned();
    for status in [500, 403] {
        shelf.lock().unwrap().failures = [status; 1].into();
        let response = open(&inbox, &kept["url"]).expect(503);
        assert!(said(&response).contains("storage of this file"), "{}", said(&response));
        assert!(response.header("retry-after").is_some());
    }
    assert!(open(&inbox, &kept["url"]).expect(200).body == content(5_000));
    // A bucket that never responds holds up its own files alone.
    shelf.lock().unwrap().held = Some("GET");
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| open(&inbox, &kept["url"]));
        assert!(came_true(|| shelf.lock().unwrap().waiting > 0));
        let made = upload(&inbox.client, "b.bin", "text/plain", &content(7));
        assert!(open(&inbox, &made["url"]).expect(200).body == content(7), "it is in the database");
        inbox.client.get("/contacts").expect(200);
        slow.join().unwrap().expect(503);
    });
    shelf.lock().unwrap().held = None;
    // One that refuses everything takes nothing, and loses nothing.
    shelf.lock().unwrap().failures = [403; 40].into();
    let refused = upload(&inbox.client, "c.bin", "text/plain", &content(9));
    assert!(open(&inbox, &refused["url"]).expect(200).body == content(9));
    shelf.lock().unwrap().failures.clear();
    inbox.advance(600);
    let all_there = || files_in(&status(&inbox.app), "bucket") == 3;
    assert!(came_true(all_there), "{}\n{}", status(&inbox.app), inbox.app.logs());
    assert!(open(&inbox, &refused["url"]).expect(200).body == content(9));
    let metrics = inbox.sandbox().get("/metrics").expect(200).text;
    for name in [
        "frontdesk_file_calls_total{place=\"bucket\",call=\"write\",outcome=\"ok\"}",
        "frontdesk_file_calls_total{place=\"bucket\",call=\"open\",outcome=\"failed\"}",
        "frontdesk_file_bytes_total{place=\"bucket\",direction=\"written\"}",
    ] {
        assert!(metrics.contains(name), "{name} is not in {metrics}");
    }
    assert!(!inbox.app.logs().contains(SECRET), "the log has the key");
}

fn a_file_that_is_truncated_or_altered_is_never_taken_for_whole(engine: Engine) {
    let place = Outside::bucket();
    let inbox = inbox(engine, &place);
    let shelf = &place.storage().shelf;
    let made = upload(&inbox.client, "a.bin", "text/plain", &content(300_000));
    all_outside(&inbox.app, &place, 1);
    let path = text(&made["url"]).strip_prefix(&inbox.app.base()).unwrap().to_owned();
    for reading in [Reading::Truncated, Reading::Altered] {
        shelf.lock().unwrap().reading = reading;
        let mut wire: Wire = inbox.app.wire();
        wire.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).unwrap();
        assert!(wire.try_answer().is_err(), "the client saw a whole file");
        // A message with it is not sent.
        let conversation = inbox.hears(ANN, "Show me.");
        let message = inbox.sends(sending(&conversation, "image", &made));
        inbox.becomes(&message, "failed");
    }
    // A connection that ends in the middle is made again, and the file comes whole.
    shelf.lock().unwrap().reading = Reading::BrokenOff;
    assert!(open(&inbox, &made["url"]).expect(200).body == content(300_000));
    // A copy that does not read back as it was written is no copy.
    shelf.lock().unwrap().reading = Reading::Altered;
    let second = upload(&inbox.client, "b.bin", "text/plain", &content(11));
    assert!(came_true(|| inbox.app.logs().contains("a file stays in the database")), "{}", inbox.app.logs());
    assert!(open(&inbox, &second["url"]).expect(200).body == content(11));
    assert_eq!(files_in(&status(&inbox.app), "database"), 1);
}

fn a_file_outside_is_reached_by_its_link_alone(engine: Engine) {
    let place = Outside::directory();
    let inbox = inbox(engine, &place);
    let made = upload(&inbox.client, "../../../etc/passwd", "text/plain", &content(50));
    all_outside(&inbox.app, &place, 1);
    let (account, id, name) = (&inbox.tenant.account.id, text(&made["id"]), place.names().remove(0));
    let file = name.rsplit('/').next().unwrap();
    for path in [
        name.clone(),
        file.to_owned(),
        id.to_owned(),
        format!("{account}/{id}"),
        format!("../{name}"),
        format!("..%2f..%2f{name}"),
        "../../../../etc/passwd".to_owned(),
        "%2e%2e/%2e%2e/etc/passwd".to_owned(),
        "..%252f..%252fetc%252fpasswd".to_owned(),
        "%00".to_owned(),
    ] {
        let mut wire = inbox.app.wire();
        wire.send(format!("GET /media/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            .unwrap();
        let response = wire.response();
        assert!((400..500).contains(&response.status), "{path}: {}", response.status);
        assert!(response.body != content(50) && !response.text.contains("root:"), "{path}");
    }
    // Another account can neither send it nor keep it.
    let stranger = inbox.app.tenant();
    for attempt in [id, file] {
        let reply = json!({ "shortcut": "hours", "body": "See this.", "media_ids": [attempt] });
        let refused = stranger.client.post("/canned-replies", reply).expect(400);
        assert!(refused.text.contains("media_ids"), "{attempt}: {}", refused.text);
    }
    assert!(open(&inbox, &made["url"]).expect(200).body == content(50));
}

fn the_doctor_tries_the_place_of_files(engine: Engine) {
    let (files, bucket) = (Files::new(), Storage::start());
    let app = App::start(engine).ready();
    fs::write(files.path("in-the-way"), "").unwrap();
    let look = |media: &str, secret: &str| {
        let said = app.run_with(
            &[
                ("FRONTDESK_MEDIA", media),
                ("FRONTDESK_S3_ENDPOINT", &bucket.address),
                ("FRONTDESK_S3_ACCESS_KEY_ID", crate::s3_storage::KEY_ID),
                ("FRONTDESK_S3_SECRET_ACCESS_KEY", secret),
            ],
            &["doctor", "--json"],
        );
        let report = said.json();
        let checks: Vec<Value> = report["checks"].as_array().unwrap().clone();
        let of_files: Vec<Value> = checks.into_iter().filter(|check| check["name"] == "files").collect();
        of_files.first().cloned().unwrap_or_else(|| panic!("no check of files: {report}"))
    };
    assert_eq!(look("database", SECRET)["status"], "ok");
    let directory = look(&files.path("media"), SECRET);
    assert_eq!(directory["status"], "ok", "{directory}");
    assert_eq!(look(&files.path("in-the-way"), SECRET)["status"], "failed");
    let works = look(&format!("s3://{BUCKET}/desk"), SECRET);
    assert_eq!(works["status"], "ok", "{works}");
    let refused = look(&format!("s3://{BUCKET}/desk"), "another secret");
    assert_eq!(refused["status"], "failed");
    assert!(text(&refused["message"]).contains("SignatureDoesNotMatch"), "{refused}");
    assert!(!refused.to_string().contains("another secret"));
    assert!(bucket.keys().is_empty(), "the doctor leaves nothing behind");
}

fn an_upload_that_expires_is_deleted_outside_once_the_bucket_works(engine: Engine) {
    let place = Outside::bucket();
    let inbox = Inbox::of(place.variables(start(engine).alone(), true));
    let shelf = &place.storage().shelf;
    upload(&inbox.client, "a.bin", "text/plain", &content(20));
    all_outside(&inbox.app, &place, 1);
    shelf.lock().unwrap().failures = [403; 1_000].into();
    inbox.advance(8 * 24 * 60 * 60);
    let is_failing = || {
        let status = status(&inbox.app);
        status["removals"][0]["reason"] == "deleted" && status["removals"][0]["failing"] == 1
    };
    assert!(came_true(is_failing), "{}", status(&inbox.app));
    assert_eq!(place.names().len(), 1, "it was refused");
    let said = inbox.app.run(&["media", "status"]).expect_success();
    assert!(said.out.contains("could not be deleted yet"), "{}", said.out);
    shelf.lock().unwrap().failures.clear();
    inbox.advance(2 * 60 * 60);
    let is_gone = || place.names().is_empty() && status(&inbox.app)["removals"] == json!([]);
    assert!(came_true(is_gone), "{}", status(&inbox.app));
}
