//! A client of S3-compatible storage: it stores, lists and deletes objects below a prefix of a bucket.
//!
//! Requests are signed with AWS signature version 4 ([`sign`]). The operator chose the address, so it may be a private one.
//! A large file is stored in parts, of which one at a time is in memory; it appears when the last one is there. What fails
//! for a moment is tried again.

mod config;
mod sign;
mod xml;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::{Client, Limits, Reach, Response};
use http::{Method, StatusCode, Uri};

use crate::clock;

pub(crate) use config::S3Config;

/// The time limit of a request: a part of the largest size at a slow megabit.
const REQUEST_TIME_MAX: Duration = Duration::from_mins(10);
const RESPONSE_BYTES_MAX: usize = 4 << 20;
/// The storage takes no more parts of one object.
const PARTS_MAX: u64 = 10_000;
/// Pauses before a request is tried again.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(10)];
/// The beginning of a response that is quoted in an error.
const QUOTED_CHARS_MAX: usize = 200;

#[derive(Clone)]
pub(crate) struct S3 {
    config: S3Config,
    client: Client,
}

impl std::fmt::Debug for S3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("S3").field(&self.config).finish()
    }
}

/// A request to the bucket.
struct S3Request<'r> {
    method: Method,
    /// The key of the object, without the prefix; empty for the bucket itself.
    key: String,
    /// In the order of the names.
    query: Vec<(&'r str, String)>,
    body: Bytes,
}

impl S3 {
    pub(crate) fn new(config: S3Config) -> Self {
        Self { config, client: Client::new(Reach::Anywhere) }
    }

    /// Stores a file as an object.
    pub(crate) async fn put_file(&self, name: &str, path: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
        let mut file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let part_bytes = self.config.part_bytes.max(bytes.div_ceil(PARTS_MAX));
        if bytes <= part_bytes {
            let body = read_part(&mut file, part_bytes).map_err(failed)?;
            let put = S3Request { method: Method::PUT, key: self.key(name), query: Vec::new(), body };
            return self.send(put).await.map(drop);
        }
        let begun = self.request(Method::POST, name, vec![("uploads", String::new())], Bytes::new()).await?;
        let upload = xml::first(&text(&begun), "UploadId");
        let upload = upload.ok_or_else(|| format!("the storage began no upload: {}", quoted(&begun)))?;
        let stored = self.put_parts(name, &upload, &mut file, part_bytes).await;
        if stored.is_err() {
            // Parts of an upload that is never completed would be paid for.
            let _its_own_failure_is_secondary =
                self.request(Method::DELETE, name, vec![("uploadId", upload)], Bytes::new()).await;
        }
        stored
    }

    async fn put_parts(
        &self,
        name: &str,
        upload: &str,
        file: &mut File,
        part_bytes: u64,
    ) -> Result<(), String> {
        let mut done = String::from("<CompleteMultipartUpload>");
        for number in 1.. {
            let body =
                read_part(file, part_bytes).map_err(|error| format!("cannot read the backup: {error}"))?;
            if body.is_empty() {
                break;
            }
            let query = vec![("partNumber", number.to_string()), ("uploadId", upload.to_owned())];
            let stored = self.request(Method::PUT, name, query, body).await?;
            let tag = stored.headers.get("etag").and_then(|tag| tag.to_str().ok());
            let tag = tag.ok_or("the storage named no ETag of a part")?;
            let tag = xml::escaped(tag);
            let part = format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>");
            done.push_str(&part);
        }
        done.push_str("</CompleteMultipartUpload>");
        let query = vec![("uploadId", upload.to_owned())];
        let completed = self.request(Method::POST, name, query, Bytes::from(done)).await?;
        // This request may fail with the status of a success.
        if text(&completed).contains("<Error>") {
            return Err(format!("the storage did not complete the upload: {}", quoted(&completed)));
        }
        Ok(())
    }

    /// The names of all objects below the prefix.
    pub(crate) async fn list(&self) -> Result<Vec<String>, String> {
        let (mut names, mut next) = (Vec::new(), None);
        loop {
            let mut query = Vec::new();
            if let Some(token) = next {
                query.push(("continuation-token", token));
            }
            query.push(("list-type", "2".to_owned()));
            query.push(("prefix", self.config.prefix.clone()));
            let request = S3Request { method: Method::GET, key: String::new(), query, body: Bytes::new() };
            let listed = text(&self.send(request).await?);
            let keys = xml::all(&listed, "Key");
            names.extend(
                keys.iter().filter_map(|key| key.strip_prefix(&self.config.prefix)).map(str::to_owned),
            );
            next = xml::first(&listed, "NextContinuationToken");
            if next.is_none() || xml::first(&listed, "IsTruncated").as_deref() != Some("true") {
                return Ok(names);
            }
        }
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<(), String> {
        self.request(Method::DELETE, name, Vec::new(), Bytes::new()).await.map(drop)
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.config.prefix)
    }

    async fn request(
        &self,
        method: Method,
        name: &str,
        query: Vec<(&str, String)>,
        body: Bytes,
    ) -> Result<Response, String> {
        self.send(S3Request { method, key: self.key(name), query, body }).await
    }

    /// Sends a request, again if it failed for a moment.
    async fn send(&self, request: S3Request<'_>) -> Result<Response, String> {
        let mut pauses = PAUSES.iter();
        loop {
            let failure = match self.send_once(&request).await {
                Ok(response) if response.status.is_success() => return Ok(response),
                Ok(response) => {
                    let why = format!("the storage responded {}: {}", response.status, quoted(&response));
                    let is_momentary =
                        response.status.is_server_error() || response.status == StatusCode::TOO_MANY_REQUESTS;
                    if !is_momentary {
                        return Err(why);
                    }
                    why
                }
                Err(why) => why,
            };
            let Some(pause) = pauses.next() else { return Err(failure) };
            tracing::debug!(why = failure, "a request to the storage failed; trying again");
            tokio::time::sleep(*pause).await;
        }
    }

    async fn send_once(&self, request: &S3Request<'_>) -> Result<Response, String> {
        let S3Request { method, key, query, body } = request;
        let path = self.config.path(key);
        let query = sign::query(query);
        let headers = sign::headers(&self.config, method, &path, &query, body, clock::now())?;
        let mark = if query.is_empty() { "" } else { "?" };
        let uri: Uri = format!("{}{path}{mark}{query}", self.config.endpoint)
            .parse()
            .map_err(|error| format!("the address of the storage is wrong: {error}"))?;
        let limits = Limits { time_max: REQUEST_TIME_MAX, body_bytes_max: RESPONSE_BYTES_MAX };
        let sent = self.client.send(method.clone(), uri, headers, body.clone(), limits).await;
        sent.map_err(|error| format!("the storage cannot be reached: {error}"))
    }
}

/// Reads up to so many bytes.
fn read_part(file: &mut File, bytes_max: u64) -> std::io::Result<Bytes> {
    let mut part = Vec::new();
    file.take(bytes_max).read_to_end(&mut part)?;
    Ok(part.into())
}

fn text(response: &Response) -> String {
    String::from_utf8_lossy(&response.body).into_owned()
}

/// What the storage says, for an error.
fn quoted(response: &Response) -> String {
    let text = text(response);
    let said = xml::first(&text, "Message").or_else(|| xml::first(&text, "Code")).unwrap_or(text);
    said.chars().filter(|c| !c.is_control()).take(QUOTED_CHARS_MAX).collect()
}
