//! The state of the model: its scripted turns, and the calls that it has recorded.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::response::ControlError;

/// Recorded calls: maximum number, and bytes of their requests.
const CALLS_MAX: usize = 500;
const CALLS_BYTES_MAX: usize = 32 << 20;
/// Turns of one script.
const TURNS_MAX: usize = 1000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Turn {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<ToolCall>,
    /// Used only if the user's last message contains this text.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub(crate) matches: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// Responds with this status and the vendor's error instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_status: Option<u16>,
    /// The vendor's stop reason, instead of the one that follows from the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    /// An object, or a string that is returned as it is, valid or not.
    #[serde(default)]
    pub(crate) arguments: Value,
}

impl ToolCall {
    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.arguments.to_string().len()
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Usage {
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) cached: Option<u64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    #[serde(default)]
    turns: VecDeque<Turn>,
    /// The transcripts of the next recordings.
    #[serde(default)]
    transcripts: VecDeque<String>,
    /// A used turn is moved to the end instead of removed.
    #[serde(default)]
    repeat: bool,
}

impl Script {
    pub(crate) fn check(&self) -> Result<(), ControlError> {
        if self.turns.len() > TURNS_MAX || self.transcripts.len() > TURNS_MAX {
            return Err(ControlError::request(format!(
                "A script has at most {TURNS_MAX} turns and as many transcripts."
            )));
        }
        for (index, turn) in self.turns.iter().enumerate() {
            if turn.text.is_none() && turn.tool_calls.is_empty() && turn.error_status.is_none() {
                return Err(ControlError::request(format!(
                    "turns.{index} says nothing: give text, tool_calls or error_status."
                )));
            }
            if turn.error_status.is_some_and(|status| !(400..=599).contains(&status)) {
                return Err(ControlError::request(format!(
                    "turns.{index}: error_status is from 400 to 599."
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn next_transcript(&mut self) -> Option<String> {
        let text = self.transcripts.pop_front()?;
        if self.repeat {
            self.transcripts.push_back(text.clone());
        }
        Some(text)
    }

    /// The first turn that matches the user's message.
    pub(crate) fn next(&mut self, user: &str) -> Option<Turn> {
        let fits = |turn: &Turn| turn.matches.as_ref().is_none_or(|part| user.contains(part.as_str()));
        let index = self.turns.iter().position(fits)?;
        let turn = self.turns.remove(index)?;
        if self.repeat {
            self.turns.push_back(turn.clone());
        }
        Some(turn)
    }
}

/// A recorded call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) at: i64,
    pub(crate) format: &'static str,
    pub(crate) bytes: usize,
    pub(crate) request: Value,
    pub(crate) status: u16,
    pub(crate) response: Value,
}

#[derive(Debug, Default)]
pub(crate) struct ModelState {
    pub(crate) script: Script,
    pub(crate) calls: VecDeque<Call>,
    pub(crate) bytes: usize,
}

impl ModelState {
    pub(crate) fn keep(&mut self, call: Call) {
        self.bytes += call.bytes;
        self.calls.push_back(call);
        while self.calls.len() > CALLS_MAX || self.bytes > CALLS_BYTES_MAX {
            self.bytes -= self.calls.pop_front().map_or(0, |call| call.bytes);
        }
    }

    pub(crate) fn clear_calls(&mut self) {
        self.calls.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn script(value: Value) -> Script {
        serde_json::from_value(value).unwrap()
    }

    fn said(script: &mut Script, user: &str) -> Option<String> {
        script.next(user).and_then(|turn| turn.text)
    }

    #[test]
    fn turns_are_used_in_their_order_and_once() {
        let mut script = script(json!({ "turns": [{ "text": "a" }, { "text": "b" }] }));
        let texts: Vec<_> = (0..3).map(|_| said(&mut script, "")).collect();
        assert_eq!(texts, [Some("a".into()), Some("b".into()), None]);
    }

    #[test]
    fn a_turn_waits_for_what_it_matches() {
        let mut script = script(json!({ "turns": [{ "text": "a", "match": "price" }, { "text": "b" }] }));
        assert_eq!(said(&mut script, "hello").as_deref(), Some("b"));
        assert_eq!(said(&mut script, "hello"), None);
        assert_eq!(said(&mut script, "the price?").as_deref(), Some("a"));
    }

    #[test]
    fn a_script_that_repeats_never_ends() {
        let mut script = script(json!({ "turns": [{ "text": "a" }, { "text": "b" }], "repeat": true }));
        let texts: String = (0..5).filter_map(|_| said(&mut script, "")).collect();
        assert_eq!(texts, "ababa");
    }

    #[test]
    fn a_turn_that_says_nothing_is_refused() {
        assert!(script(json!({ "turns": [{}] })).check().is_err());
        assert!(script(json!({ "turns": [{ "error_status": 200 }] })).check().is_err());
        assert!(script(json!({ "turns": [{ "error_status": 529 }] })).check().is_ok());
    }

    #[test]
    fn only_the_newest_calls_are_kept() {
        let mut model = ModelState::default();
        let call = |at| Call {
            at,
            format: "openai",
            bytes: 1 << 20,
            request: json!({}),
            status: 200,
            response: json!({}),
        };
        (0..40).for_each(|at| model.keep(call(at)));
        assert_eq!((model.calls.len(), model.calls[0].at, model.bytes), (32, 8, CALLS_BYTES_MAX));
    }
}
