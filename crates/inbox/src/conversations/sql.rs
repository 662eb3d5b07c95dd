//! Statements of conversations.

/// The columns that [`read`] reads, each with a prefix such as `v.`.
macro_rules! conversation_columns {
    ($of:literal) => {
        concat!(
            $of,
            "id, ",
            $of,
            "contact_id, ",
            $of,
            "channel, ",
            $of,
            "connection_id, ",
            $of,
            "status, ",
            $of,
            "handler, ",
            $of,
            "assistant_id, ",
            $of,
            "assigned_user_id, ",
            $of,
            "unread_count, ",
            $of,
            "last_message_at, ",
            $of,
            "last_message_text, ",
            $of,
            "last_inbound_at, ",
            $of,
            "snoozed_until, ",
            $of,
            "updated_at"
        )
    };
}
pub(crate) use conversation_columns;

macro_rules! select {
    () => {
        concat!("SELECT ", conversation_columns!(""), " FROM conversations ")
    };
}
pub(crate) use select;

frontdesk_db::statements! {
    INSERT_CHANGE = "INSERT INTO conversation_changes (account_id, conversation_id, id, kind, by_user_id, by_assistant_id, user_id, assistant_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    ERASE = "DELETE FROM conversation_changes WHERE account_id = $1 AND conversation_id = $2";
    CURRENT = concat!("SELECT ", conversation_columns!(""), " FROM conversations
        WHERE account_id = $1 AND connection_id = $2 AND contact_id = $3 AND NOT superseded");
    OPEN = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count,
            last_message_at, last_message_text, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'open', 'human', 0, $6, $7, $8)";
    FIND = concat!(select!(), "WHERE account_id = $1 AND id = $2");
    FIND_CURRENT = concat!("SELECT ", conversation_columns!("v."), "
        FROM contacts c JOIN conversations v ON v.account_id = c.account_id AND v.contact_id = c.id
        WHERE c.account_id = $1 AND c.id = $3 AND v.connection_id = $2 AND NOT v.superseded");
    INSERT = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'open', 'human', 0, $6) ON CONFLICT (account_id, connection_id, contact_id) WHERE NOT superseded DO NOTHING";
    NOTE_INBOUND = "UPDATE conversations SET unread_count = unread_count + 1, status = $3, last_message_at = $4, last_message_text = $5, updated_at = $4,
        last_inbound_at = CASE WHEN last_inbound_at IS NULL OR last_inbound_at < $6 THEN $6 ELSE last_inbound_at END,
        heard_at = $6, snoozed_until = NULL, handler = $7, assistant_id = $8, opened_at = CASE WHEN $9 THEN $4 ELSE opened_at END,
        handed_off_at = CASE WHEN $7 = 'assistant' THEN NULL ELSE handed_off_at END
        WHERE account_id = $1 AND id = $2";
    NOTE_OUTBOUND = "UPDATE conversations SET last_message_at = $3, last_message_text = $4, updated_at = $3 WHERE account_id = $1 AND id = $2";
    TAKE_OVER = "UPDATE conversations SET handler = 'human', assistant_id = NULL, handed_off_at = NULL WHERE account_id = $1 AND id = $2
        AND (handler = 'assistant' OR handed_off_at IS NOT NULL)";
    UPDATE = "UPDATE conversations SET status = $3, handler = $4, assistant_id = $5, assigned_user_id = $6, unread_count = $7, updated_at = $8,
        opened_at = CASE WHEN $9 THEN $8 ELSE opened_at END, snoozed_until = $10,
        handed_off_at = CASE WHEN $3 = 'closed' OR $4 = 'assistant' THEN NULL WHEN $11 THEN $8 ELSE handed_off_at END
        WHERE account_id = $1 AND id = $2";
    REWORD = "UPDATE conversations SET last_message_text = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    LAST_INBOUND = "SELECT id, channel_message_id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND direction = 'inbound'
        AND channel_message_id IS NOT NULL ORDER BY id DESC LIMIT 1";
    DUE = "SELECT account_id, id FROM conversations WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2";
}
