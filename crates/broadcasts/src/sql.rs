//! Statements of broadcasts and their recipients.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};

macro_rules! sums {
    ($from:literal) => {
        concat!(
            "SELECT CAST(coalesce(sum(sent), 0) AS bigint), CAST(coalesce(sum(delivered), 0) AS bigint),
                CAST(coalesce(sum(read), 0) AS bigint), CAST(coalesce(sum(replied), 0) AS bigint),
                CAST(coalesce(sum(failed), 0) AS bigint), CAST(coalesce(sum(settled), 0) AS bigint) FROM ",
            $from
        )
    };
}

macro_rules! columns {
    () => {
        "SELECT id, name, kind, channel, template_name, template_language, status, scheduled_at, updated_at,
            total, sent, delivered, read, replied, failed, fed, settled,
            account_id, connection_id, content, filling, stopping, sender_type, author_user_id, fed_after FROM broadcasts "
    };
}
pub(crate) use columns;

/// The condition that the worker may work on a broadcast: its account is not suspended, or it is being cancelled.
macro_rules! may_advance {
    () => {
        concat!("(stopping IS NOT NULL OR ", frontdesk_platform::not_suspended!("broadcasts.account_id"), ")")
    };
}

/// A broadcast of a suspended account waits, unless it is being cancelled.
pub(crate) const ROWS: LeasedRows = leased_rows!(
    "broadcasts",
    table: "broadcasts",
    key: "id",
    where: "due_at IS NOT NULL",
    due: ["id = $5 AND ", may_advance!()],
    claim: "",
    give_back: "",
    returning: "account_id",
);

pub(crate) const BACKLOG: Backlog = backlog!(
    "broadcasts",
    "broadcasts::BACKLOG",
    table: "broadcasts",
    where: "due_at IS NOT NULL",
    columns: "account_id, stopping",
    counted: ["(stopping IS NOT NULL OR ", frontdesk_platform::not_suspended!("waiting.account_id"), ")"],
);

frontdesk_db::statements! {
    PENDING = "SELECT r.id, r.contact_id, r.phone, r.params, c.opted_out_at IS NOT NULL
        FROM broadcast_recipients r JOIN contacts c ON c.account_id = r.account_id AND c.id = r.contact_id
        WHERE r.account_id = $1 AND r.broadcast_id = $2 AND r.id > $3 AND r.status = 'pending' ORDER BY r.id LIMIT $4";
    FEED = "UPDATE broadcast_recipients SET status = 'queued', message_id = $4, updated_at = $5 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    DROP = "UPDATE broadcast_recipients SET status = $4, marks = $5, error = $6, updated_at = $7 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    FIRST = "SELECT error FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND message_id IS NOT NULL ORDER BY id LIMIT $3";
    /// The recipient stays counted, with its status; the contact's data is removed.
    ERASE = "UPDATE broadcast_recipients SET contact_id = NULL, phone = NULL, params = NULL, message_id = NULL, error = NULL, updated_at = $3,
            status = CASE status WHEN 'pending' THEN 'cancelled' WHEN 'queued' THEN 'cancelled' ELSE status END
        WHERE account_id = $1 AND contact_id = $2";
    SETTLE_ERASED = "INSERT INTO broadcast_counts (account_id, broadcast_id, id, sent, delivered, read, replied, failed, settled)
        SELECT account_id, broadcast_id, $3, 0, 0, 0, 0, 0, 1 FROM broadcast_recipients
        WHERE account_id = $1 AND contact_id = $2 AND status = 'queued'";
    OF_CONTACT = "SELECT broadcast_id, id, status FROM broadcast_recipients WHERE account_id = $1 AND contact_id = $2";
    MOVE_CONTACT = "UPDATE broadcast_recipients SET contact_id = $4 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    DETACH = "UPDATE broadcast_recipients SET contact_id = NULL WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    CANCEL_OF_CONTACT = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id = $3 AND status = 'pending'";
    APART = sums!("broadcast_counts WHERE account_id = $1 AND broadcast_id = $2");
    ADD = "INSERT INTO broadcast_counts (account_id, broadcast_id, id, sent, delivered, read, replied, failed, settled)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    UNFOLDED = "SELECT DISTINCT account_id, broadcast_id FROM broadcast_counts LIMIT $1";
    HOLD = "SELECT id FROM broadcasts WHERE account_id = $1 AND id = $2";
    TAKE = "DELETE FROM broadcast_counts WHERE account_id = $1 AND broadcast_id = $2 RETURNING sent, delivered, read, replied, failed, settled";
    FOLD = "UPDATE broadcasts SET sent = sent + $3, delivered = delivered + $4, read = read + $5, replied = replied + $6, failed = failed + $7,
        settled = settled + $8 WHERE account_id = $1 AND id = $2";
    OF_MESSAGE = "SELECT broadcast_id, id, status, marks, handed_at FROM broadcast_recipients WHERE account_id = $1 AND message_id = $2";
    MOVE = "UPDATE broadcast_recipients SET status = $4, marks = $5, error = $6, handed_at = $7, updated_at = $8
        WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    /// The latest hand-over to the contact of a conversation.
    LATEST = "SELECT r.broadcast_id, r.id, r.marks, r.handed_at, v.last_inbound_at
        FROM conversations v JOIN broadcast_recipients r ON r.account_id = v.account_id AND r.contact_id = v.contact_id
        WHERE v.account_id = $1 AND v.id = $2 AND r.handed_at IS NOT NULL ORDER BY r.handed_at DESC, r.id DESC LIMIT 1";
    REPLIED = "UPDATE broadcast_recipients SET status = 'replied', marks = $4, updated_at = $5 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    CONTACT = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    /// Skips contacts that are recipients already.
    INSERT_RECIPIENT = "INSERT INTO broadcast_recipients (account_id, broadcast_id, id, contact_id, phone, params, status, marks, error, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (account_id, contact_id, broadcast_id) DO NOTHING";
    FIND = concat!(columns!(), "WHERE account_id = $1 AND id = $2");
    FIND_IN_ANY_ACCOUNT = concat!(columns!(), "WHERE id = $1");
    LIST_ALL = concat!(columns!(), "WHERE account_id = $1 ORDER BY id DESC");
    FIND_LEASED = concat!(columns!(), "WHERE account_id = $1 AND id = $2 AND lease = $3 AND ", may_advance!());
    INSERT = "INSERT INTO broadcasts (account_id, id, name, search, kind, channel, connection_id, template_name, template_language, content,
            status, scheduled_at, filling, sender_type, author_user_id, total, sent, delivered, read, replied, failed, fed, settled, due_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0, 0, 0, $17, 0, 0, $18, $19)";
    SAVE = "UPDATE broadcasts SET status = $3, scheduled_at = $4, filling = $5, stopping = $6, fed_after = $7, total = $8, failed = $9, fed = $10,
        updated_at = $11 WHERE account_id = $1 AND id = $2";
    DUE_NOW = "UPDATE broadcasts SET due_at = $3, lease = NULL WHERE account_id = $1 AND id = $2";
    MONTH = "SELECT count(*) FROM broadcasts WHERE account_id = $1 AND id >= $2";
    ADD_AUDIENCE = "INSERT INTO broadcast_audiences (account_id, broadcast_id, audience) VALUES ($1, $2, $3)";
    AUDIENCE = "SELECT audience FROM broadcast_audiences WHERE account_id = $1 AND broadcast_id = $2";
    CONTACTS_OF = "SELECT contact_id FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND contact_id IS NOT NULL ORDER BY id LIMIT $3";
    FORGET_AUDIENCE = "DELETE FROM broadcast_audiences WHERE account_id = $1 AND broadcast_id = $2";
    QUEUED = "SELECT message_id FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND status = 'queued'";
    END_OF_PART = "SELECT id FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 ORDER BY id LIMIT 1 OFFSET $4";
    CANCEL = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 AND status = 'pending'";
    CANCEL_PART = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 AND id <= $6 AND status = 'pending'";
    RELABEL = "UPDATE broadcast_recipients SET error = $3, updated_at = $4 WHERE account_id = $1 AND broadcast_id = $2 AND id IN
        (SELECT r.id FROM broadcast_recipients r WHERE r.account_id = $1 AND r.broadcast_id = $2 AND r.status = 'cancelled' AND r.error <> $3 LIMIT $5)";
    DUE = concat!("SELECT id FROM broadcasts WHERE due_at <= $1 AND ", may_advance!(), " ORDER BY due_at LIMIT $2");
    SETTLE = "UPDATE broadcasts SET due_at = $4, lease = NULL, faults = 0 WHERE account_id = $1 AND id = $2 AND lease = $3";
    COUNT_FAULT = "UPDATE broadcasts SET faults = faults + 1 WHERE account_id = $1 AND id = $2 AND lease = $3 RETURNING faults";
    /// For a broadcast that cannot even be stopped.
    GIVE_UP = "UPDATE broadcasts SET status = 'failed', due_at = NULL, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3";
}
