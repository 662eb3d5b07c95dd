//! Statements of keys.

/// The columns of [`KeyRecord`](super::KeyRecord), for use in several statements.
macro_rules! key_columns {
    () => {
        "k.account_id, a.name AS account_name, a.timezone, a.suspended_at IS NOT NULL AS suspended, k.id,
         k.name, k.scopes, k.expires_at, k.revoked_at IS NOT NULL AS revoked, k.allowlist,
         CASE WHEN k.rate_limit < a.rate_limit THEN k.rate_limit ELSE a.rate_limit END AS budget,
         CASE WHEN c.id IS NULL THEN o.id ELSE c.id END AS author,
         CASE WHEN c.id IS NULL THEN o.name ELSE c.name END AS author_name,
         CASE WHEN c.id IS NULL THEN o.email ELSE c.email END AS author_email, k.unattended"
    };
}

macro_rules! key_tables {
    () => {
        "api_keys k
         JOIN accounts a ON a.id = k.account_id
         JOIN members o ON o.account_id = a.id AND o.id = a.owner_user_id
         LEFT JOIN members c ON c.account_id = k.account_id AND c.id = k.member_id AND c.removed_at IS NULL"
    };
}

pub(crate) use {key_columns, key_tables};

macro_rules! info {
    () => {
        "SELECT id, account_id, name, scopes, member_id, allowlist, rate_limit, expires_at, revoked_at, revoked_by,
         revoked_reason, hint, last_used_at, unattended FROM api_keys "
    };
}

frontdesk_db::statements! {
    FIND = concat!("SELECT ", key_columns!(), " FROM ", key_tables!(), " WHERE k.hash = $1");
    FIND_BY_ID = concat!("SELECT ", key_columns!(), " FROM ", key_tables!(), " WHERE k.account_id = $1 AND k.id = $2");
    CREATE = "INSERT INTO api_keys (account_id, id, hash, name, scopes, member_id, expires_at, allowlist, rate_limit, updated_at, hint,
            unattended)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    LIST = concat!(info!(), "WHERE account_id = $1 ORDER BY id DESC");
    LOCATE = concat!(info!(), "WHERE id = $1");
    UPDATE = "UPDATE api_keys SET name = $3, scopes = $4, allowlist = $5, rate_limit = $6, expires_at = $7, updated_at = $8
        WHERE account_id = $1 AND id = $2";
    REGENERATE = "UPDATE api_keys SET hash = $3, updated_at = $4, hint = $5 WHERE account_id = $1 AND id = $2";
    /// Times of other servers may differ. The latest counts.
    TOUCH = "UPDATE api_keys SET last_used_at = $3 WHERE account_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)";
    REVOKE = "UPDATE api_keys SET revoked_at = $3, revoked_by = $4, revoked_reason = $5, updated_at = $3
        WHERE account_id = $1 AND id = $2";
}
