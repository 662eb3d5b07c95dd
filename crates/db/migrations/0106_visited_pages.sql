-- The last pages of a website that a web-chat visitor was on, by conversation. An id carries when the visitor was first seen there.
CREATE TABLE visited_pages (
    account_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    title text,
    PRIMARY KEY (account_id, connection_id, conversation_id, id)
);
