//! Model providers for tests: an OpenAI-compatible one and an Anthropic-compatible one, on a loopback port of the test's own
//! process.
//!
//! Each is a [`Sink`] that knows one wire format. It replies what it was scripted to, in order, and then a greeting. Every
//! reply is a [`Reply`], so it can be late, cut off or broken, and can carry any header. Every request is kept.

use serde_json::{Value, json};

use crate::sink::{Received, Reply, Sink};

const INPUT_TOKENS: u64 = 100;
const OUTPUT_TOKENS: u64 = 10;

/// A provider, gone when dropped.
#[derive(Debug)]
pub struct ModelProvider {
    sink: Sink,
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    OpenAi,
    Anthropic,
}

impl ModelProvider {
    pub fn openai() -> Self {
        Self::start(Format::OpenAi)
    }

    pub fn anthropic() -> Self {
        Self::start(Format::Anthropic)
    }

    fn start(format: Format) -> Self {
        let provider = Self { sink: Sink::start(), format };
        provider.script([]);
        provider
    }

    /// What to configure as the base URL.
    pub fn base_url(&self) -> String {
        match self.format {
            Format::OpenAi => self.sink.url("/v1"),
            Format::Anthropic => self.sink.url(""),
        }
    }

    /// The path at which chats are answered.
    pub fn chat_path(&self) -> &'static str {
        match self.format {
            Format::OpenAi => "/v1/chat/completions",
            Format::Anthropic => "/v1/messages",
        }
    }

    /// Says what the next chats are replied, one after the other. Later ones get a greeting.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        self.sink.answer_in_turn(self.chat_path(), replies, self.text("Hello."));
    }

    /// The server behind it, to script other paths and to wait for requests.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// The chats that came, in order.
    pub fn received(&self) -> Vec<Received> {
        self.sink.at(self.chat_path())
    }

    /// The bodies of the chats that came.
    #[track_caller]
    pub fn requests(&self) -> Vec<Value> {
        self.received().iter().map(Received::json).collect()
    }

    /// A reply of words.
    pub fn text(&self, text: &str) -> Reply {
        self.reply(Some(text), &[], None)
    }

    /// A reply of tool calls: id, name, arguments. A string as arguments is passed on as it is in OpenAI's format.
    pub fn tool_calls(&self, calls: &[(&str, &str, Value)]) -> Reply {
        self.reply(None, calls, None)
    }

    /// A reply that stopped for this reason, in the provider's word.
    pub fn stopped(&self, text: &str, stop: &str) -> Reply {
        self.reply(Some(text), &[], Some(stop))
    }

    /// A failure with the provider's code or type.
    pub fn failure(&self, status: u16, code: &str, message: &str) -> Reply {
        let body = match self.format {
            Format::OpenAi => {
                json!({ "error": { "message": message, "type": "error", "param": null, "code": code } })
            }
            Format::Anthropic => {
                json!({ "type": "error", "error": { "type": code, "message": message }, "request_id": "req_1" })
            }
        };
        json_reply(status, &body)
    }

    fn reply(&self, text: Option<&str>, calls: &[(&str, &str, Value)], stop: Option<&str>) -> Reply {
        let body = match self.format {
            Format::OpenAi => openai_body(text, calls, stop),
            Format::Anthropic => anthropic_body(text, calls, stop),
        };
        let id_header = match self.format {
            Format::OpenAi => "x-request-id",
            Format::Anthropic => "request-id",
        };
        json_reply(200, &body).header(id_header, "req_1")
    }
}

fn json_reply(status: u16, body: &Value) -> Reply {
    Reply::status(status).header("content-type", "application/json").body(body.to_string())
}

fn openai_body(text: Option<&str>, calls: &[(&str, &str, Value)], stop: Option<&str>) -> Value {
    let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut message = json!({ "role": "assistant", "content": text, "refusal": null });
    if !calls.is_empty() {
        let calls = calls.iter().map(|(id, name, arguments)| {
            let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), ToOwned::to_owned);
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
        });
        message["tool_calls"] = calls.collect();
    }
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m-2026-01-01",
        "choices": [{ "index": 0, "message": message, "finish_reason": stop.unwrap_or(usual) }],
        "usage": {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "prompt_tokens_details": { "cached_tokens": 0 },
        },
    })
}

fn anthropic_body(text: Option<&str>, calls: &[(&str, &str, Value)], stop: Option<&str>) -> Value {
    let usual = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let text = text.map(|text| json!({ "type": "text", "text": text }));
    let calls = calls.iter().map(
        |(id, name, arguments)| json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }),
    );
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-20260101",
        "content": text.into_iter().chain(calls).collect::<Vec<_>>(),
        "stop_reason": stop.unwrap_or(usual),
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "output_tokens": OUTPUT_TOKENS,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}
