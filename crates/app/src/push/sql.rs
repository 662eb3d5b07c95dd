//! Statements of push notifications.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};
use frontdesk_platform::not_suspended;

/// Devices whose session is valid, of an account `$1`. `$2` and `$3` are the bounds of sessions.
macro_rules! live_devices {
    () => {
        " FROM push_devices d
        JOIN sessions s ON s.id = d.session_id AND s.account_id = d.account_id AND s.user_id = d.user_id
        JOIN members m ON m.account_id = d.account_id AND m.id = d.user_id AND m.login_id = s.login_id
        WHERE d.account_id = $1 AND s.last_used_at > $2 AND s.id > $3 AND m.removed_at IS NULL"
    };
}

/// A notification whose call may have been made is never claimed again.
pub(super) const ROWS: LeasedRows = leased_rows!(
    "push_notifications",
    table: "push_notifications",
    key: "id",
    where: "begun = false",
    due: ["device_id = $5 AND expires_at > $1 AND ", not_suspended!("push_notifications.account_id")],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "account_id, id, kind, about_id, cause_id, actor_id, tries, expires_at",
);

pub(super) const BACKLOG: Backlog = backlog!(
    "push courier",
    "push_notifications::BACKLOG",
    table: "push_notifications",
    where: "due_at IS NOT NULL",
    columns: "account_id, begun, expires_at",
    counted: ["begun = false AND expires_at > $1 AND ", not_suspended!("waiting.account_id")],
);

frontdesk_db::statements! {
    ANY_DEVICE = "SELECT id FROM push_devices WHERE account_id = $1 LIMIT 1";
    LIVE = concat!("SELECT d.id, d.user_id, d.kinds, m.role", live_devices!());
    OF_MEMBER = concat!("SELECT d.id, d.session_id, d.kinds, d.with_text, d.user_agent, d.last_success_at, d.failures",
        live_devices!(), " AND d.user_id = $4 ORDER BY d.id DESC");
    TO_SEND = concat!("SELECT d.user_id, d.session_id, d.kinds, d.target, d.with_text, d.language, m.role",
        live_devices!(), " AND d.id = $4");
    COUNT_OTHERS = concat!("SELECT COUNT(*)", live_devices!(), " AND d.user_id = $4 AND d.session_id <> $5");
    PUT_DEVICE = "INSERT INTO push_devices (account_id, id, user_id, session_id, fingerprint, target, kinds, with_text, language,
            user_agent, failures)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)
        ON CONFLICT (account_id, session_id) DO UPDATE SET user_id = excluded.user_id, fingerprint = excluded.fingerprint,
            target = excluded.target, kinds = excluded.kinds, with_text = excluded.with_text, language = excluded.language,
            user_agent = excluded.user_agent, failures = 0";
    CHOICES = "SELECT kinds, with_text, language FROM push_devices WHERE account_id = $1 AND session_id = $2 AND user_id = $3";
    /// Whoever knows the address and the keys is the browser itself, which belongs to who uses it now.
    TAKE_FROM_OTHERS = "DELETE FROM push_devices WHERE fingerprint = $1 AND (account_id <> $2 OR session_id <> $3)";
    CHANGE_DEVICE = "UPDATE push_devices SET kinds = COALESCE($4, kinds), with_text = COALESCE($5, with_text)
        WHERE account_id = $1 AND user_id = $2 AND id = $3";
    REMOVE_DEVICE = "DELETE FROM push_devices WHERE account_id = $1 AND user_id = $2 AND id = $3";
    GONE_DEVICE = "DELETE FROM push_devices WHERE account_id = $1 AND id = $2";
    DEVICE_WORKS = "UPDATE push_devices SET last_success_at = $3, failures = 0 WHERE account_id = $1 AND id = $2";
    DEVICE_FAILS = "UPDATE push_devices SET failures = failures + 1 WHERE account_id = $1 AND id = $2";
    FORGET_DEVICES = "DELETE FROM push_devices WHERE (account_id, id) IN (SELECT d.account_id, d.id FROM push_devices d
        WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = d.session_id) LIMIT $1)";

    QUEUE = "INSERT INTO push_notifications (account_id, id, device_id, kind, about_id, cause_id, actor_id, tries, begun, due_at, expires_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, 0, false, $8, $9
        WHERE (SELECT COUNT(*) FROM push_notifications w WHERE w.account_id = $1 AND w.device_id = $3) < $10
        ON CONFLICT (account_id, device_id, kind, about_id) DO UPDATE SET cause_id = excluded.cause_id, actor_id = excluded.actor_id,
            tries = 0, begun = false, due_at = excluded.due_at, expires_at = excluded.expires_at, lease = NULL";
    DUE = concat!("SELECT DISTINCT device_id FROM push_notifications WHERE due_at <= $1 AND begun = false AND expires_at > $1 AND ",
        not_suspended!("push_notifications.account_id"));
    BEGIN = "UPDATE push_notifications SET begun = true WHERE account_id = $1 AND id = $2 AND lease = $3";
    AGAIN = "UPDATE push_notifications SET begun = false, lease = NULL, due_at = $4 WHERE account_id = $1 AND id = $2 AND lease = $3";
    OVER = "DELETE FROM push_notifications WHERE account_id = $1 AND id = $2 AND lease = $3";
    OF_GONE_DEVICE = "DELETE FROM push_notifications WHERE account_id = $1 AND device_id = $2";
    ANY_EXPIRED = "SELECT id FROM push_notifications WHERE expires_at <= $1 LIMIT 1";
    DELETE_EXPIRED = "DELETE FROM push_notifications WHERE (account_id, id) IN
        (SELECT account_id, id FROM push_notifications WHERE expires_at <= $1 LIMIT $2)";

    ASSIGNED_NOW = "SELECT id FROM conversation_changes WHERE account_id = $1 AND conversation_id = $2 AND id >= $3
        AND kind = 'assigned' AND user_id = $4 LIMIT 1";
    CONVERSATION = "SELECT c.assigned_user_id, c.handler, c.unread_count, c.handed_off_at, p.name, p.phone, p.email
        FROM conversations c JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
        WHERE c.account_id = $1 AND c.id = $2";
    MESSAGE = "SELECT text FROM messages WHERE account_id = $1 AND id = $2";
    NOTE = "SELECT body FROM notes WHERE account_id = $1 AND id = $2";
    MEMBER = "SELECT name FROM members WHERE account_id = $1 AND id = $2";
    ASK = "SELECT k.kind, k.prompt, k.tool, k.status, a.name FROM asks k
        LEFT JOIN assistants a ON a.account_id = k.account_id AND a.id = k.assistant_id
        WHERE k.account_id = $1 AND k.id = $2";
    UNREAD = "SELECT COUNT(*) FROM conversations WHERE account_id = $1 AND assigned_user_id = $2 AND status = 'open'
        AND handler = 'human' AND unread_count > 0";
}
