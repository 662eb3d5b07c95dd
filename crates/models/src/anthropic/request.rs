//! The body of `POST {base}/v1/messages`.
//!
//! Anthropic is stricter than OpenAI: roles alternate, the first message is the user's, no text is blank, and all results of
//! a turn are in one user message. Messages are merged and completed so that every conversation fits.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::adjustments::Adjustment;
use crate::chat::{Cache, ChatRequest, Message, Part, Replay, SystemPrompt, Tool, Turn};

/// The highest temperature that Anthropic accepts; OpenAI's goes up to 2.
const TEMPERATURE_MAX: f64 = 1.0;
/// The first user message of a conversation that the assistant began.
const OPENING: &str = "(The conversation begins with the assistant's message.)";

#[derive(Serialize)]
pub(crate) struct Body<'r> {
    model: &'r str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<OfferedTool<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Value>,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct OfferedTool<'r> {
    name: &'r str,
    description: &'r str,
    input_schema: &'r RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

pub(crate) fn body(request: &ChatRequest, adjustment: Adjustment) -> Body<'_> {
    let mut turns = Turns::default();
    for message in &request.messages {
        turns.push(message, &request.model);
    }
    if request.cache == Cache::Conversation {
        turns.mark_end();
    }
    let has_cache = request.cache != Cache::Off;
    let mut tools: Vec<_> = request.tools.iter().map(|tool| offered(tool)).collect();
    // The system prompt comes after the tools, so its cache mark covers them.
    let needs_mark = has_cache && request.system.stable.trim().is_empty();
    if let Some(last) = tools.last_mut().filter(|_| needs_mark) {
        last.cache_control = Some(ephemeral());
    }
    let temperature = request.temperature.filter(|_| !adjustment.omits_temperature);
    Body {
        model: &request.model,
        max_tokens: request.output_tokens_max,
        tools,
        system: system(&request.system, has_cache),
        messages: turns.into_messages(),
        temperature: temperature.map(|temperature| temperature.min(TEMPERATURE_MAX)),
    }
}

fn system(prompt: &SystemPrompt, has_cache: bool) -> Vec<Value> {
    let block = |text: &String| (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
    let mut stable = block(&prompt.stable);
    if let Some(stable) = stable.as_mut().filter(|_| has_cache) {
        mark(stable);
    }
    stable.into_iter().chain(block(&prompt.varying)).collect()
}

/// Asks for everything up to this block to be cached.
fn mark(block: &mut Value) {
    block["cache_control"] = ephemeral();
}

fn ephemeral() -> Value {
    json!({ "type": "ephemeral" })
}

fn offered(tool: &Tool) -> OfferedTool<'_> {
    OfferedTool {
        name: &tool.name,
        description: &tool.description,
        input_schema: &tool.parameters,
        cache_control: None,
    }
}

/// Alternating turns, each a list of blocks.
#[derive(Default)]
struct Turns(Vec<(&'static str, Vec<Value>)>);

impl Turns {
    fn push(&mut self, message: &Message, model: &str) {
        match message {
            Message::User(parts) => self.add("user", parts.iter().filter_map(part).collect()),
            Message::Assistant(turn) => self.add("assistant", assistant(turn, model)),
            Message::ToolResults(results) => {
                let results = results.iter().map(|result| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": result.call_id,
                        "content": result.content,
                        "is_error": result.is_error,
                    })
                });
                self.add("user", results.collect());
            }
        }
    }

    /// Merges consecutive blocks of the same role into one message.
    fn add(&mut self, role: &'static str, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        if self.0.is_empty() && role == "assistant" {
            self.0.push(("user", vec![json!({ "type": "text", "text": OPENING })]));
        }
        match self.0.last_mut() {
            Some((last, earlier)) if *last == role => earlier.extend(blocks),
            _ => self.0.push((role, blocks)),
        }
    }

    /// Marks the last block. A reasoning block cannot carry the mark, but it is never the last block of a
    /// conversation that continues.
    fn mark_end(&mut self) {
        let last = self.0.last_mut().and_then(|(_, blocks)| blocks.last_mut());
        if let Some(last) = last.filter(|block| block["type"] != "thinking") {
            mark(last);
        }
    }

    fn into_messages(self) -> Vec<Value> {
        self.0.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
    }
}

fn part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text })),
        Part::Image(image) => Some(json!({
            "type": "image",
            "source": { "type": "base64", "media_type": image.content_type(), "data": image.base64() },
        })),
    }
}

fn assistant(turn: &Turn, model: &str) -> Vec<Value> {
    if let Some(Replay { content, .. }) = turn.replay.as_ref().filter(|replay| replay.model == model) {
        return content.clone();
    }
    let text = turn.text.iter().filter(|text| !text.trim().is_empty());
    let text = text.map(|text| json!({ "type": "text", "text": text }));
    let calls = turn.tool_calls.iter().map(|call| {
        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments.to_object() })
    });
    text.chain(calls).collect()
}
