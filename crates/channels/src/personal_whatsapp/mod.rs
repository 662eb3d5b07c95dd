//! A personal WhatsApp number as a linked device, through a bridge with WAHA's HTTP API.
//!
//! A session of the bridge is one number. Messages that its owner writes on the phone are echoes; groups,
//! broadcasts and newsletters are left out. The bridge does not return our own id of a message.

mod chats;
mod faults;
mod receive;
mod send;
mod sessions;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use frontdesk_kernel::{Secret, mac};
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::adapter::{Adapter, Identity};
use crate::call::{Accepted, Call, Refusal, VendorResponse};
use crate::incoming::{Incoming, MediaSource};
use crate::outgoing::Outgoing;
use crate::reading::{self, Unreadable};

const KEY: &str = "x-api-key";
const SIGNATURE: &str = "x-webhook-hmac";

/// The credentials of a connection.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub bridge_url: String,
    /// The bridge's API key.
    pub key: Secret,
    /// The bridge's name for this number.
    pub session: String,
    /// The key that signs the bridge's webhooks.
    pub webhook_key: Secret,
}

/// One number behind a bridge.
#[derive(Clone, Debug)]
pub struct Bridge {
    url: String,
    key: Secret,
    session: String,
    webhook_key: Secret,
}

impl Bridge {
    pub fn new(settings: Credentials) -> Self {
        Self {
            url: settings.bridge_url.trim_end_matches('/').to_owned(),
            key: settings.key,
            session: settings.session,
            webhook_key: settings.webhook_key,
        }
    }

    fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path, None)
    }

    fn post(&self, path: &str, body: &Value) -> Call {
        self.call(Method::POST, path, Some(body))
    }

    fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Call {
        Call {
            method,
            url: format!("{}{path}", self.url),
            content_type: body.map(|_| "application/json".into()),
            authorization: Some((KEY, self.key.clone())),
            body: body.map(|body| body.to_string().into()).unwrap_or_default(),
        }
    }

    /// Whether an address is the bridge's own, and not merely one with the same prefix.
    fn serves(&self, url: &str) -> bool {
        url.strip_prefix(&self.url).is_some_and(|path| path.starts_with('/'))
    }
}

impl Adapter for Bridge {
    fn identify(&self) -> Call {
        self.session()
    }

    /// A session that does not exist yet is not a refusal: the bridge checks the key first.
    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal> {
        if response.status == 404 {
            return Ok(Identity::default());
        }
        Ok(Identity { address: None, session: Some(self.session_read(response)?) })
    }

    /// The bridge has no challenge: we set its webhook's address.
    fn challenge(&self, _query: &str) -> Option<String> {
        None
    }

    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        headers
            .get(SIGNATURE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|hex| mac::is_hex_sha512(self.webhook_key.reveal(), body, hex))
    }

    /// Events of other sessions are left out, and so are messages that were sent through the bridge, which
    /// are our own.
    fn receive(&self, body: &[u8]) -> Result<Vec<Incoming>, Unreadable> {
        let event = reading::webhook(body)?;
        if reading::text(&event, "session").is_some_and(|session| session != self.session) {
            return Ok(Vec::new());
        }
        Ok(receive::read(&event).into_iter().collect())
    }

    /// The bridge runs next to us and would fetch a link from inside the operator's network.
    fn takes_files(&self) -> bool {
        true
    }

    /// A voice message has no caption: it is sent as a separate text. A template is sent as its text.
    fn send(&self, message: &Outgoing) -> Call {
        let (path, body) = send::request(&self.session, message);
        self.post(path, &body)
    }

    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal> {
        faults::read(response).map(|body| send::accepted(&body))
    }

    fn read_receipt(&self, person: &str, channel_message_id: &str) -> Option<Call> {
        let body = json!({
            "session": self.session,
            "chatId": chats::address(person),
            "messageIds": [channel_message_id],
        });
        Some(self.post("/api/sendSeen", &body))
    }

    fn locate_media(&self, _source: &MediaSource) -> Option<Call> {
        None
    }

    /// Never called: the address comes with the message.
    fn media_located(&self, response: &VendorResponse<'_>) -> Result<MediaSource, Refusal> {
        Err(faults::unexpected(response, "media to locate"))
    }

    /// The bridge may store media elsewhere, and its key is sent only to the bridge itself.
    fn download_media(&self, source: &MediaSource) -> Option<Call> {
        let url = source.url.clone()?;
        let authorization = self.serves(&url).then(|| (KEY, self.key.clone()));
        Some(Call { method: Method::GET, url, content_type: None, authorization, body: Bytes::new() })
    }
}
