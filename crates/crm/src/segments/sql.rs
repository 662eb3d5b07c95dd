//! Statements of segments.

frontdesk_db::statements! {
    LIST = "SELECT id, name, match, rules, updated_at FROM segments WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, name, match, rules, updated_at FROM segments WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM segments WHERE account_id = $1";
    INSERT = "INSERT INTO segments (account_id, id, name, match, rules, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE = "UPDATE segments SET name = $3, match = $4, rules = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    /// A trigger whose segment is gone stays and says so. Triggers are above this crate, but need nothing else from it.
    MARK_TRIGGERS = "UPDATE triggers SET last_error = 'segment_missing', updated_at = $3 WHERE account_id = $1 AND segment_id = $2";
    DELETE = "DELETE FROM segments WHERE account_id = $1 AND id = $2";
}
