//! The client for all models.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::Client;
use frontdesk_trace::{self as trace, Span, SpanKind};
use http::{HeaderValue, Method};
use serde::Serialize;
use tokio::time::Instant;

use crate::adjustments::{Adjustment, Adjustments};
use crate::audio::{Speech, SpeechRequest, Transcript, TranscriptionRequest};
use crate::call::Call;
use crate::call::CallOptions;
use crate::chat::{ChatReply, ChatRequest};
use crate::config::ModelsConfig;
use crate::config::SANDBOX_MODEL;
use crate::endpoint::{Endpoint, Provider};
use crate::error::ModelError;
use crate::response::Response;
use crate::{anthropic, fault, openai};

/// The largest response to a chat, a transcription or a list of models.
const REPLY_BYTES_MAX: usize = 4 << 20;
/// The largest response with speech.
const SPEECH_BYTES_MAX: usize = 16 << 20;
/// Maximum time for a provider to confirm that it accepts the key.
const VERIFY_TIME_MAX: Duration = Duration::from_secs(15);

/// Calls models. Clones share connections and the adjustments that were learned.
#[derive(Clone)]
pub struct Models {
    client: Client,
    openai: Option<Endpoint>,
    anthropic: Option<Endpoint>,
    sandbox: Endpoint,
    adjustments: Adjustments,
}

impl Models {
    /// A client for the configured models. `client` must be the one for addresses that the operator chose, because a
    /// base URL may be on a private network. `sandbox` is called when nothing else is configured.
    pub fn new(client: Client, config: &ModelsConfig, sandbox: Endpoint) -> Self {
        Self {
            client: client.telling_trace(),
            openai: config.openai.clone(),
            anthropic: config.anthropic.clone(),
            sandbox,
            adjustments: Adjustments::default(),
        }
    }

    /// The endpoint that serves a model. With one provider configured it serves every model. With both, Anthropic serves the
    /// models whose names begin with `claude`. With none, the sandbox serves all of them; it always serves [`SANDBOX_MODEL`].
    pub fn endpoint(&self, model: &str) -> &Endpoint {
        match (&self.openai, &self.anthropic) {
            _ if model == SANDBOX_MODEL => &self.sandbox,
            (None, None) => &self.sandbox,
            (None, Some(anthropic)) => anthropic,
            (Some(_), Some(anthropic)) if model.starts_with("claude") => anthropic,
            (Some(openai), _) => openai,
        }
    }

    /// Asks a chat model for its next turn.
    pub async fn complete(
        &self,
        request: &ChatRequest,
        options: CallOptions,
    ) -> Result<ChatReply, ModelError> {
        let span = model_span("chat", &request.model);
        trace::within!(span, async {
            let reply = self.chat(request, options).await;
            if let Some(usage) = reply.as_ref().ok().and_then(|reply| reply.usage) {
                trace::note("gen_ai.usage.input_tokens", usage.all_input_tokens() as i64);
                trace::note("gen_ai.usage.output_tokens", usage.output_tokens as i64);
            }
            noted(reply)
        })
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    async fn chat(&self, request: &ChatRequest, options: CallOptions) -> Result<ChatReply, ModelError> {
        let endpoint = self.endpoint(&request.model);
        let provider = endpoint.provider();
        let started = Instant::now();
        let mut adjustment = self.adjustments.of(provider, &request.model);
        loop {
            let left = options.time_max.saturating_sub(started.elapsed());
            let called = self.complete_once(endpoint, request, adjustment, left, options.chance).await;
            match called {
                Ok(response) => return read_chat(endpoint, &request.model, &response),
                Err(error) => match adjustment.after(&error) {
                    Some(next) => {
                        adjustment = next;
                        self.adjustments.keep(provider, &request.model, next);
                    }
                    None => return Err(error),
                },
            }
        }
    }

    async fn complete_once(
        &self,
        endpoint: &Endpoint,
        request: &ChatRequest,
        adjustment: Adjustment,
        time_max: Duration,
        chance: u64,
    ) -> Result<Response, ModelError> {
        let call = match endpoint.provider() {
            Provider::Anthropic => {
                json_call(endpoint, "/v1/messages", &anthropic::body(request, adjustment), REPLY_BYTES_MAX)
            }
            Provider::OpenAi | Provider::Sandbox => {
                json_call(endpoint, "/chat/completions", &openai::body(request, adjustment), REPLY_BYTES_MAX)
            }
        };
        call.make(&self.client, CallOptions { time_max, chance }).await
    }

    /// Transcribes a recording.
    pub async fn transcribe(
        &self,
        request: &TranscriptionRequest,
        options: CallOptions,
    ) -> Result<Transcript, ModelError> {
        let endpoint = self.audio_endpoint()?;
        let form = openai::audio::transcription_form(request, options.chance);
        let call = Call {
            endpoint,
            method: Method::POST,
            path: "/audio/transcriptions",
            content_type: Some(form.content_type),
            body: form.body,
            reply_bytes_max: REPLY_BYTES_MAX,
        };
        let response = trace::within!(model_span("transcribe", &request.model), async {
            noted(call.make(&self.client, options).await)
        })?;
        openai::audio::transcript(endpoint, &response)
    }

    /// Converts a text to speech.
    pub async fn speak(&self, request: &SpeechRequest, options: CallOptions) -> Result<Speech, ModelError> {
        request.check()?;
        let endpoint = self.audio_endpoint()?;
        let body = openai::audio::speech_body(request);
        let call = json_call(endpoint, "/audio/speech", &body, SPEECH_BYTES_MAX);
        let response = trace::within!(model_span("speak", &request.model), async {
            noted(call.make(&self.client, options).await)
        })?;
        openai::audio::speech(endpoint, request, response)
    }

    /// Audio goes to the OpenAI-compatible endpoint. It goes to the sandbox only when no provider is configured at all.
    fn audio_endpoint(&self) -> Result<&Endpoint, ModelError> {
        match (&self.openai, &self.anthropic) {
            (Some(openai), _) => Ok(openai),
            (None, Some(_)) => Err(ModelError::NoAudio),
            (None, None) => Ok(&self.sandbox),
        }
    }
}

/// The span of a call, with all its attempts.
fn model_span(operation: &'static str, model: &str) -> Option<Span> {
    let span = Span::child(SpanKind::Internal, operation)?;
    span.set("gen_ai.operation.name", operation);
    span.set("gen_ai.request.model", model.to_owned());
    Some(span)
}

/// Marks the span of a call that failed.
fn noted<T>(result: Result<T, ModelError>) -> Result<T, ModelError> {
    if result.is_err() {
        trace::fail("the model failed");
    }
    result
}

/// Asks a provider whether it accepts the key, by listing its models, which costs nothing.
pub async fn verify(client: &Client, endpoint: &Endpoint, chance: u64) -> Result<(), ModelError> {
    let path = if endpoint.provider() == Provider::Anthropic { "/v1/models" } else { "/models" };
    let call = Call {
        endpoint,
        method: Method::GET,
        path,
        content_type: None,
        body: Bytes::new(),
        reply_bytes_max: REPLY_BYTES_MAX,
    };
    call.make(client, CallOptions { time_max: VERIFY_TIME_MAX, chance }).await.map(drop)
}

fn json_call<'a>(
    endpoint: &'a Endpoint,
    path: &'a str,
    body: &impl Serialize,
    reply_bytes_max: usize,
) -> Call<'a> {
    Call {
        endpoint,
        method: Method::POST,
        path,
        content_type: Some(HeaderValue::from_static("application/json")),
        body: serde_json::to_vec(body).expect("a body can be written as JSON").into(),
        reply_bytes_max,
    }
}

fn read_chat(endpoint: &Endpoint, model: &str, response: &Response) -> Result<ChatReply, ModelError> {
    let body = fault::read_json(endpoint, response)?;
    let reply = match endpoint.provider() {
        Provider::Anthropic => anthropic::reply(&body, model),
        Provider::OpenAi | Provider::Sandbox => openai::reply(&body),
    };
    let mut reply = reply.map_err(|reason| ModelError::Unreadable {
        provider: endpoint.provider(),
        reason: reason.to_owned(),
    })?;
    reply.request_id = fault::request_id(&response.headers);
    Ok(reply)
}
