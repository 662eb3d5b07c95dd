//! Statements of messages.

use crate::conversations::conversation_columns;

/// The columns that [`read`] reads, each with a prefix such as `m.`.
macro_rules! message_columns {
    ($of:literal) => {
        concat!(
            $of,
            "id, ",
            $of,
            "conversation_id, ",
            $of,
            "direction, ",
            $of,
            "sender_type, ",
            $of,
            "type, ",
            $of,
            "text, ",
            $of,
            "media_id, ",
            $of,
            "media_url, ",
            $of,
            "template_name, ",
            $of,
            "status, ",
            $of,
            "channel_message_id, ",
            $of,
            "reply_to_message_id"
        )
    };
}
pub(crate) use message_columns;

macro_rules! columns {
    () => {
        concat!("SELECT ", message_columns!(""), " FROM messages ")
    };
}
pub(crate) use columns;

frontdesk_db::statements! {
    /// Inserts a message that has no channel id yet.
    INSERT_NEW = "INSERT INTO messages (account_id, id, conversation_id, connection_id, direction, sender_type, type, text, media_url,
            template_name, details, author_user_id, search, status)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'sending')";
    FIND_EARLY = "SELECT status, error, reported_at FROM early_reports WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    ANY = "SELECT status FROM early_reports LIMIT 1";
    PUT = "INSERT INTO early_reports (account_id, connection_id, channel_message_id, status, error, reported_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (account_id, connection_id, channel_message_id)
        DO UPDATE SET status = excluded.status, error = excluded.error, reported_at = excluded.reported_at";
    DELETE = "DELETE FROM early_reports WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    FORGET = "DELETE FROM early_reports WHERE (account_id, connection_id, channel_message_id) IN
        (SELECT account_id, connection_id, channel_message_id FROM early_reports WHERE created_at < $1 LIMIT $2)";
    CONVERSATION = "SELECT conversation_id FROM messages WHERE account_id = $1 AND id = $2";
    FILL = "UPDATE messages SET text = $3 WHERE account_id = $1 AND id = $2 AND text IS NULL";
    LATER = "SELECT id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND id > $3 LIMIT 1";
    INSERT_STATUS = "INSERT INTO message_statuses (account_id, message_id, n, status, at, error) VALUES ($1, $2, $3, $4, $5, $6)";
    LIST = "SELECT n, status, at, error FROM message_statuses WHERE account_id = $1 AND message_id = $2 ORDER BY n";
    MESSAGE = "SELECT direction, status, error FROM messages WHERE account_id = $1 AND id = $2
        AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = $1 AND e.subject = messages.conversation_id)";
    HOLD = "SELECT m.id, m.conversation_id, m.direction, m.sender_type, m.type, m.text, m.media_id, m.media_url, m.template_name, m.status,
            m.channel_message_id, m.reply_to_message_id, m.connection_id, m.error, m.status_changes
        FROM messages m WHERE m.account_id = $1 AND m.id = $2 AND m.connection_id = $3 AND m.direction = 'outbound'
            AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = m.account_id AND e.subject = m.conversation_id)";
    OWNER = "SELECT id FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    FIND = concat!(columns!(), "WHERE account_id = $1 AND id = $2
        AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = $1 AND e.subject = messages.conversation_id)");
    ATTACH = "UPDATE messages SET media_id = $3, media_url = NULL WHERE account_id = $1 AND id = $2";
    INSERT = "INSERT INTO messages (account_id, id, conversation_id, connection_id, direction, sender_type, type, text, media_id, media_url,
        template_name, details, status, channel_message_id, reply_to_message_id, author_user_id, search)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT (account_id, connection_id, channel_message_id) DO NOTHING";
    /// A conversation that is written to, its connection, and what the channel calls the contact there.
    TARGET = concat!("SELECT ", conversation_columns!("v."), ", c.account_id, c.id, c.channel, c.name, c.address, c.status,
            c.disconnected_reason, c.sandbox, c.settings, c.webhook_verified_at,
            (SELECT i.person FROM identities i WHERE i.account_id = v.account_id AND i.contact_id = v.contact_id
                AND i.connection_id = v.connection_id ORDER BY i.person LIMIT 1)
        FROM conversations v JOIN connections c ON c.account_id = v.account_id AND c.id = v.connection_id
        WHERE v.account_id = $1 AND v.id = $2");
    BY_ASSISTANT = "INSERT INTO assistant_messages (account_id, message_id, assistant_id) VALUES ($1, $2, $3)";
    OF_RUN = "UPDATE assistant_messages SET run_id = $3 WHERE account_id = $1 AND message_id = $2";
    NEWER_REPLY = "SELECT id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND id > $3 AND direction = 'outbound'
        AND NOT (sender_type = 'agent' AND author_user_id = $4) LIMIT 1";
    QUOTED = "SELECT channel_message_id FROM messages WHERE account_id = $1 AND id = $2 AND conversation_id = $3";
    BEFORE = "SELECT m.id FROM messages l JOIN messages m ON m.account_id = l.account_id AND m.conversation_id = l.conversation_id
        WHERE l.account_id = $1 AND l.id = $2 AND m.id < $2 AND m.direction = 'outbound' AND m.status IN ('sent', 'delivered') ORDER BY m.id DESC LIMIT $3";
    STATE = "SELECT id, status, error, channel_message_id, status_changes FROM messages WHERE account_id = $1 AND id = $2 AND connection_id = $3 AND direction = 'outbound' AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = $1 AND e.subject = messages.conversation_id)";
    STATE_BY_CHANNEL = "SELECT id, status, error, channel_message_id, status_changes FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3 AND direction = 'outbound' AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = $1 AND e.subject = messages.conversation_id)";
    SET = "UPDATE messages SET status = $3, error = $4, channel_message_id = $5, status_changes = $6 WHERE account_id = $1 AND id = $2";
    CONTACT = "SELECT c.contact_id FROM messages m JOIN conversations c ON c.account_id = m.account_id AND c.id = m.conversation_id WHERE m.account_id = $1 AND m.id = $2";
    TEMPLATE = "SELECT connection_id, template_name, details FROM messages WHERE account_id = $1 AND id = $2 AND template_name IS NOT NULL AND details IS NOT NULL";
}
