//! A stand-in for S3-compatible storage: it checks every signature, and fails, is slow or sends other bytes as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::Start;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

pub(crate) const KEY_ID: &str = "AKIDEXAMPLE";
pub(crate) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
pub(crate) const BUCKET: &str = "shop-backups";
pub(crate) const PART_MIB: usize = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const BROKEN_OFF: &str = "X-Broken-Off: yes\r\n";

/// The storage: objects by key, and uploads that are not complete.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) objects: BTreeMap<String, Vec<u8>>,
    pub(crate) uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    /// The statuses of the next responses, in place of what was asked for.
    pub(crate) failures: VecDeque<u16>,
    pub(crate) requests: Vec<String>,
    pub(crate) pause: Duration,
    /// What is done to the objects that are read.
    pub(crate) reading: Reading,
    /// Requests of this method wait before they are carried out, and so many wait now.
    pub(crate) held: Option<&'static str>,
    pub(crate) waiting: usize,
}

/// How objects are read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    #[default]
    Whole,
    /// Without the last byte.
    Truncated,
    /// With another first byte.
    Altered,
    /// The next connection ends in the middle, and the others do not.
    BrokenOff,
}

pub(crate) struct Storage {
    pub(crate) address: String,
    pub(crate) shelf: Arc<Mutex<Shelf>>,
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
    pub(crate) fn start() -> Self {
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

    pub(crate) fn keys(&self) -> Vec<String> {
        self.shelf.lock().unwrap().objects.keys().cloned().collect()
    }

    /// The variables with which a server reaches it.
    pub(crate) fn variables(&self, start: Start, secret: &str) -> Start {
        start
            .env("FRONTDESK_S3_ENDPOINT", &self.address)
            .env("FRONTDESK_S3_ACCESS_KEY_ID", KEY_ID)
            .env("FRONTDESK_S3_SECRET_ACCESS_KEY", secret)
            .env("FRONTDESK_S3_PART_MIB", &PART_MIB.to_string())
    }
}

fn serve(stream: &TcpStream, shelf: &Mutex<Shelf>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        let pause = shelf.lock().unwrap().pause;
        thread::sleep(pause);
        hold(&asked, shelf);
        let (status, headers, body) = respond(&asked, &mut shelf.lock().unwrap());
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        let mut stream = stream;
        if headers == BROKEN_OFF {
            let _its_reader_may_be_gone =
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[..body.len() / 2]));
            return;
        }
        if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).is_err() {
            return;
        }
    }
}

/// Waits while requests of this method are held.
fn hold(asked: &Asked, shelf: &Mutex<Shelf>) {
    let is_held = |shelf: &Shelf| shelf.held.is_some_and(|method| method == asked.method);
    if !is_held(&shelf.lock().unwrap()) {
        return;
    }
    shelf.lock().unwrap().waiting += 1;
    while is_held(&shelf.lock().unwrap()) {
        thread::sleep(LOOK_AGAIN);
    }
    shelf.lock().unwrap().waiting -= 1;
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

fn respond(asked: &Asked, shelf: &mut Shelf) -> (u16, String, Vec<u8>) {
    let said = |status, code: &str| {
        let body = format!("<Error><Code>{code}</Code><Message>It is {code}.</Message></Error>");
        (status, String::new(), body.into_bytes())
    };
    if let Err(wrong) = check_signature(asked) {
        return said(403, wrong);
    }
    shelf.requests.push(format!("{} {}", asked.method, asked.query.split('=').next().unwrap_or_default()));
    if let Some(status) = shelf.failures.pop_front() {
        return said(status, "SlowDown");
    }
    // A key is in its shortest form, and nothing in it is encoded.
    if asked.path.contains("..") || asked.path.contains('%') || asked.path[1..].contains("//") {
        return said(400, "InvalidURI");
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
    let fine = |headers: String, body: String| (200, headers, body.into_bytes());
    match (asked.method.as_str(), query.get("uploadId")) {
        ("GET", _) if !rest.is_empty() => {
            let reading = shelf.reading;
            if reading == Reading::BrokenOff {
                shelf.reading = Reading::Whole;
            }
            match shelf.objects.get(rest) {
                Some(object) => read_object(asked, object, reading),
                None => said(404, "NoSuchKey"),
            }
        }
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
            (204, String::new(), Vec::new())
        }
        ("DELETE", None) => {
            shelf.objects.remove(rest);
            (204, String::new(), Vec::new())
        }
        _ => said(405, "MethodNotAllowed"),
    }
}

/// An object from a byte on.
fn read_object(asked: &Asked, object: &[u8], reading: Reading) -> (u16, String, Vec<u8>) {
    let range = asked.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
    let from: usize = range.map_or(0, |from| from.parse().unwrap());
    let mut body = object[from.min(object.len())..].to_vec();
    let mut headers = String::new();
    match reading {
        Reading::Whole => {}
        Reading::Truncated => drop(body.pop()),
        Reading::Altered => body.iter_mut().take(1).for_each(|byte| *byte ^= 1),
        Reading::BrokenOff => BROKEN_OFF.clone_into(&mut headers),
    }
    (if range.is_some() { 206 } else { 200 }, headers, body)
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
