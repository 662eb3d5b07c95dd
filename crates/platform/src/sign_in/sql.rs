//! Statements of signing in.

macro_rules! columns {
    () => {
        "l.account_id, l.id, l.password_hash, l.totp_secret, l.totp_pending, l.totp_step"
    };
}

frontdesk_db::statements! {
    INSERT_LOGIN = "INSERT INTO logins (account_id, id, password_hash, updated_at) VALUES ($1, $2, $3, $4)";
    FIND_LOGIN = concat!("SELECT ", columns!(), " FROM logins l WHERE l.id = $1");
    LOGINS_BY_EMAIL = concat!("SELECT DISTINCT ", columns!(), " FROM members m JOIN logins l ON l.id = m.login_id
        WHERE m.email_key = $1 AND m.removed_at IS NULL ORDER BY l.id LIMIT $2");
    SET_PASSWORD = "UPDATE logins SET password_hash = $2, totp_pending = NULL, updated_at = $3 WHERE id = $1";
    VOID_LOGIN = "UPDATE logins SET password_hash = NULL, totp_secret = NULL, totp_pending = NULL, totp_step = NULL, updated_at = $2 WHERE id = $1";
    SET_PENDING_FACTOR = "UPDATE logins SET totp_pending = $2, updated_at = $3 WHERE id = $1";
    CONFIRM_FACTOR = "UPDATE logins SET totp_secret = totp_pending, totp_pending = NULL, totp_step = $2, updated_at = $3 WHERE id = $1";
    REMOVE_FACTOR = "UPDATE logins SET totp_secret = NULL, totp_pending = NULL, totp_step = NULL, updated_at = $2 WHERE id = $1";
    USE_STEP = "UPDATE logins SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2)";
    MEMBERSHIPS = "SELECT m.account_id, m.id, m.name, m.email, m.role, a.name, a.timezone
        FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.login_id = $1 AND m.removed_at IS NULL AND a.suspended_at IS NULL ORDER BY m.id";
    LOGIN_OF_MEMBER = "SELECT login_id FROM members WHERE account_id = $1 AND id = $2";
    JOIN_LOGIN = "UPDATE members SET login_id = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    JOIN_LOGINS = "UPDATE members SET login_id = $2, updated_at = $3 WHERE email_key = $1 AND removed_at IS NULL AND login_id IS NOT NULL";
    LOGIN_USES = "SELECT m.account_id, m.id, m.email_key FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.login_id = $1 AND m.removed_at IS NULL ORDER BY a.suspended_at IS NOT NULL, m.id";
    LOGIN_HAS_EMAIL = "SELECT 1 FROM members WHERE login_id = $1 AND email_key = $2 AND removed_at IS NULL LIMIT 1";
    LOGIN_IS_ELSEWHERE = "SELECT 1 FROM members WHERE login_id = $1 AND account_id <> $2 AND removed_at IS NULL LIMIT 1";
    ADD_CODE = "INSERT INTO recovery_codes (login_id, hash) VALUES ($1, $2)";
    USE_CODE = "DELETE FROM recovery_codes WHERE login_id = $1 AND hash = $2";
    FIND_IDENTITY = "SELECT login_id FROM login_identities WHERE issuer = $1 AND subject = $2";
    IDENTITY_OF_LOGIN = "SELECT subject FROM login_identities WHERE login_id = $1 AND issuer = $2";
    LINK_IDENTITY = "INSERT INTO login_identities (issuer, subject, login_id, linked_at) VALUES ($1, $2, $3, $4)";
    CLEAR_IDENTITIES = "DELETE FROM login_identities WHERE login_id = $1";
    CLEAR_CODES = "DELETE FROM recovery_codes WHERE login_id = $1";
    INSERT_SESSION = "INSERT INTO sessions (id, hash, login_id, account_id, user_id, user_agent, address, last_used_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    FIND_SESSION = "SELECT s.id, s.login_id, s.account_id, s.user_id, s.last_used_at, m.name, m.email, m.role, a.name, a.timezone,
            a.country, l.totp_secret IS NOT NULL, l.password_hash IS NOT NULL
        FROM sessions s JOIN members m ON m.account_id = s.account_id AND m.id = s.user_id
            JOIN accounts a ON a.id = s.account_id JOIN logins l ON l.id = s.login_id
        WHERE s.hash = $1 AND s.last_used_at > $2 AND s.id > $3 AND m.removed_at IS NULL AND m.login_id = s.login_id
            AND a.suspended_at IS NULL";
    TOUCH_SESSION = "UPDATE sessions SET last_used_at = $2, address = $3 WHERE id = $1 AND last_used_at < $2";
    LIST_SESSIONS = "SELECT id, user_agent, address, last_used_at FROM sessions WHERE login_id = $1 AND last_used_at > $2 AND id > $3
        ORDER BY last_used_at DESC, id DESC";
    MOVE_SESSION = "UPDATE sessions SET hash = $2, account_id = $3, user_id = $4, last_used_at = $5 WHERE id = $1";
    RENEW_SESSION = "UPDATE sessions SET hash = $2 WHERE id = $1";
    END_SESSION = "DELETE FROM sessions WHERE id = $1 AND login_id = $2";
    END_SESSION_OF_TOKEN = "DELETE FROM sessions WHERE hash = $1";
    END_OTHER_SESSIONS = "DELETE FROM sessions WHERE login_id = $1 AND id <> $2";
    END_ALL_SESSIONS = "DELETE FROM sessions WHERE login_id = $1";
    FORGET_SESSIONS = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at <= $1 LIMIT $2)";
    REPLACE_LINK = "DELETE FROM member_links WHERE account_id = $1 AND user_id = $2 AND purpose = $3";
    INSERT_LINK = "INSERT INTO member_links (hash, account_id, user_id, purpose, by_operator, created_by, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    VOID_LINKS = "DELETE FROM member_links WHERE account_id = $1 AND user_id = $2";
    FIND_LINK = "SELECT k.account_id, k.user_id, k.by_operator, m.email, m.email_key, a.name, c.name FROM member_links k
        JOIN members m ON m.account_id = k.account_id AND m.id = k.user_id JOIN accounts a ON a.id = k.account_id
        LEFT JOIN members c ON c.account_id = k.account_id AND c.id = k.created_by
        WHERE k.hash = $1 AND k.purpose = $2 AND k.expires_at > $3 AND m.removed_at IS NULL AND a.suspended_at IS NULL";
    USE_LINK = "DELETE FROM member_links WHERE hash = $1";
    FORGET_LINKS = "DELETE FROM member_links WHERE hash IN (SELECT hash FROM member_links WHERE expires_at <= $1 LIMIT $2)";
    TAKE_ATTEMPT = "INSERT INTO sign_in_failures AS f (subject, span, failed) VALUES ($1, $2, 1)
        ON CONFLICT (subject) DO UPDATE SET span = excluded.span,
            failed = CASE WHEN f.span = excluded.span THEN f.failed ELSE 0 END + 1
        RETURNING failed";
    GIVE_BACK_ATTEMPT = "UPDATE sign_in_failures SET failed = failed - 1 WHERE subject = $1 AND span = $2 AND failed > 0";
    FORGET_ATTEMPTS = "DELETE FROM sign_in_failures WHERE subject IN (SELECT subject FROM sign_in_failures WHERE span < $1 LIMIT $2)";
    INSERT_AUDIT = "INSERT INTO audit_log (account_id, id, user_id, action, subject, address) VALUES ($1, $2, $3, $4, $5, $6)";
    FORGET_AUDIT = "DELETE FROM audit_log WHERE (account_id, id) IN (SELECT account_id, id FROM audit_log WHERE account_id = $1 AND id < $2 LIMIT $3)";
    ORPHANS = "SELECT l.id FROM logins l WHERE l.updated_at < $1 AND NOT EXISTS
        (SELECT 1 FROM members m WHERE m.login_id = l.id AND (m.removed_at IS NULL OR m.removed_at >= $1)) LIMIT $2";
    /// The logins of an account's members, and those that were made in it, which no member of another account uses.
    LOGINS_OF_ACCOUNT_ALONE = "SELECT l.id FROM logins l
        WHERE (l.account_id = $1 OR l.id IN (SELECT m.login_id FROM members m WHERE m.account_id = $1))
            AND NOT EXISTS (SELECT 1 FROM members o WHERE o.login_id = l.id AND o.account_id <> $1 AND o.removed_at IS NULL)
        LIMIT $2";
    LOGINS_KEPT = "SELECT count(*) FROM logins WHERE account_id = $1
        AND EXISTS (SELECT 1 FROM members o WHERE o.login_id = logins.id AND o.account_id <> $1 AND o.removed_at IS NULL)";
    DETACH_MEMBERS = "UPDATE members SET login_id = NULL WHERE login_id = $1";
    LEAVE_LOGIN = "UPDATE members SET login_id = NULL WHERE login_id = $1 AND removed_at IS NOT NULL";
    DELETE_LOGIN = "DELETE FROM logins WHERE id = $1";
}
