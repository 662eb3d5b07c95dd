use serde_json::{Value, json};

use crate::stage::{SandboxResponse, Stage};

async fn openai(stage: &Stage, messages: Value) -> SandboxResponse {
    stage.post("/sandbox/model/v1/chat/completions", json!({ "model": "m", "messages": messages })).await
}

async fn anthropic(stage: &Stage, messages: Value) -> SandboxResponse {
    let body = json!({ "model": "m", "max_tokens": 100, "system": "Be kind.", "messages": messages });
    let headers = [("anthropic-version", "2023-06-01"), ("x-api-key", "any")];
    stage.call("POST", "/sandbox/model/v1/messages", &headers, &body).await.unwrap()
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

#[tokio::test]
async fn without_a_script_it_repeats_the_message() {
    let stage = Stage::open().await;
    let response = openai(&stage, json!([user("It rains")])).await.body;
    assert_eq!(response["object"], "chat.completion");
    let choice = &response["choices"][0];
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&json!("You said: It rains"), &json!("stop"))
    );
    let usage = &response["usage"];
    assert_eq!(usage["completion_tokens"], 5);
    assert!(usage["prompt_tokens"].as_u64().unwrap() > 0);
    let response = anthropic(&stage, json!([user("It rains")])).await.body;
    assert_eq!(response["content"], json!([{ "type": "text", "text": "You said: It rains" }]));
    assert_eq!((&response["type"], &response["stop_reason"]), (&json!("message"), &json!("end_turn")));
    assert_eq!(response["usage"]["output_tokens"], 5);
}

#[tokio::test]
async fn scripted_turns_are_said_in_both_formats() {
    let stage = Stage::open().await;
    let call = json!({ "name": "send_message", "arguments": { "text": "hi" } });
    let script = json!({ "turns": [
        { "tool_calls": [call], "usage": { "input": 1000, "output": 50, "cached": 200 } },
        { "text": "Bye.", "tool_calls": [call] },
        { "tool_calls": [{ "name": "broken", "arguments": "{not json" }] },
    ] });
    stage.put("/sandbox/model", script).await.data();

    let response = openai(&stage, json!([user("go")])).await.body;
    let choice = &response["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("tool_calls"), &Value::Null)
    );
    let called = &choice["message"]["tool_calls"][0];
    assert_eq!(called["function"], json!({ "name": "send_message", "arguments": "{\"text\":\"hi\"}" }));
    assert!(called["id"].as_str().unwrap().starts_with("call_"));
    assert_eq!(
        (&response["usage"]["prompt_tokens"], &response["usage"]["completion_tokens"]),
        (&json!(1000), &json!(50))
    );
    assert_eq!(response["usage"]["prompt_tokens_details"]["cached_tokens"], 200);

    let response = anthropic(&stage, json!([user("go")])).await.body;
    assert_eq!(response["stop_reason"], "tool_use");
    assert_eq!(response["content"][0]["text"], "Bye.");
    assert_eq!(
        (&response["content"][1]["type"], &response["content"][1]["input"]),
        (&json!("tool_use"), &json!({ "text": "hi" }))
    );

    let response = openai(&stage, json!([user("go")])).await.body;
    assert_eq!(response["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"], "{not json");
    assert_eq!(stage.get("/sandbox/model").await.data()["turns"], json!([]));
}

#[tokio::test]
async fn a_script_can_match_repeat_and_fail() {
    let stage = Stage::open().await;
    let script = json!({ "repeat": true, "turns": [
        { "match": "price", "text": "It is 5." }, { "match": "boom", "error_status": 529 } ] });
    stage.put("/sandbox/model", script).await.data();
    for _ in 0..2 {
        let response = openai(&stage, json!([user("what price?")])).await.body;
        assert_eq!(response["choices"][0]["message"]["content"], "It is 5.");
        let response = anthropic(&stage, json!([user("boom")])).await;
        assert_eq!((response.status, &response.body["error"]["type"]), (529, &json!("overloaded_error")));
        let response = openai(&stage, json!([user("boom")])).await;
        assert_eq!((response.status, &response.body["error"]["type"]), (529, &json!("server_error")));
    }
    assert_eq!(stage.put("/sandbox/model", json!({ "turns": [{}] })).await.status, 400);
    stage.call("DELETE", "/sandbox/model", &[], &Value::Null).await.unwrap();
    assert_eq!(
        openai(&stage, json!([user("price")])).await.body["choices"][0]["message"]["content"],
        "You said: price"
    );
}

#[tokio::test]
async fn results_are_heard_and_a_broken_conversation_is_refused() {
    let stage = Stage::open().await;
    let call =
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function" }] });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "ok" });
    let response = openai(&stage, json!([user("go"), call, result])).await;
    assert_eq!(response.body["choices"][0]["message"]["content"], "Done. Here is what came back: ok");
    assert_eq!(openai(&stage, json!([user("go"), call])).await.status, 400);
    let used = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "t", "input": {} }] });
    let result = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "ok" }] });
    assert_eq!(anthropic(&stage, json!([user("go"), used, result])).await.status, 200);
    let response = anthropic(&stage, json!([user("go"), used, user("and?")])).await;
    assert_eq!((response.status, &response.body["error"]["type"]), (400, &json!("invalid_request_error")));
    let bare = json!({ "model": "m", "max_tokens": 1, "messages": [user("hi")] });
    assert_eq!(stage.post("/sandbox/model/v1/messages", bare).await.status, 400);
}

#[tokio::test]
async fn calls_are_kept_to_be_looked_at() {
    let stage = Stage::open().await;
    openai(&stage, json!([user("one")])).await;
    anthropic(&stage, json!([user("two")])).await;
    openai(&stage, json!([])).await;
    let calls = stage.get("/sandbox/model/calls").await.data().clone();
    let formats: Vec<_> =
        calls.as_array().unwrap().iter().map(|call| (&call["format"], &call["status"])).collect();
    assert_eq!(
        formats,
        [
            (&json!("openai"), &json!(200)),
            (&json!("anthropic"), &json!(200)),
            (&json!("openai"), &json!(400))
        ]
    );
    assert_eq!(calls[1]["request"]["system"], "Be kind.");
    assert_eq!(calls[0]["answer"]["choices"][0]["message"]["content"], "You said: one");
    stage.call("DELETE", "/sandbox/model/calls", &[], &Value::Null).await.unwrap();
    assert_eq!(stage.get("/sandbox/model/calls").await.data(), &json!([]));
}

#[tokio::test]
async fn without_a_script_it_calls_the_tools_that_it_is_asked_to() {
    let stage = Stage::open().await;
    let schema =
        json!({ "type": "object", "properties": { "tag": { "type": "string" } }, "required": ["tag"] });
    let mut messages = vec![user("Hello! Please tag me vip.")];
    let tools = json!([{ "type": "function", "function": { "name": "add_tag", "parameters": schema } }]);
    let path = "/sandbox/model/v1/chat/completions";
    let body = |messages: &[Value]| json!({ "model": "m", "messages": messages, "tools": tools });
    let response = stage.post(path, body(&messages)).await.body;
    let message = &response["choices"][0]["message"];
    let function = &message["tool_calls"][0]["function"];
    assert_eq!(function, &json!({ "name": "add_tag", "arguments": "{\"tag\":\"vip\"}" }));
    let id = message["tool_calls"][0]["id"].clone();
    messages.extend([message.clone(), json!({ "role": "tool", "tool_call_id": id, "content": "tagged" })]);
    let response = stage.post(path, body(&messages)).await.body;
    assert_eq!(response["choices"][0]["message"]["content"], "Done. Here is what came back: tagged");

    let tools = json!([{ "name": "add_tag", "input_schema": schema }]);
    let body = json!({ "model": "m", "max_tokens": 9, "messages": [user("tag me vip")], "tools": tools });
    let headers = [("anthropic-version", "2023-06-01")];
    let response = stage.call("POST", "/sandbox/model/v1/messages", &headers, &body).await.unwrap();
    assert_eq!(response.body["content"][0]["input"], json!({ "tag": "vip" }));
}

#[tokio::test]
async fn images_are_noticed_counted_and_not_kept() {
    let stage = Stage::open().await;
    // Larger than other calls may be.
    let url = format!("data:image/png;base64,{}", "A".repeat(4 << 20));
    let content = json!([{ "type": "image_url", "image_url": { "url": url } }]);
    let response = openai(&stage, json!([{ "role": "user", "content": content }])).await.body;
    assert_eq!(response["choices"][0]["message"]["content"], "I see that you sent an image (image/png).");
    let tokens = response["usage"]["prompt_tokens"].as_u64().unwrap();
    assert!((800..1000).contains(&tokens), "{tokens}");
    let calls = stage.get("/sandbox/model/calls").await.data().to_string();
    assert!(calls.contains("(3145728 bytes)") && calls.len() < 2000);
}

#[tokio::test]
async fn speech_is_a_voice_note_and_its_mistakes_are_told() {
    let stage = Stage::open().await;
    let path = "/sandbox/model/v1/audio/speech";
    let body = json!({ "model": "tts-1", "input": "Hello", "voice": "alloy", "response_format": "opus" });
    assert_eq!(stage.post(path, body).await.status, 200);
    let response = stage.post(path, json!({ "model": "tts-1", "voice": "alloy" })).await;
    assert_eq!(
        (response.status, response.body["error"]["message"].as_str()),
        (400, Some("Missing required parameter: 'input'."))
    );
    let calls = stage.get("/sandbox/model/calls").await.data().clone();
    assert_eq!(calls[0]["answer"]["content_type"], "audio/ogg");
    stage
        .put("/sandbox/faults", json!({ "faults": [{ "on": "model", "kind": "error", "status": 429 }] }))
        .await
        .data();
    let response = stage.post(path, json!({})).await;
    assert_eq!((response.status, &response.body["error"]["code"]), (429, &json!("rate_limit_exceeded")));
}
