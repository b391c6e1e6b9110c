-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- What a trigger does is in its file; a file without a row is pending. definition: the newest one that could be used, as JSON.
CREATE TABLE triggers (
    org TEXT NOT NULL,
    team TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    definition TEXT NOT NULL,
    threshold BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    reason TEXT,
    overlaps BIGINT NOT NULL,
    last_task TEXT,
    last_fired BIGINT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (org, team, name)
);

-- A message that nobody has looked at yet.
CREATE TABLE messages (
    org TEXT NOT NULL,
    ord BIGINT NOT NULL,
    id TEXT NOT NULL,
    channel TEXT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (org, ord)
);

ALTER TABLE tasks ADD COLUMN trigger_name TEXT;
ALTER TABLE tasks ADD COLUMN trigger_tells BIGINT;
ALTER TABLE tasks ADD COLUMN is_test BIGINT;
ALTER TABLE tasks ADD COLUMN channel TEXT;
ALTER TABLE tasks ADD COLUMN message TEXT;
