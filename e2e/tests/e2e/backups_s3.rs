//! Backups to S3-compatible storage: a stand-in that checks every signature, fails, and is slow.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{App, Engine, came_true, on_every_engine, on_sqlite};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::backups::{Files, elsewhere};

on_every_engine! {
    backups_go_to_a_bucket_and_the_oldest_are_deleted,
}

on_sqlite! {
    a_large_backup_goes_in_parts_through_errors_and_a_slow_network,
    a_wrong_key_is_told_of_and_stores_nothing,
}

const KEY_ID: &str = "AKIDEXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const BUCKET: &str = "shop-backups";
const PART_MIB: usize = 5;

/// The storage: objects by key, and uploads that are not complete.
#[derive(Default)]
struct Shelf {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    /// The statuses of the next responses, in place of what was asked for.
    failures: VecDeque<u16>,
    requests: Vec<String>,
    pause: Duration,
}

struct Storage {
    address: String,
    shelf: Arc<Mutex<Shelf>>,
}

/// A request as it came.
struct Asked {
    method: String,
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Storage {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let shared = shelf.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { address, shelf }
    }

    fn keys(&self) -> Vec<String> {
        self.shelf.lock().unwrap().objects.keys().cloned().collect()
    }

    fn app(&self, engine: Engine, secret: &str) -> App {
        App::start(engine)
            .env("FRONTDESK_SANDBOX_CLOCK", "true")
            .env("FRONTDESK_BACKUP_TO", &format!("s3://{BUCKET}/shops/acme"))
            .env("FRONTDESK_BACKUP_KEEP", "2")
            .env("FRONTDESK_S3_ENDPOINT", &self.address)
            .env("FRONTDESK_S3_ACCESS_KEY_ID", KEY_ID)
            .env("FRONTDESK_S3_SECRET_ACCESS_KEY", secret)
            .env("FRONTDESK_S3_PART_MIB", &PART_MIB.to_string())
            .ready()
    }
}

fn serve(stream: &TcpStream, shelf: &Mutex<Shelf>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        let pause = shelf.lock().unwrap().pause;
        thread::sleep(pause);
        let (status, headers, body) = respond(&asked, &mut shelf.lock().unwrap());
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        let mut stream = stream;
        if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, path, query, headers, body })
}

fn respond(asked: &Asked, shelf: &mut Shelf) -> (u16, String, String) {
    let said = |status, code: &str| {
        (status, String::new(), format!("<Error><Code>{code}</Code><Message>It is {code}.</Message></Error>"))
    };
    if let Err(wrong) = check_signature(asked) {
        return said(403, wrong);
    }
    shelf.requests.push(format!("{} {}", asked.method, asked.query.split('=').next().unwrap_or_default()));
    if let Some(status) = shelf.failures.pop_front() {
        return said(status, "SlowDown");
    }
    let Some(rest) = asked.path.strip_prefix(&format!("/{BUCKET}/")) else {
        return said(404, "NoSuchBucket");
    };
    let query: BTreeMap<String, String> = asked
        .query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (name.to_owned(), value.replace("%2F", "/")))
        .collect();
    let fine = |headers: String, body: String| (200, headers, body);
    match (asked.method.as_str(), query.get("uploadId")) {
        ("GET", _) => {
            // One key at a time, so that the pages are walked.
            let (prefix, after) = (&query["prefix"], query.get("continuation-token"));
            let all = shelf.objects.keys().filter(|key| key.starts_with(prefix.as_str()));
            let left: Vec<&String> = all.filter(|key| after.is_none_or(|after| *key > after)).collect();
            let keys =
                left.first().map_or_else(String::new, |key| format!("<Contents><Key>{key}</Key></Contents>"));
            let next = match left.first() {
                Some(last) if left.len() > 1 => format!(
                    "<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>"
                ),
                _ => "<IsTruncated>false</IsTruncated>".to_owned(),
            };
            fine(String::new(), format!("<ListBucketResult>{keys}{next}</ListBucketResult>"))
        }
        ("POST", None) => {
            let id = format!("upload{}", shelf.uploads.len());
            shelf.uploads.insert(id.clone(), BTreeMap::new());
            fine(String::new(), format!("<R><UploadId>{id}</UploadId></R>"))
        }
        ("PUT", Some(id)) => {
            let Some(upload) = shelf.uploads.get_mut(id) else { return said(404, "NoSuchUpload") };
            upload.insert(query["partNumber"].parse().unwrap(), asked.body.clone());
            fine(format!("ETag: \"{:x}\"\r\n", asked.body.len()), String::new())
        }
        ("POST", Some(id)) => {
            let Some(parts) = shelf.uploads.remove(id) else { return said(404, "NoSuchUpload") };
            let listed = String::from_utf8_lossy(&asked.body).matches("<Part>").count();
            if listed != parts.len() || parts.values().rev().skip(1).any(|part| part.len() < PART_MIB << 20) {
                return said(400, "InvalidPart");
            }
            shelf.objects.insert(rest.to_owned(), parts.into_values().flatten().collect());
            fine(String::new(), "<R></R>".to_owned())
        }
        ("PUT", None) => {
            shelf.objects.insert(rest.to_owned(), asked.body.clone());
            fine(String::new(), String::new())
        }
        ("DELETE", Some(id)) => {
            shelf.uploads.remove(id);
            (204, String::new(), String::new())
        }
        ("DELETE", None) => {
            shelf.objects.remove(rest);
            (204, String::new(), String::new())
        }
        _ => said(405, "MethodNotAllowed"),
    }
}

/// Signs the request once more and compares.
fn check_signature(asked: &Asked) -> Result<(), &'static str> {
    let header = |name: &str| asked.headers.get(name).map(String::as_str).ok_or("MissingHeader");
    let authorization = header("authorization")?;
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(&format!("{name}=")).ok_or("MissingPart")?;
        Ok::<_, &str>(rest.split(',').next().unwrap_or_default())
    };
    let (credential, names, given) = (part("Credential")?, part("SignedHeaders")?, part("Signature")?);
    let (key_id, scope) = credential.split_once('/').ok_or("MissingScope")?;
    if key_id != KEY_ID {
        return Err("InvalidAccessKeyId");
    }
    let content = hex(&Sha256::digest(&asked.body));
    if header("x-amz-content-sha256")? != content {
        return Err("XAmzContentSHA256Mismatch");
    }
    let mut canonical = format!("{}\n{}\n{}\n", asked.method, asked.path, asked.query);
    for name in names.split(';') {
        writeln!(canonical, "{name}:{}", header(name)?).unwrap();
    }
    write!(canonical, "\n{names}\n{content}").unwrap();
    let mut query: Vec<&str> = asked.query.split('&').collect();
    query.sort_unstable();
    if query.join("&") != asked.query || !names.contains("host") || !names.contains("x-amz-date") {
        return Err("NotCanonical");
    }
    let text =
        format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", header("x-amz-date")?, hex(&Sha256::digest(&canonical)));
    let key = scope.split('/').fold(format!("AWS4{SECRET}").into_bytes(), |key, part| keyed(&key, part));
    if hex(&keyed(&key, &text)) == given { Ok(()) } else { Err("SignatureDoesNotMatch") }
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[track_caller]
fn advance(app: &App, seconds: u64) {
    app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
}

fn backups_go_to_a_bucket_and_the_oldest_are_deleted(engine: Engine) {
    let (files, storage) = (Files::new(), Storage::start());
    let other = "shops/acme/frontdesk-mine.backup".to_owned();
    storage.shelf.lock().unwrap().objects.insert(other.clone(), Vec::new());
    let app = storage.app(engine, SECRET);
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
    let app = storage.app(engine, SECRET);
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
    let app = storage.app(engine, "another secret");
    let ready = || app.anonymous().vendors().get("/readyz").expect(200).text;
    assert!(came_true(|| ready().contains("SignatureDoesNotMatch")), "{}", ready());
    assert!(storage.keys().is_empty());
    assert!(!app.logs().contains("another secret"), "the log has the key");
}
