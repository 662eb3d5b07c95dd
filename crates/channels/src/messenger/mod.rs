//! Messenger and Instagram, by Meta's Send API: one adapter, because they differ in little more than a word.
//!
//! A person is known by the id that Meta gives them with this page; their number is never shown. Our own id of a
//! message is not carried back, so a send whose answer was lost is matched by nothing.

mod faults;
mod receive;
mod send;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::json;

use crate::adapter::{Adapter, Identity};
use crate::call::{Accepted, Call, Refusal, VendorResponse};
use crate::graph::{self, Graph, GraphCredentials};
use crate::incoming::{Incoming, MediaSource};
use crate::outgoing::{File, Outgoing};
use crate::reading::{self, Unreadable};

/// A page, as Messenger or as Instagram speaks to it.
#[derive(Clone, Debug)]
pub struct Page {
    product: Product,
    graph: Graph,
    id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Product {
    Messenger,
    Instagram,
}

impl Product {
    /// What a webhook of this product calls itself.
    fn object(self) -> &'static str {
        match self {
            Self::Messenger => "page",
            Self::Instagram => "instagram",
        }
    }
}

impl Page {
    pub fn messenger(id: String, credentials: GraphCredentials) -> Self {
        Self { product: Product::Messenger, graph: Graph::new(credentials, faults::classify), id }
    }

    pub fn instagram(id: String, credentials: GraphCredentials) -> Self {
        Self { product: Product::Instagram, ..Self::messenger(id, credentials) }
    }

    fn post(&self, body: &serde_json::Value) -> Call {
        self.graph.post(&[&self.id, "messages"], body)
    }
}

impl Adapter for Page {
    fn identify(&self) -> Call {
        self.graph.get(&[&self.id], &[("fields", "id")])
    }

    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal> {
        self.graph.read(response).map(|_| Identity::default())
    }

    fn challenge(&self, query: &str) -> Option<String> {
        self.graph.challenge(query)
    }

    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        self.graph.is_genuine(headers, body)
    }

    /// A message with several parts becomes several messages: the first has the channel's id, the others that id
    /// with `#1`, `#2` and so on behind it.
    ///
    /// Another page's entries are left out. An Instagram entry names the Instagram account, which a connection does
    /// not know, so its webhook address is for one account alone.
    fn receive(&self, body: &[u8]) -> Result<Vec<Incoming>, Unreadable> {
        let webhook = reading::webhook(body)?;
        if reading::text(&webhook, "object").is_some_and(|object| object != self.product.object()) {
            return Ok(Vec::new());
        }
        let is_ours = |id: String| self.product == Product::Instagram || id == self.id;
        let entries = reading::items(&webhook, "entry").iter();
        let ours = entries.filter(|entry| reading::text(entry, "id").is_none_or(is_ours));
        Ok(ours.flat_map(receive::entry).collect())
    }

    /// Instagram takes links alone.
    fn upload(&self, file: &File<'_>) -> Option<Call> {
        if self.product == Product::Instagram {
            return None;
        }
        let attachment = json!({"type": send::attachment(file.kind), "payload": {"is_reusable": true}});
        let message = json!({"attachment": attachment}).to_string();
        Some(self.graph.upload(
            &[&self.id, "message_attachments"],
            &[("message", &message)],
            "filedata",
            file,
        ))
    }

    fn uploaded(&self, response: &VendorResponse<'_>) -> Result<String, Refusal> {
        let body = self.graph.read(response)?;
        reading::text(&body, "attachment_id").ok_or_else(|| graph::unexpected(response, "attachment_id"))
    }

    /// An attachment has no caption here, and one call sends one message: the caption of a media is left out, and is
    /// to be sent as a text of its own behind it. A template goes out as the text that it says.
    fn send(&self, message: &Outgoing) -> Call {
        self.post(&send::body(message))
    }

    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal> {
        let body = self.graph.read(response)?;
        // The answer repeats the id that the send was addressed to, so there is nothing to learn about the person.
        Ok(Accepted { channel_message_id: reading::text(&body, "message_id"), person: None })
    }

    fn read_receipt(&self, person: &str, _channel_message_id: &str) -> Option<Call> {
        Some(self.post(&json!({"recipient": {"id": person}, "sender_action": "mark_seen"})))
    }

    fn locate_media(&self, _source: &MediaSource) -> Option<Call> {
        None
    }

    /// Nothing is ever asked: the address comes with the message.
    fn media_located(&self, response: &VendorResponse<'_>) -> Result<MediaSource, Refusal> {
        Err(graph::unexpected(response, "media to locate"))
    }

    /// The address is signed by itself; the page's token is not shown to whoever serves it.
    fn download_media(&self, source: &MediaSource) -> Option<Call> {
        let url = source.url.clone()?;
        Some(Call { method: Method::GET, url, content_type: None, authorization: None, body: Bytes::new() })
    }
}
