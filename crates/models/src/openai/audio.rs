//! `POST {base}/audio/transcriptions` and `POST {base}/audio/speech`.

use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::audio::{AudioUsage, Speech, SpeechRequest, Transcript, TranscriptionRequest};
use crate::chat::Usage;
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::fault;
use crate::multipart::{Form, Multipart};
use crate::response::Response;

pub(crate) fn transcription_form(request: &TranscriptionRequest, chance: u64) -> Form {
    let mut form = Multipart::new(chance);
    form.text("model", &request.model);
    form.text("response_format", "json");
    if let Some(language) = &request.language {
        form.text("language", language);
    }
    form.file("file", request.format.file_name(), request.format.content_type(), &request.audio);
    form.finish()
}

pub(crate) fn transcript(endpoint: &Endpoint, response: &Response) -> Result<Transcript, ModelError> {
    let body = fault::read_json(endpoint, response)?;
    let text = body["text"].as_str().ok_or_else(|| ModelError::Unreadable {
        provider: endpoint.provider(),
        reason: "it has no text".to_owned(),
    })?;
    Ok(Transcript {
        text: text.trim().to_owned(),
        usage: usage(&body),
        request_id: fault::request_id(&response.headers),
    })
}

/// Transcription models report either tokens or seconds; some servers only the length of the recording.
fn usage(body: &Value) -> Option<AudioUsage> {
    let usage = &body["usage"];
    let seconds = usage["seconds"].as_f64().or_else(|| body["duration"].as_f64());
    if let Some(input_tokens) = usage["input_tokens"].as_u64() {
        let output_tokens = usage["output_tokens"].as_u64().unwrap_or(0);
        return Some(AudioUsage::Tokens(Usage { input_tokens, output_tokens, ..Usage::default() }));
    }
    let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0)?;
    Some(AudioUsage::Millis((seconds * 1000.0).ceil() as u64))
}

pub(crate) fn speech_body(request: &SpeechRequest) -> Value {
    json!({
        "model": request.model,
        "input": request.text,
        "voice": request.voice,
        "response_format": request.format.as_str(),
    })
}

pub(crate) fn speech(
    endpoint: &Endpoint,
    request: &SpeechRequest,
    response: Response,
) -> Result<Speech, ModelError> {
    let kind = response.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if response.body.is_empty() || kind.starts_with("application/json") || kind.starts_with("text/") {
        if kind.starts_with("application/json") {
            fault::read_json(endpoint, &response)?;
        }
        let reason = "it holds no audio".to_owned();
        return Err(ModelError::Unreadable { provider: endpoint.provider(), reason });
    }
    Ok(Speech {
        content_type: request.format.content_type(),
        request_id: fault::request_id(&response.headers),
        audio: response.body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_in_tokens_and_in_seconds() {
        let tokens = usage(&json!({ "usage": { "type": "tokens", "input_tokens": 14, "output_tokens": 3 } }));
        assert_eq!(
            tokens,
            Some(AudioUsage::Tokens(Usage { input_tokens: 14, output_tokens: 3, ..Usage::default() }))
        );
        let seconds = usage(&json!({ "usage": { "type": "duration", "seconds": 3 } }));
        assert_eq!(seconds, Some(AudioUsage::Millis(3000)));
        assert_eq!(usage(&json!({ "duration": 2.5 })), Some(AudioUsage::Millis(2500)));
        assert_eq!(usage(&json!({ "text": "hi" })), None);
    }
}
