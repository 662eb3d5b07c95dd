//! The statements of instructions.

frontdesk_db::statements! {
    FIND = "SELECT id, title, body, updated_at FROM instructions WHERE account_id = $1 AND id = $2";
    WITH_TEXT = "SELECT id FROM instructions WHERE account_id = $1 AND title = $2 AND body = $3 ORDER BY id LIMIT 1";
    INSERT = "INSERT INTO instructions (account_id, id, title, body, search, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE = "UPDATE instructions SET title = $3, body = $4, search = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    FOLLOWERS = "SELECT assistant_id FROM assistant_instructions WHERE account_id = $1 AND instruction_id = $2 ORDER BY assistant_id";
    UNBIND = "DELETE FROM assistant_instructions WHERE account_id = $1 AND instruction_id = $2";
    COUNT_ONE_LESS = "UPDATE assistants SET instruction_count = instruction_count - 1, updated_at = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM instructions WHERE account_id = $1 AND id = $2";
}
