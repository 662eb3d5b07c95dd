//! The doctor asks every provider of models whether it accepts its key.

use frontdesk_e2e::{App, Engine, ModelProvider, Reply};
use serde_json::Value;

use crate::shapes::text;

const KEY: &str = "sk-very-secret";

/// What the doctor says about models with this environment, before there is any database.
fn examined(environment: &[(&str, &str)]) -> (Option<i32>, Vec<Value>) {
    let app = App::start(Engine::Sqlite).unstarted();
    let outcome = app.run_with(environment, &["doctor", "--listen", "127.0.0.1:0", "--json"]);
    assert!(!format!("{outcome:?}").contains(KEY), "the key is printed: {outcome:?}");
    let report = outcome.json();
    let checks = report["checks"].as_array().expect("a list").iter();
    (outcome.code, checks.filter(|check| check["name"] == "model").cloned().collect())
}

#[test]
fn without_a_provider_the_sandbox_model_is_named() {
    let (code, checks) = examined(&[]);
    assert_eq!((code, checks.len()), (Some(0), 1));
    assert!(text(&checks[0]["message"]).contains("sandbox model"), "{checks:?}");
}

#[test]
fn each_provider_is_asked_with_its_key() {
    let (openai, anthropic) = (ModelProvider::openai(), ModelProvider::anthropic());
    openai.sink().respond("/v1/models", Reply::status(200).body("{\"data\":[]}"));
    let refusal = format!("invalid x-api-key {KEY}");
    anthropic.sink().respond("/v1/models", anthropic.failure(401, "authentication_error", &refusal));
    let (code, checks) = examined(&[
        ("FRONTDESK_OPENAI_BASE_URL", &openai.base_url()),
        ("FRONTDESK_OPENAI_API_KEY", KEY),
        ("FRONTDESK_ANTHROPIC_BASE_URL", &anthropic.base_url()),
        ("FRONTDESK_ANTHROPIC_API_KEY", KEY),
    ]);
    assert_eq!((code, checks.len()), (Some(1), 2), "{checks:?}");
    assert_eq!((&checks[0]["status"], &checks[1]["status"]), (&"ok".into(), &"failed".into()), "{checks:?}");
    assert!(text(&checks[1]["message"]).contains("FRONTDESK_ANTHROPIC_API_KEY"), "{checks:?}");
    assert_eq!(openai.sink().at("/v1/models")[0].header("authorization"), format!("Bearer {KEY}"));
    assert_eq!(anthropic.sink().at("/v1/models")[0].header("x-api-key"), KEY);
}
