//! Opt-outs: contacts that get no broadcasts.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::{self, EventType};
use frontdesk_web::resource;

use super::contact::{Contact, ContactError, ContactId, MISSING};
use super::event_types::{self, ContactEventData};
use super::sql::{FIND_OPT_OUT, SET_OPT_OUT};
use super::{rows, stored_labels};

/// The source of an opt-out by the API.
pub const SOURCE_API: &str = "api";

resource! {
    /// Whether a contact is opted out of broadcasts.
    pub struct OptOut {
        pub contact_id: ContactId,
        pub opted_out: bool,
        pub opted_out_at: Option<Timestamp>,
        /// The source of the opt-out: `api`, or the channel on which the contact opted out.
        pub source: Option<String>,
    }
}

/// The opt-out state; none if the contact does not exist.
pub fn opt_out_of(tx: &mut ReadTx<'_>, account: AccountId, id: ContactId) -> db::Result<Option<OptOut>> {
    tx.find(FIND_OPT_OUT, &[&account, &id], |row| read(row, id))
}

/// Opts a contact out. A contact that is already opted out keeps its earlier time.
pub fn opt_out(tx: &mut Tx<'_>, by: &By, id: ContactId, source: &str) -> Result<OptOut, ContactError> {
    let now = tx.find_to_change(FIND_OPT_OUT, &[&by.account, &id], |row| read(row, id))?.ok_or(MISSING)?;
    if now.opted_out {
        return Ok(now);
    }
    set(tx, by, id, Some((by.now, source)), event_types::OPTED_OUT)
}

/// Opts a contact in again.
pub fn opt_in(tx: &mut Tx<'_>, by: &By, id: ContactId) -> Result<OptOut, ContactError> {
    let now = tx.find_to_change(FIND_OPT_OUT, &[&by.account, &id], |row| read(row, id))?.ok_or(MISSING)?;
    if !now.opted_out {
        return Ok(now);
    }
    set(tx, by, id, None, event_types::OPTED_IN)
}

fn set(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    out: Option<(Timestamp, &str)>,
    event: EventType<ContactEventData<'_>>,
) -> Result<OptOut, ContactError> {
    let (at, source) = out.unzip();
    let found = rows::find(tx, by.account, id)?.ok_or(MISSING)?;
    let contact = Contact { updated_at: by.now, ..found };
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &at, &source, &contact.updated_at, &stored_labels::of(&contact)];
    tx.execute(SET_OPT_OUT, params)?.exactly(1)?;
    events::write(tx, by, event, &ContactEventData { contact: &contact })?;
    Ok(OptOut {
        contact_id: id,
        opted_out: at.is_some(),
        opted_out_at: at,
        source: source.map(ToOwned::to_owned),
    })
}

fn read(row: &mut Row<'_>, contact_id: ContactId) -> db::Result<OptOut> {
    let opted_out_at: Option<Timestamp> = row.next()?;
    Ok(OptOut { contact_id, opted_out: opted_out_at.is_some(), opted_out_at, source: row.next()? })
}
