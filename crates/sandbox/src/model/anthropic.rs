//! Anthropic's messages.

use http::StatusCode;
use serde_json::{Value, json};

use super::transcript::{Conversation, Tool, TranscriptItem};
use super::{Reply, text};
use crate::mark;
use crate::request::Request;

pub(super) fn check(request: &Request, body: &Value) -> Result<(), String> {
    if request.header("anthropic-version").is_none() {
        return Err("anthropic-version: header is required".into());
    }
    check_body(body)
}

fn check_body(body: &Value) -> Result<(), String> {
    if !body["model"].is_string() {
        return Err("model: Field required".into());
    }
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        return Err("max_tokens: Field required".into());
    }
    let messages = body["messages"].as_array().filter(|messages| !messages.is_empty());
    let messages = messages.ok_or("messages: at least one message is required")?;
    if messages[0]["role"] != "user" {
        return Err("messages: first message must use the \"user\" role".into());
    }
    let mut waiting: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "user" && role != "assistant" {
            return Err(format!("messages.{index}.role: Input should be 'user' or 'assistant'"));
        }
        let content = &message["content"];
        if text(content).is_empty() && content.as_array().is_none_or(Vec::is_empty) {
            return Err(format!("messages.{index}: all messages must have non-empty content"));
        }
        let results: Vec<_> = ids(content, "tool_result", "tool_use_id");
        if let Some(stray) = results.iter().find(|id| role != "user" || !waiting.contains(id)) {
            return Err(format!(
                "messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {stray}. Each `tool_result` \
                 block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        waiting.retain(|id| !results.contains(id));
        all_answered(&waiting)?;
        waiting = ids(content, "tool_use", "id");
    }
    all_answered(&waiting)
}

fn ids<'a>(content: &'a Value, kind: &str, key: &str) -> Vec<&'a str> {
    let blocks = content.as_array().into_iter().flatten().filter(|block| block["type"] == kind);
    blocks.map(|block| block[key].as_str().unwrap_or_default()).collect()
}

fn all_answered(waiting: &[&str]) -> Result<(), String> {
    if waiting.is_empty() {
        return Ok(());
    }
    Err(format!(
        "`tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a \
         corresponding `tool_result` block in the next message.",
        waiting.join(", ")
    ))
}

pub(super) fn conversation(body: &Value) -> Conversation {
    let mut heard = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let content = &message["content"];
        let blocks = || content.as_array().into_iter().flatten();
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let of_type = |kind: &'static str| blocks().filter(move |block| block["type"] == kind);
        heard.extend(of_type("tool_result").map(|block| TranscriptItem::Result {
            id: string(&block["tool_use_id"]),
            text: text(&block["content"]),
            is_error: block["is_error"] == true,
        }));
        if message["role"] == "assistant" {
            heard.push(TranscriptItem::Assistant);
            heard.extend(of_type("tool_use").map(|block| TranscriptItem::Call {
                id: string(&block["id"]),
                name: string(&block["name"]),
            }));
            continue;
        }
        let images = of_type("image").map(|block| &block["source"]["media_type"]);
        let attachments: Vec<_> =
            images.map(|kind| format!("an image ({})", kind.as_str().unwrap_or("at an address"))).collect();
        let text = text(content);
        if !text.is_empty() || !attachments.is_empty() {
            heard.push(TranscriptItem::User { text, attachments });
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| Tool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        parameters: tool["input_schema"].clone(),
    });
    Conversation::of(heard, tools.collect())
}

pub(super) fn render(reply: &Reply) -> Value {
    let said = reply.text.iter().map(|text| json!({ "type": "text", "text": text }));
    let calls = reply.tool_calls.iter().map(|call| {
        let input = if call.arguments.is_null() { json!({}) } else { call.arguments.clone() };
        json!({ "type": "tool_use", "id": mark::prefixed("toolu_"), "name": call.name, "input": input })
    });
    let usual = if reply.tool_calls.is_empty() { "end_turn" } else { "tool_use" };
    json!({
        "id": mark::prefixed("msg_"),
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": said.chain(calls).collect::<Vec<_>>(),
        "stop_reason": reply.stop.as_deref().unwrap_or(usual),
        "stop_sequence": null,
        "usage": {
            // Unlike in OpenAI's format, the count excludes cached tokens.
            "input_tokens": reply.input_tokens.saturating_sub(reply.cached_tokens),
            "output_tokens": reply.output_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": reply.cached_tokens,
        },
    })
}

pub(super) fn error(status: StatusCode, message: &str) -> Value {
    let kind = match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": mark::prefixed("req_") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(messages: Value) -> Result<(), String> {
        check_body(&json!({ "model": "m", "max_tokens": 1, "messages": messages }))
    }

    #[test]
    fn every_use_of_a_tool_is_answered_in_the_next_message() {
        let user = json!({ "role": "user", "content": "hi" });
        let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a" }, { "type": "tool_use", "id": "b" }] });
        let results = |ids: &[&str]| {
            let blocks: Vec<_> = ids
                .iter()
                .map(|id| json!({ "type": "tool_result", "tool_use_id": id, "content": "ok" }))
                .collect();
            json!({ "role": "user", "content": blocks })
        };
        assert!(checked(json!([user, call, results(&["b", "a"])])).is_ok());
        assert!(checked(json!([user, call, results(&["a"])])).unwrap_err().contains("after: b"));
        assert!(checked(json!([user, call])).is_err());
        assert!(checked(json!([user, results(&["a"])])).unwrap_err().contains("unexpected"));
        assert!(checked(json!([call])).is_err() && checked(json!([])).is_err());
    }

    #[test]
    fn a_conversation_is_heard_with_its_tools_and_images() {
        let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
        let body = json!({
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "hi" }, image] },
                { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "t" }] },
                { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "ok", "is_error": true }] },
            ],
            "tools": [{ "name": "t", "input_schema": { "type": "object" } }],
        });
        let heard = conversation(&body);
        assert_eq!((heard.user.as_str(), heard.attachments), ("hi", vec!["an image (image/png)".to_owned()]));
        assert_eq!((heard.calls[0].result.as_str(), heard.calls[0].is_error), ("ok", true));
        assert_eq!(heard.tools, [Tool { name: "t".into(), parameters: json!({ "type": "object" }) }]);
    }

    #[test]
    fn words_beside_results_are_a_new_message() {
        let body = json!({ "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "t" }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": "ok" }, { "type": "text", "text": "and?" } ] },
        ] });
        let heard = conversation(&body);
        assert_eq!(
            (heard.asked.as_str(), heard.earlier, heard.calls.len()),
            ("and?", vec!["hi".to_owned()], 0)
        );
    }
}
