//! Deletes the messages of erased contacts in batches.
//!
//! The request that erases a contact hides its messages at once. This worker deletes them, and the stored
//! responses of idempotent requests that contain them. Its queue is in the database, so it resumes after a
//! crash. Servers that work on the same conversation take turns.

use std::time::Duration;

use frontdesk_crm::contacts::erasures::{self, Erasure, QUEUED};
use frontdesk_db::{self as db, Query, Store, Tx};
use frontdesk_jobs::{Chore, Context, Worker, catch_panic, set_aside};
use frontdesk_kernel::Id;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::idempotency;
use frontdesk_search::messages as search;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::media::MediaId;
use crate::messages::MessageId;

/// Messages deleted in one transaction, which takes some milliseconds.
const BATCH: i64 = 500;
/// The pause after an erasure failed.
const FAULT_PAUSE: Duration = Duration::from_millis(500);

frontdesk_db::statements! {
    MESSAGES = "SELECT id, media_id FROM messages WHERE account_id = $1 AND conversation_id = $2 ORDER BY id LIMIT $3";
    DELETE_PIECES = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2)";
}

/// Starts the worker.
pub fn start(context: &Context) -> Worker {
    CHORE.start(context, context.store.clone(), erase_all)
}

const NAME: &str = "eraser";
const CHORE: Chore = Chore::every(Duration::from_mins(1), NAME).woken_by(QUEUED);

async fn erase_all(store: Store, stopped: watch::Receiver<bool>) -> db::Result<()> {
    while !*stopped.borrow() {
        let Some(erasure) = store.read(erasures::next).await? else { break };
        match catch_panic(erase(&store, erasure, &stopped)).await {
            Err(error) if error.is_lasting() => {
                tracing::warn!(subject = %erasure.subject, %error, "erasure failed; retrying in {} ms", FAULT_PAUSE.as_millis());
                if store.write(move |tx| erasures::put_off(tx, erasure)).await? {
                    set_aside(NAME, erasure.subject, &error);
                }
                sleep(FAULT_PAUSE).await;
            }
            erased => erased?,
        }
    }
    Ok(())
}

/// Erases everything that remains of a subject.
async fn erase(store: &Store, erasure: Erasure, stopped: &watch::Receiver<bool>) -> db::Result<()> {
    while !*stopped.borrow() && store.write(move |tx| erase_some(tx, erasure)).await? {}
    let Erasure { account, subject } = erasure;
    let keys = store.scan(move |tx| idempotency::mentioning(tx, account, subject)).await?;
    if *stopped.borrow() {
        return Ok(());
    }
    store
        .write(move |tx| -> db::Result<()> {
            idempotency::forget_keys(tx, account, &keys)?;
            erasures::done(tx, erasure)
        })
        .await
}

/// Deletes a batch of messages. True if there may be more.
fn erase_some(tx: &mut Tx<'_>, erasure: Erasure) -> db::Result<bool> {
    let Erasure { account, subject } = erasure;
    if !erasures::hold(tx, erasure)? {
        return Ok(false);
    }
    let messages = tx.query(MESSAGES, &[&account, &subject, &BATCH], |row| {
        Ok((row.next::<MessageId>()?, row.next::<Option<MediaId>>()?))
    })?;
    let ids: Vec<MessageId> = messages.iter().map(|(id, _)| *id).collect();
    let media: Vec<MediaId> = messages.iter().filter_map(|(_, media)| *media).collect();
    delete(tx, account, "reactions", "message_id", &ids)?;
    delete(tx, account, "assistant_messages", "message_id", &ids)?;
    delete(tx, account, "message_statuses", "message_id", &ids)?;
    delete_pieces(tx, account, &media)?;
    search::erasing(tx, account, ids.iter().map(MessageId::uuid))?;
    delete(tx, account, "messages", "id", &ids)?;
    Ok(messages.len() as i64 == BATCH)
}

/// Deletes files, except those that messages of other conversations have.
fn delete_pieces(tx: &mut Tx<'_>, account: AccountId, media: &[MediaId]) -> db::Result<()> {
    for id in media {
        let _any_number_is_fine = tx.execute(DELETE_PIECES, &[&account, id])?;
    }
    Ok(())
}

fn delete<T: ?Sized + 'static>(
    tx: &mut Tx<'_>,
    account: AccountId,
    table: &str,
    column: &str,
    ids: &[Id<T>],
) -> db::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut query = Query::new("DELETE FROM ");
    query
        .push(table)
        .push(" WHERE account_id = ")
        .bind(account)
        .push(" AND ")
        .push(column)
        .push(" IN ")
        .bind_list(ids);
    let _any_number_is_fine = tx.change(&query)?;
    Ok(())
}
