-- The operator's limits of an account: the largest monthly AI budget, and the models that it may choose, as a JSON list. Null for
-- no limit.
ALTER TABLE accounts ADD COLUMN ai_budget_max_micros bigint;
ALTER TABLE accounts ADD COLUMN models text;
-- A trigger's last error becomes a code.
UPDATE triggers SET last_error = CASE
    WHEN last_error LIKE 'This trigger is disabled.%' THEN 'trigger_disabled'
    WHEN last_error LIKE 'The account is suspended.%' THEN 'account_suspended'
    WHEN last_error LIKE 'The assistant is disabled.%' THEN 'assistant_disabled'
    WHEN last_error LIKE 'This month''s AI budget is spent.%' THEN 'ai_budget_exhausted'
    WHEN last_error LIKE 'The contact was deleted.%' THEN 'contact_missing'
    WHEN last_error LIKE 'The segment was deleted.%' THEN 'segment_missing'
    WHEN last_error LIKE 'The segment has no contacts.%' THEN 'segment_empty'
    WHEN last_error LIKE 'The account''s sending hours never open.%' THEN 'no_sending_hours'
    WHEN last_error LIKE 'The time of this trigger has come already.%' THEN 'already_fired'
    WHEN last_error LIKE 'More events came than%' THEN 'events_waiting'
    ELSE last_error
END WHERE last_error IS NOT NULL;
