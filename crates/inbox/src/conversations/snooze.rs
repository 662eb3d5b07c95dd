//! Snoozing: a conversation is pending until a time, and then opens automatically.
//!
//! A snoozed conversation is `pending`. Every worker polls once a second for conversations whose snooze has
//! ended and opens each in a separate transaction, with its event. A conversation that another server has
//! already opened is left as it is.

use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{By, Error, ServerContext};
use frontdesk_web::{Failure, Problems};
use tokio::sync::watch;

use super::conversation::{Conversation, ConversationId, ConversationStatus, MISSING};
use super::event_types;
use super::find_to_change;
use super::ops::write;
use super::sql::DUE;

/// Maximum conversations per poll.
const DUE_ROWS_MAX: i64 = 100;

/// Why a conversation was not snoozed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnoozeError {
    #[error(transparent)]
    Platform(#[from] Error),
    #[error("the time is not in the future")]
    Past,
}

impl From<db::Error> for SnoozeError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<SnoozeError> for Failure {
    fn from(error: SnoozeError) -> Self {
        match error {
            SnoozeError::Platform(error) => error.into(),
            SnoozeError::Past => Self::validation(Problems::one("until", "must be in the future")),
        }
    }
}

/// Snoozes a conversation until a time, or ends its snooze.
pub(crate) fn snooze(
    tx: &mut Tx<'_>,
    by: &By,
    id: ConversationId,
    until: Option<Timestamp>,
) -> Result<Conversation, SnoozeError> {
    if until.is_some_and(|until| until <= by.now) {
        return Err(SnoozeError::Past);
    }
    let before = find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let now = match until {
        Some(_) => {
            Conversation { status: ConversationStatus::Pending, snoozed_until: until, ..before.clone() }
        }
        None if before.snoozed_until.is_some() => before.clone().with_status(ConversationStatus::Open),
        None => before.clone(),
    };
    Ok(write(tx, by, &before, now, event_types::UPDATED)?)
}

/// Starts the worker that opens snoozed conversations.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    CHORE.start(context, server.clone(), open_due)
}

const CHORE: Chore = Chore::every(Duration::from_secs(1), "snoozes");

async fn open_due(server: ServerContext, stopped: watch::Receiver<bool>) -> db::Result<()> {
    let ServerContext { store, clock, recorder, .. } = &server;
    while !*stopped.borrow() {
        let now = clock();
        let due = store.read(move |tx| {
            tx.query(DUE, &[&now, &DUE_ROWS_MAX], |row| {
                Ok((row.next::<AccountId>()?, row.next::<ConversationId>()?))
            })
        });
        let due = due.await?;
        let is_full = due.len() as i64 == DUE_ROWS_MAX;
        for (account, id) in due {
            let by = By::system(account, clock(), recorder);
            store.write(move |tx| open(tx, &by, id)).await?;
        }
        if !is_full {
            break;
        }
    }
    Ok(())
}

/// Opens a conversation whose snooze has ended.
fn open(tx: &mut Tx<'_>, by: &By, id: ConversationId) -> db::Result<()> {
    let Some(before) = find_to_change(tx, by.account, id)? else { return Ok(()) };
    if before.snoozed_until.is_none_or(|until| until > by.now) {
        return Ok(());
    }
    let now = before.clone().with_status(ConversationStatus::Open);
    match write(tx, by, &before, now, event_types::UPDATED) {
        Ok(_) => Ok(()),
        Err(Error::Store(error)) => Err(error),
        // Nothing is looked up here, so nothing can be missing.
        Err(Error::Missing(noun)) => Err(db::Error::Decode(noun)),
    }
}
