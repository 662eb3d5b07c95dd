//! Events: records of changes, each written in the transaction that makes the change.
//!
//! The table is the outbox from which webhooks are delivered and the log that GET /events reads. An event is never
//! changed.

mod api;
mod catalogue;
mod event_type;
pub mod live;
pub mod many;
mod openapi;
pub mod order;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Components, Page, Param};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

pub use api::{EventTypeInfo, routes};
pub use catalogue::{Catalogue, EventTypeName};
pub(crate) use event_type::event_types;
pub use event_type::{EventDeclaration, EventType, shown};
pub use frontdesk_web::Describe;
pub use many::{NewEvent, write_many};
pub(crate) use openapi::EVENT_PATTERN;
pub use openapi::{describe, example_of};

use crate::by::By;
pub use crate::by::{EventId, EventListener, EventRow, Recorder, WrittenEvent};
use crate::export::{Columns, Exported, ExportedRows, line};

/// The topic that wakes readers of events.
pub const WRITTEN: db::Topic = "events";

/// The version of the API whose shapes events carry.
pub const API_VERSION: &str = "v1";

/// An event as it is delivered and listed.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// The same on every attempt and for every endpoint: `evt_` and 32 hexadecimal digits.
    pub event_id: String,
    pub event_type: String,
    pub created_at: Timestamp,
    pub account_id: AccountId,
    pub api_version: &'static str,
    /// The resource as its GET returns it, under its own name.
    pub data: Box<RawValue>,
}

/// Announces that an event of the caller's account will be written, so that listeners can request their rows
/// with the next statement.
pub fn expect(tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
    by.listeners().iter().try_for_each(|listener| listener.expect(tx, by))
}

/// Writes an event of the caller's account and calls the listeners. A silent caller writes none.
pub fn write<D: Serialize>(tx: &mut Tx<'_>, by: &By, event: EventType<D>, data: &D) -> db::Result<EventId> {
    if by.is_silent() {
        tx.changes(by.account.uuid());
        return Ok(by.new_id());
    }
    let (id, data) = (by.new_id(), written(data)?);
    let params: Vec<db::OwnedParam> =
        vec![Box::new(by.account), Box::new(id), Box::new(event.name()), Box::new(data.clone())];
    tx.insert_along(Query::whole(order::insert(tx), params))?;
    announce(tx, by.account);
    let written = WrittenEvent { id, event_type: event.name(), data: &data };
    by.listeners().iter().try_for_each(|listener| listener.on_event(tx, by, &written))?;
    Ok(id)
}

/// Writes an event without calling the listeners.
pub(crate) fn write_quietly<D: Serialize>(
    tx: &mut Tx<'_>,
    by: &By,
    event: EventType<D>,
    data: &D,
) -> db::Result<EventId> {
    let (id, data) = (by.new_id(), written(data)?);
    tx.execute(order::insert(tx), &[&by.account, &id, &event.name(), &data])?.exactly(1)?;
    announce(tx, by.account);
    Ok(id)
}

/// Wakes readers of events, and says that the account has changed.
fn announce(tx: &mut Tx<'_>, account: AccountId) {
    tx.wake(WRITTEN);
    tx.changes(account.uuid());
}

fn written(data: &impl Serialize) -> db::Result<String> {
    serde_json::to_string(data).map_err(|_| db::Error::Decode("event"))
}

const PUBLIC_PREFIX: &str = "evt_";
const PUBLIC_PATTERN: &str = "^evt_[0-9a-f]{32}$";

/// The public form of an event's id.
pub fn public_id(id: EventId) -> String {
    format!("{PUBLIC_PREFIX}{}", id.uuid().simple())
}

/// The public id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicId(pub EventId);

impl Param for PublicId {
    fn parse(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix(PUBLIC_PREFIX).filter(|digits| digits.len() == 32);
        let id = digits.and_then(|digits| uuid::Uuid::try_parse(digits).ok());
        let id = id.ok_or("must be the id of an event: evt_ and 32 hexadecimal digits")?;
        Ok(Self(EventId::from_uuid(id)))
    }

    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "pattern": PUBLIC_PATTERN, "examples": [EXAMPLE] })
    }
}

const EXAMPLE: &str = "evt_01890a5dac96774bbcceb302099a8057";

pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    event_type: Option<&EventTypeName>,
    page: &Page,
) -> db::Result<Vec<(EventId, Event)>> {
    let mut query = Query::new("SELECT id, event_type, data FROM events WHERE account_id = ");
    query.bind(account);
    if let Some(event_type) = event_type {
        query.push(" AND event_type = ").bind(event_type.as_str().to_owned());
    }
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, |row| read(row, account))
}

/// Events, for as long as they are kept.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "events",
    &["events"],
    Columns { sql: "t.id, t.event_type, t.data", line: |row, account| line(&read(row, account)?.1) },
)];

fn read(row: &mut Row<'_>, account_id: AccountId) -> db::Result<(EventId, Event)> {
    let id: EventId = row.next()?;
    let event = Event {
        event_id: public_id(id),
        event_type: row.next()?,
        created_at: id.created_at(),
        account_id,
        api_version: API_VERSION,
        data: raw(row.next()?)?,
    };
    Ok((id, event))
}

fn raw(text: String) -> db::Result<Box<RawValue>> {
    RawValue::from_string(text).map_err(|_| db::Error::Decode("event"))
}
