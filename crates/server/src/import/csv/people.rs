//! Finds the contact and the member that a row names.

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::imports;
use frontdesk_db::ReadTx;
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::{Country, Email};
use frontdesk_platform::members;

use super::batch::{Import, Refused};
use super::reader::CsvRow;
use crate::error::Result;

/// The contact of a row, by its number and then by its address. The inner error is why the row is refused.
pub(super) fn contact(
    tx: &mut ReadTx<'_>,
    import: &Import,
    row: &CsvRow,
) -> Result<std::result::Result<Option<ContactId>, Refused>> {
    let (phone, email) = (import.cell(row, "contact_phone"), import.cell(row, "contact_email"));
    if let Some(written) = phone {
        let phone = match Country::read_phone(import.country, written) {
            Ok(phone) => phone,
            Err(wrong) => return Ok(Err(Refused::new(row.line, "contact_phone", wrong.to_string(), phone))),
        };
        if let Some(found) = contacts::find_by_phone(tx, import.account, &phone)? {
            return Ok(Ok(Some(found)));
        }
    }
    if let Some(written) = email {
        let Ok(address) = written.parse::<Email>() else {
            return Ok(Err(Refused::new(row.line, "contact_email", "must be an email address", email)));
        };
        if let Some(found) = imports::find_by_email(tx, &import.by, &address)? {
            return Ok(Ok(Some(found)));
        }
    }
    if phone.is_some() || email.is_some() {
        let field = if phone.is_some() { "contact_phone" } else { "contact_email" };
        return Ok(Err(Refused::new(
            row.line,
            field,
            "is of no contact: bring contacts first",
            phone.or(email),
        )));
    }
    Ok(Ok(None))
}

/// The member that a column of a row names by an address.
pub(super) fn member(
    tx: &mut ReadTx<'_>,
    import: &Import,
    row: &CsvRow,
    target: &str,
) -> Result<std::result::Result<Option<UserId>, Refused>> {
    let Some(written) = import.cell(row, target) else { return Ok(Ok(None)) };
    let found = members::with_email(tx, &written.to_lowercase())?;
    let found = found.into_iter().find(|member| member.account == import.account);
    Ok(found.map(|member| Some(member.user)).ok_or_else(|| {
        Refused::new(row.line, target, "is the address of no member of the account", Some(written))
    }))
}
