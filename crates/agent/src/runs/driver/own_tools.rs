//! Tools that are not API operations. Each is one transaction on the run itself.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{By, Error as PlatformError};
use serde_json::{Map, Value, json};

use super::super::advance::{self, ActiveRun, advance};
use super::super::event::{Logged, RunEventType};
use super::super::limits::{CHILDREN_MAX, FOLLOW_UP_AHEAD_MAX};
use super::super::machine::{Call, Machine};
use super::super::row::{self, NewRow, RunRow};
use super::super::run::RunError;
use super::super::start::{self, Start};
use super::super::status::Origin;
use super::super::step::Input;
use super::super::{follow_ups, rules};
use super::Agent;
use super::reply::{self, Speech};
use super::sql;
use super::step_context::{HANDLED_BY_OTHERS, StepContext, has_conversation, returned};
use crate::ids::RunId;
use crate::tools::Refused;

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Passes the tool's result to the run, in the same transaction.
fn result(
    tx: &mut Tx<'_>,
    by: &By,
    held: RunRow,
    context: &StepContext,
    call: &str,
    outcome: Result<Value, String>,
    also: Option<Logged>,
) -> db::Result<Option<ActiveRun>> {
    let (content, is_error) = match outcome {
        Ok(value) => (value.to_string(), false),
        Err(message) => (json!({ "error": { "message": message } }).to_string(), true),
    };
    let input = Input::Returned { call: call.to_owned(), content, is_error, also };
    advance(tx, by, held, vec![input], &context.rules)
}

/// Hands the conversation to a person, with an optional message for the customer. After that, the run sends nothing
/// more to the customer.
pub(super) async fn hand_off(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    arguments: &Map<String, Value>,
) -> db::Result<Option<ActiveRun>> {
    let Some(conversation) = context.row.run.conversation_id else {
        return returned(agent, context, call, Err(Refused::new("This run is not about a conversation.")))
            .await;
    };
    let (words, call) = (text(arguments, "message").map(ToOwned::to_owned), call.id.clone());
    let (context, by) = (context.clone(), context.by(agent));
    let committed = agent.server.store.write(move |tx| {
        // Lock the conversation before the run, as everywhere.
        tx.find_to_change(sql::HOLD_CONVERSATION, &[&by.account, &conversation], |_| Ok(()))?;
        let job = context.job;
        let Some(mut held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(None) };
        match has_conversation(tx, &context)? {
            true => {}
            false if context.answers_customer() => return Ok(None),
            false => {
                return result(tx, &by, held, &context, &call, Err(HANDLED_BY_OTHERS.to_owned()), None);
            }
        }
        if let Some(words) = words.as_deref().filter(|_| !held.machine.silenced) {
            match reply::say(tx, &by, &context, words)? {
                Speech::HistoryMessage(_) => {}
                Speech::Refused(why) => {
                    return result(tx, &by, held, &context, &call, Err(why), None);
                }
            }
        }
        advance::hand_to(tx, &by, conversation, context.assistant.default_handoff_user_id)?;
        held.machine.silenced = true;
        let data = json!({
            "conversation_id": conversation, "user_id": context.assistant.default_handoff_user_id, "message": words,
        });
        let also = Some(Logged { kind: RunEventType::HandedOff, data });
        result(tx, &by, held, &context, &call, Ok(json!({ "handed_off": true })), also)
    });
    committed.await
}

/// Starts a sub-run and waits for it.
pub(super) async fn delegate(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    arguments: &Map<String, Value>,
) -> db::Result<Option<ActiveRun>> {
    let goal = text(arguments, "goal").unwrap_or_default().to_owned();
    let wanted: Option<Vec<String>> = arguments
        .get("tools")
        .and_then(Value::as_array)
        .map(|tools| tools.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect());
    let tools = rules::for_child(&context.rules, &context.assistant, wanted.as_deref());
    let call = call.id.clone();
    agent
        .commit(context, move |tx, by, mut held, context| {
            let most = context.assistant.delegation.max_children_per_run.min(CHILDREN_MAX);
            if held.tree_children >= most {
                let why = format!("A run may start {most} sub-runs at most. Do the rest yourself.");
                return result(tx, by, held, context, &call, Err(why), None);
            }
            let id: RunId = by.new_id();
            let child = NewRow {
                id,
                assistant: context.assistant.id,
                trigger: held.run.trigger_id,
                parent: Some(held.run.id),
                root: held.root,
                contact: held.run.contact_id,
                conversation: held.run.conversation_id,
                origin: Origin::Delegated,
                confined: held.confined,
                goal: goal.clone(),
                tools: Some(tools.clone()),
                author: held.author,
                // The cost limit of a tree is stored on its root.
                tree_limit_micros: 0,
                machine: Machine { follow_up_depth: held.machine.follow_up_depth, ..Machine::default() },
                due_at: by.now,
            };
            start::store(tx, by, &child)?;
            held.tree_children += 1;
            let input = Input::Delegated { call: call.clone(), run: id.uuid() };
            advance(tx, by, held, vec![input], &context.rules)
        })
        .await
}

/// Schedules a run about the same contact, unless a person handles the conversation or there are too many such runs.
pub(super) async fn follow_up(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    arguments: &Map<String, Value>,
) -> db::Result<Option<ActiveRun>> {
    let goal = text(arguments, "goal").unwrap_or_default().to_owned();
    let run_at = text(arguments, "run_at").and_then(|text| text.parse::<Timestamp>().ok());
    let (call, context, by) = (call.id.clone(), context.clone(), context.by(agent));
    let committed = agent.server.store.write(move |tx| {
        if let Some(conversation) = context.row.run.conversation_id {
            // Lock the conversation before the run, as everywhere, so that a takeover sees the follow-up.
            tx.find_to_change(sql::HOLD_CONVERSATION, &[&by.account, &conversation], |_| Ok(()))?;
        }
        let job = context.job;
        let Some(held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(None) };
        let outcome = schedule(tx, &by, &held, &context, &goal, run_at)?;
        result(tx, &by, held, &context, &call, outcome, None)
    });
    committed.await
}

/// Schedules a follow-up of a run that this transaction has locked, or returns why not.
fn schedule(
    tx: &mut Tx<'_>,
    by: &By,
    held: &RunRow,
    context: &StepContext,
    goal: &str,
    run_at: Option<Timestamp>,
) -> db::Result<Result<Value, String>> {
    let Some(run_at) = run_at.filter(|at| *at > by.now && *at <= by.now + FOLLOW_UP_AHEAD_MAX) else {
        return Ok(Err(format!("run_at must be in the future, within a year. It is {} now.", by.now)));
    };
    if !has_conversation(tx, context)? {
        return Ok(Err(HANDLED_BY_OTHERS.to_owned()));
    }
    if let Some(why) = follow_ups::refusal(tx, by, held)? {
        return Ok(Err(why));
    }
    let start = Start {
        assistant: context.assistant.id,
        goal: goal.to_owned(),
        contact: held.run.contact_id,
        conversation: held.run.conversation_id,
        trigger: None,
        origin: Origin::FollowUp,
        confined: held.confined,
        due_in: start::span(by.now, run_at),
        machine: Machine { follow_up_depth: held.machine.follow_up_depth + 1, ..Machine::default() },
    };
    match start::start_with(tx, by, start) {
        Ok(run) => Ok(Ok(json!({ "run_id": run.id, "run_at": run_at }))),
        Err(RunError::Platform(PlatformError::Store(error))) => Err(error),
        Err(error) => Ok(Err(error.advice().to_owned())),
    }
}
