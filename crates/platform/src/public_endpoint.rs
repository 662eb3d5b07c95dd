//! Public endpoints: routes that need no API key. A vendor's webhook, a website's form and a file have addresses outside
//! the API. The first part of the path selects the endpoint.
//!
//! An endpoint authenticates its callers itself. It gets their address if that is known, and never sees a key.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use frontdesk_db::Store;
use frontdesk_kernel::Timestamp;
use frontdesk_web::{Failure, Reply, Result};
use futures_util::Stream;
use http::{HeaderMap, Method};

use crate::events::Recorder;
use crate::suspensions::Suspensions;
use crate::{Clock, Services};

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
type Handler = dyn for<'a> Fn(&'a ServerContext, PublicRequest) -> ResponseFuture<'a> + Send + Sync;

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
        F: for<'a> Fn(&'a ServerContext, PublicRequest) -> ResponseFuture<'a> + Send + Sync + 'static,
    {
        Self { name, body_bytes_max, handler: Arc::new(handler) }
    }

    pub async fn respond(&self, server: &ServerContext, request: PublicRequest) -> Result<PublicResponse> {
        (self.handler)(server, request).await
    }
}

/// The path does not exist.
pub fn nothing_here() -> Failure {
    Failure::not_found("There is nothing at this address. Check that it was copied whole.")
}
