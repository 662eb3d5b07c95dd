//! What can go wrong with a call.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::response::RawResponse;
use crate::text_enum::text_enum;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the call.
    Api(Box<ApiError>),
    /// No connection was made, or it broke before the response. The call may have been carried out, unless it could be
    /// repeated: then it was, and this is the last attempt.
    Connection {
        /// How often it was tried.
        attempts: u32,
        /// What broke.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The deadline passed. The call may have been carried out.
    Timeout {
        /// The time that the call had.
        after: Duration,
        /// How often it was tried.
        attempts: u32,
    },
    /// The response is not what this version of the crate expects.
    Decode {
        /// The whole response.
        response: Box<RawResponse>,
        /// What was unexpected.
        source: serde_json::Error,
    },
    /// The call cannot be sent as it is: an address, a key or a header that cannot be used.
    Invalid(String),
    /// The server no longer knows the event from which the stream should continue. Events may be missing: read everything
    /// again. The stream goes on from here.
    EventsLost {
        /// The event after which the stream goes on, if there is any.
        resumes_after: Option<String>,
    },
}

impl Error {
    /// The server's refusal, if it is one.
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            _ => None,
        }
    }

    /// The code of the server's refusal.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api().map(|error| &error.code)
    }

    /// The reason of the server's refusal, such as `outside_window`.
    pub fn reason(&self) -> Option<&str> {
        self.api()?.reason.as_deref()
    }

    /// The id of the request, to be quoted to support.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api(error) => error.request_id.as_deref(),
            Self::Decode { response, .. } => response.request_id(),
            _ => None,
        }
    }

    /// Whether the account has no such object.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(&ErrorCode::NotFound)
    }

    /// Whether the key's budget is spent.
    pub fn is_rate_limited(&self) -> bool {
        self.code() == Some(&ErrorCode::RateLimited)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api(error) => error.fmt(f),
            Self::Connection { attempts: 1, .. } => f.write_str("the server could not be reached"),
            Self::Connection { attempts, .. } => {
                write!(f, "the server could not be reached in {attempts} attempts")
            }
            Self::Timeout { after, attempts } => {
                write!(f, "no response within {after:?} ({attempts} attempts); allow more with `timeout`")
            }
            Self::Decode { response, .. } => {
                write!(f, "the response cannot be read (status {}", response.status().as_u16())?;
                response.request_id().map_or(Ok(()), |id| write!(f, ", request {id}"))?;
                f.write_str(")")
            }
            Self::Invalid(what) => f.write_str(what),
            Self::EventsLost { .. } => {
                f.write_str("the server no longer knows the last event; read everything again")
            }
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Connection { source, .. } => Some(source.as_ref()),
            Self::Decode { source, .. } => Some(source),
            _ => None,
        }
    }
}

text_enum! {
    /// What kind of refusal it is. Programs decide by this and by the reason.
    ErrorCode {
        /// The request cannot be read.
        BadRequest = "bad_request",
        /// The request breaks rules; `details` names every field.
        ValidationError = "validation_error",
        /// The key is missing or unusable.
        Unauthorized = "unauthorized",
        /// The plan's limit is reached.
        PlanLimitReached = "plan_limit_reached",
        /// The key may not do this.
        Forbidden = "forbidden",
        /// The account is suspended.
        AccountSuspended = "account_suspended",
        /// The account has no such object.
        NotFound = "not_found",
        /// It contradicts what there is: a duplicate, a forbidden transition, or a request in flight.
        Conflict = "conflict",
        /// It cannot be done; the reason says why.
        Unprocessable = "unprocessable",
        /// The channel is not connected.
        ChannelNotConnected = "channel_not_connected",
        /// The key's budget is spent.
        RateLimited = "rate_limited",
        /// The server failed or is too busy.
        Internal = "internal",
    }
}

/// A refusal by the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApiError {
    /// The kind of refusal.
    pub code: ErrorCode,
    /// Why, where the code leaves it open, such as `outside_window`.
    pub reason: Option<String>,
    /// For a person: what to do.
    pub message: String,
    /// What is wrong, field by field.
    pub details: Vec<Detail>,
    /// The id of the request, to be quoted to support.
    pub request_id: Option<String>,
    /// The response itself.
    pub response: RawResponse,
}

/// One of the problems of a refused request.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Detail {
    /// Where, from the root of the body: `to.phone`, `tag_ids.2`.
    pub path: String,
    /// What is wrong there.
    pub message: String,
    /// Further facts, such as the `contact_id` of the contact that already has the number.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl ApiError {
    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The wait that the server asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.response.retry_after()
    }

    /// Reads a refusal. A response that is none of the API's, such as a proxy's page, becomes one as well.
    pub(crate) fn read(response: RawResponse) -> Self {
        #[derive(Deserialize)]
        struct Body {
            error: Facts,
        }
        #[derive(Deserialize)]
        struct Facts {
            code: ErrorCode,
            message: String,
            reason: Option<String>,
            request_id: Option<String>,
            #[serde(default)]
            details: Vec<Detail>,
        }

        match serde_json::from_slice::<Body>(response.body()) {
            Ok(Body { error: Facts { code, message, reason, request_id, details } }) => Self {
                code,
                reason,
                message,
                details,
                request_id: request_id.or_else(|| response.request_id().map(str::to_owned)),
                response,
            },
            Err(_) => Self {
                code: code_of(response.status()),
                reason: None,
                message: format!("The server responded with {}.", response.status()),
                details: Vec::new(),
                request_id: response.request_id().map(str::to_owned),
                response,
            },
        }
    }
}

/// The code that belongs to a status.
fn code_of(status: StatusCode) -> ErrorCode {
    match status.as_u16() {
        401 => ErrorCode::Unauthorized,
        402 => ErrorCode::PlanLimitReached,
        403 => ErrorCode::Forbidden,
        404 => ErrorCode::NotFound,
        409 => ErrorCode::Conflict,
        422 => ErrorCode::Unprocessable,
        429 => ErrorCode::RateLimited,
        500.. => ErrorCode::Internal,
        _ => ErrorCode::BadRequest,
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {}", self.message, self.status().as_u16(), self.code)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, ", {reason}"))?;
        self.request_id.as_ref().map_or(Ok(()), |id| write!(f, ", request {id}"))?;
        f.write_str(")")?;
        for detail in &self.details {
            match detail.path.as_str() {
                "" => write!(f, "; {}", detail.message)?,
                path => write!(f, "; {path} {}", detail.message)?,
            }
        }
        Ok(())
    }
}

impl StdError for ApiError {}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}
