//! Cancels runs: on request, and with their assistant.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::By;

use super::advance::{End, end};
use super::row;
use super::run::{MISSING, Run, RunError};
use super::sql;
use super::status::Act;
use crate::ids::RunId;

const BY_REQUEST: &str = "It was cancelled.";
const WITH_ASSISTANT: &str = "Its assistant was deleted.";

/// Cancels a run, as POST /runs/{id}/cancel does.
pub fn cancel(tx: &mut Tx<'_>, by: &By, id: RunId) -> Result<Run, RunError> {
    let row = row::hold(tx, by.account, id)?.ok_or(MISSING)?;
    row.run.status.after(Act::Cancel)?;
    Ok(end(tx, by, row, End::Cancelled(BY_REQUEST))?)
}

/// Cancels every run of an assistant that is deleted.
pub(crate) fn cancel_all_of(tx: &mut Tx<'_>, by: &By, assistant: AssistantId) -> db::Result<()> {
    for id in tx.query(sql::OF_ASSISTANT, &[&by.account, &assistant], only::<RunId>)? {
        if let Some(row) = row::hold(tx, by.account, id)?.filter(|row| !row.run.status.is_over()) {
            end(tx, by, row, End::Cancelled(WITH_ASSISTANT))?;
        }
    }
    Ok(())
}
