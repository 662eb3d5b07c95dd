//! Broadcasts: one message to many people, and its status for each of them.
//!
//! A recipient is a row, created once with everything that their message needs. The worker queues recipients with the
//! inbox's sender as messages, so pace, retries, sends in doubt and reports work as for every message. An event
//! listener updates a recipient in the transaction that updates its message. Counts are exact at every moment
//! (`counts`), and no row is updated for every recipient.

mod advance;
mod api;
mod audience;
mod broadcast;
mod changes;
mod contact_rows;
mod counts;
mod create;
pub mod desk;
pub mod event_types;
pub mod input;
mod listener;
mod recipients;
mod row;
mod sql;
mod status;
mod stop;
mod variables;
mod worker;

use frontdesk_db::{self as db, ReadTx, Store, Tx};
use frontdesk_inbox::media::Links;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::EventDeclaration;
use frontdesk_platform::export::Exports;
use serde_json::Value;

pub use api::routes;
pub use broadcast::{
    Broadcast, BroadcastCounts, BroadcastError, BroadcastFilters, BroadcastId, BroadcastKind,
    BroadcastTemplate,
};
pub use contact_rows::ContactRows;
pub use counts::start as start_counts;
pub use create::{FREE_TEXT_CHARS_MAX, NewFreeText, Order};
pub use listener::Recipients;
pub use recipients::{BroadcastRecipient, RecipientStatus};
pub use row::list_all;
pub use status::BroadcastStatus;
pub use worker::start;

/// Every event type of this crate.
pub fn event_types() -> Vec<EventDeclaration> {
    event_types::EVENT_TYPES.to_vec()
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> Exports {
    vec![&recipients::EXPORTED, &row::EXPORTED_AUDIENCES, &row::EXPORTED]
}

/// Examples of what this crate sends, by the names of their schemas.
pub fn examples() -> Vec<(&'static str, Value)> {
    frontdesk_web::examples![Broadcast, BroadcastRecipient]
}

/// Creates a broadcast outside of a request. It is validated as a request would be.
pub async fn create(store: &Store, by: &By, order: Order) -> Result<Broadcast, BroadcastError> {
    let (by, order) = (by.clone(), std::sync::Arc::new(order));
    let (looking, looked_at) = (by.clone(), order.clone());
    let look = move |tx: &mut ReadTx<'_>| {
        let unknown = create::unknown(tx, &looking, &looked_at)?;
        if !unknown.is_empty() {
            return Err(BroadcastError::Invalid(unknown));
        }
        Ok(create::look_ahead(tx, &looking, &looked_at)?)
    };
    let found = store.scan(look).await?;
    store
        .write(move |tx| {
            let made = create::create(tx, &by, &order, found.as_ref())?;
            tx.notify(row::ADVANCED)?;
            Ok(made)
        })
        .await
}

/// A broadcast of any account, with its account. For the operator's commands.
pub fn find_in_any_account(
    tx: &mut ReadTx<'_>,
    id: BroadcastId,
) -> db::Result<Option<(AccountId, Broadcast)>> {
    Ok(row::find_in_any_account(tx, id)?.map(|found| (found.account, found.show())))
}

/// Cancels a broadcast and waits until none of its messages can be handed over any more.
pub async fn cancel(
    store: &Store,
    by: &By,
    links: &Links,
    id: BroadcastId,
) -> Result<Broadcast, BroadcastError> {
    let (cancelling, taken_back) = (by.clone(), links.clone());
    let cancelled = store
        .write(move |tx: &mut Tx<'_>| {
            let cancelled = stop::cancel(tx, &cancelling, &taken_back, id)?;
            tx.notify(row::ADVANCED)?;
            Ok::<_, BroadcastError>(cancelled)
        })
        .await?;
    if cancelled.status != BroadcastStatus::Sending {
        return Ok(cancelled);
    }
    stop::settle(store, by, links, id).await?;
    let account = by.account;
    let found = store.read(move |tx| row::find(tx, account, id)).await?;
    Ok(found.ok_or(broadcast::MISSING)?.show())
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &sql::ROWS.statements()].concat()
}

/// Statements that run on PostgreSQL only.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![sql::ROWS.postgres_statement()]
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    vec![sql::BACKLOG]
}
