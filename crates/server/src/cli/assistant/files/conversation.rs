//! Test conversations: `tests/NAME.toml`.
//!
//! A test is a list of turns. A turn is what the customer writes, and what is expected of the reply; or a message that the
//! assistant is taken to have written.

use serde::Deserialize;
use toml::Table;

use super::fields;
use super::format;
use crate::error::{Error, Result};

const TURNS_MAX: usize = 20;
const TEST: &[&str] = &["about", "cost_under_usd", "turn"];
const TURN: &[&str] = &["customer", "assistant", "expect"];
const EXPECT: &[&str] = &[
    "tools",
    "not_tools",
    "contains",
    "not_contains",
    "judge_yes",
    "judge_no",
    "hands_off",
    "cost_under_usd",
];

#[derive(Debug, Deserialize)]
pub(super) struct Conversation {
    /// What it is about, for people.
    pub(super) about: Option<String>,
    /// The most that the assistant's replies may cost together.
    pub(super) cost_under_usd: Option<f64>,
    #[serde(rename = "turn")]
    pub(super) turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Turn {
    pub(super) customer: Option<String>,
    pub(super) assistant: Option<String>,
    #[serde(default)]
    pub(super) expect: Expect,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expect {
    /// Tools that are called.
    pub(super) tools: Vec<String>,
    /// Tools that are not called.
    pub(super) not_tools: Vec<String>,
    /// Texts that the reply contains, in whatever case.
    pub(super) contains: Vec<String>,
    pub(super) not_contains: Vec<String>,
    /// Questions about the conversation that a model answers with yes, or with no.
    pub(super) judge_yes: Vec<String>,
    pub(super) judge_no: Vec<String>,
    pub(super) hands_off: Option<bool>,
    /// The most that this reply may cost.
    pub(super) cost_under_usd: Option<f64>,
}

pub(super) fn read(path: &str, text: &str) -> Result<Conversation> {
    let table = format::table(path, text)?;
    check(path, &table)?;
    let conversation: Conversation = table.try_into().map_err(|error: toml::de::Error| {
        Error::Invalid(format!("{path}: {}", error.to_string().trim_end()))
    })?;
    let wrong = |why: &str| Err(Error::Invalid(format!("{path}: {why}")));
    let turns = &conversation.turns;
    if turns.len() > TURNS_MAX {
        return wrong(&format!("a test has at most {TURNS_MAX} turns"));
    }
    if turns.iter().any(|turn| turn.customer.is_some() == turn.assistant.is_some()) {
        return wrong("a turn has either `customer` or `assistant`");
    }
    let says_nothing = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if turns.iter().any(|turn| says_nothing(&turn.customer) || says_nothing(&turn.assistant)) {
        return wrong("a message must not be blank");
    }
    if turns.last().is_none_or(|turn| turn.customer.is_none()) {
        return wrong("the last turn must be the customer's");
    }
    Ok(conversation)
}

fn check(path: &str, table: &Table) -> Result<()> {
    fields::check(path, table, TEST)?;
    let turns = table.get("turn").and_then(toml::Value::as_array).into_iter().flatten();
    for (index, turn) in turns.filter_map(toml::Value::as_table).enumerate() {
        let place = format!("{path}: turn {}", index + 1);
        fields::check(&place, turn, TURN)?;
        let Some(expect) = turn.get("expect").and_then(toml::Value::as_table) else { continue };
        if turn.contains_key("assistant") {
            return Err(Error::Invalid(format!("{place}: only a customer's turn has an `expect`")));
        }
        fields::check(&format!("{place}: expect"), expect, EXPECT)?;
        for list in ["tools", "not_tools"] {
            let tools = expect.get(list).and_then(toml::Value::as_array).into_iter().flatten();
            fields::check_tools(&format!("{place}: {list}"), tools.filter_map(toml::Value::as_str))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_says_what_is_expected_of_each_reply() {
        let text = r#"
            about = "Old orders are not refunded"
            cost_under_usd = 0.05
            [[turn]]
            customer = "I want my money back."
            expect.tools = ["search_deals"]
            expect.hands_off = false
            [[turn]]
            assistant = "When did you buy it?"
            [[turn]]
            customer = "Last year."
            [turn.expect]
            contains = ["30 days"]
            judge_no = ["Does it promise a refund?"]
        "#;
        let read = read("tests/a.toml", text).unwrap();
        assert_eq!((read.turns.len(), read.cost_under_usd), (3, Some(0.05)));
        assert_eq!(read.turns[0].expect.tools, ["search_deals"]);
        assert_eq!(read.turns[2].expect.judge_no.len(), 1);
    }

    #[test]
    fn the_documented_test_is_read() {
        let documented = include_str!("../../../../../../docs/assistants-as-files.md");
        let mut blocks = documented.split("```toml\n").filter_map(|rest| rest.split("```").next());
        let text = blocks.find(|block| block.starts_with("# tests/")).unwrap();
        let read = read("tests/refund.toml", text).unwrap();
        assert_eq!(read.turns.len(), 3);
        assert_eq!(read.turns[2].expect.hands_off, Some(true));
    }

    #[test]
    fn mistakes_are_named_and_never_pass_as_a_test() {
        for (text, said) in [
            ("", "turn"),
            ("[[turns]]", "\"turn\"?"),
            ("turn = []", "last turn"),
            ("[[turn]]\nassistant = 'Hi'", "last turn"),
            ("[[turn]]\ncustomer = ' '", "blank"),
            ("[[turn]]\ncustomer = 'Hi'\nassistant = 'Ho'", "either"),
            ("[[turn]]\ncustomer = 'Hi'\nexpect.contain = ['a']", "\"contains\"?"),
            ("[[turn]]\ncustomer = 'Hi'\nexpect.tools = ['serch_contacts']", "\"search_contacts\"?"),
            ("[[turn]]\ncustomer = 'Hi'\nexpect.tools = 'search_contacts'", "sequence"),
            ("[[turn]]\ncustomer = 'Hi'\nexpect.hands_off = 'yes'", "boolean"),
            (
                "[[turn]]\nassistant = 'Hi'\nexpect.contains = ['a']\n[[turn]]\ncustomer = 'Hi'",
                "only a customer's",
            ),
            (&"[[turn]]\ncustomer = 'Hi'\n".repeat(21), "at most 20"),
        ] {
            let refused = read("tests/a.toml", text).unwrap_err().to_string();
            assert!(refused.contains(said) && refused.contains("tests/a.toml"), "{text}: {refused}");
        }
    }
}
