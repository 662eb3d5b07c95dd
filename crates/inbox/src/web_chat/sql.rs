//! Statements of web chat.

macro_rules! columns {
    () => {
        "SELECT id, direction, sender_type, type, text, media_id, media_url,
        (SELECT f.filename FROM media f WHERE f.account_id = messages.account_id AND f.id = messages.media_id), status, channel_message_id FROM messages "
    };
}

frontdesk_db::statements! {
    THREAD = "SELECT c.id FROM identities i JOIN conversations c ON c.account_id = i.account_id AND c.connection_id = i.connection_id
        AND c.contact_id = i.contact_id WHERE i.account_id = $1 AND i.connection_id = $2 AND i.person = $3";
    AFTER = concat!(columns!(), "WHERE account_id = $1 AND conversation_id = $2 AND id > $3
        AND (direction = 'inbound' OR status <> 'failed') ORDER BY id LIMIT $4");
    RECENT = concat!(columns!(), "WHERE account_id = $1 AND conversation_id = $2
        AND (direction = 'inbound' OR status <> 'failed') ORDER BY id DESC LIMIT $3");
    SAID = concat!(columns!(), "WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3");
    READ_BY_TEAM = "SELECT m.id FROM conversations c JOIN messages m ON m.account_id = c.account_id AND m.conversation_id = c.id
        WHERE c.account_id = $1 AND c.id = $2 AND c.unread_count = 0 AND m.direction = 'inbound' ORDER BY m.id DESC LIMIT 1";
    HOLD_CONVERSATION = "SELECT id FROM conversations WHERE account_id = $1 AND id = $2";
    PAGES = "SELECT id, url, title FROM visited_pages WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3
        ORDER BY id DESC LIMIT $4";
    INSERT_PAGE = "INSERT INTO visited_pages (account_id, connection_id, conversation_id, id, url, title) VALUES ($1, $2, $3, $4, $5, $6)";
    DELETE_PAGE = "DELETE FROM visited_pages WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3 AND id = $4";
    DELETE_OLDER_PAGES = "DELETE FROM visited_pages WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3 AND id NOT IN (
        SELECT id FROM visited_pages WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3 ORDER BY id DESC LIMIT $4)";
    ERASE_PAGES = "DELETE FROM visited_pages WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3";
    PAGES_OFF = "DELETE FROM visited_pages WHERE account_id = $1 AND connection_id = $2";
    UNREAD = "SELECT id FROM (SELECT id, status FROM messages WHERE account_id = $1 AND conversation_id = $2 AND id <= $3
        AND direction = 'outbound' ORDER BY id DESC LIMIT $4) AS latest WHERE status IN ('sending', 'sent', 'delivered') ORDER BY id";
}
