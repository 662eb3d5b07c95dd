//! Statements of imports.

use crate::conversations::conversation_columns;

frontdesk_db::statements! {
    CONNECT = "INSERT INTO connections (account_id, id, channel, name, address, status, disconnected_by, disconnected_reason, sandbox, settings, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'disconnected', 'operator', $6, false, $7, $8)";
    CURRENT = concat!("SELECT ", conversation_columns!(""), " FROM conversations
        WHERE account_id = $1 AND connection_id = $2 AND contact_id = $3 AND NOT superseded");
    SUPERSEDE = "UPDATE conversations SET superseded = true, status = 'closed', snoozed_until = NULL, handed_off_at = NULL WHERE account_id = $1 AND id = $2";
    OPEN = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, assigned_user_id, unread_count,
            snoozed_until, superseded, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, 'human', $7, 0, $8, $9, $10)";
    REMEMBER = "INSERT INTO identities (account_id, connection_id, person, contact_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    HOLD = "SELECT contact_id FROM conversations WHERE account_id = $1 AND id = $2";
    CONVERSATION = "SELECT connection_id FROM conversations WHERE account_id = $1 AND id = $2";
    STORED = "SELECT contact_id, connection_id, status, superseded FROM conversations WHERE account_id = $1 AND id = $2";
    IS_THERE = "SELECT direction, text FROM messages WHERE account_id = $1 AND id = $2";
    WRITE = "INSERT INTO messages (account_id, id, conversation_id, connection_id, direction, sender_type, type, text, media_id, media_url,
            details, status, author_user_id, search)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    LAST = "UPDATE conversations SET last_message_at = $3, last_message_text = $4, updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at END
        WHERE account_id = $1 AND id = $2 AND (last_message_at IS NULL OR last_message_at <= $3)";
    LAST_INBOUND = "UPDATE conversations SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
}
