-- Assistants, their instructions and memories, their runs with asks, and what models cost.

-- What the inbox knows of assistants: which there are, and which conversations each takes by itself. targets is JSON.
CREATE TABLE answerers (
    account_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    enabled boolean NOT NULL,
    targets text NOT NULL,
    PRIMARY KEY (account_id, assistant_id)
);

-- tool_access, gated_tools, delegation, schedule and targets are JSON.
CREATE TABLE assistants (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    color text,
    enabled boolean NOT NULL,
    system_prompt text NOT NULL,
    model text,
    temperature double precision,
    tool_access text NOT NULL,
    gated_tools text NOT NULL,
    delegation text NOT NULL,
    schedule text NOT NULL,
    default_handoff_user_id uuid,
    history_limit bigint,
    transcribe_media boolean NOT NULL,
    handle_voice boolean NOT NULL,
    handle_images boolean NOT NULL,
    voice_replies boolean NOT NULL,
    voice_provider text,
    voice_id text,
    targets text NOT NULL,
    instruction_count bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- search is the title and the body as q looks in them.
CREATE TABLE instructions (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    search text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- @postgres
CREATE INDEX instructions_search ON instructions USING gin (account_id, search gin_trgm_ops);
-- @both

CREATE TABLE assistant_instructions (
    account_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    instruction_id uuid NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (account_id, assistant_id, instruction_id),
    CONSTRAINT assistant_instructions_assistant_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistants (account_id, id) ON DELETE CASCADE,
    CONSTRAINT assistant_instructions_instruction_fkey FOREIGN KEY (account_id, instruction_id) REFERENCES instructions (account_id, id)
);
CREATE INDEX assistant_instructions_instruction ON assistant_instructions (account_id, instruction_id);

CREATE TABLE memories (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    assistant_id uuid,
    contact_id uuid,
    content text NOT NULL,
    source text NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX memories_contact ON memories (account_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX memories_assistant ON memories (account_id, assistant_id, id) WHERE assistant_id IS NOT NULL;

-- Every word of every memory, in lower case as UTF-8. Bytes compare alike on both engines, so beginnings of words are a range.
CREATE TABLE memory_words (
    account_id uuid NOT NULL,
    word bytea NOT NULL,
    memory_id uuid NOT NULL,
    PRIMARY KEY (account_id, word, memory_id),
    CONSTRAINT memory_words_memory_fkey FOREIGN KEY (account_id, memory_id) REFERENCES memories (account_id, id) ON DELETE CASCADE
);
CREATE INDEX memory_words_memory ON memory_words (account_id, memory_id);

-- due_at is when a worker may take the run: null while it waits and once it has ended. A claim moves it to the end of its
-- lease. tools (null: the assistant's own) and machine are JSON. The tree_ columns count on the root of a tree of runs.
CREATE TABLE runs (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    trigger_id uuid,
    parent_run_id uuid,
    root_run_id uuid NOT NULL,
    contact_id uuid,
    conversation_id uuid,
    origin text NOT NULL,
    confined boolean NOT NULL,
    goal text NOT NULL,
    tools text,
    author_user_id uuid NOT NULL,
    status text NOT NULL,
    result text,
    error text,
    cost_micros bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    tick_count bigint NOT NULL,
    tree_children bigint NOT NULL,
    tree_spent_micros bigint NOT NULL,
    tree_limit_micros bigint NOT NULL,
    machine text NOT NULL,
    replied boolean NOT NULL,
    due_at timestamptz,
    lease uuid,
    started_at timestamptz,
    finished_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX runs_due ON runs (due_at, account_id) WHERE due_at IS NOT NULL;
CREATE INDEX runs_account_due ON runs (account_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_assistant ON runs (account_id, assistant_id, id);
CREATE INDEX runs_status ON runs (account_id, status, id);
CREATE INDEX runs_contact ON runs (account_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX runs_conversation ON runs (account_id, conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX runs_trigger ON runs (account_id, trigger_id, id) WHERE trigger_id IS NOT NULL;
CREATE INDEX runs_root ON runs (account_id, root_run_id, id);

-- data is JSON.
CREATE TABLE run_events (
    account_id uuid NOT NULL,
    run_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (account_id, run_id, id)
);

-- run_id is the root of the tree in which raised_by asked, by the tool call call_id. arguments is JSON.
CREATE TABLE asks (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    raised_by uuid NOT NULL,
    call_id text NOT NULL,
    assistant_id uuid NOT NULL,
    kind text NOT NULL,
    prompt text NOT NULL,
    tool text,
    arguments text,
    status text NOT NULL,
    answer text,
    answered_by uuid,
    expires_at timestamptz NOT NULL,
    answered_at timestamptz,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX asks_run ON asks (account_id, run_id, id);
CREATE INDEX asks_raised ON asks (account_id, raised_by, id);
CREATE INDEX asks_status ON asks (account_id, status, id);
CREATE INDEX asks_expiry ON asks (expires_at) WHERE status = 'pending';

-- Calls of models. A call is reserved at its worst case before it is made, and settled by what it cost.
CREATE TABLE ai_calls (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    model text NOT NULL,
    month text NOT NULL,
    day text NOT NULL,
    state text NOT NULL,
    reserved_micros bigint NOT NULL,
    cost_micros bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX ai_calls_open ON ai_calls (account_id, run_id) WHERE state = 'reserved';

-- The sums of an account's months and days, by its timezone when the call was reserved.
CREATE TABLE ai_months (
    account_id uuid NOT NULL,
    month text NOT NULL,
    spent_micros bigint NOT NULL,
    reserved_micros bigint NOT NULL,
    warned boolean NOT NULL,
    PRIMARY KEY (account_id, month)
);

CREATE TABLE ai_days (
    account_id uuid NOT NULL,
    day text NOT NULL,
    model text NOT NULL,
    assistant_id uuid NOT NULL,
    calls bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    cost_micros bigint NOT NULL,
    PRIMARY KEY (account_id, day, model, assistant_id)
);

-- What was said in recordings that a model has transcribed.
CREATE TABLE media_transcripts (
    account_id uuid NOT NULL,
    media_id uuid NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (account_id, media_id)
);

-- @step
-- When the conversation was last opened: an assistant's history begins there. And when its last message was written, by the
-- channel's clock: one that arrives late is not answered.
ALTER TABLE conversations ADD COLUMN opened_at timestamptz;
ALTER TABLE conversations ADD COLUMN heard_at timestamptz;
