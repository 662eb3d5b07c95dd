//! Loads customers' photos and transcribes their voice notes for the model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db as db;
use frontdesk_inbox::media::{self as inbox_media, Loaded, MediaId};
use frontdesk_inbox::messages::{Direction, MessageType};
use frontdesk_models::{AUDIO_BYTES_MAX, AudioFormat, IMAGE_BYTES_MAX, Image};

use super::Agent;
use super::history::HistoryMessage;
use super::spending;
use super::step_context::StepContext;
use crate::spend::MadeCall;
use crate::transcripts::{self, transcription_model};

/// Maximum photos and maximum voice notes in one model call.
const IMAGES_MAX: usize = 4;
const VOICES_MAX: usize = 5;
/// A run waits for pending media until the message is this old.
const PENDING_TIME_MAX: Duration = Duration::from_mins(1);

/// The photos and transcripts of messages, by media id.
#[derive(Default)]
pub(super) struct LoadedMedia {
    pub(super) images: BTreeMap<MediaId, Image>,
    /// Transcripts made for this call. Earlier transcripts are in their messages.
    pub(super) voices: BTreeMap<MediaId, String>,
}

/// The outcome of [`load_all`].
pub(super) enum MediaLoad {
    Ready(LoadedMedia),
    /// Some media is still being fetched or transcribed.
    NotYet,
    /// The run is over.
    Lost,
}

/// Loads photos and transcribes voice notes, if the assistant handles them.
pub(super) async fn load_all(
    agent: &Agent,
    context: &Arc<StepContext>,
    said: &[HistoryMessage],
) -> db::Result<MediaLoad> {
    let mut loaded = LoadedMedia::default();
    if said.iter().any(|one| one.is_being_read && is_young(agent, one)) {
        return Ok(MediaLoad::NotYet);
    }
    let inbound = |kind: MessageType| {
        let wanted = move |one: &&HistoryMessage| one.direction == Direction::Inbound && one.kind == kind;
        said.iter().rev().filter(wanted).filter_map(|one| Some((one, one.media?)))
    };
    let images: Vec<_> = if context.assistant.handle_images {
        inbound(MessageType::Image).take(IMAGES_MAX).collect()
    } else {
        Vec::new()
    };
    for (message, id) in images {
        match load(agent, context, id, IMAGE_BYTES_MAX).await? {
            Loaded::Pending | Loaded::Unavailable(_) if is_young(agent, message) => {
                return Ok(MediaLoad::NotYet);
            }
            Loaded::Whole { content_type, bytes } => {
                loaded
                    .images
                    .extend(Image::new(&content_type, Bytes::from(bytes)).ok().map(|image| (id, image)));
            }
            Loaded::Pending | Loaded::Unavailable(_) | Loaded::Gone => {}
        }
    }
    let voices: Vec<_> = if context.assistant.handle_voice {
        inbound(MessageType::Audio).take(VOICES_MAX).collect()
    } else {
        Vec::new()
    };
    for (message, id) in voices {
        if message.transcript.is_some() {
            continue;
        }
        match load(agent, context, id, AUDIO_BYTES_MAX).await? {
            Loaded::Pending | Loaded::Unavailable(_) if is_young(agent, message) => {
                return Ok(MediaLoad::NotYet);
            }
            Loaded::Whole { content_type, bytes } => {
                let Some(format) = AudioFormat::of(&content_type) else { continue };
                match transcribe(agent, context, id, format, bytes.into()).await? {
                    Transcribed::Text(text) => drop(loaded.voices.insert(id, text)),
                    Transcribed::Failed => {}
                    Transcribed::Lost => return Ok(MediaLoad::Lost),
                }
            }
            Loaded::Pending | Loaded::Unavailable(_) | Loaded::Gone => {}
        }
    }
    Ok(MediaLoad::Ready(loaded))
}

fn is_young(agent: &Agent, message: &HistoryMessage) -> bool {
    message.id.created_at() + PENDING_TIME_MAX > agent.now()
}

async fn load(agent: &Agent, context: &StepContext, id: MediaId, bytes_max: usize) -> db::Result<Loaded> {
    let account = context.job.account;
    inbox_media::load(&agent.server, account, id, bytes_max).await
}

enum Transcribed {
    Text(String),
    Failed,
    Lost,
}

async fn transcribe(
    agent: &Agent,
    context: &Arc<StepContext>,
    id: MediaId,
    format: AudioFormat,
    audio: Bytes,
) -> db::Result<Transcribed> {
    let (model, worst) = transcription_model(agent, audio.len());
    let reservation = spending::reservation(agent, context, &model, worst);
    if !spending::reserve(agent, context, &reservation).await? {
        return Ok(Transcribed::Lost);
    }
    let transcription = transcripts::transcribe(agent, model, format, audio).await;
    let text = transcription
        .text
        .inspect_err(|error| tracing::warn!(run = %context.job.run, %error, "transcription of a voice note failed; the model gets no text for it"))
        .ok();
    let (kept, held, by) = (text.clone(), context.clone(), context.by(agent));
    let made = MadeCall::counted(&agent.settings.prices, reservation, transcription.settlement);
    let stored = agent.server.store.write(move |tx| {
        spending::settle(tx, &by, &held, &made)?;
        if let Some(text) = &kept {
            transcripts::keep(tx, by.account, id, text)?;
        }
        db::Result::Ok(())
    });
    stored.await?;
    Ok(text.map_or(Transcribed::Failed, Transcribed::Text))
}
