//! One call to a channel, and its outcome.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_channels::{Class, Outgoing, Refusal};
use frontdesk_db::Store;
use frontdesk_outbound::{Error, timed};
use frontdesk_platform::ServerContext;

use super::{file, upload};
use crate::calls;
use crate::connections::{Channel, StoredConnection};
use crate::messages::MessageFailure;
use crate::outbox::{Job, SendPayload};

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum SendOutcome {
    /// The channel accepted it.
    Accepted { channel_message_id: Option<String>, person: Option<String> },
    /// The channel refused it, permanently or temporarily.
    Refused(Refusal),
    /// Nothing was sent.
    Unreached(String),
    /// It may have been sent: the outcome is unknown.
    Unknown(String),
    /// It can never be sent.
    Broken(MessageFailure),
    /// Its account was suspended after it was claimed, so no call was made.
    Suspended,
}

/// Makes the call of a message over its connection.
pub(super) async fn send(
    server: &ServerContext,
    connection: &StoredConnection,
    job: &Arc<Job>,
) -> SendOutcome {
    let (outcome, elapsed) = timed(attempt(server, connection, job)).await;
    let word = match &outcome {
        SendOutcome::Accepted { .. } => "taken",
        SendOutcome::Refused(_) => "refused",
        SendOutcome::Unreached(_) => "unreached",
        SendOutcome::Unknown(_) => "unknown",
        SendOutcome::Broken(_) => "broken",
        SendOutcome::Suspended => "suspended",
    };
    metrics::counter!("frontdesk_sends_total", "channel" => connection.channel().as_str(), "outcome" => word)
        .increment(1);
    metrics::histogram!("frontdesk_send_seconds").record(elapsed.as_secs_f64());
    outcome
}

async fn attempt(server: &ServerContext, connection: &StoredConnection, job: &Arc<Job>) -> SendOutcome {
    if server.suspensions.contains(job.account) {
        return SendOutcome::Suspended;
    }
    let Some(payload) = job.payload.clone() else {
        return broken("unreadable", "What was to be sent cannot be read any more.");
    };
    if connection.channel() == Channel::WebChat {
        // The widget reads messages from the database, so storing is sending.
        return SendOutcome::Accepted { channel_message_id: Some(job.message.to_string()), person: None };
    }
    let Some(adapter) = connection.adapter(&server.services) else {
        return broken(
            "settings_unreadable",
            "The settings of the connection were sealed under another FRONTDESK_SECRET_KEY; connect it again.",
        );
    };
    // A file stays in memory, and keeps its turn, until the call has ended.
    let (call, _turn) = match payload {
        SendPayload::Receipt { channel_message_id } => {
            (adapter.read_receipt(&job.person, &channel_message_id), None)
        }
        payload => match (payload.upload(), payload.for_channel()) {
            (upload, Some(mut payload)) => {
                let prepared = match upload {
                    Some(media) => upload::prepare(server, &*adapter, job.account, media, &mut payload).await,
                    None if adapter.takes_files() => {
                        file::fill_in(&server.services, job.account, &mut payload).await
                    }
                    None => Ok(None),
                };
                let turn = match prepared {
                    Ok(turn) => turn,
                    Err(outcome) => return outcome,
                };
                let call = adapter.send(&Outgoing {
                    our_id: job.message.to_string(),
                    to: job.person.clone(),
                    payload,
                    reply_to: job.reply_to.clone(),
                });
                (Some(call), turn)
            }
            (_, None) => (None, None),
        },
    };
    let Some(call) = call else {
        return SendOutcome::Accepted { channel_message_id: None, person: None };
    };
    // A file that was uploaded before has reached nobody. The message may, from its mark on.
    let gate = Box::pin(mark_begun(server.store.clone(), job.clone()));
    match calls::make_behind(gate, &server.services, call).await {
        Ok(response) => match adapter.sent(&response.read()) {
            Ok(accepted) => SendOutcome::Accepted {
                channel_message_id: accepted.channel_message_id,
                person: accepted.person,
            },
            Err(refusal) => SendOutcome::Refused(refusal),
        },
        Err(error) if job.mark.get().is_none() => SendOutcome::Unreached(error.to_string()),
        Err(error @ (Error::Unreached(_) | Error::Refused(_))) => SendOutcome::Unreached(error.to_string()),
        Err(error @ (Error::Timeout(_) | Error::Connection(_))) => SendOutcome::Unknown(error.to_string()),
    }
}

/// Marks the call as begun, so that it is not made again after a crash. Without the mark it is not made at all.
async fn mark_begun(store: Store, job: Arc<Job>) -> bool {
    match store.mark(job.begun()).await {
        Ok(Some(slot)) => job.mark.set(slot).is_ok(),
        Ok(None) => {
            tracing::info!(message = %job.message, "a message was left to another server, which has taken over");
            false
        }
        Err(error) => {
            tracing::warn!(message = %job.message, %error, "marking a call as begun failed; retrying later");
            false
        }
    }
}

/// The outcome of a call whose code panicked.
pub(super) fn panicked(job: &Job) -> SendOutcome {
    let why = "a fault in this server; see its log".to_owned();
    if job.mark.get().is_some() { SendOutcome::Unknown(why) } else { SendOutcome::Unreached(why) }
}

pub(super) fn broken(reason: &str, message: &str) -> SendOutcome {
    SendOutcome::Broken(MessageFailure {
        code: reason.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
}

/// Tries after temporary refusals, and pauses between them.
const TRIES_MAX: i64 = 5;
const PAUSES: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(10), Duration::from_secs(30), Duration::from_mins(2)];
/// The pause before the next message to a person, after the channel's pair rate limit.
const PERSON_PAUSE: Duration = Duration::from_secs(6);
/// An unreachable channel is retried for about half an hour.
const UNREACHED_TRIES_MAX: i64 = 12;
const UNREACHED_PAUSE_MAX: Duration = Duration::from_mins(5);
/// The longest pause that a vendor may request.
const ASKED_PAUSE_MAX: Duration = Duration::from_mins(15);

impl SendOutcome {
    /// The pause before the next try, if there is one.
    pub(super) fn pause(&self, tries: i64) -> Option<Duration> {
        let step = |pauses: &[Duration]| {
            let at = (tries.max(1) - 1) as usize;
            pauses.get(at).or(pauses.last()).copied().unwrap_or(PERSON_PAUSE)
        };
        match self {
            Self::Refused(refusal) => {
                let asked = refusal.retry_after.map(|pause| pause.min(ASKED_PAUSE_MAX));
                match refusal.class {
                    Class::Retry if tries < TRIES_MAX => Some(step(&PAUSES).max(asked.unwrap_or_default())),
                    Class::RetryPerson if tries < TRIES_MAX => {
                        Some(PERSON_PAUSE.max(asked.unwrap_or_default()))
                    }
                    Class::RetryOnce if tries < 2 => Some(PAUSES[0].max(asked.unwrap_or_default())),
                    _ => None,
                }
            }
            Self::Unreached(_) if tries < UNREACHED_TRIES_MAX => {
                let doubled = Duration::from_secs(1 << tries.clamp(0, 12));
                Some(doubled.min(UNREACHED_PAUSE_MAX))
            }
            _ => None,
        }
    }

    /// Whether the whole connection must slow down.
    pub(super) fn slows(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.class == Class::Retry)
    }
}
