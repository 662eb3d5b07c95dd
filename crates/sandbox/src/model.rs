//! A scripted language model that speaks `OpenAI`'s format and Anthropic's.
//!
//! Its scripted turns are used in order. Without a script it replies deterministically (`brain`). It accepts
//! any key. It checks the structure of a conversation as the vendors do: every tool call has a result, and
//! every result has a call. Transcription and speech are served in OpenAI's format (`audio`).

mod anthropic;
mod arguments;
mod audio;
mod brain;
mod intents;
mod openai;
mod opus;
mod redaction;
mod transcript;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::fault::{self, Fault, On};
use crate::mark;
use crate::model_state::{Call, Script, ToolCall, Turn};
use crate::request::Request;
use crate::response::{Disconnect, Outcome, SandboxResponse, data, json as answer_json};
use crate::sandbox::Sandbox;

/// Characters that count as one token.
const TOKEN_CHARS: usize = 4;
/// Tokens that an image counts as.
const IMAGE_TOKENS: u64 = 800;

/// The two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    OpenAi,
    Anthropic,
}

/// A reply of the model.
#[derive(Debug)]
struct Reply {
    model: Value,
    text: Option<String>,
    tool_calls: Vec<ToolCall>,
    input_tokens: u64,
    output_tokens: u64,
    cached_tokens: u64,
    stop: Option<String>,
    /// In seconds since 1970.
    at: i64,
}

/// Responds to requests under `/sandbox/model/v1`.
pub(crate) async fn respond(
    sandbox: &Sandbox,
    request: &Request,
    path: &[&str],
) -> Result<SandboxResponse, Disconnect> {
    let format = match path {
        ["chat", "completions"] if request.method == Method::POST => Format::OpenAi,
        ["messages"] if request.method == Method::POST => Format::Anthropic,
        ["audio", kind @ ("transcriptions" | "speech")] if request.method == Method::POST => {
            let work = || audio::respond(sandbox, request, kind);
            return fault::under(sandbox.fault(&[On::Model], None, None), refusal(Format::OpenAi), work)
                .await;
        }
        ["models"] if request.method == Method::GET => {
            let model = json!({ "id": "sandbox", "object": "model", "created": 0, "owned_by": "frontdesk" });
            return Ok(answer_json(StatusCode::OK, &json!({ "object": "list", "data": [model] })));
        }
        _ => {
            let message = format!("Invalid URL ({} /v1/{})", request.method, path.join("/"));
            return Ok(Format::OpenAi.error(StatusCode::NOT_FOUND, &message).0);
        }
    };
    let fault = sandbox.fault(&[On::Model], None, None);
    fault::under(fault, refusal(format), || converse(sandbox, request, format)).await
}

/// The vendor's error for a fault.
fn refusal(format: Format) -> impl FnOnce(&Fault) -> SandboxResponse {
    move |fault: &Fault| {
        let status = fault.status_or(StatusCode::INTERNAL_SERVER_ERROR);
        format.error(status, "The sandbox was told to answer this.").0
    }
}

fn converse(sandbox: &Sandbox, request: &Request, format: Format) -> SandboxResponse {
    let mut body = request.value().unwrap_or_default();
    // Images are neither stored nor counted as text.
    let images = redaction::shorten(&mut body);
    let now = sandbox.now();
    let mut state = sandbox.state();
    let (response, told) = match format.check(request, &body) {
        Err(why) => format.error(StatusCode::BAD_REQUEST, &why),
        Ok(()) => take_turn(&mut state.model.script, format, &body, images, now),
    };
    let (status, bytes) = (response.status().as_u16(), body.to_string().len());
    state.model.keep(Call { at: now, format: format.as_str(), bytes, request: body, status, response: told });
    response
}

/// The next scripted reply, or the default one.
fn take_turn(
    script: &mut Script,
    format: Format,
    body: &Value,
    images: u64,
    now: i64,
) -> (SandboxResponse, Value) {
    let conversation = format.conversation(body);
    let turn = script.next(&conversation.user);
    if let Some(Turn { error_status: Some(status), .. }) = turn {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return format.error(status, "The script of the sandbox's model says so.");
    }
    let turn = turn.unwrap_or_else(|| brain::next_turn(&conversation, now));
    let told = format.render(&reply(body, images, turn, now));
    (answer_json(StatusCode::OK, &told), told)
}

fn reply(body: &Value, images: u64, turn: Turn, now: i64) -> Reply {
    let said: usize = turn.text.as_ref().map_or(0, String::len)
        + turn.tool_calls.iter().map(ToolCall::bytes).sum::<usize>();
    let heard: usize = ["messages", "system", "tools"].iter().map(|part| body[*part].to_string().len()).sum();
    let heard = heard.div_ceil(TOKEN_CHARS) as u64 + images * IMAGE_TOKENS;
    let usage = turn.usage.unwrap_or_default();
    Reply {
        model: body["model"].clone(),
        text: turn.text,
        tool_calls: turn.tool_calls,
        input_tokens: usage.input.unwrap_or(heard),
        output_tokens: usage.output.unwrap_or(said.div_ceil(TOKEN_CHARS) as u64),
        cached_tokens: usage.cached.unwrap_or(0),
        stop: turn.stop,
        at: now / 1000,
    }
}

impl Format {
    fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The vendor's validation; the error says what is wrong.
    fn check(self, request: &Request, body: &Value) -> Result<(), String> {
        if !body.is_object() {
            return Err("We could not parse the JSON body of your request.".into());
        }
        if body["stream"] == true {
            return Err("The sandbox's model does not stream. Leave stream out.".into());
        }
        match self {
            Self::OpenAi => openai::check(body),
            Self::Anthropic => anthropic::check(request, body),
        }
    }

    fn conversation(self, body: &Value) -> transcript::Conversation {
        match self {
            Self::OpenAi => openai::conversation(body),
            Self::Anthropic => anthropic::conversation(body),
        }
    }

    fn render(self, reply: &Reply) -> Value {
        match self {
            Self::OpenAi => openai::render(reply),
            Self::Anthropic => anthropic::render(reply),
        }
    }

    fn error(self, status: StatusCode, message: &str) -> (SandboxResponse, Value) {
        let told = match self {
            Self::OpenAi => openai::error(status, message),
            Self::Anthropic => anthropic::error(status, message),
        };
        (answer_json(status, &told), told)
    }
}

/// The text of a content that is a string, or a list of parts.
fn text(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten().filter(|part| part["type"] == "text");
    let parts = parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    content.as_str().map_or(parts, str::to_owned)
}

/// `PUT /sandbox/model`.
pub(crate) fn script(sandbox: &Sandbox, request: &Request) -> Outcome {
    let script: Script = request.read()?;
    script.check()?;
    sandbox.state().model.script = script;
    Ok(show(sandbox))
}

pub(crate) fn show(sandbox: &Sandbox) -> SandboxResponse {
    data(json!(sandbox.state().model.script))
}

pub(crate) fn clear_script(sandbox: &Sandbox) -> SandboxResponse {
    sandbox.state().model.script = Script::default();
    show(sandbox)
}

pub(crate) fn calls(sandbox: &Sandbox) -> SandboxResponse {
    let state = sandbox.state();
    let shown = state.model.calls.iter().map(|call| {
        json!({
            "at": mark::time(call.at),
            "format": call.format,
            "request": call.request,
            "status": call.status,
            "answer": call.response,
        })
    });
    data(shown.collect::<Vec<_>>())
}

pub(crate) fn clear_calls(sandbox: &Sandbox) -> SandboxResponse {
    sandbox.state().model.clear_calls();
    data(json!({ "deleted": true }))
}
