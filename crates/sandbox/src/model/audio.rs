//! Transcription and speech, in `OpenAI`'s format.
//!
//! The transcript of a recording is the scripted text, or the recording's own bytes if they are text, which
//! lets a person try voice notes with any words, or a fixed sentence. Speech is silence of a matching length.

use http::StatusCode;
use serde_json::{Value, json};

use super::{Format, opus};
use crate::form;
use crate::media::sample;
use crate::model_state::Call;
use crate::request::Request;
use crate::response::{self, SandboxResponse};
use crate::sandbox::Sandbox;

/// Bytes that count as a second of a recording.
const BYTES_PER_SECOND: usize = 2_000;
/// Frames of 20 ms that a character takes to be spoken.
const FRAMES_PER_CHAR: usize = 3;
/// The longest text for speech.
const SPEECH_CHARS_MAX: usize = 4_096;

/// Responds to a call of the audio API, and records it.
pub(super) fn respond(sandbox: &Sandbox, request: &Request, kind: &str) -> SandboxResponse {
    let (shown, outcome) = match kind {
        "speech" => {
            let body = request.value().unwrap_or_default();
            let spoken = speak(&body);
            (body, spoken)
        }
        _ => transcribe(sandbox, request),
    };
    let (response, told) = outcome.unwrap_or_else(|why| Format::OpenAi.error(StatusCode::BAD_REQUEST, &why));
    let call = Call {
        at: sandbox.now(),
        format: Format::OpenAi.as_str(),
        bytes: shown.to_string().len(),
        request: shown,
        status: response.status().as_u16(),
        response: told,
    };
    sandbox.state().model.keep(call);
    response
}

type Outcome = Result<(SandboxResponse, Value), String>;

fn speak(body: &Value) -> Outcome {
    let field = |name: &str| {
        let text = body[name].as_str().filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("Missing required parameter: '{name}'."))
    };
    let (_, input, _) = (field("model")?, field("input")?, field("voice")?);
    let chars = input.chars().count();
    if chars > SPEECH_CHARS_MAX {
        return Err(format!("Invalid 'input': at most {SPEECH_CHARS_MAX} characters, got {chars}."));
    }
    let (kind, audio) = match body["response_format"].as_str() {
        None | Some("opus") => ("audio/ogg", opus::silence(chars * FRAMES_PER_CHAR)),
        Some("wav") => ("audio/wav", sample("voice").2),
        Some(other) => return Err(format!("The sandbox speaks opus and wav, not {other}.")),
    };
    let told = json!({ "content_type": kind, "bytes": audio.len() });
    Ok((response::bytes(StatusCode::OK, kind, audio), told))
}

fn transcribe(sandbox: &Sandbox, request: &Request) -> (Value, Outcome) {
    let parts = form::parts(request);
    let find = |name: &str| parts.iter().find(|part| part.name == name);
    let shown = parts.iter().map(|part| {
        let content = match part.name.as_str() {
            "file" => json!({ "bytes": part.content.len() }),
            _ => json!(String::from_utf8_lossy(&part.content)),
        };
        (part.name.clone(), content)
    });
    let shown = Value::Object(shown.collect());
    let missing =
        ["model", "file"].into_iter().find(|name| find(name).is_none_or(|part| part.content.is_empty()));
    if let Some(name) = missing {
        return (shown, Err(format!("Missing required parameter: '{name}'.")));
    }
    let audio = find("file").map(|part| part.content.clone()).unwrap_or_default();
    let scripted = sandbox.state().model.script.next_transcript();
    let text = scripted.unwrap_or_else(|| own_words(&audio));
    let seconds = audio.len().div_ceil(BYTES_PER_SECOND);
    let told = json!({ "text": text, "usage": { "type": "duration", "seconds": seconds } });
    (shown, Ok((response::json(StatusCode::OK, &told), told)))
}

fn own_words(audio: &[u8]) -> String {
    let text = std::str::from_utf8(audio).ok().map(str::trim);
    let text = text.filter(|text| !text.is_empty() && !text.chars().any(|c| c.is_control() && c != '\n'));
    text.map_or_else(|| format!("This is a recording of {} bytes.", audio.len()), str::to_owned)
}
