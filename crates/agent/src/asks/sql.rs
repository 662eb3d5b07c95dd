//! The statements of asks.

/// The columns that `read` maps, up to the account.
macro_rules! columns {
    () => {
        "SELECT id, run_id, assistant_id, kind, prompt, tool, arguments, status, answer, answered_by, expires_at, answered_at, raised_by, call_id \
         FROM asks WHERE account_id = "
    };
}
pub(super) use columns;

frontdesk_db::statements! {
    FIND = concat!(columns!(), "$1 AND id = $2");
    PENDING = concat!(columns!(), "$1 AND raised_by = $2 AND status = 'pending' ORDER BY id");
    INSERT = "INSERT INTO asks (account_id, id, run_id, raised_by, call_id, assistant_id, kind, prompt, tool, arguments, status, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11)";
    SETTLE = "UPDATE asks SET status = $3, answer = $4, answered_by = $5, answered_at = $6 WHERE account_id = $1 AND id = $2 AND status = 'pending'";
    FORGET = "UPDATE asks SET prompt = '', arguments = NULL, answer = NULL WHERE account_id = $1 AND raised_by IN (
        SELECT id FROM runs WHERE account_id = $1 AND contact_id = $2)";
}
