//! A caller of the API.

use http::{HeaderMap, HeaderName, HeaderValue, Request};
use serde_json::Value;
use ureq::Agent;
use ureq::unversioned::resolver::DefaultResolver;

use crate::base::Base;
use crate::caller::CallerAddress;
use crate::response::Response;
use crate::server::Server;
use crate::until::PATIENCE;

const PREFIX: &str = "/api/v1";
/// More than any answer has.
const BODY_BYTES_MAX: u64 = 64 << 20;

/// Calls one server with the same headers each time. Paths are relative to `/api/v1`.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    base: Base,
    prefix: &'static str,
    headers: HeaderMap,
}

impl Client {
    pub(crate) fn new(base: Base, caller: CallerAddress) -> Self {
        // A connection for each call: a server may hang up after an answer, and the next call must not
        // find out. What is said on one connection after another is tried on a `Wire`.
        let config = Agent::config_builder()
            .max_idle_connections(0)
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .build();
        let agent = Agent::with_parts(config, caller, DefaultResolver::default());
        Self { agent, base, prefix: PREFIX, headers: HeaderMap::new() }
    }

    /// The same caller, with this header in place of any of that name.
    pub fn with(&self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let mut other = self.clone();
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        other.headers.insert(name, HeaderValue::from_bytes(value.as_ref()).expect("a header's value"));
        other
    }

    /// The same caller, with another key.
    pub fn with_key(&self, secret: &str) -> Self {
        self.with("authorization", format!("Bearer {secret}"))
    }

    /// The same caller, at another server.
    pub fn at(&self, server: &Server) -> Self {
        Self { base: server.address(), ..self.clone() }
    }

    /// The same caller, at the server with this address (`http://127.0.0.1:PORT`).
    pub fn at_base(&self, url: &str) -> Self {
        let base = Base::default();
        base.set(url.to_owned());
        Self { base, ..self.clone() }
    }

    /// The same caller, with paths that begin at the root: `/healthz`.
    pub fn vendors(&self) -> Self {
        Self { prefix: "", ..self.clone() }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, None)
    }

    #[track_caller]
    pub fn delete(&self, path: &str) -> Response {
        self.send("DELETE", path, None)
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: Value) -> Response {
        self.send_json("POST", path, &body)
    }

    #[track_caller]
    pub fn patch(&self, path: &str, body: Value) -> Response {
        self.send_json("PATCH", path, &body)
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: Value) -> Response {
        self.send_json("PUT", path, &body)
    }

    /// Sends JSON that may be none.
    #[track_caller]
    pub fn post_text(&self, path: &str, body: impl AsRef<[u8]>) -> Response {
        self.with("content-type", "application/json").send("POST", path, Some(body.as_ref()))
    }

    #[track_caller]
    fn send_json(&self, method: &str, path: &str, body: &Value) -> Response {
        self.with("content-type", "application/json").send(method, path, Some(body.to_string().as_bytes()))
    }

    /// Sends any method with any body, and no header that was not asked for.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Response {
        let asked = format!("{method} {path}");
        let mut request =
            Request::builder().method(method).uri(format!("{}{}{path}", self.base.get(), self.prefix));
        request.headers_mut().expect("a well-formed request").extend(self.headers.clone());
        let response = match body {
            Some(body) => self.agent.run(request.body(body).expect("a well-formed request")),
            None => self.agent.run(request.body(()).expect("a well-formed request")),
        };
        let (head, mut body) = response.unwrap_or_else(|error| panic!("{asked}: {error}")).into_parts();
        let body = body.with_config().limit(BODY_BYTES_MAX).read_to_vec();
        let body = body.unwrap_or_else(|error| panic!("{asked}: {error}"));
        Response::new(asked, head.status.as_u16(), head.headers, body)
    }
}
