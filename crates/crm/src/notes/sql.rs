//! Statements of notes.

frontdesk_db::statements! {
    ERASE = "DELETE FROM notes WHERE account_id = $1 AND contact_id = $2";
    REPOINT = "UPDATE notes SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";
    ERASE_CONVERSATION = "DELETE FROM notes WHERE account_id = $1 AND conversation_id = $2";
    FIND = "SELECT id, contact_id, inquiry_id, conversation_id, body, author_user_id, updated_at FROM notes WHERE account_id = $1 AND id = $2";
    INSERT = "INSERT INTO notes (account_id, id, contact_id, inquiry_id, conversation_id, body, author_user_id, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
}
