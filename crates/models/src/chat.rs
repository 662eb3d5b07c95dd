//! Chat requests and replies, in one form for every provider.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::image::Image;

/// A call of a chat model.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    pub model: String,
    pub system: SystemPrompt,
    pub messages: Vec<Message>,
    pub tools: Vec<Arc<Tool>>,
    /// Maximum tokens of the reply, reasoning included.
    pub output_tokens_max: u32,
    /// None for the provider's default. Left out for models that accept only their default.
    pub temperature: Option<f64>,
    pub cache: Cache,
}

/// The system prompt. The stable part comes first, because providers cache a prompt from its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemPrompt {
    /// The same on every call of an assistant.
    pub stable: String,
    /// What differs between calls, such as memories. May be empty.
    pub varying: String,
}

/// How much of the prompt the provider is asked to cache. OpenAI caches by itself, so this concerns Anthropic, where
/// writing to the cache costs more than plain input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    Off,
    /// The tools and the stable system prompt.
    #[default]
    System,
    /// The whole conversation too, for a run that will call the model again with more messages.
    Conversation,
}

#[derive(Clone, Debug)]
pub enum Message {
    User(Vec<Part>),
    Assistant(Turn),
    /// The results of all tool calls of the turn before.
    ToolResults(Vec<ToolResult>),
}

impl Message {
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![Part::Text(text.into())])
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(Turn { text: Some(text.into()), ..Turn::default() })
    }
}

/// A part of a user's message.
#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Image(Image),
}

/// What the model said in one turn. It can be stored and sent back in a later call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// A turn as the provider wrote it. Anthropic's reasoning blocks are signed, and must come back unchanged together with the
/// tool calls that followed them. They are sent back to the same model only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    pub model: String,
    pub content: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within its turn.
    pub id: String,
    pub name: String,
    pub arguments: Arguments,
}

/// The arguments of a tool call. They are not checked against the tool's schema here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    Object(Map<String, Value>),
    /// Not a JSON object. Return `problem` to the model as the call's result.
    Invalid {
        raw: String,
        problem: String,
    },
}

impl Arguments {
    /// Parses a model's text. An empty text is an empty object.
    pub(crate) fn parse(raw: &str) -> Self {
        let invalid = |problem: String| Self::Invalid {
            raw: raw.to_owned(),
            problem: format!("{problem}. Send one JSON object."),
        };
        if raw.trim().is_empty() {
            return Self::Object(Map::new());
        }
        match serde_json::from_str(raw) {
            Ok(Value::Object(object)) => Self::Object(object),
            Ok(_) => invalid("The arguments are not a JSON object".to_owned()),
            Err(error) => invalid(format!("The arguments are not valid JSON: {error}")),
        }
    }

    /// The arguments as they are sent back to a provider. Some refuse a history with invalid JSON, so invalid text is
    /// wrapped, which still shows the model what it wrote.
    pub(crate) fn to_object(&self) -> Value {
        match self {
            Self::Object(object) => Value::Object(object.clone()),
            Self::Invalid { raw, .. } => json!({ "invalid_json": raw }),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call_id: String,
    pub content: String,
    pub is_error: bool,
}

/// A tool that the model may call. Requests share it, and its schema is written as JSON once.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON Schema of an object.
    pub parameters: Box<RawValue>,
}

impl Tool {
    pub fn new(name: &str, description: &str, parameters: &Value) -> Self {
        let parameters = to_raw_value(parameters).expect("a JSON value can be written");
        Self { name: name.to_owned(), description: description.to_owned(), parameters }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    pub turn: Turn,
    pub stop: StopReason,
    /// None when the provider reported no usage. Count the call at its worst case then.
    pub usage: Option<Usage>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// The provider's name of the model that replied, which may carry a version.
    pub model: Option<String>,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    End,
    ToolCalls,
    /// The reply was cut off at `output_tokens_max` or at the end of the context window. Its tool calls are dropped, because
    /// the last one may be incomplete.
    Length,
    /// The model or the provider's filter refused. Its tool calls are dropped.
    Refusal,
}

impl StopReason {
    /// Returns the final stop reason of a turn, and drops its tool calls if it was cut off or refused. Some servers
    /// report `stop` for a turn that calls tools.
    pub(crate) fn settle(self, turn: &mut Turn) -> Self {
        match self {
            Self::Length | Self::Refusal => {
                turn.tool_calls.clear();
                turn.replay = None;
                self
            }
            Self::End | Self::ToolCalls if turn.tool_calls.is_empty() => Self::End,
            Self::End | Self::ToolCalls => Self::ToolCalls,
        }
    }
}

/// Tokens of a call. The four counts do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input that was neither read from the cache nor written to it.
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub cache_write_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    /// All input tokens, whatever they cost.
    pub fn all_input_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cached_input_tokens).saturating_add(self.cache_write_tokens)
    }
}

/// Gives every call an id that is unique within its turn, for servers that leave ids out or repeat them.
pub(crate) fn number_calls(calls: &mut [ToolCall], reply_id: Option<&str>) {
    for index in 0..calls.len() {
        let (before, rest) = calls.split_at_mut(index);
        let call = &mut rest[0];
        if call.id.is_empty() || before.iter().any(|other| other.id == call.id) {
            call.id = format!("{}_{index}", reply_id.unwrap_or("call"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "t".to_owned(), arguments: Arguments::parse("") }
    }

    #[test]
    fn arguments_that_are_no_object_say_what_to_send() {
        for raw in ["{\"text\":", "[1]", "\"hi\"", "5", "null"] {
            let Arguments::Invalid { problem, .. } = Arguments::parse(raw) else {
                panic!("{raw} was accepted")
            };
            assert!(problem.ends_with("Send one JSON object."), "{problem}");
        }
        assert_eq!(Arguments::parse(" "), Arguments::Object(Map::new()));
        assert_eq!(Arguments::parse("{\"a\":1}").to_object(), json!({ "a": 1 }));
        assert_eq!(Arguments::parse("{a").to_object(), json!({ "invalid_json": "{a" }));
    }

    #[test]
    fn missing_and_repeated_call_ids_become_unique() {
        let mut calls = [call("a"), call("a"), call(""), call("b")];
        number_calls(&mut calls, Some("chatcmpl-1"));
        let ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "chatcmpl-1_1", "chatcmpl-1_2", "b"]);
    }

    #[test]
    fn a_turn_survives_storage() {
        let turn = Turn {
            text: Some("hi".to_owned()),
            tool_calls: vec![call("a"), ToolCall { arguments: Arguments::parse("{a"), ..call("b") }],
            replay: Some(Replay { model: "m".to_owned(), content: vec![json!({ "type": "thinking" })] }),
        };
        let stored = serde_json::to_string(&turn).unwrap();
        assert_eq!(serde_json::from_str::<Turn>(&stored).unwrap(), turn);
    }
}
