-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
CREATE TABLE meta (
    org TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    ord BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE notices (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    team TEXT,
    task TEXT,
    seat TEXT NOT NULL,
    dialog TEXT,
    agent TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    level TEXT NOT NULL,
    dedup_key TEXT,
    count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    resolved_at BIGINT,
    PRIMARY KEY (org, id)
);

CREATE UNIQUE INDEX notices_open ON notices (org, dedup_key) WHERE resolved_at IS NULL;

CREATE TABLE decisions (
    org TEXT NOT NULL,
    id BIGINT NOT NULL,
    dialog TEXT NOT NULL,
    agent TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    category TEXT,
    outcome TEXT NOT NULL,
    text TEXT NOT NULL,
    reason TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);
