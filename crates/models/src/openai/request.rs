//! The body of `POST {base}/chat/completions`.
//!
//! What stays the same between calls comes first (tools and system prompt), because OpenAI caches prompts by their
//! beginning.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::adjustments::Adjustment;
use crate::chat::{ChatRequest, Message, Part, SystemPrompt, Tool, Turn};
use crate::image::Image;

#[derive(Serialize)]
pub(crate) struct Body<'r> {
    model: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<OfferedTool<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct OfferedTool<'r> {
    r#type: &'static str,
    function: Function<'r>,
}

#[derive(Serialize)]
struct Function<'r> {
    name: &'r str,
    description: &'r str,
    parameters: &'r RawValue,
}

pub(crate) fn body(request: &ChatRequest, adjustment: Adjustment) -> Body<'_> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if let Some(system) = system(&request.system) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        push(&mut messages, message);
    }
    let limit = Some(request.output_tokens_max);
    Body {
        model: &request.model,
        tools: request.tools.iter().map(|tool| offered(tool)).collect(),
        tool_choice: (!request.tools.is_empty()).then_some("auto"),
        messages,
        max_tokens: limit.filter(|_| adjustment.uses_max_tokens),
        max_completion_tokens: limit.filter(|_| !adjustment.uses_max_tokens),
        temperature: request.temperature.filter(|_| !adjustment.omits_temperature),
    }
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

/// A turn without text and tool calls is left out.
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

fn offered(tool: &Tool) -> OfferedTool<'_> {
    let Tool { name, description, parameters } = tool;
    OfferedTool { r#type: "function", function: Function { name, description, parameters } }
}
