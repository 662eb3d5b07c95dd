//! The statements of the runs' workers.

use frontdesk_jobs::{Backlog, ClaimSql, backlog, claim_sql};
use frontdesk_platform::not_suspended;

use super::super::sql::is_answer_sql;

/// A claimed run is due again when its lease ends.
macro_rules! claim {
    ($name:literal, $which:literal) => {
        claim_sql!(
            $name,
            update: ["UPDATE runs SET status = 'running', due_at = $2, lease = $4, started_at = coalesce(started_at, $1), updated_at = $1"],
            key: "account_id, id",
            from: ["FROM runs WHERE account_id = $5 AND due_at <= $1 AND ", $which, is_answer_sql!(), " AND ", not_suspended!("$5"), " ORDER BY due_at LIMIT $3"],
            returning: "id",
        )
    };
}

/// The accounts with due runs, without those that are suspended. It looks each account up once, not once per run.
macro_rules! due {
    ($which:literal) => {
        concat!(
            "SELECT account_id FROM (SELECT DISTINCT account_id FROM runs WHERE due_at <= $1 AND ",
            $which,
            is_answer_sql!(),
            ") AS due WHERE ",
            not_suspended!("due.account_id")
        )
    };
}

/// The runs that are due of all, of which those of the other kind do not count.
macro_rules! waiting {
    ($kind:literal, $name:literal, $which:literal) => {
        backlog!(
            $kind,
            $name,
            table: "runs",
            where: "due_at IS NOT NULL",
            columns: "account_id, confined, trigger_id",
            counted: [$which, is_answer_sql!(), " AND ", not_suspended!("waiting.account_id")],
        )
    };
}

pub(super) const BACKLOGS: [Backlog; 2] =
    [waiting!("runs", "runs::BACKLOG", "NOT "), waiting!("answers", "answers::BACKLOG", "")];
pub(super) const CLAIM: ClaimSql = claim!("runs::CLAIM", "NOT ");
pub(super) const CLAIM_ANSWERS: ClaimSql = claim!("runs::CLAIM_ANSWERS", "");

frontdesk_db::statements! {
    DUE = due!("NOT ");
    DUE_ANSWERS = due!("");
    GIVE_BACK = "UPDATE runs SET status = 'queued', due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    TAKE_OVER = concat!("UPDATE runs SET status = 'queued', due_at = $1, lease = NULL
        WHERE due_at IS NOT NULL AND lease >= $2 AND lease <= $3 AND status = 'running' AND ", is_answer_sql!(), " = $4");

    COUNT_FAULT = "UPDATE runs SET faults = faults + 1 WHERE account_id = $1 AND id = $2 AND lease = $3 RETURNING faults";
    /// For a run that cannot even be read.
    GIVE_UP = "UPDATE runs SET status = 'failed', error = $4, due_at = NULL, lease = NULL, finished_at = $5, updated_at = $5, version = version + 1
        WHERE account_id = $1 AND id = $2 AND lease = $3";

    HOLD_CONVERSATION = "SELECT id FROM conversations WHERE account_id = $1 AND id = $2";

    OPENED = "SELECT opened_at FROM conversations WHERE account_id = $1 AND id = $2";
    SAID = "SELECT m.id, m.direction, m.sender_type, m.type, m.text, m.media_id, f.filename, t.text, q.message_id IS NOT NULL
        FROM messages m LEFT JOIN media f ON f.account_id = m.account_id AND f.id = m.media_id
        LEFT JOIN media_transcripts t ON t.account_id = m.account_id AND t.media_id = m.media_id
        LEFT JOIN transcriptions q ON q.account_id = m.account_id AND q.message_id = m.id
        WHERE m.account_id = $1 AND m.conversation_id = $2 AND m.id >= $3 AND m.id <= $4 ORDER BY m.id DESC LIMIT $5";
}
