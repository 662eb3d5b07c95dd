//! Claiming: what is due is marked as handed over, before anything goes out.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, Query, Store, Tx, lease, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::Means;
use uuid::Uuid;

use crate::connections::{self, ConnectionId, Line};
use crate::ids::{ConversationId, MessageId};
use crate::outbox::{self, Claim, Load, Subject};

/// How long a server has charge of a connection after it last claimed.
const CHARGE: Duration = Duration::from_secs(10);
/// Rows that were held back leave room for others, which are looked for so often in one transaction.
const ROUNDS_MAX: usize = 50;

// Rows are wanted in the order of the index of those that are ready. The due time is wrapped so that it does not choose
// another index.
macro_rules! claim {
    ($columns:literal, $are_among:literal, $end:literal) => {
        concat!(
            "UPDATE sends SET state = 'handed', handed_at = $2, lease = $4, tries = tries + 1 WHERE ",
            $are_among,
            "SELECT ",
            $columns,
            " FROM sends WHERE connection_id = $1 AND ready AND state = 'queued' AND coalesce(due_at, $2) <= $2
                ORDER BY priority, message_id, part LIMIT $3",
            $end,
            " RETURNING account_id, message_id, part, conversation_id, person, payload, reply_to, tries"
        )
    };
}

frontdesk_db::statements! {
    /// One row a connection, by hopping from one to the next in the index. What waits for a disconnected connection is to
    /// fail now, whenever it would have been due.
    DUE = "WITH RECURSIVE hop (connection_id) AS (
            SELECT (SELECT connection_id FROM sends WHERE state = 'queued' ORDER BY connection_id LIMIT 1)
            UNION ALL
            SELECT (SELECT s.connection_id FROM sends s WHERE s.state = 'queued' AND s.connection_id > hop.connection_id ORDER BY s.connection_id LIMIT 1)
            FROM hop WHERE hop.connection_id IS NOT NULL)
        SELECT connection_id FROM hop WHERE connection_id IS NOT NULL AND
            ((SELECT s.due_at FROM sends s WHERE s.ready AND s.state = 'queued' AND s.connection_id = hop.connection_id ORDER BY s.due_at LIMIT 1) <= $1
            OR EXISTS (SELECT c.id FROM connections c WHERE c.id = hop.connection_id AND c.status = 'disconnected'))";
    CLAIM = claim!("account_id, message_id, part", "(account_id, message_id, part) IN (", ")");
    CHARGED_UNTIL = "SELECT leased_until FROM leases WHERE name = $1 AND holder = $2";
}

/// PostgreSQL passes over rows that another transaction is changing. It finds the rows that it has locked by their place,
/// without a join, which it might plan badly: the statistics of a queue are those of a moment when it was empty.
pub(super) const CLAIM_POSTGRES: &str =
    claim!("ctid", "ctid = ANY (ARRAY(", " FOR NO KEY UPDATE SKIP LOCKED))");

/// A claimed row.
pub(super) struct Job {
    pub(super) account: AccountId,
    pub(super) connection: ConnectionId,
    pub(super) message: MessageId,
    pub(super) part: i64,
    pub(super) conversation: ConversationId,
    pub(super) person: String,
    pub(super) load: Option<Load>,
    pub(super) reply_to: Option<String>,
    pub(super) tries: i64,
    pub(super) lease: Uuid,
    pub(super) line: Arc<Line>,
}

impl From<&Job> for Claim {
    fn from(job: &Job) -> Self {
        let subject = Subject { message: job.message, conversation: job.conversation };
        Self { account: job.account, subject, part: job.part, lease: job.lease }
    }
}

/// What came of a claim.
pub(super) enum Claimed {
    Jobs(Vec<Job>),
    /// The connection cannot send any more: what waited for it has failed, or is about to.
    Gone(Option<Arc<Line>>),
    /// Another server has charge of it.
    Elsewhere,
}

/// Marks a lease.
enum Lease {}

/// The connections with something to send or to give up.
pub(super) async fn due(store: &Store, now: Timestamp) -> db::Result<Vec<ConnectionId>> {
    store.read(move |tx| tx.query(DUE, &[&now], only)).await
}

/// Claims up to `most` rows of a connection for this server.
pub(super) async fn claim(
    means: &Means,
    server: Uuid,
    connection: ConnectionId,
    most: usize,
) -> db::Result<Claimed> {
    let now = (means.clock)();
    let lease: Id<Lease> = means.ids.next(now);
    means.store.write(move |tx| claim_in(tx, server, connection, most as i64, lease.uuid(), now)).await
}

pub(super) fn claim_in(
    tx: &mut Tx<'_>,
    server: Uuid,
    connection: ConnectionId,
    most: i64,
    lease: Uuid,
    now: Timestamp,
) -> db::Result<Claimed> {
    let charge = charge_of(connection);
    tx.plan_by_index()?;
    tx.ask_ahead(Query::whole(CHARGED_UNTIL, vec![Box::new(charge.clone()), Box::new(server)]))?;
    let line = connections::find_in_any_account(tx, connection)?.map(Arc::new);
    // SQLite has one server, which has charge of everything.
    if tx.dialect() == Dialect::Postgres && !has_charge(tx, &charge, server, now)? {
        return Ok(Claimed::Elsewhere);
    }
    let Some(line) = line else {
        return Ok(Claimed::Gone(None));
    };
    if !line.is_connected() {
        return Ok(Claimed::Gone(Some(line)));
    }
    for _ in 0..ROUNDS_MAX {
        let jobs = mark(tx, &line, most, lease, now)?;
        let found = jobs.len();
        let jobs = outbox::hold_back(tx, &line, jobs, now)?;
        if !jobs.is_empty() || found == 0 {
            return Ok(Claimed::Jobs(jobs));
        }
    }
    Ok(Claimed::Jobs(Vec::new()))
}

/// Whether this server has charge of a connection. It is renewed once half of its time is over.
fn has_charge(tx: &mut Tx<'_>, charge: &str, server: Uuid, now: Timestamp) -> db::Result<bool> {
    let until = tx.find(CHARGED_UNTIL, &[&charge, &server], only::<Timestamp>)?;
    if until.is_some_and(|until| until > now + CHARGE / 2) {
        return Ok(true);
    }
    lease::take(tx, charge, server, now, CHARGE)
}

fn mark(tx: &mut Tx<'_>, line: &Arc<Line>, most: i64, lease: Uuid, now: Timestamp) -> db::Result<Vec<Job>> {
    let sql = if tx.dialect() == Dialect::Postgres { CLAIM_POSTGRES } else { CLAIM };
    let mut jobs = tx.query(sql, &[&line.id(), &now, &most, &lease], |row| {
        Ok(Job {
            account: row.next()?,
            connection: line.id(),
            message: row.next()?,
            part: row.next()?,
            conversation: row.next()?,
            person: row.next()?,
            load: serde_json::from_str(&row.next::<String>()?).ok(),
            reply_to: row.next()?,
            tries: row.next()?,
            lease,
            line: line.clone(),
        })
    })?;
    jobs.sort_by_key(|job| (job.message, job.part));
    Ok(jobs)
}

/// Gives up charge of connections, so that the next server need not wait until it runs out.
pub(super) async fn give_up(
    store: &Store,
    server: Uuid,
    mut connections: Vec<ConnectionId>,
) -> db::Result<()> {
    if store.dialect() != Dialect::Postgres {
        return Ok(());
    }
    connections.sort_unstable();
    store
        .write(move |tx| {
            connections.iter().try_for_each(|connection| lease::give_up(tx, &charge_of(*connection), server))
        })
        .await
}

fn charge_of(connection: ConnectionId) -> String {
    format!("sender {connection}")
}
