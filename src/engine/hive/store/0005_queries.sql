-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- A query is a task of its own kind, which runs from the moment it is asked; its first attempt begins when its dialog is named.
ALTER TABLE tasks ADD COLUMN expires_at BIGINT;

CREATE INDEX tasks_queries ON tasks (org, status) WHERE kind = 'query';
