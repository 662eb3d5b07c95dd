//! Copies a whole database into another one, of either engine, and compares both at the end.
//!
//! The source has a mark from the first step on, so that no server works on it any more: its queues would be worked off twice.
//! The target has one until it is complete. Every page of rows commits with its position, so a copy that was killed goes on. The
//! secret key goes with the data, because what is sealed under it stays as it is.

mod compare;
mod rows;
mod search_columns;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use frontdesk_db::copies::CopyMark;
use frontdesk_db::tables::{CopySource, CopyTarget, Snapshot};
use frontdesk_db::{DatabaseUrl, Error as DatabaseError};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::key_id_of;
use frontdesk_search::SIDE_FILES;
use frontdesk_search::stored::AFTER_COPY;
use uuid::Uuid;

use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::secret_key::{self, PlacedKey, VARIABLE};

pub(crate) use compare::ComparedTable;

/// The file that a server keeps beside a SQLite database for its calls.
const CALLS_FILE: &str = "calls";

/// Is told of every step. An error stops the copy.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(Step) -> Result<()>;

/// What was copied.
#[derive(Debug)]
pub(crate) struct Copied {
    pub(crate) tables: Vec<ComparedTable>,
    /// The rows that this run has copied.
    pub(crate) rows: u64,
    pub(crate) copying: Duration,
    pub(crate) took: Duration,
    pub(crate) key: PlacedKey,
    /// Whether an earlier run had begun it.
    pub(crate) is_resumed: bool,
}

/// Copies everything, or what an interrupted copy has left. `new_id` is the id of a copy that begins. Blocks.
pub(crate) fn copy(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    (new_id, now): (Uuid, Timestamp),
    progress: Progress<'_>,
) -> Result<Copied> {
    let began = Instant::now();
    if from == to {
        return Err(Error::Invalid("--from and --to name the same database".to_owned()));
    }
    let mut source = CopySource::open(from)?;
    let (key, key_text) = key_to_carry(from, to)?;
    let was_marked = source.mark()?;
    let mark = source.begin(new_id, &to.place())?;
    let side_files: Vec<&str> = SIDE_FILES.iter().map(|file| file.name).chain([CALLS_FILE]).collect();
    let opened = CopyTarget::open(to, mark.copy_id, source.place(), &side_files);
    let (mut target, is_resumed) = match opened {
        Ok(opened) => opened,
        // The target is in service. Where it is only held by another copy, that one may not have finished it.
        Err(DatabaseError::InUse(_)) if mark.completed_at.is_some() => {
            return Err(mark.refusal(source.place()).into());
        }
        Err(error) => {
            if was_marked.is_none() {
                source.undo()?;
            }
            return Err(error.into());
        }
    };
    let key_row = match key_text {
        // On PostgreSQL the key is a row.
        Some(text) if secret_key::place_text(to, &text)?.is_none() => Some(text),
        _ => None,
    };
    let mut snapshot = Snapshot::open_to_copy(from)?;
    let rows = rows::copy(&mut snapshot, &mut target, key_row, progress)?;
    make_indexes(&mut target, progress)?;
    let copying = began.elapsed();
    let tables = compare::compare(snapshot, Snapshot::open_to_copy(to)?, &to.place(), progress)?;
    source.complete(now)?;
    target.finish(AFTER_COPY)?;
    Ok(Copied { tables, rows, copying, took: began.elapsed(), key, is_resumed })
}

/// Puts a source back into service. Returns the mark that it had.
pub(crate) fn undo(from: &DatabaseUrl) -> Result<Option<CopyMark>> {
    let mut source = CopySource::open(from)?;
    let mark = source.mark()?;
    match &mark {
        Some(mark) if mark.side == frontdesk_db::copies::CopySide::Target => {
            return Err(mark.refusal(source.place()).into());
        }
        Some(_) => source.undo()?,
        None => {}
    }
    Ok(mark)
}

fn make_indexes(target: &mut CopyTarget, progress: Progress<'_>) -> Result<()> {
    let missing = target.missing_indexes()?;
    for (done, name) in missing.iter().enumerate() {
        let (done, total) = (done as u64, missing.len() as u64);
        progress(Step { done, total, bytes: 0, phase: Phase::Indexes })?;
        target.make_index(name)?;
    }
    Ok(())
}

/// What becomes of the secret key, and its text if it must be put in its place. Fails if it is not here, because without it
/// the copy would be of no use.
fn key_to_carry(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<(PlacedKey, Option<String>)> {
    let mut snapshot = Snapshot::open(from)?;
    let Some(canary) = snapshot.setting(secret_key::CANARY)? else { return Ok((PlacedKey::NotNeeded, None)) };
    let stored = snapshot.setting(secret_key::SETTING)?;
    let id = key_id_of(&canary);
    let Ok(text) = secret_key::text_that_opens(from, stored, Some(&canary)) else {
        let id = id.map(|id| format!(" {id}")).unwrap_or_default();
        return Err(Error::Invalid(format!(
            "the secret key of {} is not here: its secrets are sealed under key{id}. Set {VARIABLE} to it, and run this again",
            from.place()
        )));
    };
    let key = secret_key::check_place(to, id, true)?;
    let text = (key == PlacedKey::FromBackup).then_some(text);
    Ok((key, text))
}
