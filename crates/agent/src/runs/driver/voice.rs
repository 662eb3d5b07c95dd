//! Spoken replies. An assistant with voice replies answers a voice note with a voice note.

use std::sync::Arc;

use frontdesk_db as db;
use frontdesk_inbox::messages::{Direction, MessageType};
use frontdesk_models::{
    CallOptions, DEFAULT_VOICE, MicroUsd, SPEECH_CHARS_MAX, Speech, SpeechFormat, SpeechRequest,
};

use super::spending;
use super::step_context::StepContext;
use super::{Agent, history};
use crate::spend::{MadeCall, Settlement};

/// The outcome of [`speak`].
pub(super) enum Voice {
    Note(Speech),
    /// The reply is sent as text.
    Text,
    /// The run is over.
    Lost,
}

/// Speaks a reply, if the customer sent a voice note and the assistant may reply with one. If speech fails, the reply
/// can still be sent as text.
pub(super) async fn speak(agent: &Agent, context: &Arc<StepContext>, text: &str) -> db::Result<Voice> {
    let assistant = &context.assistant;
    let may = assistant.voice_replies && assistant.voice_provider.is_some() && context.answers_customer();
    if !may || text.is_empty() || text.chars().count() > SPEECH_CHARS_MAX || context.row.machine.silenced {
        return Ok(Voice::Text);
    }
    let said = history::read(agent, context).await?;
    let last = said.iter().rev().find(|one| one.direction == Direction::Inbound);
    if last.is_none_or(|one| one.kind != MessageType::Audio) {
        return Ok(Voice::Text);
    }
    let model = agent.settings.speech_model.clone();
    let cost = agent.settings.prices.speech(&model).price.cost(text);
    let reservation = spending::reservation(agent, context, &model, cost);
    if !spending::reserve(agent, context, &reservation).await? {
        return Ok(Voice::Lost);
    }
    let request = SpeechRequest {
        model,
        text: text.to_owned(),
        voice: assistant.voice_id.clone().unwrap_or_else(|| DEFAULT_VOICE.to_owned()),
        format: SpeechFormat::Opus,
    };
    let spoken = agent.models.speak(&request, CallOptions::new((agent.chance)())).await;
    let is_billed = spoken.as_ref().err().is_none_or(frontdesk_models::ModelError::may_be_billed);
    let cost = if is_billed { cost } else { MicroUsd::ZERO };
    let settlement = Some(Settlement { cost, tokens_in: 0, tokens_out: 0 });
    let made = MadeCall::counted(&agent.settings.prices, reservation, settlement);
    let (held, by) = (context.clone(), context.by(agent));
    agent.server.store.write(move |tx| spending::settle(tx, &by, &held, &made)).await?;
    Ok(match spoken {
        Ok(speech) => Voice::Note(speech),
        Err(error) => {
            tracing::warn!(run = %context.job.run, %error, "speech failed; sending the reply as text");
            Voice::Text
        }
    })
}
