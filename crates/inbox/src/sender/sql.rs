//! Statements of the sender.

use frontdesk_jobs::{Backlog, ClaimSql, Kind, claim_sql, lane_backlog};
use frontdesk_platform::not_suspended;

use super::Sender;

pub(crate) const CLAIM: ClaimSql = claim_sql!(
    "sender::CLAIM",
    update: ["UPDATE sends SET state = 'handed', handed_at = $2, lease = $4, tries = tries + 1"],
    key: "account_id, message_id, part",
    from: ["FROM sends WHERE connection_id = $1 AND ready AND state = 'queued' AND coalesce(due_at, $2) <= $2
        AND NOT EXISTS (SELECT 1 FROM connections c WHERE c.id = $1 AND NOT ", not_suspended!("c.account_id"), ")
        ORDER BY priority, message_id, part LIMIT $3"],
    returning: "account_id, message_id, part, conversation_id, person, payload, reply_to, tries",
);

pub(crate) const BACKLOG: Backlog = lane_backlog!(
    Sender::NAME,
    "sender::BACKLOG",
    table: "sends",
    lane: "connection_id",
    due_at: "due_at",
    where: "ready AND state = 'queued'",
    counted: ["NOT EXISTS (SELECT c.id FROM connections c WHERE c.id = hop.lane AND NOT ", not_suspended!("c.account_id"), ")"],
);

frontdesk_db::statements! {
    END = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3 AND (lease = $4 OR lease IS NULL) AND state = 'handed'";
    CONTACT = "SELECT contact_id FROM conversations WHERE account_id = $1 AND id = $2";
    /// One row per connection, by skipping from one to the next in the index. Rows of a disconnected
    /// connection fail now, whenever they are due. Connections of suspended accounts wait.
    DUE = concat!("WITH RECURSIVE hop (connection_id) AS (
            SELECT (SELECT connection_id FROM sends WHERE state = 'queued' ORDER BY connection_id LIMIT 1)
            UNION ALL
            SELECT (SELECT s.connection_id FROM sends s WHERE s.state = 'queued' AND s.connection_id > hop.connection_id ORDER BY s.connection_id LIMIT 1)
            FROM hop WHERE hop.connection_id IS NOT NULL)
        SELECT connection_id FROM hop WHERE connection_id IS NOT NULL AND
            ((SELECT s.due_at FROM sends s WHERE s.ready AND s.state = 'queued' AND s.connection_id = hop.connection_id ORDER BY s.due_at LIMIT 1) <= $1
            OR EXISTS (SELECT c.id FROM connections c WHERE c.id = hop.connection_id AND c.status = 'disconnected'))
            AND NOT EXISTS (SELECT c.id FROM connections c WHERE c.id = hop.connection_id AND NOT ", not_suspended!("c.account_id"), ")");
    DONE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'
        RETURNING connection_id, conversation_id, ready AND priority < 9";
    AGAIN = "UPDATE sends SET state = 'queued', due_at = $5, handed_at = NULL, lease = NULL
        WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'
        RETURNING connection_id, conversation_id, ready";
    GIVE_BACK = "UPDATE sends SET state = 'queued', handed_at = NULL, lease = NULL, tries = tries - 1
        WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'
        RETURNING connection_id, conversation_id, ready";
    DOUBT = "UPDATE sends SET lease = NULL WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'";
    /// Rows that no server works on any more. A row whose server lives is not in doubt, however old it is.
    DOUBTFUL = "SELECT s.account_id, s.message_id, s.part, s.connection_id FROM sends s WHERE s.state = 'handed' AND s.handed_at <= $1
        AND NOT EXISTS (SELECT 1 FROM server_beats b WHERE s.lease >= b.id AND s.lease <= b.last_lease) ORDER BY s.handed_at LIMIT $2";
    WAITING = "SELECT account_id, message_id, part, connection_id FROM sends WHERE connection_id = $1 AND state = 'queued' LIMIT $2";
    FORGET = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3";
    FORGET_MESSAGE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 RETURNING connection_id, conversation_id, ready AND priority < 9";
    HELD_BY = "SELECT account_id, lease, message_id, part FROM sends WHERE state = 'handed' AND lease >= $1 AND lease <= $2
        ORDER BY message_id, part LIMIT $3";
}
