-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- What a team remembers. A replaced one is not active; a deleted one has deleted_at, as all others of its key.
CREATE TABLE memories (
    org TEXT NOT NULL,
    id BIGINT NOT NULL,
    team TEXT NOT NULL,
    key TEXT NOT NULL,
    type TEXT NOT NULL,
    is_active BIGINT NOT NULL,
    deleted_at BIGINT,
    supersedes_id BIGINT,
    supersede_reason TEXT,
    updated_by TEXT NOT NULL,
    dialog TEXT,
    course BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE UNIQUE INDEX memories_active ON memories (org, team, key) WHERE is_active = 1;
CREATE INDEX memories_of_key ON memories (org, team, key, id);
CREATE INDEX memories_of_dialog ON memories (org, dialog, course);
CREATE INDEX memories_replaced ON memories (org, supersedes_id);

-- Parts of memories that can be found. num: unique in the database.
CREATE TABLE memory_chunks (
    org TEXT NOT NULL,
    num BIGINT NOT NULL,
    team TEXT NOT NULL,
    memory BIGINT NOT NULL,
    from_char BIGINT NOT NULL,
    to_char BIGINT NOT NULL,
    PRIMARY KEY (org, num)
);

CREATE INDEX memory_chunks_of ON memory_chunks (org, memory);
CREATE INDEX memory_chunks_of_team ON memory_chunks (org, team);

-- The tokens of a chunk: how many, and each with its number.
CREATE TABLE memory_terms (
    org TEXT NOT NULL,
    num BIGINT NOT NULL,
    len BIGINT NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (org, num)
);

-- In how many chunks of a team a token is.
CREATE TABLE memory_df (
    org TEXT NOT NULL,
    team TEXT NOT NULL,
    term TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (org, team, term)
);

CREATE TABLE memory_stats (
    org TEXT NOT NULL,
    team TEXT NOT NULL,
    chunks BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (org, team)
);
