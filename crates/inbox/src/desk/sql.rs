//! Statements of the dashboard's inbox.

frontdesk_db::statements! {
    COUNT = "SELECT count(*), count(CASE WHEN assigned_user_id = $2 THEN 1 END),
        count(CASE WHEN assigned_user_id IS NULL AND handler = 'human' THEN 1 END),
        count(CASE WHEN unread_count > 0 AND handler = 'human' THEN 1 END),
        count(CASE WHEN handed_off_at IS NOT NULL THEN 1 END), count(CASE WHEN handler = 'assistant' THEN 1 END) FROM conversations WHERE account_id = $1 AND status = 'open'";
}
