//! Statements of custom fields.

frontdesk_db::statements! {
    LIST = "SELECT id, name, type, options, updated_at FROM custom_fields WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, name, type, options, updated_at FROM custom_fields WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM custom_fields WHERE account_id = $1";
    INSERT = "INSERT INTO custom_fields (account_id, id, name, name_key, type, options, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    UPDATE = "UPDATE custom_fields SET name = $3, name_key = $4, options = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    FORGET_COPIES = "UPDATE contacts SET labels = NULL WHERE account_id = $1 AND id IN (
        SELECT contact_id FROM contact_values WHERE account_id = $1 AND field_id = $2)";
    DELETE = "DELETE FROM custom_fields WHERE account_id = $1 AND id = $2";
}
