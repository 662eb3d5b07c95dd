//! Events: what they have in common.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::response::RawResponse;
use crate::time::Timestamp;
use crate::types::EventData;

/// Something that happened in the account, as webhooks, `events().list()` and `events().stream()` tell it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The same on every attempt and for every endpoint, so that repeats can be skipped.
    pub event_id: String,
    /// When it happened.
    pub created_at: Timestamp,
    /// The account in which it happened.
    pub account_id: Uuid,
    /// The version of the API that describes `data`.
    pub api_version: String,
    /// What happened.
    pub data: EventData,
}

impl Event {
    /// Its type, such as `contact.created`.
    pub fn event_type(&self) -> &str {
        self.data.event_type()
    }

    /// Reads an event of a stream.
    pub(crate) fn read(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|source| {
            let body = json.to_owned().into();
            let response = RawResponse::new(http::StatusCode::OK, http::HeaderMap::new(), body);
            Error::Decode { response: Box::new(response), source }
        })
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Envelope {
            event_id: String,
            event_type: String,
            created_at: Timestamp,
            account_id: Uuid,
            #[serde(default)]
            api_version: String,
            #[serde(default)]
            data: Value,
        }

        let Envelope { event_id, event_type, created_at, account_id, api_version, data } =
            Envelope::deserialize(deserializer)?;
        Ok(Self { event_id, created_at, account_id, api_version, data: EventData::read(event_type, data) })
    }
}
