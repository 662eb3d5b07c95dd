//! Statements of what channels report.

use crate::conversations::conversation_columns;

frontdesk_db::statements! {
    FIND = concat!("SELECT ", conversation_columns!("v."), ", c.name IS NULL, c.phone IS NULL
        FROM identities i JOIN contacts c ON c.account_id = i.account_id AND c.id = i.contact_id
        JOIN conversations v ON v.account_id = c.account_id AND v.contact_id = c.id
        WHERE i.account_id = $1 AND i.connection_id = $2 AND i.person = $3 AND v.connection_id = $2 AND NOT v.superseded");
    KNOWN = "SELECT id FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    REACTED_TO = "SELECT id, conversation_id FROM messages
        WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    UNDER_WAY = "SELECT m.id, s.tries FROM sends s JOIN messages m ON m.account_id = s.account_id AND m.id = s.message_id
        WHERE s.connection_id = $1 AND s.conversation_id = $2 AND s.state = 'handed' AND s.part = 0 AND m.direction = 'outbound'
        AND m.channel_message_id IS NULL AND (m.text = $3 OR (m.text IS NULL AND $3 IS NULL)) ORDER BY m.id LIMIT 1";
    REACT = "INSERT INTO reactions (account_id, message_id, person, emoji, reacted_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (account_id, message_id, person) DO UPDATE SET emoji = excluded.emoji, reacted_at = excluded.reacted_at
        WHERE reactions.reacted_at <= excluded.reacted_at";
    UNREACT = "DELETE FROM reactions WHERE account_id = $1 AND message_id = $2 AND person = $3 AND reacted_at <= $4";
    BELOW = "SELECT m.id FROM messages m JOIN conversations c ON c.account_id = m.account_id AND c.id = m.conversation_id
        WHERE m.account_id = $1 AND c.connection_id = $2 AND c.contact_id = $3 AND m.direction = 'outbound' AND m.id < $4
        AND m.status IN ('sending', 'sent', 'delivered') AND m.status <> $5 AND m.channel_message_id IS NOT NULL ORDER BY m.id DESC LIMIT $6";
    NAMED = "SELECT id FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    UNANSWERED = "SELECT s.message_id, s.tries FROM conversations c JOIN sends s ON s.connection_id = c.connection_id AND s.conversation_id = c.id
        WHERE c.account_id = $1 AND c.connection_id = $2 AND c.contact_id = $3 AND s.state = 'handed' AND s.part = 0 AND s.handed_at <= $4 ORDER BY s.message_id";
}
