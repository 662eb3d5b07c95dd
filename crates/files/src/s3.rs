//! A client of S3-compatible storage: it stores, reads, lists and deletes objects below a prefix of a bucket.
//!
//! Requests are signed with AWS signature version 4 (`s3/sign.rs`). The operator chose the address, so it may be a private one.
//! A large object is stored in parts, of which one at a time is in memory; it appears when the last one is there. What fails
//! for a moment is tried again, except for reads, which somebody waits for.

mod config;
#[cfg(test)]
mod fuzzed;
mod sign;
mod xml;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::Timestamp;
use frontdesk_outbound::{Client, Error, Limits, Reach, Response, StreamingResponse};
use http::header::RANGE;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

pub use config::{S3Config, VARIABLES};

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

type Result<T> = std::result::Result<T, S3Error>;

/// Why a request failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum S3Error {
    #[error("the storage responded {status}: {said}")]
    Refused { status: StatusCode, code: String, said: String },
    #[error("{0}")]
    Failed(String),
}

#[derive(Clone)]
pub struct S3 {
    config: S3Config,
    client: Client,
    clock: fn() -> Timestamp,
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
    pub fn new(config: S3Config, clock: fn() -> Timestamp) -> Self {
        Self { config, client: Client::new(Reach::Anywhere), clock }
    }

    pub(crate) fn part_bytes(&self) -> u64 {
        self.config.part_bytes
    }

    /// Stores a file as an object.
    pub async fn put_file(&self, name: &str, path: &Path) -> Result<()> {
        let failed =
            |error: std::io::Error| S3Error::Failed(format!("cannot read {}: {error}", path.display()));
        let mut file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let part_bytes = self.config.part_bytes.max(bytes.div_ceil(PARTS_MAX));
        let mut writer = self.writer(name, part_bytes);
        loop {
            let part = match read_part(&mut file, part_bytes) {
                Ok(part) => part,
                Err(error) => {
                    writer.abort().await;
                    return Err(failed(error));
                }
            };
            if part.is_empty() {
                return writer.finish().await;
            }
            writer.write(&part).await?;
        }
    }

    /// Begins an object, which is stored in parts of this size if it is larger.
    pub(crate) fn writer(&self, name: &str, part_bytes: u64) -> ObjectWriter {
        ObjectWriter {
            s3: self.clone(),
            name: name.to_owned(),
            part_bytes: part_bytes as usize,
            part: Vec::new(),
            upload: None,
        }
    }

    /// Opens an object from a byte on. It must begin to arrive within `time_max`, and so must each of its pieces.
    pub(crate) async fn open(&self, name: &str, from: u64, time_max: Duration) -> Result<ObjectReader> {
        let request =
            S3Request { method: Method::GET, key: self.key(name), query: Vec::new(), body: Bytes::new() };
        let (uri, mut headers) = self.signed(&request)?;
        if from > 0 {
            let range = HeaderValue::from_str(&format!("bytes={from}-"));
            headers.insert(RANGE, range.map_err(|_| S3Error::Failed("the range is no header".to_owned()))?);
        }
        let mut opened = self.client.open(Method::GET, uri, headers, time_max).await.map_err(unreached)?;
        let expected = if from > 0 { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
        if opened.status == expected {
            return Ok(ObjectReader(opened));
        }
        let mut said = Vec::new();
        while let Ok(Some(piece)) = opened.next().await {
            said.extend_from_slice(&piece);
            if said.len() > RESPONSE_BYTES_MAX {
                break;
            }
        }
        Err(refused(opened.status, &said))
    }

    /// The names of all objects below the prefix.
    pub async fn list(&self) -> Result<Vec<String>> {
        let (mut names, mut next) = (Vec::new(), None);
        loop {
            let mut query = Vec::new();
            if let Some(token) = next {
                query.push(("continuation-token", token));
            }
            query.push(("list-type", "2".to_owned()));
            query.push(("prefix", self.config.prefix.clone()));
            let request = S3Request { method: Method::GET, key: String::new(), query, body: Bytes::new() };
            let listed = text(&self.send(request).await?.body);
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

    pub async fn delete(&self, name: &str) -> Result<()> {
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
    ) -> Result<Response> {
        self.send(S3Request { method, key: self.key(name), query, body }).await
    }

    /// Sends a request, again if it failed for a moment.
    async fn send(&self, request: S3Request<'_>) -> Result<Response> {
        let mut pauses = PAUSES.iter();
        loop {
            let failure = match self.send_once(&request).await {
                Ok(response) if response.status.is_success() => return Ok(response),
                Ok(response) => refused(response.status, &response.body),
                Err(failure) => failure,
            };
            if let S3Error::Refused { status, .. } = &failure
                && !status.is_server_error()
                && *status != StatusCode::TOO_MANY_REQUESTS
            {
                return Err(failure);
            }
            let Some(pause) = pauses.next() else { return Err(failure) };
            tracing::debug!(why = %failure, "a request to the storage failed; trying again");
            tokio::time::sleep(*pause).await;
        }
    }

    async fn send_once(&self, request: &S3Request<'_>) -> Result<Response> {
        let (uri, headers) = self.signed(request)?;
        let limits = Limits { time_max: REQUEST_TIME_MAX, body_bytes_max: RESPONSE_BYTES_MAX };
        let sent = self.client.send(request.method.clone(), uri, headers, request.body.clone(), limits).await;
        sent.map_err(unreached)
    }

    fn signed(&self, request: &S3Request<'_>) -> Result<(Uri, HeaderMap)> {
        let S3Request { method, key, query, body } = request;
        let path = self.config.path(key);
        let query = sign::query(query);
        let headers = sign::headers(&self.config, method, &path, &query, body, (self.clock)());
        let mark = if query.is_empty() { "" } else { "?" };
        let uri: Uri = format!("{}{path}{mark}{query}", self.config.endpoint)
            .parse()
            .map_err(|error| S3Error::Failed(format!("the address of the storage is wrong: {error}")))?;
        Ok((uri, headers.map_err(S3Error::Failed)?))
    }
}

/// An object that is being stored.
pub(crate) struct ObjectWriter {
    s3: S3,
    name: String,
    part_bytes: usize,
    /// What is not stored yet: less than a part.
    part: Vec<u8>,
    upload: Option<PartedUpload>,
}

/// An upload in parts: its id, and the XML that lists its parts.
struct PartedUpload {
    id: String,
    parts: u64,
    list: String,
}

impl ObjectWriter {
    pub(crate) async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while self.part.len() + bytes.len() > self.part_bytes {
            let (fits, rest) = bytes.split_at(self.part_bytes - self.part.len());
            self.part.extend_from_slice(fits);
            bytes = rest;
            self.put_part().await?;
        }
        self.part.extend_from_slice(bytes);
        Ok(())
    }

    async fn put_part(&mut self) -> Result<()> {
        let body = Bytes::from(std::mem::take(&mut self.part));
        if self.upload.is_none() {
            let query = vec![("uploads", String::new())];
            let begun = self.s3.request(Method::POST, &self.name, query, Bytes::new()).await?;
            let id = xml::first(&text(&begun.body), "UploadId");
            let id = id.ok_or_else(|| {
                S3Error::Failed(format!("the storage began no upload: {}", quoted(&begun.body)))
            })?;
            self.upload = Some(PartedUpload { id, parts: 0, list: String::new() });
        }
        let Some(upload) = &mut self.upload else { return Ok(()) };
        upload.parts += 1;
        let query = vec![("partNumber", upload.parts.to_string()), ("uploadId", upload.id.clone())];
        let stored = self.s3.request(Method::PUT, &self.name, query, body).await;
        let stored = match stored {
            Ok(stored) => stored,
            Err(failure) => {
                self.forget_parts().await;
                return Err(failure);
            }
        };
        let tag = stored.headers.get("etag").and_then(|tag| tag.to_str().ok());
        let tag = tag.ok_or_else(|| S3Error::Failed("the storage named no ETag of a part".to_owned()))?;
        let (number, tag) = (upload.parts, xml::escaped(tag));
        let list = [
            &upload.list,
            "<Part><PartNumber>",
            &number.to_string(),
            "</PartNumber><ETag>",
            &tag,
            "</ETag></Part>",
        ];
        upload.list = list.concat();
        Ok(())
    }

    /// Stores what is left. The object is there when this returns.
    pub(crate) async fn finish(mut self) -> Result<()> {
        if self.upload.is_none() {
            let body = Bytes::from(std::mem::take(&mut self.part));
            return self.s3.request(Method::PUT, &self.name, Vec::new(), body).await.map(drop);
        }
        if !self.part.is_empty() {
            self.put_part().await?;
        }
        let completed = self.complete().await;
        if completed.is_err() {
            self.forget_parts().await;
        }
        completed
    }

    async fn complete(&self) -> Result<()> {
        let Some(upload) = &self.upload else { return Ok(()) };
        let list = format!("<CompleteMultipartUpload>{}</CompleteMultipartUpload>", upload.list);
        let query = vec![("uploadId", upload.id.clone())];
        let completed = self.s3.request(Method::POST, &self.name, query, Bytes::from(list)).await?;
        // This request may fail with the status of a success.
        if text(&completed.body).contains("<Error>") {
            let why = quoted(&completed.body);
            return Err(S3Error::Failed(format!("the storage did not complete the upload: {why}")));
        }
        Ok(())
    }

    pub(crate) async fn abort(mut self) {
        self.forget_parts().await;
    }

    /// Parts of an upload that is never completed would be paid for.
    async fn forget_parts(&mut self) {
        if let Some(upload) = self.upload.take() {
            let query = vec![("uploadId", upload.id)];
            let _its_own_failure_is_secondary =
                self.s3.request(Method::DELETE, &self.name, query, Bytes::new()).await;
        }
    }
}

/// An object that is being read.
pub(crate) struct ObjectReader(StreamingResponse);

impl ObjectReader {
    pub(crate) async fn next(&mut self) -> std::result::Result<Option<Bytes>, Error> {
        self.0.next().await
    }
}

/// Reads up to so many bytes.
fn read_part(file: &mut File, bytes_max: u64) -> std::io::Result<Bytes> {
    let mut part = Vec::new();
    file.take(bytes_max).read_to_end(&mut part)?;
    Ok(part.into())
}

fn unreached(error: Error) -> S3Error {
    S3Error::Failed(format!("the storage cannot be reached: {error}"))
}

fn refused(status: StatusCode, body: &[u8]) -> S3Error {
    let code = xml::first(&text(body), "Code").unwrap_or_default();
    S3Error::Refused { status, code, said: quoted(body) }
}

fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

/// What the storage says, for an error.
fn quoted(body: &[u8]) -> String {
    let text = text(body);
    let said = xml::first(&text, "Message").or_else(|| xml::first(&text, "Code")).unwrap_or(text);
    said.chars().filter(|c| !c.is_control()).take(QUOTED_CHARS_MAX).collect()
}
