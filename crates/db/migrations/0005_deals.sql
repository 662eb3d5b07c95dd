-- Pipelines, deals, inquiries with the forms they come by, and bookings with the calendars they come from.

CREATE TABLE pipelines (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- Positions count from 0 without gaps; they are changed only under the lock of the pipeline's row.
CREATE TABLE stages (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    pipeline_id uuid NOT NULL,
    name text NOT NULL,
    position bigint NOT NULL,
    probability bigint NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT stages_pipeline_fkey FOREIGN KEY (account_id, pipeline_id) REFERENCES pipelines (account_id, id) ON DELETE CASCADE
);
CREATE INDEX stages_pipeline ON stages (account_id, pipeline_id, position);

-- value is in ten-thousandths of the currency; search is the title as q looks in it.
CREATE TABLE deals (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    title text NOT NULL,
    search text NOT NULL,
    value bigint,
    currency text NOT NULL,
    pipeline_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    contact_id uuid,
    owner_user_id uuid,
    status text NOT NULL,
    lost_reason text,
    expected_close_date text,
    closed_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT deals_stage_fkey FOREIGN KEY (account_id, stage_id) REFERENCES stages (account_id, id)
);
CREATE INDEX deals_pipeline ON deals (account_id, pipeline_id, id);
CREATE INDEX deals_stage ON deals (account_id, stage_id, id);
CREATE INDEX deals_status ON deals (account_id, status, id);
CREATE INDEX deals_contact ON deals (account_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX deals_owner ON deals (account_id, owner_user_id, id) WHERE owner_user_id IS NOT NULL;
CREATE INDEX deals_updated ON deals (account_id, updated_at);

-- fields is JSON; search holds the name, email, phone and message as q looks in them.
CREATE TABLE inquiries (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    form text,
    name text,
    email text,
    phone text,
    message text,
    fields text NOT NULL,
    source_url text,
    contact_id uuid,
    status text NOT NULL,
    search text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX inquiries_status ON inquiries (account_id, status, id);
CREATE INDEX inquiries_updated ON inquiries (account_id, updated_at);

-- @postgres
CREATE INDEX deals_search ON deals USING gin (account_id, search gin_trgm_ops);
CREATE INDEX inquiries_search ON inquiries USING gin (account_id, search gin_trgm_ops);
-- @both

-- A note is about a contact or about an inquiry.
ALTER TABLE notes ADD COLUMN inquiry_id uuid;
CREATE INDEX notes_inquiry ON notes (account_id, inquiry_id, id) WHERE inquiry_id IS NOT NULL;

-- The token stands in public pages. origins is JSON; an empty list lets every origin in.
CREATE TABLE forms (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    token text NOT NULL,
    redirect_url text,
    origins text NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX forms_token_key ON forms (token);

-- The secret is encrypted.
CREATE TABLE booking_sources (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    token text NOT NULL,
    secret text NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX booking_sources_token_key ON booking_sources (token);

CREATE TABLE bookings (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    uid text NOT NULL,
    contact_id uuid,
    title text NOT NULL,
    start_at timestamptz NOT NULL,
    end_at timestamptz NOT NULL,
    status text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX bookings_due ON bookings (end_at) WHERE status = 'scheduled';

-- Every uid that a booking has had: a calendar that moves a booking gives it another.
CREATE TABLE booking_uids (
    account_id uuid NOT NULL,
    source_id uuid NOT NULL,
    uid text NOT NULL,
    booking_id uuid NOT NULL,
    PRIMARY KEY (account_id, source_id, uid)
);
