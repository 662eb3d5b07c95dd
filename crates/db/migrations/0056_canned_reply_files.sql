-- The files of canned replies, in their order. Each is a use of its upload (media.uses).
CREATE TABLE canned_reply_files (
    account_id uuid NOT NULL,
    reply_id uuid NOT NULL,
    n bigint NOT NULL,
    media_id uuid NOT NULL,
    PRIMARY KEY (account_id, reply_id, n)
);
