-- What happened to a deal, for its page and its contact's. by_user_id, by_assistant_id or by_key_id is who did it; none is there when
-- the system did. old_value and new_value are texts as the API has them, but for contacts, which have columns of their own: their rows
-- are merged and erased.
CREATE TABLE deal_changes (
    account_id uuid NOT NULL,
    deal_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    old_value text,
    new_value text,
    old_contact_id uuid,
    new_contact_id uuid,
    by_user_id uuid,
    by_assistant_id uuid,
    by_key_id uuid,
    PRIMARY KEY (account_id, deal_id, id)
);
CREATE INDEX deal_changes_old_contact ON deal_changes (account_id, old_contact_id) WHERE old_contact_id IS NOT NULL;
CREATE INDEX deal_changes_new_contact ON deal_changes (account_id, new_contact_id) WHERE new_contact_id IS NOT NULL;
