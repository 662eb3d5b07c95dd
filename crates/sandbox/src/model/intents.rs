//! Simple phrases and their tools.

use serde_json::{Value, json};

use super::transcript::Tool;

/// A requested tool and the values for its arguments. Each value is used for the first of its names that the
/// tool's schema has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Intent {
    pub(super) tool: &'static str,
    pub(super) values: Vec<(&'static [&'static str], Value)>,
}

/// The meaning of the words after a phrase.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Nothing,
    /// Text of any length.
    Text,
    /// The name of one thing.
    Word,
    /// An amount of money.
    Amount,
    /// A time from now.
    Delay,
    /// This field of a contact.
    Field(&'static [&'static str]),
    /// This value, regardless of the words.
    Fixed(&'static [&'static str], &'static str),
}

const TEXT: &[&str] = &[
    "content", "body", "text", "message", "question", "prompt", "goal", "task", "note", "q", "query", "fact",
    "reason", "name",
];
const WORD: &[&str] =
    &["tag", "tag_name", "tags", "tag_names", "template", "template_name", "name", "q", "query"];

const HAND_OVER: Rest = Rest::Fixed(&["message", "text"], "I am handing you over to a colleague.");
const WON: Rest = Rest::Fixed(&["outcome", "status"], "won");
const LOST: Rest = Rest::Fixed(&["outcome", "status"], "lost");

/// Phrases in the order of the search; a phrase that contains another one comes first.
const PHRASES: &[(&str, &str, Rest)] = &[
    ("hand me over", "hand_off", HAND_OVER),
    ("hand over", "hand_off", HAND_OVER),
    ("hand off", "hand_off", HAND_OVER),
    ("talk to a person", "hand_off", HAND_OVER),
    ("talk to a human", "hand_off", HAND_OVER),
    ("speak to a person", "hand_off", HAND_OVER),
    ("speak to a human", "hand_off", HAND_OVER),
    ("ask a human", "ask_human", Rest::Text),
    ("ask a colleague", "ask_human", Rest::Text),
    ("ask the team", "ask_human", Rest::Text),
    ("do you remember", "recall", Rest::Text),
    ("what do you know about", "recall", Rest::Text),
    ("recall", "recall", Rest::Text),
    ("forget", "forget", Rest::Text),
    ("remember that", "remember", Rest::Text),
    ("remember", "remember", Rest::Text),
    ("untag me as", "remove_tag", Rest::Word),
    ("untag me", "remove_tag", Rest::Word),
    ("remove the tag", "remove_tag", Rest::Word),
    ("tag me as", "add_tag", Rest::Word),
    ("tag me with", "add_tag", Rest::Word),
    ("tag me", "add_tag", Rest::Word),
    ("add the tag", "add_tag", Rest::Word),
    ("create a deal", "create_deal", Rest::Amount),
    ("open a deal", "create_deal", Rest::Amount),
    ("make a deal", "create_deal", Rest::Amount),
    ("new deal", "create_deal", Rest::Amount),
    ("change the deal", "update_deal", Rest::Amount),
    ("update the deal", "update_deal", Rest::Amount),
    ("move the deal", "move_deal", Rest::Nothing),
    ("deal is won", "close_deal", WON),
    ("deal is lost", "close_deal", LOST),
    ("close the deal as lost", "close_deal", LOST),
    ("close the deal", "close_deal", WON),
    ("delete the deal", "delete_deal", Rest::Nothing),
    ("my deals", "search_deals", Rest::Nothing),
    ("find deals", "search_deals", Rest::Text),
    ("search deals", "search_deals", Rest::Text),
    ("find contacts", "search_contacts", Rest::Text),
    ("search contacts", "search_contacts", Rest::Text),
    ("who am i", "get_contact", Rest::Nothing),
    ("what is my name", "get_contact", Rest::Nothing),
    ("my name is", "update_contact", Rest::Field(&["name"])),
    ("my email is", "update_contact", Rest::Field(&["email"])),
    ("my company is", "update_contact", Rest::Field(&["company"])),
    ("note on the inquiry", "create_inquiry_note", Rest::Text),
    ("take a note", "add_note", Rest::Text),
    ("add a note", "add_note", Rest::Text),
    ("make a note", "add_note", Rest::Text),
    ("list conversations", "list_conversations", Rest::Nothing),
    ("my conversations", "list_conversations", Rest::Nothing),
    ("read the messages", "read_messages", Rest::Nothing),
    ("list templates", "list_templates", Rest::Nothing),
    ("send the template", "send_template", Rest::Word),
    ("send a message saying", "send_message", Rest::Text),
    ("send a message", "send_message", Rest::Text),
    ("send me a message", "send_message", Rest::Text),
    ("reopen the conversation", "set_conversation_status", Rest::Fixed(&["status"], "open")),
    ("close the conversation", "set_conversation_status", Rest::Fixed(&["status"], "closed")),
    ("assign the conversation", "assign_conversation", Rest::Nothing),
    ("delegate", "delegate", Rest::Text),
    ("follow up", "schedule_follow_up", Rest::Delay),
    ("remind me", "schedule_follow_up", Rest::Delay),
    ("start a broadcast", "start_broadcast", Rest::Text),
    ("opt me out", "opt_out_contact", Rest::Nothing),
    ("unsubscribe me", "opt_out_contact", Rest::Nothing),
];

/// Separators between requests.
const SEPARATORS: &[&str] = &["\n", "; ", ". ", " and then ", " then ", " and ", ", "];

/// Every request in a text for which there is a tool.
pub(super) fn find(text: &str, tools: &[Tool]) -> Vec<Intent> {
    pieces(text).iter().filter_map(|piece| find_one(piece, tools)).collect()
}

/// Splits a text into pieces with one request each. A piece without a request belongs to the previous one.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![text.to_owned()];
    for separator in SEPARATORS {
        pieces = pieces.iter().flat_map(|piece| divide(piece, separator)).collect();
    }
    pieces
}

fn divide(text: &str, separator: &str) -> Vec<String> {
    let mut divided: Vec<String> = Vec::new();
    for part in text.split(separator) {
        match divided.last_mut() {
            Some(before) if phrase(part).is_none() => {
                before.push_str(separator);
                before.push_str(part);
            }
            _ => divided.push(part.to_owned()),
        }
    }
    divided
}

/// The first phrase of the list that the text contains, and where it ends.
fn phrase(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    PHRASES.iter().enumerate().find_map(|(index, (words, ..))| {
        let at = lower.find(words)?;
        let is_whole = |edge: Option<char>| edge.is_none_or(|edge| !edge.is_alphanumeric());
        let end = at + words.len();
        (is_whole(lower[..at].chars().next_back()) && is_whole(lower[end..].chars().next()))
            .then_some((index, end))
    })
}

fn find_one(text: &str, tools: &[Tool]) -> Option<Intent> {
    let (index, end) = phrase(text)?;
    let (_, tool, rest) = &PHRASES[index];
    tools
        .iter()
        .any(|offered| offered.name == *tool)
        .then(|| Intent { tool, values: values(*rest, &text[end..]) })
}

fn values(rest: Rest, words: &str) -> Vec<(&'static [&'static str], Value)> {
    let words = words.trim_matches(|edge: char| edge.is_whitespace() || ":,.!?\"".contains(edge));
    match rest {
        Rest::Nothing => Vec::new(),
        Rest::Text if words.is_empty() => Vec::new(),
        Rest::Text => vec![(TEXT, json!(words))],
        Rest::Word => {
            words.split_whitespace().next_back().map(|word| (WORD, json!(word))).into_iter().collect()
        }
        Rest::Field(field) => vec![(field, json!(words))],
        Rest::Fixed(names, value) => vec![(names, json!(value))],
        Rest::Amount => {
            let Some(amount) = amount(words) else { return vec![(&["title", "name"], json!("New deal"))] };
            let mut values = vec![
                (&["value", "amount"][..], json!(amount)),
                (&["title", "name"], json!(format!("Deal of {amount}"))),
            ];
            values.extend(currency(words).map(|currency| (&["currency"][..], json!(currency))));
            values
        }
        Rest::Delay => vec![(&["minutes", "delay_minutes", "in_minutes"], json!(minutes(words)))],
    }
}

/// The first number of a text, `1,500.50` and `5k` too.
fn amount(words: &str) -> Option<Value> {
    let start = words.find(|digit: char| digit.is_ascii_digit())?;
    let digits: String =
        words[start..].chars().take_while(|c| c.is_ascii_digit() || ",.".contains(*c)).collect();
    let thousands = words[start + digits.len()..].starts_with(['k', 'K']);
    let number: f64 = digits.replace(',', "").trim_end_matches('.').parse().ok()?;
    let number = if thousands { number * 1000.0 } else { number };
    Some(if number.fract() == 0.0 { json!(number as u64) } else { json!(number) })
}

fn currency(words: &str) -> Option<&'static str> {
    let lower = words.to_lowercase();
    let known =
        [("USD", ["$", "usd", "dollar"]), ("EUR", ["€", "eur", "euro"]), ("GBP", ["£", "gbp", "pound"])];
    known.iter().find(|(_, signs)| signs.iter().any(|sign| lower.contains(sign))).map(|(code, _)| *code)
}

/// A time from now: `in 2 hours`, `tomorrow`. An hour by default.
fn minutes(words: &str) -> u64 {
    let lower = words.to_ascii_lowercase();
    let count = amount(&lower).and_then(|amount| amount.as_u64()).unwrap_or(1);
    let unit = [("minute", 1), ("hour", 60), ("day", 24 * 60), ("week", 7 * 24 * 60), ("tomorrow", 24 * 60)];
    let unit = unit.iter().find(|(name, _)| lower.contains(name)).map_or(60, |(_, minutes)| *minutes);
    count.saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<Tool> {
        PHRASES
            .iter()
            .map(|(_, name, _)| Tool { name: (*name).to_owned(), parameters: Value::Null })
            .collect()
    }

    fn found(text: &str) -> Vec<(&'static str, Vec<Value>)> {
        let intents = find(text, &tools()).into_iter();
        intents.map(|one| (one.tool, one.values.into_iter().map(|(_, value)| value).collect())).collect()
    }

    #[test]
    fn simple_phrases_ask_for_tools() {
        for (text, tool, values) in [
            ("Please create a deal for 500", "create_deal", vec![json!(500), json!("Deal of 500")]),
            (
                "create a deal of €1,500.50!",
                "create_deal",
                vec![json!(1500.5), json!("Deal of 1500.5"), json!("EUR")],
            ),
            ("tag me vip", "add_tag", vec![json!("vip")]),
            ("Can you tag me as VIP?", "add_tag", vec![json!("VIP")]),
            ("hand me over to a person", "hand_off", vec![json!("I am handing you over to a colleague.")]),
            ("Remember that I like red and blue.", "remember", vec![json!("I like red and blue")]),
            ("Do you remember what I like?", "recall", vec![json!("what I like")]),
            ("my email is ann@example.com", "update_contact", vec![json!("ann@example.com")]),
            ("close the deal as lost", "close_deal", vec![json!("lost")]),
            ("follow up in 2 days", "schedule_follow_up", vec![json!(2880)]),
        ] {
            assert_eq!(found(text), [(tool, values)], "{text}");
        }
    }

    #[test]
    fn several_requests_are_found_in_their_order() {
        let tools: Vec<_> = found("tag me vip, create a deal for 5k and then remember that I pay by card")
            .into_iter()
            .map(|(tool, values)| (tool, values[0].clone()))
            .collect();
        assert_eq!(
            tools,
            [("add_tag", json!("vip")), ("create_deal", json!(5000)), ("remember", json!("I pay by card"))]
        );
    }

    #[test]
    fn words_that_only_contain_a_phrase_call_no_tool() {
        for text in ["hello", "the unforgettable day", "untagged men", "new dealership", ""] {
            assert_eq!(found(text), [], "{text}");
        }
        assert!(find("tag me vip", &[]).is_empty());
    }
}
