//! Requests of any method and path.

use std::fmt::Display;
use std::future::IntoFuture;

use http::Method;
use serde::Serialize;

use crate::call::Call;
use crate::client::Client;
use crate::error::Result;
use crate::request::call_settings;
use crate::response::RawResponse;
use crate::send::Sending;

impl Client {
    /// A request of any method and path, for what this version of the crate does not know.
    ///
    /// ```no_run
    /// # async fn example(client: frontdesk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let response = client.request("GET", "/api/v1/contacts").query("limit", 5).send().await?;
    /// let contacts: serde_json::Value = serde_json::from_slice(response.body())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn request(&self, method: &str, path: &str) -> RawRequest {
        let named = Method::from_bytes(method.as_bytes()).ok();
        let is_usable = named.is_some() && path.starts_with('/');
        let mut call = Call::new(named.unwrap_or_default(), path.to_owned());
        if !is_usable {
            call.invalid = Some(format!("no request is {method} {path}; a path begins with a slash"));
        }
        RawRequest::new(self, call)
    }
}

/// A request of any method and path. It is sent when it is awaited, with the same retries and errors as the others.
#[derive(Clone, Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct RawRequest {
    client: Client,
    call: Call,
}

impl RawRequest {
    pub(crate) fn new(client: &Client, call: Call) -> Self {
        Self { client: client.clone(), call }
    }

    /// Adds a parameter of the query.
    pub fn query(mut self, name: impl Into<String>, value: impl Display) -> Self {
        self.call.query(name.into(), value);
        self
    }

    /// Its body, as JSON.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        self.call = self.call.json(body);
        self
    }

    /// The idempotency key, if the operation takes one. Without it, a write is not tried again after a broken connection.
    pub fn idempotency_key(mut self, key: &str) -> Self {
        self.call = self.call.idempotency_key(key);
        self
    }

    /// Sends it. A response other than 2xx is an error.
    pub async fn send(self) -> Result<RawResponse> {
        self.client.send(&self.call).await
    }

    call_settings!(call);
}

/// Sends it.
impl IntoFuture for RawRequest {
    type Output = Result<RawResponse>;
    type IntoFuture = Sending<RawResponse>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
