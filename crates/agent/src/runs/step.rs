//! The rules of a run. Pure: a machine and an input become the next machine and effects.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_models::{Arguments, StopReason, ToolCall, ToolResult, Turn};
use serde_json::{Value, json};
use uuid::Uuid;

use super::event::{Logged, RunEventType};
use super::limits::{
    ACTIVE_TIME_MAX, CALLS_PER_TURN_MAX, CUT_OFFS_MAX, MODEL_FAILURES_MAX, RETRY_PAUSE, TICKS_MAX,
    TRANSCRIPT_BYTES_MAX,
};
use super::machine::{Call, Entry, Machine, Progress};
use crate::tools;

/// What a run may do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// The tools that it has.
    pub(crate) tools: BTreeMap<&'static str, ToolRule>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolRule {
    /// A person must approve each use.
    pub(crate) is_gated: bool,
    /// The tool call itself is a question to a person.
    pub(crate) is_question: bool,
}

/// An input of a run: something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A worker took a run that nobody had taken before. `facts` go into the run's timeline.
    Started {
        facts: Value,
    },
    /// A worker took the run.
    Resumed,
    /// The model replied. `facts` go into the run's timeline.
    Replied {
        turn: Turn,
        stop: StopReason,
        facts: Value,
    },
    ModelFailed {
        error: String,
        is_temporary: bool,
        retry_after: Option<Duration>,
        facts: Value,
    },
    Returned {
        call: String,
        content: String,
        is_error: bool,
        also: Option<Logged>,
    },
    /// A person was asked.
    Raised {
        call: String,
        ask: Uuid,
    },
    /// A sub-run was started.
    Delegated {
        call: String,
        run: Uuid,
    },
    Approved {
        call: String,
        facts: Value,
    },
    Declined {
        call: String,
        note: Option<String>,
        facts: Value,
    },
    Answered {
        call: String,
        answer: String,
        facts: Value,
    },
    /// Something that the run needs is not there yet.
    Paused {
        pause: Duration,
    },
    /// The run cannot continue.
    Stopped {
        error: String,
    },
}

/// An effect of a step. All effects but the last are entries of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Log(Logged),
    CallModel,
    UseTool(Call),
    RaiseAsk(Call),
    /// Wait for an answer or a sub-run.
    Wait,
    /// Resume after this time.
    Pause(Duration),
    Finish(String),
    Fail(String),
}

/// Takes one step.
pub(crate) fn step(mut machine: Machine, input: Input, rules: &Rules) -> (Machine, Vec<Effect>) {
    let mut effects = Vec::new();
    let decided = take(&mut machine, input, &mut effects);
    let last = decided.unwrap_or_else(|| next(&mut machine, rules, &mut effects));
    effects.push(last);
    (machine, effects)
}

/// Applies an input. A returned effect ends the step; otherwise the machine decides what is next.
fn take(machine: &mut Machine, input: Input, effects: &mut Vec<Effect>) -> Option<Effect> {
    let mut log = |kind, data| effects.push(Effect::Log(Logged { kind, data }));
    match input {
        Input::Started { facts } => {
            begin(machine, facts, &mut log);
            None
        }
        Input::Resumed => {
            begin(machine, json!({}), &mut log);
            None
        }
        Input::Replied { turn, stop, facts } => {
            machine.ticks += 1;
            machine.failures = 0;
            log(RunEventType::ModelCalled, facts);
            replied(machine, turn, stop)
        }
        Input::ModelFailed { error, is_temporary, retry_after, facts } => {
            machine.failures += 1;
            log(RunEventType::ModelCalled, facts);
            if !is_temporary || machine.failures > MODEL_FAILURES_MAX {
                return Some(Effect::Fail(error));
            }
            let usual = RETRY_PAUSE * (1 << (2 * (machine.failures - 1)));
            Some(Effect::Pause(usual.max(retry_after.unwrap_or_default())))
        }
        Input::Returned { call, content, is_error, also } => {
            finish_call(machine, &call, content, is_error, &mut log);
            if let Some(logged) = also {
                log(logged.kind, logged.data);
            }
            None
        }
        Input::Raised { call, ask } => {
            if let Some(call) = machine.call_mut(&call) {
                call.progress = Progress::Asked(ask);
                log(RunEventType::AskRaised, json!({ "ask_id": ask, "tool": call.tool, "call_id": call.id }));
            }
            None
        }
        Input::Delegated { call, run } => {
            if let Some(call) = machine.call_mut(&call) {
                call.progress = Progress::Delegated(run);
                log(RunEventType::Delegated, json!({ "run_id": run, "call_id": call.id }));
            }
            None
        }
        Input::Approved { call, facts } => {
            log(RunEventType::AskAnswered, facts);
            if let Some(call) = machine.call_mut(&call) {
                call.progress = Progress::Approved;
            }
            None
        }
        Input::Declined { call, note, facts } => {
            log(RunEventType::AskAnswered, facts);
            let content = json!({ "declined": true, "note": note }).to_string();
            finish_call(machine, &call, content, true, &mut log);
            None
        }
        Input::Answered { call, answer, facts } => {
            log(RunEventType::AskAnswered, facts);
            finish_call(machine, &call, json!({ "answer": answer }).to_string(), false, &mut log);
            None
        }
        Input::Paused { pause } => Some(Effect::Pause(pause)),
        Input::Stopped { error } => Some(Effect::Fail(error)),
    }
}

fn begin(machine: &mut Machine, facts: Value, log: &mut impl FnMut(RunEventType, Value)) {
    if !machine.begun {
        machine.begun = true;
        log(RunEventType::Started, facts);
    }
}

fn replied(machine: &mut Machine, turn: Turn, stop: StopReason) -> Option<Effect> {
    match stop {
        StopReason::ToolCalls => {
            machine.cut_offs = 0;
            machine.calls =
                turn.tool_calls.iter().enumerate().map(|(index, call)| new_call(index, call)).collect();
            machine.transcript.push(Entry::Turn(turn));
            None
        }
        StopReason::End => {
            machine.last_words = Some(turn.text.as_deref().unwrap_or_default().trim().to_owned());
            machine.transcript.push(Entry::Turn(turn));
            None
        }
        StopReason::Length => {
            machine.cut_offs += 1;
            if machine.cut_offs > CUT_OFFS_MAX {
                return Some(Effect::Fail(
                    "The model's reply was cut off at its longest, again and again. Ask for less, or use another model."
                        .to_owned(),
                ));
            }
            if turn.text.is_some() {
                machine.transcript.push(Entry::Turn(turn));
            }
            let note = "Your last reply was cut off because it was too long, and nobody has seen it. Write a shorter one.";
            machine.transcript.push(Entry::Note(note.to_owned()));
            None
        }
        StopReason::Refusal => Some(Effect::Fail("The model refused to go on.".to_owned())),
    }
}

fn new_call(index: usize, call: &ToolCall) -> Call {
    let progress = if index < CALLS_PER_TURN_MAX {
        Progress::Due
    } else {
        let content = format!(
            "Only {CALLS_PER_TURN_MAX} tools can be called at a time. Call this one in your next turn."
        );
        Progress::Done(ToolResult { call_id: call.id.clone(), content, is_error: true })
    };
    Call { id: call.id.clone(), tool: call.name.clone(), arguments: call.arguments.clone(), progress }
}

fn finish_call(
    machine: &mut Machine,
    id: &str,
    content: String,
    is_error: bool,
    log: &mut impl FnMut(RunEventType, Value),
) {
    let Some(call) = machine.call_mut(id) else { return };
    log(
        RunEventType::ToolReturned,
        json!({ "call_id": id, "tool": call.tool, "is_error": is_error, "content": content }),
    );
    call.progress = Progress::Done(ToolResult { call_id: id.to_owned(), content, is_error });
}

/// Decides what to do next: use a tool, or call the model.
fn next(machine: &mut Machine, rules: &Rules, effects: &mut Vec<Effect>) -> Effect {
    if let Some(text) = &machine.last_words {
        return Effect::Finish(text.clone());
    }
    let mut log = |kind, data| effects.push(Effect::Log(Logged { kind, data }));
    while let Some(call) = machine.calls.iter().find(|call| is_ready(&call.progress)).cloned() {
        if call.progress == Progress::Using {
            return Effect::UseTool(call);
        }
        let is_approved = call.progress == Progress::Approved;
        if let Some(problem) = problem_of(&call, rules) {
            let content = json!({ "error": { "message": problem } }).to_string();
            finish_call(machine, &call.id, content, true, &mut log);
            continue;
        }
        let rule = rules.tools.get(call.tool.as_str());
        if !is_approved && rule.is_none_or(|rule| rule.is_gated || rule.is_question) {
            return Effect::RaiseAsk(call);
        }
        log(
            RunEventType::ToolCalled,
            json!({ "call_id": call.id, "tool": call.tool, "arguments": arguments_of(&call) }),
        );
        if let Some(call) = machine.call_mut(&call.id) {
            call.progress = Progress::Using;
        }
        return Effect::UseTool(call);
    }
    if machine.calls.iter().any(|call| !matches!(call.progress, Progress::Done(_))) {
        return Effect::Wait;
    }
    if !machine.calls.is_empty() {
        let done = std::mem::take(&mut machine.calls).into_iter().filter_map(|call| match call.progress {
            Progress::Done(result) => Some(result),
            _ => None,
        });
        machine.transcript.push(Entry::Results(done.collect()));
    }
    think(machine)
}

fn is_ready(progress: &Progress) -> bool {
    matches!(progress, Progress::Due | Progress::Approved | Progress::Using)
}

/// Calls the model, unless a limit is reached.
fn think(machine: &Machine) -> Effect {
    if machine.ticks >= TICKS_MAX {
        return Effect::Fail(format!("The run called the model {TICKS_MAX} times without coming to an end."));
    }
    if machine.active_millis > ACTIVE_TIME_MAX.as_millis() as i64 {
        return Effect::Fail(format!(
            "The run was at work for more than {} minutes.",
            ACTIVE_TIME_MAX.as_secs() / 60
        ));
    }
    if machine.bytes() > TRANSCRIPT_BYTES_MAX {
        return Effect::Fail(format!("The run's transcript has more than {TRANSCRIPT_BYTES_MAX} bytes."));
    }
    Effect::CallModel
}

/// Why a call cannot be carried out at all.
fn problem_of(call: &Call, rules: &Rules) -> Option<String> {
    let Some(tool) = tools::find(&call.tool).filter(|tool| rules.tools.contains_key(tool.id)) else {
        return Some(format!("You have no tool {:?}. Use one of those that you were given.", call.tool));
    };
    match &call.arguments {
        Arguments::Invalid { problem, .. } => Some(problem.clone()),
        Arguments::Object(object) => {
            let problems = tool.problems_of(&Value::Object(object.clone()));
            (!problems.is_empty()).then(|| format!("Correct the arguments: {}.", problems.join("; ")))
        }
    }
}

pub(super) fn arguments_of(call: &Call) -> Value {
    match &call.arguments {
        Arguments::Object(object) => Value::Object(object.clone()),
        Arguments::Invalid { raw, .. } => json!({ "invalid_json": raw }),
    }
}

#[cfg(test)]
mod tests;
