//! The statements of memories.

frontdesk_db::statements! {
    FIND = "SELECT id, assistant_id, contact_id, content, source FROM memories WHERE account_id = $1 AND id = $2";
    INSERT = "INSERT INTO memories (account_id, id, assistant_id, contact_id, content, source) VALUES ($1, $2, $3, $4, $5, $6)";
    INSERT_WORD = "INSERT INTO memory_words (account_id, word, memory_id) VALUES ($1, $2, $3)";
    DELETE = "DELETE FROM memories WHERE account_id = $1 AND id = $2";
    ERASE = "DELETE FROM memories WHERE account_id = $1 AND contact_id = $2";
    REPOINT = "UPDATE memories SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";

    OF_CONTACT = "SELECT id, assistant_id, contact_id, content, source FROM memories
        WHERE account_id = $1 AND contact_id = $2 ORDER BY id DESC LIMIT $3";
    RECENT = "SELECT id, assistant_id, contact_id, content, source FROM memories
        WHERE account_id = $1 AND contact_id IS NULL ORDER BY id DESC LIMIT $2";
}
