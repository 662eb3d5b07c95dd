//! Meta's Graph API: WhatsApp Cloud, Messenger and Instagram.

mod error;
mod fill;
mod media;
mod messenger;
mod templates;
mod whatsapp;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::request::Request;
use crate::response::{Disconnect, SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;

use error::GraphError;
pub(crate) use error::reported as reported_error;

/// Responds to requests under `/sandbox/graph`.
pub(crate) async fn respond(
    sandbox: &Sandbox,
    request: &Request,
    path: &[&str],
) -> Result<SandboxResponse, Disconnect> {
    let method = &request.method;
    match path {
        ["media", id] if method == Method::GET => return media::download(sandbox, request, id).await,
        [version, rest @ ..] if is_version(version) => match rest {
            [id, "messages"] if method == Method::POST => return send(sandbox, request, id).await,
            [id, "media" | "message_attachments"] if method == Method::POST => {
                return upload(sandbox, request, id).await;
            }
            [id, "message_templates"] if method == Method::GET => {
                return templates::list(sandbox, request, id).await;
            }
            [id, "subscribed_apps"] if method == Method::POST => {
                let known = holder(sandbox, request, id, |connection| connection.waba_id.as_deref()).await;
                let success = |_| answer_json(StatusCode::OK, &json!({ "success": true }));
                return Ok(known.map_or_else(|error| error.response(), success));
            }
            ["me", "permissions"] if method == Method::GET => {
                return Ok(media::permissions(&sandbox.connections().await, request));
            }
            [id, "phone_numbers"] if method == Method::GET => {
                let known = holder(sandbox, request, id, |connection| connection.waba_id.as_deref()).await;
                let numbers = |connection: Connection| media::numbers(&connection);
                return Ok(known.map_or_else(|error| error.response(), numbers));
            }
            [id] if method == Method::GET => return media::object(sandbox, request, id).await,
            _ => {}
        },
        _ => {}
    }
    let message = format!("Unknown path components: /{}", path.join("/"));
    Ok(GraphError::new(2500, message).response())
}

async fn send(sandbox: &Sandbox, request: &Request, id: &str) -> Result<SandboxResponse, Disconnect> {
    match holder(sandbox, request, id, Connection::graph_id).await {
        Err(error) => Ok(error.response()),
        Ok(connection) if connection.is_whatsapp() => whatsapp::send(sandbox, request, &connection).await,
        Ok(connection) => messenger::send(sandbox, request, &connection).await,
    }
}

/// A business uploads a file, which its messages then name.
async fn upload(sandbox: &Sandbox, request: &Request, id: &str) -> Result<SandboxResponse, Disconnect> {
    match holder(sandbox, request, id, Connection::graph_id).await {
        Err(error) => Ok(error.response()),
        Ok(connection) => media::upload(sandbox, request, &connection).await,
    }
}

fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

/// The connection with this id, if the caller has its token.
async fn holder(
    sandbox: &Sandbox,
    request: &Request,
    id: &str,
    id_of: impl Fn(&Connection) -> Option<&str>,
) -> Result<Connection, GraphError> {
    let connections = sandbox.connections().await;
    let token = request.bearer().ok_or_else(GraphError::token)?;
    let is_holder =
        |connection: &&Connection| id_of(connection) == Some(id) && connection.access_token == token;
    if let Some(connection) = connections.iter().find(is_holder) {
        return Ok(connection.clone());
    }
    let is_good = connections.iter().any(|connection| connection.access_token == token);
    let is_known = connections.iter().any(|connection| id_of(connection) == Some(id));
    Err(if is_good && !is_known {
        GraphError::unknown_object(&request.method, id)
    } else {
        GraphError::token()
    })
}

/// Whether a WhatsApp id is a number, and not a business-scoped user id.
pub(crate) fn is_number(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_digit())
}

/// A webhook of a WhatsApp business account with one message or one status.
pub(crate) fn whatsapp_change(connection: &Connection, list: &str, item: Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": {
            "display_phone_number": connection.own_number(),
            "phone_number_id": connection.phone_number_id,
        },
    });
    value[list] = json!([item]);
    account_change(connection, "messages", value)
}

/// A webhook of a WhatsApp business account.
pub(crate) fn account_change(connection: &Connection, field: &str, value: Value) -> Value {
    json!({
        "object": "whatsapp_business_account",
        "entry": [{ "id": connection.waba_id, "changes": [{ "value": value, "field": field }] }],
    })
}

/// A webhook of a page, or of an Instagram account, about a customer.
pub(crate) fn page_event(connection: &Connection, customer: &str, now: i64, told: Value) -> Value {
    let object = if connection.channel == "instagram" { "instagram" } else { "page" };
    let mut event = json!({
        "sender": { "id": customer },
        "recipient": { "id": connection.page_id },
        "timestamp": now,
    });
    if let (Value::Object(event), Value::Object(told)) = (&mut event, told) {
        event.extend(told);
    }
    json!({ "object": object, "entry": [{ "id": connection.page_id, "time": now, "messaging": [event] }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_begins_with_v_and_a_digit() {
        assert!(is_version("v23.0") && is_version("v9") && !is_version("media") && !is_version("version"));
    }
}
