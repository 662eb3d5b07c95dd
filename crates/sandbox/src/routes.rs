//! The paths of the sandbox.

use bytes::Bytes;
use http::Method;
use http::request::Parts;

use crate::request::Request;
use crate::response::{ControlError, Disconnect, Outcome, SandboxResponse};
use crate::sandbox::Sandbox;
use crate::{bridge, control, customer, graph, model, page};

impl Sandbox {
    /// Responds to a request whose path begins with `/sandbox`, or cuts its connection.
    ///
    /// A call's effects run in separate tasks, so they happen even if the caller disconnects.
    pub async fn respond(&self, parts: Parts, body: Bytes) -> Result<SandboxResponse, Disconnect> {
        respond(self, &Request::new(parts, body)).await
    }
}

async fn respond(sandbox: &Sandbox, request: &Request) -> Result<SandboxResponse, Disconnect> {
    let path: Vec<_> = request.path.iter().map(String::as_str).collect();
    // Customers send media, businesses upload it, and models get images and recordings.
    let is_large = matches!(
        path[..],
        ["customers", ..] | ["model", "v1", ..] | ["graph", _, _, "media" | "message_attachments"]
    );
    if !is_large && let Err(wrong) = request.check_size() {
        return Ok(wrong.response());
    }
    match &path[..] {
        ["graph", rest @ ..] => graph::respond(sandbox, request, rest).await,
        ["bridge", "api", rest @ ..] => bridge::respond(sandbox, request, rest).await,
        ["model", "v1", rest @ ..] => model::respond(sandbox, request, rest).await,
        path => Ok(control(sandbox, request, path).await.unwrap_or_else(|wrong| wrong.response())),
    }
}

/// The page and the control API, which belong to no vendor.
async fn control(sandbox: &Sandbox, request: &Request, path: &[&str]) -> Outcome {
    let method = if request.method == Method::HEAD { Method::GET } else { request.method.clone() };
    match (method.as_str(), path) {
        ("GET", []) => Ok(page::html()),
        ("GET", ["page.js"]) => Ok(page::script()),
        ("GET", ["page.css"]) => Ok(page::style()),
        ("GET", ["connections"]) => control::connections(sandbox).await,
        ("GET", ["chat"]) => control::chat(sandbox, request).await,
        ("GET", ["messages"]) => control::messages(sandbox, request),
        ("DELETE", ["messages"]) => Ok(control::clear_messages(sandbox)),
        ("POST", ["messages", id, "read"]) => control::read(sandbox, id).await,
        ("POST", ["messages", id, "status"]) => control::status(sandbox, request, id).await,
        ("POST", ["customers", customer, "messages"]) => customer::say(sandbox, request, customer).await,
        ("POST", ["webhooks"]) => customer::webhook(sandbox, request).await,
        ("GET", ["media", id]) => control::media(sandbox, id),
        ("GET", ["settings"]) => Ok(control::settings(sandbox)),
        ("PUT", ["settings"]) => control::change_settings(sandbox, request),
        ("GET", ["templates"]) => control::templates(sandbox, request).await,
        ("PUT", ["templates"]) => control::change_templates(sandbox, request).await,
        ("GET", ["faults"]) => Ok(control::faults(sandbox)),
        ("PUT", ["faults"]) => control::change_faults(sandbox, request),
        ("DELETE", ["faults"]) => Ok(control::clear_faults(sandbox)),
        ("POST", ["bridge", "scan"]) => bridge::scan(sandbox, request).await,
        ("GET", ["model"]) => Ok(model::show(sandbox)),
        ("PUT", ["model"]) => model::script(sandbox, request),
        ("DELETE", ["model"]) => Ok(model::clear_script(sandbox)),
        ("GET", ["model", "calls"]) => Ok(model::calls(sandbox)),
        ("DELETE", ["model", "calls"]) => Ok(model::clear_calls(sandbox)),
        (_, ["clock"]) => Err(ControlError::missing(
            "The clock belongs to the server: start it with FRONTDESK_SANDBOX_CLOCK=true to move it here.",
        )),
        (method, path) => Err(ControlError::missing(format!(
            "There is no {method} /sandbox/{}. The page at /sandbox lists what there is.",
            path.join("/")
        ))),
    }
}
