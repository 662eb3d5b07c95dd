//! Serves requests that were admitted: hands them to `rmcp`, and turns its responses into ours.

use std::sync::Arc;

use bytes::Bytes;
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::{Dispatcher, Principal};
use frontdesk_web::{Failure, Reply, Result};
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{HeaderName, Request};
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use crate::handler::Handler;
use crate::tools;

/// Headers of `rmcp` that a response keeps.
const KEPT: [&str; 3] = ["content-type", "mcp-protocol-version", "allow"];

/// The protocol's side of the server.
pub struct McpServer {
    service: StreamableHttpService<Handler, NeverSessionManager>,
}

impl McpServer {
    /// `base_url` is the public URL of this installation, without a trailing slash.
    pub fn new(dispatcher: Arc<Dispatcher>, base_url: &str) -> Self {
        let handler = Handler::new(dispatcher, base_url);
        // Who sends a request, and from where, was checked with its key. A response is one JSON value.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts();
        let factory = move || Ok(handler.clone());
        Self {
            service: StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config),
        }
    }

    /// Responds to a request of this principal.
    pub async fn respond(&self, principal: Principal, parts: Parts, body: Bytes) -> Result<PublicResponse> {
        let mut request = Request::from_parts(parts, Full::new(body));
        request.headers_mut().remove(CONTENT_LENGTH);
        request.extensions_mut().insert(principal);
        let (head, body) = self.service.handle(request).await.into_parts();
        let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes);
        if head.status.is_server_error() && serde_json::from_slice::<Value>(&body).is_err() {
            tracing::error!(status = head.status.as_u16(), "the protocol's handler gave no response");
            return Err(Failure::internal());
        }
        if head.status.is_client_error() && serde_json::from_slice::<Value>(&body).is_err() {
            return Err(Failure::bad_request(format!(
                "This is no request of the protocol: {}.",
                String::from_utf8_lossy(&body)
            )));
        }
        let mut reply = Reply::new(head.status, body);
        for name in KEPT {
            if let Some(value) = head.headers.get(name) {
                reply = reply.header(HeaderName::from_static(name), value.clone());
            }
        }
        Ok(reply.into())
    }
}

/// What a request costs, in units of the API. A tool costs as much as the operations that it calls.
pub fn units(body: &[u8]) -> i64 {
    let Ok(request) = serde_json::from_slice::<Value>(body) else { return 1 };
    if request["method"] != "tools/call" {
        return if request["method"] == "resources/read" { tools::READ_UNITS } else { 1 };
    }
    let name = request["params"]["name"].as_str().unwrap_or_default();
    tools::find(name).map_or(1, |tool| tool.units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_costs_what_its_operations_cost() {
        assert_eq!(units(br#"{"method":"ping"}"#), 1);
        assert_eq!(units(b"nothing"), 1);
        assert_eq!(units(br#"{"method":"tools/call","params":{"name":"nothing"}}"#), 1);
        assert_eq!(units(br#"{"method":"tools/call","params":{"name":"run_assistant"}}"#), 10);
        assert_eq!(units(br#"{"method":"resources/read"}"#), tools::READ_UNITS);
    }
}
