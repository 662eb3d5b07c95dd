//! Asks: approvals and questions for which an assistant waits for a person.
//!
//! An ask belongs to the root of its tree of runs, so the asks of a sub-run appear on the run that people look at. It
//! is answered once: of two concurrent answers one succeeds and the other gets a 409. The answer and the run's next
//! state commit in one transaction. An unanswered ask expires, and its run fails.
//!
//! An ask of a program belongs to no run. It is about a held call (`held_calls`).

mod ask;
pub mod event_types;
mod sql;

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::{By, events};
use frontdesk_web::Page;
use serde_json::value::RawValue;

pub use ask::{Ask, AskAnswer, AskError, AskFilters, AskKind, AskStatus, Decision};
pub(crate) use ask::{AskRow, MISSING};

use crate::ids::{AskId, RunId};
use event_types::AskEventData;
use sql::columns;

/// How long a person has to answer an ask.
pub const ASK_TIME_MAX: Duration = Duration::from_hours(72);

/// Every statement of asks, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}

/// Inserts a pending ask and writes its `ask.created` event.
pub(crate) fn raise(tx: &mut Tx<'_>, by: &By, row: &AskRow) -> db::Result<()> {
    let ask = &row.ask;
    let (run_id, raised_by, assistant_id) = row.stored_ids();
    let params: &[&dyn db::Param] = &[
        &by.account,
        &ask.id,
        &run_id,
        &raised_by,
        &row.call,
        &assistant_id,
        &ask.kind,
        &ask.prompt,
        &ask.tool,
        &ask.arguments.as_ref().map(|json| json.get().to_owned()),
        &ask.expires_at,
    ];
    tx.execute(sql::INSERT, params)?.exactly(1)?;
    events::write(tx, by, event_types::CREATED, &AskEventData { ask })?;
    Ok(())
}

/// Cancels the pending asks of a run.
pub(crate) fn cancel_of(tx: &mut Tx<'_>, by: &By, run: RunId) -> db::Result<()> {
    for row in tx.query(sql::PENDING, &[&by.account, &run], read)? {
        settle(tx, by, row.ask, AskStatus::Cancelled)?;
    }
    Ok(())
}

/// Ends a pending ask and writes its `ask.answered` event. Returns false when it is no longer pending.
pub(crate) fn settle(tx: &mut Tx<'_>, by: &By, mut ask: Ask, status: AskStatus) -> db::Result<bool> {
    ask.status = status;
    let is_answer = matches!(status, AskStatus::Approved | AskStatus::Declined | AskStatus::Answered);
    ask.answered_at = is_answer.then_some(by.now);
    let params: &[&dyn db::Param] =
        &[&by.account, &ask.id, &ask.status, &ask.answer, &ask.answered_by, &ask.answered_at];
    if !tx.execute(sql::SETTLE, params)?.any() {
        return Ok(false);
    }
    events::write(tx, by, event_types::ANSWERED, &AskEventData { ask: &ask })?;
    Ok(true)
}

/// Clears the prompts, arguments and answers of asks about an erased contact.
pub(crate) fn forget(
    tx: &mut Tx<'_>,
    account: AccountId,
    contact: frontdesk_crm::contacts::ContactId,
) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::FORGET, &[&account, &contact])?;
    Ok(())
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: AskId) -> db::Result<Option<Ask>> {
    Ok(tx.find(sql::FIND, &[&account, &id], read)?.map(|row| row.ask))
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &AskFilters,
    page: &Page,
) -> db::Result<Vec<Ask>> {
    let mut query = Query::new(columns!());
    query.bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(kind) = filters.kind {
        query.push(" AND kind = ").bind(kind);
    }
    if let Some(run) = filters.run_id {
        query.push(" AND run_id = ").bind(run);
    }
    newest_first(&mut query, page);
    Ok(tx.run(&query, read)?.into_iter().map(|row| row.ask).collect())
}

/// The pending asks of runs: those that a run raised and, for a root, those of its sub-runs.
pub(crate) fn pending_of(tx: &mut ReadTx<'_>, account: AccountId, runs: &[RunId]) -> db::Result<Vec<AskRow>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    // Each column has its own index. An index on pending asks would scan all pending asks of the account.
    let mut found = BTreeMap::new();
    for column in ["run_id", "raised_by"] {
        let mut query = Query::new(columns!());
        query.bind(account).push(" AND ").push(column).push(" IN ").bind_list(runs);
        found.extend(tx.run(&query, read)?.into_iter().map(|row| (row.ask.id, row)));
    }
    Ok(found.into_values().filter(|row| row.ask.status == AskStatus::Pending).collect())
}

/// Reads an ask with the call that it is about.
pub(crate) fn look(tx: &mut ReadTx<'_>, account: AccountId, id: AskId) -> db::Result<Option<AskRow>> {
    tx.find(sql::FIND, &[&account, &id], read)
}

/// As [`look`], and locks the ask until the transaction ends.
pub(crate) fn hold(tx: &mut Tx<'_>, account: AccountId, id: AskId) -> db::Result<Option<AskRow>> {
    tx.find_to_change(sql::FIND, &[&account, &id], read)
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "asks",
    &["asks"],
    Columns {
        sql: "t.id, t.run_id, t.assistant_id, t.kind, t.prompt, t.tool, t.arguments, t.status, t.answer, t.answered_by, t.expires_at,
            t.answered_at, t.raised_by, t.call_id",
        line: |row, _| line(&read(row)?.ask),
    },
)
.of_contact(
    "t.raised_by IN (SELECT r.id FROM runs r WHERE r.account_id = {account} AND r.contact_id = {contact})",
)];

fn read(row: &mut Row<'_>) -> db::Result<AskRow> {
    let id: AskId = row.next()?;
    let (run_id, assistant_id, kind, prompt, tool) =
        (row.next()?, row.next()?, row.next()?, row.next()?, row.next()?);
    let arguments: Option<String> = row.next()?;
    let arguments = arguments.map(RawValue::from_string).transpose().map_err(|_| db::Error::Decode("ask"))?;
    let ask = Ask {
        id,
        run_id: ask::read_id(run_id),
        assistant_id: ask::read_id(assistant_id),
        kind,
        prompt,
        tool,
        arguments,
        status: row.next()?,
        answer: row.next()?,
        answered_by: row.next()?,
        expires_at: row.next()?,
        answered_at: row.next()?,
        created_at: id.created_at(),
    };
    Ok(AskRow { ask, raised_by: ask::read_id(row.next()?), call: row.next()? })
}
