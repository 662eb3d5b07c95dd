//! The client: where the server is, the key, and how patient it is.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http::header::HeaderValue;
use http::uri::Authority;
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::error::{Error, Result};
use crate::response::{RateLimit, RawResponse};
use crate::transport::Connector;

/// Attempts after the first.
const RETRIES_MAX: u32 = 3;
/// How long an idle connection is kept. Servers and proxies close theirs after about a minute.
const IDLE_TIME: Duration = Duration::from_secs(20);

/// A client of one account of a Frontdesk server. It is cheap to clone, and clones share their connections.
///
/// ```no_run
/// # async fn example() -> frontdesk::Result<()> {
/// let client = frontdesk::Client::new("https://desk.example", "frontdesk_live_…")?;
/// println!("{}", client.me().get().await?.account.name);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) http: legacy::Client<Connector, Full<Bytes>>,
    /// Without a slash at its end.
    pub(crate) url: String,
    pub(crate) authorization: HeaderValue,
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) max_retries: u32,
    rate_limit: Mutex<Option<RateLimit>>,
}

impl Client {
    /// A client of the server at `url`, such as `https://desk.example`, with an API key.
    pub fn new(url: impl Into<String>, key: impl Into<String>) -> Result<Self> {
        Self::builder(url, key).build()
    }

    /// A client of the server that the variable `FRONTDESK_BASE_URL` names, with the key in `FRONTDESK_API_KEY`.
    pub fn from_env() -> Result<Self> {
        let read = |name: &str| {
            std::env::var(name).map_err(|_| Error::Invalid(format!("set the environment variable {name}")))
        };
        Self::new(read("FRONTDESK_BASE_URL")?, read("FRONTDESK_API_KEY")?)
    }

    /// A client with settings of its own.
    pub fn builder(url: impl Into<String>, key: impl Into<String>) -> Builder {
        Builder {
            url: url.into(),
            key: key.into(),
            timeout: None,
            attempt_timeout: None,
            max_retries: RETRIES_MAX,
            #[cfg(feature = "tls")]
            roots: Vec::new(),
        }
    }

    /// The key's budget, as of the last response. None before the first.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        *self.0.rate_limit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, response: &RawResponse) {
        if let Some(seen) = response.rate_limit() {
            *self.0.rate_limit.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        }
    }
}

/// Without the key.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", &self.0.url).finish_non_exhaustive()
    }
}

/// Settings of a client.
#[must_use]
pub struct Builder {
    url: String,
    key: String,
    timeout: Option<Duration>,
    attempt_timeout: Option<Duration>,
    max_retries: u32,
    #[cfg(feature = "tls")]
    roots: Vec<Vec<u8>>,
}

impl Builder {
    /// The deadline of a call with all its attempts and pauses; a minute by default, and ten minutes for a file.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The time of a single attempt; 30 seconds by default, and ten minutes for a file.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Some(timeout);
        self
    }

    /// How often a call is tried again; three times by default.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// Also trusts this certificate, in DER: for a server with certificates of your own.
    #[cfg(feature = "tls")]
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(der.into());
        self
    }

    /// The client, unless an address or a key cannot be used. Nothing is sent yet.
    pub fn build(self) -> Result<Client> {
        let url = self.url.trim_end_matches('/').to_owned();
        check_url(&url)?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", self.key.trim()))
            .map_err(|_| Error::Invalid("the API key has characters that no key has".to_owned()))?;
        authorization.set_sensitive(true);
        #[cfg(feature = "tls")]
        let connector = Connector::new(self.roots)
            .map_err(|error| Error::Invalid(format!("a root certificate cannot be used: {error}")))?;
        #[cfg(not(feature = "tls"))]
        let connector = Connector::new();
        let http = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME)
            .build(connector);
        Ok(Client(Arc::new(Inner {
            http,
            url,
            authorization,
            timeout: self.timeout,
            attempt_timeout: self.attempt_timeout,
            max_retries: self.max_retries,
            rate_limit: Mutex::new(None),
        })))
    }
}

/// Without the key.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("url", &self.url).finish_non_exhaustive()
    }
}

fn check_url(url: &str) -> Result<()> {
    // Without the text, which is a key if somebody confuses the two.
    let refused = |why: &str| Err(Error::Invalid(format!("the address of the server cannot be used: {why}")));
    let Ok(uri) = url.parse::<Uri>() else { return refused("it cannot be read") };
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if cfg!(feature = "tls") => {}
        Some("https") => return refused("https needs the feature `tls`"),
        _ => return refused("it begins with https:// or http://"),
    }
    if uri.authority().map(Authority::host).is_none_or(str::is_empty) || uri.query().is_some() {
        return refused("it is a host, perhaps with a path, such as https://desk.example");
    }
    Ok(())
}
