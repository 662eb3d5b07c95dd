//! Statements of canned replies.

frontdesk_db::statements! {
    ALL = "SELECT f.reply_id, m.id, m.content_type, m.filename, m.bytes FROM canned_reply_files f
        JOIN media m ON m.account_id = f.account_id AND m.id = f.media_id WHERE f.account_id = $1 ORDER BY f.reply_id, f.n";
    OF_ONE = "SELECT f.reply_id, m.id, m.content_type, m.filename, m.bytes FROM canned_reply_files f
        JOIN media m ON m.account_id = f.account_id AND m.id = f.media_id
        WHERE f.account_id = $1 AND f.reply_id = $2 ORDER BY f.n";
    INSERT_FILE = "INSERT INTO canned_reply_files (account_id, reply_id, n, media_id) VALUES ($1, $2, $3, $4)";
    DELETE_FILES = "DELETE FROM canned_reply_files WHERE account_id = $1 AND reply_id = $2";
    LIST = "SELECT id, shortcut, body, updated_at FROM canned_replies WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, shortcut, body, updated_at FROM canned_replies WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM canned_replies WHERE account_id = $1";
    INSERT = "INSERT INTO canned_replies (account_id, id, shortcut, shortcut_key, body, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE = "UPDATE canned_replies SET shortcut = $3, shortcut_key = $4, body = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM canned_replies WHERE account_id = $1 AND id = $2";
}
