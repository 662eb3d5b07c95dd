//! The rows of broadcasts.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_inbox::connections::ConnectionId;
use frontdesk_inbox::messages::SenderType;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_platform::By;
use frontdesk_platform::export::{ExportedRows, LineFields, line_with};
use frontdesk_platform::export_columns;
use frontdesk_web::Page;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::audience::{Audience, Cursor};
use crate::broadcast::{Broadcast, BroadcastFilters, BroadcastId, BroadcastTemplate};
use crate::counts::{self, Tally};
use crate::recipients::FailureReason;
use crate::sql::{
    ADD_AUDIENCE, AUDIENCE, DUE_NOW, FIND, FIND_IN_ANY_ACCOUNT, FIND_LEASED, FORGET_AUDIENCE, INSERT,
    LIST_ALL, MONTH, SAVE, columns,
};
use crate::status::BroadcastStatus;
use crate::variables::Content;

/// The topic that wakes the worker about a broadcast.
pub(crate) const ADVANCED: db::Topic = "broadcasts";

/// The error of recipients that are cancelled with the broadcast.
const CANCELLED: &str = "cancelled";

/// Why a broadcast stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", content = "error", rename_all = "snake_case")]
pub(crate) enum Stopping {
    /// A caller cancelled it.
    Cancel,
    /// It stops by itself.
    #[serde(rename = "trouble")]
    Failure(FailureReason),
}

impl Stopping {
    /// The error of the recipients that it no longer reaches.
    pub(crate) fn failure(&self) -> FailureReason {
        match self {
            Self::Cancel => {
                FailureReason::new(CANCELLED, "The broadcast was cancelled before this was sent.")
            }
            Self::Failure(failure) => failure.clone(),
        }
    }
}

/// A broadcast as it is stored. The API shows it with the counts that are not added to its row yet.
#[derive(Clone, Debug)]
pub(crate) struct StoredBroadcast {
    pub(crate) account: AccountId,
    /// The broadcast as the API shows it, except for its counts.
    pub(crate) resource: Broadcast,
    pub(crate) connection: ConnectionId,
    pub(crate) content: Content,
    /// How far recipients have been added; none when all are added.
    pub(crate) fill_cursor: Option<Cursor>,
    pub(crate) stopping: Option<Stopping>,
    pub(crate) sender: SenderType,
    pub(crate) author: UserId,
    /// Recipients up to this one have been queued, or need no message.
    pub(crate) fed_after: Option<Uuid>,
    /// The counts of the row.
    pub(crate) counts: Tally,
    /// Counts that are not added to the row yet.
    pub(crate) pending_counts: Tally,
}

impl StoredBroadcast {
    pub(crate) fn id(&self) -> BroadcastId {
        self.resource.id
    }

    pub(crate) fn tally(&self) -> Tally {
        self.counts + self.pending_counts
    }

    /// Recipients whose message was queued and whose outcome is not known yet.
    pub(crate) fn outstanding(&self) -> i64 {
        let tally = self.tally();
        tally.fed - tally.settled
    }

    /// The broadcast as the API shows it.
    pub(crate) fn show(&self) -> Broadcast {
        Broadcast { counts: self.tally().counts(), ..self.resource.clone() }
    }

    /// Writes what has changed.
    pub(crate) fn save(&mut self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<()> {
        self.resource.updated_at = now;
        let params: &[&dyn db::Param] = &[
            &self.account,
            &self.resource.id,
            &self.resource.status,
            &self.resource.scheduled_at,
            &to_json(self.fill_cursor.as_ref())?,
            &to_json(self.stopping.as_ref())?,
            &self.fed_after,
            &self.counts.total,
            &self.counts.failed,
            &self.counts.fed,
            &now,
        ];
        tx.execute(SAVE, params)?.exactly(1)
    }

    /// Makes the broadcast due at a moment, if any, and clears its lease. A job that works on it now finds its lease
    /// gone.
    pub(crate) fn wake(&self, tx: &mut Tx<'_>, at: Option<Timestamp>) -> db::Result<()> {
        tx.execute(DUE_NOW, &[&self.account, &self.resource.id, &at])?.exactly(1)?;
        tx.wake_about(ADVANCED, self.resource.id.uuid());
        Ok(())
    }

    /// Stops adding recipients, and deletes the stored audience.
    pub(crate) fn end_fill(&mut self, tx: &mut Tx<'_>) -> db::Result<()> {
        self.fill_cursor = None;
        let _gone_already_is_fine = tx.execute(FORGET_AUDIENCE, &[&self.account, &self.resource.id])?;
        Ok(())
    }
}

fn to_json<T: Serialize>(value: Option<&T>) -> db::Result<Option<String>> {
    value.map(|value| serde_json::to_string(value).map_err(|_| db::Error::Decode("broadcast"))).transpose()
}

fn from_json<T: serde::de::DeserializeOwned>(text: Option<String>) -> db::Result<Option<T>> {
    text.map(|text| serde_json::from_str(&text).map_err(|_| db::Error::Decode("broadcast"))).transpose()
}

pub(crate) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: BroadcastId,
) -> db::Result<Option<StoredBroadcast>> {
    let found = tx.find(FIND, &[&account, &id], read)?;
    complete(tx, found)
}

pub(crate) fn find_in_any_account(
    tx: &mut ReadTx<'_>,
    id: BroadcastId,
) -> db::Result<Option<StoredBroadcast>> {
    let found = tx.find(FIND_IN_ANY_ACCOUNT, &[&id], read)?;
    complete(tx, found)
}

/// The same, for a change in this transaction.
pub(crate) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: BroadcastId,
) -> db::Result<Option<StoredBroadcast>> {
    let found = tx.find_to_change(FIND, &[&account, &id], read)?;
    complete(tx, found)
}

/// The same, if this lease on it still holds.
pub(crate) fn find_leased(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: BroadcastId,
    lease: Uuid,
) -> db::Result<Option<StoredBroadcast>> {
    let found = tx.find_to_change(FIND_LEASED, &[&account, &id, &lease], read)?;
    complete(tx, found)
}

/// Adds the counts that are not in the row yet. The row is read first, and locked if it will be changed, because counts
/// move into the row under that lock.
fn complete(tx: &mut ReadTx<'_>, found: Option<StoredBroadcast>) -> db::Result<Option<StoredBroadcast>> {
    let Some(mut broadcast) = found else { return Ok(None) };
    broadcast.pending_counts = counts::pending(tx, broadcast.account, broadcast.resource.id)?;
    Ok(Some(broadcast))
}

pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &BroadcastFilters,
    page: &Page,
) -> db::Result<Vec<Broadcast>> {
    let mut query = Query::new(concat!(columns!(), "WHERE account_id = "));
    query.bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(q) = &filters.q {
        frontdesk_platform::listing::any_part(&mut query, q.as_str());
    }
    frontdesk_platform::listing::newest_first(&mut query, page);
    let found = tx.run(&query, read)?;
    show_all(tx, account, found)
}

/// Every broadcast of an account, newest first. For the operator's commands.
pub fn list_all(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Broadcast>> {
    let found = tx.query(LIST_ALL, &[&account], read)?;
    show_all(tx, account, found)
}

fn show_all(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    mut found: Vec<StoredBroadcast>,
) -> db::Result<Vec<Broadcast>> {
    for broadcast in &mut found {
        broadcast.pending_counts = counts::pending(tx, account, broadcast.resource.id)?;
    }
    Ok(found.iter().map(StoredBroadcast::show).collect())
}

/// Whom broadcasts were for: everybody with a tag, a list of contacts, and so on.
pub(crate) const EXPORTED_AUDIENCES: ExportedRows = ExportedRows::new(
    "broadcast_audiences",
    &["broadcast_audiences"],
    export_columns!("broadcast_id": BroadcastId, "audience": Box<RawValue>),
)
.keyed(&["t.broadcast_id"]);

/// Broadcasts with their counts and contents. About a contact are those that were for it.
pub(crate) const EXPORTED: ExportedRows =
    ExportedRows::found("broadcasts", &["broadcasts", "broadcast_counts"], |tx, account, ids| {
        let found = ids.iter().map(|id| find(tx, account, BroadcastId::from_uuid(*id)));
        let line = |found: StoredBroadcast| {
            let more = LineFields::default()
                .with("connection_id", &found.connection)?
                .with("content", &found.content)?
                .with("author_user_id", &found.author)?;
            line_with(&found.show(), more)
        };
        found.filter_map(db::Result::transpose).map(|found| line(found?)).collect()
    })
    .of_contact(
        "t.id IN (SELECT r.broadcast_id FROM broadcast_recipients r WHERE r.account_id = {account} AND r.contact_id = {contact})",
    );

fn read(row: &mut Row<'_>) -> db::Result<StoredBroadcast> {
    let id: BroadcastId = row.next()?;
    let (name, kind, channel) = (row.next()?, row.next()?, row.next()?);
    let template = row.next::<Option<String>>()?.zip(row.next::<Option<String>>()?);
    let (status, scheduled_at, updated_at): (BroadcastStatus, _, _) = (row.next()?, row.next()?, row.next()?);
    let counts = Tally {
        total: row.next()?,
        sent: row.next()?,
        delivered: row.next()?,
        read: row.next()?,
        replied: row.next()?,
        failed: row.next()?,
        fed: row.next()?,
        settled: row.next()?,
    };
    Ok(StoredBroadcast {
        account: row.next()?,
        connection: row.next()?,
        content: from_json(row.next()?)?.unwrap_or_default(),
        fill_cursor: from_json(row.next()?)?,
        stopping: from_json(row.next()?)?,
        sender: row.next()?,
        author: row.next()?,
        fed_after: row.next()?,
        counts,
        pending_counts: Tally::default(),
        resource: Broadcast {
            id,
            name,
            kind,
            channel,
            template: template.map(|(name, language)| BroadcastTemplate { name, language }),
            status,
            scheduled_at,
            counts: counts.counts(),
            created_at: id.created_at(),
            updated_at,
        },
    })
}

/// Writes a new broadcast. At `due`, the worker adds its recipients or sends it.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &StoredBroadcast,
    due: Timestamp,
) -> db::Result<()> {
    let Broadcast { id, name, kind, channel, template, status, scheduled_at, .. } = &broadcast.resource;
    let params: &[&dyn db::Param] = &[
        &by.account,
        id,
        name,
        &name.to_lowercase(),
        kind,
        channel,
        &broadcast.connection,
        &template.as_ref().map(|template| template.name.as_str()),
        &template.as_ref().map(|template| template.language.as_str()),
        &to_json(Some(&broadcast.content))?,
        status,
        scheduled_at,
        &to_json(broadcast.fill_cursor.as_ref())?,
        &broadcast.sender,
        &broadcast.author,
        &broadcast.counts.total,
        &broadcast.counts.failed,
        &due,
        &by.now,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    tx.wake_about(ADVANCED, id.uuid());
    Ok(())
}

/// Stores the audience of a broadcast until all of its recipients are added.
pub(crate) fn store_audience(
    tx: &mut Tx<'_>,
    by: &By,
    id: BroadcastId,
    audience: &Audience,
) -> db::Result<()> {
    tx.execute(ADD_AUDIENCE, &[&by.account, &id, &to_json(Some(audience))?])?.exactly(1)
}

pub(crate) fn audience_of(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: BroadcastId,
) -> db::Result<Option<Audience>> {
    from_json(tx.find(AUDIENCE, &[&account, &id], db::only::<String>)?)
}

/// How many broadcasts were created since a moment.
pub(crate) fn count_since(tx: &mut ReadTx<'_>, account: AccountId, since: Timestamp) -> db::Result<i64> {
    Ok(tx.find(MONTH, &[&account, &BroadcastId::first_at(since)], db::only)?.unwrap_or(0))
}
