//! The statements of transcripts.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};

/// Messages whose media waits to be transcribed or described.
pub(super) const ROWS: LeasedRows = leased_rows!(
    "transcripts",
    table: "transcriptions",
    key: "message_id",
    where: "due_at IS NOT NULL",
    due: ["account_id = $5"],
    claim: ", tries = tries + 1",
    give_back: "",
    returning: "account_id, message_id, media_id, assistant_id, kind, tries",
);

pub(crate) const BACKLOG: Backlog = backlog!(
    "transcriptions",
    "transcripts::BACKLOG",
    table: "transcriptions",
    where: "due_at IS NOT NULL",
    columns: "account_id",
    counted: ["account_id IS NOT NULL"],
);

frontdesk_db::statements! {
    WANTED = "SELECT a.id, a.targets, v.channel, v.connection_id, m.media_id FROM messages m
        JOIN conversations v ON v.account_id = m.account_id AND v.id = m.conversation_id
        JOIN assistants a ON a.account_id = m.account_id
        WHERE m.account_id = $1 AND m.id = $2 AND m.media_id IS NOT NULL AND a.enabled AND a.transcribe_media ORDER BY a.id";
    QUEUE = "INSERT INTO transcriptions (account_id, message_id, media_id, assistant_id, kind, tries, due_at)
        VALUES ($1, $2, $3, $4, $5, 0, $6)";
    KEEP = "INSERT INTO media_transcripts (account_id, media_id, text) SELECT account_id, id, $3 FROM media
        WHERE account_id = $1 AND id = $2 ON CONFLICT (account_id, media_id) DO NOTHING";
    /// The accounts with due media. It walks the index one account at a time, over the accounts with pending media.
    DUE = "WITH RECURSIVE lanes (account_id) AS (
            SELECT (SELECT account_id FROM transcriptions ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT t.account_id FROM transcriptions t WHERE t.account_id > lanes.account_id ORDER BY t.account_id LIMIT 1)
            FROM lanes WHERE lanes.account_id IS NOT NULL)
        SELECT account_id FROM lanes WHERE account_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM transcriptions t WHERE t.account_id = lanes.account_id AND t.due_at <= $1)";
    END = "DELETE FROM transcriptions WHERE account_id = $1 AND message_id = $2 AND lease = $3";
    IS_HELD = "SELECT message_id FROM transcriptions WHERE account_id = $1 AND message_id = $2 AND lease = $3";
}
