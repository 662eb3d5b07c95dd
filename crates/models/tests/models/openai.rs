use frontdesk_e2e::{ModelProvider, Reply};
use frontdesk_kernel::Secret;
use frontdesk_models::{Arguments, Endpoint, StopReason, Usage, verify};
use frontdesk_outbound::{Client, Reach};
use serde_json::json;

use crate::scene::{self, OPTIONS, question};

#[tokio::test]
async fn a_reply_is_read_with_its_usage_and_ids() {
    let provider = ModelProvider::openai();
    let reply = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    assert_eq!((reply.turn.text.as_deref(), reply.stop), (Some("Hello."), StopReason::End));
    assert_eq!(reply.usage, Some(Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() }));
    assert_eq!((reply.request_id.as_deref(), reply.model.as_deref()), (Some("req_1"), Some("m-2026-01-01")));
}

#[tokio::test]
async fn tool_calls_are_read_and_broken_arguments_are_explained() {
    let provider = ModelProvider::openai();
    provider.script([provider.tool_calls(&[
        ("call_1", "send_message", json!({ "text": "hi" })),
        ("call_2", "send_message", json!("{\"text\":")),
    ])]);
    let reply = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    assert_eq!(reply.stop, StopReason::ToolCalls);
    let [first, second] = reply.turn.tool_calls.as_slice() else { panic!("{reply:?}") };
    assert_eq!((first.id.as_str(), first.name.as_str()), ("call_1", "send_message"));
    assert!(matches!(&first.arguments, Arguments::Object(object) if object["text"] == "hi"));
    assert!(matches!(&second.arguments, Arguments::Invalid { raw, .. } if raw == "{\"text\":"));
}

#[tokio::test]
async fn length_stops_and_refusals_are_told_apart() {
    let provider = ModelProvider::openai();
    provider.script([provider.stopped("cut", "length"), provider.stopped("", "content_filter")]);
    let models = scene::openai(&provider);
    let stops = [
        models.complete(&question("hi"), OPTIONS).await.unwrap().stop,
        models.complete(&question("hi"), OPTIONS).await.unwrap().stop,
    ];
    assert_eq!(stops, [StopReason::Length, StopReason::Refusal]);
}

#[tokio::test]
async fn a_temperature_that_the_model_refuses_is_left_out_from_then_on() {
    let provider = ModelProvider::openai();
    let message = "Unsupported value: 'temperature' does not support 0.3 with this model.";
    provider.script([provider.failure(400, "unsupported_value", message)]);
    let models = scene::openai(&provider);
    models.complete(&question("hi"), OPTIONS).await.unwrap();
    models.complete(&question("again"), OPTIONS).await.unwrap();
    let sent: Vec<_> =
        provider.requests().iter().map(|request| request.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn an_old_server_gets_the_limit_in_its_own_word() {
    let provider = ModelProvider::openai();
    let message = "Unrecognized request argument supplied: max_completion_tokens";
    provider.script([provider.failure(400, "invalid_request_error", message)]);
    scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    let requests = provider.requests();
    assert_eq!((&requests[1]["max_tokens"], requests[1].get("max_completion_tokens")), (&json!(1024), None));
}

#[tokio::test]
async fn a_field_that_stays_refused_ends_the_call() {
    let provider = ModelProvider::openai();
    let refusal = || provider.failure(400, "invalid", "temperature is wrong, whatever you do");
    provider.script([refusal(), refusal(), refusal()]);
    let error = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(error.to_string().contains("whatever you do"), "{error}");
    assert_eq!(provider.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_inside_a_success_is_a_failure() {
    let provider = ModelProvider::openai();
    let body = json!({ "error": { "code": 502, "message": "the model behind this gateway is down" } });
    provider.script([Reply::status(200).body(body.to_string())]);
    let error = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(error.is_temporary() && !error.may_be_billed(), "{error:?}");
    assert!(error.to_string().contains("behind this gateway"));
}

#[tokio::test]
async fn a_reply_without_usage_says_so() {
    let provider = ModelProvider::openai();
    let body = json!({ "choices": [{ "message": { "content": "hi" }, "finish_reason": "stop" }] });
    provider.script([Reply::status(200).body(body.to_string())]);
    let reply = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    assert_eq!((reply.usage, reply.request_id), (None, None));
}

#[tokio::test]
async fn the_key_of_a_provider_is_verified_by_listing_its_models() {
    let client = Client::new(Reach::Anywhere);
    for (provider, variable) in [
        (ModelProvider::openai(), "FRONTDESK_OPENAI_API_KEY"),
        (ModelProvider::anthropic(), "FRONTDESK_ANTHROPIC_API_KEY"),
    ] {
        let make = if variable.contains("OPENAI") { Endpoint::openai } else { Endpoint::anthropic };
        let endpoint = make(Some(&provider.base_url()), Some(Secret::new(scene::KEY))).unwrap();
        provider.sink().respond("/v1/models", Reply::status(200).body("{\"data\":[]}"));
        assert_eq!(verify(&client, &endpoint, 1).await, Ok(()));
        provider.sink().respond("/v1/models", provider.failure(401, "invalid_api_key", "no"));
        let refused = verify(&client, &endpoint, 1).await.unwrap_err().to_string();
        assert!(refused.contains(variable), "{refused}");
    }
}
