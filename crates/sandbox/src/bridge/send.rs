//! Sends messages over the bridge.

use http::StatusCode;
use serde_json::{Value, json};

use super::{Call, SessionState, event, failure};
use crate::connection::{Connection, digits};
use crate::mark;
use crate::response::{SandboxResponse, json as answer_json};
use crate::sent::{Sent, Status};

/// The kind of message that a call sends.
pub(super) fn kind(call: &str) -> Option<&'static str> {
    match call {
        "sendText" => Some("text"),
        "sendImage" => Some("image"),
        "sendVideo" => Some("video"),
        "sendFile" => Some("document"),
        "sendVoice" => Some("audio"),
        _ => None,
    }
}

/// The number of a chat with one person.
pub(super) fn customer(chat: &str) -> String {
    digits(chat.split('@').next().unwrap_or_default())
}

impl Call<'_> {
    pub(super) fn send(&self, call: &str) -> SandboxResponse {
        if let Some(response) = self.refusal_unless(SessionState::Working) {
            return response;
        }
        let Some(connection) = &self.connection else { return self.no_session() };
        match self.read(connection, kind(call).unwrap_or("text")) {
            Ok(message) => self.accept(connection, message),
            Err(why) => failure(StatusCode::BAD_REQUEST, why),
        }
    }

    fn read(&self, connection: &Connection, kind: &str) -> Result<Sent, &'static str> {
        let body = &self.body;
        let chat = body["chatId"].as_str().filter(|chat| chat.contains('@'));
        let to = customer(chat.ok_or("chatId must be a number and @c.us")?);
        let is_text = kind == "text";
        let text = body["text"].as_str().filter(|text| !text.is_empty());
        if is_text && text.is_none() {
            return Err("text should not be empty");
        }
        let file = &body["file"];
        let is_file = file["url"].is_string() || file["data"].is_string();
        if !is_text && !is_file {
            return Err("file must have a url or data");
        }
        if !is_text && !file["mimetype"].is_string() {
            return Err("file.mimetype must be a string");
        }
        let media = || {
            json!({
                "kind": kind,
                "link": file["url"],
                "caption": body["caption"],
                "filename": file["filename"],
                "content_type": file["mimetype"],
            })
        };
        Ok(Sent {
            id: mark::bridge_message(true, &to),
            connection_id: connection.id.clone(),
            channel: connection.channel.clone(),
            to,
            kind: kind.to_owned(),
            text: text.filter(|_| is_text).map(str::to_owned),
            template: None,
            media: (!is_text).then(media),
            reply_to: body["reply_to"].as_str().map(str::to_owned),
            our_id: None,
            status: Status::Accepted,
            error_code: None,
            at: self.sandbox.now(),
            raw: body.clone(),
        })
    }

    fn accept(&self, connection: &Connection, message: Sent) -> SandboxResponse {
        let told = tell(connection, &message);
        let echo = event::hooks(&self.sandbox.state(), connection, "message.any", &told, message.at);
        let to = message.to.clone();
        self.sandbox.accept(connection, message, None);
        let (sandbox, connection) = (self.sandbox.clone(), connection.clone());
        tokio::spawn(async move {
            for hook in echo {
                sandbox.deliver_surely(&connection, Some(&to), &hook).await;
            }
        });
        answer_json(StatusCode::CREATED, &told)
    }
}

/// The message, for the response and the echo.
fn tell(connection: &Connection, sent: &Sent) -> Value {
    let mut told = event::message(connection, &sent.id, true, &sent.to, sent.at);
    told["source"] = json!("api");
    told["ack"] = json!(0);
    told["ackName"] = json!("PENDING");
    if let Some(media) = &sent.media {
        told["hasMedia"] = json!(true);
        told["media"] =
            json!({ "url": media["link"], "mimetype": media["content_type"], "filename": media["filename"] });
        told["body"] = json!(media["caption"].as_str().unwrap_or_default());
    }
    if let Some(text) = &sent.text {
        told["body"] = json!(text);
    }
    if let Some(reply_to) = &sent.reply_to {
        told["replyTo"] = json!({ "id": reply_to });
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_a_number() {
        assert_eq!(customer("12132132131@c.us"), "12132132131");
        assert_eq!(customer("12132132131@s.whatsapp.net"), "12132132131");
    }
}
