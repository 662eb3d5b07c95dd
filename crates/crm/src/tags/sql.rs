//! Statements of tags.

frontdesk_db::statements! {
    LIST = "SELECT id, name, color, updated_at FROM tags WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, name, color, updated_at FROM tags WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM tags WHERE account_id = $1";
    INSERT = "INSERT INTO tags (account_id, id, name, name_key, color, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE = "UPDATE tags SET name = $3, name_key = $4, color = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM tags WHERE account_id = $1 AND id = $2";
}
