//! Deletes what nobody needs any more, in small batches: what has expired, and what is older than an installation keeps it.

use std::time::Duration;

use frontdesk_agent::runs;
use frontdesk_app::push;
use frontdesk_db::{self as db, Store, Tx};
use frontdesk_inbox::{media, messages};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::sign_in::{audit, failures, links, orphans, sessions};
use frontdesk_platform::{bulk, idempotency, mails, webhooks};
use frontdesk_triggers::{CALL_DAYS, forget_calls};

/// The longest configurable retention.
const DAYS_MAX: i64 = 36_500;
const DAY: Duration = Duration::from_hours(24);
/// A short pause between batches, so that deleting does not block other writes.
const BATCH_PAUSE: Duration = Duration::from_millis(5);

/// Small merge steps of the search index per round: enough for ten thousand new contacts.
const SEARCH_STEPS: usize = 64;

/// Deletes a batch of expired rows. True if there may be more.
type Forget = fn(&mut Tx<'_>, Timestamp) -> db::Result<bool>;

/// What is deleted in every round, by name.
const EXPIRED: &[(&str, Forget)] = &[
    ("responses of idempotent requests", idempotency::forget),
    ("early reports", messages::forget_early),
    ("uploads", media::forget_uploads),
    ("sessions", sessions::forget),
    ("devices for notifications", push::forget),
    ("links", links::forget),
    ("mails", mails::forget),
    ("failed sign-ins", failures::forget),
];

/// How many days each kind of data is kept; none is forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to the name of a limit")]
pub(crate) struct Retention {
    /// Runs since they ended, with their events, asks and model calls.
    pub(crate) run_days: Option<i64>,
    pub(crate) audit_log_days: Option<i64>,
    /// Bulk jobs that are over.
    pub(crate) bulk_job_days: Option<i64>,
    /// Logins since their last membership ended.
    pub(crate) orphaned_login_days: Option<i64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            run_days: Some(365),
            audit_log_days: Some(730),
            bulk_job_days: Some(30),
            orphaned_login_days: Some(90),
        }
    }
}

impl Retention {
    /// Reads the variables; every mistake is passed to `note`.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>, mut note: impl FnMut(String)) -> Self {
        let usual = Self::default();
        let mut days = |name: &str, usual: Option<i64>| match variable(name).as_deref() {
            None => usual,
            Some("never") => None,
            Some(text) => {
                let days = text.parse().ok().filter(|days| (1..=DAYS_MAX).contains(days));
                if days.is_none() {
                    note(format!("{name} is a number of days from 1 to {DAYS_MAX}, or never, not {text:?}"));
                }
                days
            }
        };
        Self {
            run_days: days("FRONTDESK_RUN_DAYS", usual.run_days),
            audit_log_days: days("FRONTDESK_AUDIT_LOG_DAYS", usual.audit_log_days),
            bulk_job_days: days("FRONTDESK_BULK_JOB_DAYS", usual.bulk_job_days),
            orphaned_login_days: days("FRONTDESK_ORPHANED_LOGIN_DAYS", usual.orphaned_login_days),
        }
    }

    /// Deletes everything that is too old.
    pub(crate) async fn apply(self, store: &Store, now: Timestamp) -> db::Result<()> {
        let before = |days: Option<i64>| days.map(|days| now - DAY * u32::try_from(days).unwrap_or(u32::MAX));
        if let Some(before) = before(self.orphaned_login_days) {
            until_none_is_left(store, move |tx| orphans::forget(tx, before)).await?;
        }
        let (runs_before, audit_before, bulk_before) =
            (before(self.run_days), before(self.audit_log_days), before(self.bulk_job_days));
        for account in store.read(webhooks::accounts).await? {
            of_account(store, account, runs_before, runs::purge).await?;
            of_account(store, account, audit_before, audit::forget).await?;
            of_account(store, account, bulk_before, bulk::forget).await?;
            of_account(store, account, before(Some(CALL_DAYS)), forget_calls).await?;
        }
        Ok(())
    }
}

/// Deletes what an account has from before a moment, if there is one.
async fn of_account(
    store: &Store,
    account: AccountId,
    before: Option<Timestamp>,
    delete: fn(&mut Tx<'_>, AccountId, Timestamp) -> db::Result<bool>,
) -> db::Result<()> {
    match before {
        Some(before) => until_none_is_left(store, move |tx| delete(tx, account, before)).await,
        None => Ok(()),
    }
}

/// Runs transactions until one of them returns false.
async fn until_none_is_left(
    store: &Store,
    delete: impl Fn(&mut Tx<'_>) -> db::Result<bool> + Clone + Send + 'static,
) -> db::Result<()> {
    while store.write(delete.clone()).await? {
        tokio::time::sleep(BATCH_PAUSE).await;
    }
    Ok(())
}

/// Deletes expired data in small batches.
pub(crate) async fn clear_away(store: &Store, retention: Option<Retention>, now: Timestamp) {
    for (what, forget) in EXPIRED {
        report(what, forget_all(store, *forget, now).await);
    }
    report("parts of the search index", merge_search(store).await);
    report("events and deliveries", purge_events(store, now).await);
    if let Some(retention) = retention {
        report("old data", retention.apply(store, now).await);
    }
}

async fn forget_all(store: &Store, forget: Forget, now: Timestamp) -> db::Result<()> {
    while store.write(move |tx| forget(tx, now)).await? {}
    Ok(())
}

async fn merge_search(store: &Store) -> db::Result<()> {
    for _ in 0..SEARCH_STEPS {
        frontdesk_search::tidy(store).await?;
    }
    Ok(())
}

async fn purge_events(store: &Store, now: Timestamp) -> db::Result<()> {
    for account in store.read(webhooks::accounts).await? {
        while store.write(move |tx| webhooks::purge(tx, account, now)).await? {}
    }
    Ok(())
}

/// Logs a deletion that failed.
pub(crate) fn report(what: &str, outcome: db::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(what, %error, "expired data was not deleted; the next round tries again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_a_number_of_days_or_never() {
        let mut wrong = Vec::new();
        let read = |name: &str| match name {
            "FRONTDESK_RUN_DAYS" => Some("7".to_owned()),
            "FRONTDESK_AUDIT_LOG_DAYS" => Some("never".to_owned()),
            "FRONTDESK_BULK_JOB_DAYS" => Some("0".to_owned()),
            _ => None,
        };
        let retention = Retention::read(read, |problem| wrong.push(problem));
        assert_eq!((retention.run_days, retention.audit_log_days), (Some(7), None));
        assert_eq!(retention.orphaned_login_days, Retention::default().orphaned_login_days);
        assert_eq!(
            wrong,
            ["FRONTDESK_BULK_JOB_DAYS is a number of days from 1 to 36500, or never, not \"0\""]
        );
    }
}
