//! The courier sends notifications to push services and settles the outcomes.
//!
//! Every device is a lane. Right before a call, the notification is marked as begun, in a transaction: from then on it is
//! not claimed again, so no crash sends it twice. A push service that refuses for a moment gets it again while it is fresh.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Health, Kind, LeasedRow, LeasedRows, Limits, Queue, Stop,
    Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound as outbound;
use frontdesk_platform::ServerContext;
use frontdesk_platform::members::Role;
use frontdesk_platform::sign_in::sessions::{self, SessionId};
use frontdesk_platform::webhooks::schedule::retry_after;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use ring::rand::SystemRandom;
use uuid::Uuid;

use super::device::{DeviceId, Target, read_kinds};
use super::encryption::{TEXT_BYTES_MAX, encrypt};
use super::notice::{self, Notice, NoticeKind, Reader, Stored};
use super::queue::{Job, PUSHES, QUEUED};
use super::sql::{
    AGAIN, ANY_EXPIRED, BEGIN, DELETE_EXPIRED, DEVICE_FAILS, DEVICE_WORKS, DUE, GONE_DEVICE, OF_GONE_DEVICE,
    OVER, ROWS, TO_SEND,
};
use super::vapid::{self, SenderKey};
use crate::presence::Places;

/// The deadline of a push service's response.
const CALL_TIME_MAX: Duration = Duration::from_secs(10);
/// The part of a response that is read.
const RESPONSE_BYTES_MAX: usize = 1024;
/// The pause before the second try, which doubles.
const PAUSE: Duration = Duration::from_secs(5);
const TRIES_MAX: i64 = 6;
/// Expired notifications deleted in one transaction.
const SWEEP_ROWS_MAX: i64 = 500;
const TTL: HeaderName = HeaderName::from_static("ttl");
const TOPIC: HeaderName = HeaderName::from_static("topic");
const URGENCY: HeaderName = HeaderName::from_static("urgency");

/// Starts the courier. `places` says who looks at which conversation.
pub fn start(server: &ServerContext, places: &Places, context: &Context) -> Worker {
    jobs::start(Courier { server: server.clone(), places: places.clone() }, context)
}

struct Courier {
    server: ServerContext,
    places: Places,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The push service has taken it.
    Delivered,
    /// There is nothing to tell any more, or nobody.
    Dropped,
    Again(Timestamp),
    /// The push service has refused it, or did not respond in time.
    Failed,
    /// The browser wants no notifications any more.
    Gone,
}

/// Everything that is needed to make the call.
struct Prepared {
    target: Target,
    key: SenderKey,
    notice: Notice,
    reader: Reader,
}

impl Kind for Courier {
    const NAME: &'static str = "push courier";
    const TOPIC: db::Topic = QUEUED;
    const QUEUE: Queue<DeviceId, Job> = PUSHES;
    const LIMITS: Limits = Limits {
        lane: 2,
        account: 16,
        overall: 64,
        spare: 16,
        lease: Duration::from_mins(1),
        act_time_max: Duration::from_secs(15),
        stop: Stop::Finish(Duration::from_secs(CALL_TIME_MAX.as_secs() + 1)),
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(ROWS);

    type Lane = DeviceId;
    type Job = Job;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<DeviceId>> {
        tx.query(DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<DeviceId>) -> db::Result<Claimed<Job>> {
        let jobs = ROWS.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            let (account, id) = (row.next()?, row.next()?);
            let stored =
                Stored { kind: row.next()?, about: row.next()?, cause: row.next()?, actor: row.next()? };
            let (tries, expires_at) = (row.next()?, row.next()?);
            Ok(Job { account, id, device: claim.lane, stored, tries, expires_at, lease: claim.lease })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        let outcome = self.send(&job).await;
        let told = match outcome {
            Outcome::Delivered => "delivered",
            Outcome::Dropped => "dropped",
            Outcome::Again(_) => "retried",
            Outcome::Failed => "failed",
            Outcome::Gone => "gone",
        };
        metrics::counter!("frontdesk_push_notifications_total", "outcome" => told).increment(1);
        outcome
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        batch.iter().try_for_each(|done| settle(tx, &done.job, done.outcome, now))
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn health(&self, outcome: &Outcome) -> Health {
        match outcome {
            Outcome::Delivered | Outcome::Dropped | Outcome::Gone => Health::Fine,
            Outcome::Again(_) | Outcome::Failed => Health::Failing,
        }
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![LeasedRow::new(job.account, job.id, job.lease)]
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        Ok(tx.find(ANY_EXPIRED, &[&now], only::<Uuid>)?.is_some())
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        Ok(tx.execute(DELETE_EXPIRED, &[&now, &SWEEP_ROWS_MAX])?.rows() == SWEEP_ROWS_MAX as u64)
    }
}

fn settle(tx: &mut Tx<'_>, job: &Job, outcome: Outcome, now: Timestamp) -> db::Result<()> {
    let Job { account, id, device, lease, .. } = job;
    if let Outcome::Again(at) = outcome {
        let _lost_lease_changes_nothing = tx.execute(AGAIN, &[account, id, lease, &at])?;
        return Ok(());
    }
    let _lost_lease_changes_nothing = tx.execute(OVER, &[account, id, lease])?;
    let _removed_meanwhile_is_fine = match outcome {
        Outcome::Delivered => tx.execute(DEVICE_WORKS, &[account, device, &now])?,
        Outcome::Failed => tx.execute(DEVICE_FAILS, &[account, device])?,
        Outcome::Gone => {
            let _any_number = tx.execute(OF_GONE_DEVICE, &[account, device])?;
            tx.execute(GONE_DEVICE, &[account, device])?
        }
        Outcome::Dropped | Outcome::Again(_) => return Ok(()),
    };
    Ok(())
}

impl Courier {
    async fn send(&self, job: &Job) -> Outcome {
        if self.server.suspensions.contains(job.account) {
            return Outcome::Dropped;
        }
        let prepared = match self.prepare(job).await {
            Ok(Some(prepared)) => prepared,
            Ok(None) => return Outcome::Dropped,
            Err(error) => {
                tracing::warn!(%error, "a notification could not be read; retrying later");
                return self.again(job, None);
            }
        };
        let now = (self.server.clock)();
        let seen = prepared.notice.conversation().is_some_and(|conversation| {
            self.places.is_at(job.account, prepared.reader.user, conversation, now)
        });
        if seen {
            return Outcome::Dropped;
        }
        let Some((uri, headers, body)) = self.request(job, &prepared, now) else { return Outcome::Failed };
        let (account, id, lease) = (job.account, job.id, job.lease);
        let begun = self.server.store.write(move |tx| tx.execute(BEGIN, &[&account, &id, &lease])).await;
        match begun {
            Ok(touched) if touched.any() => {}
            // A later notification has taken its place, or the lease was lost.
            Ok(_) => return Outcome::Dropped,
            Err(error) => {
                tracing::warn!(%error, "a notification could not be marked as begun; retrying later");
                return self.again(job, None);
            }
        }
        let limits = outbound::Limits { time_max: CALL_TIME_MAX, body_bytes_max: RESPONSE_BYTES_MAX };
        let sent = self.server.services.outbound.send(Method::POST, uri, headers, body, limits).await;
        match sent {
            Ok(response) => self.judge(job, &response),
            // Nothing was sent.
            Err(outbound::Error::Unreached(_)) => self.again(job, None),
            // The address must not be called, or the notification may have arrived.
            Err(
                outbound::Error::Refused(_) | outbound::Error::Timeout(_) | outbound::Error::Connection(_),
            ) => Outcome::Failed,
        }
    }

    /// Reads the device and what there is to tell it.
    async fn prepare(&self, job: &Job) -> db::Result<Option<Prepared>> {
        let (account, device, stored) = (job.account, job.device, job.stored);
        let (keys, now) = (self.server.services.secrets.clone(), (self.server.clock)());
        let read = move |tx: &mut ReadTx<'_>| {
            let (used_after, made_after) = sessions::bounds(now);
            let found = tx.find(TO_SEND, &[&account, &used_after, &made_after, &device], |row| {
                let (user, session): (_, SessionId) = (row.next()?, row.next()?);
                let (kinds, sealed): (String, String) = (row.next()?, row.next()?);
                let (with_text, language) = (row.next()?, row.next()?);
                let scopes = row.next::<Role>()?.scopes().effective();
                let kinds = read_kinds(&kinds);
                Ok((session, sealed, Reader { account, user, scopes, kinds, with_text, language }))
            })?;
            let Some((session, sealed, reader)) = found else { return Ok(None) };
            let opened = Target::open(&keys, account, session, &sealed).zip(vapid::find(tx, &keys)?);
            let Some((target, key)) = opened else {
                tracing::error!(%device, "the secrets of a device do not open under FRONTDESK_SECRET_KEY");
                return Ok(None);
            };
            let notice = notice::compose(tx, &reader, stored)?;
            Ok(notice.map(|notice| Prepared { target, key, notice, reader }))
        };
        self.server.store.read(read).await
    }

    /// The request to the push service; none if the device cannot be written to.
    fn request(&self, job: &Job, prepared: &Prepared, now: Timestamp) -> Option<(Uri, HeaderMap, Bytes)> {
        let Prepared { target, key, notice, .. } = prepared;
        let uri: Uri = target.endpoint.parse().ok()?;
        let text = serde_json::to_vec(notice).ok().filter(|text| text.len() <= TEXT_BYTES_MAX)?;
        let body = encrypt(&text, &target.keys()?, &SystemRandom::new()).ok()?;
        let seconds_left = (job.expires_at.seconds() - now.seconds()).max(0);
        let contact = &self.server.services.base_url;
        let mut headers = HeaderMap::with_capacity(6);
        let text = |text: String| HeaderValue::from_str(&text).ok();
        headers.insert(AUTHORIZATION, text(key.authorization(&uri, contact, now)?)?);
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        headers.insert(TTL, text(seconds_left.to_string())?);
        headers.insert(TOPIC, text(topic(job.stored))?);
        headers.insert(URGENCY, HeaderValue::from_static("high"));
        Some((uri, headers, Bytes::from(body)))
    }

    fn judge(&self, job: &Job, response: &outbound::Response) -> Outcome {
        let status = response.status;
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => Outcome::Gone,
            _ if status.is_success() => Outcome::Delivered,
            _ if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                self.again(job, asked_pause(response, (self.server.clock)()))
            }
            _ => {
                tracing::warn!(device = %job.device, %status, "a push service has refused a notification");
                Outcome::Failed
            }
        }
    }

    /// Another try, while the notification is fresh.
    fn again(&self, job: &Job, asked: Option<Duration>) -> Outcome {
        let pause = PAUSE * (1 << (job.tries - 1).clamp(0, TRIES_MAX));
        let at = (self.server.clock)() + pause.max(asked.unwrap_or_default());
        if job.tries < TRIES_MAX && at < job.expires_at { Outcome::Again(at) } else { Outcome::Failed }
    }
}

fn asked_pause(response: &outbound::Response, now: Timestamp) -> Option<Duration> {
    retry_after(response.headers.get(RETRY_AFTER)?.to_str().ok()?, now.seconds())
}

/// What a later notification must have in common to take the place of one that the push service still keeps: at most 32
/// characters.
fn topic(stored: Stored) -> String {
    let kind = match stored.kind {
        NoticeKind::Mention => 'n',
        NoticeKind::Assignment => 'g',
        NoticeKind::Message => 'm',
        NoticeKind::HandedOff => 'h',
        NoticeKind::Ask => 'k',
        NoticeKind::Test => 't',
    };
    format!("{kind}{}", URL_SAFE_NO_PAD.encode(stored.about.as_bytes()))
}
