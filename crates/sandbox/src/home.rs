//! The server that a sandbox runs inside.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

/// What the server provides.
#[derive(Clone)]
pub struct Home {
    /// The address at which the server reaches itself. Links back to the sandbox begin with it, whatever
    /// address the caller used.
    pub url: String,
    /// Whether `POST /sandbox/clock` moves the server's clock.
    pub has_movable_clock: bool,
    pub fetch: Fetch,
}

/// Fetches a customer's media from its address, up to this many bytes. The server decides which addresses are
/// allowed; the error gives the reason.
pub type Fetch = Arc<dyn Fn(String, usize) -> Fetching + Send + Sync>;

/// A running fetch.
pub type Fetching = Pin<Box<dyn Future<Output = Result<Fetched, String>> + Send>>;

/// A fetched file.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub content_type: Option<String>,
    pub bytes: Bytes,
}
