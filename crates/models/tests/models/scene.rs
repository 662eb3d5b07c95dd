//! Clients of providers that run in the test's own process.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_e2e::ModelProvider;
use frontdesk_kernel::Secret;
use frontdesk_models::{
    Cache, CallOptions, ChatRequest, Endpoint, Message, Models, ModelsConfig, SystemPrompt, Tool,
};
use frontdesk_outbound::{Client, Reach};
use serde_json::json;

pub(crate) const KEY: &str = "sk-very-secret";
pub(crate) const OPTIONS: CallOptions = CallOptions { time_max: Duration::from_secs(30), chance: 7 };

/// An address at which nobody listens.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:9/v1";

pub(crate) fn openai(provider: &ModelProvider) -> Models {
    let openai = Endpoint::openai(Some(&provider.base_url()), Some(Secret::new(KEY))).unwrap();
    models(ModelsConfig { openai: Some(openai), ..ModelsConfig::default() })
}

pub(crate) fn anthropic(provider: &ModelProvider) -> Models {
    let anthropic = Endpoint::anthropic(Some(&provider.base_url()), Some(Secret::new(KEY))).unwrap();
    models(ModelsConfig { anthropic: Some(anthropic), ..ModelsConfig::default() })
}

pub(crate) fn models(config: ModelsConfig) -> Models {
    let sandbox = Endpoint::sandbox(NOWHERE, None).unwrap();
    Models::new(Client::new(Reach::Anywhere), &config, sandbox)
}

/// A question with a tool.
pub(crate) fn question(text: &str) -> ChatRequest {
    ChatRequest {
        model: "m".to_owned(),
        system: SystemPrompt { stable: "Be kind.".to_owned(), varying: String::new() },
        messages: vec![Message::user(text)],
        tools: vec![Arc::new(Tool::new(
            "send_message",
            "Sends a message.",
            &json!({ "type": "object", "properties": { "text": { "type": "string" } } }),
        ))],
        output_tokens_max: 1024,
        temperature: Some(0.3),
        cache: Cache::System,
    }
}
