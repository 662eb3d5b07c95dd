//! The statements of runs.

/// The columns that `row::read` maps.
macro_rules! columns {
    () => {
        "id, assistant_id, trigger_id, parent_run_id, contact_id, conversation_id, goal, status, result, error, cost_micros, tokens_in, \
         tokens_out, tick_count, started_at, finished_at, updated_at"
    };
}

/// The columns that `row::read_row` maps.
macro_rules! all {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", root_run_id, origin, confined, tools, author_user_id, tree_children, machine, replied, due_at, lease FROM runs WHERE account_id = "
        )
    };
}

/// The rule of `row::is_answer` in SQL.
macro_rules! is_answer_sql {
    () => {
        "(confined AND trigger_id IS NULL)"
    };
}
pub(super) use {all, columns, is_answer_sql};

frontdesk_db::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM runs WHERE account_id = $1 AND id = $2");
    FIND_ANYWHERE = "SELECT account_id FROM runs WHERE id = $1";
    HOLD = concat!(all!(), "$1 AND id = $2");
    OF_CONVERSATION = concat!(all!(), "$1 AND conversation_id = $2 AND origin = $3 AND status IN ('queued', 'running', 'waiting') ORDER BY id");
    OF_ASSISTANT = "SELECT id FROM runs WHERE account_id = $1 AND assistant_id = $2 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    CHILDREN = "SELECT id FROM runs WHERE account_id = $1 AND root_run_id = $2 AND parent_run_id = $3 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    INSERT = "INSERT INTO runs (account_id, id, assistant_id, trigger_id, parent_run_id, root_run_id, contact_id, conversation_id, origin, confined, goal, tools,
        author_user_id, status, cost_micros, tokens_in, tokens_out, tick_count, tree_children, tree_spent_micros, tree_limit_micros, machine, replied, due_at,
        lease, started_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 0, 0, 0, 0, 0, $15, $16, false, $17, $18, $19, $20)";
    /// Servers of the previous version compare the version of a run.
    SAVE = "UPDATE runs SET status = $3, result = $4, error = $5, tick_count = $6, tree_children = $7, machine = $8, replied = $9, due_at = $10, lease = $11,
        finished_at = $12, updated_at = $13, version = version + 1 WHERE account_id = $1 AND id = $2";
    ADD_COST = "UPDATE runs SET cost_micros = cost_micros + $3, tokens_in = tokens_in + $4, tokens_out = tokens_out + $5 WHERE account_id = $1 AND id = $2";
    /// The spent amount of a tree includes the reservations of calls in progress.
    SPEND = "UPDATE runs SET tree_spent_micros = tree_spent_micros + $3 WHERE account_id = $1 AND id = $2 AND tree_spent_micros + $3 <= tree_limit_micros";
    UNSPEND = "UPDATE runs SET tree_spent_micros = tree_spent_micros - $3 WHERE account_id = $1 AND id = $2";
    RENEW = "UPDATE runs SET due_at = $4 WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    IS_HELD = "SELECT id FROM runs WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    REPLIES = "SELECT count(*) FROM runs WHERE account_id = $1 AND conversation_id = $2 AND id >= $3 AND replied";
    FORGET_CONTACT = "UPDATE runs SET contact_id = NULL, conversation_id = NULL, goal = '', result = NULL, machine = '{}', version = version + 1 WHERE account_id = $1 AND contact_id = $2";
    MOVE_CONTACT = "UPDATE runs SET contact_id = $3, version = version + 1 WHERE account_id = $1 AND contact_id = $2";
    ACTIVE_OF_CONTACT = "SELECT id FROM runs WHERE account_id = $1 AND contact_id = $2 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    FORGET_EVENTS = "DELETE FROM run_events WHERE account_id = $1 AND run_id IN (SELECT id FROM runs WHERE account_id = $1 AND contact_id = $2)";

    INSERT_EVENT = "INSERT INTO run_events (account_id, run_id, id, type, data) VALUES ($1, $2, $3, $4, $5)";

    ANY_DUE_ASK = "SELECT id FROM asks WHERE status = 'pending' AND expires_at <= $1 LIMIT 1";
    DUE_ASKS = "SELECT account_id, id FROM asks WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2";

    ANY_ASSISTANT = "SELECT id FROM assistants WHERE account_id = $1 LIMIT 1";
    CONVERSATION = "SELECT v.contact_id, v.channel, v.connection_id, v.heard_at, v.assistant_id, a.timezone, a.business_hours
        FROM conversations v JOIN accounts a ON a.id = v.account_id
        WHERE v.account_id = $1 AND v.id = $2 AND v.handler = 'assistant' AND v.assistant_id IS NOT NULL";
    LAST_MESSAGE = "SELECT id, direction FROM messages WHERE account_id = $1 AND conversation_id = $2 ORDER BY id DESC LIMIT 1";

    PENDING_OF_CONTACT = "SELECT count(*) FROM runs WHERE account_id = $1 AND contact_id = $2 AND origin = 'follow_up' AND status = 'queued'";
    PENDING_OF_ASSISTANT = "SELECT count(*) FROM runs WHERE account_id = $1 AND contact_id IS NULL AND assistant_id = $2
        AND origin = 'follow_up' AND status = 'queued'";

    /// A run stays while the tree that it belongs to is at work.
    OLD_RUNS = "SELECT r.id FROM runs r WHERE r.account_id = $1 AND r.id < $2 AND r.finished_at < $3
        AND NOT EXISTS (SELECT 1 FROM runs root WHERE root.account_id = $1 AND root.id = r.root_run_id AND root.status IN ('queued', 'running', 'waiting'))
        ORDER BY r.id LIMIT $4";
    DELETE_EVENTS = "DELETE FROM run_events WHERE account_id = $1 AND run_id = $2";
    DELETE_ASKS = "DELETE FROM asks WHERE account_id = $1 AND raised_by = $2";
    DELETE = "DELETE FROM runs WHERE account_id = $1 AND id = $2";
    DELETE_CALLS = "DELETE FROM ai_calls WHERE (account_id, id) IN
        (SELECT account_id, id FROM ai_calls WHERE account_id = $1 AND id < $2 AND state <> 'reserved' LIMIT $3)";
}
