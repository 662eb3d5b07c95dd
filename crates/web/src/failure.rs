//! Every failure of a request, and its response.
//!
//! A failure is created where it is detected and rendered once, by the server. Its message is for people and
//! says what to do. It never contains an internal cause (SQL, a path, a stack).

use std::fmt;

use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::problems::{PROBLEMS_LISTED_MAX, Problems};
use crate::reply::{Reply, RequestId};

pub type Result<T> = std::result::Result<T, Failure>;

/// An error response. It is one pointer wide, so that results stay small.
#[derive(Clone, Debug)]
pub struct Failure(Box<Kind>);

#[derive(Clone, Debug)]
enum Kind {
    FailureDetails(FailureDetails),
    Stored(Reply),
}

#[derive(Clone, Debug)]
struct FailureDetails {
    status: StatusCode,
    code: &'static str,
    message: String,
    reason: Option<&'static str>,
    details: Vec<Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The name of the limit that was reached, for the metrics.
    limit: Option<&'static str>,
}

/// Counts responses to requests that were refused because of a limit.
const REFUSALS: &str = "frontdesk_refusals_total";

impl Failure {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Kind::FailureDetails(FailureDetails {
            status,
            code,
            message,
            reason: None,
            details: Vec::new(),
            headers: Vec::new(),
            limit: None,
        })))
    }

    /// The request cannot be parsed: malformed JSON, a bad cursor, a query parameter of the wrong form.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The request is invalid; every problem is listed with its path.
    pub fn validation(problems: Problems) -> Self {
        let message = match problems.len() {
            1 => "One value is not acceptable. Correct what details names and send the request again."
                .to_owned(),
            count if count > PROBLEMS_LISTED_MAX => format!(
                "{count} values are not acceptable. Correct them and send the request again; details names the \
                 first {PROBLEMS_LISTED_MAX}."
            ),
            count => format!(
                "{count} values are not acceptable. Correct what details names and send the request again."
            ),
        };
        let mut failure = Self::new(StatusCode::BAD_REQUEST, "validation_error", message);
        failure.change(|fields| fields.details = problems.into_details());
        failure
    }

    /// One response for every unusable key, so that a caller cannot tell why.
    pub fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "This request carries no usable API key. Send one as `Authorization: Bearer <API_KEY>`.",
        )
        .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"Frontdesk\""))
    }

    /// A request to the dashboard without a valid session.
    pub fn signed_out() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "You are not signed in, or your session has ended. Sign in at /app.",
        )
    }

    /// One response for every failed sign-in, so that the cause is not revealed.
    pub fn sign_in_failed() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "The email address, the password or the code is not right. Check them, or ask an admin of your account for \
             a new link.",
        )
    }

    /// The password was right, and a code of the second factor is required.
    pub fn code_required() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "Enter the code that your authenticator app shows, or one of your recovery codes.",
        )
        .because("code_required")
    }

    pub fn plan_limit(resource: &str, limit: i64) -> Self {
        Self::new(
            StatusCode::PAYMENT_REQUIRED,
            "plan_limit_reached",
            format!("The account's plan allows {limit} {resource}, and they are used up. Raise the plan's limit to go on."),
        )
        .of_limit("plan")
        .detail(json!({ "limit": limit, "resource": resource }))
    }

    pub fn forbidden(reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message).because(reason)
    }

    pub fn suspended() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "account_suspended",
            "This account is suspended. A new key does not help: contact support to resume it.",
        )
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    pub fn unprocessable(reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", message).because(reason)
    }

    pub fn channel_not_connected(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "channel_not_connected", message)
    }

    pub fn rate_limited(message: impl Into<String>, retry_after_seconds: i64) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message)
            .with_header(RETRY_AFTER, retry_after_seconds.into())
    }

    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The server failed. It is safe to send the request again with the same Idempotency-Key; if it \
             keeps failing, report the request_id.",
        )
    }

    /// The server cannot process this request now and has not started it.
    pub fn busy(retry_after_seconds: i64) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "internal",
            "The server is too busy for this request and has not begun it. Send it again in a moment.",
        )
        .with_header(RETRY_AFTER, retry_after_seconds.into())
    }

    /// The resource will be available soon.
    pub fn not_yet(message: impl Into<String>, retry_after_seconds: i64) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "internal", message)
            .with_header(RETRY_AFTER, retry_after_seconds.into())
    }

    /// `allow` is the header's value: the methods that this path supports.
    pub fn method_not_allowed(allow: &str) -> Self {
        let failure = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "bad_request",
            format!("This path does not take that method. Use one of: {allow}."),
        );
        match HeaderValue::from_str(allow) {
            Ok(value) => failure.with_header(ALLOW, value),
            Err(_) => failure,
        }
    }

    pub fn too_large(max_bytes: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "bad_request",
            format!(
                "The body is larger than {max_bytes} bytes, the most this endpoint reads. Send less at a time."
            ),
        )
    }

    pub fn unsupported_media_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_request",
            "The body must be JSON. Send it with the header `Content-Type: application/json`.",
        )
    }

    /// The body has an unsupported content type; the message lists the supported ones.
    pub fn unsupported_body(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", message)
    }

    /// The signature is missing or wrong.
    pub fn wrong_signature() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "The request's signature does not fit its body. Sign the body as it is sent, with the secret that was shown \
             when this address was made.",
        )
    }

    /// An HTTP/1.1 request must name its host exactly once.
    pub fn no_host() -> Self {
        Self::bad_request("This request needs exactly one Host header. HTTP/1.1 requires it.")
    }

    /// A request that the HTTP layer refused before it was parsed.
    pub fn refused(status: StatusCode) -> Self {
        let message = match status {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
                "The request's headers are too large. Send fewer or shorter ones: at most 100, and 64 KiB together."
            }
            StatusCode::URI_TOO_LONG => "The request's URL is too long. Send a shorter one.",
            _ => "This is not a valid HTTP/1.1 request. Correct its request line and headers.",
        };
        Self::new(status, "bad_request", message)
    }

    pub fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "bad_request",
            "The request did not arrive in time. Send it again, all at once.",
        )
    }

    /// A stored response, returned again byte for byte.
    pub fn stored(reply: Reply) -> Self {
        Self(Box::new(Kind::Stored(reply)))
    }

    /// Adds an item to `details`.
    pub fn detail(mut self, item: Value) -> Self {
        self.change(|fields| fields.details.push(item));
        self
    }

    pub fn status(&self) -> StatusCode {
        match &*self.0 {
            Kind::FailureDetails(fields) => fields.status,
            Kind::Stored(reply) => reply.status,
        }
    }

    /// The error's code; empty for a stored response, whose body is not parsed.
    pub fn code(&self) -> &'static str {
        match &*self.0 {
            Kind::FailureDetails(fields) => fields.code,
            Kind::Stored(_) => "",
        }
    }

    /// The message for a person; empty for a stored response, whose body is not parsed.
    pub fn message(&self) -> &str {
        match &*self.0 {
            Kind::FailureDetails(fields) => &fields.message,
            Kind::Stored(_) => "",
        }
    }

    pub fn details(&self) -> &[Value] {
        match &*self.0 {
            Kind::FailureDetails(fields) => &fields.details,
            Kind::Stored(_) => &[],
        }
    }

    /// A header of its own, such as `Retry-After`.
    pub fn header(&self, name: &HeaderName) -> Option<&HeaderValue> {
        let headers = match &*self.0 {
            Kind::FailureDetails(fields) => &fields.headers,
            Kind::Stored(reply) => &reply.headers,
        };
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn reason(&self) -> Option<&'static str> {
        match &*self.0 {
            Kind::FailureDetails(fields) => fields.reason,
            Kind::Stored(_) => None,
        }
    }

    pub fn is_stored(&self) -> bool {
        matches!(*self.0, Kind::Stored(_))
    }

    /// Renders the response. A failure is rendered once, so this is where refusals are counted.
    pub fn render(&self, request_id: &RequestId) -> Reply {
        let fields = match &*self.0 {
            Kind::Stored(reply) => return reply.clone(),
            Kind::FailureDetails(fields) => fields,
        };
        if let Some(limit) = fields.limit {
            metrics::counter!(REFUSALS, "limit" => limit).increment(1);
        }
        let body = ErrorBody {
            error: ErrorFields {
                code: fields.code,
                message: &fields.message,
                request_id: request_id.as_str(),
                reason: fields.reason,
                details: &fields.details,
            },
        };
        let body = serde_json::to_vec(&body).expect("an error is strings and JSON values");
        Reply { headers: fields.headers.clone(), ..Reply::new(fields.status, body) }
    }

    /// Adds the reason, by which programs tell apart what has the same code.
    #[must_use]
    pub fn because(mut self, reason: &'static str) -> Self {
        self.change(|fields| fields.reason = Some(reason));
        self
    }

    /// Names the limit that was reached, under which the refusal is counted.
    #[must_use]
    pub fn of_limit(mut self, limit: &'static str) -> Self {
        self.change(|fields| fields.limit = Some(limit));
        self
    }

    /// Adds a header to the response.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        let headers = match &mut *self.0 {
            Kind::FailureDetails(fields) => &mut fields.headers,
            Kind::Stored(reply) => &mut reply.headers,
        };
        headers.push((name, value));
        self
    }

    fn change(&mut self, change: impl FnOnce(&mut FailureDetails)) {
        if let Kind::FailureDetails(fields) = &mut *self.0 {
            change(fields);
        }
    }
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorFields<'a>,
}

#[derive(Serialize)]
struct ErrorFields<'a> {
    code: &'a str,
    message: &'a str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    details: &'a [Value],
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::validation(problems)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::FailureDetails(fields) => {
                write!(f, "{} {}: {}", fields.status.as_u16(), fields.code, fields.message)
            }
            Kind::Stored(reply) => write!(f, "{} stored earlier", reply.status.as_u16()),
        }
    }
}

impl std::error::Error for Failure {}

impl Problems {
    /// Ok if there are none, else the failure that lists them.
    pub fn settle(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Failure::validation(self)) }
    }
}

#[cfg(test)]
mod tests;
