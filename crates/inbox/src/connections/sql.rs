//! Statements of connections.

macro_rules! columns {
    () => {
        "SELECT account_id, id, channel, name, address, status, disconnected_reason, sandbox, settings, webhook_verified_at FROM connections "
    };
}

frontdesk_db::statements! {
    INSERT = "INSERT INTO connections (account_id, id, channel, name, address, status, sandbox, settings, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'connected', $6, $7, $8)";
    LIST = concat!(columns!(), "WHERE account_id = $1 ORDER BY id DESC");
    LIST_SANDBOX = concat!(columns!(), "WHERE sandbox = true ORDER BY id");
    LIST_CONNECTED = concat!(columns!(), "WHERE status = 'connected' ORDER BY id");
    FIND = concat!(columns!(), "WHERE account_id = $1 AND id = $2");
    /// Not of an account that is being deleted: nothing must be added to it.
    FIND_IN_ANY_ACCOUNT = concat!(columns!(), "WHERE id = $1
        AND NOT EXISTS (SELECT 1 FROM account_deletions d WHERE d.account_id = connections.account_id)");
    FIRST_CONNECTED = concat!(columns!(), "WHERE account_id = $1 AND channel = $2 AND status = 'connected' ORDER BY id LIMIT 1");
    ANY_SANDBOX = "SELECT id FROM connections WHERE sandbox = true AND status = 'connected' LIMIT 1";
    SET_CREDENTIALS = "UPDATE connections SET settings = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    SET_ADDRESS = "UPDATE connections SET address = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    SET_WEBHOOK_VERIFIED = "UPDATE connections SET webhook_verified_at = $3 WHERE account_id = $1 AND id = $2 AND webhook_verified_at IS NULL";
    FIND_WIDGET = "SELECT widget FROM connections WHERE account_id = $1 AND id = $2";
    SET_WIDGET = "UPDATE connections SET widget = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    STATE = "SELECT status, disconnected_by FROM connections WHERE account_id = $1 AND id = $2";
    SET_STATUS = "UPDATE connections SET status = $3, disconnected_by = $4, disconnected_reason = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
}
