//! Statements of templates.

use frontdesk_jobs::{Backlog, LeasedRows, backlog, leased_rows};
use frontdesk_platform::not_suspended;

macro_rules! columns {
    () => {
        "SELECT id, name, language, category, status, named, components, updated_at FROM templates "
    };
}
pub(crate) use columns;

pub(crate) const ROWS: LeasedRows = leased_rows!(
    "template_syncs",
    table: "template_syncs",
    key: "connection_id",
    where: "due_at IS NOT NULL",
    due: [not_suspended!("template_syncs.account_id")],
    claim: ", tries = tries + 1",
    give_back: ", tries = tries - 1",
    returning: "account_id, connection_id, tries",
);

pub(crate) const BACKLOG: Backlog = backlog!(
    "template syncer",
    "template_syncs::BACKLOG",
    table: "template_syncs",
    where: "due_at IS NOT NULL",
    columns: "account_id",
    counted: [not_suspended!("waiting.account_id")],
);

frontdesk_db::statements! {
    FIND = concat!(columns!(), "WHERE account_id = $1 AND connection_id = $2 AND name = $3 AND language = $4");
    UPSERT = "INSERT INTO templates (account_id, id, connection_id, name, language, category, status, named, components, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (account_id, connection_id, name, language) DO UPDATE SET category = excluded.category, status = excluded.status,
            named = excluded.named, components = excluded.components, updated_at = excluded.updated_at
        WHERE templates.category <> excluded.category OR templates.status <> excluded.status OR templates.named <> excluded.named
            OR templates.components <> excluded.components";
    KNOWN = "SELECT id, name, language FROM templates WHERE account_id = $1 AND connection_id = $2";
    DELETE = "DELETE FROM templates WHERE account_id = $1 AND id = $2";
    SET_STATUS = "UPDATE templates SET status = $5, updated_at = $6 WHERE account_id = $1 AND connection_id = $2 AND name = $3 AND language = $4 AND status <> $5";
    // A sync that is requested while one runs is made once more, because the vendor's list may have been read
    // before.
    ASK = "INSERT INTO template_syncs (account_id, connection_id, due_at, tries) VALUES ($1, $2, $3, 0)
        ON CONFLICT (account_id, connection_id) DO UPDATE SET due_at = excluded.due_at, tries = 0, lease = NULL
        WHERE template_syncs.lease IS NOT NULL OR template_syncs.due_at > excluded.due_at";
    DUE = concat!("SELECT connection_id FROM template_syncs WHERE due_at <= $1 AND ", not_suspended!("template_syncs.account_id"), " LIMIT 1");
    OVER = "DELETE FROM template_syncs WHERE account_id = $1 AND connection_id = $2 AND lease = $3";
}
