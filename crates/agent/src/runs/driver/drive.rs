//! The loop of a run: what is next, until it waits, pauses or is over.

use frontdesk_db as db;
use frontdesk_platform::events;

use super::super::advance::{Next, advance};
use super::super::event_types::{self, RunEventData};
use super::super::row;
use super::super::step::Input;
use super::{Agent, Job, asking, reply, think, tool_use};
use crate::spend;

const SUSPENDED: &str = "The account is suspended.";

pub(super) async fn drive(agent: &Agent, job: &Job) -> db::Result<()> {
    let mut next = take_up(agent, job).await?;
    while let Some(wanted) = next {
        let Some(scene) = agent.scene(job).await? else { return Ok(()) };
        next = match wanted {
            Next::CallModel => think::think(agent, &scene).await?,
            Next::UseTool(call) => tool_use::use_tool(agent, &scene, call).await?,
            Next::RaiseAsk(call) => asking::raise(agent, &scene, call).await?,
            Next::Finish(text) => reply::finish(agent, &scene, text).await?,
        };
    }
    Ok(())
}

/// Takes up a run: tells that it began, and settles calls of the model whose outcome a crash took away.
async fn take_up(agent: &Agent, job: &Job) -> db::Result<Option<Next>> {
    let Some(scene) = agent.scene(job).await? else { return Ok(None) };
    agent
        .commit(&scene, |tx, by, held, scene| {
            let lost = spend::settle_lost(tx, by, &scene.account, held.run.id)?;
            if lost > 0 {
                tx.execute(row::ADD_COST, &[&by.account, &held.run.id, &lost, &0_i64, &0_i64])?.exactly(1)?;
            }
            if scene.account.suspended_at.is_some() {
                return advance(tx, by, held, Input::Stopped { error: SUSPENDED.to_owned() }, &scene.rules);
            }
            if !held.machine.begun {
                events::write(tx, by, event_types::STARTED, &RunEventData { run: &held.run })?;
            }
            advance(tx, by, held, Input::Resumed, &scene.rules)
        })
        .await
}
