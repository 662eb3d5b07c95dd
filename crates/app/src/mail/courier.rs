//! The courier hands mails to the SMTP server and settles the outcomes.
//!
//! Every account is a lane, so an account with very many mails delays no other. A mail is marked as begun, in a
//! transaction, right before its words are handed over: from then on it is not claimed again, so no crash sends it twice.
//! A link is made in that transaction, so no link is stored anywhere but as a hash. What the server refuses for now is
//! tried again; what it refuses for good is given up, and the reason is stored.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Health, Kind, LeasedRow, LeasedRows, Limits, Queue, Stop,
    Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use frontdesk_platform::mails::{MailKind, QUEUED};
use frontdesk_platform::members::MemberError;
use frontdesk_platform::sign_in::links::{self, LinkAuthor, Purpose};
use lettre::Address;
use uuid::Uuid;

use super::facts::{self, Facts, Recipient};
use super::letter::Letter;
use super::message::{self, Envelope};
use super::queue::{Job, MAILS, Stored};
use super::settings::SmtpSettings;
use super::smtp::{CALL_TIME_MAX, Conversation, Refusal};
use super::sql::{AGAIN, ANY_LOST, BEGIN, DROP, DUE, END, END_LOST, ROWS};
use super::unsubscribe;
use crate::presence::Places;

/// The pause before the second try, which doubles up to the longest.
const PAUSE: Duration = Duration::from_secs(30);
const PAUSE_MAX: Duration = Duration::from_hours(1);
const LOST: &str = "the server stopped while the mail was handed over: it may have arrived";

/// Starts the courier. `places` says who looks at which conversation.
pub fn start(
    server: &ServerContext,
    settings: SmtpSettings,
    chance: fn() -> [u8; 32],
    places: &Places,
    context: &Context,
) -> Worker {
    jobs::start(Courier { server: server.clone(), settings, chance, places: places.clone() }, context)
}

struct Courier {
    server: ServerContext,
    settings: SmtpSettings,
    /// Random bytes.
    chance: fn() -> [u8; 32],
    places: Places,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Sent,
    /// There is nothing to tell any more, or nobody.
    Dropped,
    Again(Timestamp, String),
    Failed(String),
    /// It may have arrived.
    Unsure(String),
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Dropped => "dropped",
            Self::Again(..) => "retried",
            Self::Failed(_) => "failed",
            Self::Unsure(_) => "unsure",
        }
    }
}

/// What became of the transaction that marks a mail as begun.
enum Begun {
    /// With the link that was made, if it is about one.
    Yes(Option<String>),
    /// The mail was withdrawn, or the lease was lost.
    No,
    /// The member has left meanwhile.
    Nobody,
}

impl Kind for Courier {
    const NAME: &'static str = "mail courier";
    const TOPIC: db::Topic = QUEUED;
    const QUEUE: Queue<AccountId, Job> = MAILS;
    const LIMITS: Limits = Limits {
        lane: 2,
        overall: 8,
        spare: 4,
        lease: Duration::from_secs(CALL_TIME_MAX.as_secs() + 60),
        act_time_max: CALL_TIME_MAX,
        stop: Stop::Finish(Duration::from_secs(10)),
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(ROWS);

    type Lane = AccountId;
    type Job = Job;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.query(DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Job>> {
        let jobs = ROWS.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            let (account, id) = (row.next()?, row.next()?);
            let stored = Stored {
                user: row.next()?,
                kind: row.next()?,
                about: row.next()?,
                cause: row.next()?,
                author: row.next()?,
                detail: row.next()?,
            };
            Ok(Job { account, id, stored, tries: row.next()?, lease: claim.lease })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        let outcome = self.send(&job).await;
        let kind = job.stored.kind.as_str();
        metrics::counter!("frontdesk_mails_total", "kind" => kind, "outcome" => outcome.word()).increment(1);
        if let Outcome::Failed(_) | Outcome::Unsure(_) = &outcome {
            tracing::warn!(account = %job.account, mail = %job.id, kind, outcome = outcome.word(), "a mail was given up; its row has the reason");
        }
        outcome
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], _now: Timestamp) -> db::Result<()> {
        batch.iter().try_for_each(|done| settle(tx, &done.job, &done.outcome))
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn health(&self, outcome: &Outcome) -> Health {
        match outcome {
            Outcome::Again(..) => Health::Failing,
            _ => Health::Fine,
        }
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![LeasedRow::new(job.account, job.id, job.lease)]
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        Ok(tx.find(ANY_LOST, &[&now], only::<Uuid>)?.is_some())
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        let _any_number = tx.execute(END_LOST, &[&now, &LOST])?;
        Ok(false)
    }
}

fn settle(tx: &mut Tx<'_>, job: &Job, outcome: &Outcome) -> db::Result<()> {
    let Job { account, id, lease, .. } = job;
    let none: Option<String> = None;
    let _lost_lease_changes_nothing = match outcome {
        Outcome::Again(at, reason) => tx.execute(AGAIN, &[account, id, lease, at, reason])?,
        Outcome::Dropped => tx.execute(DROP, &[account, id, lease])?,
        Outcome::Sent => tx.execute(END, &[account, id, lease, &"sent", &none])?,
        Outcome::Failed(reason) => {
            tx.execute(END, &[account, id, lease, &"failed", &Some(reason.clone())])?
        }
        Outcome::Unsure(reason) => {
            tx.execute(END, &[account, id, lease, &"unsure", &Some(reason.clone())])?
        }
    };
    Ok(())
}

impl Courier {
    async fn send(&self, job: &Job) -> Outcome {
        let now = (self.server.clock)();
        if self.server.suspensions.contains(job.account) {
            return self.again(job, "the account is suspended".to_owned());
        }
        if facts::is_stale(&job.stored, job.id.created_at(), now) {
            return Outcome::Failed("it has waited for too long".to_owned());
        }
        let (account, stored) = (job.account, job.stored.clone());
        let read = self.server.store.read(move |tx| facts::read(tx, account, &stored)).await;
        let (recipient, facts) = match read {
            Ok(Some(read)) => read,
            Ok(None) => return Outcome::Dropped,
            Err(error) => return self.store_failed(job, &error),
        };
        let is_looking = facts::conversation(&job.stored)
            .is_some_and(|conversation| self.places.is_at(account, job.stored.user, conversation, now));
        if is_looking {
            return Outcome::Dropped;
        }
        let Ok(to) = recipient.email.parse::<Address>() else {
            return Outcome::Failed("the member's address is not one that mails can be sent to".to_owned());
        };
        let mut conversation = match Conversation::open(&self.settings).await {
            Ok(conversation) => conversation,
            Err(refusal) => return self.refused(job, refusal),
        };
        if let Err(refusal) = conversation.address(&self.settings.from.email, &to).await {
            conversation.end().await;
            return self.refused(job, refusal);
        }
        let link = match self.begin(job).await {
            Ok(Begun::Yes(link)) => link,
            Ok(Begun::No | Begun::Nobody) => {
                conversation.end().await;
                return Outcome::Dropped;
            }
            Err(error) => {
                conversation.end().await;
                return self.store_failed(job, &error);
            }
        };
        let facts = match link {
            Some(link) => facts.with_link(link),
            None => facts,
        };
        let Some(words) = self.words(job, &recipient, &to, &facts) else {
            conversation.end().await;
            return Outcome::Failed("the mail could not be written".to_owned());
        };
        match conversation.hand_over(&words).await {
            Ok(_) => Outcome::Sent,
            Err(refusal) => self.refused(job, refusal),
        }
    }

    /// Marks the mail as begun, and makes the link that it is about.
    async fn begin(&self, job: &Job) -> db::Result<Begun> {
        let (account, id, lease) = (job.account, job.id, job.lease);
        let Stored { user, kind, author, .. } = job.stored;
        let (random, now) = ((self.chance)(), (self.server.clock)());
        let base_url = self.server.services.base_url.clone();
        let begin = move |tx: &mut Tx<'_>| {
            if !tx.execute(BEGIN, &[&account, &id, &lease])?.any() {
                return Ok(Begun::No);
            }
            if !matches!(kind, MailKind::Invitation | MailKind::PasswordReset) {
                return Ok(Begun::Yes(None));
            }
            let author = author.map_or(LinkAuthor::Operator, LinkAuthor::Member);
            match links::create(tx, &random, (account, user), Purpose::Password, author, now) {
                Ok(link) => Ok(Begun::Yes(Some(link.url(&base_url)))),
                Err(MemberError::Store(error)) => Err(error),
                Err(_) => Ok(Begun::Nobody),
            }
        };
        self.server.store.write(begin).await
    }

    fn words(&self, job: &Job, recipient: &Recipient, to: &Address, facts: &Facts) -> Option<Vec<u8>> {
        let services = &self.server.services;
        let (base_url, member) = (&services.base_url, (job.account, job.stored.user));
        let unsubscribe = unsubscribe::url(&services.secrets, base_url, member, job.stored.kind);
        let letter =
            Letter::new(facts, recipient.language, &recipient.brand, base_url, unsubscribe.as_deref());
        message::write(Envelope {
            from: &self.settings.from,
            from_name: &recipient.brand,
            to,
            to_name: &recipient.name,
            subject: &letter.subject,
            text: letter.text(),
            html: letter.html(),
            message_id: format!("<{}@{}>", job.id, self.settings.from.email.domain()),
            now: (self.server.clock)(),
            unsubscribe: unsubscribe.as_deref(),
        })
    }

    fn refused(&self, job: &Job, refusal: Refusal) -> Outcome {
        match refusal {
            Refusal::ForNow(reason) => self.again(job, reason),
            Refusal::ForGood(reason) => Outcome::Failed(reason),
            Refusal::Unsure(reason) => Outcome::Unsure(reason),
        }
    }

    fn store_failed(&self, job: &Job, error: &db::Error) -> Outcome {
        tracing::warn!(%error, "a mail could not be read or marked; retrying later");
        self.again(job, "the database did not respond".to_owned())
    }

    /// The next try, or the end if it has been tried for long enough.
    fn again(&self, job: &Job, reason: String) -> Outcome {
        let doubled = PAUSE * (1 << job.tries.saturating_sub(1).clamp(0, 10));
        let at = (self.server.clock)() + doubled.min(PAUSE_MAX);
        if facts::is_stale(&job.stored, job.id.created_at(), at) {
            return Outcome::Failed(reason);
        }
        Outcome::Again(at, reason)
    }
}
