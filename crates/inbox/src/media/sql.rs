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

/// Stored files that the mover is to move. It uses the same columns as the fetcher, which has ended its work by then.
pub(crate) const MOVES: LeasedRows = leased_rows!(
    "media::moves",
    table: "media",
    key: "id",
    where: "moves",
    due: ["account_id = $5"],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "id, tries",
);

pub(crate) const REMOVAL_ROWS: LeasedRows = leased_rows!(
    "media::removals",
    table: "file_removals",
    key: "id",
    where: "due_at IS NOT NULL",
    due: ["account_id = $5"],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "id, place, tries",
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
    STORED = "UPDATE media SET state = 'stored', content_type = $4, bytes = $5, sha256 = $6, moves = $7, tries = 0, due_at = $8, lease = NULL
        WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    AGAIN = "UPDATE media SET due_at = $4, error = $5, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    FAILED = "UPDATE media SET state = 'failed', error = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'pending'";
    CLEAR_ERASED = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2)";
    CLEAR = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2";
    KEEP = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, bytes, sha256, moves, tries, due_at)
        VALUES ($1, $2, $3, $4, '{}', 'stored', $5, $6, $7, $8, 0, $9)";
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
    FINISH = "UPDATE media SET state = 'stored', bytes = $3, expires_at = $4, sha256 = $5, moves = $6 WHERE account_id = $1 AND id = $2 AND state = 'uploading'";
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
    SOME_OF_ACCOUNT = "SELECT id FROM media WHERE account_id = $1 ORDER BY id LIMIT $2";
    LOCATE = "SELECT bytes, sha256, place, file_id FROM media WHERE account_id = $1 AND id = $2 AND state = 'stored'";
    HOLD = "SELECT id FROM media WHERE account_id = $1 AND id = $2";
    /// A file that is where it should be needs no move.
    STAYS = "UPDATE media SET moves = false, lease = NULL WHERE account_id = $1 AND id = $2 AND moves";
    SWITCH = "UPDATE media SET place = $3, file_id = $4, sha256 = $5, moves = false, lease = NULL
        WHERE account_id = $1 AND id = $2 AND state = 'stored' AND file_id IS NOT DISTINCT FROM $6";
    CLEAR_OUTSIDE = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2
        AND EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2 AND m.place IS NOT NULL)";
    MOVE_LATER = "UPDATE media SET due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND moves";
    /// The accounts with files that are to be moved, found like those with due fetches.
    MOVES_DUE = "WITH RECURSIVE lanes (account_id) AS (
            SELECT (SELECT account_id FROM media WHERE moves ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT m.account_id FROM media m WHERE m.moves AND m.account_id > lanes.account_id ORDER BY m.account_id LIMIT 1)
            FROM lanes WHERE lanes.account_id IS NOT NULL)
        SELECT account_id FROM lanes WHERE account_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM media m WHERE m.account_id = lanes.account_id AND m.moves AND m.due_at <= $1)";
    REMOVAL_ADD = "INSERT INTO file_removals (account_id, id, place, reason, tries, due_at) VALUES ($1, $2, $3, $4, 0, $5)";
    REMOVAL_OF_MEDIA = "INSERT INTO file_removals (account_id, id, place, reason, tries, due_at)
        SELECT account_id, file_id, place, 'deleted', 0, $3 FROM media WHERE account_id = $1 AND id = $2 AND file_id IS NOT NULL";
    REMOVAL_OF_CONVERSATION = "INSERT INTO file_removals (account_id, id, place, reason, tries, due_at)
        SELECT account_id, file_id, place, 'deleted', 0, $3 FROM media WHERE account_id = $1 AND file_id IS NOT NULL AND uses <= 0 AND id IN (
            SELECT media_id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND media_id IS NOT NULL)";
    REMOVAL_NOW = "UPDATE file_removals SET due_at = $3 WHERE account_id = $1 AND id = $2 AND lease IS NULL";
    REMOVALS_NOW = "UPDATE file_removals SET due_at = $2 WHERE account_id = $1 AND lease IS NULL AND due_at > $2";
    REMOVAL_WITHDRAW = "DELETE FROM file_removals WHERE account_id = $1 AND id = $2 AND lease IS NULL";
    REMOVAL_OVER = "DELETE FROM file_removals WHERE account_id = $1 AND id = $2 AND lease = $3";
    REMOVAL_FAILED = "UPDATE file_removals SET due_at = $4, error = $5, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3";
    /// The accounts with due removals. The table has few rows but while many files are deleted.
    REMOVAL_DUE = "WITH RECURSIVE lanes (account_id) AS (
            SELECT (SELECT account_id FROM file_removals ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT r.account_id FROM file_removals r WHERE r.account_id > lanes.account_id ORDER BY r.account_id LIMIT 1)
            FROM lanes WHERE lanes.account_id IS NOT NULL)
        SELECT account_id FROM lanes WHERE account_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM file_removals r WHERE r.account_id = lanes.account_id AND r.due_at <= $1)";
    PLACES = "SELECT COALESCE(place, 'database'), count(*), CAST(COALESCE(sum(bytes), 0) AS bigint) FROM media WHERE state = 'stored'
        GROUP BY COALESCE(place, 'database') ORDER BY 1";
    REMOVALS = "SELECT place, reason, count(*), CAST(COALESCE(sum(CASE WHEN error IS NOT NULL THEN 1 ELSE 0 END), 0) AS bigint), min(due_at), max(error)
        FROM file_removals GROUP BY place, reason ORDER BY place, reason";
    WAITING = "SELECT count(*) FROM media WHERE moves";
    LEFT = "SELECT count(*), CAST(COALESCE(sum(bytes), 0) AS bigint) FROM media WHERE state = 'stored' AND COALESCE(place, 'database') <> $1";
    LEFT_PAGE = "SELECT account_id, id FROM media WHERE (account_id, id) > ($1, $2) AND state = 'stored' AND COALESCE(place, 'database') <> $3
        ORDER BY account_id, id LIMIT $4";
}
