use bytes::Bytes;
use frontdesk_e2e::{ModelProvider, Reply};
use frontdesk_models::{
    AudioFormat, AudioUsage, DEFAULT_VOICE, Endpoint, ModelError, Models, ModelsConfig, SPEECH_CHARS_MAX,
    SpeechFormat, SpeechRequest, TranscriptionRequest,
};
use serde_json::json;

use crate::scene::{self, OPTIONS};

const TRANSCRIPTIONS: &str = "/v1/audio/transcriptions";
const SPEECH: &str = "/v1/audio/speech";

fn recording() -> TranscriptionRequest {
    TranscriptionRequest {
        model: "whisper-1".to_owned(),
        format: AudioFormat::Opus,
        audio: Bytes::from_static(b"OggS\0\r\n--"),
        language: Some("en".to_owned()),
    }
}

fn words(text: &str) -> SpeechRequest {
    SpeechRequest {
        model: "tts-1".to_owned(),
        text: text.to_owned(),
        voice: DEFAULT_VOICE.to_owned(),
        format: SpeechFormat::Opus,
    }
}

#[tokio::test]
async fn a_recording_is_sent_as_a_form_and_its_text_comes_back() {
    let provider = ModelProvider::openai();
    let body = json!({ "text": " Hello. ", "usage": { "type": "duration", "seconds": 3 } });
    provider
        .sink()
        .respond(TRANSCRIPTIONS, Reply::status(200).header("x-request-id", "r").body(body.to_string()));
    let transcript = scene::openai(&provider).transcribe(&recording(), OPTIONS).await.unwrap();
    assert_eq!((transcript.text.as_str(), transcript.usage), ("Hello.", Some(AudioUsage::Millis(3000))));
    assert_eq!(transcript.request_id.as_deref(), Some("r"));
    let received = &provider.sink().at(TRANSCRIPTIONS)[0];
    assert_eq!(received.header("content-type"), "multipart/form-data; boundary=frontdesk0000000000000007");
    let expected = "--frontdesk0000000000000007\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n\
        --frontdesk0000000000000007\r\ncontent-disposition: form-data; name=\"response_format\"\r\n\r\njson\r\n\
        --frontdesk0000000000000007\r\ncontent-disposition: form-data; name=\"language\"\r\n\r\nen\r\n\
        --frontdesk0000000000000007\r\ncontent-disposition: form-data; name=\"file\"; filename=\"audio.ogg\"\r\n\
        content-type: audio/ogg\r\n\r\nOggS\0\r\n--\r\n--frontdesk0000000000000007--\r\n";
    assert_eq!(String::from_utf8_lossy(&received.body), expected);
}

#[tokio::test]
async fn a_text_is_spoken() {
    let provider = ModelProvider::openai();
    provider.sink().respond(SPEECH, Reply::status(200).header("content-type", "audio/ogg").body("OggS"));
    let speech = scene::openai(&provider).speak(&words("Hello."), OPTIONS).await.unwrap();
    assert_eq!((speech.content_type, &speech.audio[..]), ("audio/ogg", &b"OggS"[..]));
    assert_eq!(
        provider.sink().at(SPEECH)[0].json(),
        json!({ "model": "tts-1", "input": "Hello.", "voice": "alloy", "response_format": "opus" })
    );
}

#[tokio::test]
async fn audio_calls_are_retried_and_their_failures_told_apart() {
    let provider = ModelProvider::openai();
    let down = || provider.failure(503, "server_error", "down");
    provider.sink().answer_in_turn(TRANSCRIPTIONS, [down()], Reply::status(200).body("{\"text\":\"hi\"}"));
    provider.sink().answer_in_turn(SPEECH, [down()], provider.failure(400, "invalid", "no such voice"));
    let models = scene::openai(&provider);
    assert_eq!(models.transcribe(&recording(), OPTIONS).await.unwrap().usage, None);
    let error = models.speak(&words("hi"), OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::Rejected { .. }) && error.to_string().contains("no such voice"));
    assert_eq!((provider.sink().count(TRANSCRIPTIONS), provider.sink().count(SPEECH)), (2, 2));
}

#[tokio::test]
async fn what_is_no_audio_is_no_speech_and_what_is_no_text_is_no_transcript() {
    let provider = ModelProvider::openai();
    let models = scene::openai(&provider);
    for reply in [
        Reply::status(200),
        Reply::status(200).header("content-type", "application/json").body("{}"),
        Reply::status(200).header("content-type", "text/html").body("<html>"),
    ] {
        provider.sink().respond(SPEECH, reply);
        let error = models.speak(&words("hi"), OPTIONS).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreadable { .. }), "{error:?}");
    }
    provider.sink().respond(TRANSCRIPTIONS, Reply::status(200).body("{\"words\":[]}"));
    assert!(models.transcribe(&recording(), OPTIONS).await.unwrap_err().to_string().contains("has no text"));
}

#[tokio::test]
async fn a_text_that_is_too_long_to_speak_is_not_sent() {
    let provider = ModelProvider::openai();
    let long = words(&"é".repeat(SPEECH_CHARS_MAX + 1));
    let error = scene::openai(&provider).speak(&long, OPTIONS).await.unwrap_err();
    assert_eq!(error, ModelError::SpeechTooLong { chars_max: SPEECH_CHARS_MAX });
    assert!(provider.sink().received().is_empty());
}

#[tokio::test]
async fn audio_never_goes_to_the_sandbox_when_only_anthropic_is_configured() {
    let provider = ModelProvider::anthropic();
    let anthropic = Endpoint::anthropic(Some(&provider.base_url()), None).unwrap();
    let models: Models =
        scene::models(ModelsConfig { anthropic: Some(anthropic), ..ModelsConfig::default() });
    assert_eq!(models.transcribe(&recording(), OPTIONS).await.unwrap_err(), ModelError::NoAudio);
    assert_eq!(models.speak(&words("hi"), OPTIONS).await.unwrap_err(), ModelError::NoAudio);
}
