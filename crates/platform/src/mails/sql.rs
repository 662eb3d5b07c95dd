//! Statements of the queue of mails, and of what members want.

frontdesk_db::statements! {
    COUNT_OF_KIND = "SELECT COUNT(*) FROM mails WHERE account_id = $1 AND kind = $2 AND id >= $3";
    COUNT_OF_PERSON = "SELECT COUNT(*) FROM mails WHERE account_id = $1 AND kind = $2 AND id >= $3 AND user_id = $4";
    QUEUE = "INSERT INTO mails (account_id, id, user_id, kind, about_id, cause_id, author_id, period, detail, state, tries, due_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 0, $10)
        ON CONFLICT (account_id, user_id, kind, about_id, period) DO NOTHING";
    MANAGERS = "SELECT id FROM members WHERE account_id = $1 AND role IN ('owner', 'admin') AND removed_at IS NULL
        AND email_key IS NOT NULL ORDER BY id LIMIT $2";
    WAITING_ABOUT = "SELECT id FROM mails WHERE account_id = $1 AND user_id = $2 AND kind = $3 AND about_id = $4 AND state = 'waiting' LIMIT 1";
    WITHDRAW = "DELETE FROM mails WHERE account_id = $1 AND user_id = $2 AND kind = $3 AND about_id = $4 AND state = 'waiting'";
    FORGET = "DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE id < $1 LIMIT $2)";
    CHOICES = "SELECT off, language FROM mail_choices WHERE account_id = $1 AND user_id = $2";
    CHOOSE = "INSERT INTO mail_choices (account_id, user_id, off, language, updated_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (account_id, user_id) DO UPDATE SET off = excluded.off, language = excluded.language, updated_at = excluded.updated_at";
    REQUEST = "INSERT INTO password_requests (email_key, requested_at) VALUES ($1, $2) ON CONFLICT (email_key) DO NOTHING";
    REQUESTS = "SELECT email_key FROM password_requests ORDER BY requested_at LIMIT $1";
    TAKE_REQUEST = "DELETE FROM password_requests WHERE email_key = $1";
    PERSON = "SELECT m.account_id, m.id, m.login_id IS NOT NULL FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.email_key = $1 AND m.removed_at IS NULL AND a.suspended_at IS NULL ORDER BY m.login_id IS NULL, m.id LIMIT 1";
    HAS_LOGIN = "SELECT login_id IS NOT NULL FROM members WHERE account_id = $1 AND id = $2";
}
