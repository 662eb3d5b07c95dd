//! Statements of the courier of mails, and of what mails tell.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};
use frontdesk_platform::not_suspended;

/// A mail whose words may have been handed over is never claimed again.
pub(super) const ROWS: LeasedRows = leased_rows!(
    "mails",
    table: "mails",
    key: "id",
    where: "state = 'waiting'",
    due: ["account_id = $5 AND ", not_suspended!("mails.account_id")],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "account_id, id, user_id, kind, about_id, cause_id, author_id, detail, tries",
);

pub(super) const BACKLOG: Backlog = backlog!(
    "mail courier",
    "mails::BACKLOG",
    table: "mails",
    where: "state = 'waiting'",
    columns: "account_id",
    counted: [not_suspended!("waiting.account_id")],
);

frontdesk_db::statements! {
    DUE = concat!("SELECT DISTINCT account_id FROM mails WHERE state = 'waiting' AND due_at <= $1 AND ",
        not_suspended!("mails.account_id"));
    /// The lease's end stays in `due_at`, so that a mail whose server has died is found.
    BEGIN = "UPDATE mails SET state = 'begun' WHERE account_id = $1 AND id = $2 AND lease = $3 AND state = 'waiting'";
    AGAIN = "UPDATE mails SET state = 'waiting', lease = NULL, due_at = $4, error = $5 WHERE account_id = $1 AND id = $2 AND lease = $3";
    END = "UPDATE mails SET state = $4, error = $5, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3";
    DROP = "DELETE FROM mails WHERE account_id = $1 AND id = $2 AND lease = $3";
    ANY_LOST = "SELECT id FROM mails WHERE state = 'begun' AND due_at <= $1 LIMIT 1";
    END_LOST = "UPDATE mails SET state = 'unsure', error = $2, lease = NULL WHERE state = 'begun' AND due_at <= $1";

    RECIPIENT = "SELECT m.name, m.email, m.role, a.name FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.account_id = $1 AND m.id = $2 AND m.removed_at IS NULL";
    DEVICE_LANGUAGE = "SELECT language FROM push_devices WHERE account_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 1";
    OWNER_LANGUAGE = "SELECT c.language FROM accounts a JOIN mail_choices c ON c.account_id = a.id AND c.user_id = a.owner_user_id
        WHERE a.id = $1";
    NAME_OF_MEMBER = "SELECT name FROM members WHERE account_id = $1 AND id = $2";
    ENDPOINT = "SELECT url, enabled, disabled_reason FROM webhook_endpoints WHERE account_id = $1 AND id = $2";
    CONNECTION = "SELECT name, status, disconnected_reason FROM connections WHERE account_id = $1 AND id = $2";
    BROADCAST = "SELECT name FROM broadcasts WHERE account_id = $1 AND id = $2";
    NOTE = "SELECT body FROM notes WHERE account_id = $1 AND id = $2";
    CONVERSATION_NAME = "SELECT p.name, p.phone, p.email FROM conversations c
        JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id WHERE c.account_id = $1 AND c.id = $2";
    /// Whoever has written a note of their own in the conversation has seen the one before it.
    WRITTEN_SINCE = "SELECT id FROM notes WHERE account_id = $1 AND conversation_id = $2 AND author_user_id = $3 AND id > $4 LIMIT 1";
}
