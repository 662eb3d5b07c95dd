//! Runs against providers other than the sandbox, over HTTP.

use frontdesk_e2e::{Engine, ModelProvider, on_every_engine};
use serde_json::json;

use crate::agent_scene::Desk;
use crate::inbox_scene::{ANN, Inbox, start};
use crate::shapes::text;

on_every_engine! {
    a_run_uses_an_openai_compatible_provider,
    a_run_uses_an_anthropic_provider,
    a_provider_that_reports_no_usage_is_counted_at_the_worst_case,
    a_file_of_prices_says_what_a_call_costs,
}

/// A desk whose model is this provider.
pub(crate) fn desk_with(engine: Engine, provider: &ModelProvider, variable: &str) -> Desk {
    let start = start(engine)
        .env(&format!("FRONTDESK_{variable}_BASE_URL"), &provider.base_url())
        .env(&format!("FRONTDESK_{variable}_API_KEY"), "sk-test");
    Desk::of(Inbox::of(start))
}

fn responses(engine: Engine, provider: &ModelProvider, variable: &str) {
    let desk = desk_with(engine, provider, variable);
    provider
        .script([provider.tool_calls(&[("call_1", "get_contact", json!({}))]), provider.text("Hello Ann.")]);
    let conversation = desk.hears(ANN, "Who am I?");
    let run = desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    assert_eq!(desk.said(&conversation), ["Hello Ann."]);
    assert_eq!(
        (&run["tokens_in"], &run["tokens_out"], &run["tick_count"]),
        (&json!(200), &json!(20), &json!(2))
    );
    let requests = provider.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].to_string().contains("Who am I?") && requests[0].to_string().contains("get_contact"));
    assert!(requests[1].to_string().contains("call_1"), "{}", requests[1]);
}

fn a_run_uses_an_openai_compatible_provider(engine: Engine) {
    responses(engine, &ModelProvider::openai(), "OPENAI");
}

fn a_run_uses_an_anthropic_provider(engine: Engine) {
    responses(engine, &ModelProvider::anthropic(), "ANTHROPIC");
}

fn a_provider_that_reports_no_usage_is_counted_at_the_worst_case(engine: Engine) {
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    let body = json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hi." }, "finish_reason": "stop" }] });
    provider.script([frontdesk_e2e::Reply::status(200)
        .header("content-type", "application/json")
        .body(body.to_string())]);
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    assert_eq!(text(&run["result"]), "Hi.");
    assert!(run["cost_usd"].as_f64().is_some_and(|cost| cost > 0.01), "{run}");
}

fn a_file_of_prices_says_what_a_call_costs(engine: Engine) {
    let provider = ModelProvider::openai();
    let file = std::env::temp_dir().join(format!("frontdesk-prices-{engine:?}-{}.json", std::process::id()));
    // In dollars for a million tokens. The provider reports 100 tokens in and 10 out.
    let prices = json!({ "chat": { "house-model": { "input": 20.0, "output": 300.0 } } });
    std::fs::write(&file, prices.to_string()).expect("a file of prices");
    let start = start(engine)
        .env("FRONTDESK_OPENAI_BASE_URL", &provider.base_url())
        .env("FRONTDESK_OPENAI_API_KEY", "sk-test")
        .env("FRONTDESK_MODEL_PRICES", file.to_str().expect("a path"));
    let desk = Desk::of(Inbox::of(start));
    desk.set(json!({ "model": "house-model" }));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    assert_eq!(run["cost_usd"], 0.005, "{run}");
    std::fs::remove_file(&file).expect("the file is there");
}
