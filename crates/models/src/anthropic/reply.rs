//! What `POST {base}/v1/messages` returns.

use serde_json::Value;

use crate::chat::number_calls;
use crate::chat::{Arguments, ChatReply, Replay, StopReason, ToolCall, Turn, Usage};

/// Reads a reply to a call of `model`, or says what it lacks.
pub(crate) fn reply(body: &Value, model: &str) -> Result<ChatReply, &'static str> {
    let content = body["content"].as_array().ok_or("it has no content")?;
    let of_type = |kind: &'static str| content.iter().filter(move |block| block["type"] == kind);
    let text: Vec<_> = of_type("text").filter_map(|block| block["text"].as_str()).collect();
    let text = text.concat();
    let mut tool_calls: Vec<_> = of_type("tool_use").map(tool_call).collect();
    let ids_before: Vec<_> = tool_calls.iter().map(|call| call.id.clone()).collect();
    number_calls(&mut tool_calls, body["id"].as_str());
    let has_own_ids = tool_calls.iter().map(|call| &call.id).eq(&ids_before);
    // Reasoning must be sent back unchanged, in its position among the tool calls.
    let is_reasoned =
        content.iter().any(|block| matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking")));
    let replay = (is_reasoned && has_own_ids && !tool_calls.is_empty())
        .then(|| Replay { model: model.to_owned(), content: content.clone() });
    let stop = match body["stop_reason"].as_str() {
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        _ => StopReason::End,
    };
    let mut turn = Turn { text: Some(text).filter(|text| !text.is_empty()), tool_calls, replay };
    let stop = stop.settle(&mut turn);
    let model = body["model"].as_str().map(ToOwned::to_owned);
    Ok(ChatReply { turn, stop, usage: usage(&body["usage"]), request_id: None, model })
}

fn tool_call(block: &Value) -> ToolCall {
    let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    let arguments = match &block["input"] {
        Value::Object(object) => Arguments::Object(object.clone()),
        Value::Null => Arguments::parse(""),
        Value::String(raw) => Arguments::parse(raw),
        other => Arguments::parse(&other.to_string()),
    };
    ToolCall { id: text("id"), name: text("name"), arguments }
}

/// The token counts of the cache are separate from `input_tokens`.
fn usage(usage: &Value) -> Option<Usage> {
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    usage["input_tokens"].as_u64().map(|input_tokens| Usage {
        input_tokens,
        cached_input_tokens: count("cache_read_input_tokens"),
        cache_write_tokens: count("cache_creation_input_tokens"),
        output_tokens: count("output_tokens"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(content: Value, stop: &str) -> ChatReply {
        reply(&json!({ "id": "msg_1", "content": content, "stop_reason": stop }), "m").unwrap()
    }

    #[test]
    fn every_stop_is_understood() {
        let call = json!({ "type": "tool_use", "id": "a", "name": "t", "input": { "x": 1 } });
        let text = json!({ "type": "text", "text": "hi" });
        for (content, stop, expected, calls) in [
            (json!([text]), "end_turn", StopReason::End, 0),
            (json!([text, call]), "tool_use", StopReason::ToolCalls, 1),
            (json!([text, call]), "max_tokens", StopReason::Length, 0),
            (json!([text]), "model_context_window_exceeded", StopReason::Length, 0),
            (json!([]), "refusal", StopReason::Refusal, 0),
            (json!([text]), "stop_sequence", StopReason::End, 0),
        ] {
            let reply = read(content, stop);
            assert_eq!((reply.stop, reply.turn.tool_calls.len()), (expected, calls), "{stop}");
        }
    }

    #[test]
    fn reasoning_is_kept_with_its_tool_calls_and_only_then() {
        let thinking = json!({ "type": "thinking", "thinking": "…", "signature": "s" });
        let call = json!({ "type": "tool_use", "id": "a", "name": "t", "input": {} });
        let replay = read(json!([thinking, call]), "tool_use").turn.replay.unwrap();
        assert_eq!((replay.model.as_str(), replay.content), ("m", vec![thinking.clone(), call.clone()]));
        assert_eq!(read(json!([call]), "tool_use").turn.replay, None);
        let spoken = json!({ "type": "text", "text": "hi" });
        assert_eq!(read(json!([thinking, spoken]), "end_turn").turn.replay, None);
        assert_eq!(read(json!([thinking, call]), "max_tokens").turn.replay, None);
    }

    #[test]
    fn the_counts_of_the_cache_are_separate() {
        let read = usage(&json!({
            "input_tokens": 10, "output_tokens": 7, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 60,
        }));
        let expected =
            Usage { input_tokens: 10, cached_input_tokens: 60, cache_write_tokens: 30, output_tokens: 7 };
        assert_eq!(read, Some(expected));
        assert_eq!(usage(&Value::Null), None);
        assert!(reply(&json!({ "content": null }), "m").is_err());
    }
}
