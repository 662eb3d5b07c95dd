//! Statements of SQLite's index of messages.

frontdesk_db::statements! {
    QUEUE = "INSERT INTO message_queue (account_id, message_id) VALUES ($1, $2)";
    /// Only the indexer takes rows out of the queue, and new rows come after all others.
    LEAVE = "DELETE FROM message_queue WHERE num <= $1";
    FORGET = "INSERT INTO message_forgets (message_id, account_num, text)
        SELECT m.id, a.num, m.text FROM messages m JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 AND m.id = $2 AND m.text IS NOT NULL";
    FORGET_MANY = "INSERT INTO message_forgets (message_id, account_num, text)
        SELECT m.id, a.num, m.text FROM (SELECT id, text FROM messages WHERE account_id = $1 ORDER BY id LIMIT $2) m
        JOIN accounts a ON a.id = $1 WHERE m.text IS NOT NULL";
    FORGETS_OF_ACCOUNT = "SELECT count(*) FROM message_forgets WHERE account_num = $1";
    IS_WHOLE = "SELECT is_whole FROM message_index";
    MATCHING = "SELECT rowid FROM message_search WHERE message_search MATCH $1 AND rowid BETWEEN $2 AND $3 ORDER BY rowid LIMIT $4";
    WAITING = "SELECT w.account_id, w.message_id, a.num, m.text, w.num FROM message_queue w
        LEFT JOIN accounts a ON a.id = w.account_id LEFT JOIN messages m ON m.account_id = w.account_id AND m.id = w.message_id
        ORDER BY w.num LIMIT $1";
    NEWEST = "SELECT (SELECT max(num) FROM message_queue), (SELECT min(num) FROM message_queue)";
    PROGRESS = "SELECT account, message, is_whole FROM message_index";
    OLD = "SELECT m.account_id, m.id, a.num, m.text FROM messages m JOIN accounts a ON a.id = m.account_id
        WHERE (m.account_id, m.id) > ($1, $2) ORDER BY m.account_id, m.id LIMIT $3";
    ADD = "INSERT INTO message_search (rowid, words) VALUES ($1, $2)";
    REACH = "UPDATE message_index SET account = $1, message = $2, is_whole = $3";
    MERGE = "INSERT INTO message_search (message_search, rank) VALUES ('merge', $1)";
    /// Adds a message to those in the index; nothing if it is there.
    ENTER = "INSERT INTO message_entries (message) VALUES ($1) ON CONFLICT DO NOTHING";
    REMOVE = "INSERT INTO message_search (message_search, rowid, words) VALUES ('delete', $1, $2)";
    REMOVE_ENTRY = "DELETE FROM message_entries WHERE message = $1";
    FORGETS = "SELECT num, message_id, account_num, text FROM message_forgets ORDER BY num LIMIT $1";
    FORGOT = "DELETE FROM message_forgets WHERE num <= $1";
}
