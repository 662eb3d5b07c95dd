//! Why a call got no response.

use std::error::Error as StdError;
use std::time::Duration;

use hyper_util::client::legacy;

use crate::connector::Refusal;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Refused(Refusal),
    /// No connection was made, so nothing was sent.
    #[error("{0}")]
    Unreached(String),
    #[error("no answer within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The connection broke, and the request may have arrived.
    #[error("{0}")]
    Connection(String),
}

impl Error {
    /// The failure that the client reports, by its cause.
    pub(crate) fn of(error: &legacy::Error) -> Self {
        let mut source: Option<&(dyn StdError + 'static)> = error.source();
        let mut text = String::new();
        while let Some(cause) = source {
            if let Some(refusal) = cause.downcast_ref::<Refusal>() {
                return match refusal {
                    Refusal::Address { .. } | Refusal::Scheme => Self::Refused(refusal.clone()),
                    Refusal::Resolve(_) | Refusal::Connect(_) => Self::Unreached(refusal.to_string()),
                };
            }
            text = cause.to_string();
            source = cause.source();
        }
        Self::Connection(if text.is_empty() { error.to_string() } else { text })
    }
}
