-- What models made of media: transcripts of voice notes and descriptions of photos. They are erased with their media.
DROP TABLE media_transcripts;
CREATE TABLE media_transcripts (
    account_id uuid NOT NULL,
    media_id uuid NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (account_id, media_id),
    CONSTRAINT media_transcripts_media_fkey FOREIGN KEY (account_id, media_id) REFERENCES media (account_id, id) ON DELETE CASCADE
);

-- Media that waits to be transcribed or described, for an assistant that pays for it. kind is the message's type.
CREATE TABLE transcriptions (
    account_id uuid NOT NULL,
    message_id uuid NOT NULL,
    media_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    kind text NOT NULL,
    tries bigint NOT NULL,
    due_at timestamptz NOT NULL,
    lease uuid,
    PRIMARY KEY (account_id, message_id),
    CONSTRAINT transcriptions_media_fkey FOREIGN KEY (account_id, media_id) REFERENCES media (account_id, id) ON DELETE CASCADE
);
CREATE INDEX transcriptions_due ON transcriptions (due_at);
CREATE INDEX transcriptions_media ON transcriptions (account_id, media_id);
