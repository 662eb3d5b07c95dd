//! A tick: the prompt, the call of the model, and what it replied.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use frontdesk_models::{CallOptions, ChatPrice, ChatReply, ChatRequest, ModelError, Quote};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::advance::{LEASE, Next, advance};
use super::super::step::Input;
use super::super::{STOPPED, row};
use super::listening::{self, Heard};
use super::scene::Scene;
use super::spending::{self, Paid};
use super::{Agent, history, prompt};
use crate::spend::Settlement;

/// How often a worker renews its lease while it waits for a model.
const RENEW_PERIOD: Duration = Duration::from_secs(15);
/// Media that is still being fetched is waited for, looking so often.
const MEDIA_PAUSE: Duration = Duration::from_secs(1);
/// Characters of a reply in the run's timeline.
const SHOWN_CHARS_MAX: usize = 4_000;

const _: () = assert!(LEASE.as_secs() > 3 * RENEW_PERIOD.as_secs());

/// Calls the model once.
pub(super) async fn think(agent: &Agent, scene: &Arc<Scene>) -> db::Result<Option<Next>> {
    let said = history::read(agent, scene).await?;
    let heard = match listening::listen(agent, scene, &said).await? {
        Heard::All(heard) => heard,
        Heard::NotYet => {
            return agent
                .commit(scene, |tx, by, held, scene| {
                    advance(tx, by, held, Input::Paused { pause: MEDIA_PAUSE }, &scene.rules)
                })
                .await;
        }
        Heard::Lost => return Ok(None),
    };
    let model = agent.model_of(&scene.assistant, &scene.account);
    let request = prompt::request(agent, scene, &model, said, &heard).await?;
    let quote = agent.settings.prices.chat(&model);
    let worst = quote.price.worst_case(&request);
    let Some(paid) = spending::reserve(agent, scene, &model, worst).await? else { return Ok(None) };
    let options = CallOptions::new((agent.chance)());
    let called = tokio::select! {
        called = agent.models.complete(&request, options) => Some(called),
        () = lost(agent, scene) => None,
    };
    metrics::counter!("frontdesk_model_calls_total", "outcome" => outcome_of(called.as_ref())).increment(1);
    match called {
        Some(Ok(reply)) => replied(agent, scene, paid, &request, &quote, reply).await,
        Some(Err(error)) => failed(agent, scene, paid, &request, error).await,
        // The provider may bill a call that is broken off.
        None => {
            let (scene, by) = (scene.clone(), scene.by(agent));
            agent.server.store.write(move |tx| spending::settle(tx, &by, &scene, paid, None)).await?;
            Ok(None)
        }
    }
}

fn outcome_of(called: Option<&Result<ChatReply, ModelError>>) -> &'static str {
    match called {
        Some(Ok(_)) => "replied",
        Some(Err(_)) => "failed",
        None => "stopped",
    }
}

async fn replied(
    agent: &Agent,
    scene: &Arc<Scene>,
    paid: Paid,
    request: &ChatRequest,
    quote: &Quote<ChatPrice>,
    reply: ChatReply,
) -> db::Result<Option<Next>> {
    let settlement = reply.usage.map(|usage| Settlement {
        cost: quote.price.cost(&usage),
        tokens_in: usage.all_input_tokens(),
        tokens_out: usage.output_tokens,
    });
    let facts = facts(request, paid, settlement.as_ref(), quote, &reply);
    let input = Input::Replied { turn: reply.turn, stop: reply.stop, facts };
    settled(agent, scene, paid, settlement, input).await
}

async fn failed(
    agent: &Agent,
    scene: &Arc<Scene>,
    paid: Paid,
    request: &ChatRequest,
    error: ModelError,
) -> db::Result<Option<Next>> {
    tracing::warn!(run = %scene.job.run, model = request.model, %error, "a call of a model failed");
    let nothing = Settlement { cost: frontdesk_models::MicroUsd::ZERO, tokens_in: 0, tokens_out: 0 };
    let settlement = (!error.may_be_billed()).then_some(nothing);
    let input = Input::ModelFailed {
        error: format!("{}.", error.to_string().trim_end_matches('.')),
        is_temporary: error.is_temporary(),
        retry_after: error.retry_after(),
        facts: json!({ "model": request.model, "error": error.to_string() }),
    };
    settled(agent, scene, paid, settlement, input).await
}

/// Settles the call and takes the step, in one transaction. A call is settled whether or not this worker still has the run.
async fn settled(
    agent: &Agent,
    scene: &Arc<Scene>,
    paid: Paid,
    settlement: Option<Settlement>,
    input: Input,
) -> db::Result<Option<Next>> {
    let (scene, by) = (scene.clone(), scene.by(agent));
    let committed = agent.server.store.write(move |tx| {
        let job = scene.job;
        // The run is locked first, as everywhere, and read again afterwards, so that what is told of it has its cost.
        row::hold(tx, job.account, job.run)?;
        spending::settle(tx, &by, &scene, paid, settlement.as_ref())?;
        match row::hold_leased(tx, job.account, job.run, job.lease)? {
            Some(row) => advance(tx, &by, row, input.clone(), &scene.rules),
            None => db::Result::Ok(None),
        }
    });
    committed.await
}

/// What the run's timeline tells of a call.
fn facts(
    request: &ChatRequest,
    paid: Paid,
    settlement: Option<&Settlement>,
    quote: &Quote<ChatPrice>,
    reply: &ChatReply,
) -> Value {
    let cost = settlement.map_or(paid.worst, |told| told.cost);
    let text = reply.turn.text.as_deref().map(|text| text.chars().take(SHOWN_CHARS_MAX).collect::<String>());
    json!({
        "model": request.model,
        "stop": reply.stop,
        "text": text,
        "tools": reply.turn.tool_calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
        "tokens_in": settlement.map(|told| told.tokens_in),
        "tokens_out": settlement.map(|told| told.tokens_out),
        "cost_usd": cost.usd(),
        "note": quote.note(&request.model),
    })
}

/// Renews the lease, and returns when the run is not this worker's any more: it was cancelled or replaced, or another has it.
async fn lost(agent: &Agent, scene: &Arc<Scene>) {
    let store = &agent.server.store;
    let mut stopped = store.wakes().subscribe(STOPPED);
    let job = scene.job;
    loop {
        let is_held: db::Result<bool> = tokio::select! {
            _ = stopped.changed() => {
                store.read(move |tx| {
                    let found = tx.find(row::IS_HELD, &[&job.account, &job.run, &job.lease], db::only::<crate::ids::RunId>)?;
                    db::Result::Ok(found.is_some())
                }).await
            }
            () = sleep(RENEW_PERIOD) => {
                let until = agent.now() + LEASE;
                store.write(move |tx| {
                    let renewed = tx.execute(row::RENEW, &[&job.account, &job.run, &job.lease, &until])?;
                    db::Result::Ok(renewed.any())
                }).await
            }
        };
        // A store that fails for a moment takes no run away.
        if let Ok(false) = is_held {
            return;
        }
    }
}
