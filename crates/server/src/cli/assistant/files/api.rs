//! Calls of a server's API.
//!
//! A call that the server refused because it is busy or the key's budget is spent is made again, because nothing was
//! done. A call whose response did not arrive is not repeated.

use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use frontdesk_outbound::{Client, Limits, Reach, Response};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde_json::Value;
use tokio::time::sleep;

use crate::cli::print::printable;
use crate::error::{Error, Result};

/// The deadline of a call: a trial may take a minute.
const CALL_TIME_MAX: Duration = Duration::from_secs(90);
/// The largest response that is read.
const BODY_BYTES_MAX: usize = 16 << 20;
/// How often a refused call is made again, and how long it waits each time at most.
const RETRIES_MAX: usize = 8;
const WAIT_SECONDS_MAX: u64 = 60;
/// The details of an error that are shown.
const DETAILS_SHOWN_MAX: usize = 20;
const AGENT: &str = concat!("frontdesk-cli/", env!("CARGO_PKG_VERSION"));

/// The server that a command works with, and the key that it uses.
// No Debug: the key is a secret.
#[derive(Args)]
pub(super) struct ServerArgs {
    /// The server's URL
    #[arg(long, env = "FRONTDESK_BASE_URL", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    url: String,
    /// An API key with the scope `assistants:write`. Better in `FRONTDESK_API_KEY`, because others on this machine see arguments
    #[arg(long, env = "FRONTDESK_API_KEY", hide_env_values = true, value_name = "KEY")]
    key: Option<String>,
}

/// An error that the server answered.
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) reason: String,
    message: String,
    /// The values that are not acceptable: their paths, and what is wrong with them.
    pub(super) details: Vec<(String, String)>,
}

impl Refusal {
    fn read(status: StatusCode, body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = &body["error"];
        let text = |value: &Value| printable(value.as_str().unwrap_or_default());
        let details = error["details"].as_array().into_iter().flatten();
        let message = match error["message"].as_str() {
            Some(message) => printable(message),
            None => format!("it answered {status}, not as Frontdesk does. Is --url right?"),
        };
        Self {
            status,
            reason: text(&error["reason"]),
            message,
            details: details.map(|detail| (text(&detail["path"]), text(&detail["message"]))).collect(),
        }
    }

    /// The refusal as an error. `place` names a path of the request as the caller knows it.
    pub(super) fn told(&self, place: impl Fn(&str) -> String) -> Error {
        let line = |(path, message): &(String, String)| match path.as_str() {
            "" => format!("\n  {message}"),
            path => format!("\n  {} {message}", place(path)),
        };
        let lines: Vec<String> = self.details.iter().take(DETAILS_SHOWN_MAX).map(line).collect();
        let message = self.message.trim_end_matches('.');
        Error::Invalid(format!("the server refused this: {message}{}", lines.concat()))
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        refusal.told(str::to_owned)
    }
}

/// Either the connection failed, or the server refused the call.
pub(super) enum CallError {
    Failed(Error),
    Refused(Refusal),
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Failed(error) => error,
            CallError::Refused(refusal) => refusal.into(),
        }
    }
}

pub(super) struct Api {
    client: Client,
    base: String,
    headers: HeaderMap,
}

impl Api {
    pub(super) fn of(args: &ServerArgs) -> Result<Self> {
        let base = args.url.trim().trim_end_matches('/').to_owned();
        let uri: Option<Uri> = base.parse().ok();
        let scheme = uri.as_ref().and_then(Uri::scheme_str);
        if !matches!(scheme, Some("http" | "https")) {
            return Err(Error::Invalid(format!(
                "--url must be an address such as https://desk.example.com, not {:?}",
                printable(&base)
            )));
        }
        let key = args.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| {
            Error::Invalid(
                "an API key is missing: put it into FRONTDESK_API_KEY. Make one with \
                 `frontdesk key create --name files --scopes assistants:write`"
                    .to_owned(),
            )
        })?;
        let mut bearer = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_| Error::Invalid("the API key contains characters that no key has".to_owned()))?;
        bearer.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, bearer);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        Ok(Self { client: Client::new(Reach::Anywhere), base, headers })
    }

    pub(super) async fn get(&self, path: &str) -> std::result::Result<Value, CallError> {
        self.call(Method::GET, path, None).await
    }

    /// Makes a call below `/api/v1`, and returns its whole response.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> std::result::Result<Value, CallError> {
        let uri: Uri = format!("{}/api/v1{path}", self.base)
            .parse()
            .map_err(|_| CallError::Failed(Error::Invalid(format!("{path} makes no address"))))?;
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: BODY_BYTES_MAX };
        let mut tries = 0;
        loop {
            let sent =
                self.client.send(method.clone(), uri.clone(), self.headers.clone(), body.clone(), limits);
            let response = sent.await.map_err(|error| CallError::Failed(self.unreached(&error)))?;
            if response.status.is_success() {
                return serde_json::from_slice(&response.body).map_err(|_| {
                    let message = format!("the server at {} did not answer as Frontdesk does", self.base);
                    CallError::Failed(Error::Invalid(message))
                });
            }
            tries += 1;
            let refusal = Refusal::read(response.status, &response.body);
            // The server has tried its model several times already.
            let may_help = tries <= RETRIES_MAX && refusal.reason != "model_failed";
            match wait_of(&response).filter(|_| may_help) {
                Some(wait) => sleep(wait).await,
                None => return Err(CallError::Refused(refusal)),
            }
        }
    }

    fn unreached(&self, error: &frontdesk_outbound::Error) -> Error {
        Error::Invalid(format!("the server at {} was not reached: {error}", self.base))
    }
}

/// How long to wait before a refused call is made again, if that can help.
fn wait_of(response: &Response) -> Option<Duration> {
    if !matches!(response.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let seconds: u64 = response.headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds.clamp(1, WAIT_SECONDS_MAX)))
}
