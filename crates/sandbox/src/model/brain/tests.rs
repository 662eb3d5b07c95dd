use super::*;
use crate::model::transcript::{Tool, ToolUse};

fn tool(name: &str, parameters: Value) -> Tool {
    Tool { name: name.into(), parameters }
}

fn tools() -> Vec<Tool> {
    let text = json!({ "type": "string" });
    vec![
        tool("add_tag", json!({ "properties": { "tag": text }, "required": ["tag"] })),
        tool(
            "create_deal",
            json!({ "properties": { "title": text, "value": { "type": "number" } }, "required": ["title"] }),
        ),
        tool("search_deals", json!({ "properties": { "q": text } })),
        tool("delete_deal", json!({ "properties": { "deal_id": text }, "required": ["deal_id"] })),
        tool("hand_off", json!({ "properties": { "message": text } })),
    ]
}

fn asked(text: &str) -> Conversation {
    Conversation { user: text.into(), asked: text.into(), tools: tools(), ..Conversation::default() }
}

fn after(mut conversation: Conversation, name: &str, result: &str) -> Conversation {
    conversation.calls.push(ToolUse { name: name.into(), result: result.into(), is_error: false });
    conversation
}

fn said(conversation: &Conversation) -> String {
    next_turn(conversation, 0).text.unwrap()
}

fn called(conversation: &Conversation) -> (String, Value) {
    let turn = next_turn(conversation, 0);
    assert_eq!((turn.text, turn.tool_calls.len()), (None, 1));
    (turn.tool_calls[0].name.clone(), turn.tool_calls[0].arguments.clone())
}

#[test]
fn it_greets_and_answers_about_the_conversation() {
    assert_eq!(said(&asked("Hi there")), "Hello! I am the sandbox assistant. How can I help you?");
    assert_eq!(said(&asked("")), "Hello! How can I help you?");
    assert_eq!(said(&asked("The sky is blue")), "You said: The sky is blue");
    assert_eq!(said(&asked("his hat")), "You said: his hat");
    let mut later = asked("What did I say before?");
    assert_eq!(said(&later), "This is your first message.");
    later.earlier = vec!["I like tea".into(), "<customer>And cake</customer>".into()];
    assert_eq!(said(&later), "Before this you wrote “I like tea”, “And cake”.");
    assert!(said(&asked("what can you do?")).contains("add_tag, create_deal"));
    assert_eq!(said(&asked("Thanks!")), "You are welcome!");
}

#[test]
fn it_reports_what_was_sent() {
    let mut conversation = asked("");
    conversation.attachments = vec!["an image (image/png)".into(), "a voice note".into()];
    assert_eq!(said(&conversation), "I see that you sent an image (image/png) and a voice note.");
    conversation.asked = "Nice, no?".into();
    assert!(said(&conversation).ends_with("a voice note. You said: Nice, no?"));
}

#[test]
fn it_calls_tools_in_turn_and_reports_their_results() {
    let conversation = asked("<message>Please tag me vip and create a deal for 500</message>");
    assert_eq!(called(&conversation), ("add_tag".into(), json!({ "tag": "vip" })));
    let conversation = after(conversation, "add_tag", "ok");
    assert_eq!(
        called(&conversation),
        ("create_deal".into(), json!({ "title": "Deal of 500", "value": 500 }))
    );
    let conversation = after(conversation, "create_deal", "{\"id\":1}");
    assert_eq!(said(&conversation), "Done. Here is what came back: {\"id\":1}");
    let conversation = after(asked("hand me over to a person"), "hand_off", "ok");
    assert_eq!(said(&conversation), "I have handed you over to a colleague.");
}

#[test]
fn it_looks_for_an_id_that_it_does_not_know() {
    let id = "0199a1b2-0000-7000-8000-000000000001";
    let conversation = asked("delete the deal");
    assert_eq!(called(&conversation).0, "search_deals");
    let conversation = after(conversation, "search_deals", &format!("[{{\"id\":\"{id}\"}}]"));
    assert_eq!(called(&conversation), ("delete_deal".into(), json!({ "deal_id": id })));
    assert_eq!(said(&after(conversation, "delete_deal", "gone")), "Done. Here is what came back: gone");
    let named = asked(&format!("delete the deal {id}"));
    assert_eq!(called(&named), ("delete_deal".into(), json!({ "deal_id": id })));
}

#[test]
fn it_stops_when_a_tool_fails() {
    let conversation = after(asked("tag me vip and create a deal"), "add_tag", "{\"error\":\"no such tag\"}");
    assert_eq!(said(&conversation), "That did not work: {\"error\":\"no such tag\"}");
}

#[test]
fn any_tool_can_be_called_by_its_name() {
    let conversation = asked("call add_tag {\"tag\": \"a, b. and c\"} please");
    assert_eq!(called(&conversation), ("add_tag".into(), json!({ "tag": "a, b. and c" })));
    assert_eq!(called(&asked("Call search_deals")), ("search_deals".into(), json!({})));
    assert_eq!(said(&asked("call nothing_at_all")), "You said: call nothing_at_all");
}
