//! The control API: sent messages, faults, and the simulators' settings.

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::{Connection, digits};
use crate::fault::Faults;
use crate::media::{self, Content};
use crate::request::Request;
use crate::response::{ControlError, Outcome, SandboxResponse, bytes, data};
use crate::sandbox::Sandbox;
use crate::sent::{Filter, Sent, Status};
use crate::webhook::Hook;
use crate::{graph, mark, settings, template};

pub(crate) async fn connections(sandbox: &Sandbox) -> Outcome {
    let connections = sandbox.connections().await;
    Ok(data(connections.iter().map(Connection::show).collect::<Vec<_>>()))
}

/// One chat, as the page shows it.
pub(crate) async fn chat(sandbox: &Sandbox, request: &Request) -> Outcome {
    let connection = sandbox.connection(request.param("connection_id")).await?;
    let customer = connection.customer(request.param("customer").unwrap_or_default());
    let state = sandbox.state();
    Ok(data(json!({
        "customers": state.chats.customers(&state.outbox, &connection.id),
        "entries": state.chats.show(&state.outbox, &connection.id, &customer),
    })))
}

pub(crate) fn messages(sandbox: &Sandbox, request: &Request) -> Outcome {
    let since = request.param("since").map(|text| {
        mark::parse_time(text).ok_or_else(|| {
            ControlError::request("since is a time: 2026-01-31T09:30:00Z, or milliseconds since 1970.")
        })
    });
    let limit = request.param("limit").map(|text| {
        let limit = text.parse().ok().filter(|limit| *limit > 0);
        limit.ok_or_else(|| ControlError::request("limit is a number, at least 1."))
    });
    let to = request.param("to").map(digits);
    let filter = Filter {
        connection_id: request.param("connection_id"),
        to: to.as_deref(),
        since: since.transpose()?,
        limit: limit.transpose()?,
    };
    let state = sandbox.state();
    Ok(data(state.outbox.list(&filter).into_iter().map(Sent::show).collect::<Vec<_>>()))
}

pub(crate) fn clear_messages(sandbox: &Sandbox) -> SandboxResponse {
    sandbox.state().outbox.clear();
    data(json!({ "deleted": true }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    status: String,
    error_code: Option<i64>,
}

/// Reports a requested status of a message.
pub(crate) async fn status(sandbox: &Sandbox, request: &Request, id: &str) -> Outcome {
    let Report { status, error_code } = request.read()?;
    let status = match status.as_str() {
        "sent" => Status::Sent,
        "delivered" => Status::Delivered,
        "read" => Status::Read,
        "failed" => Status::Failed,
        _ => return Err(ControlError::request("status is sent, delivered, read or failed.")),
    };
    if error_code.is_some() && status != Status::Failed {
        return Err(ControlError::request("error_code goes with the status failed."));
    }
    report(sandbox, id, status, error_code).await
}

/// The customer reads a message.
pub(crate) async fn read(sandbox: &Sandbox, id: &str) -> Outcome {
    report(sandbox, id, Status::Read, None).await
}

async fn report(sandbox: &Sandbox, id: &str, status: Status, code: Option<i64>) -> Outcome {
    let message = sandbox.state().outbox.find(id).cloned();
    let message = message.ok_or_else(|| {
        ControlError::missing(format!(
            "No message that is kept has the id {id}. GET /sandbox/messages lists them."
        ))
    })?;
    let connection = sandbox.connection(Some(&message.connection_id)).await?;
    let is_page = !connection.is_whatsapp() && !connection.is_personal();
    if is_page && matches!(status, Status::Sent | Status::Failed) {
        return Err(ControlError::request(format!(
            "{} reports only delivered and read.",
            connection.channel
        )));
    }
    let answered = sandbox.report_now(&connection, &message, status, code).await;
    let answered =
        answered.map_err(|why| ControlError::upstream(format!("The webhook was not taken: {why}")))?;
    Ok(data(json!({
        "channel_message_id": id,
        "reported": status.as_str(),
        "delivered_to": connection.webhook_url,
        "status": answered,
    })))
}

pub(crate) fn settings(sandbox: &Sandbox) -> SandboxResponse {
    let mut settings = json!(sandbox.state().settings);
    settings["movable_clock"] = sandbox.home().is_some_and(|home| home.has_movable_clock).into();
    data(settings)
}

pub(crate) fn change_settings(sandbox: &Sandbox, request: &Request) -> Outcome {
    let change: settings::Change = request.read()?;
    sandbox.state().settings.apply(&change);
    Ok(settings(sandbox))
}

pub(crate) fn faults(sandbox: &Sandbox) -> SandboxResponse {
    data(json!(sandbox.state().faults))
}

pub(crate) fn change_faults(sandbox: &Sandbox, request: &Request) -> Outcome {
    let wanted: Faults = request.read()?;
    sandbox.state().faults.replace(wanted)?;
    Ok(faults(sandbox))
}

pub(crate) fn clear_faults(sandbox: &Sandbox) -> SandboxResponse {
    sandbox.state().faults = Faults::default();
    faults(sandbox)
}

pub(crate) async fn templates(sandbox: &Sandbox, request: &Request) -> Outcome {
    let waba = account(sandbox, request.param("connection_id"), request.param("waba_id")).await?;
    Ok(data(json!(sandbox.state().catalogue.of(&waba))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateChanges {
    connection_id: Option<String>,
    waba_id: Option<String>,
    templates: Vec<template::Change>,
    #[serde(default)]
    replace: bool,
}

/// Adds and changes templates, and sends the decisions to every connection of the account.
pub(crate) async fn change_templates(sandbox: &Sandbox, request: &Request) -> Outcome {
    let wanted: TemplateChanges = request.read()?;
    let waba = account(sandbox, wanted.connection_id.as_deref(), wanted.waba_id.as_deref()).await?;
    let news = sandbox.state().catalogue.change(&waba, &wanted.templates, wanted.replace)?;
    let mut connections = sandbox.connections().await;
    connections.retain(|connection| connection.waba_id.as_deref() == Some(&waba));
    let all: Value = json!(sandbox.state().catalogue.of(&waba));
    let sandbox = sandbox.clone();
    tokio::spawn(async move {
        for connection in connections {
            for template in &news {
                let body =
                    graph::account_change(&connection, "message_template_status_update", template.update());
                let hook = Hook::from_meta(&connection.webhook_url, &connection.app_secret, &body);
                sandbox.deliver_surely(&connection, None, &hook).await;
            }
        }
    });
    Ok(data(all))
}

/// The business account of the request.
async fn account(
    sandbox: &Sandbox,
    connection: Option<&str>,
    waba: Option<&str>,
) -> Result<String, ControlError> {
    let connections = sandbox.connections().await;
    if let Some(waba) = waba {
        let is_known = connections.iter().any(|connection| connection.waba_id.as_deref() == Some(waba));
        let missing =
            || ControlError::missing(format!("No connection that uses the sandbox has the waba_id {waba}."));
        return is_known.then(|| waba.to_owned()).ok_or_else(missing);
    }
    let connection = sandbox.connection(connection).await?;
    connection.waba_id.ok_or_else(|| ControlError::request("Only a whatsapp connection has templates."))
}

/// A file for anyone who has its address, as in Messenger, and for the page. The sample document is the example of a
/// template.
pub(crate) fn media(sandbox: &Sandbox, id: &str) -> Outcome {
    let (kind, name, document) = media::sample("document");
    let found = if id == name {
        Some((kind.to_owned(), Content::Here(document)))
    } else {
        sandbox.state().media.find(id).map(|media| (media.content_type.clone(), media.content.clone()))
    };
    match found {
        Some((kind, Content::Here(content))) => {
            let mut response = bytes(StatusCode::OK, &kind, content);
            media::guard(&mut response);
            Ok(response)
        }
        _ => Err(ControlError::missing("There is no such media here any more. Only the newest are kept.")),
    }
}
