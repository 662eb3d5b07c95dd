//! The bodies that go over the wire, to the letter.

use bytes::Bytes;
use frontdesk_e2e::ModelProvider;
use frontdesk_models::{
    Arguments, Cache, ChatRequest, Image, Message, Part, Replay, ToolCall, ToolResult, Turn,
};
use serde_json::{Map, Value, json};

use crate::scene::{self, OPTIONS, question};

fn call(id: &str, arguments: Arguments) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "send_message".to_owned(), arguments }
}

fn object(value: Value) -> Arguments {
    let Value::Object(object) = value else { panic!("{value} is no object") };
    Arguments::Object(object)
}

fn result(id: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult { call_id: id.to_owned(), content: content.to_owned(), is_error }
}

/// A conversation with everything in it.
fn conversation() -> ChatRequest {
    let image = Image::new("image/png", Bytes::from_static(b"\x89PNG")).unwrap();
    let broken = Arguments::Invalid { raw: "{te".to_owned(), problem: "no JSON".to_owned() };
    let mut request = question("");
    request.system.varying = "The customer is Ann.".into();
    request.messages = vec![
        Message::assistant("Welcome!"),
        Message::User(vec![Part::Text("Look".to_owned()), Part::Image(image)]),
        Message::Assistant(Turn {
            text: Some("I will write.".to_owned()),
            tool_calls: vec![call("call_1", object(json!({ "text": "hi" }))), call("call_2", broken)],
            replay: None,
        }),
        Message::ToolResults(vec![
            result("call_1", "{\"ok\":true}", false),
            result("call_2", "no JSON", true),
        ]),
        Message::user("And now?"),
    ];
    request
}

#[tokio::test]
async fn a_conversation_in_openais_format() {
    let provider = ModelProvider::openai();
    scene::openai(&provider).complete(&conversation(), OPTIONS).await.unwrap();
    let function = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "send_message", "arguments": arguments } });
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "Be kind.\n\nThe customer is Ann." },
            { "role": "assistant", "content": "Welcome!" },
            { "role": "user", "content": [
                { "type": "text", "text": "Look" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw==" } },
            ] },
            {
                "role": "assistant",
                "content": "I will write.",
                "tool_calls": [
                    function("call_1", "{\"text\":\"hi\"}"),
                    function("call_2", "{\"invalid_json\":\"{te\"}"),
                ],
            },
            { "role": "tool", "tool_call_id": "call_1", "content": "{\"ok\":true}" },
            { "role": "tool", "tool_call_id": "call_2", "content": "no JSON" },
            { "role": "user", "content": "And now?" },
        ],
        "tools": [{ "type": "function", "function": {
            "name": "send_message",
            "description": "Sends a message.",
            "parameters": { "type": "object", "properties": { "text": { "type": "string" } } },
        } }],
        "tool_choice": "auto",
        "temperature": 0.3,
        "max_completion_tokens": 1024,
    });
    assert_eq!(provider.requests(), [expected]);
    let received = &provider.received()[0];
    assert_eq!(received.header("authorization"), format!("Bearer {}", scene::KEY));
    assert_eq!(received.header("content-type"), "application/json");
}

#[tokio::test]
async fn a_conversation_in_anthropics_format() {
    let provider = ModelProvider::anthropic();
    let request = ChatRequest { temperature: Some(1.7), cache: Cache::Conversation, ..conversation() };
    scene::anthropic(&provider).complete(&request, OPTIONS).await.unwrap();
    let mark = json!({ "type": "ephemeral" });
    let tool_use = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "send_message", "input": input });
    let expected = json!({
        "model": "m",
        "max_tokens": 1024,
        "system": [
            { "type": "text", "text": "Be kind.", "cache_control": mark },
            { "type": "text", "text": "The customer is Ann." },
        ],
        "tools": [{
            "name": "send_message",
            "description": "Sends a message.",
            "input_schema": { "type": "object", "properties": { "text": { "type": "string" } } },
        }],
        "temperature": 1.0,
        "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "(The conversation begins with the assistant's message.)" },
            ] },
            { "role": "assistant", "content": [{ "type": "text", "text": "Welcome!" }] },
            { "role": "user", "content": [
                { "type": "text", "text": "Look" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw==" } },
            ] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I will write." },
                tool_use("call_1", json!({ "text": "hi" })),
                tool_use("call_2", json!({ "invalid_json": "{te" })),
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "call_1", "content": "{\"ok\":true}", "is_error": false },
                { "type": "tool_result", "tool_use_id": "call_2", "content": "no JSON", "is_error": true },
                { "type": "text", "text": "And now?", "cache_control": mark },
            ] },
        ],
    });
    assert_eq!(provider.requests(), [expected]);
    let received = &provider.received()[0];
    assert_eq!(received.header("x-api-key"), scene::KEY);
    assert_eq!(received.header("anthropic-version"), "2023-06-01");
    assert!(received.headers.get("authorization").is_none());
}

#[tokio::test]
async fn a_bare_question_carries_nothing_else() {
    let mut request = question("hi");
    request.tools.clear();
    request.system.stable.clear();
    request.temperature = None;
    request.cache = Cache::Off;
    let provider = ModelProvider::openai();
    scene::openai(&provider).complete(&request, OPTIONS).await.unwrap();
    assert_eq!(
        provider.requests(),
        [json!({
            "model": "m", "messages": [{ "role": "user", "content": "hi" }], "max_completion_tokens": 1024,
        })]
    );
    let provider = ModelProvider::anthropic();
    scene::anthropic(&provider).complete(&request, OPTIONS).await.unwrap();
    let content = json!([{ "type": "text", "text": "hi" }]);
    assert_eq!(
        provider.requests(),
        [json!({ "model": "m", "messages": [{ "role": "user", "content": content }], "max_tokens": 1024 })]
    );
}

#[tokio::test]
async fn tools_are_cached_when_there_is_no_system_prompt() {
    let provider = ModelProvider::anthropic();
    let mut request = question("hi");
    request.system.stable.clear();
    scene::anthropic(&provider).complete(&request, OPTIONS).await.unwrap();
    assert_eq!(provider.requests()[0]["tools"][0]["cache_control"], json!({ "type": "ephemeral" }));
    assert!(provider.requests()[0].get("system").is_none());
}

#[tokio::test]
async fn blank_texts_and_empty_turns_are_left_out_where_they_are_refused() {
    let provider = ModelProvider::anthropic();
    let mut request = question("hi");
    request.messages = vec![
        Message::user("one"),
        Message::Assistant(Turn { text: Some(" ".to_owned()), ..Turn::default() }),
        Message::user(""),
        Message::user("two"),
    ];
    scene::anthropic(&provider).complete(&request, OPTIONS).await.unwrap();
    let content = json!([{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }]);
    assert_eq!(provider.requests()[0]["messages"], json!([{ "role": "user", "content": content }]));
}

#[tokio::test]
async fn reasoning_goes_back_to_the_model_it_came_from_and_to_no_other() {
    let provider = ModelProvider::anthropic();
    let models = scene::anthropic(&provider);
    let blocks = vec![
        json!({ "type": "thinking", "thinking": "Hm.", "signature": "s" }),
        json!({ "type": "tool_use", "id": "call_1", "name": "send_message", "input": {} }),
    ];
    let mut request = question("hi");
    request.messages.extend([
        Message::Assistant(Turn {
            text: None,
            tool_calls: vec![call("call_1", Arguments::Object(Map::new()))],
            replay: Some(Replay { model: "m".to_owned(), content: blocks.clone() }),
        }),
        Message::ToolResults(vec![result("call_1", "ok", false)]),
    ]);
    models.complete(&request, OPTIONS).await.unwrap();
    request.model = "other".to_owned();
    models.complete(&request, OPTIONS).await.unwrap();
    let sent: Vec<_> =
        provider.requests().iter().map(|request| request["messages"][1]["content"].clone()).collect();
    assert_eq!(sent, [json!(blocks), json!(blocks[1..])]);
}
