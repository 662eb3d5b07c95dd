//! The statements of contacts.

/// Replaces [`KEY_PREFIX`](frontdesk_search::KEY_PREFIX) before each key by the account's number.
macro_rules! numbered {
    ($keys:literal) => {
        concat!("replace(", $keys, ", '\u{1}', (SELECT to_hex(num) || 'z' FROM accounts WHERE id = $1))")
    };
}

frontdesk_db::statements! {
    FIND = "SELECT c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at, c.labels FROM contacts c WHERE c.account_id = $1 AND c.id = $2";
    EXISTS = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_BY_PHONE = "SELECT id FROM contacts WHERE account_id = $1 AND phone_key = $2
        UNION ALL SELECT contact_id FROM contact_phones WHERE account_id = $1 AND phone_key = $2 LIMIT 1";
    FIND_BY_EMAIL = "SELECT id FROM contacts WHERE account_id = $1 AND email_key = $2 ORDER BY id LIMIT 1";
    CONTACT_LIMIT = "SELECT contact_limit FROM accounts WHERE id = $1";
    ROOM = "SELECT contact_limit, contact_count FROM accounts WHERE id = $1";
    INSERT = concat!(
        "INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at, labels, name_order, company_order)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ", numbered!("$11"), ", $12, $13, $14, $15
        WHERE NOT EXISTS (SELECT 1 FROM contact_phones p WHERE p.account_id = $1 AND p.phone_key = $6)
        ON CONFLICT (account_id, phone_key) DO NOTHING"
    );
    UPDATE = concat!(
        "UPDATE contacts SET name = $3, phone = $4, phone_key = $5, email = $6, email_key = $7, company = $8, search = $9, search_keys = ",
        numbered!("$10"), ", updated_at = $11, labels = $12, name_order = $13, company_order = $14 WHERE account_id = $1 AND id = $2"
    );
    SET_LABELS = "UPDATE contacts SET updated_at = $3, labels = $4 WHERE account_id = $1 AND id = $2";
    TAKE_ROOM = "UPDATE accounts SET contact_count = contact_count + $2 WHERE id = $1 AND (contact_limit IS NULL OR contact_count + $2 <= contact_limit)";
    LIMIT_AND_FIELDS = "SELECT a.contact_limit, f.id, f.name FROM accounts a LEFT JOIN custom_fields f ON f.account_id = $1 WHERE a.id = $1 ORDER BY f.id";
    ADD_TAG = "INSERT INTO contact_tags (account_id, contact_id, tag_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    REMOVE_TAG = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2 AND tag_id = $3";
    SET_VALUE = "INSERT INTO contact_values (account_id, contact_id, field_id, value) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, contact_id, field_id) DO UPDATE SET value = excluded.value WHERE contact_values.value <> excluded.value";
    CLEAR_VALUE = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2 AND field_id = $3";
    /// The custom fields of an account, and its first tags. A tag has a colour.
    LABELS = "SELECT id, name, CAST(NULL AS text) FROM custom_fields WHERE account_id = $1
        UNION ALL SELECT id, name, color FROM (SELECT id, name, color FROM tags WHERE account_id = $1 ORDER BY id LIMIT $2) AS first_tags";
    TAGGED_UP_TO = "SELECT count(*) FROM (SELECT contact_id FROM contact_tags WHERE account_id = $1 AND tag_id = $2 LIMIT $3) AS tagged";
    NOTE_INBOUND = "UPDATE contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
    ADD_CHANNEL = "INSERT INTO contact_channels (account_id, contact_id, channel) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    ADD_TO_COUNT = "UPDATE accounts SET contact_count = contact_count + $2 WHERE id = $1 AND contact_limit IS NOT NULL";
    FIND_MISSING = "SELECT name IS NULL, phone IS NULL, email IS NULL FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_OPT_OUT = "SELECT opted_out_at, opt_out_source FROM contacts WHERE account_id = $1 AND id = $2";
    SET_OPT_OUT = "UPDATE contacts SET opted_out_at = $3, opt_out_source = $4, updated_at = $5, labels = $6 WHERE account_id = $1 AND id = $2";
    MOVE_TAGS = "UPDATE contact_tags SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_tags o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.tag_id = contact_tags.tag_id)";
    MOVE_VALUES = "UPDATE contact_values SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_values o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.field_id = contact_values.field_id)";
    MOVE_CHANNELS = "UPDATE contact_channels SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_channels o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.channel = contact_channels.channel)";
    MOVE_PHONES = "UPDATE contact_phones SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";
    ADD_PHONE = "INSERT INTO contact_phones (account_id, phone_key, contact_id) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, phone_key) DO UPDATE SET contact_id = excluded.contact_id";
    STANDING = "SELECT opted_out_at, opt_out_source, last_inbound_at FROM contacts WHERE account_id = $1 AND id = $2";
    SET_STANDING = "UPDATE contacts SET opted_out_at = $3, opt_out_source = $4, last_inbound_at = $5, avatar_url = $6 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM contacts WHERE account_id = $1 AND id = $2";
    DELETE_TAGS = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2";
    DELETE_VALUES = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2";
    DELETE_CHANNELS = "DELETE FROM contact_channels WHERE account_id = $1 AND contact_id = $2";
    DELETE_PHONES = "DELETE FROM contact_phones WHERE account_id = $1 AND contact_id = $2";
    COUNT_ONE_LESS = "UPDATE accounts SET contact_count = contact_count - 1 WHERE id = $1 AND contact_limit IS NOT NULL AND contact_count > 0";
    ADD_ERASURE = "INSERT INTO erasures (account_id, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    NEXT_ERASURE = "SELECT account_id, subject FROM erasures WHERE faults < $1 ORDER BY faults, account_id, subject LIMIT 1";
    PUT_OFF_ERASURE = "UPDATE erasures SET faults = faults + 1 WHERE account_id = $1 AND subject = $2 RETURNING faults";
    HOLD_ERASURE = "SELECT subject FROM erasures WHERE account_id = $1 AND subject = $2";
    END_ERASURE = "DELETE FROM erasures WHERE account_id = $1 AND subject = $2";
}
