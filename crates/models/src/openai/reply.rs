//! What `POST {base}/chat/completions` returns.

use serde_json::Value;

use crate::chat::number_calls;
use crate::chat::{Arguments, ChatReply, StopReason, ToolCall, Turn, Usage};

/// Reads a reply, or says what it lacks.
pub(crate) fn reply(body: &Value) -> Result<ChatReply, &'static str> {
    let choice = body["choices"].get(0).ok_or("it has no choices")?;
    let message = choice["message"].as_object().ok_or("its choice has no message")?;
    let words = |key: &str| message.get(key).and_then(text).filter(|text| !text.is_empty());
    let refusal = words("refusal");
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let mut tool_calls: Vec<_> = calls.map(tool_call).collect();
    number_calls(&mut tool_calls, body["id"].as_str());
    let stop = match choice["finish_reason"].as_str() {
        _ if refusal.is_some() => StopReason::Refusal,
        Some("length") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
        _ => StopReason::End,
    };
    let mut turn = Turn { text: refusal.or_else(|| words("content")), tool_calls, replay: None };
    let stop = stop.settle(&mut turn);
    let model = body["model"].as_str().map(ToOwned::to_owned);
    Ok(ChatReply { turn, stop, usage: usage(&body["usage"]), request_id: None, model })
}

/// A string, or the text of a list of parts, as some servers send it.
fn text(content: &Value) -> Option<String> {
    let parts =
        || content.as_array().map(|parts| parts.iter().filter_map(|part| part["text"].as_str()).collect());
    content.as_str().map(ToOwned::to_owned).or_else(parts)
}

fn tool_call(call: &Value) -> ToolCall {
    let function = &call["function"];
    let arguments = match &function["arguments"] {
        Value::String(raw) => Arguments::parse(raw),
        // Some servers send the object itself.
        Value::Object(object) => Arguments::Object(object.clone()),
        Value::Null => Arguments::parse(""),
        other => Arguments::parse(&other.to_string()),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    ToolCall { id: text(&call["id"]), name: text(&function["name"]), arguments }
}

/// `prompt_tokens` includes what was read from the cache and what was written to it.
fn usage(usage: &Value) -> Option<Usage> {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let input = usage["prompt_tokens"].as_u64()?;
    let details = &usage["prompt_tokens_details"];
    let cached = count(&details["cached_tokens"]).min(input);
    let written = count(&details["cache_write_tokens"]).min(input - cached);
    Some(Usage {
        input_tokens: input - cached - written,
        cached_input_tokens: cached,
        cache_write_tokens: written,
        output_tokens: count(&usage["completion_tokens"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn choice(message: Value, finish: &str) -> Value {
        json!({ "id": "chatcmpl-1", "choices": [{ "message": message, "finish_reason": finish }] })
    }

    #[test]
    fn every_stop_is_understood() {
        let call = json!([{ "id": "a", "function": { "name": "t", "arguments": "{}" } }]);
        for (message, finish, expected, calls) in [
            (json!({ "content": "hi" }), "stop", StopReason::End, 0),
            (json!({ "content": null, "tool_calls": call }), "tool_calls", StopReason::ToolCalls, 1),
            (json!({ "content": null, "tool_calls": call }), "stop", StopReason::ToolCalls, 1),
            (json!({ "content": "cut" }), "length", StopReason::Length, 0),
            (json!({ "content": "cut", "tool_calls": call }), "length", StopReason::Length, 0),
            (json!({ "content": null }), "content_filter", StopReason::Refusal, 0),
            (json!({ "content": null, "refusal": "I cannot." }), "stop", StopReason::Refusal, 0),
        ] {
            let reply = reply(&choice(message, finish)).unwrap();
            assert_eq!((reply.stop, reply.turn.tool_calls.len()), (expected, calls), "{finish}");
        }
    }

    #[test]
    fn odd_shapes_are_read_where_they_make_sense() {
        let parts = json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] });
        assert_eq!(reply(&choice(parts, "stop")).unwrap().turn.text.as_deref(), Some("ab"));
        let object = json!({ "tool_calls": [{ "function": { "name": "t", "arguments": { "a": 1 } } }] });
        let call = &reply(&choice(object, "stop")).unwrap().turn.tool_calls[0];
        assert_eq!((call.id.as_str(), call.arguments.to_object()), ("chatcmpl-1_0", json!({ "a": 1 })));
        for (body, lacks) in
            [(json!({}), "choices"), (json!({ "choices": [{}] }), "message"), (json!([]), "choices")]
        {
            assert!(reply(&body).unwrap_err().contains(lacks));
        }
    }

    #[test]
    fn cached_tokens_are_counted_once() {
        let read = usage(&json!({
            "prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 60, "cache_write_tokens": 30 },
        }));
        let expected =
            Usage { input_tokens: 10, cached_input_tokens: 60, cache_write_tokens: 30, output_tokens: 7 };
        assert_eq!(read, Some(expected));
        let odd =
            usage(&json!({ "prompt_tokens": 5, "prompt_tokens_details": { "cached_tokens": 9 } })).unwrap();
        assert_eq!((odd.input_tokens, odd.cached_input_tokens), (0, 5));
        assert_eq!(usage(&Value::Null), None);
    }
}
