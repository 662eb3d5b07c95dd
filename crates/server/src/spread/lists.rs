//! What is not spread by account, and what crosses accounts.

/// Tables with an account that every place has a copy of.
///
/// They are small and change seldom. Most are asked for before the account is known.
pub(super) const COPIED: &[(&str, &str)] = &[
    ("account_deletions", "a few rows, beside the connections"),
    ("account_positions", "one row of every account, and one of all"),
    ("api_keys", "a request has the key alone"),
    ("booking_sources", "a webhook has the token alone"),
    ("brands", "a link to a logo has its hash alone"),
    ("connections", "a vendor's webhook has the connection alone"),
    ("forms", "a form has its token alone"),
    ("logins", "a login is a person of many accounts"),
    ("member_links", "a link has its token alone"),
    ("members", "a person signs in with an email address"),
    ("sessions", "a cookie has the token alone"),
    ("webhook_endpoints", "a worker's lane is an endpoint"),
];

/// Unique keys without the account. Each is unique within one place alone.
pub(super) const LOOSE: &[(&str, &str)] = &[
    ("accounts_num_key", "numbers are handed out by one row of `account_numbers`"),
    ("broadcasts_id_key", "ids are random enough"),
    ("media_id_key", "ids are random enough"),
    ("triggers_token_key", "tokens are random"),
];

/// Statements that cross accounts for the same reason.
pub(super) struct Across {
    pub(super) why: &'static str,
    /// How each begins, when it is on one line.
    pub(super) statements: &'static [&'static str],
}

pub(super) const ACROSS: &[Across] = &[
    Across {
        why: "They find the account by a key, a token or an id of another row. A read of every part works, and costs one of each: keys are cached with Redis, and the other rows could be copied like the connections.",
        statements: &[
            "SELECT account_id FROM runs WHERE",
            "SELECT account_id, id, enabled",
            "SELECT account_id, state, content_type,",
            "SELECT id, name, kind, channel, template_name, template_language, status, scheduled_at, updated_at, total, sent, delivered, read, replied, failed, fed, settled, account_id, connection_id, content, filling, stopping, sender_type, author_user_id, fed_after FROM broadcasts WHERE id",
            "SELECT k.account_id, a.name AS",
            "SELECT k.account_id, k.user_id,",
            "SELECT m.account_id, m.id, a.name",
            "SELECT m.account_id, m.id, m.email_key",
            "SELECT m.account_id, m.id, m.login_id",
            "SELECT m.account_id, m.id, m.name,",
            "SELECT m.account_id, m.removed_at,",
            "SELECT s.id, s.login_id, s.account_id,",
            "WITH key AS (SELECT k.account_id,",
        ],
    },
    Across {
        why: "They look at all accounts: suspended and held ones, the operator's lists, the newest event. A read or change of every part works.",
        statements: &[
            "SELECT a.id FROM accounts a WHERE",
            "SELECT id FROM accounts",
            "SELECT id, name, timezone, owner_user_id, suspended_at, rate_limit, contact_limit, broadcast_limit, ai_budget_micros, model, sending_hours, business_hours, updated_at, ai_budget_max_micros, models, country FROM accounts ORDER",
            "SELECT min(held_at), count(*)",
            "SELECT newest - pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
            "UPDATE accounts SET held_at =",
        ],
    },
    Across {
        why: "A worker asks which work is due, of whichever account. A read of every part works; their answers are merged.",
        statements: &[
            "SELECT 1 FROM replays LIMIT 1",
            "SELECT DISTINCT account_id FROM",
            "SELECT DISTINCT account_id, broadcast_id",
            "SELECT DISTINCT device_id FROM",
            "SELECT DISTINCT s.connection_id,",
            "SELECT account_id FROM (SELECT",
            "SELECT account_id, id FROM asks",
            "SELECT account_id, id FROM bookings",
            "SELECT account_id, id FROM conversations",
            "SELECT account_id, id FROM media WHERE expires_at",
            "SELECT account_id, id, endpoint_id,",
            "SELECT account_id, id, kind, request, total, done, failed, status, below FROM bulk_jobs WHERE status",
            "SELECT account_id, id, run_id, assistant_id, model, month, day, reserved_micros FROM ai_calls WHERE state",
            "SELECT account_id, subject FROM",
            "SELECT connection_id FROM template_syncs",
            "SELECT id FROM asks WHERE status",
            "SELECT id FROM bookings WHERE",
            "SELECT id FROM broadcasts WHERE due_at",
            "SELECT id FROM deliveries WHERE status",
            "SELECT id FROM mails WHERE state",
            "SELECT id FROM push_notifications",
            "SELECT id FROM triggers WHERE due_at",
            "SELECT message_id FROM sends WHERE state",
            "SELECT s.account_id, s.message_id,",
            "SELECT status FROM early_reports",
            "WITH RECURSIVE hop (connection_id)",
            "WITH RECURSIVE hop (endpoint_id)",
            "WITH RECURSIVE lanes (account_id)",
        ],
    },
    Across {
        why: "A worker's lane is a connection or an endpoint, which belongs to one account that these statements do not name. They work on every part, and would go to one if they named it.",
        statements: &[
            "INSERT INTO delivery_attempts (account_id, delivery_id, number, started_at, status_code, error, duration_ms, response_snippet) SELECT account_id, id, attempts, attempted_at, last_status_code, last_error, duration_ms, response_snippet FROM deliveries WHERE attempts > 0 AND (account_id,",
            "SELECT DISTINCT due_at FROM sends",
            "SELECT account_id, message_id,",
            "SELECT due_at FROM sends WHERE",
            "SELECT m.id, s.tries FROM sends",
            "SELECT message_id FROM sends WHERE connection_id",
            "SELECT s.message_id, s.tries",
            "UPDATE deliveries SET status = 'failed',",
            "UPDATE sends SET due_at = $3",
            "UPDATE sends SET ready = false WHERE connection_id",
            "UPDATE sends SET ready = true WHERE (account_id,",
            "UPDATE sends SET state = 'queued', due_at = $3,",
        ],
    },
    Across {
        why: "A worker takes what is due, and skips rows that others have locked. Rows are found by where they are stored, so a claim works within one part alone: workers have to be run against each place.",
        statements: &[
            "UPDATE broadcasts SET due_at = $2,",
            "UPDATE deliveries SET status = 'claimed',",
            "UPDATE file_removals SET due_at = $2, lease = $3, tries = tries + 1 WHERE ctid",
            "UPDATE mails SET due_at = $2, lease = $3, tries = tries + 1 WHERE ctid",
            "UPDATE media SET due_at = $2, lease = $3, tries = tries + 1 WHERE ctid",
            "UPDATE push_notifications SET due_at = $2,",
            "UPDATE runs SET status = 'running', due_at = $2, lease = $4, started_at = coalesce(started_at, $1), updated_at = $1 WHERE ctid",
            "UPDATE sends SET state = 'handed', handed_at = $2, lease = $4,",
            "UPDATE template_syncs SET due_at = $2,",
            "UPDATE transcriptions SET due_at = $2, lease = $3, tries = tries + 1 WHERE ctid",
            "UPDATE trigger_events SET due_at = $2, lease = $3 WHERE ctid",
            "UPDATE triggers SET due_at = $2, lease = $3",
        ],
    },
    Across {
        why: "They release what a server held that is dead, or what took too long. A change of every part works if it has no limit.",
        statements: &[
            "SELECT account_id, lease, message_id,",
            "UPDATE broadcasts SET due_at = $1,",
            "UPDATE deliveries SET status = 'pending', next_attempt_at = $1,",
            "UPDATE file_removals SET due_at = $1,",
            "UPDATE mails SET due_at = $1,",
            "UPDATE mails SET state = 'unsure',",
            "UPDATE media SET due_at = $1,",
            "UPDATE push_notifications SET due_at = $1,",
            "UPDATE runs SET status = 'queued', due_at = $1,",
            "UPDATE sends SET ready = false WHERE state",
            "UPDATE sends SET ready = true WHERE priority",
            "UPDATE sends SET state = 'handed', handed_at = $2, lease = NULL",
            "UPDATE template_syncs SET due_at = $1,",
            "UPDATE transcriptions SET due_at = $1,",
            "UPDATE trigger_events SET due_at = $1,",
            "UPDATE triggers SET due_at = $1,",
        ],
    },
    Across {
        why: "They delete old rows, some at a time. With a limit they have to be run against each place.",
        statements: &[
            "DELETE FROM early_reports WHERE (account_id,",
            "DELETE FROM idempotency WHERE created_at",
            "DELETE FROM mails WHERE id IN",
            "DELETE FROM push_devices WHERE (account_id,",
            "DELETE FROM push_devices WHERE fingerprint",
            "DELETE FROM push_notifications WHERE (account_id,",
        ],
    },
    Across {
        why: "They count for metrics and for the command line. A read of every part works.",
        statements: &[
            "SELECT COALESCE(place, 'database'),",
            "SELECT count(*) FROM media WHERE",
            "SELECT count(*), CAST(COALESCE(sum(bytes),",
            "SELECT count(*), min(due_at)",
            "SELECT place, reason, count(*),",
            "WITH RECURSIVE hop (lane, n)",
        ],
    },
    Across {
        why: "They walk over all rows in the order of their keys: a rotation of the secret key, a move of files. A read of every part works.",
        statements: &[
            "SELECT account_id, id FROM media WHERE (account_id,",
            "SELECT account_id, key, body",
            "SELECT account_id, session_id,",
        ],
    },
];
