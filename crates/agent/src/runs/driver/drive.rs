//! The main loop of a run: carries out the next action until the run waits, pauses or is over.

use std::sync::Arc;

use frontdesk_db as db;

use super::super::advance::{Next, advance};
use super::super::claimed::ClaimedRun;
use super::super::machine::Call;
use super::super::sql as run_sql;
use super::super::step::Input;
use super::held::HeldRun;
use super::step_context::StepContext;
use super::tool_use::{self, ToolUse};
use super::{Agent, asking, prompt, reply, think};
use crate::spend;

/// How far a run was driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driven {
    /// It is over, waits, or another worker has it.
    Over,
    /// Its account is suspended. Everything that was done is stored.
    Suspended,
}

pub(super) async fn drive(agent: &Agent, claimed: &ClaimedRun) -> db::Result<Driven> {
    let loaded = agent.load_assistant(claimed.job.account, claimed.row.run.assistant_id).await?;
    let Some(loaded) = loaded else { return Ok(Driven::Over) };
    if loaded.account.suspended_at.is_some() {
        return Ok(Driven::Suspended);
    }
    let mut held = HeldRun::new(Arc::new(StepContext::new(claimed.job, claimed.row.clone(), loaded)));
    let mut next = take_up(agent, &mut held, claimed.has_lost_calls).await?;
    while let Some(action) = next {
        if agent.server.suspensions.contains(claimed.job.account) {
            if !held.is_stored() {
                held.store(agent).await?;
            }
            return Ok(Driven::Suspended);
        }
        next = carry_out(agent, &mut held, action).await?;
    }
    Ok(Driven::Over)
}

/// Starts work on a claimed run. Settles model calls whose outcome was lost in a crash.
async fn take_up(agent: &Agent, held: &mut HeldRun, has_lost_calls: bool) -> db::Result<Option<Next>> {
    if !held.context.row.machine.begun {
        let facts = prompt::started(&held.context);
        return held.take(agent, Input::Started { facts }).await;
    }
    if !has_lost_calls {
        return held.take(agent, Input::Resumed).await;
    }
    let resumed = agent.commit(&held.context, |tx, by, row, context| {
        let lost = spend::settle_lost(tx, by, &context.account, row.run.id)?;
        if lost > 0 {
            tx.execute(run_sql::ADD_COST, &[&by.account, &row.run.id, &lost, &0_i64, &0_i64])?.exactly(1)?;
        }
        advance(tx, by, row, vec![Input::Resumed], &context.rules)
    });
    Ok(held.continue_with(resumed.await?))
}

/// Carries out an action and returns the next one.
async fn carry_out(agent: &Agent, held: &mut HeldRun, action: Next) -> db::Result<Option<Next>> {
    match action {
        Next::CallModel => think::think(agent, held).await,
        Next::UseTool(call) => use_tool(agent, held, call).await,
        // The action changes the stored run, so store everything before it. The same action is next then.
        _ if !held.is_stored() => held.store(agent).await,
        Next::RaiseAsk(call) => {
            let raised = asking::raise(agent, &held.context, call).await?;
            Ok(held.continue_with(raised))
        }
        Next::Reply(text) => {
            reply::finish(agent, &held.context, text).await?;
            Ok(None)
        }
    }
}

/// Uses a tool. The result of a read-only tool is stored with the next step. Before any other tool, everything is
/// stored.
async fn use_tool(agent: &Agent, held: &mut HeldRun, call: Call) -> db::Result<Option<Next>> {
    match tool_use::plan(&held.context, &call) {
        ToolUse::Refused(refused) => held.take(agent, tool_use::refused(&call, refused)).await,
        ToolUse::Read(planned) => match tool_use::read(agent, &held.context, &call, planned).await {
            Ok(returned) => held.take(agent, returned).await,
            Err(error) => {
                // The model's reply was paid for, and must not be lost.
                if !held.is_stored() {
                    held.store(agent).await?;
                }
                Err(error)
            }
        },
        ToolUse::Act(_) if !held.is_stored() => held.store(agent).await,
        ToolUse::Act(act) => {
            let acted = tool_use::act(agent, &held.context, &call, act).await?;
            Ok(held.continue_with(acted))
        }
    }
}
