//! WhatsApp, by Meta's Cloud API.
//!
//! A person is known by the digits of their number, or by their id with this business when they hide the number; both
//! when both are told. Every send carries our own id of the message, and every report brings it back, so a send whose
//! answer was lost can still be matched.

mod faults;
mod messages;
mod people;
mod receive;
mod send;
mod statuses;
mod templates;
#[cfg(test)]
mod tests;

use frontdesk_kernel::Secret;
use http::HeaderMap;
use serde_json::json;

use crate::graph::{self, Graph};
pub use crate::graph::{DEFAULT_GRAPH_URL, DEFAULT_VERSION};
use crate::{
    Accepted, Adapter, Call, File, Identity, Incoming, MediaSource, Outgoing, Refusal, Unreadable,
    VendorResponse, reading,
};

/// What a connection knows.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// [`DEFAULT_GRAPH_URL`] unless a stand-in is spoken to.
    pub graph_url: String,
    /// [`DEFAULT_VERSION`] unless another is asked for.
    pub version: String,
    pub phone_number_id: String,
    pub waba_id: String,
    pub access_token: Secret,
    pub app_secret: Secret,
    pub verify_token: Secret,
}

/// One number of a WhatsApp business account.
#[derive(Clone, Debug)]
pub struct WhatsApp {
    graph: Graph,
    phone_number_id: String,
    waba_id: String,
    app_secret: Secret,
    verify_token: Secret,
}

impl WhatsApp {
    pub fn new(settings: Credentials) -> Self {
        Self {
            graph: Graph::new(&settings.graph_url, &settings.version, settings.access_token),
            phone_number_id: settings.phone_number_id,
            waba_id: settings.waba_id,
            app_secret: settings.app_secret,
            verify_token: settings.verify_token,
        }
    }
}

impl Adapter for WhatsApp {
    fn identify(&self) -> Call {
        self.graph.get(&[&self.phone_number_id], &[("fields", "id,display_phone_number")])
    }

    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal> {
        let body = graph::read(response, faults::classify)?;
        // The vendor writes the number for people: `+1 631-555-1111`.
        let digits = reading::digits(&reading::text(&body, "display_phone_number").unwrap_or_default());
        Ok(Identity { address: Some(format!("+{digits}")).filter(|_| !digits.is_empty()), session: None })
    }

    fn challenge(&self, query: &str) -> Option<String> {
        graph::challenge(query, &self.verify_token)
    }

    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        graph::is_genuine(headers, body, &self.app_secret)
    }

    /// Reads every entry, change, message and status; what is about another number or account is left out.
    fn receive(&self, body: &[u8]) -> Result<Vec<Incoming>, Unreadable> {
        Ok(receive::read(&reading::webhook(body)?, &self.phone_number_id, &self.waba_id))
    }

    fn upload(&self, file: &File<'_>) -> Option<Call> {
        let fields = [("messaging_product", "whatsapp"), ("type", file.content_type)];
        Some(self.graph.upload(&[&self.phone_number_id, "media"], &fields, "file", file))
    }

    fn uploaded(&self, response: &VendorResponse<'_>) -> Result<String, Refusal> {
        let body = graph::read(response, faults::classify)?;
        reading::text(&body, "id").ok_or_else(|| graph::unexpected(response, "id"))
    }

    /// An audio has no caption on WhatsApp: what is to be said with one is sent as a text of its own.
    fn send(&self, message: &Outgoing) -> Call {
        self.graph.post(&[&self.phone_number_id, "messages"], &send::Body(message))
    }

    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal> {
        graph::read(response, faults::classify).map(|body| send::accepted(&body))
    }

    fn read_receipt(&self, _person: &str, channel_message_id: &str) -> Option<Call> {
        let body =
            json!({"messaging_product": "whatsapp", "status": "read", "message_id": channel_message_id});
        Some(self.graph.post(&[&self.phone_number_id, "messages"], &body))
    }

    fn locate_media(&self, source: &MediaSource) -> Option<Call> {
        source.id.as_deref().map(|id| self.graph.get(&[id], &[]))
    }

    /// The address is good for five minutes.
    fn media_located(&self, response: &VendorResponse<'_>) -> Result<MediaSource, Refusal> {
        let body = graph::read(response, faults::classify)?;
        Ok(MediaSource {
            id: reading::text(&body, "id"),
            url: Some(reading::text(&body, "url").ok_or_else(|| graph::unexpected(response, "url"))?),
            content_type: reading::text(&body, "mime_type"),
            filename: None,
            bytes: reading::whole(&body, "file_size").and_then(|size| u64::try_from(size).ok()),
        })
    }

    fn download_media(&self, source: &MediaSource) -> Option<Call> {
        source.url.clone().map(|url| self.graph.fetch(url))
    }
}
