//! The statements of triggers and of the events that wait for them.

use frontdesk_jobs::{Backlog, ClaimSql, LeasedRows, backlog, claim_sql, lane_backlog, leased_rows};
use frontdesk_platform::not_suspended;

/// The columns that `row::read` maps.
macro_rules! columns {
    () => {
        "id, assistant_id, name, enabled, kind, goal, period, send_time, day_of_week, day_of_month, run_at, event_key, audience_type, \
         contact_id, segment_id, max_targets, respect_quiet_hours, last_fired_at, last_error, updated_at"
    };
}

/// The columns that `row::read_row` maps.
macro_rules! all {
    () => {
        concat!("SELECT account_id, ", columns!(), ", next_fire_at, fired_for FROM triggers")
    };
}
pub(crate) use columns;

/// Triggers of suspended accounts stay due, and fire once when the account is resumed.
pub(crate) const DUE_TRIGGERS: LeasedRows = leased_rows!(
    "triggers",
    table: "triggers",
    key: "id",
    where: "due_at IS NOT NULL",
    due: [not_suspended!("triggers.account_id")],
    claim: "",
    give_back: "",
    returning: "account_id, id, audience_type, contact_id, segment_id, max_targets",
);

/// A claimed event is due again when its lease expires.
pub(crate) const CLAIM_EVENTS: ClaimSql = claim_sql!(
    "trigger_events::CLAIM",
    update: ["UPDATE trigger_events SET due_at = $2, lease = $3"],
    key: "account_id, trigger_id, id",
    from: ["FROM trigger_events WHERE account_id = $4 AND due_at <= $1 AND ", not_suspended!("$4"), " ORDER BY due_at LIMIT $5"],
    returning: "trigger_id, id, contact_id, data",
);

pub(crate) const BACKLOG: Backlog = backlog!(
    "triggers",
    "triggers::BACKLOG",
    table: "triggers",
    where: "due_at IS NOT NULL",
    columns: "account_id",
    counted: [not_suspended!("waiting.account_id")],
);
pub(crate) const EVENT_BACKLOG: Backlog = lane_backlog!(
    "trigger events",
    "trigger_events::BACKLOG",
    table: "trigger_events",
    lane: "account_id",
    due_at: "due_at",
    where: "due_at IS NOT NULL",
    counted: [not_suspended!("hop.lane")],
);

frontdesk_db::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM triggers WHERE account_id = $1 AND id = $2");
    OF_ASSISTANT = concat!("SELECT ", columns!(), " FROM triggers WHERE account_id = $1 AND assistant_id = $2 ORDER BY id");
    HOLD = concat!(all!(), " WHERE account_id = $1 AND id = $2");
    HOLD_LEASED = concat!(all!(), " WHERE account_id = $1 AND id = $2 AND lease = $3");
    BY_TOKEN = "SELECT account_id, id, enabled FROM triggers WHERE token_hash = $1";
    HAS_TOKEN = "SELECT id FROM triggers WHERE account_id = $1 AND id = $2 AND token_hash = $3";
    HOLD_CONTACT = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM triggers WHERE account_id = $1";
    INSERT = "INSERT INTO triggers (account_id, id, assistant_id, name, enabled, kind, goal, period, send_time, day_of_week, day_of_month, run_at,
        event_key, audience_type, contact_id, segment_id, max_targets, respect_quiet_hours, updated_at, next_fire_at, due_at, token_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20, $21)";
    /// A firing that is under way finds its lease gone, and starts over with the changed trigger.
    UPDATE = "UPDATE triggers SET assistant_id = $3, name = $4, enabled = $5, kind = $6, goal = $7, period = $8, send_time = $9, day_of_week = $10,
        day_of_month = $11, run_at = $12, event_key = $13, audience_type = $14, contact_id = $15, segment_id = $16, max_targets = $17,
        respect_quiet_hours = $18, updated_at = $19, next_fire_at = $20, due_at = $20, lease = NULL WHERE account_id = $1 AND id = $2";
    SET_TOKEN = "UPDATE triggers SET token_hash = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    DROP_TOKEN = "UPDATE triggers SET token_hash = NULL WHERE account_id = $1 AND id = $2";
    SET_ERROR = "UPDATE triggers SET last_error = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM triggers WHERE account_id = $1 AND id = $2";
    RECORD_DUE_FIRING = "UPDATE triggers SET last_fired_at = $3, last_error = $4, fired_for = $5, next_fire_at = $6, due_at = $6, lease = NULL, faults = 0
        WHERE account_id = $1 AND id = $2";
    RESCHEDULE = "UPDATE triggers SET next_fire_at = $3, due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2";
    RECORD_FIRING = "UPDATE triggers SET last_fired_at = $3, last_error = $4 WHERE account_id = $1 AND id = $2";
    /// Servers' clocks differ, so a call of the previous minute counts toward the latest minute. If it is even earlier, the
    /// clock was set back, and its minute begins anew.
    COUNT_CALL = "UPDATE triggers SET calls = CASE WHEN calls_minute BETWEEN $3 AND $3 + 1 THEN calls + 1 ELSE 1 END,
        calls_minute = CASE WHEN calls_minute = $3 + 1 THEN calls_minute ELSE $3 END
        WHERE account_id = $1 AND id = $2 AND (calls_minute NOT BETWEEN $3 AND $3 + 1 OR calls < $4)";

    ANY_DUE = concat!("SELECT id FROM triggers WHERE due_at <= $1 AND ", not_suspended!("triggers.account_id"), " LIMIT 1");
    COUNT_FAULT = "UPDATE triggers SET faults = faults + 1 WHERE account_id = $1 AND id = $2 AND lease = $3 RETURNING faults";
    GIVE_UP = "UPDATE triggers SET due_at = NULL, lease = NULL, faults = 0, last_error = $4 WHERE account_id = $1 AND id = $2 AND lease = $3";

    QUEUE_EVENT = "INSERT INTO trigger_events (account_id, trigger_id, id, contact_id, data, due_at)
        SELECT account_id, id, $2, $3, $4, $5 FROM triggers WHERE account_id = $1 AND event_key = $6 AND enabled";
    /// The accounts with due events that are not suspended. It walks the index one account at a time, over the accounts that have events.
    ACCOUNTS_WITH_DUE_EVENTS = concat!("WITH RECURSIVE lanes (account_id) AS (
            SELECT first.account_id FROM (SELECT account_id FROM trigger_events ORDER BY account_id LIMIT 1) AS first
            UNION ALL
            SELECT (SELECT e.account_id FROM trigger_events e WHERE e.account_id > lanes.account_id ORDER BY e.account_id LIMIT 1)
            FROM lanes WHERE lanes.account_id IS NOT NULL)
        SELECT account_id FROM lanes WHERE account_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM trigger_events e WHERE e.account_id = lanes.account_id AND e.due_at <= $1) AND ", not_suspended!("lanes.account_id"));
    COUNT_ACTIVE_RUNS = "SELECT count(*) FROM (SELECT 1 FROM runs WHERE account_id = $1 AND trigger_id IS NOT NULL AND status IN ('queued', 'running') LIMIT $2) AS active";
    COUNT_CLAIMED_EVENTS = "SELECT count(*) FROM trigger_events WHERE account_id = $1 AND lease IS NOT NULL AND due_at > $2";
    DEQUEUE_EVENT = "DELETE FROM trigger_events WHERE account_id = $1 AND trigger_id = $2 AND id = $3 AND lease = $4";
    RELEASE_EVENT = "UPDATE trigger_events SET due_at = $5, lease = NULL WHERE account_id = $1 AND trigger_id = $2 AND id = $3 AND lease = $4";
    COUNT_EVENT_FAULT = "UPDATE trigger_events SET faults = faults + 1 WHERE account_id = $1 AND trigger_id = $2 AND id = $3 AND lease = $4 RETURNING faults";
    /// Sets `last_error` of the account's triggers whose due events wait.
    SET_WAITING = "UPDATE triggers SET last_error = $3 WHERE account_id = $1 AND (last_error IS NULL OR last_error <> $3)
        AND id IN (SELECT trigger_id FROM trigger_events WHERE account_id = $1 AND due_at <= $2)";
    TAKE_OVER_EVENTS = "UPDATE trigger_events SET due_at = $1, lease = NULL WHERE lease IS NOT NULL AND lease >= $2 AND lease <= $3";
    ANY_EVENT = "SELECT id FROM trigger_events WHERE account_id = $1 AND trigger_id = $2 LIMIT 1";
    DELETE_EVENTS = "DELETE FROM trigger_events WHERE account_id = $1 AND trigger_id = $2";
    DELETE_EVENTS_OF_CONTACT = "DELETE FROM trigger_events WHERE account_id = $1 AND contact_id = $2";
    MOVE_EVENTS_TO_CONTACT = "UPDATE trigger_events SET contact_id = $3, lease = NULL WHERE account_id = $1 AND contact_id = $2";

    /// A row of refused calls is stored again with its higher count.
    STORE_CALL = "INSERT INTO trigger_calls (account_id, trigger_id, id, outcome, status_code, error, run_id, contact_id, count, last_called_at,
        address, body_bytes, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (account_id, trigger_id, id) DO UPDATE SET count = excluded.count, last_called_at = excluded.last_called_at,
        address = excluded.address, body_bytes = excluded.body_bytes, body = excluded.body";
    DROP_OLDEST_CALLS = "DELETE FROM trigger_calls WHERE account_id = $1 AND trigger_id = $2 AND id <=
        (SELECT id FROM trigger_calls WHERE account_id = $1 AND trigger_id = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)";
    CALLS = "SELECT id, outcome, status_code, error, run_id, count, last_called_at, address, body_bytes, body FROM trigger_calls
        WHERE account_id = $1 AND trigger_id = $2 ORDER BY id DESC LIMIT $3";
    FORGET_CALLS = "DELETE FROM trigger_calls WHERE (account_id, trigger_id, id) IN
        (SELECT account_id, trigger_id, id FROM trigger_calls WHERE account_id = $1 AND id < $2 LIMIT $3)";
    ERASE_CONTACT_FROM_CALLS = "UPDATE trigger_calls SET contact_id = NULL, address = NULL, body = NULL WHERE account_id = $1 AND contact_id = $2";
    MOVE_CALLS_TO_CONTACT = "UPDATE trigger_calls SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";

    /// A firing that is under way holds the contact, so it ends before this.
    ERASE_CONTACT = "UPDATE triggers SET contact_id = NULL, last_error = 'contact_missing', updated_at = $3 WHERE account_id = $1 AND contact_id = $2";
    /// A firing that is under way finds its lease gone, and starts over with the other contact.
    MERGE_CONTACT = "UPDATE triggers SET contact_id = $3, due_at = next_fire_at, lease = NULL WHERE account_id = $1 AND contact_id = $2";
}
