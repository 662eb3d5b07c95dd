//! The clients against the sandbox model, over HTTP, in both formats.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_e2e::Vendors;
use frontdesk_models::{
    Arguments, AudioFormat, AudioUsage, CallOptions, ChatRequest, Endpoint, Image, Message, ModelError,
    Models, ModelsConfig, Part, Provider, SpeechFormat, SpeechRequest, StopReason, ToolResult,
    TranscriptionRequest,
};
use frontdesk_outbound::{Client, Reach};
use serde_json::json;

use crate::scene::{OPTIONS, question};

/// The sandbox in OpenAI's format, as an installation calls its own.
fn own(vendors: &Vendors) -> Models {
    let sandbox = Endpoint::sandbox(&vendors.model_url(), None).unwrap();
    Models::new(Client::new(Reach::Anywhere), &ModelsConfig::default(), sandbox)
}

/// The sandbox in Anthropic's format.
fn as_anthropic(vendors: &Vendors) -> Models {
    let anthropic = Endpoint::anthropic(Some(&vendors.model_url()), None).unwrap();
    crate::scene::models(ModelsConfig { anthropic: Some(anthropic), ..ModelsConfig::default() })
}

#[tokio::test]
async fn a_whole_conversation_with_a_tool_and_an_image() {
    let vendors = Vendors::start();
    for models in [own(&vendors), as_anthropic(&vendors)] {
        let mut request = question("Please send a message saying hi");
        let reply = models.complete(&request, OPTIONS).await.unwrap();
        assert_eq!(reply.stop, StopReason::ToolCalls);
        let call = reply.turn.tool_calls[0].clone();
        assert_eq!(call.name, "send_message");
        assert!(matches!(&call.arguments, Arguments::Object(object) if object["text"] == "hi"), "{call:?}");
        let result = ToolResult { call_id: call.id, content: "sent".to_owned(), is_error: false };
        request.messages.extend([Message::Assistant(reply.turn), Message::ToolResults(vec![result])]);
        let reply = models.complete(&request, OPTIONS).await.unwrap();
        assert_eq!(reply.turn.text.as_deref(), Some("Done. Here is what came back: sent"));
        let usage = reply.usage.unwrap();
        assert!(usage.input_tokens > 10 && usage.output_tokens > 5, "{usage:?}");

        let image = Image::new("image/png", Bytes::from(vec![7; 3_000_000])).unwrap();
        request.messages.extend([Message::Assistant(reply.turn), Message::User(vec![Part::Image(image)])]);
        let reply = models.complete(&request, OPTIONS).await.unwrap();
        assert_eq!(reply.turn.text.as_deref(), Some("I see that you sent an image (image/png)."));
    }
}

#[tokio::test]
async fn the_same_script_costs_the_same_in_both_formats() {
    let vendors = Vendors::start();
    let turn = json!({ "text": "hi", "usage": { "input": 1000, "cached": 400, "output": 50 } });
    vendors.calls().put("/sandbox/model", json!({ "turns": [turn], "repeat": true })).expect(200);
    let own = own(&vendors).complete(&question("hi"), OPTIONS).await.unwrap();
    let anthropic = as_anthropic(&vendors).complete(&question("hi"), OPTIONS).await.unwrap();
    assert_eq!(own.usage, anthropic.usage);
    assert_eq!(own.usage.unwrap().all_input_tokens(), 1000);
}

#[tokio::test]
async fn faults_of_the_sandbox_are_met_as_those_of_a_provider() {
    let vendors = Vendors::start();
    let models = own(&vendors);
    let fault = |kind: &str| json!({ "on": "model", "kind": kind, "times": 1 });
    vendors.faults(json!([{ "on": "model", "kind": "error", "status": 429, "retry_after": 1, "times": 1 }]));
    assert!(models.complete(&question("hi"), OPTIONS).await.is_ok());
    assert_eq!(vendors.faults_left(), 0);
    vendors.faults(json!([fault("cut_after")]));
    let error = models.complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::Interrupted { provider: Provider::Sandbox, .. }), "{error:?}");
    vendors.faults(json!([fault("hang")]));
    let options = CallOptions { time_max: Duration::from_millis(200), chance: 1 };
    let error = models.complete(&question("hi"), options).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn recordings_are_transcribed_and_texts_are_spoken() {
    let vendors = Vendors::start();
    let models = own(&vendors);
    let recording = |audio: &'static [u8]| TranscriptionRequest {
        model: "whisper-1".to_owned(),
        format: AudioFormat::Opus,
        audio: Bytes::from_static(audio),
        language: None,
    };
    let heard = models.transcribe(&recording("I would like to order.".as_bytes()), OPTIONS).await.unwrap();
    assert_eq!(
        (heard.text.as_str(), heard.usage),
        ("I would like to order.", Some(AudioUsage::Millis(1000)))
    );
    vendors.calls().put("/sandbox/model", json!({ "transcripts": ["Call me back."] })).expect(200);
    assert_eq!(models.transcribe(&recording(b"OggS\0\xff"), OPTIONS).await.unwrap().text, "Call me back.");
    let heard = models.transcribe(&recording(b"OggS\0\xff"), OPTIONS).await.unwrap();
    assert_eq!(heard.text, "This is a recording of 6 bytes.");
    let speech = SpeechRequest {
        model: "tts-1".to_owned(),
        text: "Hello".to_owned(),
        voice: "alloy".to_owned(),
        format: SpeechFormat::Opus,
    };
    let speech = models.speak(&speech, OPTIONS).await.unwrap();
    assert!(speech.content_type == "audio/ogg" && speech.audio.starts_with(b"OggS"));
}

#[tokio::test]
async fn a_model_named_sandbox_is_the_sandbox_whatever_else_is_configured() {
    let vendors = Vendors::start();
    let sandbox = Endpoint::sandbox(&vendors.model_url(), None).unwrap();
    let openai = Endpoint::openai(Some(crate::scene::NOWHERE), None).unwrap();
    let config = ModelsConfig { openai: Some(openai), ..ModelsConfig::default() };
    let models = Models::new(Client::new(Reach::Anywhere), &config, sandbox);
    let request = ChatRequest { model: "sandbox".to_owned(), ..question("Hello") };
    let reply = models.complete(&request, OPTIONS).await.unwrap();
    assert_eq!(reply.turn.text.as_deref(), Some("Hello! I am the sandbox assistant. How can I help you?"));
}
