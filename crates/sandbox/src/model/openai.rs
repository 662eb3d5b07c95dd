//! `OpenAI`'s chat completions.

use http::StatusCode;
use serde_json::{Value, json};

use super::transcript::{Conversation, Tool, TranscriptItem};
use super::{Reply, text};
use crate::mark;

pub(super) fn check(body: &Value) -> Result<(), String> {
    if !body["model"].is_string() {
        return Err("you must provide a model parameter".into());
    }
    let messages = body["messages"].as_array().filter(|messages| !messages.is_empty());
    let messages = messages.ok_or("Invalid 'messages': a list of at least one message is required.")?;
    // Calls of the latest turn that still wait for their results.
    let mut waiting: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if !["system", "developer", "user", "assistant", "tool"].contains(&role) {
            return Err(format!("Invalid value for 'messages[{index}].role': {role:?}."));
        }
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = waiting.iter().position(|waiting| *waiting == id) else {
                return Err(format!(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with \
                     'tool_calls' (messages[{index}])."
                ));
            };
            waiting.remove(place);
            continue;
        }
        all_answered(&waiting)?;
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        waiting = calls.map(|call| call["id"].as_str().unwrap_or_default()).collect();
        let is_said = message["content"].is_string() || message["content"].is_array();
        let may_be_silent = role == "assistant" && !waiting.is_empty();
        if !is_said && !may_be_silent {
            return Err(format!(
                "Invalid value for 'content': expected a string, got null (messages[{index}])."
            ));
        }
    }
    all_answered(&waiting)
}

fn all_answered(waiting: &[&str]) -> Result<(), String> {
    if waiting.is_empty() {
        return Ok(());
    }
    Err(format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         The following tool_call_ids did not have response messages: {}",
        waiting.join(", ")
    ))
}

pub(super) fn conversation(body: &Value) -> Conversation {
    let mut heard = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let content = &message["content"];
        match message["role"].as_str() {
            Some("user") => {
                heard.push(TranscriptItem::User { text: text(content), attachments: attachments(content) });
            }
            Some("tool") => {
                let id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
                heard.push(TranscriptItem::Result { id, text: text(content), is_error: false });
            }
            Some("assistant") => {
                heard.push(TranscriptItem::Assistant);
                let calls = message["tool_calls"].as_array().into_iter().flatten();
                heard.extend(calls.map(|call| {
                    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                    TranscriptItem::Call { id: text(&call["id"]), name: text(&call["function"]["name"]) }
                }));
            }
            _ => {}
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| &tool["function"]);
    let tools = tools.map(|function| Tool {
        name: function["name"].as_str().unwrap_or_default().to_owned(),
        parameters: function["parameters"].clone(),
    });
    Conversation::of(heard, tools.collect())
}

/// Descriptions of attachments.
fn attachments(content: &Value) -> Vec<String> {
    let parts = content.as_array().into_iter().flatten();
    let described = parts.filter_map(|part| match part["type"].as_str() {
        Some("image_url") => {
            let url = part["image_url"]["url"].as_str().unwrap_or_default();
            let kind = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
            Some(format!("an image ({})", kind.unwrap_or("at an address")))
        }
        Some("input_audio") => {
            Some(format!("a voice note ({})", part["input_audio"]["format"].as_str().unwrap_or("audio")))
        }
        _ => None,
    });
    described.collect()
}

pub(super) fn render(reply: &Reply) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments = call.arguments.as_str().map_or_else(|| object(&call.arguments), str::to_owned);
        json!({
            "id": mark::prefixed("call_"),
            "type": "function",
            "function": { "name": call.name, "arguments": arguments },
        })
    });
    let calls: Vec<_> = calls.collect();
    let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut message = json!({ "role": "assistant", "content": reply.text, "refusal": null });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": mark::prefixed("chatcmpl-"),
        "object": "chat.completion",
        "created": reply.at,
        "model": reply.model,
        "choices": [{
            "index": 0,
            "message": message,
            "logprobs": null,
            "finish_reason": reply.stop.as_deref().unwrap_or(usual),
        }],
        "usage": {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
            "prompt_tokens_details": { "cached_tokens": reply.cached_tokens },
        },
    })
}

fn object(arguments: &Value) -> String {
    if arguments.is_null() { "{}".into() } else { arguments.to_string() }
}

pub(super) fn error(status: StatusCode, message: &str) -> Value {
    let (kind, code) = match status.as_u16() {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        429 => ("requests", Some("rate_limit_exceeded")),
        400..=499 => ("invalid_request_error", None),
        _ => ("server_error", None),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(messages: Value) -> Result<(), String> {
        check(&json!({ "model": "m", "messages": messages }))
    }

    #[test]
    fn every_call_is_answered_and_nothing_else() {
        let user = json!({ "role": "user", "content": "hi" });
        let call =
            json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "a" }, { "id": "b" }] });
        let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "ok" });
        assert!(checked(json!([user, call, result("b"), result("a")])).is_ok());
        assert!(checked(json!([user, call, result("a")])).unwrap_err().contains("response messages: b"));
        assert!(checked(json!([user, call, result("a"), user])).is_err());
        assert!(checked(json!([user, result("a")])).unwrap_err().contains("role 'tool'"));
        assert!(checked(json!([{ "role": "user", "content": null }])).is_err());
        assert!(checked(json!([])).is_err() && check(&json!({ "messages": [user] })).is_err());
    }

    #[test]
    fn a_conversation_is_heard_with_its_tools_and_images() {
        let body = json!({
            "messages": [
                { "role": "system", "content": "Be kind." },
                { "role": "user", "content": [
                    { "type": "text", "text": "hi" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
                ] },
                { "role": "assistant", "tool_calls": [{ "id": "a", "function": { "name": "t" } }] },
                { "role": "tool", "tool_call_id": "a", "content": "ok" },
            ],
            "tools": [{ "type": "function", "function": { "name": "t", "parameters": { "type": "object" } } }],
        });
        let heard = conversation(&body);
        assert_eq!((heard.user.as_str(), heard.attachments), ("hi", vec!["an image (image/png)".to_owned()]));
        assert_eq!((heard.calls[0].name.as_str(), heard.calls[0].result.as_str()), ("t", "ok"));
        assert_eq!(heard.tools, [Tool { name: "t".into(), parameters: json!({ "type": "object" }) }]);
    }
}
