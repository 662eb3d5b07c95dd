//! Public endpoints: routes that need no API key. A vendor's webhook, a website's form and a file have addresses outside
//! the API. The first part of the path selects the endpoint.
//!
//! An endpoint authenticates its callers itself. It gets their address if that is known, and never sees a key. It
//! looks up what the path names before it reads the body: a request to an unknown address takes no memory.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use frontdesk_db::Store;
use frontdesk_kernel::Timestamp;
use frontdesk_web::{Failure, Reply, Result};
use futures_util::Stream;
use http::{HeaderMap, Method};

use crate::by::Recorder;
use crate::services::{Clock, Services};
use crate::suspensions::Suspensions;

/// What public endpoints and workers share.
#[derive(Clone)]
pub struct ServerContext {
    pub store: Store,
    pub services: Arc<Services>,
    pub clock: Clock,
    pub recorder: Arc<Recorder>,
    /// For work that was claimed before its account was suspended.
    pub suspensions: Suspensions,
}

/// A request that carries no key.
#[derive(Debug)]
pub struct PublicRequest {
    pub method: Method,
    /// The path after the endpoint's name, without a leading slash.
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The caller's address, if it is known.
    pub address: Option<IpAddr>,
    pub now: Timestamp,
}

impl PublicRequest {
    /// The parts of the path, if there are exactly this many.
    pub fn parts<const N: usize>(&self) -> Option<[&str; N]> {
        let parts: Vec<&str> = self.path.split('/').collect();
        parts.try_into().ok()
    }

    /// A header's value as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

type BodyFuture<'a> = Pin<Box<dyn Future<Output = Result<Bytes>> + Send + 'a>>;
type ReadBody<'a> = Box<dyn FnOnce(usize) -> BodyFuture<'a> + Send + 'a>;

/// A request whose body has not been read.
pub struct UnreadRequest<'a> {
    /// The request, with an empty body.
    pub head: PublicRequest,
    body_bytes_max: usize,
    read: ReadBody<'a>,
}

impl<'a> UnreadRequest<'a> {
    /// `read` reads a body of at most so many bytes.
    pub fn new(
        head: PublicRequest,
        body_bytes_max: usize,
        read: impl FnOnce(usize) -> BodyFuture<'a> + Send + 'a,
    ) -> Self {
        Self { head, body_bytes_max, read: Box::new(read) }
    }

    /// Reads a body of at most the endpoint's size.
    pub async fn read(self) -> Result<PublicRequest> {
        let bytes_max = self.body_bytes_max;
        self.read_up_to(bytes_max).await
    }

    /// Reads a body of at most this size.
    pub async fn read_up_to(self, bytes_max: usize) -> Result<PublicRequest> {
        let body = (self.read)(bytes_max).await?;
        Ok(PublicRequest { body, ..self.head })
    }
}

/// A request that was read already.
impl From<PublicRequest> for UnreadRequest<'_> {
    fn from(request: PublicRequest) -> Self {
        let body = request.body.clone();
        Self::new(request, usize::MAX, move |bytes_max| {
            let is_too_large = body.len() > bytes_max;
            Box::pin(async move { if is_too_large { Err(Failure::too_large(bytes_max)) } else { Ok(body) } })
        })
    }
}

/// A body that is sent as it is produced.
pub type ByteStream = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// A response, whose body may be a stream.
pub struct PublicResponse {
    pub reply: Reply,
    /// The stream that is sent in place of the reply's body.
    pub live: Option<ByteStream>,
}

impl From<Reply> for PublicResponse {
    fn from(reply: Reply) -> Self {
        Self { reply, live: None }
    }
}

type ResponseFuture<'a> = Pin<Box<dyn Future<Output = Result<PublicResponse>> + Send + 'a>>;
type Handler = dyn for<'a> Fn(&'a ServerContext, UnreadRequest<'a>) -> ResponseFuture<'a> + Send + Sync;

/// One public endpoint.
#[derive(Clone)]
pub struct PublicEndpoint {
    /// The first part of its paths.
    pub name: &'static str,
    pub body_bytes_max: usize,
    handler: Arc<Handler>,
}

impl PublicEndpoint {
    /// An endpoint that accepts bodies of up to this size.
    pub fn new<F>(name: &'static str, body_bytes_max: usize, handler: F) -> Self
    where
        F: for<'a> Fn(&'a ServerContext, UnreadRequest<'a>) -> ResponseFuture<'a> + Send + Sync + 'static,
    {
        Self { name, body_bytes_max, handler: Arc::new(handler) }
    }

    pub async fn respond<'a>(
        &self,
        server: &'a ServerContext,
        request: UnreadRequest<'a>,
    ) -> Result<PublicResponse> {
        (self.handler)(server, request).await
    }
}

/// The path does not exist.
pub fn nothing_here() -> Failure {
    Failure::not_found("There is nothing at this address. Check that it was copied whole.")
}
