//! Claiming: what is due is marked as handed over, before anything goes out.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, Store, Tx, lease, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::Means;
use uuid::Uuid;

use crate::calls::CALL_TIME_MAX;
use crate::connections::{self, ConnectionId, Line};
use crate::ids::{ConversationId, MessageId};
use crate::outbox::{self, Claim, Load, Subject};

/// How long a server has charge of a connection after it last claimed.
const CHARGE: Duration = Duration::from_secs(10);
/// A call that has been under way for longer than any call may take holds up its conversation no more.
const UNDER_WAY: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() * 3 / 2);
/// Rows that were held back leave room for others, which are looked for so often in one transaction.
const ROUNDS_MAX: usize = 50;

// What is handed over of a conversation is one message at a time; a read receipt (9) is none, and holds up nothing. What
// stands before a row is looked for by a subquery with an order and a limit, which no planner can turn into a join: the
// statistics of a queue are those of a moment when it was empty, and a join of the queue with itself is quadratic. The
// due time is wrapped so that it does not choose the index, for rows are wanted in their order.
macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "UPDATE sends SET state = 'handed', handed_at = $2, lease = $4, tries = tries + 1 WHERE (account_id, message_id, part) IN (
                SELECT s.account_id, s.message_id, s.part FROM sends s WHERE s.connection_id = $1 AND s.state = 'queued' AND coalesce(s.due_at, $2) <= $2
                AND (SELECT e.part FROM sends e WHERE e.connection_id = s.connection_id AND e.conversation_id = s.conversation_id
                    AND (e.message_id, e.part) < (s.message_id, s.part) AND e.state = 'queued' AND e.priority <= s.priority
                    ORDER BY e.message_id, e.part LIMIT 1) IS NULL
                AND (SELECT e.part FROM sends e WHERE e.connection_id = s.connection_id AND e.conversation_id = s.conversation_id
                    AND e.state = 'handed' AND e.handed_at > $5 AND e.priority < 9
                    ORDER BY e.message_id, e.part LIMIT 1) IS NULL
                ORDER BY s.priority, s.message_id, s.part LIMIT $3 ", $lock,
            ") RETURNING account_id, message_id, part, conversation_id, person, payload, reply_to, tries"
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
            ((SELECT s.due_at FROM sends s WHERE s.state = 'queued' AND s.connection_id = hop.connection_id ORDER BY s.due_at LIMIT 1) <= $1
            OR EXISTS (SELECT c.id FROM connections c WHERE c.id = hop.connection_id AND c.status = 'disconnected'))";
    CLAIM = claim!("");
}

/// PostgreSQL passes over what another server is just claiming.
pub(super) const CLAIM_POSTGRES: &str = claim!("FOR UPDATE OF s SKIP LOCKED");

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

fn claim_in(
    tx: &mut Tx<'_>,
    server: Uuid,
    connection: ConnectionId,
    most: i64,
    lease: Uuid,
    now: Timestamp,
) -> db::Result<Claimed> {
    let postgres = tx.dialect() == Dialect::Postgres;
    // SQLite has one server, which has charge of everything.
    if postgres && !lease::take(tx, &charge_of(connection), server, now, CHARGE)? {
        return Ok(Claimed::Elsewhere);
    }
    let Some(line) = connections::find_in_any_account(tx, connection)?.map(Arc::new) else {
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

fn mark(tx: &mut Tx<'_>, line: &Arc<Line>, most: i64, lease: Uuid, now: Timestamp) -> db::Result<Vec<Job>> {
    let sql = if tx.dialect() == Dialect::Postgres { CLAIM_POSTGRES } else { CLAIM };
    let mut jobs = tx.query(sql, &[&line.id(), &now, &most, &lease, &(now - UNDER_WAY)], |row| {
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
