//! Asks a person to approve a tool call or to answer a question.

use std::sync::Arc;

use frontdesk_db as db;
use serde_json::value::RawValue;

use super::super::advance::{ActiveRun, advance};
use super::super::machine::Call;
use super::super::step::{Input, arguments_of};
use super::Agent;
use super::step_context::StepContext;
use crate::asks::{self, ASK_TIME_MAX, Ask, AskKind, AskRow, AskStatus};
use crate::ids::AskId;
use crate::tools::{self, Work};

/// Raises the ask of a tool call. The run waits for it once nothing else is left to do.
pub(super) async fn raise(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: Call,
) -> db::Result<Option<ActiveRun>> {
    agent
        .commit(context, move |tx, by, held, context| {
            let id: AskId = by.new_id();
            let (kind, prompt) = prompt_of(context, &call);
            let is_approval = kind == AskKind::Approval;
            let arguments = RawValue::from_string(arguments_of(&call).to_string()).ok();
            let ask = Ask {
                id,
                run_id: Some(held.root),
                assistant_id: Some(held.run.assistant_id),
                kind,
                prompt,
                tool: is_approval.then(|| call.tool.clone()),
                arguments: arguments.filter(|_| is_approval),
                status: AskStatus::Pending,
                answer: None,
                answered_by: None,
                expires_at: by.now + ASK_TIME_MAX,
                answered_at: None,
                created_at: id.created_at(),
            };
            asks::raise(tx, by, &AskRow { ask, raised_by: Some(held.run.id), call: call.id.clone() })?;
            let input = Input::Raised { call: call.id.clone(), ask: id.uuid() };
            advance(tx, by, held, vec![input], &context.rules)
        })
        .await
}

/// The kind and the prompt of the ask for a tool call.
fn prompt_of(context: &StepContext, call: &Call) -> (AskKind, String) {
    let name = &context.assistant.name;
    match tools::find(&call.tool) {
        Some(tool) if matches!(tool.work, Work::AskHuman) => {
            let arguments = arguments_of(call);
            let question = arguments["question"].as_str().unwrap_or_default();
            (AskKind::Question, question.replace('\0', ""))
        }
        tool => {
            let tool = tool.map_or(call.tool.as_str(), |tool| tool.name);
            (AskKind::Approval, format!("{name} wants to use the tool {tool:?}."))
        }
    }
}
