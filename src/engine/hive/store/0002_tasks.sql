-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
CREATE TABLE tasks (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    team TEXT NOT NULL,
    kind TEXT NOT NULL,
    priority BIGINT NOT NULL,
    ord BIGINT NOT NULL,
    status TEXT NOT NULL,
    block_reason TEXT,
    text TEXT NOT NULL,
    member TEXT,
    max_steps BIGINT NOT NULL,
    correlation TEXT,
    root_correlation TEXT NOT NULL,
    depth BIGINT NOT NULL,
    from_team TEXT,
    origin_dialog TEXT,
    wake BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    attempt BIGINT NOT NULL,
    dialog_root TEXT,
    result TEXT,
    error TEXT,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE INDEX tasks_queue ON tasks (org, team, status, priority, ord);
CREATE INDEX tasks_newest ON tasks (org, ord);
CREATE INDEX tasks_chain ON tasks (org, root_correlation);

CREATE TABLE attempts (
    org TEXT NOT NULL,
    task TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    team TEXT NOT NULL,
    dialog_root TEXT NOT NULL,
    begun BIGINT NOT NULL,
    cuts BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome TEXT,
    put_away BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (org, task, attempt)
);

CREATE INDEX attempts_open ON attempts (org, put_away);
CREATE INDEX attempts_day ON attempts (org, team, started_at);

CREATE TABLE deliveries (
    org TEXT NOT NULL,
    task TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    team TEXT NOT NULL,
    dialog TEXT NOT NULL,
    status TEXT NOT NULL,
    text TEXT NOT NULL,
    wake BIGINT NOT NULL,
    delivered BIGINT NOT NULL,
    PRIMARY KEY (org, task, attempt)
);

CREATE INDEX deliveries_open ON deliveries (org, delivered);

CREATE TABLE seen (
    org TEXT NOT NULL,
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (org, scope, id)
);
