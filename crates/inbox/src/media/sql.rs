//! Statements of media.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};

pub(crate) const ROWS: LeasedRows = leased_rows!(
    "media",
    table: "media",
    key: "id",
    where: "state = 'pending'",
    due: ["account_id = $5"],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "id, connection_id, kind, source, content_type, filename, tries",
);

pub(crate) const BACKLOG: Backlog = backlog!(
    "fetcher",
    "media::BACKLOG",
    table: "media",
    where: "state = 'pending'",
    columns: "account_id",
    counted: ["account_id IS NOT NULL"],
);

frontdesk_db::statements! {
    PUT_CHUNK = "INSERT INTO media_chunks (account_id, media_id, n, bytes) SELECT $1, $2, $3, $4
        WHERE EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2)
        ON CONFLICT (account_id, media_id, n) DO UPDATE SET bytes = excluded.bytes";
    /// The accounts with due fetches. It walks the index one account at a time, over the accounts with pending ones.
    DUE = "WITH RECURSIVE lanes (account_id) AS (
            SELECT (SELECT account_id FROM media WHERE state = 'pending' ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT m.account_id FROM media m WHERE m.state = 'pending' AND m.account_id > lanes.account_id ORDER BY m.account_id LIMIT 1)
            FROM lanes WHERE lanes.account_id IS NOT NULL)
        SELECT account_id FROM lanes WHERE account_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM media m WHERE m.account_id = lanes.account_id AND m.state = 'pending' AND m.due_at <= $1)";
    STORED = "UPDATE media SET state = 'stored', content_type = $4, bytes = $5, lease = NULL
        WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    AGAIN = "UPDATE media SET due_at = $4, error = $5, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    FAILED = "UPDATE media SET state = 'failed', error = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    CLEAR_ERASED = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2)";
    CLEAR = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2";
    KEEP = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, bytes, tries, due_at)
        VALUES ($1, $2, $3, $4, '{}', 'stored', $5, $6, 0, $7)";
    KEEP_PIECE = "INSERT INTO media_chunks (account_id, media_id, n, bytes) VALUES ($1, $2, $3, $4)";
    STATE = "SELECT state, content_type, bytes FROM media WHERE account_id = $1 AND id = $2";
    PIECES = "SELECT bytes FROM media_chunks WHERE account_id = $1 AND media_id = $2 ORDER BY n";
    INSERT = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, filename, tries, due_at)
        VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, 0, $8)";
    FIND = "SELECT account_id, state, content_type, filename, bytes FROM media WHERE id = $1";
    CHUNK = "SELECT bytes FROM media_chunks WHERE account_id = $1 AND media_id = $2 AND n = $3";
    RECEIVE = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, filename, tries, due_at, expires_at, uses)
        VALUES ($1, $2, $3, $4, '{}', 'uploading', $5, $6, 0, $7, $8, 0)";
    BEGIN = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, filename, tries, due_at, expires_at, uses)
        VALUES ($1, $2, $3, 'document', '{}', 'uploading', $4, $5, 0, $6, $7, 0)";
    PUT_PART = "INSERT INTO media_chunks (account_id, media_id, n, bytes) VALUES ($1, $2, $3, $4)";
    FINISH = "UPDATE media SET state = 'stored', bytes = $3, expires_at = $4 WHERE account_id = $1 AND id = $2 AND state = 'uploading'";
    CONNECTION = "SELECT connection_id FROM media WHERE account_id = $1 AND id = $2";
    CLAIM = "UPDATE media SET expires_at = NULL, uses = uses + 1 WHERE account_id = $1 AND id = $2 AND state = 'stored'
        AND (expires_at IS NULL OR expires_at > $3) RETURNING filename";
    AVAILABLE = "SELECT id FROM media WHERE account_id = $1 AND id = $2 AND connection_id = $3 AND state = 'stored'
        AND (expires_at IS NULL OR expires_at > $4)";
    RELEASE = "UPDATE media SET uses = uses - 1, expires_at = CASE WHEN uses <= 1 THEN $3 ELSE expires_at END
        WHERE account_id = $1 AND id = $2";
    EXPIRED = "SELECT account_id, id FROM media WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2";
    STORED_BYTES = "SELECT CAST(COALESCE(SUM(bytes), 0) AS bigint) FROM media WHERE account_id = $1 AND connection_id = $2";
    DELETE_PIECES = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2";
    DELETE = "DELETE FROM media WHERE account_id = $1 AND id = $2";
}
