//! The outcomes of calls, and when a call is made again.

use std::time::Duration;

use frontdesk_channels::{Class, Refusal};
use frontdesk_jobs::Done;

use super::Sender;
use crate::messages::MessageFailure;
use crate::outbox::{Job, SendPayload};

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

/// A message and the outcome of its call.
pub(super) type Sent = Done<Sender>;

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

/// A message that can never be sent.
pub(super) fn broken(reason: &str, message: &str) -> SendOutcome {
    SendOutcome::Broken(MessageFailure {
        code: reason.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
}

pub(super) fn is_message(job: &Job) -> bool {
    !matches!(job.payload, Some(SendPayload::Receipt { .. }))
}
