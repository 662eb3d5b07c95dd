//! The body of `POST {base}/chat/completions`.
//!
//! What stays the same between calls comes first (tools and system prompt), because OpenAI caches prompts by their
//! beginning.

use serde_json::{Value, json};

use crate::adjustments::Adjustment;
use crate::{ChatRequest, Image, Message, Part, SystemPrompt, Tool, Turn};

pub(crate) fn body(request: &ChatRequest, adjustment: Adjustment) -> Value {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if let Some(system) = system(&request.system) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        push(&mut messages, message);
    }
    let limit = if adjustment.uses_max_tokens { "max_tokens" } else { "max_completion_tokens" };
    let mut body = json!({ "model": request.model, "messages": messages, limit: request.output_tokens_max });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
        body["tool_choice"] = json!("auto");
    }
    if let Some(temperature) = request.temperature.filter(|_| !adjustment.omits_temperature) {
        body["temperature"] = json!(temperature);
    }
    body
}

fn system(prompt: &SystemPrompt) -> Option<String> {
    let parts: Vec<_> = [&prompt.stable, &prompt.varying]
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .cloned()
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn push(messages: &mut Vec<Value>, message: &Message) {
    match message {
        Message::User(parts) => messages.push(json!({ "role": "user", "content": content(parts) })),
        Message::Assistant(turn) => messages.extend(assistant(turn)),
        Message::ToolResults(results) => messages.extend(results.iter().map(
            |result| json!({ "role": "tool", "tool_call_id": result.call_id, "content": result.content }),
        )),
    }
}

/// Text alone is a plain string, which every server understands.
fn content(parts: &[Part]) -> Value {
    if let [Part::Text(text)] = parts {
        return json!(text);
    }
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image(image) => json!({ "type": "image_url", "image_url": { "url": data_url(image) } }),
    }
}

fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.content_type(), image.base64())
}

/// A turn without words and calls says nothing and is left out.
fn assistant(turn: &Turn) -> Option<Value> {
    let calls: Vec<_> = turn
        .tool_calls
        .iter()
        .map(|call| {
            let arguments = call.arguments.to_object().to_string();
            json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
        })
        .collect();
    if turn.text.is_none() && calls.is_empty() {
        return None;
    }
    let mut message = json!({ "role": "assistant", "content": turn.text });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    Some(message)
}

fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}
