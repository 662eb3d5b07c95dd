//! The state of a run between two steps. It is stored after each step, so a run resumes where it stopped.

use frontdesk_models::{Arguments, ToolResult, Turn};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    pub begun: bool,
    /// Model calls.
    pub ticks: i64,
    /// The exchange with the model since the run began, without the prompt.
    pub transcript: Vec<Entry>,
    /// The tool calls of the last turn. Empty while it is the model's turn.
    pub calls: Vec<Call>,
    /// The model's final text, once it has finished.
    pub last_words: Option<String>,
    /// Consecutive replies that were cut off, and consecutive model calls that failed.
    pub cut_offs: u32,
    pub failures: u32,
    /// Time that the run was active, without waiting.
    pub active_millis: i64,
    /// The run sends nothing more to the customer.
    pub silenced: bool,
    /// What an earlier run did for the same messages before it was replaced.
    pub done_before: Vec<String>,
    /// The last message that the run answers. Later ones start another run.
    pub history_until: Option<Uuid>,
    /// How many follow-ups led to this run, one scheduled by the other. 0 for a run that is none.
    pub follow_up_depth: u32,
}

/// An entry of the exchange with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    Turn(Turn),
    Results(Vec<ToolResult>),
    /// A note from the engine to the model.
    Note(String),
}

/// A tool call of the model, and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub tool: String,
    pub arguments: Arguments,
    pub progress: Progress,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    Due,
    /// A person approved it.
    Approved,
    /// The tool is being used. After a crash it is used again, because nothing of it was stored.
    Using,
    /// It waits for a person's answer.
    Asked(Uuid),
    /// It waits for a sub-run.
    Delegated(Uuid),
    Done(ToolResult),
}

impl Machine {
    /// The size of the transcript in bytes.
    pub fn bytes(&self) -> usize {
        self.transcript
            .iter()
            .map(|entry| match entry {
                Entry::Turn(turn) => turn_bytes(turn),
                Entry::Results(results) => results.iter().map(|result| result.content.len()).sum(),
                Entry::Note(text) => text.len(),
            })
            .sum()
    }

    pub(super) fn call_mut(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    /// What the tools of this run have done, for a run that replaces it.
    pub fn completed_calls(&self) -> Vec<String> {
        let turns = self.transcript.iter().filter_map(|entry| match entry {
            Entry::Turn(turn) => Some(turn.tool_calls.iter()),
            _ => None,
        });
        let calls: Vec<_> = turns.flatten().collect();
        let results = self.transcript.iter().filter_map(|entry| match entry {
            Entry::Results(results) => Some(results.iter()),
            _ => None,
        });
        let summary_of = |id: &str, content: &str| {
            calls.iter().find(|call| call.id == id).map(|call| summary(&call.name, &call.arguments, content))
        };
        let earlier = results.flatten().filter(|result| !result.is_error);
        let mut completed_calls: Vec<String> =
            earlier.filter_map(|result| summary_of(&result.call_id, &result.content)).collect();
        completed_calls.extend(self.calls.iter().filter_map(|call| match &call.progress {
            Progress::Done(result) if !result.is_error => {
                Some(summary(&call.tool, &call.arguments, &result.content))
            }
            _ => None,
        }));
        self.done_before.iter().cloned().chain(completed_calls).collect()
    }
}

/// Maximum characters of arguments, and of a result, in the summary of a tool call.
const SUMMARY_CHARS_MAX: usize = 300;

fn summary(tool: &str, arguments: &Arguments, result: &str) -> String {
    let arguments = match arguments {
        Arguments::Object(object) => serde_json::to_string(object).unwrap_or_default(),
        Arguments::Invalid { raw, .. } => raw.clone(),
    };
    let short = |text: &str| text.chars().take(SUMMARY_CHARS_MAX).collect::<String>();
    format!("{tool} {} → {}", short(&arguments), short(result))
}

fn turn_bytes(turn: &Turn) -> usize {
    let calls: usize = turn
        .tool_calls
        .iter()
        .map(|call| match &call.arguments {
            Arguments::Object(object) => serde_json::to_string(object).map_or(0, |text| text.len()),
            Arguments::Invalid { raw, .. } => raw.len(),
        })
        .sum();
    turn.text.as_ref().map_or(0, String::len) + calls
}
