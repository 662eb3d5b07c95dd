//! Graph's objects: a customer's media, a number, a page, a business account.

use http::StatusCode;
use http::header::CONTENT_LENGTH;
use serde_json::{Value, json};

use super::error::GraphError;
use crate::connection::Connection;
use crate::fault::{self, On};
use crate::media::{Content, Media};
use crate::request::Request;
use crate::response::{Disconnect, SandboxResponse, bytes, json as answer_json};
use crate::sandbox::Sandbox;
use crate::{form, mark, webhook};

/// How long a media address is valid.
const ADDRESS_SECONDS: i64 = 5 * 60;

/// Returns an object to its owner.
pub(super) async fn object(
    sandbox: &Sandbox,
    request: &Request,
    id: &str,
) -> Result<SandboxResponse, Disconnect> {
    let connections = sandbox.connections().await;
    let media = sandbox.state().media.find(id).cloned();
    let Some(media) = media else { return Ok(known(&connections, request, id)) };
    let connection = match owner(&connections, request, &media) {
        Ok(connection) => connection,
        Err(error) => return Ok(error.response()),
    };
    let ends = sandbox.now() / 1000 + ADDRESS_SECONDS;
    let work = || answer_json(StatusCode::OK, &describe(&sandbox.origin(request), &media, ends));
    let fault = sandbox.fault(&[On::Media], Some(&connection.id), None);
    fault::under(fault, |fault| GraphError::of(fault).response(), work).await
}

fn describe(origin: &str, media: &Media, ends: i64) -> Value {
    let mut told =
        json!({ "messaging_product": "whatsapp", "id": media.id, "mime_type": media.content_type });
    match &media.content {
        // The customer gave its address; the sandbox does not know its size.
        Content::Elsewhere(url) => told["url"] = json!(url),
        Content::Here(bytes) => {
            told["url"] = json!(format!("{origin}/sandbox/graph/media/{}?ext={ends}", media.id));
            told["file_size"] = json!(bytes.len());
            told["sha256"] = json!(media.sha256_hex());
        }
    }
    told
}

/// The bytes of a media object, for its owner, while the address is valid.
pub(super) async fn download(
    sandbox: &Sandbox,
    request: &Request,
    id: &str,
) -> Result<SandboxResponse, Disconnect> {
    let connections = sandbox.connections().await;
    let media = sandbox.state().media.find(id).cloned();
    let Some(media) = media else { return Ok(gone()) };
    let connection = match owner(&connections, request, &media) {
        Ok(connection) => connection,
        Err(error) => return Ok(error.response()),
    };
    let ends = request.param("ext").and_then(|ends| ends.parse::<i64>().ok()).unwrap_or(0);
    let fault = sandbox.fault(&[On::Media], Some(&connection.id), None);
    let work = || match &media.content {
        Content::Here(content) if sandbox.now() / 1000 <= ends => {
            let mut response = bytes(StatusCode::OK, &media.content_type, content.clone());
            response.headers_mut().insert(CONTENT_LENGTH, content.len().into());
            crate::media::guard(&mut response);
            response
        }
        _ => gone(),
    };
    fault::under(fault, |fault| GraphError::of(fault).response(), work).await
}

/// Keeps a file of a business: `file` for WhatsApp, `filedata` for Messenger.
pub(super) async fn upload(
    sandbox: &Sandbox,
    request: &Request,
    connection: &Connection,
) -> Result<SandboxResponse, Disconnect> {
    let fault = sandbox.fault(&[On::Media], Some(&connection.id), None);
    fault::under(fault, |fault| GraphError::of(fault).response(), || accept(sandbox, request, connection))
        .await
}

fn accept(sandbox: &Sandbox, request: &Request, connection: &Connection) -> SandboxResponse {
    let (name, told) = if connection.is_whatsapp() { ("file", "id") } else { ("filedata", "attachment_id") };
    let parts = form::parts(request);
    let text = |name: &str| {
        let part = parts.iter().find(|part| part.name == name)?;
        std::str::from_utf8(&part.content).ok().map(str::to_owned)
    };
    if connection.is_whatsapp() && text("messaging_product").as_deref() != Some("whatsapp") {
        return GraphError::required("messaging_product").response();
    }
    let Some(file) = parts.iter().find(|part| part.name == name) else {
        return GraphError::required(name).response();
    };
    let id = mark::object();
    let media = Media {
        id: id.clone(),
        connection_id: connection.id.clone(),
        content_type: file.content_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned()),
        filename: file.filename.clone(),
        content: Content::Here(file.content.clone()),
    };
    sandbox.state().media.keep(media);
    let mut response = json!({});
    response[told] = json!(id);
    answer_json(StatusCode::OK, &response)
}

fn owner<'a>(
    connections: &'a [Connection],
    request: &Request,
    media: &Media,
) -> Result<&'a Connection, GraphError> {
    let connection = connections.iter().find(|connection| connection.id == media.connection_id);
    let connection = connection.ok_or_else(|| GraphError::unknown_object(&request.method, &media.id))?;
    if request.bearer() == Some(&connection.access_token) { Ok(connection) } else { Err(GraphError::token()) }
}

fn gone() -> SandboxResponse {
    bytes(StatusCode::NOT_FOUND, "text/plain", "URL signature expired")
}

/// What the holder of a token may do.
pub(super) fn permissions(connections: &[Connection], request: &Request) -> SandboxResponse {
    let token = request.bearer();
    let Some(holder) = connections.iter().find(|connection| token == Some(&connection.access_token)) else {
        return GraphError::token().response();
    };
    if !holder.is_whatsapp() {
        let message = "(#100) Tried accessing nonexisting field (permissions) on node type (Page)";
        return GraphError::new(100, message).response();
    }
    let granted = ["whatsapp_business_management", "whatsapp_business_messaging"];
    let listed: Vec<Value> =
        granted.iter().map(|name| json!({ "permission": name, "status": "granted" })).collect();
    answer_json(StatusCode::OK, &json!({ "data": listed }))
}

/// The numbers of a business account.
pub(super) fn numbers(connection: &Connection) -> SandboxResponse {
    let number = json!({
        "id": connection.phone_number_id,
        "display_phone_number": format!("+{}", connection.own_number()),
        "verified_name": connection.name,
    });
    answer_json(StatusCode::OK, &json!({ "data": [number], "paging": { "cursors": {} } }))
}

/// Returns a number, a page or a business account, or whoever a token belongs to.
fn known(connections: &[Connection], request: &Request, id: &str) -> SandboxResponse {
    let token = request.bearer();
    let mut mine = connections.iter().filter(|connection| token == Some(&connection.access_token)).peekable();
    let Some(first) = mine.peek() else { return GraphError::token().response() };
    if let Some(proof) = request.param("appsecret_proof")
        && !webhook::is_proof(&first.app_secret, &first.access_token, proof)
    {
        let message = "Invalid appsecret_proof provided in the API argument";
        return GraphError::new(100, message).response();
    }
    if id == "me" {
        // A page's token belongs to the page, a number's to a user of the business.
        let holder = first.page_id.as_deref().unwrap_or("100000000000001");
        return answer_json(StatusCode::OK, &json!({ "id": holder, "name": first.name }));
    }
    let told = mine.find_map(|connection| {
        if connection.phone_number_id.as_deref() == Some(id) {
            let number = connection.own_number();
            return Some(json!({
                "id": id,
                "display_phone_number": format!("+{number}"),
                "verified_name": connection.name,
                "quality_rating": "GREEN",
                "code_verification_status": "VERIFIED",
            }));
        }
        let is_other = connection.waba_id.as_deref() == Some(id) || connection.page_id.as_deref() == Some(id);
        is_other.then(|| json!({ "id": id, "name": connection.name }))
    });
    match told {
        Some(told) => answer_json(StatusCode::OK, &told),
        None => GraphError::unknown_object(&request.method, id).response(),
    }
}
