//! A tick: builds the prompt, calls the model, and takes its reply.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use frontdesk_models::{CallOptions, ChatPrice, ChatReply, ChatRequest, MicroUsd, ModelError, Quote};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::advance::{LEASE, Next};
use super::super::claimed::Job;
use super::super::run::MODEL_NOT_ALLOWED;
use super::super::sql as run_sql;
use super::super::step::Input;
use super::super::topics::STOPPED;
use super::held::HeldRun;
use super::media::{self, MediaLoad};
use super::{Agent, history, prompt, spending};
use crate::spend::{MadeCall, Reservation, Settlement};

/// How often a worker renews its lease while it waits for a model.
const RENEW_PERIOD: Duration = Duration::from_secs(15);
/// How long a run pauses before it checks again for media that is still being fetched.
const MEDIA_PAUSE: Duration = Duration::from_secs(1);
/// Maximum characters of a reply in the run's timeline.
const SHOWN_CHARS_MAX: usize = 4_000;

/// The settlement of a call that costs nothing.
pub(super) const FREE: Settlement = Settlement { cost: MicroUsd::ZERO, tokens_in: 0, tokens_out: 0 };

const _: () = assert!(LEASE.as_secs() > 3 * RENEW_PERIOD.as_secs());

/// Calls the model once.
pub(super) async fn think(agent: &Agent, held: &mut HeldRun) -> db::Result<Option<Next>> {
    if !held.refresh(agent).await? {
        // The assistant was deleted, which ended its runs. A model call that was made must still be settled.
        return held.store(agent).await;
    }
    if !held.context.assistant.has_allowed_model(&held.context.account) {
        return held.take(agent, Input::Stopped { error: MODEL_NOT_ALLOWED.to_owned() }).await;
    }
    let said = history::read(agent, &held.context).await?;
    // Transcribing may take as long as a model call, so store everything before it.
    if !held.is_stored() && said.iter().any(|one| one.media.is_some()) {
        return held.store(agent).await;
    }
    let loaded = match media::load_all(agent, &held.context, &said).await? {
        MediaLoad::Ready(loaded) => loaded,
        MediaLoad::NotYet => return held.take(agent, Input::Paused { pause: MEDIA_PAUSE }).await,
        MediaLoad::Lost => return Ok(None),
    };
    let model = agent.model_of(&held.context.assistant, &held.context.account);
    let request = prompt::request(agent, &held.context, &model, said, &loaded).await?;
    let quote = agent.settings.prices.chat(&model);
    let worst = quote.price.worst_case(&request);
    let reservation = spending::reservation(agent, &held.context, &model, worst);
    match held.store_reserving(agent, reservation.clone()).await? {
        Ok(Some(Next::CallModel)) => {}
        Ok(Some(other)) => {
            // No call was made.
            held.settle_later(MadeCall { reservation, settlement: Some(FREE) });
            return Ok(Some(other));
        }
        Ok(None) => return Ok(None),
        Err(error) => return held.take(agent, Input::Stopped { error: error.to_owned() }).await,
    }
    let options = CallOptions::new((agent.chance)());
    let calling = async {
        tokio::select! {
            called = agent.models.complete(&request, options) => Some(called),
            () = lost(agent, held.context.job) => None,
        }
    };
    let (called, duration_ms) = timed(calling).await;
    metrics::counter!("frontdesk_model_calls_total", "outcome" => outcome_of(called.as_ref())).increment(1);
    match called {
        Some(Ok(reply)) => {
            let settlement = settlement_of(&quote, &reply);
            let made = MadeCall::counted(&agent.settings.prices, reservation, settlement);
            let facts = facts(&request, &made, &quote, &reply, duration_ms);
            held.settle_later(made);
            held.take(agent, Input::Replied { turn: reply.turn, stop: reply.stop, facts }).await
        }
        Some(Err(error)) => failed(agent, held, reservation, &request, error, duration_ms).await,
        // The provider may bill an aborted call.
        None => {
            held.settle_later(MadeCall::counted(&agent.settings.prices, reservation, None));
            held.store(agent).await
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

/// The result of some work, and how long it took in milliseconds.
#[expect(clippy::disallowed_methods, reason = "a duration, which the server's clock does not measure")]
pub(super) async fn timed<T>(work: impl Future<Output = T>) -> (T, u64) {
    let started = std::time::Instant::now();
    let done = work.await;
    (done, started.elapsed().as_millis() as u64)
}

/// What a call has cost, if the provider has said how much was used.
pub(super) fn settlement_of(quote: &Quote<ChatPrice>, reply: &ChatReply) -> Option<Settlement> {
    reply.usage.map(|usage| Settlement {
        cost: quote.price.cost(&usage),
        tokens_in: usage.all_input_tokens(),
        tokens_out: usage.output_tokens,
    })
}

async fn failed(
    agent: &Agent,
    held: &mut HeldRun,
    reservation: Arc<Reservation>,
    request: &ChatRequest,
    error: ModelError,
    duration_ms: u64,
) -> db::Result<Option<Next>> {
    tracing::warn!(run = %held.context.job.run, model = request.model, %error, "model call failed");
    let settlement = (!error.may_be_billed()).then_some(FREE);
    let input = Input::ModelFailed {
        error: format!("{}.", error.to_string().trim_end_matches('.')),
        is_temporary: error.is_temporary(),
        retry_after: error.retry_after(),
        facts: json!({ "model": request.model, "error": error.to_string(), "duration_ms": duration_ms }),
    };
    held.settle_later(MadeCall::counted(&agent.settings.prices, reservation, settlement));
    held.take(agent, input).await
}

/// The timeline data of a model call.
pub(super) fn facts(
    request: &ChatRequest,
    made: &MadeCall,
    quote: &Quote<ChatPrice>,
    reply: &ChatReply,
    duration_ms: u64,
) -> Value {
    let text = reply.turn.text.as_deref().map(|text| text.chars().take(SHOWN_CHARS_MAX).collect::<String>());
    json!({
        "model": request.model,
        "stop": reply.stop,
        "text": text,
        "tools": reply.turn.tool_calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
        "tokens_in": made.settlement.map(|settlement| settlement.tokens_in),
        "tokens_out": made.settlement.map(|settlement| settlement.tokens_out),
        "cost_usd": made.cost().usd(),
        "note": quote.note(&request.model),
        "duration_ms": duration_ms,
    })
}

/// Renews the lease, and returns when this worker has lost the run: it was cancelled or replaced, or another worker
/// holds it.
async fn lost(agent: &Agent, job: Job) {
    let store = &agent.server.store;
    let mut stopped = store.wakes().subscribe(STOPPED);
    loop {
        let is_held: db::Result<bool> = tokio::select! {
            _ = stopped.changed() => {
                store.read(move |tx| {
                    let found = tx.find(run_sql::IS_HELD, &[&job.account, &job.run, &job.lease], db::only::<crate::ids::RunId>)?;
                    db::Result::Ok(found.is_some())
                }).await
            }
            () = sleep(RENEW_PERIOD) => {
                let until = agent.now() + LEASE;
                store.write(move |tx| {
                    let renewed = tx.execute(run_sql::RENEW, &[&job.account, &job.run, &job.lease, &until])?;
                    db::Result::Ok(renewed.any())
                }).await
            }
        };
        // A temporary store failure does not mean that the run is lost.
        if let Ok(false) = is_held {
            return;
        }
    }
}
