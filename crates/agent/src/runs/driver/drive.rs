//! The main loop of a run: carries out the next action until the run waits, pauses or is over.

use std::sync::Arc;

use frontdesk_db as db;
use frontdesk_platform::events;

use super::super::advance::{Next, advance};
use super::super::event_types::{self, RunEventData};
use super::super::machine::Call;
use super::super::row;
use super::super::step::Input;
use super::draft::{Draft, Stored};
use super::scene::Scene;
use super::tool_use::{self, ToolUse};
use super::{Agent, ClaimedRun, asking, reply, think};
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
    let briefing = agent.briefing(claimed.job.account, claimed.row.run.assistant_id).await?;
    let Some(briefing) = briefing else { return Ok(Driven::Over) };
    if briefing.account.suspended_at.is_some() {
        return Ok(Driven::Suspended);
    }
    let scene = Arc::new(Scene::new(claimed.job, claimed.row.clone(), briefing));
    let mut draft = Draft::new(scene);
    let mut next = take_up(agent, &mut draft, claimed.has_lost_calls).await?;
    while let Some(wanted) = next {
        if agent.server.suspensions.contains(claimed.job.account) {
            draft.store(agent).await?;
            return Ok(Driven::Suspended);
        }
        if !matches!(wanted, Next::CallModel) {
            draft.ages();
        }
        next = match wanted {
            Next::CallModel => think::think(agent, &mut draft).await?,
            Next::UseTool(call) => use_tool(agent, &mut draft, call).await?,
            Next::RaiseAsk(call) => match draft.store(agent).await? {
                Stored::AsComputed => {
                    let next = asking::raise(agent, &draft.scene, call).await?;
                    draft.reloaded(agent, next).await?
                }
                Stored::Changed(next) => next,
            },
            Next::Finish(text) => finish(agent, &mut draft, text).await?,
        };
    }
    Ok(Driven::Over)
}

/// Starts work on a claimed run: writes `run.started` if it has not begun, and settles model calls whose outcome was
/// lost in a crash.
async fn take_up(agent: &Agent, draft: &mut Draft, has_lost_calls: bool) -> db::Result<Option<Next>> {
    if !has_lost_calls {
        if !draft.scene.row.machine.begun {
            draft.begins();
        }
        return draft.then(agent, Input::Resumed).await;
    }
    let next = agent
        .commit(&draft.scene, |tx, by, held, scene| {
            let lost = spend::settle_lost(tx, by, &scene.account, held.run.id)?;
            if lost > 0 {
                tx.execute(row::ADD_COST, &[&by.account, &held.run.id, &lost, &0_i64, &0_i64])?.exactly(1)?;
            }
            if !held.machine.begun {
                events::write(tx, by, event_types::STARTED, &RunEventData { run: &held.run })?;
            }
            advance(tx, by, held, Input::Resumed, &scene.rules)
        })
        .await?;
    draft.reloaded(agent, next).await
}

/// Uses a tool. The result of a read-only tool is stored with the next step. Before any other tool, everything is
/// stored.
async fn use_tool(agent: &Agent, draft: &mut Draft, call: Call) -> db::Result<Option<Next>> {
    match tool_use::plan(&draft.scene, &call) {
        ToolUse::Refused(refused) => draft.then(agent, tool_use::refused(&call, refused)).await,
        ToolUse::Read(planned) => match tool_use::read(agent, &draft.scene, &call, planned).await {
            Ok(returned) => draft.then(agent, returned).await,
            Err(error) => {
                // The model's reply was paid for, and must not be lost.
                draft.store(agent).await?;
                Err(error)
            }
        },
        ToolUse::Act(act) => match draft.store(agent).await? {
            Stored::AsComputed => {
                let next = tool_use::act(agent, &draft.scene, &call, act).await?;
                draft.reloaded(agent, next).await
            }
            Stored::Changed(next) => Ok(next),
        },
    }
}

/// Finishes a run. If it answers a customer, its text is sent to them.
async fn finish(agent: &Agent, draft: &mut Draft, text: String) -> db::Result<Option<Next>> {
    if draft.store_finished(agent, &text).await? {
        return Ok(None);
    }
    match draft.store(agent).await? {
        Stored::AsComputed => reply::finish(agent, &draft.scene, text).await,
        Stored::Changed(next) => Ok(next),
    }
}
