//! One call to a channel, and its outcome.

use std::sync::Arc;

use frontdesk_channels::Outgoing;
use frontdesk_db::Store;
use frontdesk_outbound::{Error, timed};
use frontdesk_platform::ServerContext;

use super::outcome::{SendOutcome, broken};
use super::{file, upload};
use crate::calls;
use crate::connections::{Channel, StoredConnection};
use crate::outbox::{Job, SendPayload};

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
            tracing::info!(message = %job.message, "send skipped: another server has taken the message over");
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
