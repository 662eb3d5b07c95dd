//! Statements of the outbox.

frontdesk_db::statements! {
    WITHDRAW = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND state = 'queued'
        RETURNING connection_id, conversation_id, ready AND priority < 9";
    OUTSTANDING = "SELECT message_id FROM sends WHERE account_id = $1 AND message_id = $2 AND (state = 'queued' OR handed_at > $3)";
    WENT_OUT = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND state = 'handed' AND part = 0
        RETURNING connection_id, conversation_id, ready AND priority < 9";
    PASS_ON = "UPDATE sends SET ready = true WHERE (account_id, message_id, part) IN (
        SELECT n.account_id, n.message_id, n.part FROM sends n
        WHERE n.connection_id = $1 AND n.conversation_id = $2 AND n.priority < 9 AND n.state = 'queued'
            AND NOT EXISTS (SELECT 1 FROM sends h WHERE h.connection_id = $1 AND h.conversation_id = $2 AND h.priority < 9 AND h.ready)
        ORDER BY n.priority, n.message_id, n.part LIMIT 1)";
    WAITS = "SELECT message_id FROM sends WHERE connection_id = $1 AND conversation_id = $2 AND priority < 9 AND state = 'queued' LIMIT 1";
    TAKE_BACK = "UPDATE sends SET ready = false WHERE connection_id = $1 AND conversation_id = $2 AND priority < 9 AND ready AND state = 'queued'";
    OVERDUE = "SELECT message_id FROM sends WHERE state = 'handed' AND handed_at <= $1 AND ready AND priority < 9 LIMIT 1";
    EXPIRE = "UPDATE sends SET ready = false WHERE state = 'handed' AND handed_at <= $1 AND ready AND priority < 9
        RETURNING connection_id, conversation_id";
    STUCK = "SELECT DISTINCT s.connection_id, s.conversation_id FROM sends s WHERE s.state = 'queued' AND NOT s.ready AND s.priority < 9
        AND NOT EXISTS (SELECT 1 FROM sends h WHERE h.connection_id = s.connection_id AND h.conversation_id = s.conversation_id
            AND h.priority < 9 AND h.ready)
        ORDER BY s.connection_id, s.conversation_id";
    HOLD = "SELECT id FROM conversations WHERE account_id = $1 AND id = $2";
    RECEIPTS = "UPDATE sends SET ready = true WHERE priority = 9 AND NOT ready";
    INSERT = "INSERT INTO sends (account_id, message_id, part, connection_id, conversation_id, person, payload, reply_to, priority, state, due_at, tries, ready)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, 0, $11) ON CONFLICT DO NOTHING";
    /// What of a conversation is queued before a new row, or has the turn.
    IN_FRONT = "SELECT message_id FROM sends WHERE connection_id = $1 AND conversation_id = $2 AND priority < 9
        AND (state = 'queued' AND priority <= $3 OR ready) ORDER BY priority, message_id, part LIMIT 1";
    BEFORE = "SELECT message_id FROM sends WHERE connection_id = $1 AND conversation_id = $2 AND priority < 9 LIMIT 1";
    INSERT_CLAIMED = "INSERT INTO sends (account_id, message_id, part, connection_id, conversation_id, person, payload, priority, state, due_at,
            tries, handed_at, lease, reply_to, ready)
        VALUES ($1, $2, 0, $3, $4, $5, $6, $7, 'handed', $8, $9, $10, $11, $12, true)";
    /// What goes later gives its turn back, unless its call has begun.
    OVERTAKE = "UPDATE sends SET ready = false WHERE connection_id = $1 AND conversation_id = $2 AND priority > $3 AND priority < 9
        AND ready AND state = 'queued'";
    STRANGER = "SELECT c.id FROM conversations c WHERE c.account_id = $1 AND c.id = $2 AND c.last_inbound_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.account_id = $1 AND m.conversation_id = $2 AND m.direction = 'outbound'
            AND m.id <> $3 AND m.status <> 'failed' AND (m.id < $3 OR m.status <> 'sending'))";
    AHEAD = "SELECT due_at FROM sends WHERE connection_id = $1 AND conversation_id = $2 AND state = 'queued' ORDER BY due_at DESC LIMIT 1";
    // Messages that follow a first message have the same time, and count once.
    PLANNED = "SELECT DISTINCT due_at FROM sends WHERE connection_id = $1 AND ready AND state = 'queued' AND due_at > $2 ORDER BY due_at DESC LIMIT $3";
    HOLD_BACK = "UPDATE sends SET state = 'queued', due_at = $3, handed_at = NULL, lease = NULL, tries = CASE state WHEN 'handed' THEN tries - 1 ELSE tries END
        WHERE connection_id = $1 AND conversation_id = $2 AND (state = 'queued' OR lease = $4)";
    CONTACTS = "SELECT message_id, sent_at FROM first_contacts WHERE account_id = $1 AND connection_id = $2 ORDER BY sent_at DESC LIMIT $3";
    CONTACTED = "INSERT INTO first_contacts (account_id, connection_id, message_id, sent_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, connection_id, message_id) DO UPDATE SET sent_at = excluded.sent_at";
    FORGET = "DELETE FROM first_contacts WHERE account_id = $1 AND connection_id = $2 AND sent_at <= $3";
    GIVE_UP_HELD = "UPDATE sends SET state = 'handed', handed_at = $2, lease = NULL WHERE state = 'queued' AND priority < 9 AND message_id < $1
        AND account_id IN (SELECT id FROM accounts WHERE held_at IS NOT NULL)";
    RELEASE = "UPDATE sends SET due_at = $3 WHERE connection_id = $1 AND conversation_id = $2 AND state = 'queued' AND tries = 0 AND due_at > $3";
}
