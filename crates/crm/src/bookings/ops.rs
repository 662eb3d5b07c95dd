//! Changes of bookings: the row and the event, in the given transaction.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::{self, Recorder};
use frontdesk_platform::export::{Columns, ExportedRows, line};

use super::booking::{Booking, BookingId};
use super::event_types::{self, BookingEventData};
use super::notice::Notice;
use super::source::SourceId;
use super::sql::{ADD_UID, ANY_DUE, BY_UID, DUE, FIND, INSERT, REPOINT, UPDATE};
use super::status::{BookingStatus, Step, step};
use crate::contacts::{self, ContactError, Policy, Repointed};

/// Bookings completed in one transaction.
const COMPLETED_AT_ONCE: i64 = 100;

/// Applies a calendar's webhook; false if it changes nothing.
pub(super) fn apply(
    tx: &mut Tx<'_>,
    by: &By,
    source: SourceId,
    notice: &Notice,
) -> Result<bool, ContactError> {
    let known = find_by_uid(tx, by.account, source, &notice.uid)?;
    if known.as_ref().is_some_and(|booking| booking.uid != notice.uid) {
        // A late webhook about the booking before it was rescheduled.
        return Ok(false);
    }
    let known = match (known, &notice.old_uid) {
        (None, Some(old)) => {
            let before = find_by_uid(tx, by.account, source, old)?;
            // A cancelled booking stays cancelled; the new times are a new booking.
            before.filter(|booking| booking.status != BookingStatus::Cancelled)
        }
        (known, _) => known,
    };
    let ahead = notice.times.is_some_and(|(_, end)| end > by.now);
    let standing = known.as_ref().map(|booking| booking.status);
    match (step(standing, notice.kind, ahead), known) {
        (Step::Create(status), _) => create(tx, by, source, notice, status),
        (Step::Move, Some(booking)) => reschedule(tx, by, source, notice, booking),
        (Step::End(status), Some(booking)) => {
            end(tx, by, booking, status)?;
            Ok(true)
        }
        (Step::Move | Step::End(_) | Step::Nothing, _) => Ok(false),
    }
}

fn create(
    tx: &mut Tx<'_>,
    by: &By,
    source: SourceId,
    notice: &Notice,
    status: BookingStatus,
) -> Result<bool, ContactError> {
    let Some((start_at, end_at)) = notice.times else { return Ok(false) };
    let id: BookingId = by.new_id();
    if !add_uid(tx, by, source, &notice.uid, id)? {
        // The same webhook arrived twice at once. Run again, this finds the booking that the other
        // transaction created.
        return Err(tx.again().into());
    }
    if let Some(old) = &notice.old_uid {
        // Later webhooks with its old uid find this booking too. A uid of another booking stays with that
        // one.
        add_uid(tx, by, source, old, id)?;
    }
    let booking = Booking {
        id,
        uid: notice.uid.clone(),
        contact_id: contacts::find_or_create(tx, by, &notice.person, Policy::FORM)?,
        title: notice.title(),
        start_at,
        end_at,
        status,
        created_at: id.created_at(),
        updated_at: id.created_at(),
    };
    write(tx, by, INSERT, &booking)?;
    write_event(tx, by, &booking)?;
    Ok(true)
}

/// The booking keeps its id and gets the calendar's new times, and its new uid if it has one. No event is sent.
fn reschedule(
    tx: &mut Tx<'_>,
    by: &By,
    source: SourceId,
    notice: &Notice,
    before: Booking,
) -> Result<bool, ContactError> {
    let Some((start_at, end_at)) = notice.times else { return Ok(false) };
    if notice.uid != before.uid && !add_uid(tx, by, source, &notice.uid, before.id)? {
        return Err(tx.again().into());
    }
    let contact_id = match before.contact_id {
        None => contacts::find_or_create(tx, by, &notice.person, Policy::FORM)?,
        known => known,
    };
    let status = BookingStatus::Scheduled;
    let title = notice.title.clone().unwrap_or_else(|| before.title.clone());
    let uid = notice.uid.clone();
    let same = (&uid, contact_id, &title, start_at, end_at, status)
        == (&before.uid, before.contact_id, &before.title, before.start_at, before.end_at, before.status);
    if same {
        return Ok(false);
    }
    let by = &by.after(before.updated_at);
    let booking = Booking { uid, contact_id, title, start_at, end_at, status, updated_at: by.now, ..before };
    write(tx, by, UPDATE, &booking)?;
    Ok(true)
}

fn end(tx: &mut Tx<'_>, by: &By, before: Booking, status: BookingStatus) -> db::Result<()> {
    let by = &by.after(before.updated_at);
    let booking = Booking { status, updated_at: by.now, ..before };
    write(tx, by, UPDATE, &booking)?;
    write_event(tx, by, &booking)
}

/// Whether any booking's end has passed, of any account.
pub fn any_due(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(tx.find(ANY_DUE, &[&now], only::<BookingId>)?.is_some())
}

/// Completes bookings whose end has passed, a batch at a time; true if there may be more. Each is completed
/// once, with any number of servers: a server that finds one locked waits, and then sees that it is
/// completed.
pub fn complete_due(tx: &mut Tx<'_>, now: Timestamp, recorder: &Arc<Recorder>) -> db::Result<bool> {
    let due: Vec<(AccountId, BookingId)> =
        tx.query(DUE, &[&now, &COMPLETED_AT_ONCE], |row| Ok((row.next()?, row.next()?)))?;
    for (account, id) in &due {
        let booking = tx.find_to_change(FIND, &[account, id], read)?;
        let is_due = |booking: &Booking| booking.status == BookingStatus::Scheduled && booking.end_at <= now;
        if let Some(booking) = booking.filter(is_due) {
            end(tx, &By::system(*account, now, recorder), booking, BookingStatus::Completed)?;
        }
    }
    Ok(due.len() as i64 == COMPLETED_AT_ONCE)
}

/// The booking that has or had this uid, locked until the transaction ends.
fn find_by_uid(
    tx: &mut Tx<'_>,
    account: AccountId,
    source: SourceId,
    uid: &str,
) -> db::Result<Option<Booking>> {
    let Some(id) = tx.find(BY_UID, &[&account, &source, &uid], only::<BookingId>)? else { return Ok(None) };
    tx.find_to_change(FIND, &[&account, &id], read)
}

/// Stores a uid of the booking; false if another booking has it.
fn add_uid(tx: &mut Tx<'_>, by: &By, source: SourceId, uid: &str, booking: BookingId) -> db::Result<bool> {
    Ok(tx.execute(ADD_UID, &[&by.account, &source, &uid, &booking])?.any())
}

fn write(tx: &mut Tx<'_>, by: &By, statement: &str, booking: &Booking) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[
        &by.account,
        &booking.id,
        &booking.uid,
        &booking.contact_id,
        &booking.title,
        &booking.start_at,
        &booking.end_at,
        &booking.status,
        &booking.updated_at,
    ];
    tx.execute(statement, params)?.exactly(1)
}

fn write_event(tx: &mut Tx<'_>, by: &By, booking: &Booking) -> db::Result<()> {
    let event = match booking.status {
        BookingStatus::Scheduled => event_types::CREATED,
        BookingStatus::Completed => event_types::COMPLETED,
        BookingStatus::Cancelled => event_types::CANCELLED,
    };
    events::write(tx, by, event, &BookingEventData { booking }).map(|_| ())
}

pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "bookings",
    &["bookings"],
    Columns {
        sql: "t.id, t.uid, t.contact_id, t.title, t.start_at, t.end_at, t.status, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact("t.contact_id = {contact}");

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Booking> {
    let id: BookingId = row.next()?;
    Ok(Booking {
        id,
        uid: row.next()?,
        contact_id: row.next()?,
        title: row.next()?,
        start_at: row.next()?,
        end_at: row.next()?,
        status: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub const CONTACT_ROWS: Repointed = Repointed(REPOINT);
