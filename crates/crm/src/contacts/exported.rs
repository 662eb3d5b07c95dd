//! What an export has of contacts.

use std::collections::HashMap;

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::export::{Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::export_columns;
use uuid::Uuid;

use super::contact::{Contact, ContactId};
use super::labels;
use super::source::{COLUMNS, read};

/// Contacts with their tags and custom fields; the numbers of contacts that were merged into them; and the channels on
/// which they have written.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "contact_phones",
        &["contact_phones"],
        export_columns!("phone_key": String, "contact_id": ContactId),
    )
    .keyed(&["t.phone_key"])
    .of_contact("t.contact_id = {contact}"),
    &ExportedRows::new(
        "contact_channels",
        &["contact_channels"],
        export_columns!("contact_id": ContactId, "channel": String),
    )
    .keyed(&["t.contact_id", "t.channel"])
    .of_contact("t.contact_id = {contact}"),
    &ExportedRows::found("contacts", &["contacts", "contact_tags", "contact_values"], find)
        .of_contact("t.id = {contact}"),
];

/// What the API shows elsewhere, or not at all.
type Standing = (Option<Timestamp>, Option<String>, Option<Timestamp>);

fn find(tx: &mut ReadTx<'_>, account: AccountId, ids: &[Uuid]) -> db::Result<Vec<String>> {
    let mut query = Query::new("SELECT ");
    query.push(COLUMNS).push(" FROM contacts c WHERE c.account_id = ").bind(account);
    query.push(" AND c.id IN ").bind_list(ids).push(" ORDER BY c.id");
    let rows = tx.run(&query, read)?;
    let contacts: Vec<Contact> = labels::complete(tx, account, rows)?;
    let mut query = Query::new(
        "SELECT id, opted_out_at, opt_out_source, last_inbound_at FROM contacts WHERE account_id = ",
    );
    query.bind(account).push(" AND id IN ").bind_list(ids);
    let standing: Vec<(ContactId, Standing)> =
        tx.run(&query, |row| Ok((row.next()?, (row.next()?, row.next()?, row.next()?))))?;
    let mut standing: HashMap<ContactId, Standing> = standing.into_iter().collect();
    let line = |contact: Contact| {
        let (opted_out_at, source, last_inbound_at) = standing.remove(&contact.id).unwrap_or_default();
        let more = LineFields::default()
            .with("opted_out_at", &opted_out_at)?
            .with("opt_out_source", &source)?
            .with("last_inbound_at", &last_inbound_at)?;
        line_with(&contact, more)
    };
    contacts.into_iter().map(line).collect()
}
