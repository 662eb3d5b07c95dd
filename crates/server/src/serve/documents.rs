//! The OpenAPI document and the reference page, with this server's own URL.

use std::sync::OnceLock;

use bytes::Bytes;
use frontdesk_web::{docs, openapi};
use serde_json::Value;

use super::reference;
use crate::{document, routes};

/// Renders both on the first request.
pub(super) struct Documents {
    base_url: String,
    written: OnceLock<Written>,
    with_samples: OnceLock<Bytes>,
}

/// Both, as they are sent.
pub(super) struct Written {
    pub(super) json: Bytes,
    pub(super) html: Bytes,
}

impl Documents {
    pub(super) fn new(base_url: &str) -> Self {
        Self { base_url: base_url.to_owned(), written: OnceLock::new(), with_samples: OnceLock::new() }
    }

    pub(super) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The document of this server.
    fn document(&self) -> Value {
        let mut document = document::build(&routes::table());
        openapi::serve_at(&mut document, &self.base_url);
        document
    }

    /// The document with each call in several languages, for the interactive reference. Code generators need it not.
    pub(super) fn with_samples(&self) -> Bytes {
        let written = self.with_samples.get_or_init(|| {
            let mut document = self.document();
            frontdesk_sdk_generator::add_samples(&mut document);
            document.to_string().into()
        });
        written.clone()
    }

    pub(super) fn get(&self) -> &Written {
        self.written.get_or_init(|| {
            let document = self.document();
            let interactive = reference::is_built().then_some(reference::PATH);
            let html = docs::page(&document, interactive).into();
            Written { json: document.to_string().into(), html }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_show_the_servers_own_address() {
        let documents = Documents::new("https://desk.example/x?<y>");
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
        let (json, html) = (text(&documents.get().json), text(&documents.get().html));
        assert!(
            json.starts_with('{') && json.contains(r#""servers":[{"url":"https://desk.example/x?<y>"}]"#)
        );
        assert!(html.starts_with("<!doctype html>") && !html.contains("SERVER_URL"));
        assert!(html.contains("export FRONTDESK_URL=https://desk.example/x?&lt;y&gt;\n"));
        assert!(!html.contains("127.0.0.1"));
        let shown = text(&documents.with_samples());
        assert!(shown.contains("await client.contacts.create(") && shown.contains("https://desk.example"));
        assert!(!json.contains("x-codeSamples"));
    }
}
