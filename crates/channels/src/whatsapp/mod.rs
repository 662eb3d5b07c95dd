//! WhatsApp, by Meta's Cloud API.
//!
//! A person is known by the digits of their number, or by their id with this business when they hide the number, or by
//! both. Every send carries our own id of the message, and every report brings it back, so a send whose
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

use http::HeaderMap;
use serde_json::json;

use crate::adapter::{Adapter, Identity};
use crate::call::{Accepted, Call, Refusal, VendorResponse};
use crate::graph::{self, Graph, GraphCredentials};
use crate::incoming::{Incoming, MediaSource};
use crate::outgoing::{File, Outgoing};
use crate::reading::{self, Unreadable};

/// One number of a WhatsApp business account.
#[derive(Clone, Debug)]
pub struct WhatsApp {
    graph: Graph,
    phone_number_id: String,
    waba_id: String,
}

impl WhatsApp {
    pub fn new(phone_number_id: String, waba_id: String, credentials: GraphCredentials) -> Self {
        Self { graph: Graph::new(credentials, faults::classify), phone_number_id, waba_id }
    }
}

impl Adapter for WhatsApp {
    fn identify(&self) -> Call {
        self.graph.get(&[&self.phone_number_id], &[("fields", "id,display_phone_number")])
    }

    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal> {
        let body = self.graph.read(response)?;
        // The vendor writes the number for people: `+1 631-555-1111`.
        let digits = reading::digits(&reading::text(&body, "display_phone_number").unwrap_or_default());
        Ok(Identity { address: Some(format!("+{digits}")).filter(|_| !digits.is_empty()), session: None })
    }

    fn challenge(&self, query: &str) -> Option<String> {
        self.graph.challenge(query)
    }

    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        self.graph.is_genuine(headers, body)
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
        let body = self.graph.read(response)?;
        reading::text(&body, "id").ok_or_else(|| graph::unexpected(response, "id"))
    }

    /// An audio has no caption on WhatsApp: what is to be said with one is sent as a text of its own.
    fn send(&self, message: &Outgoing) -> Call {
        self.graph.post(&[&self.phone_number_id, "messages"], &send::Body(message))
    }

    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal> {
        self.graph.read(response).map(|body| send::accepted(&body))
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
        let body = self.graph.read(response)?;
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
