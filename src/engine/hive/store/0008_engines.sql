-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- Counts up with each change.
ALTER TABLE meta ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- A program that works in this store. seat: the name of its workspace. messages: up to where its triggers have looked at them.
CREATE TABLE engines (
    org TEXT NOT NULL,
    seat TEXT NOT NULL,
    id TEXT NOT NULL,
    box TEXT NOT NULL,
    workspace TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (org, seat)
);

-- Which teams it works for. hash: of the file that describes the team there.
CREATE TABLE hosts (
    org TEXT NOT NULL,
    team TEXT NOT NULL,
    seat TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (org, team, seat)
);

-- Where the dialog is that gave a task, that works on it, or that waits for its result; where a change is undone or finished.
ALTER TABLE tasks ADD COLUMN origin_seat TEXT;
ALTER TABLE attempts ADD COLUMN seat TEXT;
ALTER TABLE attempts ADD COLUMN box TEXT;
ALTER TABLE deliveries ADD COLUMN seat TEXT;
ALTER TABLE sagas ADD COLUMN seat TEXT;
