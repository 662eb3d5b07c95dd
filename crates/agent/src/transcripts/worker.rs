//! The worker that transcribes voice notes and describes photos. A job is a message with pending media. The text, its
//! cost and the end of the job commit in one transaction.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_inbox::media::{self, Loaded, MediaId};
use frontdesk_inbox::messages::{self, MessageId, MessageType};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Kind, LeasedRow, LeasedRows, Limits, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_models::{AUDIO_BYTES_MAX, AudioFormat, CALL_TIME_MAX, IMAGE_BYTES_MAX, Image, MicroUsd};
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, Account};
use uuid::Uuid;

use super::reading::{Transcription, describe, description_request, transcribe, transcription_model};
use super::{QUEUED, keep, sql};
use crate::assistants::{self, Assistant};
use crate::ids::RunId;
use crate::services::AgentServices;
use crate::spend::{self, CallId, MadeCall, Period, Reservation};

/// Maximum media that is processed at a time: of one account, and of all. An account of which none is processed may begin
/// one beyond that, up to `SPARE_SLOTS_MAX` more in all.
const ACCOUNT_SLOTS_MAX: usize = 4;
const SLOTS_MAX: usize = 16;
const SPARE_SLOTS_MAX: usize = 16;
/// An unsettled job is due again after this time, which is longer than any job takes.
const LEASE: Duration = Duration::from_mins(10);
/// The pause before a retry. It grows by `PAUSE` with each try, up to `PAUSES_MAX` times, and messages older than
/// `AGE_MAX` are not tried again.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSES_MAX: u32 = 30;
const AGE_MAX: Duration = Duration::from_mins(10);

const _: () = assert!(LEASE.as_secs() > CALL_TIME_MAX.as_secs());

/// Starts the worker.
pub fn start(services: Arc<AgentServices>, context: &Context) -> Worker {
    jobs::start(TranscriptWorker { services }, context)
}

struct TranscriptWorker {
    services: Arc<AgentServices>,
}

/// A claimed row.
#[derive(Clone, Copy, Debug)]
struct Job {
    account: AccountId,
    message: MessageId,
    media: MediaId,
    assistant: AssistantId,
    kind: MessageType,
    tries: i64,
    lease: Uuid,
}

impl Job {
    fn row(&self) -> LeasedRow {
        LeasedRow::new(self.account, self.message, self.lease)
    }

    /// The ledger records a call under the run that makes it. A transcription has no run, so its calls are recorded
    /// under the id of the message.
    fn run(&self) -> RunId {
        RunId::from_uuid(self.message.uuid())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The media is not fetched yet, or the model or the store failed temporarily.
    Later,
}

impl Kind for TranscriptWorker {
    const NAME: &'static str = "transcriptions";
    const TOPIC: db::Topic = QUEUED;
    const ROWS: Option<LeasedRows> = Some(sql::ROWS);
    const LIMITS: Limits = Limits {
        lane: ACCOUNT_SLOTS_MAX,
        overall: SLOTS_MAX,
        spare: SPARE_SLOTS_MAX,
        lease: LEASE,
        act_time_max: CALL_TIME_MAX,
        ..Limits::DEFAULT
    };

    type Lane = AccountId;
    type Job = Job;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.query(sql::DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Job>> {
        let lease = claim.lease;
        let jobs = sql::ROWS.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            Ok(Job {
                account: row.next()?,
                message: row.next()?,
                media: row.next()?,
                assistant: row.next()?,
                kind: row.next()?,
                tries: row.next()?,
                lease,
            })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        match read(&self.services, *job).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::warn!(message = %job.message, %error, "media not transcribed; retrying later");
                Outcome::Later
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        for done in batch.iter().filter(|done| done.outcome == Outcome::Later) {
            let pause = PAUSE * u32::try_from(done.job.tries).unwrap_or(PAUSES_MAX).clamp(1, PAUSES_MAX);
            sql::ROWS.release(tx, done.job.row(), now + pause)?;
        }
        Ok(())
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![job.row()]
    }
}

/// The data that a job needs.
struct MediaJob {
    job: Job,
    account: Account,
    assistant: Assistant,
}

async fn read(services: &AgentServices, job: Job) -> db::Result<Outcome> {
    let bytes_max = if job.kind == MessageType::Audio { AUDIO_BYTES_MAX } else { IMAGE_BYTES_MAX };
    let media_job = services.server.store.scan(move |tx| {
        let account = accounts::find(tx, job.account)?;
        let assistant = assistants::find(tx, job.account, job.assistant)?;
        let found = account.zip(assistant);
        db::Result::Ok(found.map(|(account, assistant)| MediaJob { job, account, assistant }))
    });
    let is_old = job.message.created_at() + AGE_MAX < services.now();
    let Some(media_job) =
        media_job.await?.filter(|media_job| !is_old && media_job.assistant.transcribe_media)
    else {
        return end(services, job).await;
    };
    match media::load(&services.server, job.account, job.media, bytes_max).await? {
        Loaded::Pending | Loaded::Unavailable(_) => Ok(Outcome::Later),
        // Nothing is spent for a suspended account. Its voice notes get too old soon.
        _ if media_job.account.suspended_at.is_some() => Ok(Outcome::Later),
        Loaded::Gone => end(services, job).await,
        Loaded::Whole { content_type, bytes } => look(services, media_job, &content_type, bytes.into()).await,
    }
}

/// Has a model read the media. Ends the job when no model accepts the media.
async fn look(
    services: &AgentServices,
    media_job: MediaJob,
    content_type: &str,
    bytes: Bytes,
) -> db::Result<Outcome> {
    let job = media_job.job;
    if job.kind == MessageType::Audio {
        let Some(format) = AudioFormat::of(content_type) else { return end(services, job).await };
        let (model, worst) = transcription_model(services, bytes.len());
        let Some(call) = reserve(services, &media_job, &model, worst).await? else {
            return Ok(Outcome::Over);
        };
        let read = transcribe(services, model, format, bytes).await;
        store(services, media_job, call, read).await
    } else {
        let Ok(photo) = Image::new(content_type, bytes) else { return end(services, job).await };
        let model = services.model_of(&media_job.assistant, &media_job.account);
        let (request, worst) = description_request(services, &model, photo);
        let Some(call) = reserve(services, &media_job, &model, worst).await? else {
            return Ok(Outcome::Over);
        };
        let read = describe(services, &request).await;
        store(services, media_job, call, read).await
    }
}

/// Reserves a call. Returns None when the budget has no room for it, which ends the job, or when this worker has lost
/// the job.
async fn reserve(
    services: &AgentServices,
    media_job: &MediaJob,
    model: &str,
    worst: MicroUsd,
) -> db::Result<Option<Arc<Reservation>>> {
    let (job, account, by) = (media_job.job, media_job.account.clone(), by(services, media_job.job));
    let id: CallId = services.server.recorder.next(services.now());
    let call = Arc::new(Reservation {
        id,
        run: job.run(),
        assistant: job.assistant,
        model: model.to_owned(),
        worst,
        period: Period::at(by.now, &account.timezone),
    });
    let wanted = call.clone();
    let reserved = services.server.store.write(move |tx| {
        let params: &[&dyn db::Param] = &[&job.account, &job.message, &job.lease];
        if tx.find(sql::IS_HELD, params, only::<MessageId>)?.is_none() {
            return Ok(false);
        }
        // A worker that crashed during its call left the call open.
        spend::settle_lost(tx, &by, &account, job.run())?;
        let is_reserved = spend::reserve(tx, &by, &account, &wanted)?;
        if !is_reserved {
            tx.execute(sql::END, params)?.exactly(1)?;
        }
        db::Result::Ok(is_reserved)
    });
    Ok(reserved.await?.then_some(call))
}

/// Stores the outcome and the cost of a call.
async fn store(
    services: &AgentServices,
    media_job: MediaJob,
    call: Arc<Reservation>,
    read: Transcription,
) -> db::Result<Outcome> {
    let (job, by) = (media_job.job, by(services, media_job.job));
    let (text, is_later) = match read.text {
        Ok(text) => (Some(text).filter(|text| !text.is_empty()), false),
        Err(error) => {
            tracing::warn!(message = %job.message, %error, "transcription by the model failed");
            (None, error.is_temporary())
        }
    };
    let made = MadeCall::counted(&services.settings.prices, call, read.settlement);
    let stored = services.server.store.write(move |tx| {
        spend::settle(tx, &by, &media_job.account, &made)?;
        let params: &[&dyn db::Param] = &[&job.account, &job.message, &job.lease];
        if !is_later
            && tx.execute(sql::END, params)?.any()
            && let Some(text) = &text
        {
            keep(tx, job.account, job.media, text)?;
            let shown =
                if job.kind == MessageType::Image { format!("[Photo: {text}]") } else { text.clone() };
            messages::fill_text(tx, &by, job.message, &shown)?;
        }
        db::Result::Ok(())
    });
    stored.await?;
    Ok(if is_later { Outcome::Later } else { Outcome::Over })
}

/// Ends a job without a result.
async fn end(services: &AgentServices, job: Job) -> db::Result<Outcome> {
    let ended = services.server.store.write(move |tx| {
        let _lost_already_is_fine = tx.execute(sql::END, &[&job.account, &job.message, &job.lease])?;
        db::Result::Ok(())
    });
    ended.await?;
    Ok(Outcome::Over)
}

fn by(services: &AgentServices, job: Job) -> By {
    By::system(job.account, services.now(), &services.server.recorder)
}
