//! The order in which events are read forward. It never changes, and no event is inserted before a reader's
//! position.
//!
//! An event's id is generated before its transaction commits, so a smaller id may appear after a larger one
//! was read. Events are therefore sorted by *position*, then by id.
//!
//! - On PostgreSQL the position is the number of the transaction that wrote the event. A reader sees only
//!   events of transactions older than the oldest one that is still running. All of those have ended, and
//!   every later one has a larger number, whatever the servers' clocks say. Nothing is locked, and the number
//!   is a default of the column, so writing an event costs no extra round trip. A long transaction delays
//!   readers; it never makes them miss an event.
//! - On SQLite transactions run one after the other, and the position counts the account's events.
//!
//! Numbers of transactions belong to a cluster. [`mend`] adds a base to them when the database was restored into another
//! one.

use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;

use super::{Event, EventId, EventTypeName, NewEvent, read};

/// Writes an event. PostgreSQL fills in the position.
pub(super) const INSERT_POSTGRES: &str =
    "INSERT INTO events (account_id, id, event_type, data) VALUES ($1, $2, $3, $4)";
pub(super) const INSERT_SQLITE: &str = "INSERT INTO events (account_id, id, event_type, data, position)
    VALUES ($1, $2, $3, $4, (SELECT coalesce(max(position), 0) + 1 FROM events WHERE account_id = $1))";
pub(super) const INSERT_AT_SQLITE: &str =
    "INSERT INTO events (account_id, id, event_type, data, position) VALUES ($1, $2, $3, $4, $5)";
const LAST_SQLITE: &str = "SELECT coalesce(max(position), 0) FROM events WHERE account_id = $1";
const POSITION: &str = "SELECT position FROM events WHERE account_id = $1 AND id = $2";

/// The readable range on PostgreSQL: all transactions with smaller numbers than its end have ended.
const READABLE: &str =
    " AND position < (SELECT base FROM event_order) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

/// The newest position, and whether this cluster can have assigned it. Both come from one snapshot, in which
/// no transaction has a number as large as its `xmax`.
const MOVED: &str = "SELECT newest - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1,
        newest >= base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    FROM event_order, (SELECT max(newest) AS newest FROM (SELECT
        (SELECT e.position FROM events e WHERE e.account_id = a.id ORDER BY e.position DESC LIMIT 1) AS newest
        FROM accounts a) each) all_accounts
    WHERE newest IS NOT NULL";
const HOLD: &str = "SELECT base FROM event_order WHERE one = 1 FOR UPDATE";
const SET_BASE: &str = "UPDATE event_order SET base = $1 WHERE one = 1";

pub const STATEMENTS: &[(&str, &str)] = &[("order::POSITION", POSITION)];
pub const SQLITE_STATEMENTS: &[(&str, &str)] = &[
    ("order::INSERT_SQLITE", INSERT_SQLITE),
    ("order::INSERT_AT_SQLITE", INSERT_AT_SQLITE),
    ("order::LAST_SQLITE", LAST_SQLITE),
];
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("order::INSERT_POSTGRES", INSERT_POSTGRES),
    ("order::MOVED", MOVED),
    ("order::HOLD", HOLD),
    ("order::SET_BASE", SET_BASE),
];

/// Whether positions are numbers of transactions. Otherwise they count the account's events.
fn has_transaction_numbers(tx: &ReadTx<'_>) -> bool {
    tx.is_shared()
}

/// The statement that writes an event.
pub(super) fn insert(tx: &ReadTx<'_>) -> &'static str {
    if has_transaction_numbers(tx) { INSERT_POSTGRES } else { INSERT_SQLITE }
}

/// Writes events in this order.
pub(super) fn insert_many(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[EventId],
    events: &[&NewEvent],
) -> db::Result<()> {
    let written = ids.iter().zip(events);
    if has_transaction_numbers(tx) {
        let mut rows: Vec<[&dyn db::Param; 4]> = Vec::with_capacity(ids.len());
        for (id, event) in written {
            rows.push([&account, id, &event.event_type, &event.data]);
        }
        return tx.insert_each(INSERT_POSTGRES, &rows);
    }
    let last: i64 = tx.find(LAST_SQLITE, &[&account], only)?.ok_or(db::Error::Decode("position"))?;
    let positions: Vec<i64> = (last + 1..).take(ids.len()).collect();
    let mut rows: Vec<[&dyn db::Param; 5]> = Vec::with_capacity(ids.len());
    for ((id, event), position) in written.zip(&positions) {
        rows.push([&account, id, &event.event_type, &event.data, position]);
    }
    tx.insert_each(INSERT_AT_SQLITE, &rows)
}

/// The condition that events are readable. On SQLite all are.
fn readable(tx: &ReadTx<'_>) -> &'static str {
    if has_transaction_numbers(tx) { READABLE } else { "" }
}

/// The position of an event in the account's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPosition {
    position: i64,
    id: EventId,
}

impl EventPosition {
    /// Before every event.
    pub(super) const BEGINNING: Self = Self { position: -1, id: EventId::from_uuid(uuid::Uuid::nil()) };

    /// The event at this position, unless it is the beginning.
    pub(super) fn event(self) -> Option<EventId> {
        (self != Self::BEGINNING).then_some(self.id)
    }
}

/// The position of the newest readable event. Later events come after it.
pub fn newest(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<EventPosition> {
    let mut query = Query::new("SELECT position, id FROM events WHERE account_id = ");
    query.bind(account);
    query.push(readable(tx));
    query.push(" ORDER BY position DESC, id DESC LIMIT 1");
    let found = tx.run(&query, |row| Ok(EventPosition { position: row.next()?, id: row.next()? }))?;
    Ok(found.into_iter().next().unwrap_or(EventPosition::BEGINNING))
}

/// Reads forward from a position, oldest first, with the position of each event.
pub fn after_place(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    place: EventPosition,
    limit: i64,
) -> db::Result<Vec<(EventPosition, Event)>> {
    let mut query = Query::new("SELECT position, id, event_type, data FROM events WHERE account_id = ");
    query
        .bind(account)
        .push(" AND (position, id) > (")
        .bind(place.position)
        .push(", ")
        .bind(place.id)
        .push(")");
    query.push(readable(tx));
    query.push(" ORDER BY position, id LIMIT ").bind(limit);
    tx.run(&query, |row| {
        let position = row.next()?;
        let (id, event) = read(row, account)?;
        Ok((EventPosition { position, id }, event))
    })
}

/// Finds the position of an event. None if the account has no such event.
pub fn place_of(tx: &mut ReadTx<'_>, account: AccountId, id: EventId) -> db::Result<Option<EventPosition>> {
    let position = tx.find(POSITION, &[&account, &id], only)?;
    Ok(position.map(|position| EventPosition { position, id }))
}

/// Reads forward from a position, oldest first.
pub fn after(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    place: EventPosition,
    event_type: Option<&EventTypeName>,
    limit: i64,
) -> db::Result<Vec<(EventId, Event)>> {
    let mut query = Query::new("SELECT id, event_type, data FROM events WHERE account_id = ");
    query
        .bind(account)
        .push(" AND (position, id) > (")
        .bind(place.position)
        .push(", ")
        .bind(place.id)
        .push(")");
    query.push(readable(tx));
    if let Some(event_type) = event_type {
        query.push(" AND event_type = ").bind(event_type.as_str().to_owned());
    }
    query.push(" ORDER BY position, id LIMIT ").bind(limit);
    tx.run(&query, |row| read(row, account))
}

/// Raises the base of positions if the database was restored into a cluster that has run fewer transactions,
/// so that new events come after old ones. A server calls this when it starts. Returns true if it was
/// necessary.
pub fn mend(tx: &mut Tx<'_>) -> db::Result<bool> {
    if !has_transaction_numbers(tx) {
        return Ok(false);
    }
    tx.find(HOLD, &[], only::<i64>)?;
    let found = tx.find(MOVED, &[], |row| Ok((row.next::<i64>()?, row.next::<bool>()?)))?;
    let Some((base, true)) = found else { return Ok(false) };
    let default = format!(
        "ALTER TABLE events ALTER COLUMN position SET DEFAULT ({base} + pg_current_xact_id()::text::bigint)"
    );
    let _ = tx.execute(&default, &[])?;
    tx.execute(SET_BASE, &[&base])?.exactly(1)?;
    Ok(true)
}
