//! Queues mails in the transaction of their cause.

use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Ids, Timestamp};
use uuid::Uuid;

use super::kind::MailKind;
use super::sql::{
    COUNT_OF_KIND, COUNT_OF_PERSON, FORGET, HAS_LOGIN, MANAGERS, QUEUE, WAITING_ABOUT, WITHDRAW,
};
use super::{QUEUED, is_set_up};

/// Mails of one kind that an account may send in a day.
pub const KIND_PER_DAY_MAX: i64 = 500;
/// Owners and admins of an account who get mails.
const MANAGERS_MAX: i64 = 50;
/// Mails are kept this long, so that the operator sees what became of them.
const KEPT_FOR: Duration = Duration::from_hours(30 * 24);
/// Old mails deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;
const DAY: Duration = Duration::from_hours(24);

/// Marks the id of a mail.
pub enum MailRow {}
pub type MailId = Id<MailRow>;

/// A mail to be queued.
#[derive(Clone, Debug)]
pub struct NewMail {
    pub account: AccountId,
    pub user: UserId,
    pub kind: MailKind,
    /// One mail about this in each period.
    pub about: Uuid,
    /// What it is read from when it is sent.
    pub cause: Uuid,
    /// The member who did it.
    pub author: Option<UserId>,
    /// What no row says later, as JSON.
    pub detail: Option<String>,
    pub delay: Duration,
}

impl NewMail {
    /// A mail about one thing, to be sent at once.
    pub fn new(account: AccountId, user: UserId, kind: MailKind, about: Uuid) -> Self {
        let (author, detail) = (None, None);
        Self { account, user, kind, about, cause: about, author, detail, delay: Duration::ZERO }
    }

    /// A mail to all owners and admins, for [`queue_for_managers`].
    pub fn for_managers(account: AccountId, kind: MailKind, about: Uuid) -> Self {
        Self::new(account, UserId::from_uuid(Uuid::nil()), kind, about)
    }
}

/// What became of a request to mail something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    Yes,
    /// The same was mailed in this period.
    Lately,
    /// The person or the account has reached its limit of the day.
    TooMany,
}

/// Queues a mail, if the limits allow it.
pub fn queue(tx: &mut Tx<'_>, ids: &Ids, mail: &NewMail, now: Timestamp) -> db::Result<Queued> {
    let NewMail { account, user, kind, .. } = mail;
    let since = Id::<MailRow>::first_at(now - DAY);
    let of_kind = tx.find(COUNT_OF_KIND, &[account, kind, &since], only::<i64>)?.unwrap_or(0);
    let of_person = tx.find(COUNT_OF_PERSON, &[account, kind, &since, user], only::<i64>)?.unwrap_or(0);
    if of_kind >= KIND_PER_DAY_MAX || of_person >= kind.per_person_day_max() {
        return Ok(Queued::TooMany);
    }
    let id: MailId = ids.next(now);
    let period = now.seconds().div_euclid(kind.period().as_secs() as i64);
    let due_at = now + mail.delay;
    let params: &[&dyn db::Param] =
        &[account, &id, user, kind, &mail.about, &mail.cause, &mail.author, &period, &mail.detail, &due_at];
    if !tx.execute(QUEUE, params)?.any() {
        return Ok(Queued::Lately);
    }
    tx.wake_about(QUEUED, account.uuid());
    Ok(Queued::Yes)
}

/// Queues a mail to every owner and admin of its account, except the one who did it. Nothing happens while no mail is set up.
pub fn queue_for_managers(tx: &mut Tx<'_>, ids: &Ids, mail: &NewMail, now: Timestamp) -> db::Result<()> {
    if !is_set_up(tx)? {
        return Ok(());
    }
    for user in tx.query(MANAGERS, &[&mail.account, &MANAGERS_MAX], only::<UserId>)? {
        if Some(user) != mail.author {
            let _limits_are_fine = queue(tx, ids, &NewMail { user, ..mail.clone() }, now)?;
        }
    }
    Ok(())
}

/// Queues a link for a member: to join, or to set a new password if there is a login. `author` is none for the operator and
/// for the person.
pub fn queue_link(
    tx: &mut Tx<'_>,
    ids: &Ids,
    (account, user): (AccountId, UserId),
    author: Option<UserId>,
    now: Timestamp,
) -> db::Result<Queued> {
    let has_login = tx.find(HAS_LOGIN, &[&account, &user], only::<bool>)?.unwrap_or(false);
    let kind = if has_login { MailKind::PasswordReset } else { MailKind::Invitation };
    let mail = NewMail { author, ..NewMail::new(account, user, kind, user.uuid()) };
    queue(tx, ids, &mail, now)
}

/// Whether a mail about something waits.
pub fn waits(
    tx: &mut ReadTx<'_>,
    (account, user): (AccountId, UserId),
    kind: MailKind,
    about: Uuid,
) -> db::Result<bool> {
    Ok(tx.find(WAITING_ABOUT, &[&account, &user, &kind, &about], only::<Uuid>)?.is_some())
}

/// Withdraws what waits about something. A later cause of the same period is mailed.
pub fn withdraw(
    tx: &mut Tx<'_>,
    (account, user): (AccountId, UserId),
    kind: MailKind,
    about: Uuid,
) -> db::Result<()> {
    tx.execute(WITHDRAW, &[&account, &user, &kind, &about]).map(|_any_number| ())
}

/// Deletes old mails. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let before = Id::<MailRow>::first_at(now - KEPT_FOR);
    Ok(tx.execute(FORGET, &[&before, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
