//! The model providers: whether each accepts its key.

use frontdesk_models::{ModelsConfig, verify};
use frontdesk_outbound::{Client, Reach};

use super::Check;

const NAME: &str = "model";

/// Lists the models of every configured provider, which costs nothing.
pub(super) async fn examine(config: &ModelsConfig) -> Vec<Check> {
    if config.is_sandbox() {
        let message = "no provider is configured: the sandbox model is used. Set FRONTDESK_OPENAI_API_KEY or \
                       FRONTDESK_ANTHROPIC_API_KEY to use another";
        return vec![Check::ok(NAME, message).shared()];
    }
    // The operator chose these addresses, so they may be private.
    let client = Client::new(Reach::Anywhere);
    let mut checks = Vec::new();
    for endpoint in [&config.openai, &config.anthropic].into_iter().flatten() {
        checks.push(match verify(&client, endpoint, rand::random()).await {
            Ok(()) => Check::ok(NAME, format!("{}: the key is accepted", endpoint.base())),
            Err(error) => Check::failed(NAME, format!("{}: {error}", endpoint.base())),
        });
    }
    checks
}
