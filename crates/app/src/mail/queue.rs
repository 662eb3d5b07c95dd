//! What the courier claims of the queue of mails.

use frontdesk_jobs::Queue;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_platform::mails::{MailId, MailKind, QUEUED};
use uuid::Uuid;

pub(super) const MAILS: Queue<AccountId, Job> = Queue::new(QUEUED);

/// What is stored of a mail.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) user: UserId,
    pub(super) kind: MailKind,
    pub(super) about: Uuid,
    pub(super) cause: Uuid,
    pub(super) author: Option<UserId>,
    pub(super) detail: Option<String>,
}

/// A claimed mail.
pub(super) struct Job {
    pub(super) account: AccountId,
    pub(super) id: MailId,
    pub(super) stored: Stored,
    pub(super) tries: i64,
    pub(super) lease: Uuid,
}
