-- A row of `sends` knows whether it may go, so that a claim is one range of an index and looks at no other row.

-- One message of a conversation at a time has the turn (ready): the first in the order of priority, message and part. It
-- keeps the turn while it is handed over; what ends it passes the turn on. A read receipt (priority 9) is always ready.
ALTER TABLE sends ADD COLUMN ready boolean NOT NULL DEFAULT false;

UPDATE sends SET ready = true WHERE priority = 9;
UPDATE sends SET ready = true WHERE priority < 9 AND state = 'handed' AND NOT EXISTS (
    SELECT 1 FROM sends o WHERE o.connection_id = sends.connection_id AND o.conversation_id = sends.conversation_id
    AND o.priority < 9 AND o.state = 'handed' AND (o.handed_at, o.message_id, o.part) > (sends.handed_at, sends.message_id, sends.part));
UPDATE sends SET ready = true WHERE priority < 9 AND state = 'queued'
    AND NOT EXISTS (SELECT 1 FROM sends o WHERE o.connection_id = sends.connection_id AND o.conversation_id = sends.conversation_id
        AND o.priority < 9 AND o.state = 'handed' AND o.ready)
    AND NOT EXISTS (SELECT 1 FROM sends o WHERE o.connection_id = sends.connection_id AND o.conversation_id = sends.conversation_id
        AND o.priority < 9 AND o.state = 'queued' AND (o.priority, o.message_id, o.part) < (sends.priority, sends.message_id, sends.part));

-- Every message leaves dead rows here, and only a vacuum removes them from the left end of an index.
-- @postgres
ALTER TABLE sends SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- @index
CREATE INDEX CONCURRENTLY sends_ready ON sends (connection_id, priority, message_id, part) WHERE ready AND state = 'queued';
-- @index
CREATE INDEX CONCURRENTLY sends_ready_due ON sends (connection_id, due_at) WHERE ready AND state = 'queued';
-- @index
CREATE INDEX CONCURRENTLY sends_conversation ON sends (connection_id, conversation_id, priority, message_id, part);
-- @sqlite
CREATE INDEX sends_ready ON sends (connection_id, priority, message_id, part) WHERE ready AND state = 'queued';
CREATE INDEX sends_ready_due ON sends (connection_id, due_at) WHERE ready AND state = 'queued';
CREATE INDEX sends_conversation ON sends (connection_id, conversation_id, priority, message_id, part);
-- @both
-- @step
DROP INDEX sends_order;
DROP INDEX sends_due;
DROP INDEX sends_thread;
