-- Versions of assistants. snapshot is everything that an assistant was after a change (JSON): its fields, its unconfined
-- tools and its instructions. changed has the names of the fields that differ from the version before (JSON).
-- author_user_id is null for a change by an API key. number counts from 1 for each assistant.
CREATE TABLE assistant_versions (
    account_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    snapshot text NOT NULL,
    changed text NOT NULL,
    author_user_id uuid,
    restored_from bigint,
    PRIMARY KEY (account_id, assistant_id, id),
    CONSTRAINT assistant_versions_assistant_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistants (account_id, id) ON DELETE CASCADE
);
