//! The list of a business account's templates, page by page.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde_json::{Value, json};

use super::error::GraphError;
use super::holder;
use crate::fault::{self, On};
use crate::request::Request;
use crate::response::{Disconnect, SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;
use crate::template::Template;

/// Templates per page: the default and the maximum.
const PAGE_DEFAULT: usize = 25;
const PAGE_MAX: usize = 1000;

pub(super) async fn list(
    sandbox: &Sandbox,
    request: &Request,
    waba: &str,
) -> Result<SandboxResponse, Disconnect> {
    let connection = match holder(sandbox, request, waba, |connection| connection.waba_id.as_deref()).await {
        Ok(connection) => connection,
        Err(error) => return Ok(error.response()),
    };
    let fault = sandbox.fault(&[On::Templates], Some(&connection.id), None);
    let origin = sandbox.origin(request);
    let work = || match page(request, &origin, waba, sandbox.state().catalogue.of(waba)) {
        Ok(page) => answer_json(StatusCode::OK, &page),
        Err(error) => error.response(),
    };
    fault::under(fault, |fault| GraphError::of(fault).response(), work).await
}

fn page(request: &Request, origin: &str, waba: &str, templates: &[Template]) -> Result<Value, GraphError> {
    let limit = match request.param("limit").map(str::parse::<usize>) {
        None => PAGE_DEFAULT,
        Some(Ok(limit)) if limit > 0 => limit.min(PAGE_MAX),
        Some(_) => return Err(GraphError::new(100, "(#100) Param limit must be a positive number")),
    };
    let start = match request.param("after") {
        None => 0,
        Some(cursor) => position(cursor).ok_or_else(|| GraphError::new(100, "(#100) Invalid cursor"))?,
    };
    let is_wanted = |template: &&Template| {
        request.param("name").is_none_or(|name| template.name.contains(name))
            && request.param("status").is_none_or(|status| template.status.as_str() == status)
            && request.param("language").is_none_or(|language| template.language == language)
    };
    let wanted: Vec<_> = templates.iter().filter(is_wanted).collect();
    let shown: Vec<_> =
        wanted.iter().skip(start).take(limit).map(|template| template.listed(origin)).collect();
    let end = start + shown.len();
    let mut paging = json!({ "cursors": { "before": cursor(start), "after": cursor(end) } });
    if end < wanted.len() {
        let version = request.path.get(1).map_or("v23.0", String::as_str);
        paging["next"] = json!(format!(
            "{origin}/sandbox/graph/{version}/{waba}/message_templates?limit={limit}&after={}",
            cursor(end)
        ));
    }
    Ok(json!({ "data": shown, "paging": paging }))
}

fn cursor(position: usize) -> String {
    URL_SAFE_NO_PAD.encode(position.to_string())
}

fn position(cursor: &str) -> Option<usize> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?.parse().ok()
}
