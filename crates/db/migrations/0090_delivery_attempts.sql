-- When the last attempt of a delivery began, and the attempts before it. The row of a delivery holds its last attempt, so one that
-- succeeds at once has no row here.
ALTER TABLE deliveries ADD COLUMN attempted_at timestamptz;

CREATE TABLE delivery_attempts (
    account_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    number bigint NOT NULL,
    started_at timestamptz,
    status_code bigint,
    error text,
    duration_ms bigint,
    response_snippet text,
    PRIMARY KEY (account_id, delivery_id, number)
);
