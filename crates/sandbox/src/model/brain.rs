//! The replies of the model without a script. They are deterministic.
//!
//! It calls the tools that simple phrases ask for, one after the other, reports their results, and answers
//! about the conversation. `call NAME {…}` calls any tool with any arguments.

use serde_json::{Value, json};

use super::arguments;
use super::intents::{self, Intent};
use super::transcript::Conversation;
use crate::model_state::{ToolCall, Turn};

/// Maximum characters of a message that are repeated in a reply.
const ECHO_CHARS_MAX: usize = 1000;

/// The next turn. `now` is in milliseconds since 1970.
pub(super) fn next_turn(conversation: &Conversation, now: i64) -> Turn {
    let asked = without_markup(&conversation.asked);
    let plan = plan(conversation, &asked, now);
    let has_failed = conversation.calls.last().is_some_and(|call| call.is_error || is_error(&call.result));
    match plan.into_iter().nth(conversation.calls.len()).filter(|_| !has_failed) {
        Some(call) => Turn { tool_calls: vec![call], ..Turn::default() },
        None => Turn { text: Some(words(conversation, &asked, has_failed)), ..Turn::default() },
    }
}

/// The tool calls for the user's request. They stay the same until the user writes again, except that ids
/// from results are filled in.
fn plan(conversation: &Conversation, asked: &str, now: i64) -> Vec<ToolCall> {
    if let Some(call) = spelled_out(conversation, asked) {
        return vec![call];
    }
    let before = Conversation { asked: asked.to_owned(), calls: Vec::new(), ..clone_of(conversation) };
    let mut plan = Vec::new();
    for intent in intents::find(asked, &conversation.tools) {
        let Some(tool) = conversation.tool(intent.tool) else { continue };
        // An id that the request does not contain is looked up first.
        let finder = arguments::missing_id(&tool.parameters, &before).and_then(|id| match id {
            "deal_id" => conversation.tool("search_deals"),
            "contact_id" => conversation.tool("search_contacts"),
            "conversation_id" => conversation.tool("list_conversations"),
            _ => None,
        });
        if let Some(finder) = finder {
            let nothing = Intent { tool: intent.tool, values: Vec::new() };
            plan.push(call(&finder.name, arguments::fill(&finder.parameters, &nothing, &before, now)));
        }
        plan.push(call(&tool.name, arguments::fill(&tool.parameters, &intent, conversation, now)));
    }
    plan
}

fn clone_of(conversation: &Conversation) -> Conversation {
    Conversation {
        earlier_results: conversation.earlier_results.clone(),
        tools: conversation.tools.clone(),
        ..Conversation::default()
    }
}

/// `call NAME {…}`, with or without arguments.
fn spelled_out(conversation: &Conversation, asked: &str) -> Option<ToolCall> {
    let at = asked.to_ascii_lowercase().find("call ")?;
    let rest = asked[at + "call ".len()..].trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let tool = conversation.tool(name)?;
    let mut values = serde_json::Deserializer::from_str(rest.trim_start()).into_iter::<Value>();
    let given = values.next().and_then(Result::ok).filter(Value::is_object);
    Some(call(&tool.name, given.unwrap_or(json!({}))))
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments }
}

/// Customers' messages may be wrapped in tags that mark them as data.
fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let is_tag = rest[start + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let Some(length) = rest[start..].find('>').filter(|_| is_tag) else {
            plain.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        };
        plain.push_str(&rest[..start]);
        rest = &rest[start + length + 1..];
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

fn is_error(result: &str) -> bool {
    serde_json::from_str::<Value>(result).is_ok_and(|value| value.get("error").is_some())
}

fn words(conversation: &Conversation, asked: &str, has_failed: bool) -> String {
    if let Some(call) = conversation.calls.last() {
        let result = short(&call.result);
        return match call.name.as_str() {
            _ if has_failed => format!("That did not work: {result}"),
            "hand_off" => "I have handed you over to a colleague.".into(),
            name if ["search", "get_", "list", "read", "recall"]
                .iter()
                .any(|start| name.starts_with(start)) =>
            {
                format!("Here is what I found: {result}")
            }
            _ => format!("Done. Here is what came back: {result}"),
        };
    }
    let spoken = (!asked.is_empty()).then(|| small_talk(conversation, asked));
    let seen = (!conversation.attachments.is_empty())
        .then(|| format!("I see that you sent {}.", conversation.attachments.join(" and ")));
    match (seen, spoken) {
        (None, None) => "Hello! How can I help you?".into(),
        (Some(seen), None) => seen,
        (None, Some(spoken)) => spoken,
        (Some(seen), Some(spoken)) => format!("{seen} {spoken}"),
    }
}

fn small_talk(conversation: &Conversation, asked: &str) -> String {
    let lower = asked.to_lowercase();
    let bare: &str = lower.trim_matches(|edge: char| !edge.is_alphanumeric());
    let begins = |words: &[&str]| {
        words.iter().any(|word| {
            bare.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        })
    };
    let has = |words: &[&str]| words.iter().any(|word| bare.contains(word));
    let earlier = &conversation.earlier;
    if has(&["what did i say", "what did i write", "my last message", "summarize", "summary"]) {
        let said: Vec<_> = earlier.iter().map(|text| format!("“{}”", short(&without_markup(text)))).collect();
        return match said.as_slice() {
            [] => "This is your first message.".into(),
            said => format!("Before this you wrote {}.", said.join(", ")),
        };
    }
    if has(&["how many messages"]) {
        return format!("You have written {} before this one.", count(earlier.len(), "message"));
    }
    if has(&["what can you do"]) || begins(&["help"]) {
        let names: Vec<_> = conversation.tools.iter().map(|tool| tool.name.as_str()).collect();
        return match names.as_slice() {
            [] => "I can talk with you. No tools are switched on.".into(),
            names => format!("I can talk with you, and use these tools: {}.", names.join(", ")),
        };
    }
    if begins(&["hi", "hello", "hey", "hola", "good morning", "good afternoon", "good evening"]) {
        let greeting = if earlier.is_empty() { "Hello!" } else { "Hello again!" };
        return format!("{greeting} I am the sandbox assistant. How can I help you?");
    }
    if has(&["thank"]) {
        return "You are welcome!".into();
    }
    if begins(&["bye", "goodbye", "see you"]) {
        return "Goodbye!".into();
    }
    format!("You said: {}", short(asked))
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn short(text: &str) -> String {
    text.chars().take(ECHO_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests;
