//! A customer's message: it becomes the webhook that the channel's vendor would send, with the vendor's
//! signature.

mod input;
mod messenger;
mod personal;
mod whatsapp;

use serde_json::{Value, json};

use crate::chat::CustomerMessage;
use crate::connection::Connection;
use crate::request::Request;
use crate::response::{ControlError, Outcome, data};
use crate::sandbox::Sandbox;
use crate::webhook::Hook;
use crate::{bridge, mark};
use input::{Content, CustomerInput};

/// A validated customer's message.
struct Message {
    id: String,
    customer: String,
    name: String,
    at: i64,
    reply_to: Option<String>,
    /// WhatsApp's user id of the customer, and whether webhooks show the number next to it.
    user_id: Option<String>,
    hides_number: bool,
    /// Sent by the business itself, on another device.
    from_me: bool,
    content: Content,
    /// The address of the sandbox, for links back to it.
    origin: String,
}

/// `POST /sandbox/customers/{customer}/messages`.
pub(crate) async fn say(sandbox: &Sandbox, request: &Request, customer: &str) -> Outcome {
    let words: CustomerInput = request.read()?;
    let connection = sandbox.connection(words.connection_id.as_deref()).await?;
    let message = compose(sandbox, request, &connection, customer, words).await?;
    let hooks = {
        let now = sandbox.now();
        let mut state = sandbox.state();
        let hooks = if connection.is_personal() {
            let (events, payload) = personal::events(&connection, &message)?;
            let hooks =
                events.iter().flat_map(|event| bridge::hooks(&state, &connection, event, &payload, now));
            hooks.collect::<Vec<_>>()
        } else {
            let body = if connection.is_whatsapp() {
                whatsapp::webhook(&connection, &message)?
            } else {
                messenger::webhook(&connection, &message)?
            };
            vec![Hook::from_meta(&connection.webhook_url, &connection.app_secret, &body)]
        };
        // Stored before the webhook is sent, so that a reply finds the window open.
        if let Content::Media { media, .. } = &message.content {
            state.media.keep(media.clone());
        }
        if !message.from_me && !matches!(message.content, Content::Reaction { .. }) {
            state.chats.keep(received(&connection, &message), &message.name);
        }
        hooks
    };
    if hooks.is_empty() {
        let message = "The bridge's session was not asked to tell this: its webhooks list other events. Update them with \
                       PUT /sandbox/bridge/api/sessions/{name}.";
        return Err(ControlError::conflict(message));
    }
    let mut answered = 0;
    for hook in &hooks {
        let taken = sandbox.deliver(&connection, Some(&message.customer), hook).await;
        answered =
            taken.map_err(|why| ControlError::upstream(format!("The webhook was not taken: {why}")))?;
    }
    Ok(data(json!({ "channel_message_id": message.id, "delivered_to": hooks[0].url, "status": answered })))
}

async fn compose(
    sandbox: &Sandbox,
    request: &Request,
    connection: &Connection,
    customer: &str,
    words: CustomerInput,
) -> Result<Message, ControlError> {
    let customer = connection.customer(customer);
    if customer.is_empty() {
        return Err(ControlError::request(
            "A customer is a number in digits, or for Messenger and Instagram any id.",
        ));
    }
    let from_me = words.from_me.unwrap_or(false);
    if from_me && connection.is_whatsapp() {
        return Err(ControlError::request("from_me goes with messenger, instagram and personal_whatsapp."));
    }
    if (words.user_id.is_some() || words.hide_number.is_some()) && !connection.is_whatsapp() {
        return Err(ControlError::request("user_id and hide_number go with whatsapp."));
    }
    let hides_number = words.hide_number.unwrap_or(false);
    if hides_number && words.user_id.is_none() {
        return Err(ControlError::request("A customer who hides their number has a user_id: name it."));
    }
    let known = sandbox.state().chats.name(&connection.id, &customer).map(str::to_owned);
    let name = words.name.clone().or(known).unwrap_or_else(|| default_name(&customer));
    let id = words.id.clone().unwrap_or_else(|| match connection.channel.as_str() {
        "whatsapp" => mark::wamid(&customer),
        "personal_whatsapp" => mark::bridge_message(from_me, &customer),
        _ => mark::mid(),
    });
    let at = words.timestamp.map_or_else(|| sandbox.now(), |seconds| seconds * 1000);
    let (reply_to, user_id) = (words.reply_to.clone(), words.user_id.clone());
    let content = words.content(&connection.id, sandbox.home()).await?;
    let origin = sandbox.origin(request);
    Ok(Message { id, customer, name, at, reply_to, user_id, hides_number, from_me, content, origin })
}

fn default_name(customer: &str) -> String {
    let tail = customer.char_indices().rev().nth(3).map_or(customer, |(at, _)| &customer[at..]);
    format!("Customer {tail}")
}

fn received(connection: &Connection, message: &Message) -> CustomerMessage {
    let media = match &message.content {
        Content::Media { kind, media, .. } => Some(json!({
            "kind": kind,
            "link": media.address("", "media"),
            "filename": media.filename,
        })),
        _ => None,
    };
    CustomerMessage {
        id: message.id.clone(),
        connection_id: connection.id.clone(),
        // A customer who hides their number is addressed by their user id.
        customer: match &message.user_id {
            Some(user_id) if message.hides_number => user_id.clone(),
            _ => message.customer.clone(),
        },
        kind: message.content.kind(),
        text: message.content.text(),
        media,
        at: message.at,
        seen: false,
    }
}

/// `POST /sandbox/webhooks`: an arbitrary body, signed as the connection's vendor signs, for webhooks without
/// their own path.
pub(crate) async fn webhook(sandbox: &Sandbox, request: &Request) -> Outcome {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Raw {
        connection_id: Option<String>,
        body: Value,
    }
    let Raw { connection_id, body } = request.read()?;
    let connection = sandbox.connection(connection_id.as_deref()).await?;
    let hook = if connection.is_personal() {
        let key = Some(connection.app_secret.as_str()).filter(|key| !key.is_empty());
        Hook::from_bridge(&connection.webhook_url, key, &body, sandbox.now())
    } else {
        Hook::from_meta(&connection.webhook_url, &connection.app_secret, &body)
    };
    match sandbox.deliver(&connection, None, &hook).await {
        Ok(status) => Ok(data(json!({ "delivered_to": hook.url, "status": status }))),
        Err(why) => Err(ControlError::upstream(format!("The webhook was not taken: {why}"))),
    }
}
